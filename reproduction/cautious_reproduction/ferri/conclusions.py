"""Every conclusion of Ferri & Hernández-Orallo (2004), with a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid

from cautious.curves import AbstentionROC, CapacityCurve
from cautious.decision import bias_window_rule, class_threshold_rule, ratio_rule
from cautious.metrics import MEASURES, SetCounts
from cautious_reproduction.claims import Claim, verdict_of
from cautious_reproduction.ferri.examples import (
    EXAMPLE_1,
    LEAVES,
    example_tables,
    tree_curve,
    tree_roc,
)
from cautious_reproduction.ferri.results import (
    BAYES,
    EIGHT,
    LOGISTIC,
    NINE,
    PRUNED,
    SPAM,
    TREE,
    Curves,
    drawn_curves,
    leaders,
    least_cost,
    result_tables,
    value_at,
)
from cautious_reproduction.printed_tables import Cell, Table

__all__ = ["conclusions"]

MISPRINT = "a misprint: the definition and the printed matrix give ours"
CERTAIN = "a leaf with p = 1 is answered at w = 1, too, as section 4 says itself"
NO_WEKA = "the paper's learners are WEKA's, which was not run"
CORNER = (
    "judged with all nine squares; with the bottom right one dropped (any corner is alike) it "
    "comes out, so most likely the authors' file lacked a square"
)
UNCERTAIN_CORNER = (
    "judged with all nine squares; with the bottom right one dropped chance decides whether it "
    "comes out"
)
SPLITS = "draws of the splits"
# Cost of each answer (rows a, b, c, ⊥) for each truth, section 5.
COSTS: list[list[float]] = [[-2.5, 4, 2], [2.1, -3.5, 0], [1.2, 1.3, -4], [0, 0, 0]]


def conclusions(curves: Curves | None) -> list[Claim]:
    """Judge every conclusion, those of section 7 by WEKA's curves if there are any."""
    tables = {table.name: table for table in example_tables()}
    return [*_measures(tables), *_rules(tables), *_roc(tables, curves), *_section_7(curves)]


def _cells(table: Table, *columns: str, row: str | None = None) -> list[Cell]:
    return [
        cell
        for cell in table.cells
        if (not columns or cell.column in columns) and row in (None, cell.row)
    ]


def _random_counts() -> list[SetCounts]:
    rng = np.random.default_rng(0)
    return [SetCounts.from_confusion(rng.integers(0, 20, size=(4, 3))) for _ in range(200)]


