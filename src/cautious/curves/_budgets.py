r"""Search for the best window under a budget, exact over all windows.

Where nobody can say what abstaining costs, a budget may be known instead (Pietraszek 2005). Every
window is searched, not only those on the convex hull, in n log n time. What a block of cuts can
give at best is seen from its extremes alone, and few of them promise enough to be looked into.

With :math:`P(i), T(i)` the shares of positives and of all cases below cut :math:`i`,
:math:`\mathrm{FP}(j)` the share of negatives above cut :math:`j` and a window :math:`i \le j`, the
cost per case is :math:`F = P(i) + \mu\,\mathrm{FP}(j)` and the abstention
:math:`T(j) - T(i)`; the cost per answer is :math:`F / (1 - T(j) + T(i))`.
"""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Ints
from cautious.curves._staircase import ClassScales, Staircase
from cautious.curves._window import Per, thresholds_at

# Shares are sums of many small numbers: a budget of 0.1 must admit one case of ten.
_ROUNDING = 1e-12
# Cuts per block.
_BLOCK = 1 << 10


class _Cuts:
    """Cumulated shares at every cut of a staircase; a false positive costs μ false negatives."""

    def __init__(self, staircase: Staircase, scales: ClassScales, mu: float) -> None:
        positives = np.append(0.0, np.cumsum(staircase.positives)) * scales.positive
        negatives = np.append(0.0, np.cumsum(staircase.negatives)) * scales.negative
        self.positives_below: Floats = positives
        self.false_positives: Floats = mu * (negatives[-1] - negatives)
        self.cases_below: Floats = positives + negatives

    def cost(self, lower: Ints, upper: Ints, per: Per) -> Floats:
        """Cost of windows; zero per answer where nothing is answered."""
        cost = self.positives_below[lower] + self.false_positives[upper]
        if per == "case":
            return np.asarray(cost)
        answered = self.cases_below[-1] - self.abstention(lower, upper)
        nothing = answered <= _ROUNDING
        return np.asarray(np.where(nothing, 0.0, cost / np.where(nothing, 1.0, answered)))

    def abstention(self, lower: Ints, upper: Ints) -> Floats:
        """Share of all cases that windows abstain on."""
        return np.asarray(self.cases_below[upper] - self.cases_below[lower])


def cost_without_abstaining(staircase: Staircase, scales: ClassScales, *, mu: float) -> float:
    """Give the least cost per case of one threshold."""
    cuts = _Cuts(staircase, scales, mu)
    every = np.arange(len(cuts.cases_below))
    return float(cuts.cost(every, every, "case").min())


def least_abstaining_window(
    staircase: Staircase, scales: ClassScales, max_cost: float, *, mu: float, per: Per
) -> tuple[float, float]:
    """Find the window that abstains least among those whose cost is within a budget."""
    cuts = _Cuts(staircase, scales, mu)
    within = min(max_cost, max(1.0, mu))  # nothing costs more than its worst mistake
    return window_thresholds(staircase.scores, *_least_abstaining(cuts, within, per))


def _least_abstaining(cuts: _Cuts, max_cost: float, per: Per) -> tuple[int, int]:
    lower = np.arange(len(cuts.cases_below))
    budget = max_cost + _ROUNDING
    # Moving the upper threshold up abstains more, so each lower one wants the first that will do.
    if per == "case":
        left_over = budget - cuts.positives_below
        lower = lower[left_over >= 0]
        upper = np.searchsorted(-cuts.false_positives, -left_over[lower], side="left")
        upper = np.maximum(lower, upper)
    else:
        per_case = max_cost * cuts.cases_below
        limit = budget - (cuts.positives_below - per_case)
        lower, upper = _first_uppers(cuts.false_positives + per_case, limit, cuts.cases_below)
    abstention = cuts.abstention(lower, upper)
    least = np.flatnonzero(abstention <= abstention.min() + _ROUNDING)
    cost = cuts.cost(lower[least], upper[least], per)
    cheapest = least[np.argmax(cost <= cost.min() + _ROUNDING)]
    return int(lower[cheapest]), int(upper[cheapest])


def least_costly_window(
    staircase: Staircase, scales: ClassScales, max_abstention: float, *, mu: float, per: Per
) -> tuple[float, float]:
    """Find the window that costs least among those whose abstention is within a budget."""
    cuts = _Cuts(staircase, scales, mu)
    lower = np.arange(len(cuts.cases_below))
    reach = cuts.cases_below + max_abstention + _ROUNDING
    furthest = np.searchsorted(cuts.cases_below, reach, side="right") - 1
    if per == "case":
        best = float(cuts.cost(lower, furthest, "case").min())
    else:
        best = float(cuts.cost(lower, lower, "answer").min())  # without abstaining, to start from
        while True:
            per_case = best * cuts.cases_below
            above = cuts.false_positives + per_case
            i, least = _least_sum(cuts.positives_below - per_case, above, furthest)
            j = i + int(np.argmin(above[i : furthest[i] + 1]))
            better = float(cuts.cost(np.array([i]), np.array([j]), "answer")[0])
            if least - best >= -_ROUNDING or better >= best:
                break
            best = better
    return window_thresholds(staircase.scores, *_least_abstaining(cuts, best, per))


