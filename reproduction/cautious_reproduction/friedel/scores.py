"""Friedel, Rückert & Kramer (2006): learners, their out-of-fold scores, and measures of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from cautious.curves import AbstentionCostSurface
from cautious.datasets import load_dataset
from cautious.experiments import Study
from cautious.models import NaiveCredalClassifier
from cautious_reproduction.arrays import Floats, Labels
from cautious_reproduction.reproduction import cached_predictions, data_identity
from cautious_reproduction.weka import Weka, pruned_by_cross_validation
from cautious_reproduction.work import fingerprint, seeded

__all__ = [
    "KEPT",
    "MEASURES",
    "POSITIVE",
    "SEEDS",
    "WEKA_LEARNERS",
    "Family",
    "MixedNaiveBayes",
    "Run",
    "Scores",
    "learners",
    "stand_in_scores",
    "surface_of",
    "weka_runs",
    "weka_scores",
    "with_noise",
]

Scores = Mapping[str, pd.DataFrame]

MEASURES = ("accuracy", "AUC", "VACC")
"""The columns of Table 1; three more hold each divided by the largest of the five learners."""

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
KEPT = "friedel-scores"
"""Folder of out-of-fold scores, inside the one that everything is kept in."""

SEEDS = range(1, 11)
"""Seeds of the ten cross-validations that tell chance from difference; the first is drawn."""

POSITIVE = {"credit-a": "+", "haberman": "1", "vote": "democrat"}
"""The positive class where it is not the last of the sorted labels.

The paper does not say which class is positive, and VACC depends on it. These were chosen with the
printed VACC in view; VACC with the other class is always shown beside it.
"""


@dataclass(frozen=True)
class Run:
    """One ten-fold cross-validation by WEKA.

    Attributes
    ----------
    dataset, learner : str
        Name of a bundled set; a learner below ``weka.classifiers`` with its options.
    seed : int
        Of WEKA's folds.
    noise : float
        Share of the labels that are turned over before anything is learned.
    """

    dataset: str
    learner: str
    seed: int = SEED
    noise: float = 0.0

    def key(self, version: str) -> str:
        """Name a file by all that its scores depend on."""
        what = fingerprint(self.learner, data_identity(self.dataset), FOLDS, self.noise)
        plain = self.learner.partition(" ")[0].rpartition(".")[2]
        return f"friedel-weka-{version}-{self.dataset}-{plain}-{what}-{self.seed}"


@dataclass(frozen=True)
class Family:
    """One family of learners: their scores on each data set, and what follows from them.

    Attributes
    ----------
    name : str
        Whose learners they are; empty if the caller gave the scores.
    scores : mapping of str to DataFrame
        By data set: a column ``truth``, and one per learner with the score of the last of the
        sorted labels.
    repeats : tuple of mappings
        The same from other seeds, those of `scores` among them; empty if there is one run only.
    stand_in : bool
        Whether these are not the paper's own learners.
    """

    name: str
    scores: Scores
    repeats: tuple[Scores, ...] = ()
    stand_in: bool = False

    def learners(self, dataset: str) -> list[str]:
        """Name the learners there are scores of."""
        return self.scores[dataset].columns.drop("truth").to_list()

    def positive(self, dataset: str) -> str:
        """Name the class whose missing costs 1."""
        labels = set(self.scores[dataset]["truth"])
        chosen: str = POSITIVE.get(dataset, max(labels))
        return chosen if chosen in labels else max(labels)

    @cached_property
    def surfaces(self) -> dict[tuple[str, str], AbstentionCostSurface]:
        """The surfaces by data set and learner."""
        return {
            (name, learner): surface_of(self.scores[name], learner, self.positive(name))
            for name in self.scores
            for learner in self.learners(name)
        }

    @cached_property
    def _measured(self) -> dict[tuple[int, str], pd.DataFrame]:
        return {}

    def measures(self, dataset: str, repeat: int | None = None) -> pd.DataFrame:
        """Measure each learner over all folds together: one row per learner, as in Table 1."""
        at = -1 if repeat is None else repeat
        if (at, dataset) not in self._measured:
            frame = (self.scores if repeat is None else self.repeats[repeat])[dataset]
            truth = (frame["truth"] == max(frame["truth"])).to_numpy()
            rows = {}
            for learner in self.learners(dataset):
                score = frame[learner].to_numpy()
                # A tie goes to the first class, as WEKA's does.
                right = float(np.mean((score > 0.5) == truth))
                vacc = surface_of(frame, learner, self.positive(dataset)).vacc()
                rows[learner] = (right, float(roc_auc_score(truth, score)), vacc)
            found = pd.DataFrame.from_dict(rows, orient="index", columns=list(MEASURES))
            self._measured[at, dataset] = found
        return self._measured[at, dataset]

    def over_seeds(self, dataset: str) -> pd.DataFrame:
        """Measure every run: one row per seed and learner, with the normalised columns.

        The index has the levels ``seed`` (from 0) and ``learner``; one seed where there are no
        repeats.
        """
        each = {}
        for repeat in range(len(self.repeats)) if self.repeats else [None]:
            found = self.measures(dataset, repeat)
            each[repeat or 0] = found.join((found / found.max()).add_prefix("normalised "))
        return pd.concat(each, names=["seed", "learner"])

    def ranked(self, dataset: str, measure: str) -> list[str]:
        """Order the learners by a measure, the mean over seeds, the least first."""
        means = self.over_seeds(dataset)[measure].groupby("learner", sort=False).mean()
        return means.sort_values(kind="stable").index.to_list()


def surface_of(frame: pd.DataFrame, learner: str, positive: str) -> AbstentionCostSurface:
    """Give the cost surface of one learner's scores, whichever class is positive."""
    last = max(frame["truth"])
    found = AbstentionCostSurface.from_predictions(frame["truth"], frame[learner], pos_label=last)
    return found if positive == last else found.flipped()


