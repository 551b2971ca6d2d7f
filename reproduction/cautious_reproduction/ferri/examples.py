"""Ferri & Hernández-Orallo (2004): the worked examples and the sketches."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cautious.curves import AbstentionROC, CapacityCurve, ResponseCurve
from cautious.metrics import MEASURES, SetCounts, cautious_confusion_matrix
from cautious_reproduction.arrays import Floats
from cautious_reproduction.printed_tables import Cell, Figure, Table, cells_of

__all__ = [
    "EXAMPLE_1",
    "LEAVES",
    "example_figures",
    "example_tables",
    "sketched_figures",
    "tree_curve",
    "tree_roc",
]

EXAMPLE_1_BOLD = [[20, 2, 3], [0, 30, 3], [0, 2, 40], [0, 0, 0]]
EXAMPLE_1 = [[19, 1, 2], [0, 30, 0], [0, 1, 38], [1, 2, 6]]
# Example 2: p(a), cases of a, cases of b in each leaf.
LEAVES = np.array(
    [[1, 23, 1], [0.75, 10, 0], [0.7, 4, 2], [0.6, 0, 9], [0.35, 2, 3], [0.2, 1, 15], [0.1, 0, 30]]
)
BIASES = {"(0.5, 0.5)": [0.5, 0.5], "(0.55, 0.45)": [0.55, 0.45], "(0.45, 0.55)": [0.45, 0.55]}
# The tree made cautious: class bias and window.
CONVERSIONS = {
    "argmax": ([0.5, 0.5], 0.0),
    "τ = 0.625": ([0.5, 0.5], 0.25),
    "bias (0.55, 0.45), w = 0.15": ([0.55, 0.45], 0.15),
    "bias (0.55, 0.45), w = 0.4": ([0.55, 0.45], 0.4),
}


def example_tables() -> list[Table]:
    """Both examples: measures, moved classifiers, conversions, readings."""
    return [_inputs(), _example_1(), *_moved(), _leaves(), _example_2(), *_matrices(), _readings()]


def example_figures() -> list[Figure]:
    """Figures 1, 2, 6 and 7."""
    one = CapacityCurve.from_matrix(EXAMPLE_1)
    own = MEASURES["selective_accuracy"].score(SetCounts.from_confusion(EXAMPLE_1))
    point = pd.DataFrame({"abstention": [0, one.abstention, 1], "accuracy": [0, own, 1]})
    alphas = np.array([0, one.abstention, 1])
    graph = pd.DataFrame({"abstention": alphas, "error": one.error(alphas)})
    responses = pd.concat(
        [tree_curve(bias).frame().assign(bias=name) for name, bias in BIASES.items()]
    )
    unnamed = "The paper names two of its three biases; the third is ours."
    return [
        Figure("Fig. 1", "Accuracy against abstention", point, "abstention", "accuracy"),
        Figure("Fig. 2", "Capacity graph of a classifier", graph, "abstention", "error"),
        Figure(
            *("Fig. 6", "Accuracy response graph", responses, "abstention", "accuracy", "bias"),
            remark=unnamed,
        ),
        Figure(
            *("Fig. 7", "Error response graph", responses, "abstention", "error", "bias"),
            remark=unnamed,
        ),
    ]


def tree_curve(bias: list[float]) -> ResponseCurve:
    """Give the response curve of the seven-leaf tree."""
    p, a, b = LEAVES.T
    proba = np.tile(np.column_stack([p, 1 - p]), (2, 1))
    truth = np.repeat(["a", "b"], len(p))
    return ResponseCurve.from_predictions(
        truth, proba, bias=bias, sample_weight=np.concatenate([a, b])
    )


def _inputs() -> Table:
    """Show the matrices of Example 1, which everything about it starts from."""
    cells = [
        Cell(f"{name}, answer {answer}", f"truth {truth}", n, n, 0.0, given=True)
        for name, rows in (("P", EXAMPLE_1_BOLD[:3]), ("R", EXAMPLE_1))
        for answer, row in zip("abc⊥", np.asarray(rows, dtype=np.float64).tolist(), strict=False)
        for truth, n in zip("abc", row, strict=True)
    ]
    return Table("Example 1, the matrices", "P and R, as they are printed", cells)


def _example_1() -> Table:
    counts = SetCounts.from_confusion(EXAMPLE_1)
    printed = {"coverage": 0.91, "abstention": 0.09, "selective_accuracy": 0.956, "error": 0.04}
    cells = [
        Cell("R", name, MEASURES[name].score(counts), value, 0.0005)
        for name, value in {**printed, "efficacy": 0.933}.items()
    ]
    by_prior, evenly = (CapacityCurve(counts, g).guessed_error for g in ("prior", "uniform"))
    error, n = MEASURES["error"].score(counts), float(np.sum(EXAMPLE_1))
    away = MEASURES["abstention"].score(counts)
    bold = SetCounts.from_confusion(EXAMPLE_1_BOLD)
    cells += [
        Cell("R", "Card", n, 100.0, 0.0),
        Cell("R", "error when guessing evenly", evenly, 0.1),
        Cell("R", "added by guessing evenly", evenly - error, 0.06),
        Cell("R", "slope of the first part", (evenly - error) / away, 2 / 3, printed="2/3"),
        Cell("R", "error when guessing by prior", by_prior, 0.0936, 5e-5),
        Cell("R", "cases added by guessing by prior", n * (by_prior - error), 5.36),
        Cell("R", "chance to abstain, Q 0.25", (0.25 - away) / (1 - away), 0.1758, 5e-5),
        Cell("R", "chance to guess, Q 0.06", (away - 0.06) / away, 0.3333, 5e-5),
        Cell("P", "cases", float(np.sum(EXAMPLE_1_BOLD)), 100.0, 0.0),
        *(
            Cell("P", f"cases of class {name}", float(total), printed, 0.0)
            for name, total, printed in zip(
                "abc", np.sum(EXAMPLE_1_BOLD, axis=0), (20.0, 34.0, 46.0), strict=True
            )
        ),
        Cell("P", "accuracy", MEASURES["selective_accuracy"].score(bold)),
        *(
            Cell("prior", f"share of {name}", float(total) / n, printed)
            for name, total, printed in zip(
                "abc", np.sum(EXAMPLE_1, axis=0), (0.2, 0.34, 0.46), strict=True
            )
        ),
    ]
    return Table("Example 1", "Measures of the classifiers P and R", cells)


def _moved() -> list[Table]:
    counts = SetCounts.from_confusion(EXAMPLE_1)
    printed = {
        0.25: [[15.66, 0.82, 1.65], [0, 24.73, 0], [0, 0.82, 31.32], [4.34, 7.63, 13.03]],
        0.06: [[19.33, 1.22, 2.67], [0, 30.22, 0.67], [0, 1.22, 38.67], [0.67, 1.33, 4]],
    }
    wrong = "the guessed third of the one ⊥ of class a was all guessed right; evenly it is 1/9 each"
    tables = []
    for alpha, rows in printed.items():
        ours = cautious_confusion_matrix(counts, None, abstention=alpha)
        ours = ours.set_axis([*"abc"], axis=1).set_axis([*"abc⊥"])
        first = str(ours.columns[0])
        said = {(str(row), first): wrong for row in ours.index[:3]} if alpha == 0.06 else None
        title = f"R moved to abstention {alpha}"
        tables.append(Table(f"Q {alpha:g}", title, cells_of(ours, rows, remarks=said)))
    return tables


def _leaves() -> Table:
    """Show the tree of Example 2, which everything about it starts from."""
    columns = ["p(a)", "p(b)", "cases of a", "cases of b"]
    rows = np.column_stack([LEAVES[:, 0], 1 - LEAVES[:, 0], LEAVES[:, 1:]]).round(12)
    frame = pd.DataFrame(rows, [f"leaf {i}" for i in range(1, 8)], columns)
    cells = cells_of(frame, rows.tolist(), given=frame.index)
    return Table("Example 2, the tree", "Probabilities and test cases of seven leaves", cells)


def _example_2() -> Table:
    printed = {
        "argmax": (
            0.0,
            {"accuracy": 0.85, "error": 0.15, "coverage": 1, "efficacy": 0.925, "f_score": 0.919},
        ),
        "τ = 0.625": (
            0.25,
            {
                **{"accuracy": 0.934, "error": 0.06, "coverage": 0.91},
                **{"efficacy": 0.922, "f_score": 0.916},
            },
        ),
    }
    capacity = {"argmax": 0.925, "τ = 0.625": 0.9448}
    curve = tree_curve([0.5, 0.5])
    cells = []
    for name, (window, numbers) in printed.items():
        at = int(np.searchsorted(curve.states.high, window))
        for measure, value in {**numbers, "capacity": capacity[name]}.items():
            remark = ""
            if measure == "coverage":
                ours = 1 - float(curve.abstention[at])
            else:
                ours = float(curve.measure(measure)[at])
            if abs(ours - value) > 0.0005:
                remark = "misprinted: the definition and the printed matrix give ours"
            if remark and measure == "capacity":
                prior = float(curve.measure("capacity", guess="prior")[at])
                remark += f" ({prior:.4f} when guessing by prior)"
            cells.append(Cell(name, measure, ours, value, 0.0005, remark))
    return Table(
        "Example 2",
        "The seven-leaf tree as a bold and as a cautious classifier",
        cells,
        "τ = 0.625 is the window 0.25 without bias.",
    )


def _matrices() -> list[Table]:
    printed: list[list[list[float | str | None]]] = [
        [[37, 12], [3, 48], [None, None]],
        [[37, 3], [3, 48], [0, 9]],
        [[37, 3], [3, 48], [0, 9]],
        [[33, 1], [1, 45], [6, 14]],
    ]
    return [
        Table(
            f"Confusion matrix, {name}",
            "Example 2",
            cells_of(tree_curve(bias).confusion_matrix(window), rows),
        )
        for (name, (bias, window)), rows in zip(CONVERSIONS.items(), printed, strict=True)
    ]


def _readings() -> Table:
    matrix = tree_curve([0.55, 0.45]).confusion_matrix(0.4)
    ours = AbstentionROC.readings_of(matrix, pos_label="a")[["tpr", "fpr"]]
    printed = [
        ["0.971", "0.0177"],
        ["0.971", "0.0167"],
        ["0.825", "0.0217"],
        ["0.825", "0.0167"],
    ]
    said = {
        ("ignore", "fpr"): "the text prints .0177, its own table .0217 = 1/46: the table is right"
    }
    cells = cells_of(ours, printed, within=0.0005, remarks=said)
    # The printed matrices behind them: shares of each true class, by what is left out.
    whole = matrix.to_numpy(dtype=np.float64)
    left_out = {
        "ignore": ([True, True], "0.971 0.029 - 0.0217 0.978 -"),
        "ignore in TPR": ([True, False], "0.971 0.029 - 0.0167 0.75 0.233"),
        "ignore in FPR": ([False, True], "0.825 0.025 0.15 0.0217 0.978 -"),
        "count": ([False, False], "0.825 0.025 0.15 0.0167 0.75 0.233"),
    }
    for name, (ignored, texts) in left_out.items():
        shares = [whole[:, j] / whole[: 2 if ignored[j] else 3, j].sum() for j in (0, 1)]
        places = [f"answer {i}, truth {j}" for j in "ab" for i in "ab⊥"]
        for where, value, text in zip(places, np.concatenate(shares), texts.split(), strict=True):
            if text != "-":
                half = 0.5 * 10.0 ** -len(text.partition(".")[2])
                cells.append(
                    Cell(name, where, float(value), float(text), half * 1.01, printed=text)
                )
    return Table("Section 6", "Four ways to read true and false positive rates", cells)


def abstention_grid() -> Floats:
    """Levels of abstention at which response curves of folds are averaged."""
    return np.linspace(0, 1, 51)


SKETCH = "A sketch in the paper, without data; here from the seven-leaf tree of Example 2."


def sketched_figures() -> list[Figure]:
    """Figures 3, 8, 9 and 10, of which the paper shows only what they look like."""
    return [_capacity_of_several(), _curves_at_windows(), *_over_abstention()]


def _capacity_of_several() -> Figure:
    curves = {
        name: CapacityCurve.from_matrix(tree_curve(bias).confusion_matrix(window))
        for name, (bias, window) in CONVERSIONS.items()
    } | {"no information": CapacityCurve.no_information(2)}
    hull = CapacityCurve.hull(curves).corners[["abstention", "error"]]
    drawn = {name: curve.frame() for name, curve in curves.items()} | {"lower hull": hull}
    frame = pd.concat([part.assign(classifier=name) for name, part in drawn.items()])
    title = "Capacity graph of a set of classifiers"
    return Figure(
        *("Fig. 3", title, frame.reset_index(drop=True), "abstention", "error", "classifier"),
        remark=SKETCH,
    )


def _curves_at_windows() -> Figure:
    roc = tree_roc(0.55)
    parts = [roc.curve(w).assign(window=f"w = {w:g}")[["fpr", "tpr", "window"]] for w in (0, 0.4)]
    frame = pd.concat(parts, ignore_index=True)
    title = "ROC curve, before and after dropping what is abstained on"
    return Figure("Fig. 8", title, frame, "fpr", "tpr", "window", remark=SKETCH)


def _over_abstention() -> list[Figure]:
    surface = tree_roc(0.5).surface()
    level = surface["abstention"].map("{:.0%}".format)
    curves = surface[["fpr", "tpr"]].assign(abstention=level)
    rows = []
    for name, (bias, _) in BIASES.items():
        roc = tree_roc(bias)
        known = ~np.isnan(roc.auc)
        # When every case is abstained on, AUC counts as 1, as accuracy does (section 4).
        level_of, auc = np.append(roc.abstention[known], 1.0), np.append(roc.auc[known], 1.0)
        rows.append(pd.DataFrame({"abstention": level_of, "AUC": auc, "bias": name}))
    responses = pd.concat(rows, ignore_index=True)
    return [
        Figure(
            *("Fig. 9", "ROC curves over abstention", curves, "fpr", "tpr", "abstention"),
            remark=f"{SKETCH} The paper's is a surface; here a line for each abstention.",
        ),
        Figure(
            *("Fig. 10", "AUC response graph", responses, "abstention", "AUC", "bias"),
            remark=SKETCH,
        ),
    ]


def tree_roc(bias: float) -> AbstentionROC:
    """Sweep the window over the seven-leaf tree, class a as positive, with this bias to it."""
    p, a, b = LEAVES.T
    return AbstentionROC.from_predictions(
        np.repeat(["a", "b"], len(p)),
        np.tile(p, 2),
        pos_label="a",
        bias=bias,
        sample_weight=np.concatenate([a, b]),
    )