def _measures(tables: dict[str, Table]) -> list[Claim]:
    one, two = tables["Example 1"], tables["Example 2"]
    score = {name: measure.score for name, measure in MEASURES.items()}
    off = max(
        abs(
            score["selective_accuracy"](c) * score["coverage"](c)
            - (score["coverage"](c) - score["error"](c))
        )
        for c in _random_counts()
    )
    rises = sum(_efficacy_rises(n) for n in range(2, 30))
    full = np.array([[37, 12], [3, 48], [0, 0]])
    rng = np.random.default_rng(1)
    bold = [full, *(np.vstack([rng.integers(0, 20, (2, 2)) + 1, [[0, 0]]]) for _ in range(200))]
    apart = 0.0
    for matrix in bold:
        counts, capacity = SetCounts.from_confusion(matrix), CapacityCurve.from_matrix(matrix)
        half = 1 - score["error"](counts) / 2
        apart = max(apart, *(abs(capacity.capacity - v) for v in (half, score["efficacy"](counts))))
    silent = CapacityCurve.no_information(3)
    worst = CapacityCurve.from_matrix([[0, 20, 0], [0, 0, 20], [20, 0, 0], [0, 0, 0]])
    kept = {*CapacityCurve.hull(_three()).corners["classifier"].dropna()}
    return [
        Claim.of_cells(
            *("2.1, Example 1", "R: Card, coverage, abstention, accuracy and error", "arithmetic"),
            _cells(one, "Card", "coverage", "abstention", "selective_accuracy", "error"),
            paper="100, 0.91, 0.09, 0.956, 0.04",
        ),
        Claim.judged(
            *("2.1", "Accuracy × Coverage = Coverage − Error", "arithmetic", off < 1e-12),
            paper="identity",
            ours=f"largest difference {off:.1g} on 200 random matrices",
        ),
        Claim.of_cells(
            *("2.2", "Efficacy is the mean of accuracy and coverage, 0.933 for R", "arithmetic"),
            _cells(one, "efficacy"),
        ),
        Claim.judged(
            *("2.2", "Turning an error into ⊥ never raises efficacy", "arithmetic", rises == 0),
            paper="less or equal",
            ours="one right and one wrong answer among 100: 0.26 becomes 0.505; a counterexample "
            f"for {rises} of 28 sizes",
            cause="true at full coverage only; docs/papers has the argument",
        ),
        Claim.of_cells(
            *("2.2", "Q at α = 0.25: probability and matrix", "arithmetic"),
            [*tables["Q 0.25"].cells, *_cells(one, "chance to abstain, Q 0.25")],
            paper="0.1758 and 12 numbers",
        ),
        Claim(
            *("2.2", "Q at α = 0.06: probability and matrix", "arithmetic"),
            *("0.3333 and 12 numbers", "9 of 12 agree; column a is 19.11, 0.11, 0.11"),
            "the paper contradicts itself",
            "19.33, 0, 0: the guessed third of a case was all guessed right; by its own rule each "
            "class gets a ninth",
        ),
        Claim.of_cells(
            *("2.2, Fig. 2", "Answering all costs R 0.06 more errors, 0.1 in all; slope (k−1)/k"),
            *("arithmetic",),
            _cells(
                one,
                *("error when guessing evenly", "added by guessing evenly"),
                "slope of the first part",
            ),
        ),
        Claim.of_cells(
            *("2.2", "Guessing by the prior adds 5.36 instances: error 0.0936", "arithmetic"),
            _cells(one, "error when guessing by prior", "cases added by guessing by prior"),
        ),
        Claim.judged(
            *("2.2", "Without abstention Capacity = 1 − Error/2 = Efficacy", "arithmetic"),
            apart < 1e-12,
            paper="equal",
            ours=f"largest difference {apart:.1g} for the argmax tree and 200 random matrices",
        ),
        Claim.judged(
            *("3, Fig. 3", "Nothing should be worse than the no-information classifier D"),
            *("words", None),
            paper="a baseline",
            ours=f"one that is always wrong errs {worst.error(0.0):.2f} without abstention, D "
            f"{silent.error(0.0):.2f}",
            cause="a wish, not a fact: what is worse than guessing can be made, and should not be "
            "used",
        ),
        Claim.judged(
            *("3, Fig. 3", "A classifier above two others can go; the two can be mixed"),
            *("arithmetic", kept == {"B", "C"}),
            paper="A is ruled out",
            ours=f"the hull keeps {' and '.join(sorted(kept))}",
            cause="three classifiers of ours in the places of the sketch",
        ),
        Claim.of_cells(
            *("4, Example 2", "The tree by argmax: six measures and the matrix", "arithmetic"),
            [*_cells(two, row="argmax"), *tables["Confusion matrix, argmax"].cells],
            paper="0.85, 0.15, 1, 0.925, 0.919, 0.925",
        ),
        Claim.of_cells(
            *("4, Example 2", "The tree at 0.625: accuracy, error, coverage, efficacy, matrix"),
            *("arithmetic",),
            [
                *_cells(two, "accuracy", "error", "coverage", "efficacy", row="τ = 0.625"),
                *tables["Confusion matrix, τ = 0.625"].cells,
            ],
            paper="0.934, 0.06, 0.91, 0.922",
        ),
        Claim(
            *("4, Example 2", "The tree at 0.625: f-score and capacity", "arithmetic"),
            *("0.916, 0.9448", "0.9219, 0.9653 (0.9657 guessing by the prior)"),
            *("the paper contradicts itself", MISPRINT),
        ),
    ]


