r"""Power means where right and wrong sets cost differently, among them mistake-averse costs.

For an open truth y let :math:`r(x)` and :math:`w(x)` be minorants of the cost of the sets with and
without y. With :math:`U \ge w - r` on the former and :math:`V \le w - r` on the latter sets, both
:math:`w(x) - U x_y` and :math:`r(x) + V (1 - x_y)` lie below the cost of all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cautious._typing import Floats, Ints
from cautious.decision.branch_and_bound.problem import Status
from cautious.decision.branch_and_bound.smooth import SMOOTH_PARTS, cost_and_slope, never_below
from cautious.decision.optimal_ties import slack

__all__ = ["BY_SIZE", "SPLIT_PARTS", "Split"]

BY_SIZE = np.nan
"""In place of a power: a cost that depends on the size of the set only."""


class Split(NamedTuple):
    """Two power means; see :class:`~cautious.decision.branch_and_bound.problem.Problem`.

    The powers may be infinite (the maximum, the minimum).
    """

    scale: float
    moves: int
    singles: Floats
    matrix: Floats  # costs of single classes
    right: Floats  # the same raised to the power (logarithms if it is 0)
    right_power: float
    wrong: Floats
    wrong_power: float
    by_size: Floats  # cost of a right set of 0, 1, …, K classes where the power is BY_SIZE
    least: Floats  # no set of at least 0, 1, …, K classes costs less, whatever is true
    nested: Floats  # powers of costs whose power mean is never above the cost of a set …
    nested_power: float  # … and their power, at most 1; NaN if there are none

    def minorant(
        self, p: Floats, k: int, status: Status, x: Floats, rows: Ints
    ) -> tuple[float, Floats]:
        """Minorant of each truth's cost, added up."""
        inside = np.flatnonzero(status == 1)
        rest = k - inside.size
        value = 0.0
        slopes = np.zeros(rows.size)
        for y in range(p.size):
            if p[y] == 0.0:
                continue
            if status[y] != 0:
                fixed, a = one_sided(self, k, y, status[y] == 1, inside, rows, rest, x[rows])
                value += p[y] * (fixed + a @ x[rows])
                slopes += p[y] * a
                continue
            others = np.flatnonzero(rows != y)
            free = rows[others]
            weight = x[free]
            # Where to be tight: at x, but with and without y.
            scale = max(rest - x[y], 1e-9)
            with_y = np.append(inside, y)
            right, a = one_sided(
                self, k, y, True, with_y, free, rest - 1, weight * ((rest - 1) / scale)
            )
            wrong, b = one_sided(self, k, y, False, inside, free, rest, weight * (rest / scale))
            excess = np.sort(b - a)
            most = wrong - right + excess[free.size - rest + 1 :].sum()
            least = wrong - right + excess[:rest].sum()
            by_wrong = wrong + b @ weight - most * x[y]
            by_right = right + a @ weight + least * (1.0 - x[y])
            at_y = np.searchsorted(rows, y)
            if by_wrong > by_right:
                value += p[y] * by_wrong
                slopes[others] += p[y] * b
                slopes[at_y] -= p[y] * most
            else:
                value += p[y] * by_right
                slopes[others] += p[y] * a
                slopes[at_y] -= p[y] * least
        return value, slopes

    def step(
        self,
        p: Floats,
        k: int,
        x: Floats,
        rows: Ints,
        slopes: Floats,
        taken: Ints,
        turn: int,
    ) -> bool:
        """Move towards the best vertex, in ever shorter steps (Frank and Wolfe)."""
        length = 1.0 / (turn + 4.0)
        x[rows] = x[rows] * (1.0 - length)
        x[rows[taken]] = x[rows[taken]] + length
        return True

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set."""
        cost = one_mean(self, members, self.wrong, self.wrong_power)
        right = one_mean(self, members, self.right, self.right_power)
        cost[members] = right[members]
        return float(p @ cost)

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Whether no set of k or more classes costs less than `best`."""
        if self.least[k] >= best - slack(best, 1.0):
            return True
        if np.isnan(self.nested_power):
            return False
        return never_below(self.nested, self.nested_power, p, k, x, best)


def one_sided(
    problem: Split,
    k: int,
    y: int,
    right: bool,
    inside: Ints,
    rows: Ints,
    rest: int,
    weight: Floats,
) -> tuple[float, Floats]:
    """Minorant ``fixed + a @ x`` of the cost, if y is true, of sets that all hold or all miss it.

    The sets are `inside` and `rest` of the classes `rows`; `weight` is where to be tight.
    """
    power = problem.right_power if right else problem.wrong_power
    if np.isnan(power):
        return problem.by_size[k], np.zeros(rows.size)
    costs = problem.matrix[rows, y]
    held = problem.matrix[inside, y]
    if power == -np.inf:
        least = costs.min() if rest > 0 else np.inf
        return min(least, held.min()) if held.size > 0 else least, np.zeros(rows.size)
    powers = problem.right if right else problem.wrong
    open_ = powers[rows, y] / k
    mean = powers[inside, y].sum() / k
    if power <= 1.0:
        cost, slope = cost_and_slope(np.array([mean + open_ @ weight]), power)
        return cost[0] - slope[0] * (open_ @ weight), slope[0] * open_
    # A power above 1 makes a concave function of the mean of powers. Its chord lies below it, as
    # does the plain mean of costs; of the maximum only the least possible value is known.
    plain = held.sum() / k
    tilt = 0.0
    if power == np.inf:
        fixed = held.max() if held.size > 0 else 0.0
        if rest > 0:
            fixed = max(fixed, np.sort(costs)[rest - 1])
    else:
        ordered = np.sort(open_)
        low = mean + ordered[:rest].sum()
        high = mean + ordered[rows.size - rest :].sum()
        fixed = low ** (1.0 / power)
        if high > low:
            tilt = (high ** (1.0 / power) - fixed) / (high - low)
        fixed += tilt * (mean - low)
    if fixed + tilt * (open_ @ weight) > plain + costs @ weight / k:
        return fixed, tilt * open_
    return plain, costs / k


def one_mean(problem: Split, members: Ints, powers: Floats, power: float) -> Floats:
    """Cost of a set for every truth, by one of the two means."""
    if np.isnan(power):
        return np.full(powers.shape[1], problem.by_size[members.size])
    total: Floats = powers[members[0]].copy()
    for i in members[1:]:
        if power == np.inf:
            total = np.maximum(total, powers[i])
        elif power == -np.inf:
            total = np.minimum(total, powers[i])
        else:
            total += powers[i]
    if np.isinf(power):
        return total
    total /= members.size
    if power > 1.0:
        total = total ** (1.0 / power)
        return total
    cost, _ = cost_and_slope(total, power)
    return cost


SPLIT_PARTS = (*SMOOTH_PARTS, one_sided, one_mean)
