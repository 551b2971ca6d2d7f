"""Friedel, Rückert & Kramer (2006): Table 1, the data of Figs 1 to 4, and what is said in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cautious.curves import AbstentionCostSurface
from cautious_reproduction.arrays import Floats
from cautious_reproduction.friedel.scores import MEASURES, Family, surface_of
from cautious_reproduction.printed_tables import Cell, Figure, Table

__all__ = [
    "TABLE_1",
    "even_orders",
    "figures",
    "in_words",
    "refrained",
    "reproduced_counts",
    "table_1",
]

TABLE_1: dict[str, dict[str, tuple[float, ...]]] = {
    "breast-w": {
        "J48": (0.95, 0.96, 0.032, 0.98, 0.96, 1.00),
        "NB": (0.96, 0.98, 0.018, 0.99, 0.99, 0.58),
        "PART": (0.95, 0.97, 0.030, 0.98, 0.98, 0.95),
        "RF": (0.95, 0.99, 0.016, 0.98, 0.99, 0.50),
        "SVM": (0.97, 0.99, 0.014, 1.00, 1.00, 0.44),
    },
    "bupa": {
        "J48": (0.65, 0.67, 0.16, 0.97, 0.90, 0.93),
        "NB": (0.55, 0.64, 0.18, 0.82, 0.87, 1.00),
        "PART": (0.62, 0.67, 0.17, 0.93, 0.91, 0.97),
        "RF": (0.67, 0.74, 0.15, 1.00, 1.00, 0.84),
        "SVM": (0.64, 0.70, 0.17, 0.95, 0.95, 0.96),
    },
    "credit-a": {
        "J48": (0.87, 0.89, 0.082, 1.00, 0.97, 0.88),
        "NB": (0.78, 0.90, 0.093, 0.90, 0.98, 1.00),
        "PART": (0.85, 0.89, 0.089, 0.98, 0.98, 0.95),
        "RF": (0.85, 0.91, 0.088, 0.99, 1.00, 0.94),
        "SVM": (0.85, 0.86, 0.081, 0.98, 0.95, 0.87),
    },
    "diabetes": {
        "J48": (0.73, 0.75, 0.15, 0.96, 0.90, 1.00),
        "NB": (0.76, 0.82, 0.14, 0.99, 0.98, 0.92),
        "PART": (0.74, 0.79, 0.14, 0.96, 0.95, 0.94),
        "RF": (0.75, 0.78, 0.15, 0.98, 0.94, 0.98),
        "SVM": (0.76, 0.83, 0.13, 1.00, 1.00, 0.87),
    },
    "haberman": {
        "J48": (0.69, 0.61, 0.12, 0.93, 0.87, 1.00),
        "NB": (0.75, 0.65, 0.11, 1.00, 0.93, 0.95),
        "PART": (0.71, 0.59, 0.11, 0.96, 0.84, 0.95),
        "RF": (0.68, 0.65, 0.12, 0.91, 0.93, 1.00),
        "SVM": (0.74, 0.70, 0.11, 1.00, 1.00, 0.96),
    },
    "vote": {
        "J48": (0.97, 0.97, 0.021, 1.00, 0.98, 0.44),
        "NB": (0.90, 0.97, 0.046, 0.93, 0.98, 1.00),
        "PART": (0.97, 0.95, 0.022, 1.00, 0.96, 0.48),
        "RF": (0.96, 0.98, 0.021, 1.00, 0.99, 0.44),
        "SVM": (0.96, 0.99, 0.022, 0.99, 1.00, 0.47),
    },
}
"""By data set and learner: the measures, then the measures normalised."""


# Where there is one run only, and so no telling what chance does.
CLOSE, CLOSE_VACC = 0.01, 0.1
# VACC is printed with three decimals on these sets, with two on the others.
THREE_DECIMALS = ("breast-w", "credit-a", "vote")


def table_1(family: Family, dataset: str) -> Table:
    """Lay the measures of each learner beside the printed ones.

    With repeats, ours are means over seeds, and a cell agrees if the printed number, give or take
    its rounding, lies within two standard deviations of one run. Normalised columns divide by the
    largest of all five learners, so they need all five. VACC with the other class as positive is
    shown and not counted.
    """
    over = family.over_seeds(dataset)
    by_learner = over.groupby("learner", sort=False)
    means, spread = by_learner.mean(), 2 * by_learner.std()
    whole = set(means.index) == set(TABLE_1[dataset])
    columns = [*MEASURES, *(f"normalised {m}" for m in MEASURES if whole)]
    positive = family.positive(dataset)
    (negative,) = {*family.scores[dataset]["truth"]} - {positive}
    cells = []
    for learner in means.index:
        for column, printed in zip(columns, TABLE_1[dataset][learner], strict=False):
            decimals = 3 if column == "VACC" and dataset in THREE_DECIMALS else 2
            rounding, ours = 0.5 * 10.0**-decimals, float(means[column][learner])
            chance = float(spread[column][learner])
            if family.repeats:
                shown = f"{100 * chance:.2g}%" if column == "accuracy" else f"{chance:.2g}"
                within, remark = rounding + chance, f"two SD over seeds {shown}"
            else:
                within, remark = CLOSE_VACC * printed if "VACC" in column else CLOSE, ""
            title = f"VACC, positive {positive}" if column == "VACC" else column
            text = f"{printed:.0%}" if column == "accuracy" else f"{printed:.{decimals}f}"
            cells.append(Cell(learner, title, ours, printed, within, remark, printed=text))
            if column == "VACC":
                other = family.surfaces[dataset, learner].flipped().vacc()
                remark = f"not counted; {text} is printed without the positive class"
                cells.append(Cell(learner, f"VACC, positive {negative}", other, remark=remark))
    runs = f"Ten-fold cross-validation, {len(family.repeats)} seeds"
    return Table(
        _called(f"Table 1, {dataset}", family),
        runs if family.repeats else "Ten-fold cross-validation",
        cells,
        "accuracy is printed in per cent.",
        "re-run",
        not family.stand_in,
    )


def reproduced_counts(family: Family, tables: list[Table]) -> str:
    """Say how many cells of Table 1 agree, column by column."""
    columns: dict[str, list[Cell]] = {}
    for cell in (cell for table in tables for cell in table.cells if cell.agrees is not None):
        columns.setdefault(cell.column.partition(",")[0], []).append(cell)
    said = [
        f"{column} {sum(bool(c.agrees) for c in cells)} of {len(cells)}"
        for column, cells in columns.items()
    ]
    exact = sum(f"{cell.ours:.2f}" == f"{cell.paper:.2f}" for cell in columns["AUC"])
    whose = f" with {family.name}" if family.name else ""
    return (
        f"Cells of Table 1 that agree{whose}: {', '.join(said)}; "
        f"{exact} of the AUCs round to the printed number."
    )


def in_words(family: Family) -> Table | None:
    """Hold what sections 3 and 4 say in words against ours; None if a data set is missing."""
    if not set(family.scores) >= set(TABLE_1):
        return None
    first = family.learners("breast-w")
    printed = {m: TABLE_1["breast-w"][m][2] for m in first}
    order = " ".join(sorted(first, key=lambda m: printed[m]))
    cells = [
        Cell("breast-w", "VACC, best first", " ".join(family.ranked("breast-w", "VACC")), order)
    ]
    for measure in MEASURES:  # "NB performs worst and RF performs best according to all measures"
        ranked = family.ranked("bupa", measure)[:: 1 if measure == "VACC" else -1]
        cells.append(Cell("bupa", f"best by {measure}", ranked[0], "RF"))
        cells.append(Cell("bupa", f"worst by {measure}", ranked[-1], "NB"))
    cells += [
        Cell("credit-a", "worst by VACC", family.ranked("credit-a", "VACC")[-1], "NB"),
        Cell("diabetes", "best by VACC", family.ranked("diabetes", "VACC")[0], "SVM"),
        Cell("vote", "worst by VACC", family.ranked("vote", "VACC")[-1], "NB"),
        *(_evenly(family, name) for name in TABLE_1),
        _nested(family),
        *_refraining(family),
        _against_trivial(family.surfaces["bupa", "SVM"]),
    ]
    title = "Which learner is cheapest over all costs, and where"
    return Table(
        *(_called("Sections 3 and 4 in words", family), title, cells),
        "orders are those of the means over seeds, where there are several.",
        kind="words",
        counted=not family.stand_in,
    )


def _called(name: str, family: Family) -> str:
    return f"{name}, {family.name}" if family.name else name


def even_orders(family: Family, dataset: str) -> list[tuple[list[str], list[str]]]:
    """Order the learners by VACC under the sample's class shares and under 50:50, run by run."""
    found = []
    last = max(family.scores[dataset]["truth"])
    for run in family.repeats or (family.scores,):
        frame = run[dataset]
        orders = []
        for priors in (None, (0.5, 0.5)):
            vacc = {}
            for learner in family.learners(dataset):
                surface = AbstentionCostSurface.from_predictions(
                    *(frame["truth"], frame[learner]), pos_label=last, priors=priors
                )
                own = surface if family.positive(dataset) == last else surface.flipped()
                vacc[learner] = own.vacc()
            orders.append(sorted(vacc, key=lambda m: vacc[m]))
        found.append((orders[0], orders[1]))
    return found


