"""Friedel, Rückert & Kramer (2006): the data of Figs 1 to 4."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cautious.curves import DifferentialCostSurface
from cautious.papers.claims import Figure
from cautious.papers.friedel.scores import Family

__all__ = ["figures"]

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
        drawn += _against_trivial(family, points, whose)
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


def _against_trivial(family: Family, points: int, whose: str) -> list[Figure]:
    svm = family.surfaces["bupa", "SVM"]
    differences = _differences(svm.differential(svm.trivial()), points)
    windows = _drawable(svm.grid(points).frame(), family, "bupa")
    title = f"SVM less the cheapest trivial classifier, bupa{whose}"
    return [
        _surface("Fig. 4e", title, differences, "difference"),
        _surface("Fig. 4f", f"lower threshold of the SVM, bupa{whose}", windows, "lower", BEYOND),
        _surface("Fig. 4g", f"upper threshold of the SVM, bupa{whose}", windows, "upper", BEYOND),
    ]


def _differences(difference: DifferentialCostSurface, points: int) -> pd.DataFrame:
    grid = difference.grid(points)
    mu, nu = np.meshgrid(grid.mu, grid.nu)
    return pd.DataFrame({"mu": mu.ravel(), "nu": nu.ravel(), "difference": grid.difference.ravel()})


def _drawable(frame: pd.DataFrame, family: Family, dataset: str) -> pd.DataFrame:
    """Bring infinite thresholds to the ends of the scores."""
    scores = family.scores[dataset].drop(columns="truth").to_numpy()
    columns = frame.columns.intersection(["lower", "upper", "threshold"])
    return frame.assign(**{c: frame[c].clip(scores.min(), scores.max()) for c in columns})
