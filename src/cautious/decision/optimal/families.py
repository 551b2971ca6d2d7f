r"""Families of set costs that branch and bound can bound, and what it asks of them.

Each family is a named tuple of arrays with the same methods. The search calls them through the
functions of the same names, which numba resolves by the type of the tuple: so each
family is compiled by itself, when it is first needed, and all of them run as plain Python too.

*Smooth*: power means of one power q ≤ 1, for right and wrong sets alike. The expected cost of a
set, :math:`\sum_y p_y (\sum_i z_i c_i(y)^q)^{1/q}` with :math:`z = 1_{\hat Y} / |\hat Y|`, is a
convex function of linear functions of z, whatever the size: a tangent anywhere lies below it
everywhere.

*Split*: power means where right and wrong sets cost differently, among them mistake-averse costs.
For an open truth y let :math:`r(x)` and :math:`w(x)` be minorants of the cost of the sets with and
without y. With :math:`U \ge w - r` on the former and :math:`V \le w - r` on the latter sets, both
:math:`w(x) - U x_y` and :math:`r(x) + V (1 - x_y)` lie below the cost of all of them.

*Ranked*: ordered averages whose weights fall from the cheapest member on, the minimum among them.
With falls :math:`\delta_j = w_j - w_{j+1} \ge 0` the average is :math:`\sum_j \delta_j s_j`, where
:math:`s_j`, the sum of the j smallest costs, is :math:`\max_\theta\, j \theta - \sum_i x_i
(\theta - c_i)^+`: a maximum of modular functions, each of which lies below it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints
from cautious.decision.optimal._candidates import slack

Status: TypeAlias = npt.NDArray[np.int8]
"""What has been decided about each class: 1 in, -1 out, 0 open."""

Minorant: TypeAlias = tuple[float, Floats]
"""A modular function: its value at a point and its slopes."""

BY_SIZE = np.nan
"""In place of a power: a cost that depends on the size of the set only."""

_MOST_STEPS = 60
# So often weight is shifted among few classes before all are looked at again, or until the slopes
# differ by no more than this share of what they did.
_MOST_SHIFTS, _WORTH_SHIFTING = 10, 0.1


def minorant(problem: Problem, *node: Any) -> Minorant:
    """Find a modular function below the expected cost of all sets of a node."""
    return problem.minorant(*node)


def step(problem: Problem, *node: Any) -> bool:
    """Move `x` to where a new minorant promises a better bound, and say if there is such."""
    return problem.step(*node)


def expected_cost(problem: Problem, p: Floats, members: Ints) -> float:
    """Return the expected cost of a set of classes."""
    return problem.expected_cost(p, members)


def no_larger_wins(problem: Problem, p: Floats, k: int, x: Floats, best: float) -> bool:
    """Whether it is sure that no set of k or more classes costs less than `best`."""
    return problem.no_larger_wins(p, k, x, best)


METHODS = (minorant, step, expected_cost, no_larger_wins)


# Expected power means as functions of the weights of classes: tangents, and steps down.


def cost_and_slope(mean: Floats, power: float) -> tuple[Floats, Floats]:
    """Power means and their derivatives, from means of powers; for powers of at most 1."""
    if power == 0.0:
        cost = np.exp(mean)
        return cost, cost
    exponent = 1.0 / power
    whole = round(exponent)
    if abs(exponent - whole) < 1e-9 and 2 <= whole <= 9:
        # Repeated products are much faster than the general power.
        lower = mean.copy()
        for _ in range(whole - 2):
            lower *= mean
    else:
        # A step along the means may end a rounding error below 0, which has no such power.
        lower = np.maximum(mean, 0.0) ** (exponent - 1.0)
    return lower * mean, exponent * lower


def mean_of(powers: Floats, k: int, x: Floats) -> Floats:
    """Mean of the members' rows."""
    members = np.flatnonzero(x)
    return x[members] @ powers[members] / k


def tangent(powers: Floats, power: float, p: Floats, k: int, x: Floats, rows: Ints) -> Minorant:
    """Value at `x` and slopes, over the classes `rows`, of the expected power mean."""
    cost, slope = cost_and_slope(mean_of(powers, k, x), power)
    weight = p * slope / k
    # Most rows are not worth being copied first.
    slopes = (powers @ weight)[rows] if 2 * rows.size > p.size else powers[rows] @ weight
    return float(p @ cost), slopes


