r"""The square of relative costs cut up: into a grid as the paper draws it, or into exact regions.

A cost surface, or the difference of two, is read off on a grid. On each region one abstention
window is optimal and the surface is a plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cautious._result import Shown
from cautious._typing import Floats, Ints
from cautious.curves._hull import CostHull
from cautious.curves._window import Window, check_costs

if TYPE_CHECKING:
    from cautious.curves.surface.cost_surface import AbstentionCostSurface

__all__ = [
    "DifferentialGrid",
    "Region",
    "SurfaceGrid",
    "grid_lines",
    "optimal_regions",
    "surface_grid",
]


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceGrid(Shown):
    """Costs, windows and abstention on a grid over the unit square.

    In every matrix row ``i`` belongs to ``nu[i]`` and column ``j`` to ``mu[j]``.

    Attributes
    ----------
    mu, nu : ndarray of shape (n,)
        Grid lines.
    cost : ndarray of shape (n, n)
        Least expected cost.
    lower, upper : ndarray of shape (n, n)
        Thresholds of the optimal window.
    abstention : ndarray of shape (n, n)
        Share of cases the optimal window abstains on.
    """

    mu: Floats
    nu: Floats
    cost: Floats
    lower: Floats
    upper: Floats
    abstention: Floats

    def frame(self) -> pd.DataFrame:
        """One row per grid point."""
        mu, nu = np.meshgrid(self.mu, self.nu)
        columns = {"mu": mu, "nu": nu, "cost": self.cost, "lower": self.lower}
        columns |= {"upper": self.upper, "abstention": self.abstention}
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()})

    def _facts(self) -> dict[str, Any]:
        return {"n": len(self.mu), "cost": (float(self.cost.min()), float(self.cost.max()))}


@dataclass(frozen=True, eq=False, repr=False)
class DifferentialGrid(Shown):
    """Differences on a grid of relative costs.

    Attributes
    ----------
    mu, nu : ndarray of shape (n,)
        Grid lines.
    difference : ndarray of shape (n, n)
        ``difference[i, j]`` belongs to ``nu[i]`` and ``mu[j]``.
    zero_line : DataFrame
        Where the sign changes along the grid lines, exactly; see
        :meth:`DifferentialCostSurface.zero_line`.
    """

    mu: Floats
    nu: Floats
    difference: Floats
    zero_line: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """One row per grid point: relative costs and the difference."""
        mu, nu = np.meshgrid(self.mu, self.nu)
        columns = {"mu": mu, "nu": nu, "difference": self.difference}
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()})

    def _facts(self) -> dict[str, Any]:
        return {"n": len(self.mu), "n_crossings": len(self.zero_line)}


def surface_grid(hull: CostHull, n: int) -> SurfaceGrid:
    """Evaluate a surface on an `n` by `n` grid, all points at once."""
    lines = grid_lines(n)
    costs = check_costs(lines[None, :], lines[:, None])
    lower, upper = hull.corners(costs)
    cost = hull.cost(costs, lower, upper)
    abstention = hull.cases_below[upper] - hull.cases_below[lower]
    return SurfaceGrid(lines, lines, cost, *hull.thresholds(lower, upper), abstention)


def grid_lines(n: int) -> Floats:
    """Evenly spread grid lines over the unit interval, its ends included."""
    if n < 2:
        raise ValueError(f"n is {n}; a grid needs at least 2 lines per side.")
    return np.linspace(0.0, 1.0, n)


@dataclass(frozen=True, eq=False, repr=False)
class Region(Shown):
    """A polygon of relative costs over which one window is optimal.

    Attributes
    ----------
    vertices : ndarray of shape (m, 2)
        Corners (μ, ν) of the polygon, counter-clockwise.
    window : Window
        The window and its rates; on the polygon the surface is the plane of its relative cost.
    area : float
        Area of the polygon, the share of the unit square it covers.
    """

    vertices: Floats
    window: Window
    area: float

    def frame(self) -> pd.DataFrame:
        """One row per corner: its relative costs μ and ν."""
        return pd.DataFrame(self.vertices, columns=["mu", "nu"])

    def _facts(self) -> dict[str, Any]:
        return {"window": self.window, "n_vertices": len(self.vertices), "area": self.area}


def optimal_regions(surface: AbstentionCostSurface) -> list[Region]:
    """Cut the unit square of costs into the polygons of constant optimal window."""
    q = np.concatenate([[0.0], surface.hull.probability, [1.0]])
    lower, upper = np.triu_indices(len(q) - 1)
    same = lower == upper
    polygons = np.where(same[:, None, None], _strips(q, lower), _bands(q, lower, upper))
    areas = _areas(polygons)
    keep = np.flatnonzero(areas > 1e-15)
    windows = _windows(surface, lower[keep], upper[keep])
    corners = _distinct(polygons[keep])
    return [Region(*each) for each in zip(corners, windows, areas[keep].tolist(), strict=True)]


def _windows(surface: AbstentionCostSurface, lower: Ints, upper: Ints) -> list[Window]:
    """Windows between given corners of the hull."""
    hull = surface.hull
    fn, tp = hull.positives_below[lower], hull.positives_below[-1] - hull.positives_below[upper]
    tn, fp = hull.negatives_above[0] - hull.negatives_above[lower], hull.negatives_above[upper]
    abstained = (
        hull.negatives_above[lower] - hull.negatives_above[upper],
        hull.positives_below[upper] - hull.positives_below[lower],
    )
    columns = np.stack([*hull.thresholds(lower, upper), tn, fn, fp, tp, *abstained])
    about: dict[str, Any] = {"classes": surface.classes, "staircase": surface.staircase}
    return [Window(*row, **about) for row in columns.T.tolist()]


def _bands(q: Floats, i: Ints, j: Ints) -> Floats:
    """Polygons {q_i <= ν <= q_{i+1}, μ(1 - q_{j+1}) <= ν <= μ(1 - q_j), μ <= 1}, maybe empty."""
    left, right = 1 - q[j], 1 - q[j + 1]
    top = np.minimum(q[i + 1], left)
    bottom = np.minimum(q[i], top)
    knee = np.clip(right, bottom, top)  # where the right-hand ray meets μ = 1
    with np.errstate(divide="ignore", invalid="ignore"):
        corners = [
            (bottom / left, bottom),
            (np.fmin(bottom / right, 1), bottom),
            (np.fmin(knee / right, 1), knee),
            (np.fmin(top / right, 1), top),
            (top / left, top),
        ]
    return np.asarray(np.nan_to_num(np.stack([np.stack(c, axis=-1) for c in corners], axis=1)))


def _strips(q: Floats, t: Ints) -> Floats:
    """Polygons {odds(q_t) <= μ <= odds(q_{t+1}), μ <= 1, max(q_t, μ(1 - q_{t+1})) <= ν <= 1}."""
    low, high = q[t], q[t + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.fmin(high / (1 - high), 1)
        left = np.fmin(low / (1 - low), right)
        knee = np.clip(np.fmin(low / (1 - high), 1), left, right)
    one = np.ones_like(low)
    corners = [
        (left, low),
        (knee, low),
        (right, np.maximum(low, right * (1 - high))),
        (right, one),
        (left, one),
    ]
    return np.stack([np.stack(c, axis=-1) for c in corners], axis=1)


def _areas(polygons: Floats) -> Floats:
    """Shoelace formula over the last two axes."""
    x, y = polygons[..., 0], polygons[..., 1]
    following_x, following_y = np.roll(x, -1, axis=-1), np.roll(y, -1, axis=-1)
    return np.asarray((x * following_y - following_x * y).sum(axis=-1) / 2)


def _distinct(polygons: Floats) -> list[Floats]:
    """Corners of each polygon, without those that repeat their predecessor."""
    moved = (polygons != np.roll(polygons, 1, axis=1)).any(axis=2)
    corners, ends = polygons[moved], np.cumsum(moved.sum(axis=1)).tolist()
    return [corners[start:end] for start, end in pairwise([0, *ends])]