def _efficacy_rises(n: int) -> bool:
    efficacy = MEASURES["efficacy"].score
    before = [[1, 0], [1, 0], [n - 2, 0]]
    after = [[1, 0], [0, 0], [n - 1, 0]]
    return bool(
        efficacy(SetCounts.from_confusion(after))
        > efficacy(SetCounts.from_confusion(before)) + 1e-12
    )


def _three() -> dict[str, CapacityCurve]:
    return {
        "A": CapacityCurve.from_matrix([[34, 9], [6, 31], [10, 10]]),
        "B": CapacityCurve.from_matrix([[45, 9], [4, 40], [1, 1]]),
        "C": CapacityCurve.from_matrix([[25, 2], [1, 22], [24, 26]]),
    }


def _rules(tables: dict[str, Table]) -> list[Claim]:
    p = np.array([[0.55, 0.45]])
    third, second = (rule(p, [0.8, 0.4])[0] for rule in (ratio_rule, class_threshold_rule))
    proba = np.column_stack([LEAVES[:, 0], 1 - LEAVES[:, 0]])
    weight = LEAVES[:, 1:].sum(axis=1)
    at = [
        float(weight @ (bias_window_rule(proba, bias=[0.55, 0.45], window=w).sum(axis=1) > 1))
        / weight.sum()
        for w in (0.0, 1.0)
    ]
    certain = float(weight[proba.max(axis=1) == 1].sum() / weight.sum())
    even, tilted = (tree_curve(bias) for bias in ([0.5, 0.5], [0.55, 0.45]))
    levels = np.unique(np.concatenate([even.abstention, tilted.abstention]))
    apart = np.interp(levels, tilted.abstention, tilted.measure("accuracy")) - np.interp(
        levels, even.abstention, even.measure("accuracy")
    )
    total = float(np.sum(np.array(EXAMPLE_1) * COSTS))
    priced = float(MEASURES["set_cost"].score(SetCounts.from_confusion(EXAMPLE_1), costs=COSTS))
    rising = {}
    for name in ("capacity", "efficacy"):
        values = even.measure(name)
        rising[name] = float(np.max(np.diff(values)))
    return [
        Claim.judged(
            *("4", "Thresholds 0.8 and 0.4: p = (0.55, 0.45) is b by the last rule, ⊥ before"),
            *("arithmetic", third.tolist() == [False, True] and bool(second.all())),
            paper="class b; an abstention",
            ours=f"{'b' if third[1] and not third[0] else 'not b'}; "
            f"{'an abstention' if second.all() else 'an answer'}",
        ),
        Claim(
            *("4", "To abstain more, decrease all thresholds in proportion", "words"),
            *("decrease", "increase: p ≥ τ is then met less often"),
            *("the paper contradicts itself", "by its own rules"),
        ),
        Claim.judged(
            *("4", "w = 0 never abstains; w = 1 abstains on all but the cases with p = 1"),
            *("arithmetic", at[0] == 0 and abs(at[1] + certain - 1) < 1e-12),
            paper="0; not always 1, since p may equal τ",
            ours=f"abstention {at[0]:.2f} and {at[1]:.2f} in Example 2, where {certain:.0%} of the "
            "cases have p = 1",
        ),
        Claim(
            *("4", "So at w = 1 abstention is closer to 1", "words", "closer to 1"),
            *(f"{at[1]:.2f} in its own Example 2", "cannot tell"),
            "closer is no number: it is 1 less the share of cases with p = 1, whatever that is",
        ),
        Claim.of_cells(
            *("4", "Bias (0.55, 0.45) with w = 0.15 gives the matrix of 0.625", "arithmetic"),
            tables["Confusion matrix, bias (0.55, 0.45), w = 0.15"].cells,
        ),
        Claim.judged(
            *("4, Fig. 6", "Bias (0.55, 0.45) is never better than (0.5, 0.5): discard it"),
            *("arithmetic", bool(apart.max() <= 1e-12)),
            paper="always equal or worse",
            ours=f"accuracy at most {apart.max():+.3f} better, at abstention "
            f"{levels[int(apart.argmax())]:.2f}",
            cause="" if apart.max() <= 1e-12 else "between the printed points the curves cross",
        ),
        Claim.judged(
            *("5", "A cost matrix with a row for ⊥ prices any classifier entry by entry"),
            *("arithmetic", abs(100 * priced - total) < 1e-9),
            paper="R(i,j) = M(i,j) × L(i,j); −2.5, 4, 2, 2.1, −3.5, 0, 1.2, 1.3, −4",
            ours=f"R of Example 1 costs {total:.1f} in all, {priced:.3f} per case",
            cause="its mistake (b, c) costs 0, no more than abstaining",
        ),
        Claim.judged(
            *("7, end", "Capacity and efficacy response curves are always decreasing"),
            *("arithmetic", max(rising.values()) <= 0),
            paper="always decreasing",
            ours="in Example 2 capacity rises from 0.925 to 0.978",
            cause="the paper's own pair, 0.925 and 0.9448, rises too",
        ),
    ]