def exchange(
    powers: Floats,
    power: float,
    p: Floats,
    k: int,
    x: Floats,
    rows: Ints,
    slopes: Floats,
    taken: Ints,
) -> bool:
    """Shift weight from the steepest class that has any to the least steep one with room."""
    wanted = x[rows] > 0.0
    wanted[taken] = True
    few = np.flatnonzero(wanted)
    slopes, rows = slopes[few], rows[few]
    own = powers[rows]
    mean = mean_of(powers, k, x)
    moved, first = False, 0.0
    for _ in range(_MOST_SHIFTS):
        gain, loss = np.inf, -np.inf
        i = j = -1
        for place in range(rows.size):
            if x[rows[place]] < 1.0 and slopes[place] < gain:
                i, gain = place, slopes[place]
            if x[rows[place]] > 0.0 and slopes[place] > loss:
                j, loss = place, slopes[place]
        first = max(first, loss - gain)
        if gain >= loss or loss - gain < _WORTH_SHIFTING * first:
            break
        direction = (own[i] - own[j]) / k
        step = shift(mean, direction, power, p, gain - loss, min(1.0 - x[rows[i]], x[rows[j]]))
        x[rows[i]] = min(1.0, x[rows[i]] + step)
        x[rows[j]] = max(0.0, x[rows[j]] - step)
        mean = mean + step * direction
        _, slope = cost_and_slope(mean, power)
        slopes = own @ (p * slope) / k
        moved = True
    return moved


def shift(
    mean: Floats, direction: Floats, power: float, p: Floats, at_low: float, high: float
) -> float:
    """How far to go, at most to `high`; at the beginning the slope is `at_low`, below 0."""
    low = 0.0
    at_high = derivative(mean + high * direction, direction, power, p)
    if at_high <= 0.0:
        return high
    # Two secants: the first is exact for a power of 1/2, whose function is quadratic.
    step = high - at_high * (high - low) / (at_high - at_low)
    here = derivative(mean + step * direction, direction, power, p)
    if here > 0.0:
        high, at_high = step, here
    else:
        low, at_low = step, here
    return high - at_high * (high - low) / (at_high - at_low)


def derivative(mean: Floats, direction: Floats, power: float, p: Floats) -> float:
    """How fast the expected power mean rises as the means of powers move in a direction."""
    _, slope = cost_and_slope(mean, power)
    return float((p * slope) @ direction)


def never_below(powers: Floats, power: float, p: Floats, k: int, x: Floats, best: float) -> bool:
    """Whether the expected power mean is at least `best` wherever no weight is above 1/k."""
    limit = best - slack(best, 1.0)
    x = x.copy()
    rows = np.arange(p.size)
    for _ in range(_MOST_STEPS):
        value, slopes = tangent(powers, power, p, k, x, rows)
        if value < limit:
            return False
        lower = value - slopes @ x
        taken = np.argsort(slopes, kind="mergesort")[:k]
        for j in taken:
            lower += slopes[j]
        if lower >= limit:
            return True
        if not exchange(powers, power, p, k, x, rows, slopes, taken):
            break
    return False


MEAN_PARTS = (cost_and_slope, mean_of, tangent, exchange, shift, derivative, never_below)


class Smooth(NamedTuple):
    """Power means."""

    scale: float
    moves: int
    singles: Floats
    powers: Floats  # costs of single classes raised to the power; their logarithms if it is 0
    power: float

    def minorant(self, p: Floats, k: int, status: Status, x: Floats, rows: Ints) -> Minorant:
        """Tangent at `x`."""
        return tangent(self.powers, self.power, p, k, x, rows)

    def step(
        self, p: Floats, k: int, x: Floats, rows: Ints, slopes: Floats, taken: Ints, turn: int
    ) -> bool:
        """Shift weight between the two classes of the most different slopes."""
        return exchange(self.powers, self.power, p, k, x, rows, slopes, taken)

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set."""
        return float(p @ one_mean(members, self.powers, self.power))

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Whether no set of k or more classes costs less than `best`."""
        return never_below(self.powers, self.power, p, k, x, best)


