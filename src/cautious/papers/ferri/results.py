"""Ferri & Hernández-Orallo (2004), section 7: the numbers, claims and figures from the curves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from cautious._typing import Floats
from cautious.papers.claims import Cell, Figure, Table
from cautious.papers.ferri.curves import BAYES, LOGISTIC, PRUNED, TREE, Curves

__all__ = ["result_figures", "result_tables"]

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
