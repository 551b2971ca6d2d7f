"""Probability intervals: a credal set a row, given by bounds on each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Mask, as_floats
from cautious.credal.bounds import TOLERANCE, checked_bounds
from cautious.credal.expectation import (
    lower_expectations,
    lower_expectations_by_row,
    minimisers,
)
from cautious.credal.vertices import MOST_CLASSES, vertices_of

__all__ = ["IntervalsLike", "ProbabilityIntervals", "as_intervals"]


@dataclass(frozen=True, eq=False, init=False)
class ProbabilityIntervals:
    r"""A batch of credal sets, one a row, each given by bounds on the class probabilities.

    .. math:: \mathcal{P}_i = \{p : l_{ik} \le p_k \le u_{ik},\ \textstyle\sum_k p_k = 1\}.

    The bounds *avoid sure loss* when some distribution meets them, that is when
    :math:`\sum l \le 1 \le \sum u`; otherwise the row is an error. They are *reachable* (coherent)
    when each single bound is attained by some distribution; see :meth:`reachable`. Every result
    here describes the set :math:`\mathcal{P}_i` itself and is exact for intervals that are not
    reachable too.

    Parameters
    ----------
    lower, upper : array-like of shape (n, K), or (K,) for a single row
        Bounds on the class probabilities. Departures up to 1e-6 (a bound outside [0, 1], a lower
        bound above its upper one, a sum on the wrong side of 1) are taken for rounding and
        repaired. Both are kept as read-only copies.

    Raises
    ------
    ValueError
        If the shapes differ, a bound is not a number between 0 and 1, a lower bound exceeds its
        upper bound, or a row incurs sure loss; the message names the first such row.

    References
    ----------
    De Campos, Huete & Moral (1994), *Probability intervals: a tool for uncertain reasoning*; used
    by Yang, Destercke & Masson (2017), section II.C, Example 3.

    Examples
    --------
    >>> from cautious.credal import ProbabilityIntervals
    >>> obstacles = ProbabilityIntervals([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])
    >>> obstacles.lower_expectation([3, 4, -2]).round(2)
    array([0.3])
    >>> obstacles.vertices()[0]
    array([[0. , 0.4, 0.6],
           [0.1, 0.3, 0.6],
           [0.2, 0.3, 0.5],
           [0.2, 0.4, 0.4]])
    """

    lower: Floats
    upper: Floats

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None:
        low, high = checked_bounds(lower, upper)
        low.flags.writeable = False
        high.flags.writeable = False
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: int | slice | npt.NDArray[Any]) -> ProbabilityIntervals:
        """Take some of the rows."""
        return _trusted(np.atleast_2d(self.lower[rows]), np.atleast_2d(self.upper[rows]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={len(self)}, n_classes={self.n_classes})"

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return int(self.lower.shape[1])

    @property
    def is_reachable(self) -> Mask:
        """Which rows are reachable: each bound attained by a distribution within all of them."""
        tight = self.reachable()
        moved = np.maximum(tight.lower - self.lower, self.upper - tight.upper)
        reached: Mask = moved.max(axis=1) <= TOLERANCE
        return reached

    def reachable(self) -> ProbabilityIntervals:
        r"""Tighten the bounds until each is attained; the credal sets stay the same.

        .. math:: l'_i = \max(l_i, 1 - \textstyle\sum_{j \ne i} u_j), \quad
                  u'_i = \min(u_i, 1 - \textstyle\sum_{j \ne i} l_j).

        Returns
        -------
        ProbabilityIntervals
            The tightest bounds that describe the same sets: lower and upper probabilities.

        Examples
        --------
        >>> ProbabilityIntervals([0.5, 0.1, 0.0], [0.6, 0.9, 0.1]).reachable().upper
        array([[0.6, 0.5, 0.1]])
        """
        left_low = 1 - (self.lower.sum(axis=1, keepdims=True) - self.lower)
        left_high = 1 - (self.upper.sum(axis=1, keepdims=True) - self.upper)
        lower = np.maximum(self.lower, np.minimum(left_high, self.upper))
        upper = np.minimum(self.upper, np.maximum(left_low, lower))
        return _trusted(lower, upper)

    @property
    def center(self) -> Floats:
        r"""A distribution (n, K) inside each set, the same share of the way up in every interval.

        :math:`p = l + \lambda (u - l)` with :math:`\lambda = (1 - \sum l) / (\sum u - \sum l)`,
        taken from the reachable bounds.
        """
        tight = self.reachable()
        width = tight.upper - tight.lower
        room = np.maximum(1 - tight.lower.sum(axis=1, keepdims=True), 0)
        total = width.sum(axis=1, keepdims=True)
        share = np.divide(room, total, out=np.zeros_like(room), where=total > 0)
        inside: Floats = tight.lower + np.minimum(share, 1) * width
        return inside

    def contains(self, p: npt.ArrayLike, *, atol: float = 1e-9) -> Mask:
        """Tell for each row whether its set holds the distribution ``p``.

        Parameters
        ----------
        p : array-like of shape (K,) or (n, K)
            One distribution for all rows, or one a row.
        atol : float, default=1e-9
            How far a bound or the sum may be missed.

        Returns
        -------
        ndarray of shape (n,), bool

        Examples
        --------
        >>> ProbabilityIntervals([[0.1, 0.5]], [[0.5, 0.9]]).contains([0.3, 0.7])
        array([ True])
        """
        point = as_floats(p, "p", "probabilities")
        if point.shape not in ((self.n_classes,), self.lower.shape):
            raise ValueError(
                f"p has shape {point.shape}; expected ({self.n_classes},) for one distribution, "
                f"or {self.lower.shape} for one a row."
            )
        inside = (point >= self.lower - atol) & (point <= self.upper + atol)
        held: Mask = inside.all(axis=1) & (np.abs(point.sum(axis=-1) - 1) <= atol)
        return held

    def lower_expectation(self, f: npt.ArrayLike) -> Floats:
        r"""Smallest expectation over each credal set, by the greedy formula.

        Parameters
        ----------
        f : array-like of shape (K,), (m, K), (n, m, K) or (1, m, K)
            One function of the class, ``m`` functions shared by all rows, or ``m`` functions for
            each row.

        Returns
        -------
        ndarray of shape (n,) for one function, otherwise (n, m)
            Just as an expectation ``p @ f.T`` under a single distribution a row would be shaped.

        References
        ----------
        Yang, Destercke & Masson (2017), eq. 5.

        Examples
        --------
        >>> sets = ProbabilityIntervals([[0.2, 0.3], [0.0, 0.0]], [[0.7, 0.8], [1.0, 1.0]])
        >>> sets.lower_expectation([0, 1])
        array([0.3, 0. ])
        >>> sets.lower_expectation([[0, 1], [10, 0]])
        array([[0.3, 2. ],
               [0. , 0. ]])
        """
        functions = as_floats(f, "f")
        n, n_classes = self.lower.shape
        known = functions.ndim in (1, 2, 3) and functions.shape[-1] == n_classes
        if not known or (functions.ndim == 3 and functions.shape[0] not in (1, n)):
            raise ValueError(
                f"f has shape {functions.shape}; with {n} rows and {n_classes} classes expected "
                f"({n_classes},), (m, {n_classes}), (1, m, {n_classes}) or ({n}, m, {n_classes})."
            )
        if not np.isfinite(functions).all():
            raise ValueError("f holds values that are not finite; expectations need real numbers.")
        if functions.ndim == 1:
            return lower_expectations(self.lower, self.upper, functions[None, :])[:, 0]
        if functions.ndim == 2:
            return lower_expectations(self.lower, self.upper, functions)
        if functions.shape[0] == 1:
            return lower_expectations(self.lower, self.upper, functions[0])
        return lower_expectations_by_row(self.lower, self.upper, functions)

    def upper_expectation(self, f: npt.ArrayLike) -> Floats:
        r"""Largest expectation over each credal set, :math:`\overline{E}[f] = -\underline{E}[-f]`.

        Parameters
        ----------
        f : array-like of shape (K,), (m, K), (n, m, K) or (1, m, K)
            As for :meth:`lower_expectation`.

        Returns
        -------
        ndarray of shape (n,) for one function, otherwise (n, m)

        Examples
        --------
        >>> ProbabilityIntervals([0.2, 0.3], [0.7, 0.8]).upper_expectation([0, 1])
        array([0.8])
        """
        return -self.lower_expectation(-as_floats(f, "f"))

    def minimiser(self, f: npt.ArrayLike) -> Floats:
        """Distributions, one a row, at which the expectation of ``f`` is smallest.

        Parameters
        ----------
        f : array-like of shape (K,)
            A function of the class.

        Returns
        -------
        ndarray of shape (n, K)
            A vertex of each credal set.

        Examples
        --------
        >>> ProbabilityIntervals([0.0, 0.3, 0.4], [0.2, 0.4, 0.6]).minimiser([3, 4, -2]).round(2)
        array([[0.1, 0.3, 0.6]])
        """
        function = as_floats(f, "f")
        if function.shape != (self.n_classes,):
            raise ValueError(
                f"f has shape {function.shape}; one function of the class has shape "
                f"({self.n_classes},)."
            )
        return minimisers(self.lower, self.upper, function)

    def vertices(self) -> list[Floats]:
        """Vertices of each credal set, by exact enumeration.

        Returns
        -------
        list of ndarray of shape (v, K)
            One array a row, its vertices in lexicographic order.

        Raises
        ------
        ValueError
            For more than 16 classes, where there are too many to list. Expectations, decisions and
            entropies do not need them.

        Examples
        --------
        >>> ProbabilityIntervals([0.2, 0.5], [0.4, 1.0]).vertices()
        [array([[0.2, 0.8],
               [0.4, 0.6]])]
        """
        if self.n_classes > MOST_CLASSES:
            raise ValueError(
                f"the intervals are over {self.n_classes} classes; vertices are listed for at most "
                f"{MOST_CLASSES}, because their number grows like 2^K. Use lower_expectation or "
                "minimiser instead."
            )
        return [vertices_of(low, high) for low, high in zip(self.lower, self.upper, strict=True)]


IntervalsLike: TypeAlias = ProbabilityIntervals | tuple[npt.ArrayLike, npt.ArrayLike]
"""Probability intervals, or the pair of their bounds as ``predict_proba_bounds`` returns it."""


def as_intervals(intervals: IntervalsLike, *, name: str = "intervals") -> ProbabilityIntervals:
    """Take probability intervals, or a tuple of lower and upper bounds.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets.
    name : str
        What to call the argument in an error.

    Returns
    -------
    ProbabilityIntervals

    Examples
    --------
    >>> as_intervals(([[0.1, 0.2]], [[0.8, 0.9]]))
    ProbabilityIntervals(n=1, n_classes=2)
    """
    if isinstance(intervals, ProbabilityIntervals):
        return intervals
    if isinstance(intervals, tuple) and len(intervals) == 2:
        return ProbabilityIntervals(*intervals)
    raise TypeError(
        f"{name} is of type {type(intervals).__name__}; expected ProbabilityIntervals or a tuple "
        "(lower, upper). Precise probabilities p are the intervals (p, p)."
    )


def _trusted(lower: Floats, upper: Floats) -> ProbabilityIntervals:
    """Wrap bounds that follow from checked ones, without checking them again."""
    intervals = object.__new__(ProbabilityIntervals)
    lower.flags.writeable = False
    upper.flags.writeable = False
    object.__setattr__(intervals, "lower", lower)
    object.__setattr__(intervals, "upper", upper)
    return intervals
