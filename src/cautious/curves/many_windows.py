"""The cheapest window on many re-weightings of the same cases, all at once."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Ints
from cautious.curves.window import thresholds_at

__all__ = ["cheapest_windows"]

# Re-weightings are searched this many cells at a time, so that they stay in the cache.
_CELLS_AT_ONCE = 1 << 17


def cheapest_windows(
    score: Floats, losses: Floats, weights: Floats, *, tolerance: float = 1e-12
) -> tuple[Floats, Floats, Floats]:
    r"""Find the cheapest window under each of many weights of the same cases.

    Folds and bootstrap replicates are weights: zero for the cases left out. The scores are sorted
    once for all of them. A window answers n below cut :math:`i` and p above cut :math:`j \ge i`.
    What that costs beyond abstaining on everything is a sum of two terms, one for each cut, so a
    running minimum finds the best pair in linear time. Of several best windows the one that
    abstains least is taken, and of these the one that answers p most often, as
    :func:`cautious.curves.find_rule` does.

    Parameters
    ----------
    score : ndarray of shape (n,)
        Scores that grow with the belief in the positive class.
    losses : ndarray of shape (n, 3)
        What each case costs if it is answered n, answered p, or abstained on.
    weights : ndarray of shape (m, n)
        The re-weightings, none of them zero throughout.
    tolerance : float, default=1e-12
        Costs count as equal within this part of the sum of all costs.

    Returns
    -------
    lower, upper, cost : ndarray of shape (m,)
        Thresholds of the windows, and what they cost per case under the same weights.

    Examples
    --------
    >>> import numpy as np
    >>> truth, score = np.array([0, 0, 1, 0, 1, 1]), np.arange(6.0)
    >>> losses = np.column_stack([20 * truth, 4 * (1 - truth), np.ones(6)])
    >>> cheapest_windows(score, losses, np.array([[1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1]]))
    (array([1.5, 3.5]), array([3.5, 3.5]), array([0.33333333, 0.        ]))
    """
    order = np.argsort(score, kind="stable")
    values, starts = np.unique(score[order], return_index=True)
    silent = losses[order, 2]
    gains = (losses[order, 0] - silent, losses[order, 1] - silent)
    size = np.abs(losses[order]).sum(axis=1)
    found = np.empty((3, len(weights)))
    step = max(1, _CELLS_AT_ONCE // max(1, len(score)))
    for start in range(0, len(weights), step):
        weight = np.asarray(weights[start : start + step], dtype=np.float64)[:, order]
        cases = _below_each_cut(weight, starts)
        below, positive = (_below_each_cut(weight * gain, starts) for gain in gains)
        slack = tolerance * np.maximum(1.0, weight @ size)[:, None]
        least = np.minimum.accumulate(below, axis=1)
        total = least - positive
        best = total <= total.min(axis=1, keepdims=True) + slack
        sums = weight @ silent + positive[:, -1]
        for row in range(len(weight)):
            # Of the best upper cuts, each with the last of its best lower cuts, few are left.
            upper = np.flatnonzero(best[row])
            good = np.flatnonzero(below[row] <= least[row] + slack[row])
            lower = good[np.searchsorted(good, upper, side="right") - 1]
            at = np.argmin(cases[row, upper] - cases[row, lower])
            seen = np.flatnonzero(np.diff(cases[row]) > 0)
            cuts = np.searchsorted(seen, [lower[at], upper[at]])
            low, high = thresholds_at(values[seen], cuts)
            cost = (total[row, upper[at]] + sums[row]) / cases[row, -1]
            found[:, start + row] = low[0] if cuts[0] < cuts[1] else high[1], high[1], cost
    return found[0], found[1], found[2]


def _below_each_cut(amount: Floats, starts: Ints) -> Floats:
    """Sum amounts by case up to every cut between distinct scores, nothing below the first."""
    sums = np.zeros((len(amount), len(starts) + 1))
    if len(starts) < amount.shape[1]:
        amount = np.add.reduceat(amount, starts, axis=1)
    np.cumsum(amount, axis=1, out=sums[:, 1:])
    return sums