class Split(NamedTuple):
    """Two power means.

    The powers may be infinite (the maximum, the minimum).
    """

    scale: float
    moves: int
    singles: Floats
    costs_of: Floats  # costs of single classes; here and wherever it says "of", truths are rows
    order: Ints  # the classes of each truth, cheap ones first
    right: Floats  # costs raised to the power (logarithms if it is 0)
    right_of: Floats
    right_power: float
    wrong: Floats
    wrong_of: Floats
    wrong_power: float
    # No set of at least 0, 1, …, K classes costs less, whatever is true; a right one of so many
    # costs just that where the power is BY_SIZE.
    least: Floats
    nested: Floats  # powers of costs whose power mean is never above the cost of a set …
    nested_power: float  # … and their power, at most 1; NaN if there are none

    def minorant(self, p: Floats, k: int, status: Status, x: Floats, rows: Ints) -> Minorant:
        """Minorant of each truth's cost, added up."""
        inside = np.flatnonzero(status == 1)
        rest = k - inside.size
        weight = x[rows]
        value = 0.0
        slopes = np.zeros(rows.size)
        excess = np.empty(max(rows.size - 1, 0))
        place = 0
        for y in range(p.size):
            if place < rows.size and rows[place] < y:
                place += 1
            if p[y] == 0.0:
                continue
            if status[y] != 0:
                is_in = status[y] == 1
                fixed, a = one_sided(self, k, y, is_in, inside, rows, rest, weight, 1.0, status)
                value += p[y] * (fixed + a @ weight)
                slopes += p[y] * a
                continue
            # Where to be tight: at x, but with and without y.
            per = 1.0 / max(rest - x[y], 1e-9)
            less = rest - 1
            right, a = one_sided(self, k, y, True, inside, rows, less, weight, less * per, status)
            wrong, b = one_sided(self, k, y, False, inside, rows, rest, weight, rest * per, status)
            more = b - a  # both are 0 at y itself
            excess[:place] = more[:place]
            excess[place:] = more[place + 1 :]
            most = least = wrong - right
            least += np.partition(excess, rest - 1)[:rest].sum()
            if rest > 1:
                most += np.partition(excess, excess.size - rest + 1)[1 - rest :].sum()
            by_wrong = wrong + b @ weight - most * x[y]
            by_right = right + a @ weight + least * (1.0 - x[y])
            if by_wrong > by_right:
                value += p[y] * by_wrong
                slopes += p[y] * b
                slopes[place] -= p[y] * most
            else:
                value += p[y] * by_right
                slopes += p[y] * a
                slopes[place] -= p[y] * least
        return value, slopes

    def step(
        self, p: Floats, k: int, x: Floats, rows: Ints, slopes: Floats, taken: Ints, turn: int
    ) -> bool:
        """Move towards the best vertex."""
        return approach(x, rows, taken, turn)

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set."""
        cost = one_mean(members, self.wrong, self.wrong_power)
        if np.isnan(self.right_power):
            cost[members] = self.least[members.size]
        else:
            cost[members] = one_mean(members, self.right, self.right_power)[members]
        return float(p @ cost)

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Whether no set of k or more classes costs less than `best`."""
        if self.least[k] >= best - slack(best, 1.0):
            return True
        if np.isnan(self.nested_power):
            return False
        return never_below(self.nested, self.nested_power, p, k, x, best)


def approach(x: Floats, rows: Ints, taken: Ints, turn: int) -> bool:
    """Move `x` towards the vertex of ``rows[taken]``, in ever shorter steps (Frank and Wolfe)."""
    length = 1.0 / (turn + 4.0)
    x[rows] = x[rows] * (1.0 - length)
    x[rows[taken]] = x[rows[taken]] + length
    return True


