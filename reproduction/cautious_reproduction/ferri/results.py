"""Ferri's results on data, and the curves drawn from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
from cautious.datasets import load_dataset
from cautious.experiments import Study
from cautious.models import NaiveCredalClassifier
from cautious_reproduction.arrays import Floats
from cautious_reproduction.ferri.examples import abstention_grid
from cautious_reproduction.printed_tables import Cell, Figure, Table
from cautious_reproduction.reproduction import cached_predictions, data_identity
from cautious_reproduction.weka import (
    LaplaceTreeClassifier,
    MultiwayTreeClassifier,
    Weka,
    pruned_by_cross_validation,
)
from cautious_reproduction.work import fingerprint

__all__ = [
    "KEPT",
    "Curves",
    "board",
    "drawn_curves",
    "leaders",
    "least_cost",
    "response_measures",
    "result_figures",
    "result_tables",
    "stand_in_curves",
    "value_at",
    "weka_curves",
]

Curves = dict[tuple[str, str], pd.DataFrame]
"""By data set and model; a model's name may say after a comma which of several it is."""

SPAM, NINE, EIGHT = "spambase", "tic-tac-toe", "tic-tac-toe, eight squares"
DATASETS = (SPAM, NINE, EIGHT)
# Dropped from the board: one corner, all of which are alike by symmetry.
MISSING_SQUARE = "bottom-right-square"
TREE, PRUNED, BAYES, LOGISTIC = "tree", "pruned tree", "naive Bayes", "logistic regression"
WEKA_LEARNERS = {
    TREE: "trees.J48 -U -A",
    PRUNED: "trees.J48 -A",
    BAYES: "bayes.NaiveBayes",
    LOGISTIC: "functions.Logistic",
}
# Rows: answering neg, answering pos, abstaining; columns: truth neg, truth pos. The paper does not
# say which class is pos, so the costs are also counted with the other one.
COSTS = {"cost": [[0, 20], [100, 0], [3, 2]], "swapped cost": [[0, 100], [20, 0], [2, 3]]}
MEASURES = ("accuracy", "auc", "cost", "swapped cost")
FOLDS = 5
KEPT = "ferri-predictions"
"""Folder of WEKA's predictions, inside the one that everything is kept in."""


