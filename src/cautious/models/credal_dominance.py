r"""Credal dominance: which classes are beaten by another whatever the prior.

Class c' dominates c'' when the infimum of the ratio of their probabilities exceeds 1. Write the
ratio of :mod:`cautious.models.infimum` as :math:`h(x) = f_{c'}(s - x) / g_{c''}(x)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks

__all__ = [
    "TIE",
    "Infimum",
    "bounds_from_infima",
    "dominated_by_infima",
    "pairwise_infima",
    "undominated",
]

# A ratio this close to 1 (in logarithm) is a tie: rounding must not make a class dominate another.
TIE = 1e-10
# Numbers held at once while every ordered pair of classes is compared.
_CELLS_AT_ONCE = 500_000

Infimum: TypeAlias = Callable[[Ints, Ints, Ints], Floats]
"""Gives log inf h for given rows, classes c' and classes c''."""


def undominated(log_f_s: Floats, log_f_0: Floats, log_g_s: Floats, infimum: Infimum) -> Mask:
    r"""Find the classes that no class dominates.

    Three numbers a row and class decide almost every pair without solving for the infimum: f falls
    and g grows in its argument, so

    .. math::

        \frac{f_{c'}(s)}{g_{c''}(s)} \le \inf_x h(x) \le
        \min\!\left(\frac{f_{c'}(s)}{f_{c''}(0)}, \frac{f_{c'}(0)}{g_{c''}(s)}\right),

    where :math:`f_{c''}(0) \le g_{c''}(0)`. The class with the largest :math:`f(s)` is dominated by
    none. Dominance is transitive, so the others meet that class first, and only its survivors meet
    each other.

    Parameters
    ----------
    log_f_s, log_f_0, log_g_s : ndarray of shape (n, K)
        Logarithms of :math:`f_c(s)`, :math:`f_c(0)` and :math:`g_c(s)`.
    infimum : callable
        Solves the pairs left open.

    Returns
    -------
    ndarray of shape (n, K)
        Prediction sets.
    """
    n, K = log_f_s.shape
    rows = np.arange(n)
    best = np.argmax(log_f_s, axis=1)
    f_s, f_0 = log_f_s[rows, best, None], log_f_0[rows, best, None]
    # A best class with a zero count has f = 0: nothing dominates anything in that row.
    able = np.isfinite(f_s)
    f_s, f_0 = np.where(able, f_s, 0.0), np.where(able, f_0, 0.0)
    dominated = able & (f_s - log_g_s > TIE)
    dominated[rows, best] = False
    open_ = able & ~dominated & (np.minimum(f_s - log_f_0, f_0 - log_g_s) > TIE)
    open_[rows, best] = False
    at, second = np.nonzero(open_)
    dominated[at, second] = infimum(at, best[at], second) > TIE
    kept = ~dominated
    crowded = np.flatnonzero(able[:, 0] & (kept.sum(axis=1) > 2))
    for part in row_chunks(len(crowded), max(1, _CELLS_AT_ONCE // K**2)):
        at = crowded[part]
        beaten = _beaten(log_f_s[at], log_f_0[at], log_g_s[at], kept[at], at, infimum)
        kept[at] &= ~beaten
    return kept


def _beaten(
    log_f_s: Floats, log_f_0: Floats, log_g_s: Floats, kept: Mask, rows: Ints, infimum: Infimum
) -> Mask:
    """Compare all kept classes of some rows with each other."""
    able = np.isfinite(log_f_s)
    f_s = np.where(able, log_f_s, 0.0)[:, :, None]
    f_0 = np.where(able, log_f_0, 0.0)[:, :, None]
    rivals = (able & kept)[:, :, None] & kept[:, None, :]
    K = kept.shape[1]
    rivals[:, np.arange(K), np.arange(K)] = False
    dominates = rivals & (f_s - log_g_s[:, None, :] > TIE)
    ceiling = np.minimum(f_s - log_f_0[:, None, :], f_0 - log_g_s[:, None, :])
    at, first, second = np.nonzero(rivals & ~dominates & (ceiling > TIE))
    dominates[at, first, second] = infimum(rows[at], first, second) > TIE
    return np.asarray(dominates.any(axis=1))


def pairwise_infima(possible: Mask, infimum: Infimum) -> Floats:
    r"""Solve every ordered pair of classes of every row.

    Parameters
    ----------
    possible : ndarray of shape (n, K)
        Classes that no count of zero keeps from dominating; the ratios of the others are 0.
    infimum : callable
        Solves the pairs.

    Returns
    -------
    ndarray of shape (n, K, K)
        Entry (r, a, b) is the logarithm of the smallest ratio of class a to class b; 0 on the
        diagonal.
    """
    n, K = possible.shape
    others = ~np.eye(K, dtype=bool)
    infima = np.broadcast_to(np.where(others, -np.inf, 0.0), (n, K, K)).copy()
    pairs = np.nonzero(possible[:, :, None] & others)
    infima[pairs] = infimum(*pairs)
    return infima


def dominated_by_infima(infima: Floats) -> Mask:
    """Mark the classes that some other class dominates, given all pairwise infima."""
    return np.asarray((infima > TIE).any(axis=1))


def bounds_from_infima(infima: Floats) -> tuple[Floats, Floats]:
    r"""Bound class probabilities by the smallest ratios between pairs of classes.

    .. math::

        \underline p(c) = \Bigl(1 + \sum_{c'' \ne c} \frac{1}{\inf p(c)/p(c'')}\Bigr)^{-1}, \qquad
        \overline p(c) = \Bigl(1 + \sum_{c'' \ne c} \inf \frac{p(c'')}{p(c)}\Bigr)^{-1}.

    With two classes these are the exact lower and upper probabilities. With more they hold for
    every distribution of the credal set but may be wider than it, because each ratio is minimised
    over the prior by itself; each bound is then tightened by what the others leave over.

    Parameters
    ----------
    infima : ndarray of shape (n, K, K)
        As from :func:`pairwise_infima`.

    Returns
    -------
    lower, upper : ndarray of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> lower, upper = bounds_from_infima(np.log([[[1.0, 1.5], [0.25, 1.0]]]))
    >>> lower.round(3), upper.round(3)  # 1.5 <= p0/p1 <= 4
    (array([[0.6, 0.2]]), array([[0.8, 0.4]]))
    """
    lower = 1 / _sum_exp(-infima, axis=2)
    upper = 1 / _sum_exp(infima, axis=1)
    floor = 1 - (upper.sum(axis=1, keepdims=True) - upper)
    ceiling = 1 - (lower.sum(axis=1, keepdims=True) - lower)
    return np.maximum(lower, floor), np.minimum(upper, ceiling)


def _sum_exp(values: Floats, axis: int) -> Floats:
    """Sum exponentials; one that overflows is infinite, and its reciprocal an honest 0."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(values).sum(axis=axis))
