"""Probability intervals: one credal set per row, given by bounds on each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from cautious._checks import check_probabilities, check_shape, first_row
from cautious._typing import FINITE, Floats, Ints, Mask, as_floats, as_number

_TOLERANCE = 1e-6
"""Departures up to here are taken for rounding, as of bounds computed in single precision, and
repaired; larger ones are errors."""
_MOST_CLASSES = 16
"""Enumeration looks at up to K·2^(K−1) points per row; beyond this many classes it is refused."""

_SAME = 10  # decimals to which two vertices must agree to be the same one
# Rows are worked on in blocks of about this many cells, which fit a processor's cache, but not of
# so few rows that calling numpy would cost more than the sums.
_CELLS_AT_ONCE = 200_000
_ROWS_AT_ONCE = 2_000


@dataclass(frozen=True, eq=False, init=False)
class ProbabilityIntervals:
    r"""A batch of credal sets, one per row, each given by bounds on the class probabilities.

    .. math:: \mathcal{P}_i = \{p : l_{ik} \le p_k \le u_{ik},\ \textstyle\sum_k p_k = 1\}.

    The bounds *avoid sure loss* when some distribution meets them, that is when :math:`\sum l \le 1
    \le \sum u`; otherwise the row is an error. They are *reachable* (coherent) when each single
    bound is attained by some distribution. Every result is exact for intervals that are not
    reachable, too. De Campos, Huete & Moral (1994), *Probability intervals: a tool for uncertain
    reasoning*; Yang, Destercke & Masson (2017), section II.C, Example 3.

    Parameters
    ----------
    lower, upper : array-like of shape (n, K), or (K,) for a single row
        Bounds on the class probabilities, kept as read-only copies. Departures up to 1e-6 (a bound
        outside [0, 1], a lower bound above its upper one, a sum on the wrong side of 1) are taken
        for rounding and repaired.

    Examples
    --------
    >>> from cautious.credal import ProbabilityIntervals
    >>> obstacles = ProbabilityIntervals([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])
    >>> obstacles.lower_expectation([3, 4, -2]).round(2)
    array([0.3])
    """

    lower: Floats
    upper: Floats

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None:
        self._freeze(*_checked_bounds(lower, upper))

    @classmethod
    def of(cls, lower: Floats, upper: Floats) -> ProbabilityIntervals:
        """Wrap bounds that follow from checked ones, without checking them again."""
        intervals: ProbabilityIntervals = object.__new__(cls)
        intervals._freeze(lower, upper)
        return intervals

    def _freeze(self, lower: Floats, upper: Floats) -> None:
        """Set the bounds for good."""
        lower.setflags(write=False)
        upper.setflags(write=False)
        vars(self).update(lower=lower, upper=upper)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: int | slice | npt.NDArray[Any]) -> ProbabilityIntervals:
        """Take some of the rows."""
        return self.of(np.atleast_2d(self.lower[rows]), np.atleast_2d(self.upper[rows]))

    def __repr__(self) -> str:
        size = f"n={len(self)}, n_classes={self.n_classes}"
        if not len(self):
            return f"{type(self).__name__}({size})"
        few = [
            f"[{low:.4g}, {up:.4g}]"
            for low, up in zip(self.lower[0, :5], self.upper[0, :5], strict=True)
        ]
        few += ["…"] * (self.n_classes > 5)
        return f"{type(self).__name__}({size}, first row {', '.join(few)})"

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return int(self.lower.shape[1])

    @property
    def is_reachable(self) -> Mask:
        """Which rows are reachable: each bound attained by a distribution within all of them."""
        tight = self.reachable()
        moved = np.maximum(tight.lower - self.lower, self.upper - tight.upper)
        return np.asarray(moved.max(axis=1) <= _TOLERANCE)

    def reachable(self) -> ProbabilityIntervals:
        r"""Tighten the bounds until each is attained; the credal sets stay the same.

        .. math:: l'_i = \max(l_i, 1 - \textstyle\sum_{j \ne i} u_j), \quad
                  u'_i = \min(u_i, 1 - \textstyle\sum_{j \ne i} l_j).

        Examples
        --------
        >>> ProbabilityIntervals([0.5, 0.1, 0.0], [0.6, 0.9, 0.1]).reachable().upper
        array([[0.6, 0.5, 0.1]])
        """
        left_low = 1 - (self.lower.sum(axis=1, keepdims=True) - self.lower)
        left_high = 1 - (self.upper.sum(axis=1, keepdims=True) - self.upper)
        lower = np.maximum(self.lower, np.minimum(left_high, self.upper))
        upper = np.minimum(self.upper, np.maximum(left_low, lower))
        return self.of(lower, upper)

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
        return np.asarray(tight.lower + np.minimum(share, 1) * width)

    def contains(self, p: npt.ArrayLike, *, atol: float = 1e-9) -> Mask:
        """Tell for each row whether its set holds a distribution, of shape (K,) or one per row.

        A bound or the sum may be missed by `atol`.

        Examples
        --------
        >>> ProbabilityIntervals([[0.1, 0.5]], [[0.5, 0.9]]).contains([0.3, 0.7])
        array([ True])
        """
        point = as_floats(p, "p", "probabilities")
        if point.shape not in ((self.n_classes,), self.lower.shape):
            raise ValueError(
                f"p has shape {point.shape}; expected ({self.n_classes},) for one distribution, "
                f"or {self.lower.shape} for one per row."
            )
        inside = (point >= self.lower - atol) & (point <= self.upper + atol)
        return np.asarray(inside.all(axis=1) & (np.abs(point.sum(axis=-1) - 1) <= atol))

    def lower_expectation(self, f: npt.ArrayLike) -> Floats:
        """Smallest expectation over each credal set, by the greedy formula.

        Yang, Destercke & Masson (2017), eq. 5.

        Parameters
        ----------
        f : array-like of shape (K,), (m, K), (n, m, K) or (1, m, K)
            One function of the class, ``m`` functions shared by all rows, or ``m`` for each row.

        Returns
        -------
        ndarray of shape (n,) for one function, otherwise (n, m)
            Shaped as the expectation ``p @ f.T`` under a single distribution per row.

        Examples
        --------
        >>> sets = ProbabilityIntervals([[0.2, 0.3], [0.0, 0.0]], [[0.7, 0.8], [1.0, 1.0]])
        >>> sets.lower_expectation([[0, 1], [10, 0]])
        array([[0.3, 2. ],
               [0. , 0. ]])
        """
        words = "expectations need real numbers"
        functions = as_floats(f, "f", "values", -FINITE, words=words)
        n, n_classes = self.lower.shape
        right_shape = functions.ndim in (1, 2, 3) and functions.shape[-1] == n_classes
        if not right_shape or (functions.ndim == 3 and functions.shape[0] not in (1, n)):
            raise ValueError(
                f"f has shape {functions.shape}; with {n} rows and {n_classes} classes expected "
                f"({n_classes},), (m, {n_classes}), (1, m, {n_classes}) or ({n}, m, {n_classes})."
            )
        if functions.ndim == 3 and n != 1 and functions.shape[0] == n:
            order = np.argsort(functions, axis=2, kind="stable")
            p = hand_out(self.lower[:, None], self.upper[:, None], order)
            return np.asarray(np.einsum("nmk,nmk->nm", p, functions))
        found = _lower_expectations(self.lower, self.upper, functions.reshape(-1, n_classes))
        return found[:, 0] if functions.ndim == 1 else found

    def upper_expectation(self, f: npt.ArrayLike) -> Floats:
        r"""Largest expectation over each credal set, :math:`\overline{E}[f] = -\underline{E}[-f]`.

        Arguments and result are shaped as those of :meth:`lower_expectation`.

        Examples
        --------
        >>> ProbabilityIntervals([0.2, 0.3], [0.7, 0.8]).upper_expectation([0, 1])
        array([0.8])
        """
        return -self.lower_expectation(-as_floats(f, "f"))

    def minimiser(self, f: npt.ArrayLike) -> Floats:
        """Distributions (n, K), vertices of the sets, at which a function (K,) is expected least.

        Examples
        --------
        >>> ProbabilityIntervals([0.0, 0.3, 0.4], [0.2, 0.4, 0.6]).minimiser([3, 4, -2]).round(2)
        array([[0.1, 0.3, 0.6]])
        """
        function = as_floats(f, "f")
        check_shape(function, (self.n_classes,), "f", "number per class")
        return hand_out(self.lower, self.upper, np.argsort(function, kind="stable")[None])

    def vertices(self) -> list[Floats]:
        """List the vertices (v, K) of each credal set in lexicographic order, for up to 16 classes.

        Examples
        --------
        >>> ProbabilityIntervals([0.2, 0.5], [0.4, 1.0]).vertices()
        [array([[0.2, 0.8],
               [0.4, 0.6]])]
        """
        if self.n_classes > _MOST_CLASSES:
            raise ValueError(
                f"the intervals are over {self.n_classes} classes; vertices are listed for at most "
                f"{_MOST_CLASSES}, because their number grows like 2^K. Use lower_expectation or "
                "minimiser instead."
            )
        return [_vertices_of(low, high) for low, high in zip(self.lower, self.upper, strict=True)]

    def maximum_entropy(self) -> Floats:
        r"""Distribution (n, K) of largest entropy in each credal set; Abellán & Moral (2003).

        It is the flattest one: :math:`p_k = \min(\max(\lambda, l_k), u_k)` with the water level
        :math:`\lambda` at which the probabilities add up to one. The sum is piecewise linear in
        :math:`\lambda` with corners at the bounds, so one sort of the bounds finds the level
        exactly.
        """
        n, n_classes = self.lower.shape
        corners = np.concatenate([self.lower, self.upper], axis=1)
        order = np.argsort(corners, axis=1, kind="stable")
        corners = np.take_along_axis(corners, order, axis=1)
        # Past its lower bound a class rises with the level, past its upper bound it stays.
        rising = np.cumsum(np.where(order < n_classes, 1.0, -1.0), axis=1)
        filled = np.cumsum(rising[:, :-1] * np.diff(corners, axis=1), axis=1)
        room = 1 - self.lower.sum(axis=1)
        # The first corner by which all of the room is used up; the level lies just before it.
        stretch = np.minimum((filled < room[:, None]).sum(axis=1), 2 * n_classes - 2)
        rows = np.arange(n)
        short = filled[rows, stretch] - room
        level = corners[rows, stretch + 1] - np.divide(
            short, rising[rows, stretch], out=np.zeros(n), where=rising[rows, stretch] > 0
        )
        return np.asarray(np.clip(level[:, None], self.lower, self.upper))

    def upper_entropy(self, *, base: float = 2.0) -> Floats:
        r"""Largest Shannon entropy (n,) over each set, :math:`\max_{p} -\sum_k p_k \log p_k`.

        Credal decision trees split on it: under the imprecise Dirichlet model, of the intervals of
        a node's class counts. The `base` of the logarithm, 2, measures in bits. Abellán & Moral
        (2005), *Upper entropy of credal sets. Applications to credal classification*.

        Examples
        --------
        >>> from cautious.credal import imprecise_dirichlet
        >>> imprecise_dirichlet([[3, 0], [1, 1]], s=1.0).upper_entropy().round(4)
        array([0.8113, 1.    ])
        """
        words = "a logarithm's base must exceed 1"
        base = as_number(base, "base", np.nextafter(1, 2), words=words)
        return np.asarray(entr(self.maximum_entropy()).sum(axis=1) / np.log(base))


IntervalsLike: TypeAlias = ProbabilityIntervals | tuple[npt.ArrayLike, npt.ArrayLike]
"""Probability intervals, or the pair of their bounds as ``predict_proba_bounds`` returns it."""


def as_intervals(intervals: IntervalsLike, *, name: str = "intervals") -> ProbabilityIntervals:
    """Take probability intervals, or a tuple of lower and upper bounds."""
    if isinstance(intervals, ProbabilityIntervals):
        return intervals
    if isinstance(intervals, tuple) and len(intervals) == 2:
        return ProbabilityIntervals(*intervals)
    raise TypeError(
        f"{name} is of type {type(intervals).__name__}; expected ProbabilityIntervals or a tuple "
        "(lower, upper). Precise probabilities p are the intervals (p, p)."
    )


def _checked_bounds(lower: npt.ArrayLike, upper: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Own, checked and repaired copies of the bounds."""
    ends, words = (-_TOLERANCE, 1 + _TOLERANCE), "bounds must be finite and between 0 and 1"
    low, high = (
        np.atleast_2d(np.clip(as_floats(bound, name, "bounds", *ends, words=words), 0, 1))
        for name, bound in (("lower", lower), ("upper", upper))
    )
    if low.shape != high.shape or low.ndim != 2 or low.shape[1] == 0:
        raise ValueError(
            f"lower has shape {low.shape} and upper {high.shape}; both must be (n, K): one row "
            "per example, one column per class."
        )
    crossed = low > high + _TOLERANCE
    if crossed.any():
        row, k = np.argwhere(crossed)[0]
        raise ValueError(
            f"lower exceeds upper in row {row}, class {k}: {low[row, k]:.6g} > {high[row, k]:.6g}; "
            "each lower bound must be at most its upper bound. Have the two been swapped?"
        )
    np.minimum(low, high, out=low)
    _check_sure_loss(low, high)
    return low, high


