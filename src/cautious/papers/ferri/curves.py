"""Ferri & Hernández-Orallo (2004), section 7: the learners, and their curves over all folds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from cautious.curves import ResponseCurve
from cautious.datasets import list_datasets, load_dataset
from cautious.experiments import Study, fingerprint
from cautious.models import NaiveCredalClassifier
from cautious.papers.cache import cached_predictions
from cautious.papers.ferri.examples import abstention_grid
from cautious.papers.trees import (
    LaplaceTreeClassifier,
    MultiwayTreeClassifier,
    pruned_by_cross_validation,
)
from cautious.papers.weka import Weka

__all__ = ["Curves", "response_measures", "stand_in_curves", "weka_curves"]

Curves = dict[tuple[str, str], pd.DataFrame]
"""By data set and model; a model's name may say after a comma which of several it is."""

DATASETS = ("spambase", "tic-tac-toe")
TREE, PRUNED, BAYES, LOGISTIC = "tree", "pruned tree", "naive Bayes", "logistic regression"
WEKA_LEARNERS = {
    TREE: "trees.J48 -U -A",
    PRUNED: "trees.J48 -A",
    BAYES: "bayes.NaiveBayes",
    LOGISTIC: "functions.Logistic",
}
# Rows: answering neg, answering pos, abstaining; columns: truth neg, truth pos.
COSTS = [[0, 20], [100, 0], [3, 2]]
MEASURES = ("accuracy", "auc", "cost")
FOLDS = 5


def stand_in_curves(
    repeats: int, folder: Path | None, *, n_jobs: int | None = None, progress: bool | None = None
) -> tuple[Curves, float]:
    """Cross-validate scikit-learn's and our own stand-ins; average their curves, add up seconds."""
    curves: Curves = {}
    seconds = 0.0
    for name in DATASETS:
        study = Study(
            {model: classifier for (on, model), classifier in _stand_ins().items() if on == name},
            [name],
            repeats=repeats,
            folds=FOLDS,
            measures=response_measures,
        )
        store = None if folder is None else folder / f"ferri-{name}-stand-ins.db"
        results = study.run(store, n_jobs=n_jobs, progress=progress)
        by_model = dict(iter(results.groupby("model")))
        curves |= {(name, model): _mean_curve(by_model[model]) for model in study.models}
        seconds += float(results["seconds"].sum())
    return curves, seconds


def weka_curves(
    weka: Weka,
    repeats: int,
    folder: Path | None,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[Curves, float]:
    """Cross-validate WEKA's learners, seeds 1, 2, …; average their curves, add up seconds."""
    runs = {}
    for name in DATASETS:
        for model, learner in WEKA_LEARNERS.items():
            what = fingerprint(learner, list_datasets()["sha256"][name], FOLDS)
            kind = model.replace(" ", "-")
            for seed in range(1, repeats + 1):
                key = f"ferri-weka-{weka.version}-{name}-{kind}-{what}-{seed}"
                runs[key] = (name, model, partial(_weka_run, weka, name, learner, seed))
    made, seconds = cached_predictions(
        {key: run for key, (_, _, run) in runs.items()},
        None if folder is None else folder / "ferri-predictions",
        what="WEKA's runs",
        n_jobs=n_jobs,
        progress=progress,
    )
    measured = Parallel(n_jobs)(delayed(_measured_folds)(found) for found in made.values())
    together: dict[tuple[str, str], list[dict[str, float]]] = {}
    for (name, model, _), folds in zip(runs.values(), measured, strict=True):
        together.setdefault((name, model), []).extend(folds)
    curves = {where: _mean_curve(pd.DataFrame(folds)) for where, folds in together.items()}
    return curves, seconds


def response_measures(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    """Read a fold's response curves at fixed abstentions, and its ROC curve at fixed FPR.

    Parameters
    ----------
    estimator : fitted classifier of two classes
    X, y : array-like
        The test part of the fold.

    Returns
    -------
    dict
        ``accuracy@a``, ``auc@a`` and ``cost@a`` by abstention, ``tpr@f`` by false positive rate.
    """
    return _measured(y, estimator.predict_proba(X), estimator.classes_)


def _measured(y: Any, proba: npt.ArrayLike, classes: Any) -> dict[str, float]:
    p, positives = np.asarray(proba), np.asarray(y) == classes[1]
    curve = ResponseCurve.from_predictions(y, p, classes=classes)
    grid = abstention_grid()
    found: dict[str, float] = {}
    # When every case is abstained on, accuracy and AUC count as 1 (section 4).
    abstained = {"accuracy": 1.0, "auc": 1.0, "cost": float(np.mean(np.where(positives, 2, 3)))}
    for name in MEASURES:
        values = np.append(curve.measure(name, costs=COSTS), abstained[name])
        level = np.append(curve.abstention, 1.0)
        known = ~np.isnan(values)
        drawn = np.interp(grid, level[known], values[known])
        found |= {f"{name}@{a:.2f}": float(v) for a, v in zip(grid, drawn, strict=True)}
    fpr, tpr, _ = roc_curve(positives, p[:, 1])
    rates = np.interp(grid, fpr, tpr)
    return found | {f"tpr@{f:.2f}": float(v) for f, v in zip(grid, rates, strict=True)}


def _stand_ins() -> dict[tuple[str, str], Any]:
    def one_hot(classifier: Any) -> Any:
        return make_pipeline(
            OneHotEncoder(handle_unknown="ignore", sparse_output=False), classifier
        )

    tree = LaplaceTreeClassifier(criterion="entropy", min_samples_leaf=2)
    return {
        ("spambase", TREE): tree,
        ("tic-tac-toe", f"{TREE}, many branches"): MultiwayTreeClassifier(),
        ("tic-tac-toe", f"{TREE}, one-hot"): one_hot(tree),
        ("tic-tac-toe", f"{PRUNED}, many branches"): MultiwayTreeClassifier(s=1.0),
        ("tic-tac-toe", f"{PRUNED}, one-hot"): one_hot(pruned_by_cross_validation(tree)),
        ("tic-tac-toe", BAYES): NaiveCredalClassifier(),  # predict_proba is naive Bayes
        ("tic-tac-toe", LOGISTIC): one_hot(LogisticRegression(max_iter=1000)),
    }


def _weka_run(weka: Weka, name: str, learner: str, seed: int) -> pd.DataFrame:
    return weka.cross_validate(
        learner, *load_dataset(name, return_X_y=True), folds=FOLDS, seed=seed
    )


def _measured_folds(predictions: pd.DataFrame) -> list[dict[str, float]]:
    classes = np.array(sorted(set(predictions["truth"])))
    columns = [f"p_{label}" for label in classes]
    return [
        _measured(fold["truth"].to_numpy(), fold[columns], classes)
        for _, fold in predictions.groupby("fold")
    ]


def _mean_curve(folds: pd.DataFrame) -> pd.DataFrame:
    """Average over folds, one row per level of abstention (or of FPR, for tpr)."""
    grid = abstention_grid()
    means = {
        name: [float(folds[f"{name}@{a:.2f}"].mean()) for a in grid] for name in (*MEASURES, "tpr")
    }
    return pd.DataFrame({"level": grid, **means})
