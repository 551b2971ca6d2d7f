"""Intervals of the mean of losses with few values, of which the costliest may not have been seen.

A mean is plausible where the likeliest shares of the values that have it are: these are the score
limits of a mean, Wilson's for two values. Where a rule was chosen on the cases, the truth lies on
average between its mean on these and the mean on held-out cases, so both have a say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from cautious._random import Interval
from cautious._typing import Floats

# Steps of Newton's method, of which five mostly do; and the least critical value: at levels below
# one half, an interval from one mean to the other may hold the truth more often than asked.
_STEPS, _LEAST = 60, 1e-3


class ChosenCounts(NamedTuple):
    """Counts of values among cases that were drawn together: fractional, zeros for unseen ones.

    Means of strata are added up by their shares; `own` are the cases a rule was chosen on.
    """

    share: float
    values: Floats
    own: Floats
    held_out: Floats


def score_limits(values: Floats, counts: Floats, c: float) -> Floats:
    r"""Limits of the mean :math:`\mu`, where :math:`n (m - \mu)^2 = c^2 V_0(\mu)`.

    :math:`V_0` is the variance under the likeliest shares of the values whose mean is :math:`\mu`.
    Several rows of counts have limits in as many rows.

    Examples
    --------
    >>> score_limits(np.array([0, 1]), np.array([7, 3]), 1.959964).round(4).tolist()
    [0.1078, 0.6032]
    """
    n = counts.sum(axis=-1, keepdims=True)
    shares, excess = counts / n, c**2 / n
    sides = np.array([-values, values])
    top = sides.max(axis=1)
    below = top[:, None] - sides
    gap, at_top = shares @ below.T, shares @ (below == 0).T
    # The likeliest shares are in proportion to shares / (b + below). With H the harmonic mean of
    # these sums, b solves (1 + excess) H = gap + b; it is 0 at least, as if an unseen top had been
    # seen in c² cases more. The left side is concave, so Newton's steps from below never pass b.
    # They start where b lies if all values but the top are equal.
    b = 2 * gap * at_top / excess / (1 + np.sqrt(1 + 4 * at_top * (1 - at_top) / excess))
    unseen = (at_top == 0) | (gap == 0)
    below = np.where(unseen[..., None] & (below == 0), 1.0, below)
    for _ in range(_STEPS):
        each = shares[..., None, :] / (b[..., None] + below)
        mean = 1 / each.sum(axis=-1)
        slope = (1 + excess) * mean**2 * (each / (b[..., None] + below)).sum(axis=-1) - 1
        before, b = b, np.maximum(b - ((1 + excess) * mean - gap - b) / slope, 0.0)
        if (excess * np.abs(b - before) <= 1e-9 * gap).all():  # the next is as small squared
            break
    return np.asarray((top - (gap - excess * b) / (1 + excess)) * [-1, 1])


def critical_value(gap: float, error: float, level: float) -> float:
    """Give the quantile for a truth between two means so far apart (Imbens & Manski 2004).

    Examples
    --------
    >>> round(critical_value(0.0, 1.0, 0.95), 3), round(critical_value(9.0, 1.0, 0.95), 3)
    (1.96, 1.645)
    """
    ratio = gap / error if error > 0 else 0.0
    c = max(float(scipy.special.ndtri(level)), 0.0)
    for _ in range(_STEPS):  # of Newton: the share held is concave in c
        held = scipy.special.ndtr(c + ratio) - scipy.special.ndtr(-c)
        density = (math.exp(-((c + ratio) ** 2) / 2) + math.exp(-(c**2) / 2)) / math.sqrt(math.tau)
        step = float(level - held) / density
        c += step
        if step <= 1e-9:
            break
    return max(c, _LEAST)


def mean_and_variance(values: Floats, counts: Floats) -> tuple[Any, Any]:
    """Mean of counted values, and its variance, for each row of counts."""
    n = counts.sum(axis=-1)
    mean = counts @ values / n
    return mean, (counts * (values - np.expand_dims(mean, -1)) ** 2).sum(axis=-1) / n**2


def chosen_interval(
    strata: Sequence[ChosenCounts], level: float, widening: float = 1.0
) -> Interval:
    """Interval of the mean under a rule that was chosen on the cases; the estimate is held out."""
    each = [(one, np.array([one.own, one.held_out])) for one in strata]
    known = [(one.share, *mean_and_variance(one.values, counts)) for one, counts in each]
    means = sum(share * mean for share, mean, _ in known)
    variances = sum(share**2 * variance for share, _, variance in known)
    own, estimate = means.tolist()
    c = widening * critical_value(abs(estimate - own), math.sqrt(variances[1]), level)
    reach = [
        share * (score_limits(one.values, counts, c) - mean[:, None])
        for (one, counts), (share, mean, _) in zip(each, known, strict=True)
    ]
    low, high = (np.array([means, means]).T + np.linalg.norm(reach, axis=0) * [-1, 1]).T
    return Interval(estimate, float(low.min()), float(high.max()), level, 0)


def wilson(share: Floats, n: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Give the ends of Wilson's intervals of shares."""
    z = float(scipy.special.ndtri((1 + confidence_level) / 2))
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / scale
    return np.maximum(0, centre - half), np.minimum(1, centre + half)
