"""Exact bounds on risks, from counts.

If each of m independent answers is wrong with probability θ, the number of wrong ones is binomial.
Everything follows from that alone: no approximation, no assumption about the model.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from cautious._typing import Floats, Ints, as_floats, as_number
from cautious.errors import shown

__all__ = ["expected_cases", "least_answers", "risk_bound", "risk_p_value"]


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
        raise ValueError(f"{name} is {shown(value)}; give a number between 0 and 1, both excluded.")
    return float(value)


def check_whole(value: npt.ArrayLike, name: str) -> Ints:
    """Read whole numbers of cases."""
    given = as_floats(value, name, "whole numbers of cases")
    whole = np.rint(given)
    if not np.all((given == whole) & (given >= 0) & np.isfinite(given)):
        raise ValueError(
            f"{name} is {shown(value)}; exact bounds need whole numbers of cases. Weighted cases "
            "have no exact bound."
        )
    return cast(Ints, whole.astype(np.int64))


def _first(values: Ints, where: Any) -> int:
    values, where = np.broadcast_arrays(values, where)
    return int(values[where].flat[0])


def _plain(value: Any) -> float | Floats:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)
