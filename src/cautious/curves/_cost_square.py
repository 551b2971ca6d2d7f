r"""The square of relative costs: grids, exact regions, and where which of two surfaces is lower.

A cost surface, or the difference of two, is read off on a grid as the paper draws it. On each
region one abstention window is optimal and the surface is a plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_count
from cautious._result import Shown
from cautious._typing import Floats, Ints
from cautious.curves._window import Window
from cautious.errors import shown

if TYPE_CHECKING:
    from cautious.curves.cost_surface import AbstentionCostSurface

# Costs are sums of shares; differences below this are rounding, and count as a tie.
_TIE = 1e-12
_SAME_PRIORS = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class _Grid(Shown):
    """Values on grid lines of both relative costs."""

    mu: Floats
    nu: Floats

    def frame(self) -> pd.DataFrame:
        """One row per grid point: relative costs, and what is there."""
        mu, nu = np.meshgrid(self.mu, self.nu)
        columns = {"mu": mu, "nu": nu}
        columns |= {name: each for name, each in vars(self).items() if np.shape(each) == mu.shape}
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()})


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceGrid(_Grid):
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

    cost: Floats
    lower: Floats
    upper: Floats
    abstention: Floats

    def _facts(self) -> dict[str, Any]:
        return {"n": len(self.mu), "cost": (float(self.cost.min()), float(self.cost.max()))}


@dataclass(frozen=True, eq=False, repr=False)
class DifferentialGrid(_Grid):
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

    difference: Floats
    zero_line: pd.DataFrame

    def _facts(self) -> dict[str, Any]:
        return {"n": len(self.mu), "n_crossings": len(self.zero_line)}


def grid_lines(n: int) -> Floats:
    """Evenly spread grid lines over the unit interval, its ends included."""
    return np.linspace(0.0, 1.0, as_count(n, "n", least=2))


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
    x, y = polygons[..., 0], polygons[..., 1]
    areas = (x * np.roll(y, -1, axis=-1) - np.roll(x, -1, axis=-1) * y).sum(axis=-1) / 2
    keep = np.flatnonzero(areas > 1e-15)
    hull, lower, upper = surface.hull, lower[keep], upper[keep]
    fn, fp, on_pos, on_neg = hull.rates(lower, upper)
    tn = hull.negatives_above[0] - hull.negatives_above[lower]
    tp = hull.positives_below[-1] - hull.positives_below[upper]
    columns = np.stack([*hull.thresholds(lower, upper), tn, fn, fp, tp, on_neg, on_pos])
    about: dict[str, Any] = {"classes": surface.classes, "staircase": surface.staircase}
    windows = [Window(*row, **about) for row in columns.T.tolist()]
    # Corners of each polygon, without those that repeat their predecessor.
    moved = (polygons[keep] != np.roll(polygons[keep], 1, axis=1)).any(axis=2)
    corners = np.split(polygons[keep][moved], np.cumsum(moved.sum(axis=1))[:-1])
    return [Region(*each) for each in zip(corners, windows, areas[keep].tolist(), strict=True)]


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


@dataclass(frozen=True, eq=False, repr=False)
class DifferentialCostSurface(Shown):
    r"""Difference :math:`d = k_s - k_t` of two abstention cost surfaces.

    Negative where the first classifier is cheaper (Friedel, Rückert & Kramer 2006, section 3).

    Parameters
    ----------
    first, second : AbstentionCostSurface
        The two surfaces, of the same classes and with the same priors: expected costs under
        different class shares do not compare.

    Raises
    ------
    ValueError
        If the classes differ, or the priors do by more than 1e-9.

    Examples
    --------
    >>> from cautious.curves import AbstentionCostSurface
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> sharp = AbstentionCostSurface.from_predictions(y, [0, 1, 2, 3, 4, 5])
    >>> blunt = AbstentionCostSurface.from_predictions(y, [0, 2, 3, 1, 4, 5])
    >>> difference = sharp.differential(blunt)
    >>> round(difference.cost(1.0, 1.0), 4)
    -0.1667
    >>> difference.winning_shares()
    first     1.0
    tie       0.0
    second    0.0
    dtype: float64
    """

    first: AbstentionCostSurface
    second: AbstentionCostSurface

    def __post_init__(self) -> None:
        a, b = self.first, self.second
        if tuple(a.classes) != tuple(b.classes):
            raise ValueError(
                f"the first surface is of classes {shown(tuple(a.classes))} and the second of "
                f"{shown(tuple(b.classes))} (negative, positive); build both with the same labels "
                "and the same pos_label=."
            )
        if not np.allclose(a.priors, b.priors, rtol=0, atol=_SAME_PRIORS):
            one, other = ("({:.6g}, {:.6g})".format(*each.priors) for each in (a, b))
            raise ValueError(
                f"the first surface expects class shares {one} and the second {other}, so their "
                "costs are means over different populations; build both with the same priors, or "
                "the same weights of cases."
            )

    def cost(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        """Difference of the least expected costs at given relative costs, with broadcasting."""
        return self.first.cost(mu, nu, nu_negative) - self.second.cost(mu, nu, nu_negative)

    def vacc(self) -> float:
        """Difference of the volumes under the two surfaces."""
        return self.first.vacc() - self.second.vacc()

    def grid(self, n: int = 101) -> DifferentialGrid:
        """Differences on an `n` by `n` grid over the unit square, with the exact zero line on it.

        Parameters
        ----------
        n : int, default=101
            Grid lines per side, the edges included; at least 2.
        """
        lines = grid_lines(n)
        difference = self.cost(lines[None, :], lines[:, None])
        return DifferentialGrid(lines, lines, difference, self.zero_line(n))

    def frame(self, n: int = 101) -> pd.DataFrame:
        """One row per point of a grid: relative costs and the difference; see :meth:`grid`."""
        return self.grid(n).frame()

    def _facts(self) -> dict[str, Any]:
        volumes = {"vacc_first": self.first.vacc(), "vacc_second": self.second.vacc()}
        return {"classes": self.first.classes, **volumes}

    def along(self, *, mu: float | None = None, nu: float | None = None) -> pd.DataFrame:
        r"""Who is cheaper along one line of the unit square, exactly.

        With one cost fixed, both surfaces are piecewise linear in the other, with kinks at
        :math:`\min(q, \nu)/(1-q)` or at :math:`\min(q, \mu(1-q))` for the bins' probabilities
        :math:`q`. Between kinks a root is that of a straight line.

        Parameters
        ----------
        mu, nu : float
            The cost that stays fixed; give one of them.

        Returns
        -------
        DataFrame
            Consecutive intervals of the other cost: ``start``, ``end`` and ``winner``, one of
            "first", "second" and "tie".

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> one.differential(two).along(mu=1)
           start  end winner
        0    0.0  0.5  first
        1    0.5  1.0    tie
        """
        if (mu is None) == (nu is None):
            raise ValueError("give exactly one of mu and nu: the cost that stays fixed.")
        starts, signs = self._pieces(mu, nu)
        names = np.array(["tie", "second", "first"])  # signs 0, 1 and -1 index it
        ends = np.append(starts[1:], 1.0)
        return pd.DataFrame({"start": starts, "end": ends, "winner": names[signs]})

    def zero_line(self, n: int = 101) -> pd.DataFrame:
        """Points on the grid lines at which the difference changes its sign.

        Parameters
        ----------
        n : int, default=101
            Grid lines per side, the edges included; at least 2.

        Returns
        -------
        DataFrame
            ``mu`` and ``nu`` of each crossing, and ``line``, which says which of the two the grid
            line holds fixed. Where the surfaces tie over a stretch, both of its ends are listed.
        """
        found = []
        for value in grid_lines(n):
            crossings, _ = self._pieces(None, float(value))
            found += [(crossing, value, "nu") for crossing in crossings[1:]]
            crossings, _ = self._pieces(float(value), None)
            found += [(value, crossing, "mu") for crossing in crossings[1:]]
        return pd.DataFrame(found, columns=["mu", "nu", "line"])

    def winning_shares(self, n: int = 200) -> pd.Series[float]:
        """Share of the unit square in which either classifier is cheaper.

        Parameters
        ----------
        n : int, default=200
            Number of lines of constant ν, evenly spread, along which the lengths are exact.

        Returns
        -------
        Series
            Shares "first", "tie" and "second", adding up to 1.
        """
        as_count(n, "n")
        nu = ((np.arange(n) + 0.5) / n)[:, None]
        kinks = [_kinks(s.hull.probability, None, nu) for s in (self.first, self.second)]
        at = np.sort(np.hstack([np.zeros((n, 1)), *kinks, np.ones((n, 1))]))
        values = np.asarray(self.cost(at, nu))
        values[np.abs(values) <= _TIE] = 0.0
        # Between neighbours the difference is a straight line.
        before, after, length = values[:, :-1], values[:, 1:], np.diff(at)
        crosses = before * after < 0
        cut = np.divide(before, before - after, out=np.ones_like(before), where=crosses)
        signs = np.where(crosses, np.sign(before), np.sign(before + after))
        places = np.concatenate([signs, np.sign(after)]).astype(np.intp).ravel() + 1
        parts = np.concatenate([length * cut, length * (1 - cut)]).ravel()
        lengths = np.bincount(places, parts, minlength=3)
        return pd.Series(lengths / n, index=["first", "tie", "second"])

    def _pieces(self, mu: float | None, nu: float | None) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Cut a line into intervals of one sign: where they start, and their signs."""
        kinks = [_kinks(s.hull.probability, mu, nu) for s in (self.first, self.second)]
        at = np.unique(np.concatenate([[0.0, 1.0], *kinks]))
        values = np.asarray(self.cost(at, nu) if mu is None else self.cost(mu, at))  # type: ignore[arg-type]
        values[np.abs(values) <= _TIE] = 0.0
        crosses = np.flatnonzero(values[:-1] * values[1:] < 0)
        before, after = values[crosses], values[crosses + 1]
        roots = at[crosses] + (at[crosses + 1] - at[crosses]) * (before / (before - after))
        # Between neighbours the difference is a straight line of one sign: that of the sum.
        at = np.insert(at, crosses + 1, roots)
        values = np.insert(values, crosses + 1, 0.0)
        signs = np.sign(values[:-1] + values[1:]).astype(np.intp)
        changes = np.flatnonzero(np.diff(signs, prepend=9))
        return at[changes], signs[changes]


def _kinks(p: Floats, mu: float | None, nu: Any) -> Floats:
    """Where a surface bends along a line of constant mu or nu, within the unit interval."""
    if mu is not None:
        return np.minimum(p, mu * (1 - p)).clip(0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        bends: Floats = np.minimum(p, nu) / (1 - p)
    return np.nan_to_num(bends).clip(0, 1)