def _roc(tables: dict[str, Table], curves: Curves | None) -> list[Claim]:
    table = tables["Section 6"]
    matrix = tree_curve([0.55, 0.45]).confusion_matrix(0.4)
    found = AbstentionROC.readings_of(matrix, pos_label="a")
    best, worst = found.loc["ignore in TPR"], found.loc["ignore in FPR"]
    extreme = (
        (best["tpr"] >= found["tpr"]).all()
        and (best["fpr"] <= found["fpr"]).all()
        and (worst["tpr"] <= found["tpr"]).all()
        and (worst["fpr"] >= found["fpr"]).all()
    )
    ends = AbstentionROC.readings_of(tree_curve([0.55, 0.45]).confusion_matrix(1.0), pos_label="a")
    last, ignoring = ends.loc["count"], ends.drop("count")[["fpr", "tpr"]]
    roc = tree_roc(0.55)
    known = ~np.isnan(roc.auc)
    first, at_04 = roc.auc[0], _auc_at(roc, 0.4)
    slices = [*(_auc_at(roc, float(w)) for w in roc.response.window[known]), 1.0]
    volume = float(trapezoid(slices, [*roc.abstention[known], 1.0]))
    return [
        Claim.of_cells(
            *("6", "w = 0.4: the matrix and twenty rates of four readings", "arithmetic"),
            [
                *tables["Confusion matrix, bias (0.55, 0.45), w = 0.4"].cells,
                *(c for c in table.cells if (c.row, c.column) != ("ignore", "fpr")),
            ],
            paper="33, 1, 1, 45, 6, 14; 0.971, 0.029, …",
        ),
        Claim(
            *("6", "Ignoring ⊥ gives FPR 0.0177", "arithmetic", "0.0177", "0.0217 = 1/46"),
            *("the paper contradicts itself", "the table beside the text prints 0.0217"),
        ),
        Claim.judged(
            *("6", "Option 2 is the most optimistic, option 3 the most pessimistic"),
            *("arithmetic", bool(extreme)),
            paper="obviously",
            ours="option 2 has the largest TPR and the least FPR, option 3 the reverse",
        ),
        Claim.judged(
            *("6", "As w grows to 1, options 1, 2 and 3 end at an undetermined point"),
            *("arithmetic", bool(ignoring.isna().any(axis=1).all())),
            paper="undetermined for w = 1",
            ours=", ".join(f"({fpr:.3f}, {tpr:.3f})" for fpr, tpr in ignoring.to_numpy())
            + " in Example 2",
            cause=CERTAIN,
        ),
        Claim.judged(
            *("6", "As w grows to 1, option 4 ends at (0, 0)", "arithmetic"),
            bool(last["tpr"] == 0 == last["fpr"]),
            paper="(0, 0)",
            ours=f"({last['fpr']:.3f}, {last['tpr']:.3f}) in Example 2",
            cause=CERTAIN,
        ),
        _larger_area(
            f"AUC {first:.3f} before, {at_04:.3f} after w = 0.4 in Example 2 "
            f"(largest {np.max(roc.auc[known]):.3f})",
            curves,
        ),
        Claim.judged(
            *("6, Figs 9, 10", "The volume over abstention is the area under the AUC graph"),
            *("arithmetic", abs(volume - roc.volume) < 1e-12),
            paper="corresponds",
            ours=f"{volume:.4f}, slice by slice, and {roc.volume:.4f} in Example 2",
        ),
    ]


