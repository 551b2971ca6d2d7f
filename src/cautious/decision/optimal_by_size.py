r"""Optimal sets when only a set's size and whether it holds the truth matter.

With :math:`S_k` the sum of the k largest probabilities, the best set of k classes costs
:math:`miss_k - g_k S_k`, where :math:`g_k = miss_k - hit_k`. One sort and one cumulated sum settle
every size, whatever the number of classes.

Few rows need that much. Let wrong sets of all sizes cost the same and let size k be the best. Then
:math:`g_{k-1} S_{k-1} \le g_k S_k`, and so the k-th largest probability is at least

.. math:: S_k - S_{k-1} \ge g_k S_k \Bigl(\frac1{g_k} - \frac1{g_{k-1}}\Bigr),

where :math:`g_k S_k` is at least the largest gain found so far. Every other class can be left out
unseen: under u65 all those with a probability below .54 of the largest one.
"""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.decision.optimal_by_size_lazy import LAZY_PARTS, selecting
from cautious.decision.optimal_compiled import compiled, have_numba
from cautious.decision.optimal_ties import slack
from cautious.sets import check_probabilities

__all__ = ["not_negative", "sets_by_size"]

# Rows are sorted so many cells at a time that they stay in the processor's cache.
_CELLS_AT_ONCE = 1 << 18
# Rows that add up to one within this pass the full check.
_SURE = 0.99e-6
# Importing numba takes longer than sorting so many cells.
_CELLS_WORTH_COMPILING = 1 << 23


def sets_by_size(
    p: Floats,
    hit: Floats,
    miss: Floats,
    *,
    checked: bool = False,
    accelerate: bool | None = None,
) -> Mask:
    """Choose for each row the set of the smallest expected cost.

    Parameters
    ----------
    p : ndarray of shape (n, K), float64
        Class probabilities.
    hit, miss : ndarray of shape (K,)
        Costs of a right and of a wrong set of 1, …, K classes.
    checked : bool, default=False
        Whether `p` have been checked and made :func:`not_negative`; else they are checked here,
        while they are in the cache.
    accelerate : bool, optional
        Use numba; ``None`` does so for many cells where it is installed. The sets are the same.

    Returns
    -------
    ndarray of shape (n, K), bool
    """
    constant = bool((miss[:-1] == miss[0]).all())
    # No set of all classes is wrong; a harmless cost keeps the formulas uniform.
    last = miss[0] if constant and hit[-1] <= miss[0] else hit[-1]
    miss = np.append(miss[:-1], last)
    gain = miss - hit
    scale = float(max(np.abs(hit).max(), np.abs(miss).max()))
    if (gain < 0).any():
        return _perverse(p if checked else check_probabilities(p), miss, gain, scale)
    rise = _least_rise(gain) if constant else np.zeros(len(gain))
    if accelerate is None:
        accelerate = p.size >= _CELLS_WORTH_COMPILING and have_numba()
    fill = compiled(selecting, LAZY_PARTS) if accelerate else _sort_and_fill
    p = np.ascontiguousarray(p)
    mask = np.empty(p.shape, dtype=np.bool_)
    done = fill(p, miss, gain, rise, scale, np.inf if checked else _SURE, mask)
    if done < len(p):
        # The full check has the last word on rows that are not distributions beyond doubt.
        p = not_negative(check_probabilities(p))
        fill(p[done:], miss, gain, rise, scale, np.inf, mask[done:])
    return mask


def not_negative(p: Floats) -> Floats:
    """Probabilities without the rounding errors below zero that the check lets pass."""
    # Adding zero turns a negative zero, whose bits are those of a negative number, into zero.
    return np.asarray(np.maximum(p, 0.0) + 0.0)


