r"""Differential cost surfaces: where one classifier is cheaper than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._result import Shown
from cautious._typing import Floats
from cautious.curves.surface._cost_square import DifferentialGrid, grid_lines
from cautious.errors import shown

if TYPE_CHECKING:
    from cautious.curves.surface.cost_surface import AbstentionCostSurface

__all__ = ["DifferentialCostSurface"]

# Costs are sums of shares; differences below this are rounding, and count as a tie.
_TIE = 1e-12
_SAME_PRIORS = 1e-9


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
        for name, each in (("first", self.first), ("second", self.second)):
            if not hasattr(each, "priors"):
                raise TypeError(
                    f"{name} is a {type(each).__name__}; give an AbstentionCostSurface."
                )
        a, b = self.first, self.second
        if tuple(a.classes) != tuple(b.classes):
            raise ValueError(
                f"the first surface is of classes {shown(tuple(a.classes))} and the second of "
                f"{shown(tuple(b.classes))} (negative, positive); build both with the same labels "
                "and the same pos_label=."
            )
        if not np.allclose(a.priors, b.priors, rtol=0, atol=_SAME_PRIORS):
            raise ValueError(
                f"the first surface expects class shares {_shares(a.priors)} and the second "
                f"{_shares(b.priors)}, so their costs are means over different populations; build "
                "both with the same priors=."
            )

    def cost(
        self, mu: npt.ArrayLike, nu: npt.ArrayLike, nu_negative: npt.ArrayLike | None = None
    ) -> Floats:
        """Difference of the least expected costs at given relative costs, with broadcasting.

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> one.differential(two).cost(mu=1, nu=[0.1, 0.5])
        array([-0.025,  0.   ])
        """
        return self.first.cost(mu, nu, nu_negative) - self.second.cost(mu, nu, nu_negative)

    def vacc(self) -> float:
        """Difference of the volumes under the two surfaces.

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> round(one.differential(two).vacc(), 4)
        -0.0556
        """
        return self.first.vacc() - self.second.vacc()

    def grid(self, n: int = 101) -> DifferentialGrid:
        """Differences on an `n` by `n` grid over the unit square, with the exact zero line on it.

        Parameters
        ----------
        n : int, default=101
            Grid lines per side, the edges included; at least 2.

        Returns
        -------
        DifferentialGrid

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> one.differential(two).grid(n=3).difference.round(4)
        array([[ 0.   ,  0.   ,  0.   ],
               [ 0.   , -0.125,  0.   ],
               [ 0.   , -0.125,  0.   ]])
        """
        lines = grid_lines(n)
        difference = self.cost(lines[None, :], lines[:, None])
        return DifferentialGrid(lines, lines, difference, self.zero_line(n))

    def frame(self, n: int = 101) -> pd.DataFrame:
        """One row per point of a grid: relative costs and the difference; see :meth:`grid`.

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> one.differential(two).frame(n=2)
            mu   nu  difference
        0  0.0  0.0         0.0
        1  1.0  0.0         0.0
        2  0.0  1.0         0.0
        3  1.0  1.0         0.0
        """
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

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> one.differential(two).zero_line(n=3)
            mu   nu line
        0  1.0  0.5   mu
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

        Examples
        --------
        >>> from cautious.curves import AbstentionCostSurface as Surface
        >>> one = Surface.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
        >>> two = Surface.from_predictions([0, 1, 0, 1], [2, 1, 3, 4])
        >>> one.differential(two).winning_shares().round(2).to_dict()
        {'first': 1.0, 'tie': 0.0, 'second': 0.0}
        """
        if n < 1:
            raise ValueError(f"n is {n}; at least one line is needed.")
        lengths = np.zeros(3)
        for nu in (np.arange(n) + 0.5) / n:
            starts, signs = self._pieces(None, float(nu))
            lengths += np.bincount(signs + 1, np.diff(starts, append=1.0), minlength=3)
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


def _shares(priors: tuple[float, float]) -> str:
    return "({:.6g}, {:.6g})".format(*priors)


def _kinks(probability: Floats, mu: float | None, nu: float | None) -> Floats:
    """Where a surface bends along a line of constant mu or nu, inside the unit interval."""
    if mu is not None:
        bends = np.minimum(probability, mu * (1 - probability))
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            bends = np.minimum(probability, nu) / (1 - probability)  # type: ignore[arg-type]
    return bends[(bends > 0) & (bends < 1)]
