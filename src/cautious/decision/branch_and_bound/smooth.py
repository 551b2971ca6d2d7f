r"""Power means of one power q ≤ 1, for right and wrong sets alike: smooth and convex.

The expected cost of a set, :math:`\sum_y p_y (\sum_i z_i c_i(y)^q)^{1/q}` with :math:`z =
1_{\hat Y} / |\hat Y|`, is a convex function of linear functions of z, whatever the size: a tangent
anywhere lies below it everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cautious._typing import Floats, Ints
from cautious.decision.branch_and_bound.problem import Status
from cautious.decision.optimal_ties import slack

__all__ = ["SMOOTH_PARTS", "Smooth", "cost_and_slope", "never_below"]

_MOST_STEPS = 60


class Smooth(NamedTuple):
    """Power means; see :class:`~cautious.decision.branch_and_bound.problem.Problem`."""

    scale: float
    moves: int
    singles: Floats
    powers: Floats  # costs of single classes raised to the power; their logarithms if it is 0
    power: float

    def minorant(
        self, p: Floats, k: int, status: Status, x: Floats, rows: Ints
    ) -> tuple[float, Floats]:
        """Tangent at `x`."""
        return tangent(self.powers, self.power, p, k, x, rows)

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
        """Shift weight between the two classes of the most different slopes."""
        return exchange(self.powers, self.power, p, k, x, rows, slopes)

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set."""
        total = self.powers[members[0]].copy()
        for i in members[1:]:
            total += self.powers[i]
        cost, _ = cost_and_slope(total / members.size, self.power)
        return float(p @ cost)

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Whether no set of k or more classes costs less than `best`."""
        return never_below(self.powers, self.power, p, k, x, best)


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
        lower = mean ** (exponent - 1.0)
    return lower * mean, exponent * lower


def mean_of(powers: Floats, k: int, x: Floats) -> Floats:
    """Mean of the members' rows."""
    members = np.flatnonzero(x)
    return x[members] @ powers[members] / k


def tangent(
    powers: Floats, power: float, p: Floats, k: int, x: Floats, rows: Ints
) -> tuple[float, Floats]:
    """Value at `x` and slopes, over the classes `rows`, of the expected power mean."""
    cost, slope = cost_and_slope(mean_of(powers, k, x), power)
    return float(p @ cost), powers[rows] @ (p * slope) / k


def exchange(
    powers: Floats, power: float, p: Floats, k: int, x: Floats, rows: Ints, slopes: Floats
) -> bool:
    """Shift weight from the steepest class that has any to the least steep one with room.

    Returns whether that lowers the expected power mean.
    """
    gain, loss = np.inf, -np.inf
    i = j = -1
    for place in range(rows.size):
        row, slope = rows[place], slopes[place]
        if x[row] < 1.0 and slope < gain:
            i, gain = row, slope
        if x[row] > 0.0 and slope > loss:
            j, loss = row, slope
    if gain >= loss:
        return False
    low, at_low = 0.0, gain - loss
    mean = mean_of(powers, k, x)
    direction = (powers[i] - powers[j]) / k
    high = min(1.0 - x[i], x[j])
    at_high = derivative(mean + high * direction, direction, power, p)
    step = high
    if at_high > 0.0:
        # Two secants: the first is exact for a power of 1/2, whose function is quadratic.
        step = high - at_high * (high - low) / (at_high - at_low)
        here = derivative(mean + step * direction, direction, power, p)
        if here > 0.0:
            high, at_high = step, here
        else:
            low, at_low = step, here
        step = high - at_high * (high - low) / (at_high - at_low)
    x[i] = min(1.0, x[i] + step)
    x[j] = max(0.0, x[j] - step)
    return True


def derivative(mean: Floats, direction: Floats, power: float, p: Floats) -> float:
    """How fast the expected power mean rises as the means of powers move in a direction."""
    _, slope = cost_and_slope(mean, power)
    return float((p * slope) @ direction)


def never_below(powers: Floats, power: float, p: Floats, k: int, x: Floats, best: float) -> bool:
    """Whether the expected power mean is at least `best` wherever no weight is above 1/k.

    These polytopes shrink as k grows, so that the answer holds for all larger sets too.
    """
    limit = best - slack(best, 1.0)
    x = x.copy()
    rows = np.arange(p.size)
    for _ in range(_MOST_STEPS):
        value, slopes = tangent(powers, power, p, k, x, rows)
        if value < limit:
            return False
        lower = value - slopes @ x
        for j in np.argsort(slopes, kind="mergesort")[:k]:
            lower += slopes[j]
        if lower >= limit:
            return True
        if not exchange(powers, power, p, k, x, rows, slopes):
            break
    return False


SMOOTH_PARTS = (cost_and_slope, mean_of, tangent, exchange, derivative, never_below)