def _evenly(family: Family, dataset: str) -> Cell:
    """Footnote 3: 50:50 classes changed the VACC numbers, but not their ordering."""
    orders = even_orders(family, dataset)
    own, other = orders[0]
    remark = "" if own == other else f"{' '.join(own)} becomes {' '.join(other)}"
    said = "same" if own == other else "another"
    if len(orders) > 1:
        kept = sum(a == b for a, b in orders)
        remark = f"kept in {kept} of {len(orders)} runs" + (f"; {remark}" if remark else "")
    return Cell(dataset, "VACC order if classes were 50:50", said, "same", remark=remark)


def _nested(family: Family) -> Cell:
    """Section 3, Fig. 2: for the same μ, the window for a larger ν lies within the other."""
    nested = all(
        (grid.lower[:-1] <= grid.lower[1:]).all() and (grid.upper[:-1] >= grid.upper[1:]).all()
        for grid in (surface.grid(51) for surface in family.surfaces.values())
    )
    said = "yes" if nested else "no"
    what = "more expensive abstention, narrower window within the other"
    return Cell("all", what, said, "yes", remark="holds of every optimal window", given=True)


def refrained(scores: pd.DataFrame) -> Floats:
    """Shares that PART refrains from on breast-w at ν = 0.1, over μ at which that can pay."""
    surface = surface_of(scores, "PART", max(scores["truth"]))
    return np.asarray(surface.abstention(np.linspace(1 / 9, 1, 801), 0.1))


