"""Intervals of the mean of losses with few values, of which the costliest may not have been seen.

A mean is plausible where the likeliest shares of the values that have it are: these are the score
limits of a mean, Wilson's for two values. Where a rule was chosen on the cases, the truth lies on
average between its mean on these and the mean on held-out cases, so both have a say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from cautious._random import Interval
from cautious._typing import Floats


class ChosenCounts(NamedTuple):
    """Counts of values among cases that were drawn together: fractional, zeros for unseen ones.

    Means of strata are added up by their shares; `own` are the cases a rule was chosen on.
    """

    share: float
    values: Floats
    own: Floats
    held_out: Floats


def score_limits(values: Floats, counts: Floats, c: float) -> tuple[float, float]:
    r"""Limits of the mean :math:`\mu`, where :math:`n (m - \mu)^2 = c^2 V_0(\mu)`.

    :math:`V_0` is the variance under the likeliest shares of the values whose mean is :math:`\mu`.

    Examples
    --------
    >>> low, high = score_limits(np.array([0, 1]), np.array([7, 3]), 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.1078, 0.6032)
    """
    n = counts.sum()
    shares, excess = counts / n, c**2 / n
    return -_upper_limit(-values, shares, excess), _upper_limit(values, shares, excess)


def _upper_limit(values: Floats, shares: Floats, excess: float) -> float:
    """Find the upper score limit; `excess` is the squared critical value per case."""
    top = float(values.max())
    below, seen = top - values, shares > 0
    gap = float(shares @ below)
    if gap <= 0:
        return top
    unseen_top = not (seen & (below == 0)).any()
    shares, below = shares[seen], below[seen]

    def inverse(b: float) -> float:
        return float((shares / (b + below)).sum())

    # The likeliest shares are in proportion to shares / (b + below), where b solves this.
    def beyond(b: float) -> float:
        return inverse(b) * (gap + b) - 1 - excess

    if unseen_top:
        if beyond(0.0) <= 0:  # as if the top had been seen in c² cases more
            return (top - gap + excess * top) / (1 + excess)
        least = 0.0
    else:
        least = float(shares[below == 0].sum()) * gap / (1 + excess)
    most = float(below.max())
    while beyond(most) > 0:
        most *= 2
    b = float(scipy.optimize.brentq(beyond, least, most, xtol=1e-14 * most, rtol=1e-14))
    return top - (1 / inverse(b) - b)


def critical_value(gap: float, error: float, level: float) -> float:
    """Give the quantile for a truth between two means so far apart (Imbens & Manski 2004).

    Examples
    --------
    >>> round(critical_value(0.0, 1.0, 0.95), 3), round(critical_value(9.0, 1.0, 0.95), 3)
    (1.96, 1.645)
    """
    ratio = gap / error if error > 0 else 0.0
    low, high = float(scipy.special.ndtri(level)), float(scipy.special.ndtri((1 + level) / 2))
    for _ in range(60):
        middle = (low + high) / 2
        too_low = scipy.special.ndtr(middle + ratio) - scipy.special.ndtr(-middle) < level
        low, high = (middle, high) if too_low else (low, middle)
    return (low + high) / 2


def mean_and_variance(values: Floats, counts: Floats) -> tuple[float, float]:
    """Mean of counted values, and its variance."""
    n = float(counts.sum())
    mean = float(counts @ values) / n
    return mean, float(counts @ (values - mean) ** 2) / n**2


def chosen_interval(
    strata: Sequence[ChosenCounts], level: float, widening: float = 1.0
) -> Interval:
    """Interval of the mean under a rule that was chosen on the cases; the estimate is held out."""
    shares = np.array([stratum.share for stratum in strata])
    # By stratum: mean and variance, on own cases and on held-out ones.
    own = np.array([mean_and_variance(stratum.values, stratum.own) for stratum in strata])
    held_out = np.array([mean_and_variance(stratum.values, stratum.held_out) for stratum in strata])
    estimate, error = float(shares @ held_out[:, 0]), math.sqrt(shares**2 @ held_out[:, 1])
    gap = abs(estimate - float(shares @ own[:, 0]))
    c = widening * critical_value(gap, error, level)
    ends = []
    for means, name in ((own[:, 0], "own"), (held_out[:, 0], "held_out")):
        limits = np.array([score_limits(one.values, getattr(one, name), c) for one in strata])
        below, above = np.linalg.norm(shares[:, None] * (limits - means[:, None]), axis=0)
        ends += [shares @ means - below, shares @ means + above]
    return Interval(estimate, float(min(ends)), float(max(ends)), level, 0)


def wilson(share: Floats, n: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Give the ends of Wilson's intervals of shares."""
    z = float(scipy.special.ndtri((1 + confidence_level) / 2))
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / scale
    return np.maximum(0, centre - half), np.minimum(1, centre + half)
