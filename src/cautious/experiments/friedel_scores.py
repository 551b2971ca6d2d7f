"""Friedel, Rückert & Kramer (2006): out-of-fold scores of the learners, and what they measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from cautious.curves import AbstentionCostSurface
from cautious.datasets import list_datasets, load_dataset
from cautious.experiments.friedel_learners import learners
from cautious.experiments.friedel_printed import MEASURES
from cautious.experiments.identity import describe, digest
from cautious.experiments.kept import kept_predictions
from cautious.experiments.seeding import seed_for, seeded
from cautious.experiments.weka import Weka

__all__ = ["WEKA_LEARNERS", "Family", "Scores", "stand_in_scores", "weka_scores"]

Scores = Mapping[str, pd.DataFrame]

# The paper says no more than their names. Ten trees were the default of its day; without -M the
# scores of SMO are 0 and 1, which no window can sift.
WEKA_LEARNERS = {
    "J48": "trees.J48",
    "NB": "bayes.NaiveBayes",
    "PART": "rules.PART",
    "RF": "trees.RandomForest -I 10",
    "SVM": "functions.SMO -M",
}
FOLDS, SEED = 10, 1


@dataclass(frozen=True)
class Family:
    """One family of learners: their scores on each data set, and what follows from them.

    Attributes
    ----------
    name : str
        Whose learners they are; empty if the caller gave the scores.
    scores : mapping of str to DataFrame
        By data set: a column ``truth``, and one a learner with the score of the positive class,
        which is the last of the sorted labels.
    """

    name: str
    scores: Scores

    def learners(self, dataset: str) -> list[str]:
        """Name the learners there are scores of."""
        return self.scores[dataset].columns.drop("truth").to_list()

    @cached_property
    def surfaces(self) -> dict[tuple[str, str], AbstentionCostSurface]:
        """The surfaces by data set and learner."""
        return {
            (name, learner): AbstentionCostSurface.from_predictions(
                frame["truth"], frame[learner], pos_label=max(frame["truth"])
            )
            for name, frame in self.scores.items()
            for learner in self.learners(name)
        }

    def measures(self, dataset: str) -> pd.DataFrame:
        """Measure each learner over all folds together: one row a learner, as in Table 1."""
        frame = self.scores[dataset]
        truth = (frame["truth"] == max(frame["truth"])).to_numpy()
        rows = {}
        for learner in self.learners(dataset):
            score = frame[learner].to_numpy()
            # A tie goes to the first class, as WEKA's does.
            right = float(np.mean((score > 0.5) == truth))
            vacc = self.surfaces[dataset, learner].vacc()
            rows[learner] = (right, float(roc_auc_score(truth, score)), vacc)
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(MEASURES))

    def ranked(self, dataset: str, measure: str) -> list[str]:
        """Order the learners from the least of a measure to the largest."""
        return self.measures(dataset)[measure].sort_values(kind="stable").index.to_list()


def weka_scores(
    weka: Weka,
    datasets: Iterable[str],
    folder: Path | None,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[Scores, float]:
    """Score every case by each of WEKA's learners, ten-fold with seed 1; add up seconds."""
    tasks = {
        (name, learner): partial(_weka_out_of_fold, weka, name, which)
        for name in datasets
        for learner, which in WEKA_LEARNERS.items()
    }
    version = f"weka-{weka.version}"
    keys = {task: _key(version, *task, WEKA_LEARNERS[task[1]]) for task in tasks}
    return _together(tasks, keys, folder, n_jobs, progress)


def stand_in_scores(
    datasets: Iterable[str],
    folder: Path | None,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[Scores, float]:
    """Score every case by each of scikit-learn's stand-ins, ten-fold, seed 1; add up seconds."""
    tasks = {
        (name, learner): partial(_out_of_fold, name, learner, model)
        for name in datasets
        for learner, model in learners().items()
    }
    version = f"scikit-learn-{sklearn.__version__}"
    keys = {task: _key(version, *task, describe(learners()[task[1]])) for task in tasks}
    return _together(tasks, keys, folder, n_jobs, progress)


def _key(family: str, dataset: str, learner: str, which: str) -> str:
    """Name a file by all that its scores depend on."""
    what = digest(f"{which} {list_datasets()['sha256'][dataset]} {FOLDS} {SEED}")
    return f"friedel-{family}-{dataset}-{learner}-{what}"


def _together(
    tasks: Mapping[tuple[str, str], Any],
    keys: Mapping[tuple[str, str], str],
    folder: Path | None,
    n_jobs: int | None,
    progress: bool | None,
) -> tuple[Scores, float]:
    made, seconds = kept_predictions(
        {keys[task]: make for task, make in tasks.items()},
        None if folder is None else folder / "friedel-scores",
        what="learners",
        n_jobs=n_jobs,
        progress=progress,
    )
    together: dict[str, pd.DataFrame] = {}
    for name, learner in tasks:
        found = made[keys[name, learner]]
        together.setdefault(name, found[["truth"]].copy())[learner] = found["score"]
    return together, seconds


def _weka_out_of_fold(weka: Weka, name: str, learner: str) -> pd.DataFrame:
    X, y = load_dataset(name, return_X_y=True)
    found = weka.cross_validate(learner, X, y, folds=FOLDS, seed=SEED)
    return pd.DataFrame({"truth": found["truth"], "score": found[f"p_{max(found['truth'])}"]})


def _out_of_fold(name: str, learner: str, model: Any) -> pd.DataFrame:
    X, y = load_dataset(name, return_X_y=True)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    ready = seeded(clone(model), seed_for(SEED, name, learner))
    proba = cross_val_predict(ready, X, np.asarray(y), cv=folds, method="predict_proba")
    return pd.DataFrame({"truth": np.asarray(y), "score": proba[:, 1]})