def window_thresholds(scores: Floats, lower: int, upper: int) -> tuple[float, float]:
    """Thresholds of the window between two cuts of sorted distinct scores."""
    low, high = thresholds_at(scores, np.array([lower, upper]))
    return float(low[0] if lower < upper else high[1]), float(high[1])


def _first_uppers(values: Floats, limit: Floats, cases: Floats) -> tuple[Ints, Ints]:
    """First upper cut whose value is within the limit of each lower one that may abstain least."""
    starts = np.arange(0, len(values), _BLOCK)
    ends = np.append(starts[1:], len(values)) - 1
    block = np.arange(len(starts))
    limits = np.maximum.reduceat(limit, starts)
    first = first_at_most(np.minimum.reduceat(values, starts), block, limits)
    block = block[first < len(starts)]
    first = first[block]
    # The cut with the largest limit finds its partner no later than at the end of that block; none
    # finds one before its beginning.
    at_most = (cases[ends[first]] - cases[starts[block]]).min(initial=np.inf) + 2 * _ROUNDING
    at_least = np.where(first > block, cases[starts[first]] - cases[ends[block]], 0.0)
    lower = np.flatnonzero(np.isin(np.arange(len(values)) // _BLOCK, block[at_least <= at_most]))
    upper = first_at_most(values, lower, limit[lower])
    return lower[upper < len(values)], upper[upper < len(values)]


def _least_sum(own: Floats, above: Floats, furthest: Ints) -> tuple[int, float]:
    """Find the first i with the least ``own[i] + min(above[i : furthest[i] + 1])``, and it."""
    starts = np.arange(0, len(own), _BLOCK)
    ends = np.append(starts[1:], len(own)) - 1
    block = np.arange(len(starts))
    lows, own_lows = np.minimum.reduceat(above, starts), np.minimum.reduceat(own, starts)
    # Every cut of a block reaches the blocks between at least, and no cut more than up to the last.
    between = furthest[starts] // _BLOCK - 1
    inner = np.flatnonzero(between > block)
    at_most = own_lows[inner] + range_minimum(lows, inner + 1, between[inner])
    at_least = own_lows + range_minimum(lows, block, furthest[ends] // _BLOCK)
    promising = block[at_least <= at_most.min(initial=np.inf)]
    lower = np.flatnonzero(np.isin(np.arange(len(own)) // _BLOCK, promising))
    reached = slice(lower[0], furthest[lower[-1]] + 1)
    sums = own[lower] + range_minimum(above[reached], lower - lower[0], furthest[lower] - lower[0])
    return int(lower[np.argmin(sums)]), float(sums.min())


# Many questions about stretches of one array, answered together without a loop over them.


def range_minimum(values: Floats, first: Ints, last: Ints) -> Floats:
    """Minimum of each stretch ``values[first : last + 1]``."""
    minima = np.empty(len(first))
    power = np.frexp(last - first + 1.0)[1] - 1  # the largest power of two that fits
    table = values
    for exponent in range(int(power.max(initial=-1)) + 1):
        asked = np.flatnonzero(power == exponent)
        width = 1 << exponent
        minima[asked] = np.minimum(table[first[asked]], table[last[asked] + 1 - width])
        table = np.minimum(table[:-width], table[width:]) if len(table) > width else table
    return minima


def first_at_most(values: Floats, start: Ints, limit: Floats) -> Ints:
    """Position of the first value from each `start` on that does not exceed each `limit`."""
    size = 1 << max(1, int(np.ceil(np.log2(max(2, len(values))))))
    pyramid = [np.append(values, np.full(size - len(values), np.inf))]
    while len(pyramid[-1]) > 1:
        pyramid.append(np.minimum(pyramid[-1][::2], pyramid[-1][1::2]))
    block, height = start.copy(), np.full(len(start), -1)
    looking = np.arange(len(start))
    for level, minima in enumerate(pyramid[:-1]):
        # A left-hand block begins where its parent does, so only right-hand ones are looked into.
        right = looking[block[looking] % 2 == 1]
        found = minima[block[right]] <= limit[right]
        height[right[found]] = level
        block[right[~found]] += 1
        looking = looking[height[looking] < 0]
        block[looking] //= 2
    top = looking[block[looking] == 0]
    height[top[pyramid[-1][0] <= limit[top]]] = len(pyramid) - 1
    for level in range(len(pyramid) - 1, 0, -1):
        down = np.flatnonzero(height >= level)
        left = block[down] * 2
        block[down] = left + (pyramid[level - 1][left] > limit[down])
    return np.where(height >= 0, block, len(values))
