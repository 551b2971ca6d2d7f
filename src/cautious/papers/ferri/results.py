"""Ferri's results on data, and the curves drawn from them."""

from __future__ import annotations

from collections.abc import Mapping
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

from cautious._typing import Floats
from cautious.curves import ResponseCurve
from cautious.datasets import list_datasets, load_dataset
from cautious.experiments import Study, fingerprint
from cautious.models import NaiveCredalClassifier
from cautious.papers.claims import Cell, Figure, Table
from cautious.papers.ferri.examples import abstention_grid
from cautious.papers.reproduction import cached_predictions
from cautious.papers.weka import (
    LaplaceTreeClassifier,
    MultiwayTreeClassifier,
    Weka,
    pruned_by_cross_validation,
)

__all__ = [
    "Curves",
    "response_measures",
    "result_figures",
    "result_tables",
    "stand_in_curves",
    "weka_curves",
]

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


# What the text prints: measure, abstention, value.
PRINTED: dict[tuple[str, str], list[tuple[str, float, float]]] = {
    ("spambase", TREE): [("accuracy", 0, 0.92), ("auc", 0, 0.967), ("auc", 0.1, 0.974)],
    ("tic-tac-toe", TREE): [
        *(("accuracy", 0, 0.796), ("auc", 0, 0.873), ("auc", 0.11, 0.89), ("auc", 0.24, 0.918)),
        *(("auc", 0.36, 0.941), ("auc", 0.46, 0.956), ("auc", 0.82, 0.98)),
    ],
    ("tic-tac-toe", PRUNED): [("accuracy", 0, 0.804), ("auc", 0, 0.844)],
}
# Where the cost is least, as abstention.
CHEAPEST = {"spambase": (0.30, 0.60), "tic-tac-toe": (0.65, 0.75)}
CLOSE = 0.01
# Figure, title, data set, models, measure.
DRAWN = [
    ("Fig. 11", "ROC curve", "spambase", [TREE], "tpr"),
    ("Fig. 12", "Accuracy response", "spambase", [TREE], "accuracy"),
    ("Fig. 13", "AUC response", "spambase", [TREE], "auc"),
    ("Fig. 14", "Cost response", "spambase", [TREE], "cost"),
    ("Fig. 15", "ROC curve", "tic-tac-toe", [TREE], "tpr"),
    ("Fig. 16", "Accuracy response", "tic-tac-toe", [TREE], "accuracy"),
    ("Fig. 17", "AUC response", "tic-tac-toe", [TREE], "auc"),
    ("Fig. 18", "Cost response", "tic-tac-toe", [TREE], "cost"),
    ("Fig. 19", "Accuracy response", "tic-tac-toe", [TREE, BAYES, LOGISTIC], "accuracy"),
    ("Fig. 20", "ROC curve", "tic-tac-toe", [BAYES], "tpr"),
    ("Fig. 21", "ROC curve", "tic-tac-toe", [LOGISTIC], "tpr"),
    ("Fig. 22", "Accuracy response", "tic-tac-toe", [TREE, PRUNED], "accuracy"),
]


def result_tables(whose: str, curves: Curves) -> list[Table]:
    """Lay the numbers and claims of section 7 beside those of one family of learners."""
    return [_numbers(whose, curves), _cheapest(whose, curves), _order(whose, curves)]


def result_figures(families: Mapping[str, Curves]) -> list[Figure]:
    """Make the data of Figs 11 to 22, one panel per family of learners."""
    figures = []
    for name, title, dataset, models, measure in DRAWN:
        x = "false positive rate" if measure == "tpr" else "abstention"
        y = "true positive rate" if measure == "tpr" else measure
        parts = [
            curve[["level", measure]].set_axis([x, y], axis=1).assign(model=model, learners=whose)
            for whose, curves in families.items()
            for (on, model), curve in curves.items()
            if on == dataset and _base(model) in models
        ]
        frame = pd.concat(parts, ignore_index=True)
        figures.append(Figure(name, f"{title}, {dataset}", frame, x, y, "model", panels="learners"))
    return figures


def _base(model: str) -> str:
    """Name the paper's model that this one is, or stands in for."""
    return model.partition(",")[0]


def _at(curve: pd.DataFrame, measure: str, level: float) -> float:
    x: Floats = curve["level"].to_numpy()
    return float(np.interp(level, x, curve[measure].to_numpy()))


def _numbers(whose: str, curves: Curves) -> Table:
    unprinted = [("accuracy", 0.0, None), ("auc", 0.0, None)]
    cells = [
        Cell(
            f"{dataset}, {model}",
            f"{measure} at {level:.0%} abstention",
            _at(curve, measure, level),
            value,
            CLOSE,
        )
        for (dataset, model), curve in curves.items()
        for measure, level, value in PRINTED.get((dataset, _base(model)), unprinted)
    ]
    return Table(
        f"Section 7, {whose}",
        "Accuracy and AUC, repeated five-fold cross-validation",
        cells,
        f"agreement means within {CLOSE:g}: the folds are other ones.",
    )


def _cheapest(whose: str, curves: Curves) -> Table:
    cells = []
    for (dataset, model), curve in curves.items():
        if _base(model) != TREE:
            continue
        low, high = CHEAPEST[dataset]
        best = int(curve["cost"].to_numpy().argmin())
        at, cost = float(curve["level"].iloc[best]), float(curve["cost"].iloc[best])
        remark = (
            f"printed as {low:.0%} to {high:.0%}, its middle is shown; cost {cost:.2f} there, "
            f"{_at(curve, 'cost', 0):.2f} at 0 % and {_at(curve, 'cost', 1):.2f} at 100 %"
        )
        middle, half = (low + high) / 2, (high - low) / 2
        row = f"{dataset}, {model}"
        cells.append(Cell(row, "abstention of least cost", at, middle, half, remark))
    return Table(f"Figs 14 and 18, {whose}", "Where the cost is least", cells)


def _order(whose: str, curves: Curves) -> Table:
    """Hold what the paper says of figures 19 and 22 in words against ours."""
    claims = [
        ("Fig. 19", "at 20 %, better of NB and logistic", (BAYES, LOGISTIC), 0.2, LOGISTIC),
        ("Fig. 19", "at 90 %, better of NB and logistic", (BAYES, LOGISTIC), 0.9, BAYES),
    ]
    kinds = [
        model.removeprefix(TREE)
        for on, model in curves
        if _base(model) == TREE and on != "spambase"
    ]
    for kind in kinds:
        pair = (f"{TREE}{kind}", f"{PRUNED}{kind}")
        claims += [
            ("Fig. 22", f"at 0 %, better of the two trees{kind}", pair, 0.0, PRUNED),
            ("Fig. 22", f"at 50 %, better of the two trees{kind}", pair, 0.5, TREE),
        ]
    cells = []
    for figure, what, pair, level, said in claims:
        a, b = (_at(curves["tic-tac-toe", model], "accuracy", level) for model in pair)
        better = "neither" if abs(a - b) < 1e-9 else _base(pair[int(b > a)])
        cells.append(Cell(figure, what, better, said, remark=f"{a:.3f} and {b:.3f}"))
    title = "Accuracy response graphs on tic-tac-toe"
    return Table(f"Figs 19 and 22 in words, {whose}", title, cells)
