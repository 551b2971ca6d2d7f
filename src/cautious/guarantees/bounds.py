"""Bounds on risks and on mean losses, from counts alone.

**Risks.** If each of m independent answers is wrong with probability θ, the number of wrong ones is
binomial. Everything follows from that: no approximation, no assumption about the model.

**Means.** A gambler bets on every case that the mean loss is below m. If it is not, the game is
unfair to the gambler, who multiplies the stake by 1/δ at any time with probability at most δ. So
every m at which the gambler would have got that rich is too high to be the mean, and the least of
these is an upper bound (Waudby-Smith & Ramdas 2024). The product of fixed bets depends only on how
often each value occurred: bounds come from batches, logs and clusters alike.

A gambler who sees the cases one by one bets according to how much they vary and what is still
missing to 1/δ (as Voráček & Orabona 2025 do). Such bounds are tighter by a third. They need cases
in the order in which they were drawn: an order that is made up from the counts, also a shuffled one
that is always the same, favours some worlds, in which the bound then fails more often than it may.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from cautious._checks import check_choice, check_share, check_whole, check_wrong_of
from cautious._typing import Floats, as_floats, as_number


def risk_p_value(wrong: npt.ArrayLike, answered: npt.ArrayLike, max_error: float) -> float | Floats:
    r"""Test whether a risk stays below a limit, exactly.

    A small value speaks for "at most `max_error` of the answers on new cases are wrong".

    Parameters
    ----------
    wrong, answered : int or array-like of int
        Number of wrong answers, and of all answers, on calibration cases.
    max_error : float
        The limit α, between 0 and 1.

    Returns
    -------
    float or ndarray
        Largest chance of so few wrong answers if the risk exceeded the limit. 1 where nothing was
        answered.

    Notes
    -----
    .. math:: p = P(\mathrm{Bin}(m, \alpha) \le k)

    for k wrong of m answers. The counts are whole numbers: a share that was rounded first may move
    the value by a factor of two.

    Examples
    --------
    >>> round(risk_p_value(3, 100, 0.1), 7), round(risk_p_value(0, 29, 0.1), 7)
    (0.0078365, 0.0471013)
    """
    k, m = check_wrong_of(wrong, answered)
    limit = check_share(max_error, "max_error")
    # The distribution function as an incomplete beta function; 1 where all answers are wrong.
    tail = scipy.special.betainc(np.maximum(m - k, 1), k + 1, 1 - limit)
    return _plain(np.where(k >= m, 1.0, tail))


def risk_bound(
    wrong: npt.ArrayLike, answered: npt.ArrayLike, confidence_level: float = 0.95
) -> float | Floats:
    r"""Bound a risk from above, exactly.

    Parameters
    ----------
    wrong, answered : int or array-like of int
        Number of wrong answers, and of all answers.
    confidence_level : float, default=0.95
        How often, at least, the bound holds over repeated samples.

    Returns
    -------
    float or ndarray
        The bound; 1 where nothing was answered, or all answers were wrong.

    Notes
    -----
    The one-sided bound of Clopper & Pearson (1934): the risk θ at which
    :math:`P(\mathrm{Bin}(m, \theta) \le k) = 1 - \text{level}`. With no mistake in m answers it is
    :math:`1 - (1 - \text{level})^{1/m}`, roughly 3/m for 95 %.

    Examples
    --------
    >>> round(risk_bound(0, 100), 4), round(risk_bound(3, 100), 4)
    (0.0295, 0.0757)
    """
    k, m = check_wrong_of(wrong, answered)
    level = check_share(confidence_level, "confidence_level")
    with np.errstate(invalid="ignore"):
        bound = scipy.stats.beta.ppf(level, k + 1, np.maximum(m - k, 1))
    return _plain(np.where(k >= m, 1.0, bound))


def least_answers(max_error: float, confidence_level: float = 0.95) -> int:
    """Count the answers below which no limit can be certified, even if all are right."""
    limit = check_share(max_error, "max_error")
    delta = 1 - check_share(confidence_level, "confidence_level")
    guess = math.ceil(math.log(delta) / math.log1p(-limit))
    # Rounding may be off by one where the quotient is whole.
    return guess - 1 if (1 - limit) ** (guess - 1) <= delta else guess


def expected_cases(
    risk: float, coverage: float, max_error: float, confidence_level: float = 0.95
) -> int | None:
    """Estimate how many calibration cases a rule of known risk needs for its certificate.

    Parameters
    ----------
    risk, coverage : float
        Share of the answers that are wrong, and share of cases answered, as estimated.
    max_error, confidence_level : float
        The promise wanted.

    Returns
    -------
    int or None
        Cases at which the expected number of mistakes passes the test; None if the risk is not
        below the limit, so that no number of cases will do.

    Examples
    --------
    >>> expected_cases(risk=0.01, coverage=0.5, max_error=0.02)
    1180
    """
    limit = check_share(max_error, "max_error")
    risk, coverage = as_number(risk, "risk"), as_number(coverage, "coverage")
    if not 0 <= risk < limit or not 0 < coverage <= 1:
        return None
    delta = 1 - check_share(confidence_level, "confidence_level")

    def passes(m: int) -> bool:
        return bool(risk_p_value(math.ceil(risk * m), m, limit) <= delta)

    high = least_answers(limit, confidence_level)
    while not passes(high):
        if high > 1 << 40:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return math.ceil(high / coverage)


def _plain(value: Any) -> float | Floats:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def mean_bound(
    values: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
    *,
    low: float | None = None,
    high: float | None = None,
    side: str = "upper",
) -> float:
    r"""Bound the mean of a bounded loss, from counts of its values or case by case.

    Parameters
    ----------
    values : array-like of shape (m,)
        Values that the loss can take. Name all of them, also those that did not occur: the range
        must be known before the data are. Without `counts`: the losses of the cases, one by one, in
        the order in which the cases were drawn, or shuffled by a seed that nobody chose for its
        result; never sorted by anything that the losses depend on.
    counts : array-like of shape (m,), int, optional
        How often each value occurred.
    confidence_level : float, default=0.95
        How often, at least, the bound holds over repeated samples.
    low, high : float, optional
        Least and greatest possible loss; by default the least and the greatest of `values`. Needed
        without `counts`, because the cases do not tell.
    side : {"upper", "lower"}, default="upper"
        Which bound: an upper one for costs, a lower one for utilities.

    Returns
    -------
    float

    Notes
    -----
    **From counts.** With x scaled to [0, 1] the wealth against "the mean is at least m" is

    .. math:: W(m) = \frac1L \sum_\lambda \prod_i \bigl(1 + \lambda (m - x_i)\bigr),

    a mixture over L stakes λ below 1/(1 − m) that depend on the number of cases and on the level
    only; the bound is the m at which it reaches 1/δ. A finite mixture is a bet like any other, so
    nothing here approximates an integral.

    **Case by case.** The cases are divided into at most 250 blocks, as they come. The wealth after
    block b is

    .. math:: W_b(m) = \prod_{i \le b} \prod_{x \in i} \bigl(1 + \lambda_i (m - x)\bigr), \qquad
        \lambda_i^2 = \frac{2 \ln\bigl(1 / (\delta W_{i-1}(m))\bigr)}{r_i \hat\sigma_i^2},

    with the number :math:`r_i` of cases that are still to come, the variance
    :math:`\hat\sigma_i^2` of those before, and stakes of at most 0.8 / (1 − m). The bound is the
    largest m at which it never reaches 1/δ. The stakes are those of the next smaller one of 512
    values of m, so that the wealth grows with m in between.

    Counts of a loss of two values have an exact bound, which is tighter, and is used instead
    (:func:`risk_bound`). Weights that are not whole numbers have no such bound.

    References
    ----------
    Waudby-Smith & Ramdas (2024), *Estimating means of bounded random variables by betting*;
    Voráček & Orabona (2025), *STaR-Bets: sequential target-recalculating bets for tighter
    confidence intervals*.

    Examples
    --------
    >>> round(mean_bound([0, 0.1, 0.2, 1], [800, 150, 30, 20], 0.9), 4)
    0.0546
    >>> mean_bound([0, 1], [97, 3]) == risk_bound(3, 100)
    True
    >>> import numpy as np
    >>> shares = [0.8, 0.15, 0.03, 0.02]
    >>> losses = np.random.default_rng(0).choice([0, 0.1, 0.2, 1], 1000, p=shares)
    >>> float(losses.mean()), round(mean_bound(losses, None, 0.9, low=0, high=1), 4)
    (0.0436..., 0.059)
    """
    level = check_share(confidence_level, "confidence_level")
    if counts is None and (low is None or high is None):
        raise ValueError(
            "counts is not given, so values are the losses of cases, and do not tell what a loss "
            "can be; give low and high, the least and the greatest possible loss."
        )
    x, n = _check(values, counts)
    check_choice(side, "side", ("upper", "lower"))
    least = float(x.min()) if low is None else as_number(low, "low")
    most = float(x.max()) if high is None else as_number(high, "high")
    if not np.isfinite([least, most]).all() or least > x.min() or most < x.max():
        raise ValueError(
            f"low is {least} and high is {most}, but values run from {x.min()} to {x.max()}; the "
            "range must hold every possible loss."
        )
    if least == most:
        return least
    scaled = (x - least) / (most - least)
    if side == "lower":
        scaled = 1 - scaled
    delta = 1 - level
    bound = _case_by_case(scaled, delta) if counts is None else _from_counts(scaled, n, delta)
    return most - (most - least) * bound if side == "lower" else least + (most - least) * bound


# Cases come in at most so many blocks.
_BLOCKS = 250
# Hypotheses whose bets are followed; those in between take over the bets of the next smaller one.
_HYPOTHESES = np.sin(np.pi / 2 * np.arange(512) / 512) ** 2
# No bet risks more than this share of the wealth.
_BOLDEST = 0.8


def _case_by_case(x: Floats, delta: float) -> float:
    """Find the largest mean within [0, 1] that is not ruled out by bets that learn."""
    parts = np.array_split(x, min(len(x), _BLOCKS))
    blocks = [np.unique(part, return_counts=True) for part in parts]
    seen, goal = float(x.mean()), -np.log(delta)
    at = _HYPOTHESES
    wealth, bets = np.zeros(len(at)), np.zeros((len(blocks), len(at)))
    alive = np.arange(np.searchsorted(at, seen, side="right") - 1, len(at))
    for bet, scale, (value, count) in zip(bets, _scales(x, parts), blocks, strict=True):
        bold = scale * np.sqrt(goal - wealth[alive])
        bet[alive] = np.minimum(bold, _BOLDEST / (1 - at[alive]))
        wealth[alive] += np.log1p(bet[alive, None] * (at[alive, None] - value)) @ count
        alive = alive[wealth[alive] < goal]
    if not len(alive):
        return seen
    last = int(alive[-1])
    low, high = float(at[last]), float(at[last + 1]) if last + 1 < len(at) else 1.0
    value, count = (np.concatenate(column) for column in zip(*blocks, strict=True))
    sizes = [len(block[0]) for block in blocks]
    stake, starts = np.repeat(bets[:, last], sizes), np.append(0, np.cumsum(sizes)[:-1])
    while high - low > _CLOSE:
        middle = (low + high) / 2
        gains = np.add.reduceat(np.log1p(stake * (middle - value)) * count, starts)
        low, high = (low, middle) if np.cumsum(gains).max() >= goal else (middle, high)
    return max(high, seen)


# How far a bound may lie above the exact one.
_CLOSE = 1e-9


def _scales(x: Floats, parts: Sequence[Floats]) -> Floats:
    """Stakes of each block per root of what is missing: from what was seen before it."""
    sizes = np.array([len(part) for part in parts])
    before = np.cumsum(sizes) - sizes
    sums, squares = (np.append(0.0, np.cumsum(part))[before] for part in (x, x**2))
    # As if one case had been seen before all, at one half and off by a half.
    mean = (0.5 + sums) / (before + 1)
    variance = (0.25 + squares - 2 * mean * sums + before * mean**2) / (before + 1)
    return np.asarray(np.sqrt(2 / ((len(x) - before) * variance)))


# Stakes double from one to the next; none may risk more than this share of the wealth.
_RATIO, _MOST = 2.0, 0.99


def _from_counts(x: Floats, n: Floats, delta: float) -> float:
    """Find the mean within [0, 1] at which a mixture of fixed bets has won enough."""
    if set(x.tolist()) <= {0.0, 1.0}:
        return float(risk_bound(int(n[x == 1].sum()), int(n.sum()), 1 - delta))
    # Stakes from the best one for the largest variance there can be up to one that risks all.
    least = min(np.sqrt(8 * -np.log(delta) / max(float(n.sum()), 1.0)), 0.5)
    doublings = int(np.ceil(np.log(1 / least) / np.log(_RATIO)))
    stakes = np.geomspace(least, 1.0, doublings + 1)
    # The wealth grows with m, from less than the first stake up to infinity.
    low, high = float(n @ x / n.sum()) if n.sum() else 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        gain = np.log1p(np.outer(np.minimum(stakes, _MOST / (1 - middle)), middle - x)) @ n
        wealth = float(scipy.special.logsumexp(gain) - np.log(len(stakes)))
        low, high = (low, middle) if wealth >= -np.log(delta) else (middle, high)
    return high


def _check(values: npt.ArrayLike, counts: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    x = as_floats(values, "values", "losses")
    if counts is None and (x.ndim != 1 or not len(x)):
        raise ValueError(f"values has shape {x.shape}; give the losses of cases, at least one.")
    n = np.ones(x.shape) if counts is None else check_whole(counts, "counts").astype(np.float64)
    if x.ndim != 1 or x.shape != n.shape or not len(x):
        raise ValueError(
            f"values has shape {x.shape} and counts has shape {n.shape}; give one count for each "
            "value, and at least one value."
        )
    if not np.isfinite(x).all():
        raise ValueError(
            "values holds a number that is not finite; a loss without a largest value has no "
            "bound. Drop it, or give the largest value in its place."
        )
    return x, n