def _check_sure_loss(low: Floats, high: Floats) -> None:
    """Refuse rows that no distribution meets; repair, in place, those that rounding spoilt."""
    points = low == high
    for bound, other, side in ((low, high, "lower"), (high, low, "upper")):
        sums = bound.sum(axis=1)
        missed = sums - 1 if side == "lower" else 1 - sums
        if (missed > _TOLERANCE).any():
            row = first_row(missed > _TOLERANCE)
            raise ValueError(
                f"the intervals of row {row} contradict each other (they incur sure loss): their "
                f"{side} bounds add up to {sums[row]:.6g}, which must be at "
                f"{'most' if side == 'lower' else 'least'} 1, so "
                "no probability distribution lies within them. Check how the bounds were computed."
            )
        spoilt = missed > 1e-12  # less is the rounding of double precision, which does no harm
        bound[spoilt] /= sums[spoilt, None]
        np.copyto(other, bound, where=points & spoilt[:, None])  # a point stays a point


def _lower_expectations(lower: Floats, upper: Floats, functions: Floats) -> Floats:
    """Lower expectations of ``functions`` (m, K), the same for every row, as an array (n, m)."""
    n, n_classes = lower.shape
    orders = np.argsort(functions, axis=1, kind="stable")
    rising = np.take_along_axis(functions, orders, axis=1)
    steps = np.diff(rising, axis=1)
    expectations = functions @ lower.T
    at_once = max(_ROWS_AT_ONCE, _CELLS_AT_ONCE // n_classes)
    for start in range(0, n, at_once):
        block = slice(start, start + at_once)
        width = np.ascontiguousarray((upper[block] - lower[block]).T)
        room = np.maximum(1 - lower[block].sum(axis=1), 0)
        handed_out = np.empty_like(width[:-1])
        for i, order in enumerate(orders):
            # A running sum over whole rows: np.cumsum along the first axis is ten times slower.
            so_far = np.zeros_like(room)
            for k, row in zip(order, handed_out, strict=False):
                so_far = np.add(so_far, width[k], out=row)
            np.minimum(handed_out, room, out=handed_out)
            unspent = np.einsum("k,kn->n", steps[i], handed_out)
            expectations[i, block] += room * rising[i, -1] - unspent
    return np.ascontiguousarray(expectations.T)


def hand_out(lower: Floats, upper: Floats, order: Ints) -> Floats:
    """Give what the lower bounds leave to the classes in this order, up to their upper bounds."""
    *rows, n_classes = lower.shape
    places = order + np.arange(0, lower.size, n_classes).reshape(*rows, 1)
    low, high = lower.take(places), upper.take(places)
    room = np.maximum(1 - lower.sum(axis=-1, keepdims=True), 0)
    handed_out = np.minimum(np.cumsum(high - low, axis=-1), room)
    handed_out[..., 1:] -= handed_out[..., :-1].copy()
    distributions: Floats = np.empty_like(low)
    if places.size > lower.size:  # several orders in each row
        places = order + np.arange(0, low.size, n_classes).reshape(*order.shape[:-1], 1)
    distributions.reshape(-1)[places] = low + handed_out
    return distributions


def _vertices_of(lower: Floats, upper: Floats) -> Floats:
    """Vertices (v, K) of one row's credal set, in lexicographic order."""
    open_classes = np.flatnonzero(upper > lower)
    if len(open_classes) == 0:
        return lower[None, :].copy()
    found = []
    n_patterns = 1 << (len(open_classes) - 1)
    bits = (np.arange(n_patterns)[:, None] >> np.arange(len(open_classes) - 1)) & 1
    at_upper = bits.astype(np.bool_)
    for position, last in enumerate(open_classes):
        others = np.delete(open_classes, position)
        points = np.repeat(lower[None, :], n_patterns, axis=0)
        points[:, others] = np.where(at_upper, upper[others], lower[others])
        points[:, last] = 0
        rest = 1 - points.sum(axis=1)
        slack = 10.0**-_SAME
        fits = (rest >= lower[last] - slack) & (rest <= upper[last] + slack)
        points[fits, last] = np.clip(rest[fits], lower[last], upper[last])
        found.append(points[fits])
    candidates = np.concatenate(found)
    rounded = np.round(candidates, _SAME) + 0.0  # no negative zeros, which sort apart
    _, first = np.unique(rounded, axis=0, return_index=True)
    return candidates[first]


def imprecise_dirichlet(
    counts: npt.ArrayLike, s: npt.ArrayLike = 1.0, *, epsilon: float = 0.0
) -> ProbabilityIntervals:
    r"""Probability intervals from class counts under the imprecise Dirichlet model.

    Every Dirichlet prior of strength :math:`s` is admitted, whatever its mean :math:`t`. After
    counts :math:`n_k` with total :math:`N`, the posterior means fill

    .. math:: \left[\frac{n_k}{N + s},\ \frac{n_k + s}{N + s}\right].

    With ``epsilon`` > 0 the prior means are kept away from the edges, :math:`t = (1 - ε) q + ε/K`
    for any distribution :math:`q`, and the bounds become :math:`(n_k + s ε / K) / (N + s)` and
    :math:`(n_k + s ε / K + s (1 - ε)) / (N + s)`. Walley (1996), *Inferences from multinomial
    data*; Yang, Destercke & Masson (2017), eqs 19 and 20; Corani & Benavoli (2010), *Restricting
    the IDM for classification*.

    Parameters
    ----------
    counts : array-like of shape (n, K), or (K,) for a single row
        How often each class was seen. Weighted counts need not be whole numbers.
    s : float or array-like of shape (n,), default=1.0
        Strength of the prior in examples: how many unseen examples it is worth. 0 trusts the
        counts, which must then not be all zero.
    epsilon : float, default=0.0
        How far the priors are restricted, between 0 (not at all) and 1 (to the symmetric one); a
        remedy for classes that were never seen.

    Examples
    --------
    >>> leaf = imprecise_dirichlet([6, 3, 0])
    >>> leaf.lower, leaf.upper
    (array([[0.6, 0.3, 0. ]]), array([[0.7, 0.4, 0.1]]))
    """
    words = "counts must be finite and not negative"
    seen = np.atleast_2d(as_floats(counts, "counts", "counts", words=words))
    if seen.ndim != 2 or seen.shape[1] == 0:
        raise ValueError(
            f"counts has shape {seen.shape}; expected (n, K): one row per sample, one column per "
            "class."
        )
    words = "the strength of the prior must be finite and not negative"
    strength = _of_rows(as_floats(s, "s", "strengths"), "s", len(seen), FINITE, words)
    epsilon = as_number(epsilon, "epsilon", 0, 1, words="it must lie between 0 and 1")
    total = seen.sum(axis=1) + strength
    if (total == 0).any():
        raise ValueError(
            f"counts are all zero in row {first_row(total == 0)} while s is 0, which leaves "
            "nothing to judge from; give s > 0."
        )
    fixed = seen + (strength * epsilon / seen.shape[1])[:, None]
    free = (strength * (1 - epsilon))[:, None]
    return ProbabilityIntervals(fixed / total[:, None], (fixed + free) / total[:, None])


def contaminate(p: npt.ArrayLike, epsilon: npt.ArrayLike) -> ProbabilityIntervals:
    r"""Credal set of all mixtures of ``p`` with a share ε of anything else.

    .. math:: \{(1 - ε) p + ε q : q \text{ a distribution}\}
              = [(1 - ε) p,\ (1 - ε) p + ε].

    Walley (1991), *Statistical reasoning with imprecise probabilities*, section 2.9.2.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Precise class probabilities.
    epsilon : float or array-like of shape (n,)
        Share of doubt between 0 (trust ``p``) and 1 (know nothing), for all rows or for each.

    Examples
    --------
    >>> doubted = contaminate([[0.7, 0.2, 0.1]], 0.1)
    >>> doubted.lower, doubted.upper
    (array([[0.63, 0.18, 0.09]]), array([[0.73, 0.28, 0.19]]))
    """
    probabilities = check_probabilities(p)
    words = "a share of doubt lies between 0 and 1"
    share = as_floats(epsilon, "epsilon", "shares")
    share = _of_rows(share, "epsilon", len(probabilities), 1, words)[:, None]
    kept = (1 - share) * probabilities
    return ProbabilityIntervals(kept, kept + share)


def _of_rows(values: Floats, name: str, n: int, most: float, words: str) -> Floats:
    """Check one number for all rows, or one for each, and give that of each row."""
    if values.shape not in ((), (n,)):
        raise ValueError(f"{name} has shape {values.shape}; give a number, or one per row: ({n},).")
    return np.broadcast_to(as_floats(values, name, "numbers", high=most, words=words), n)
