"""Rules of one's own in a fixed order, certified from counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious.certification.bounds import (
    check_counts,
    check_share,
    expected_cases,
    least_answers,
    risk_p_value,
)
from cautious.certification.certificate import Certificate, LimitTest
from cautious.errors import shown

__all__ = ["certify_sequence"]


def certify_sequence(
    wrong: npt.ArrayLike,
    answered: npt.ArrayLike,
    max_error: float,
    *,
    confidence_level: float = 0.95,
    limit: str = "error",
) -> tuple[int | None, Certificate]:
    r"""Find the last rule of a sequence that provably keeps a limit.

    The rules, and their order from the strictest to the loosest, must be fixed before the labels of
    the calibration cases are looked at. They are tested one after the other, exactly; the last one
    before the first failure is taken. No correction for their number is needed.

    Parameters
    ----------
    wrong, answered : array-like of shape (m,), int
        For each rule, the number of its wrong answers and of all its answers on calibration cases.
    max_error : float
        The limit α on the share of wrong answers.
    confidence_level : float, default=0.95
        How sure the promise is, over the draw of the calibration cases.
    limit : str, default="error"
        What the shares are about, for the words of the certificate: "error" among the answers,
        "error_per_case" where every case has an answer, or "set_error" for sets that miss the
        truth.

    Returns
    -------
    at : int or None
        Position of the rule; None where nothing can be promised.
    certificate : Certificate
        What is promised, or what it would take.

    See Also
    --------
    certify : Thresholds of scores and probabilities, from the cases themselves.

    Examples
    --------
    >>> at, certificate = certify_sequence([0, 2, 4, 9], [200] * 4, 0.05)
    >>> at
    2
    >>> print(certificate)
    On new cases like these, with 95 % confidence: at most 5 % of the answers are wrong.
    Seen on 200 calibration cases: 4 of 200 (p = 0.026).
    """
    k, m = check_counts(wrong, answered)
    level, share = (
        check_share(confidence_level, "confidence_level"),
        check_share(max_error, "max_error"),
    )
    if k.ndim != 1 or k.shape != m.shape or not len(k):
        raise ValueError(
            f"wrong has shape {k.shape} and answered has shape {m.shape}; give one number of each "
            "per rule, and at least one rule."
        )
    if limit not in ("error", "error_per_case", "set_error"):
        raise ValueError(
            f"limit is {shown(limit)}; choose 'error', 'error_per_case' or 'set_error'."
        )
    p_values = np.asarray(risk_p_value(k, m, share))
    failed = np.flatnonzero(p_values > 1 - level)
    at = (int(failed[0]) if len(failed) else len(k)) - 1
    n = int(m.max())
    if at >= 0:
        test = LimitTest(limit, share, int(k[at]), int(m[at]), float(p_values[at]))
        return at, Certificate({limit: share}, level, n, (test,))
    if not k[0]:  # with no mistake at all, so many would do
        needed: int | None = least_answers(share, level)
    else:
        needed = expected_cases((k[0] + 0.5) / (m[0] + 1), 1.0, share, level)
    return None, Certificate({limit: share}, level, n, granted=False, cases_needed=needed)
