"""Several abstaining classifiers: what they achieve together, and which are worth keeping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.curves.capacity import CapacityCurve, check_abstention
from cautious.curves.response import ResponseCurve

__all__ = ["CapacityHull", "capacity_hull"]

# A corner that lies less than this below the line between its neighbours gains nothing.
_GAIN = 1e-12


@dataclass(frozen=True, eq=False)
class CapacityHull:
    """Least error that given classifiers, mixed at random, reach at each abstention.

    Attributes
    ----------
    corners : DataFrame
        Corners of the hull in order of growing abstention: ``abstention``, ``error``, and who
        stands there: ``classifier`` (``None`` for abstaining on everything), ``use`` (``"guess"``
        what it abstains on, take it ``"as is"``, apply a ``"window"``, or ``"abstain"``) and
        ``window``.
    """

    corners: pd.DataFrame

    @property
    def classifiers(self) -> list[Any]:
        """Names of the classifiers worth keeping, in order of growing abstention."""
        names = self.corners["classifier"]
        return list(dict.fromkeys(names[names.notna()].tolist()))

    @property
    def capacity(self) -> float:
        """Area above the hull: the capacity of the best mixture at every abstention."""
        level, error = (self.corners[name].to_numpy() for name in ("abstention", "error"))
        return float(1 - np.sum(np.diff(level) * (error[1:] + error[:-1])) / 2)

    def error(self, alpha: npt.ArrayLike) -> Floats:
        """Least error at an abstention.

        Parameters
        ----------
        alpha : float or array-like
            Abstention, between 0 and 1.

        Returns
        -------
        ndarray
            Of the shape of `alpha`.
        """
        level, error = (self.corners[name].to_numpy() for name in ("abstention", "error"))
        return np.asarray(np.interp(check_abstention(alpha), level, error))

    def mixture(self, alpha: float) -> pd.DataFrame:
        """Which classifiers to mix for the least error at an abstention.

        For every case one of them is drawn with its weight and decides.

        Parameters
        ----------
        alpha : float
            Abstention, between 0 and 1.

        Returns
        -------
        DataFrame
            One or two of the corners, with their ``weight``.
        """
        level = self.corners["abstention"].to_numpy()
        right = int(np.searchsorted(level, check_abstention(alpha)))
        if level[right] == alpha:
            return self.corners.iloc[[right]].assign(weight=1.0)
        share = (alpha - level[right - 1]) / (level[right] - level[right - 1])
        return self.corners.iloc[[right - 1, right]].assign(weight=[1 - share, share])

    def frame(self) -> pd.DataFrame:
        """Corners of the hull; see :attr:`corners`."""
        return self.corners.copy()


def capacity_hull(curves: Mapping[Any, CapacityCurve | ResponseCurve]) -> CapacityHull:
    """Lower convex hull of capacity graphs.

    A classifier that is above the hull can be discarded: for every abstention, another one or a
    mixture of two errs less. Not only the classifiers themselves count but also their tails, in
    which the cases they abstain on are guessed. A response curve stands for as many classifiers
    as it has states.

    Parameters
    ----------
    curves : mapping of name to CapacityCurve or ResponseCurve
        Graphs of classifiers on the same examples. Of two at the same point, the first is named.

    Returns
    -------
    CapacityHull

    References
    ----------
    Ferri & Hernández-Orallo (2004), section 3.

    Examples
    --------
    >>> curves = {
    ...     "bold": CapacityCurve.from_matrix([[45, 8], [5, 42], [0, 0]]),
    ...     "shy": CapacityCurve.from_matrix([[30, 1], [1, 28], [19, 21]]),
    ...     "worse": CapacityCurve.from_matrix([[40, 8], [5, 37], [5, 5]]),
    ... }
    >>> hull = capacity_hull(curves)
    >>> hull.classifiers
    ['bold', 'shy']
    >>> hull.mixture(0.1)[["classifier", "use", "weight"]]
      classifier    use  weight
    0       bold  as is    0.75
    1        shy  as is    0.25
    >>> float(hull.error(0.1)).__round__(4)
    0.1025
    """
    if not curves:
        raise ValueError("curves is empty; give at least one capacity or response curve.")
    points = pd.concat([_points(name, curve) for name, curve in curves.items()])
    silent = pd.DataFrame(
        {"abstention": [1.0], "error": [0.0], "classifier": [None], "use": ["abstain"]},
    )
    points = pd.concat([silent, points.astype({"classifier": object})], ignore_index=True)
    points = points.sort_values(["abstention", "error"], kind="stable")
    corners = _lower_hull(points["abstention"].tolist(), points["error"].tolist())
    return CapacityHull(points.iloc[corners].reset_index(drop=True))


def _points(name: Any, curve: CapacityCurve | ResponseCurve) -> pd.DataFrame:
    if isinstance(curve, ResponseCurve):
        points = {
            "abstention": curve.abstention,
            "error": curve.measure("error"),
            "use": "window",
            "window": curve.window,
        }
    elif isinstance(curve, CapacityCurve):
        points = {
            "abstention": [curve.abstention, 0.0],
            "error": [curve.own_error, curve.guessed_error],
            "use": ["as is", "guess"],
            "window": np.nan,
        }
    else:
        raise TypeError(
            f"curves[{name!r}] is a {type(curve).__name__}; give capacity or response curves."
        )
    return pd.DataFrame(points).assign(classifier=pd.Series([name] * 2, dtype=object).iloc[0])


def _lower_hull(x: list[float], y: list[float]) -> list[int]:
    """Positions of the corners of the lower convex hull of points sorted by x, then y."""
    hull: list[int] = []
    for i in range(len(x)):
        if hull and x[i] == x[hull[-1]]:
            continue
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            line = y[a] + (y[i] - y[a]) * (x[b] - x[a]) / (x[i] - x[a])
            if y[b] < line - _GAIN:
                break
            hull.pop()
        hull.append(i)
    return hull
