"""A cost surface, or the difference of two, on a grid of relative costs, as the paper draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats
from cautious.curves.hull import CostHull
from cautious.curves.window import check_costs
from cautious.metrics import Shown

__all__ = ["DifferentialGrid", "SurfaceGrid", "grid_lines", "surface_grid"]


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