def _least_rise(gain: Floats) -> Floats:
    r"""Least :math:`1/g_j - 1/g_{j-1}` over the sizes j > k, for k = 1, …, K."""
    if not (gain > 0).all():
        return np.zeros(len(gain))
    # A hair less, so that rounding never leaves out a class that is needed.
    rise = np.append(np.diff(1 / gain) * (1 - 1e-9), np.inf)
    least: Floats = np.minimum.accumulate(rise[::-1])[::-1]
    return np.maximum(least, 0.0)


def _sort_and_fill(
    p: Floats,
    miss: Floats,
    gain: Floats,
    rise: Floats,
    scale: float,
    tolerance: float,
    mask: Mask,
) -> int:
    """Fill `mask` up to rows that may not add up to one; return the number of rows filled."""
    at_once = max(1, _CELLS_AT_ONCE // p.shape[1])
    for start in range(0, len(p), at_once):
        rows = slice(start, start + at_once)
        if not np.abs(p[rows].sum(axis=1) - 1).max() <= tolerance:
            return start
        if not _settle(p[rows], miss, gain, rise, scale, mask[rows]):
            return start
    return len(p)


def _settle(p: Floats, miss: Floats, gain: Floats, rise: Floats, scale: float, mask: Mask) -> bool:
    """Fill `mask` for rows that fit into the cache, unless one of them has negative elements."""
    n, n_classes = p.shape
    ascending = np.sort(p, axis=1)
    if ascending[:, 0].min() < 0:
        return False
    every = rows = np.arange(n)
    last = ascending[:, -1]
    mass = most_gain = np.zeros(n)
    costs = []
    # A size at a time, so that each step is over one vector: the rows that need it.
    for k in range(n_classes):
        mass = mass + last
        cost = miss[k] - gain[k] * mass
        if len(rows) < n:
            cost, part = np.full(n, np.inf), cost
            cost[rows] = part
        costs.append(cost)
        if k == n_classes - 1:
            break
        most_gain = np.maximum(most_gain, gain[k] * mass)
        last = ascending[rows, -2 - k]
        needed = np.flatnonzero(last >= most_gain * rise[k])
        if len(needed) == 0:
            break
        if len(needed) < len(rows):
            rows, last = rows[needed], last[needed]
            mass, most_gain = mass[needed], most_gain[needed]
    table = np.array(costs)
    best = table.min(axis=0)
    size = (table <= best + slack(best, scale)).argmax(axis=0) + 1
    following = np.where(size < n_classes, ascending[every, -np.minimum(size + 1, n_classes)], -1.0)
    _mark(p, size, ascending[every, -size], following, mask)
    return True


def _mark(p: Floats, size: Ints, last: Floats, following: Floats, mask: Mask) -> None:
    """Choose the `size` largest probabilities; those equal to the last one by lowest index."""
    width = slack(last, 1.0)
    np.greater_equal(p, (last - width)[:, None], out=mask)
    rows = np.flatnonzero(following >= last - width)
    if len(rows):
        above = p[rows] > (last + width)[rows, None]
        tied = mask[rows] & ~above
        room = size[rows] - above.sum(axis=1)
        mask[rows] = above | (tied & (np.cumsum(tied, axis=1) <= room[:, None]))


def _perverse(p: Floats, miss: Floats, gain: Floats, scale: float) -> Mask:
    """Choose sets where a right answer may cost more than a wrong one: the least probable classes.

    Nobody wants such costs, but a table may have them, and the answer is still exact.
    """
    downward = np.argsort(-p, axis=1, kind="stable")
    upward = np.argsort(p, axis=1, kind="stable")
    most = np.cumsum(np.take_along_axis(p, downward, axis=1), axis=1)
    least = np.cumsum(np.take_along_axis(p, upward, axis=1), axis=1)
    costs = miss - gain * np.where(gain >= 0, most, least)
    best = costs.min(axis=1)
    size = (costs <= (best + slack(best, scale))[:, None]).argmax(axis=1) + 1
    order = np.where((gain[size - 1] >= 0)[:, None], downward, upward)
    mask = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(mask, order, np.arange(p.shape[1]) < size[:, None], axis=1)
    return mask
