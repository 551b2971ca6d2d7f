"""Bounds on risks and mean losses, from counts.

**Shares, exactly.** If each of m independent answers is wrong with probability θ, the number of
wrong ones is binomial. Everything follows from that alone: no approximation, no assumption about
the model.

**Means of bounded losses.** A gambler bets on every case that the mean loss is below m. If it is
not, the game is unfair to the gambler, who multiplies the stake by 1/δ with probability at most δ.
So every m at which the gambler would have got that rich is too high to be the mean, and the least
such m is an upper bound (Waudby-Smith & Ramdas 2024). The product of the gains does not depend on
the order of the cases, only on how often each value occurred: bounds come from batches, logs and
clusters alike.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import special, stats
from scipy.special import logsumexp

from cautious._typing import Floats, Ints, as_floats

__all__ = ["expected_cases", "least_answers", "mean_bound", "risk_bound", "risk_p_value"]


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
    k, m = check_counts(wrong, answered)
    limit = check_share(max_error, "max_error")
    # The distribution function as an incomplete beta function; 1 where all answers are wrong.
    tail = special.betainc(np.maximum(m - k, 1), k + 1, 1 - limit)
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
    k, m = check_counts(wrong, answered)
    level = check_share(confidence_level, "confidence_level")
    with np.errstate(invalid="ignore"):
        bound = stats.beta.ppf(level, k + 1, np.maximum(m - k, 1))
    return _plain(np.where(k >= m, 1.0, bound))


def least_answers(max_error: float, confidence_level: float = 0.95) -> int:
    r"""Count the answers below which no limit can be certified, even if all are right.

    :math:`\lceil \ln\delta / \ln(1 - \alpha) \rceil` with :math:`\delta = 1 - \text{level}`.

    Examples
    --------
    >>> least_answers(0.1), least_answers(0.02)
    (29, 149)
    """
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


def check_counts(wrong: npt.ArrayLike, answered: npt.ArrayLike) -> tuple[Ints, Ints]:
    """Read whole numbers, of which the first does not exceed the second."""
    k, m = (check_whole(value, name) for value, name in ((wrong, "wrong"), (answered, "answered")))
    if np.any(k > m):
        raise ValueError(
            f"wrong is {_first(k, k > m)} and answered is {_first(m, k > m)}; there cannot be more "
            "wrong answers than answers."
        )
    return k, m


def check_share(value: float, name: str) -> float:
    """Read a number strictly between 0 and 1."""
    if not (isinstance(value, Real) and 0 < float(value) < 1):
        raise ValueError(f"{name} is {value!r}; give a number between 0 and 1, both excluded.")
    return float(value)


def check_whole(value: npt.ArrayLike, name: str) -> Ints:
    """Read whole numbers of cases."""
    given = as_floats(value, name, "whole numbers of cases")
    whole = np.rint(given)
    if not np.all((given == whole) & (given >= 0) & np.isfinite(given)):
        raise ValueError(
            f"{name} is {value!r}; exact bounds need whole numbers of cases. Weighted cases have "
            "no exact bound."
        )
    return cast(Ints, whole.astype(np.int64))


def _first(values: Ints, where: Any) -> int:
    values, where = np.broadcast_arrays(values, where)
    return int(values[where].flat[0])


def _plain(value: Any) -> float | Floats:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


# Stakes double from one to the next; none may risk more than this share of the wealth.
_RATIO, _MOST = 2.0, 0.99


def mean_bound(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    confidence_level: float = 0.95,
    *,
    low: float | None = None,
    high: float | None = None,
    side: str = "upper",
) -> float:
    r"""Bound the mean of a bounded loss from how often each value occurred.

    Parameters
    ----------
    values : array-like of shape (m,)
        Values that the loss can take. Name all of them, also those that did not occur: the range
        must be known before the data are.
    counts : array-like of shape (m,), int
        How often each occurred.
    confidence_level : float, default=0.95
        How often, at least, the bound holds over repeated samples.
    low, high : float, optional
        Least and greatest possible loss; by default the least and the greatest of `values`.
    side : {"upper", "lower"}, default="upper"
        Which bound: an upper one for costs, a lower one for utilities.

    Returns
    -------
    float

    Notes
    -----
    With x scaled to [0, 1] the wealth against "the mean is at least m" is

    .. math:: W(m) = \frac1L \sum_\lambda \prod_i \bigl(1 + \lambda (m - x_i)\bigr),

    a mixture over L stakes λ below 1/(1 − m) that depend on the number of cases and on the level
    only; the bound is the m at which it reaches 1/δ. A finite mixture is a bet like any other, so
    nothing here approximates an integral. A loss of two values has an exact bound, which is
    tighter, and is used instead (:func:`risk_bound`). Weights that are not whole numbers have no
    such bound. Bets that learn from the cases seen so far, as in the package confseq, are tighter
    by a third or so; but they need the cases in an order that has nothing to do with their counts,
    and a promise from counts alone has none.

    References
    ----------
    Waudby-Smith & Ramdas (2024), *Estimating means of bounded random variables by betting*.

    Examples
    --------
    >>> round(mean_bound([0, 0.1, 0.2, 1], [800, 150, 30, 20], 0.9), 4)
    0.0546
    >>> mean_bound([0, 1], [97, 3]) == risk_bound(3, 100)
    True
    """
    level = check_share(confidence_level, "confidence_level")
    x, n = _check(values, counts)
    if side not in ("upper", "lower"):
        raise ValueError(f"side is {side!r}; choose 'upper' or 'lower'.")
    least = float(x.min()) if low is None else float(low)
    most = float(x.max()) if high is None else float(high)
    if not np.isfinite([least, most]).all() or least > x.min() or most < x.max():
        raise ValueError(
            f"low is {least} and high is {most}, but values run from {x.min()} to {x.max()}; the "
            "range must hold every possible loss."
        )
    if least == most:
        return least
    scaled = (x - least) / (most - least)
    if side == "lower":
        return most - (most - least) * _bound(1 - scaled, n, 1 - level)
    return least + (most - least) * _bound(scaled, n, 1 - level)


def _bound(x: Floats, n: Floats, delta: float) -> float:
    """Upper bound on the mean of values within [0, 1]."""
    if set(x.tolist()) <= {0.0, 1.0}:
        return float(risk_bound(int(n[x == 1].sum()), int(n.sum()), 1 - delta))
    wanted, stakes = -np.log(delta), _stakes(float(n.sum()), delta)
    # The wealth grows with m, from less than the first stake up to infinity.
    low, high = float(n @ x / n.sum()) if n.sum() else 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if _log_wealth(x, n, middle, stakes) >= wanted else (middle, high)
    return high


def _stakes(n: float, delta: float) -> Floats:
    """Stakes from the best one for the largest variance there can be up to one that risks all."""
    least = min(np.sqrt(8 * -np.log(delta) / max(n, 1.0)), 0.5)
    return np.asarray(
        np.geomspace(least, 1.0, int(np.ceil(np.log(1 / least) / np.log(_RATIO))) + 1)
    )


def _log_wealth(x: Floats, n: Floats, mean: float, stakes: Floats) -> float:
    safe = np.minimum(stakes, _MOST / (1 - mean))
    gain = np.log1p(np.outer(safe, mean - x)) @ n
    return float(logsumexp(gain) - np.log(len(stakes)))


def _check(values: npt.ArrayLike, counts: npt.ArrayLike) -> tuple[Floats, Floats]:
    x, n = as_floats(values, "values", "losses"), as_floats(counts, "counts", "numbers of cases")
    if x.ndim != 1 or x.shape != n.shape or not len(x):
        raise ValueError(
            f"values has shape {x.shape} and counts has shape {n.shape}; give one count for each "
            "value, and at least one value."
        )
    if not np.isfinite(x).all():
        raise ValueError(
            "values holds a number that is not finite; a loss without a largest value has no bound."
        )
    if not np.all((n >= 0) & (n == np.rint(n)) & np.isfinite(n)):
        raise ValueError(
            "counts holds a number that is negative or not whole; weighted cases have no such "
            "bound."
        )
    return x, n