def board(name: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Load a data set of section 7; tic-tac-toe also without its bottom right square."""
    X, y = load_dataset(name.partition(",")[0], return_X_y=True)
    return (X.drop(columns=MISSING_SQUARE) if name == EIGHT else X), y


def stand_in_curves(
    repeats: int, folder: Path | None, *, n_jobs: int | None = None, progress: bool | None = None
) -> tuple[Curves, float]:
    """Cross-validate scikit-learn's and our own stand-ins; average their curves, add up seconds."""
    curves: Curves = {}
    seconds = 0.0
    for name in (SPAM, NINE):
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
        curves |= {
            (name, model): _mean_curve([own for _, own in by_model[model].groupby("repeat")])
            for model in study.models
        }
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
        for model, learner in _learners(name).items():
            of = name.partition(",")[0]
            what = fingerprint(
                learner, data_identity(of), MISSING_SQUARE if name == EIGHT else "", FOLDS
            )
            kind = model.replace(" ", "-")
            for seed in range(1, repeats + 1):
                key = f"ferri-weka-{weka.version}-{of}-{kind}-{what}-{seed}"
                runs[key] = (name, model, partial(_weka_run, weka, name, learner, seed))
    made, seconds = cached_predictions(
        {key: run for key, (_, _, run) in runs.items()},
        None if folder is None else folder / KEPT,
        what="WEKA's runs",
        n_jobs=n_jobs,
        progress=progress,
    )
    measured = Parallel(n_jobs)(delayed(_measured_folds)(found) for found in made.values())
    together: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for (name, model, _), folds in zip(runs.values(), measured, strict=True):
        together.setdefault((name, model), []).append(pd.DataFrame(folds))
    return {where: _mean_curve(repeats) for where, repeats in together.items()}, seconds


def _learners(name: str) -> dict[str, str]:
    """Give the learners that the paper shows on a data set: on spam the unpruned tree alone."""
    return {TREE: WEKA_LEARNERS[TREE]} if name == SPAM else WEKA_LEARNERS


def response_measures(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    """Read a fold's response curves at fixed abstentions, and its ROC curve at fixed FPR."""
    return _measured(y, estimator.predict_proba(X), estimator.classes_)


def _measured(y: Any, proba: npt.ArrayLike, classes: Any) -> dict[str, float]:
    p, positives = np.asarray(proba), np.asarray(y) == classes[1]
    curve = ResponseCurve.from_predictions(y, p, classes=classes)
    grid = abstention_grid()
    found: dict[str, float] = {}
    # When every case is abstained on, accuracy and AUC count as 1 (section 4).
    silent = {
        "accuracy": 1.0,
        "auc": 1.0,
        **{name: float(np.mean(np.array(rows[2])[positives * 1])) for name, rows in COSTS.items()},
    }
    for name in MEASURES:
        own = COSTS.get(name)
        measure = "cost" if own else name
        values = np.append(curve.measure(measure, costs=own or COSTS["cost"]), silent[name])
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
        (SPAM, TREE): tree,
        ("tic-tac-toe", f"{TREE}, many branches"): MultiwayTreeClassifier(),
        ("tic-tac-toe", f"{TREE}, one-hot"): one_hot(tree),
        ("tic-tac-toe", f"{PRUNED}, many branches"): MultiwayTreeClassifier(s=1.0),
        ("tic-tac-toe", f"{PRUNED}, one-hot"): one_hot(pruned_by_cross_validation(tree)),
        ("tic-tac-toe", BAYES): NaiveCredalClassifier(),  # predict_proba is naive Bayes
        ("tic-tac-toe", LOGISTIC): one_hot(LogisticRegression(max_iter=1000)),
    }


def _weka_run(weka: Weka, name: str, learner: str, seed: int) -> pd.DataFrame:
    return weka.cross_validate(learner, *board(name), folds=FOLDS, seed=seed)


def _measured_folds(predictions: pd.DataFrame) -> list[dict[str, float]]:
    classes = np.array(sorted(set(predictions["truth"])))
    columns = [f"p_{label}" for label in classes]
    return [
        _measured(fold["truth"].to_numpy(), fold[columns], classes)
        for _, fold in predictions.groupby("fold")
    ]


@dataclass(frozen=True, eq=False)
class _Repeats:
    """Curves of the repeats, by measure. pandas copies attributes at every turn, but not these."""

    curves: dict[str, Floats]

    def __deepcopy__(self, memo: object) -> _Repeats:
        return self


def _mean_curve(repeats: list[pd.DataFrame]) -> pd.DataFrame:
    """Average over folds and repeats, one row per level of abstention (or of FPR, for tpr).

    Columns ``± name`` hold two standard errors of the mean over repeats, nan if there is one; the
    curves of the repeats themselves are kept for :func:`drawn_curves`.
    """
    grid = abstention_grid()
    found: dict[str, Any] = {"level": grid}
    apart = {}
    for name in (*MEASURES, "tpr"):
        each = np.array(
            [[float(folds[f"{name}@{a:.2f}"].mean()) for a in grid] for folds in repeats]
        )
        found[name] = each.mean(axis=0)
        apart[name] = each
        spread = each.std(axis=0, ddof=1) if len(each) > 1 else np.full(len(grid), np.nan)
        found[f"± {name}"] = 2 * spread / np.sqrt(len(each))
    curve = pd.DataFrame(found)
    curve.attrs |= {"repeats": len(repeats), "each": _Repeats(apart)}
    for name in COSTS:  # how far the cheapest level moves from repeat to repeat
        at = [float(grid[int(np.argmin(values))]) for values in apart[name]]
        curve.attrs[name] = float(2 * np.std(at, ddof=1) / np.sqrt(len(at))) if len(at) > 1 else 0.0
    return curve


DRAWS = 200


def drawn_curves(curve: pd.DataFrame) -> list[pd.DataFrame]:
    """Average the repeats drawn anew, as many as there are: what the paper might have seen.

    The draws are the same for all curves, since equal seeds split alike.
    """
    n = curve.attrs["repeats"]
    if n < 2:
        return [curve]
    drawn = np.random.default_rng(0).integers(n, size=(DRAWS, n))
    means = {name: own[drawn].mean(axis=1) for name, own in curve.attrs["each"].curves.items()}
    return [
        pd.DataFrame({"level": curve["level"], **{name: own[i] for name, own in means.items()}})
        for i in range(DRAWS)
    ]


# What the text prints: measure, abstention, value as it is printed.
PRINTED: dict[tuple[str, str], list[tuple[str, float, str]]] = {
    (SPAM, TREE): [("accuracy", 0, "0.92"), ("auc", 0, "0.967"), ("auc", 0.1, "0.974")],
    (NINE, TREE): [
        *(("accuracy", 0, "0.796"), ("auc", 0, "0.873"), ("auc", 0.11, "0.89")),
        *(("auc", 0.24, "0.918"), ("auc", 0.36, "0.941"), ("auc", 0.46, "0.956")),
        ("auc", 0.82, "0.98"),
    ],
    (NINE, PRUNED): [("accuracy", 0, "0.804"), ("auc", 0, "0.844")],
}
PRINTED |= {(EIGHT, model): rows for (name, model), rows in PRINTED.items() if name == NINE}
# Where the cost is least, as abstention.
CHEAPEST = {SPAM: (0.30, 0.60), NINE: (0.65, 0.75), EIGHT: (0.65, 0.75)}
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


def result_tables(whose: str, curves: Curves, *, counted: bool = True) -> list[Table]:
    """Lay the numbers and claims of section 7 beside those of one family of learners.

    The board with eight squares explains the printed numbers and is not counted.
    """
    tables = []
    for explained in (False, True):
        own = {where: curve for where, curve in curves.items() if (where[0] == EIGHT) == explained}
        if own:
            name = f"{whose}, eight squares" if explained else whose
            made = [_numbers(name, own), _cheapest(name, own), _order(name, own)]
            tables += [replace(t, counted=counted and not explained) for t in made]
    return tables


def result_figures(families: Mapping[str, Curves]) -> list[Figure]:
    """Make the data of Figs 11 to 22, one panel per family of learners."""
    figures = []
    for name, title, dataset, models, measure in DRAWN:
        x = "false positive rate" if measure == "tpr" else "abstention"
        y = "true positive rate" if measure == "tpr" else measure
        parts = [
            curve[["level", measure]]
            .set_axis([x, y], axis=1)
            .assign(model=model, learners=f"{whose}, eight squares" if on == EIGHT else whose)
            for whose, curves in families.items()
            for (on, model), curve in curves.items()
            if on.partition(",")[0] == dataset and _base(model) in models
        ]
        frame = pd.concat(parts, ignore_index=True)
        figures.append(Figure(name, f"{title}, {dataset}", frame, x, y, "model", panels="learners"))
    return figures


def _base(model: str) -> str:
    """Name the paper's model that this one is, or stands in for."""
    return model.partition(",")[0]


def value_at(curve: pd.DataFrame, measure: str, level: float) -> float:
    """Read a measure at a level of abstention."""
    x: Floats = curve["level"].to_numpy()
    return float(np.interp(level, x, curve[measure].to_numpy()))


def _numbers(whose: str, curves: Curves) -> Table:
    cells = []
    for (dataset, model), curve in curves.items():
        row = f"{dataset}, {model}"
        for measure, level, text in PRINTED.get((dataset, _base(model)), []):
            column = f"{measure} at {level:.0%} abstention"
            ours, spread = (value_at(curve, m, level) for m in (measure, f"± {measure}"))
            half = 0.5 * 10.0 ** -len(text.partition(".")[2])
            # The paper's mean over as many folds has a chance of its own.
            within = half + (np.sqrt(2) * spread if spread == spread else 0.01)
            chance = f"two standard errors {spread:.4f}" if spread == spread else ""
            cells.append(Cell(row, column, ours, float(text), within, chance, printed=text))
        if (dataset, _base(model)) not in PRINTED:
            cells += [
                Cell(row, f"{m} at 0% abstention", value_at(curve, m, 0.0))
                for m in ("accuracy", "auc")
            ]
    return Table(
        f"Section 7, {whose}",
        f"Accuracy and AUC, five-fold cross-validation, {', '.join(_repeated(curves))}",
        cells,
        "agreement means within the rounding plus √2 times two standard errors over the repeats, "
        "because the paper's folds are other ones. Tic-tac-toe is there twice: with all nine "
        "squares and, in the appendix, without the bottom right one. That a corner was missing was "
        "found with the printed numbers in view.",
        "re-run",
    )


def _repeated(curves: Curves) -> Iterable[str]:
    """Say how often each data set was split anew; the paper says twenty times."""
    runs = {name: curve.attrs.get("repeats", 1) for (name, _), curve in curves.items()}
    return (f"{n} times on {name.partition(',')[0]}" for name, n in runs.items())


def least_cost(curve: pd.DataFrame, measure: str) -> float:
    """Give the abstention at which a cost is least."""
    return float(curve["level"].iloc[int(curve[measure].to_numpy().argmin())])


def _cheapest(whose: str, curves: Curves) -> Table:
    cells = []
    for (dataset, model), curve in curves.items():
        if _base(model) != TREE:
            continue
        low, high = CHEAPEST[dataset]
        middle, half = (low + high) / 2, (high - low) / 2
        for measure in COSTS:
            at, chance = least_cost(curve, measure), float(curve.attrs.get(measure, 0.0))
            cost, first, last = (value_at(curve, measure, a) for a in (at, 0, 1))
            remark = (
                f"cost {cost:.2f} there, {first:.2f} at 0 % and {last:.2f} at 100 %; two standard "
                f"errors {chance:.1%}"
            )
            row, own = f"{dataset}, {model}", measure == "cost"
            what = f"abstention of least cost, {'last' if own else 'first'} label is pos"
            within, printed = half + chance, f"{low:.0%} to {high:.0%}".replace("%", " %")
            # The paper does not say which class is pos; its number is counted once.
            cells.append(
                Cell(
                    row, what, at, middle, within, f"against its middle; {remark}", printed=printed
                )
                if own
                else Cell(row, what, at, remark=f"not counted; {remark}", printed=printed)
            )
    return Table(
        f"Figs 14 and 18, {whose}",
        "Where the cost is least",
        cells,
        "the paper does not say which class is pos: the last label is held against its range, the "
        "other one is shown.",
        "re-run",
    )


def leaders(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, int | None]:
    """Say which of two accuracy curves, 0 or 1, leads without abstention, at most levels, at last.

    At last means at the largest abstention at which they differ; None if neither leads.
    """
    apart = (first["accuracy"] - second["accuracy"]).to_numpy()
    differs = np.flatnonzero(np.abs(apart) > 1e-9)
    if not len(differs):
        return {"at 0 %": None, "at most levels": None, "at last": None}
    behind = float(np.mean(apart[differs] < 0))
    return {
        "at 0 %": None if abs(apart[0]) <= 1e-9 else int(apart[0] < 0),
        "at most levels": None if behind == 0.5 else int(behind > 0.5),
        "at last": int(apart[differs[-1]] < 0),
    }


def _order(whose: str, curves: Curves) -> Table:
    """Hold what the paper says of figures 19 and 22 in words against ours."""
    cells = []
    for dataset in (NINE, EIGHT):
        own = {model: curve for (on, model), curve in curves.items() if on == dataset}
        kinds = [model.removeprefix(TREE) for model in own if _base(model) == TREE]
        nineteen = {"at 0 %": LOGISTIC, "at last": BAYES}
        claims = [("Fig. 19", (BAYES, LOGISTIC), nineteen)] if own else []
        later = {"at 0 %": PRUNED, "at most levels": TREE}
        claims += [("Fig. 22", (f"{TREE}{k}", f"{PRUNED}{k}"), later) for k in kinds]
        for figure, pair, said in claims:
            found = leaders(*(own[model] for model in pair))
            for when, paper in said.items():
                which = found[when]
                better = "neither" if which is None else _base(pair[which])
                what = f"{dataset}, {when}, better of {' and '.join(pair)}"
                cells.append(Cell(figure, what, better, paper))
    title = "Accuracy response graphs on tic-tac-toe"
    return Table(
        f"Figs 19 and 22 in words, {whose}",
        title,
        cells,
        "the paper speaks of low and of high abstention; at last means the highest at which the "
        "two curves differ.",
        "words",
    )