def _larger_area(example: str, curves: Curves | None) -> Claim:
    """Judge "usually" by data: more than half of the levels of abstention."""
    where = ("6, Fig. 8", "Dropping ⊥ usually gives a ROC curve of larger area")
    if curves is None:
        return Claim.judged(
            *(*where, "re-run", None), paper="greater area", ours=example, cause=NO_WEKA
        )

    def share(curve: pd.DataFrame) -> float:
        auc = curve["auc"].to_numpy()[:-1]  # with nothing left it counts as 1
        return float(np.mean(auc[1:] > auc[0]))

    each = {name: [share(own) for own in drawn_curves(curves[name, TREE])] for name in (SPAM, NINE)}
    shown = ", ".join(f"{np.mean(v):.0%} of levels on {name}" for name, v in each.items())
    return Claim.of_repeats(
        *(*where, "re-run"),
        {f"on {name}": [v > 0.5 for v in values] for name, values in each.items()},
        paper="greater area",
        ours=f"{example}; larger at {shown}",
        what=SPLITS,
    )


def _auc_at(roc: AbstentionROC, window: float) -> float:
    curve = roc.curve(window)
    return float(trapezoid(curve["tpr"], curve["fpr"]))


def _section_7(curves: Curves | None) -> list[Claim]:
    if curves is None:
        said = [
            ("7, Figs 11 to 14", "spam: accuracy, AUC, cost"),
            ("7, Figs 15 to 22", "tic-tac-toe"),
        ]
        return [
            Claim.judged(*where, "re-run", None, paper="", ours="not run", cause=NO_WEKA)
            for where in said
        ]
    cells: dict[str, list[Cell]] = {}
    for table in result_tables("WEKA", curves):
        if table.name.startswith("Section 7"):
            for cell in table.cells:
                if cell.paper is not None:
                    cells.setdefault(cell.row, []).append(cell)
    spam = curves[SPAM, TREE]
    return [
        Claim.of_cells(
            *("7, Figs 11, 13", "spam: accuracy 0.92; AUC from 0.967 to 0.974 at 10 %", "re-run"),
            cells[f"{SPAM}, {TREE}"],
        ),
        _quickest(spam),
        _slower_in_the_middle(spam),
        _cost_turns(spam),
        *_tic_tac_toe(curves, cells),
        _tic_tac_is_harder(curves),
    ]


def _tic_tac_is_harder(curves: Curves) -> Claim:
    def start(curve: pd.DataFrame) -> tuple[float, float]:
        return value_at(curve, "accuracy", 0), value_at(curve, "auc", 0)

    pairs = [
        (start(hard), start(easy))
        for hard, easy in zip(
            *(drawn_curves(curves[name, TREE]) for name in (NINE, SPAM)), strict=True
        )
    ]
    return Claim.of_repeats(
        *("7, Fig. 15", "tic-tac has lower accuracy and AUC than spam; AUC further above accuracy"),
        "re-run",
        [a < c and b < d and b - a > d - c for (a, b), (c, d) in pairs],
        paper="0.8 and 0.87 against 0.92 and 0.967",
        ours=", ".join(
            f"{n}: {a:.3f} and {b:.3f}"
            for n in (SPAM, NINE, EIGHT)
            for a, b in [start(curves[n, TREE])]
        ),
        what=SPLITS,
    )