def one_sided(  # noqa: C901 - compiled by numba, as one loop
    problem: Split,
    k: int,
    y: int,
    right: bool,
    inside: Ints,
    rows: Ints,
    rest: int,
    weight: Floats,
    factor: float,
    status: Status,
) -> tuple[float, Floats]:
    """Minorant ``fixed + a @ x`` of the cost, if y is true, of sets alike in holding it."""
    power = problem.right_power if right else problem.wrong_power
    a = np.zeros(rows.size)
    if np.isnan(power):
        return problem.least[k], a
    costs = problem.costs_of[y]
    powers = problem.right_of[y] if right else problem.wrong_of[y]
    members = np.append(inside, y) if right and status[y] == 0 else inside
    plain, mean, least, most = 0.0, 0.0, np.inf, 0.0
    for i in members:
        plain += costs[i] / k
        mean += powers[i] / k
        least = min(least, costs[i])
        most = max(most, costs[i])
    if np.isinf(power):
        # Of the minimum and the maximum only the least possible value is known.
        order = problem.order[y]
        found = 0
        for i in order:
            if found < rest and status[i] == 0 and i != y:
                found += 1
                least = min(least, costs[i])
                if found == rest:
                    most = max(most, costs[i])
        if power < 0:
            return least, a
    open_mean, open_plain = 0.0, 0.0
    for place in range(rows.size):
        i = rows[place]
        if i != y:
            open_mean += powers[i] * weight[place]
            open_plain += costs[i] * weight[place]
    open_mean *= factor / k
    open_plain *= factor / k
    fixed, tilt = most, 0.0
    if power <= 1.0:
        cost, slope = cost_and_slope(np.array([mean + open_mean]), power)
        fixed, tilt = cost[0] - slope[0] * open_mean, slope[0]
    elif np.isfinite(power):
        # A power above 1 makes a concave function of the mean of powers. Its chord lies below it.
        low, high = ends(powers, problem.order[y], y, rest, status)
        low, high = mean + low / k, mean + high / k
        fixed = low ** (1.0 / power)
        if high > low:
            tilt = (high ** (1.0 / power) - fixed) / (high - low)
        fixed += tilt * (mean - low)
    if power > 1.0 and fixed + tilt * open_mean <= plain + open_plain:
        # The plain mean of costs lies below it, too.
        fixed, tilt, powers = plain, 1.0, costs
    for place in range(rows.size):
        if rows[place] != y:
            a[place] = tilt * powers[rows[place]] / k
    return fixed, a


def ends(powers: Floats, order: Ints, y: int, rest: int, status: Status) -> tuple[float, float]:
    """Add up the `rest` smallest and largest powers of open classes other than y."""
    low, high, found, left = 0.0, 0.0, 0, np.sum(status == 0) - (status[y] == 0)
    for i in order:
        if status[i] == 0 and i != y:
            low += powers[i] if found < rest else 0.0
            high += powers[i] if found >= left - rest else 0.0
            found += 1
    return low, high


def one_mean(members: Ints, powers: Floats, power: float) -> Floats:
    """Cost of a set for every truth, by one power."""
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


class Ranked(NamedTuple):
    """Ordered averages."""

    scale: float
    moves: int
    singles: Floats
    matrix: Floats  # costs of single classes
    falls: Floats  # row k: how much more each rank weighs than the next, in sets of k classes
    order: Ints  # row y: classes from the cheapest to the most expensive if y is true

    def minorant(self, p: Floats, k: int, status: Status, x: Floats, rows: Ints) -> Minorant:
        """Minorant of each truth's cost, added up."""
        value = 0.0
        slopes = np.zeros(rows.size)
        falls = self.falls[k, :k]
        ranks = np.arange(1, k + 1)
        later = np.append(np.cumsum(falls[::-1])[::-1], 0.0)
        for y in np.flatnonzero(p):
            costs = self.matrix[:, y].copy()
            # The j-th threshold is the cost up to which the members at x weigh j.
            reached = np.searchsorted(np.cumsum(x[self.order[y]]), ranks - 1e-9)
            threshold = costs[self.order[y]][np.minimum(reached, p.size - 1)]
            weighed = np.append(np.cumsum((falls * threshold)[::-1])[::-1], 0.0)
            first = np.searchsorted(threshold, costs)
            saved = weighed[first] - later[first] * costs
            value += p[y] * (falls @ (ranks * threshold) - x @ saved)
            slopes -= p[y] * saved[rows]
        return value, slopes

    def step(
        self, p: Floats, k: int, x: Floats, rows: Ints, slopes: Floats, taken: Ints, turn: int
    ) -> bool:
        """Move towards the best vertex."""
        return approach(x, rows, taken, turn)

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set."""
        weights = np.cumsum(self.falls[members.size, : members.size][::-1])[::-1].copy()
        value = 0.0
        for y in np.flatnonzero(p):
            value += p[y] * (weights @ np.sort(self.matrix[members, y]))
        return value

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Nothing is known of all larger sets at once: the weights of each size are its own."""
        return False


Problem: TypeAlias = Smooth | Split | Ranked
"""Set costs, divided by the largest of them (`scale`), with the costs of single classes (`singles`)
and how many minorants to take at a node at most before branching on it (`moves`)."""

FAMILIES = (Smooth, Split, Ranked)
FAMILY_PARTS = (*MEAN_PARTS, approach, one_sided, ends, one_mean)