def weka_scores(
    weka: Weka,
    datasets: Iterable[str],
    folder: Path | None,
    *,
    seeds: Iterable[int] = (SEED,),
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[list[Scores], float]:
    """Score every case by each of WEKA's learners, ten-fold, once per seed; add up seconds."""
    names, every = list(datasets), list(seeds)
    runs = {
        (seed, name, learner): Run(name, which, seed)
        for seed in every
        for name in names
        for learner, which in WEKA_LEARNERS.items()
    }
    made, seconds = weka_runs(weka, runs.values(), folder, n_jobs=n_jobs, progress=progress)
    found = []
    for seed in every:
        together: dict[str, pd.DataFrame] = {}
        for name in names:
            for learner in WEKA_LEARNERS:
                one = made[runs[seed, name, learner]]
                together.setdefault(name, one[["truth"]].copy())[learner] = one["score"]
        found.append(together)
    return [*found], seconds


def weka_runs(
    weka: Weka,
    runs: Iterable[Run],
    folder: Path | None,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[dict[Run, pd.DataFrame], float]:
    """Do the runs that the folder does not hold; give truth and score of each, and the seconds."""
    keys = {run: run.key(weka.version) for run in runs}
    made, seconds = cached_predictions(
        {key: partial(_weka_out_of_fold, weka, run) for run, key in keys.items()},
        None if folder is None else folder / KEPT,
        what="runs of WEKA",
        n_jobs=n_jobs,
        progress=progress,
    )
    return {run: made[key] for run, key in keys.items()}, seconds


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
    keys = {task: _key(version, *task, learners()[task[1]]) for task in tasks}
    return _together(tasks, keys, folder, n_jobs, progress)


def _key(family: str, dataset: str, learner: str, which: Any) -> str:
    """Name a file by all that its scores depend on."""
    what = fingerprint(joblib.hash(which), data_identity(dataset), FOLDS, SEED)
    return f"friedel-{family}-{dataset}-{learner}-{what}"


def _together(
    tasks: Mapping[tuple[str, str], Any],
    keys: Mapping[tuple[str, str], str],
    folder: Path | None,
    n_jobs: int | None,
    progress: bool | None,
) -> tuple[Scores, float]:
    made, seconds = cached_predictions(
        {keys[task]: make for task, make in tasks.items()},
        None if folder is None else folder / KEPT,
        what="learners",
        n_jobs=n_jobs,
        progress=progress,
    )
    together: dict[str, pd.DataFrame] = {}
    for name, learner in tasks:
        found = made[keys[name, learner]]
        together.setdefault(name, found[["truth"]].copy())[learner] = found["score"]
    return together, seconds


def _weka_out_of_fold(weka: Weka, run: Run) -> pd.DataFrame:
    X, y = load_dataset(run.dataset, return_X_y=True)
    if run.noise:
        y = with_noise(y, run.noise, run.seed)
    found = weka.cross_validate(run.learner, X, y, folds=FOLDS, seed=run.seed)
    return pd.DataFrame({"truth": found["truth"], "score": found[f"p_{max(found['truth'])}"]})


def with_noise(y: pd.Series[Any], share: float, seed: int) -> pd.Series[Any]:
    """Turn over a share of two-class labels; the more are turned, the earlier ones among them."""
    order = np.random.default_rng(seed).permutation(len(y))[: round(share * len(y))]
    first, second = y.cat.categories
    noisy = y.copy()
    noisy.iloc[order] = np.where(y.iloc[order] == first, second, first)
    return noisy


def _out_of_fold(name: str, learner: str, model: Any) -> pd.DataFrame:
    X, y = load_dataset(name, return_X_y=True)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    ready = seeded(clone(model), Study.seed_for(SEED, name, learner))
    proba = cross_val_predict(ready, X, np.asarray(y), cv=folds, method="predict_proba")
    return pd.DataFrame({"truth": np.asarray(y), "score": proba[:, 1]})


def learners() -> dict[str, Any]:
    """Make the four learners that scikit-learn has something like; it has nothing like PART."""
    return {
        "J48": make_pipeline(
            _numbers(),
            pruned_by_cross_validation(
                DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
            ),
        ),
        "NB": MixedNaiveBayes(),
        "RF": make_pipeline(_numbers(), RandomForestClassifier(n_estimators=10)),
        "SVM": make_pipeline(
            _numbers(),
            MinMaxScaler(),
            CalibratedClassifierCV(SVC(kernel="linear"), ensemble=False, cv=3),
        ),
    }


def _numbers() -> Any:
    """Turn categories into indicators and fill gaps in numbers with the median."""
    category = make_column_selector(dtype_include="category")
    number = make_column_selector(dtype_include="number")
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), category),
        (SimpleImputer(strategy="median"), number),
    )


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Naive Bayes over numbers (normal densities) and categories at once, as WEKA's.

    .. math:: p(c | x, a) \propto p(c | x)\, p(c | a) / p(c)

    Missing categories are skipped; missing numbers are filled with the median.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"n": [1.0, 2, 8, 9], "c": pd.Categorical(["u", "u", "v", "u"])})
    >>> MixedNaiveBayes().fit(X, ["a", "a", "b", "b"]).predict(X).tolist()
    ['a', 'a', 'b', 'b']
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Fit both parts to a frame."""
        self.categories_: Any = X.select_dtypes("category").columns
        self.numbers_: Any = X.select_dtypes("number").columns
        self.classes_: Labels
        self.classes_, counts = np.unique(np.asarray(y), return_counts=True)
        self.log_prior_: Floats = np.log(counts / counts.sum())
        if len(self.numbers_):
            self.normal_: Any = make_pipeline(SimpleImputer(strategy="median"), GaussianNB())
            self.normal_.fit(X[self.numbers_], y)
        if len(self.categories_):
            self.discrete_: Any = NaiveCredalClassifier(s=2.0).fit(X[self.categories_], y)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        log_joint = np.tile(self.log_prior_, (len(X), 1))
        if len(self.numbers_):
            log_joint += self.normal_.predict_log_proba(X[self.numbers_]) - self.log_prior_
        if len(self.categories_):
            tiny = np.finfo(np.float64).tiny
            p = np.maximum(self.discrete_.predict_proba(X[self.categories_]), tiny)
            log_joint += np.log(p) - self.log_prior_
        joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