def _refraining(family: Family) -> list[Cell]:
    """Section 4: PART refrains from 10 to 15 % at ν of about a tenth, on breast-w."""
    if ("breast-w", "PART") not in family.surfaces:
        return []
    share = refrained(family.scores["breast-w"])
    inside = float(np.mean((share >= 0.1) & (share <= 0.15)))
    remark = f"from {share.min():.1%} to {share.max():.1%} over all μ for which abstaining may pay"
    remark += f"; within 10 to 15 % for {inside:.0%} of them"
    said = "yes" if inside > 0.5 else "no"
    what = "abstention of PART at ν = 0.1 is 10 to 15 % for most μ"
    return [Cell("breast-w", what, said, "yes", remark=remark, printed="10% to 15%")]


def _against_trivial(svm: AbstentionCostSurface) -> Cell:
    """Fig. 4e: the SVM and the trivial classifiers on bupa."""
    costlier = svm.differential(svm.trivial()).grid(51).difference.max() > 1e-12
    why = "a window may give every case the same answer (the paper's own equation 2), so the "
    why += "optimal one never costs more: the paper contradicts itself"
    what = "trivial classifier cheaper than the SVM somewhere"
    return Cell("bupa", what, "yes" if costlier else "no", "yes", remark=why, given=True)


BEYOND = "Thresholds beyond all scores are drawn at the outermost score."
LARGE = (
    "The paper names the learners, not the data: these two sets have the largest differences of "
)
LARGE += "printed normalised VACC between them."
# Data set, first and second learner, and how they were chosen where the paper does not say.
DIFFERENTIALS = {
    "Fig. 4a": ("credit-a", "J48", "PART", LARGE),
    "Fig. 4b": ("diabetes", "J48", "PART", LARGE),
    "Fig. 4c": (
        *("vote", "J48", "RF"),
        "The paper says only that their VACC differs little: this pair's is printed equal.",
    ),
    "Fig. 4d": ("haberman", "NB", "PART", ""),
}


def figures(family: Family, points: int) -> list[Figure]:
    """Make the data of every figure that the scores of a family suffice for."""
    whose = f", {family.name}" if family.name else ""
    drawn: list[Figure] = []
    if "breast-w" in family.scores:
        drawn.append(_fixed_window(family, points, whose))
    if ("diabetes", "SVM") in family.surfaces:
        drawn.append(_windows_within_windows(family, points, whose))
    if "breast-w" in family.scores:
        drawn += _behaviour(family, points, whose)
    for name, (dataset, first, second, remark) in DIFFERENTIALS.items():
        pair = [family.surfaces.get((dataset, learner)) for learner in (first, second)]
        if pair[0] is not None and pair[1] is not None:
            frame = _differences(pair[0].differential(pair[1]), points)
            title = f"{first} less {second}, {dataset}{whose}"
            drawn.append(_surface(name, title, frame, "difference", remark))
    if ("bupa", "SVM") in family.surfaces:
        drawn += _figures_against_trivial(family, points, whose)
    return drawn