def _slopes(curve: pd.DataFrame, measure: str, ends: list[float]) -> list[float]:
    values = [value_at(curve, measure, a) for a in ends]
    return [
        (b - a) / (y - x) for (x, y), (a, b) in zip(pairwise(ends), pairwise(values), strict=True)
    ]


def _quickest(spam: pd.DataFrame) -> Claim:
    ends = [0, 0.2, 0.4, 0.6, 0.8]
    each = [_slopes(own, "accuracy", ends) for own in drawn_curves(spam)]
    slopes = _slopes(spam, "accuracy", ends)
    return Claim.of_repeats(
        *("7, Fig. 12", "spam: accuracy rises quickest at small abstention", "re-run"),
        [own[0] == max(own) for own in each],
        paper="quicker for small degrees; good at 30 to 40 %",
        ours="gain per unit of abstention by fifths: " + ", ".join(f"{s:.3f}" for s in slopes),
        what=SPLITS,
    )


def _slower_in_the_middle(spam: pd.DataFrame) -> Claim:
    ends = [0, 0.1, 0.8, 1.0]
    each = [_slopes(own, "auc", ends) for own in drawn_curves(spam)]
    slopes = _slopes(spam, "auc", ends)
    return Claim.of_repeats(
        *("7, Fig. 13", "spam: AUC rises slower in the middle, quicker towards the end", "re-run"),
        [0 < own[1] < min(own[0], own[2]) for own in each],
        paper="increases slower in the middle",
        ours="gain per unit of abstention at 0–10, 10–80, 80–100 %: "
        + ", ".join(f"{s:.3f}" for s in slopes),
        cause="in the middle it falls: few mistakes are left, and they are sure ones"
        if slopes[1] < 0
        else "",
        what=SPLITS,
    )


# The paper's cost matrix has pos and neg, and does not say which class is which.
READINGS = {"cost": "if the last label is pos", "swapped cost": "if the first label is pos"}


def _turning(curve: pd.DataFrame, low: float, high: float) -> dict[str, list[bool]]:
    """Say of each repeat whether the cost is least between two levels, and rises at the end."""
    return {
        reading: [
            low <= least_cost(own, m) <= high
            and own[m].iloc[-1] > value_at(own, m, least_cost(own, m))
            for own in drawn_curves(curve)
        ]
        for m, reading in READINGS.items()
    }


def _least(curve: pd.DataFrame) -> str:
    return " or ".join(f"{least_cost(curve, m):.0%} ± {curve.attrs[m]:.0%}" for m in READINGS)


def _cost_turns(spam: pd.DataFrame) -> Claim:
    return Claim.of_repeats(
        *("7, Fig. 14", "spam: the cost falls, then rises; least at 30 to 60 %", "re-run"),
        _turning(spam, 0.3, 0.6),
        paper="between 30% and 60%",
        ours=f"least at {_least(spam)}",
        what=SPLITS,
    )


