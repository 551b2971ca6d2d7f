r"""Expected power means of costs as convex functions of the weights of classes.

With weights z that add up to 1 and q ≤ 1, :math:`\sum_y p_y (\sum_i z_i c_i(y)^q)^{1/q}` is a
convex function of linear functions of z. Here are its tangents, and steps along which it falls. All
of it is compiled where numba is installed, and runs as plain Python too.
"""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Ints
from cautious.decision.optimal._candidates import slack

_MOST_STEPS = 60
# So often weight is shifted among few classes before all are looked at again, or until the slopes
# differ by no more than this share of what they did.
_MOST_SHIFTS, _WORTH_SHIFTING = 10, 0.1


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


def tangent(
    powers: Floats, power: float, p: Floats, k: int, x: Floats, rows: Ints
) -> tuple[float, Floats]:
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