def _surface(name: str, title: str, frame: pd.DataFrame, value: str, remark: str = "") -> Figure:
    return Figure(name, title, frame, "mu", "nu", kind="surface", value=value, remark=remark)


def _fixed_window(family: Family, points: int, whose: str) -> Figure:
    """Cost of one window, the best for μ = 0.5 and ν = 0.2, beside the least cost of all."""
    learner = family.learners("breast-w")[0]
    surface = family.surfaces["breast-w", learner]
    grid = surface.grid(points).frame()[["mu", "nu", "cost"]]
    lower, upper = surface.window(0.5, 0.2)
    window = surface.window_at(float(lower), float(upper))
    cost = window.relative_cost(grid["mu"].to_numpy(), grid["nu"].to_numpy())
    frame = pd.concat(
        [grid.assign(cost=cost, panel="one window"), grid.assign(panel="optimal windows")],
        ignore_index=True,
    )
    return Figure(
        *("Fig. 1", f"One window, and all: {learner} on breast-w{whose}", frame, "mu", "nu"),
        kind="surface",
        panels="panel",
        value="cost",
        remark="The paper does not say which classifier and window it draws.",
    )


def _windows_within_windows(family: Family, points: int, whose: str) -> Figure:
    """Thresholds of the optimal window against ν: the more abstaining costs, the narrower it is."""
    surface = family.surfaces["diabetes", "SVM"]
    nu = np.linspace(0, 0.5, points)
    parts = []
    for mu in (0.25, 0.5, 0.75, 1.0):
        lower, upper = surface.window(mu, nu)
        at = surface.window(mu, 1.0)[0]  # abstaining costs too much: one threshold
        for kind, values in (("upper", upper), ("no abstention", at), ("lower", lower)):
            threshold = np.broadcast_to(values, nu.shape)
            parts.append(pd.DataFrame({"nu": nu, "threshold": threshold, "which": kind, "mu": mu}))
    frame = pd.concat(parts, ignore_index=True)
    return Figure(
        "Fig. 2",
        f"Windows within windows: SVM on diabetes{whose}",
        _drawable(frame, family, "diabetes"),
        *("nu", "threshold", "which"),
        panels="mu",
        remark=f"The paper's is a schematic drawing, without data. {BEYOND}",
    )


def _behaviour(family: Family, points: int, whose: str) -> list[Figure]:
    grids = [
        family.surfaces["breast-w", learner].grid(points).frame().assign(learner=learner)
        for learner in family.learners("breast-w")
    ]
    frame = _drawable(pd.concat(grids, ignore_index=True), family, "breast-w")
    frame = frame[frame["nu"] <= 0.5]  # "all plots are cut at ν = 0.5"
    columns = {"cost": "cost", "abstention": "abstention rate"}
    columns |= {"lower": "lower threshold", "upper": "upper threshold"}
    return [
        Figure(
            *(f"Fig. 3, {what}", f"breast-w{whose}", frame, "mu", "nu", None, "surface", "learner"),
            value=column,
            remark=BEYOND if "threshold" in what else "",
        )
        for column, what in columns.items()
    ]


def _figures_against_trivial(family: Family, points: int, whose: str) -> list[Figure]:
    svm = family.surfaces["bupa", "SVM"]
    differences = _differences(svm.differential(svm.trivial()), points)
    windows = _drawable(svm.grid(points).frame(), family, "bupa")
    title = f"SVM less the cheapest trivial classifier, bupa{whose}"
    return [
        _surface("Fig. 4e", title, differences, "difference"),
        _surface("Fig. 4f", f"lower threshold of the SVM, bupa{whose}", windows, "lower", BEYOND),
        _surface("Fig. 4g", f"upper threshold of the SVM, bupa{whose}", windows, "upper", BEYOND),
    ]


def _differences(difference: Any, points: int) -> pd.DataFrame:
    grid = difference.grid(points)
    mu, nu = np.meshgrid(grid.mu, grid.nu)
    return pd.DataFrame({"mu": mu.ravel(), "nu": nu.ravel(), "difference": grid.difference.ravel()})


def _drawable(frame: pd.DataFrame, family: Family, dataset: str) -> pd.DataFrame:
    """Bring infinite thresholds to the ends of the scores."""
    scores = family.scores[dataset].drop(columns="truth").to_numpy()
    columns = frame.columns.intersection(["lower", "upper", "threshold"])
    return frame.assign(**{c: frame[c].clip(scores.min(), scores.max()) for c in columns})