def _tic_tac_toe(curves: Curves, cells: dict[str, list[Cell]]) -> list[Claim]:
    """Judge by all nine squares; with eight, beside it, most of what is printed comes out."""

    def own(name: str) -> list[Cell]:
        return [*cells[f"{name}, {TREE}"], *cells[f"{name}, {PRUNED}"]]

    def numbers(name: str) -> str:
        near = max(abs(cell.difference) for cell in own(name))
        fine = sum(bool(cell.agrees) for cell in own(name))
        return (
            ", ".join(f"{cell.ours:.3f}" for cell in own(name))
            + f" ({fine} of {len(own(name))} within chance, largest difference {near:.3f})"
        )

    def slopes(curve: pd.DataFrame) -> list[float]:
        return _slopes(curve, "accuracy", [0, 0.13, 0.26, 0.39, 0.52, 0.65])

    def evenly(name: str) -> list[bool]:
        each = map(slopes, drawn_curves(curves[name, TREE]))
        return [min(own) > 0.5 * max(own) for own in each]

    def leading(name: str, pair: tuple[str, str], said: dict[str, int]) -> list[bool]:
        both = zip(*(drawn_curves(curves[name, model]) for model in pair), strict=True)
        return [all(leaders(*two)[when] == which for when, which in said.items()) for two in both]

    def leader(name: str, pair: tuple[str, str], said: dict[str, int]) -> str:
        found = leaders(*(curves[name, model] for model in pair))
        return " then ".join(_named(found[when], *pair) for when in said)

    def claim(
        place: str,
        says: str,
        paper: str,
        of: Callable[[str], str],
        true: Callable[[str], list[bool]],
    ) -> Claim:
        nine, eight = true(NINE), true(EIGHT)
        cause = ""
        if verdict_of(nine) == "fails" and verdict_of(eight) == "cannot tell":
            cause = UNCERTAIN_CORNER
        elif verdict_of(nine) != "holds" and verdict_of(eight) == "holds":
            cause = CORNER
        often = f"true in {sum(eight)} of {len(eight)} {SPLITS}"
        return Claim.of_repeats(
            *(place, says, "re-run", nine),
            paper=paper,
            ours=f"eight squares: {of(EIGHT)}, {often}; nine: {of(NINE)}",
            cause=cause,
            what=SPLITS,
        )

    crossing = (BAYES, LOGISTIC), {"at 0 %": 1, "at last": 0}
    pruning = (TREE, PRUNED), {"at 0 %": 1, "at most levels": 0}
    printed = Claim.of_cells(
        *("7, Figs 15, 17, 22", "tic-tac: nine accuracies and AUCs", "re-run", own(NINE)),
        paper="0.796, 0.873, 0.89, 0.918, 0.941, 0.956, 0.98; 0.804, 0.844",
        cause=CORNER if all(cell.agrees for cell in own(EIGHT)) else "",
    )
    return [
        replace(printed, ours=f"nine squares: {numbers(NINE)}; eight: {numbers(EIGHT)}"),
        claim(
            *("7, Fig. 16", "tic-tac: accuracy rises evenly from 0 to 65 %"),
            "constant and more regular, 0% to 65%",
            lambda name: (
                "gain per unit of abstention in fifths "
                + ", ".join(f"{s:.2f}" for s in slopes(curves[name, TREE]))
            ),
            evenly,
        ),
        Claim.of_repeats(
            *("7, Fig. 18", "tic-tac: the cost is least at 65 to 75 %", "re-run"),
            _turning(curves[NINE, TREE], 0.65, 0.75),
            paper="between 65% and 75%",
            ours=f"least at {_least(curves[NINE, TREE])}; with eight squares at "
            f"{_least(curves[EIGHT, TREE])}",
            what=SPLITS,
        ),
        claim(
            *("7, Fig. 19", "tic-tac: logistic leads first, naive Bayes at high abstention"),
            "Logistic low and mid, NB high",
            lambda name: leader(name, *crossing),
            lambda name: leading(name, *crossing),
        ),
        claim(
            *("7, Fig. 22", "tic-tac: pruning helps without abstention, and hurts with it"),
            "0.804 against 0.796, then worse",
            lambda name: leader(name, *pruning),
            lambda name: leading(name, *pruning),
        ),
        Claim(
            *("7, Fig. 21", "The start of logistic's ROC curve is highly irregular", "words"),
            *("highly irregular", "drawn for both boards"),
            "cannot tell",
            "irregular is not defined, and we had the text of the paper without its figures",
        ),
    ]


def _named(which: int | None, first: str, second: str) -> str:
    return "neither" if which is None else (first, second)[which]
