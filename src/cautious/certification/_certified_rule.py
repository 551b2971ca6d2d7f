r"""Rules that keep a limit on new cases, with a stated confidence or on average.

Candidate thresholds are fixed before the labels of the calibration cases are looked at. They are
tested from the strictest to the loosest, each exactly, and the last one before the first failure is
taken. Because the order is fixed, no correction for the number of candidates is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious.certification._bounds import (
    check_counts,
    check_share,
    expected_cases,
    least_answers,
    risk_p_value,
)
from cautious.certification._calibration_cases import Cases
from cautious.certification._certificate import Certificate, LimitTest
from cautious.certification._certified_thresholds import (
    Certified,
    Shape,
    on_average,
    one_threshold,
    several_thresholds,
)
from cautious.errors import shown
from cautious.predictions._probabilities import per_cent_hint

__all__ = ["Promise", "certify", "certify_counts", "certify_sequence"]

Promise: TypeAlias = Literal["with confidence", "on average"]
"""What a certified rule promises."""


def certify(
    y_true: Sequence[Any] | npt.ArrayLike | Cases,
    *,
    y_score: npt.ArrayLike | None = None,
    y_proba: npt.ArrayLike | None = None,
    other_scores: npt.ArrayLike | None = None,
    other_groups: Sequence[Any] | npt.ArrayLike | None = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    max_error: float | None = None,
    min_ppv: float | None = None,
    min_npv: float | None = None,
    max_missed: float | None = None,
    max_error_per_case: float | None = None,
    max_abstention: float | None = None,
    groups: Sequence[Any] | npt.ArrayLike | None = None,
    counts: npt.ArrayLike | None = None,
    promise: Promise = "with confidence",
    confidence_level: float = 0.95,
    thresholds: Shape = "one",
    n_candidates: int = 100,
    random_state: int | None = 0,
) -> Certified:
    r"""Find the rule that answers most among those that provably keep all limits.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of calibration cases: cases that the model was not fitted on.
    y_score : array-like of shape (n,), optional
        Scores of the positive one of two classes. NaN abstains.
    y_proba : array-like of shape (n, K), optional
        Class probabilities, in place of `y_score`.
    other_scores : array-like, optional
        Scores or probabilities of *other* cases, whose labels do not matter, such as out-of-fold
        predictions of the training cases: the candidates are their quantiles. Without them a random
        fifth of the calibration cases serves for that, and only the rest is tested on.
    other_groups : array-like, optional
        Groups of the other cases, needed with both `other_scores` and `groups`.
    classes, pos_label : optional
        Class labels in column order; the positive one of two.
    max_error : float, optional
        Largest share of wrong answers among the answers.
    min_ppv, min_npv : float, optional
        Two classes: least share of right ones among the positive, and among the negative answers.
    max_missed : float, optional
        Two classes: largest share of positive cases that are answered negative.
    max_error_per_case : float, optional
        Largest share of wrong answers among all cases.
    max_abstention : float, optional
        Largest share of abstentions among all cases.
    groups : array-like of shape (n,), optional
        Groups of cases; every limit is then kept in each of them.
    counts : array-like of shape (n,), int, optional
        How many cases each row stands for, where equal cases were counted, as in a summary of a
        log. Whole numbers: weights have no exact test.
    promise : {"with confidence", "on average"}, default="with confidence"
        Keep the limits with `confidence_level` over the draw of the calibration cases; or keep one
        limit (of `max_error`, `max_error_per_case` and `max_missed`) on average over such draws,
        which lets more be answered, and lets single rules break it. See the notes.
    confidence_level : float, default=0.95
        How sure the promise is, over the draw of the calibration cases.
    thresholds : {"one", "two", "per class"}, default="one"
        One threshold on the confidence; a window with two thresholds on the score of two classes,
        each for half of the risk of failing; or one threshold per predicted class.
    n_candidates : int, default=100
        Number of candidates, at equally spaced coverages.
    random_state : int or None
        Seed of the random fifth.

    Returns
    -------
    Certified
        With `rule` None where nothing can be promised.

    Notes
    -----
    At a candidate with m answers, k of them wrong, :math:`P(\mathrm{Bin}(m, \alpha) \le k)` is a
    valid p-value for "the risk exceeds α". Several limits need no correction: a rule passes where
    every single p-value does (intersection–union). The sequence begins where three times as many
    answers are expected as the smallest number that could pass. `max_abstention` runs the other
    way, and takes half of the risk of failing. Cases count once: weights have no exact test.

    **On average**, the loosest threshold is taken at which the limit α holds with one more wrong
    answer counted, :math:`k + 1 \le \alpha (m + 1)`; the candidates are the scores themselves, and
    no cases are set aside. Of the new and the old cases together, each is equally likely to be the
    new one. Mistakes per case and missed positives can only grow with the coverage, so that their
    limits are kept exactly. The share of wrong ones among the answers can rise and fall. What is
    proved of it is that :math:`P(\text{wrong}) \le \alpha P(\text{answered}')`, where the rule that
    also knows the new case decides on the right. So draws that give no rule count as free of
    mistakes: where mistakes do not depend on the score and are more frequent than the limit, some
    draws still give a rule, and all of these break it. Ask for a confidence where that matters.

    References
    ----------
    Angelopoulos, Bates, Candès, Jordan & Lei (2021), *Learn then test*; Geifman & El-Yaniv (2017),
    *Selective classification for deep neural networks*. On average: Angelopoulos, Bates, Fisch, Lei
    & Schuster (2024), *Conformal risk control*; Angelopoulos (2026), for losses that are not
    monotone.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=2000)
    >>> p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
    >>> found = certify(y[1000:], y_score=p[1000:], other_scores=p[:1000], max_error=0.1)
    >>> round(found.coverage, 2)
    0.77
    >>> print(found.certificate)
    On new cases like these, with 95 % confidence: at most 10 % of the answers are wrong.
    Seen on 1,000 calibration cases: 62 of 765 (p = 0.043).
    """
    level = check_share(confidence_level, "confidence_level")
    limits = _named_limits(
        max_error=max_error,
        min_ppv=min_ppv,
        min_npv=min_npv,
        max_missed=max_missed,
        max_error_per_case=max_error_per_case,
        max_abstention=max_abstention,
    )
    if not (isinstance(n_candidates, Integral) and n_candidates >= 1):
        raise ValueError(
            f"n_candidates is {shown(n_candidates)}; give a whole number of 1 or more."
        )
    cases = (
        y_true
        if isinstance(y_true, Cases)
        else Cases.of(
            y_true,
            y_score,
            y_proba,
            classes=classes,
            pos_label=pos_label,
            groups=groups,
            counts=counts,
        )
    )
    _check_shape(thresholds, limits, len(cases.classes))
    _check_cases(thresholds, cases)
    if promise != "with confidence":
        _check_average(promise, limits, thresholds, groups, other_scores)
        found = on_average(cases, *next(iter(limits.items())))
        return found.with_scores(cases.score_bins())
    if other_scores is None:
        tested, others = cases.split(random_state)
    else:
        tested, others = cases, cases.others(other_scores, other_groups)
    if thresholds == "one":
        found = one_threshold(tested, others, limits, level, n_candidates)
    else:
        found = several_thresholds(tested, others, limits, level, n_candidates, thresholds)
    return found.with_scores(cases.score_bins())


def certify_counts(y_true: Any, counts: Any, holder: str, **asked: Any) -> Certified:
    """Certify what a curve has counted; refuse what it does not hold."""
    for name in ("groups", "other_groups", "y_proba", "counts", "pos_label"):
        if asked.get(name) is not None:
            raise ValueError(
                f"{name} is given, but a {holder} holds counts of all its cases together; give the "
                "cases themselves to cautious.guarantees.certify."
            )
    return certify(y_true, counts=counts, **asked)


_LIMIT_OF = {
    "max_error": "error",
    "min_ppv": "false_discovery",
    "min_npv": "false_omission",
    "max_missed": "missed",
    "max_error_per_case": "error_per_case",
    "max_abstention": "abstention",
}


_ON_AVERAGE = ("error", "error_per_case", "missed")


def check_promise(
    *, promise: str, confidence_level: float, thresholds: str, n_classes: int, **limits: Any
) -> None:
    """Check what is asked of :func:`certify` as far as it can be told without scores."""
    check_share(confidence_level, "confidence_level")
    named = _named_limits(**limits)
    _check_shape(thresholds, named, n_classes)
    if promise != "with confidence":
        _check_average(promise, named, thresholds, None, None)


def _named_limits(**given: float | None) -> dict[str, float]:
    limits = {}
    for name, value in given.items():
        if value is not None:
            share = check_share(value, name)
            limits[_LIMIT_OF[name]] = 1 - share if name.startswith("min") else share
    if not limits:
        raise ValueError(f"no limit is given; give one or more of {', '.join(_LIMIT_OF)}.")
    return limits


def _check_cases(shape: str, cases: Cases) -> None:
    if shape != "one" and cases.answer is not None:
        raise ValueError(
            f"thresholds is {shown(shape)}, but a curve of {len(cases.classes)} classes does not "
            "hold which class was answered wrongly; choose thresholds='one', or certify the cases "
            "themselves."
        )
    if shape == "per class" and not cases.are_probabilities:
        raise ValueError(
            "the scores are no probabilities; choose thresholds='two'. "
            f"{per_cent_hint(cases.scores)}".rstrip()
        )


def _check_shape(shape: str, limits: Mapping[str, float], k: int) -> None:
    if shape not in ("one", "two", "per class"):
        raise ValueError(f"thresholds is {shown(shape)}; choose 'one', 'two' or 'per class'.")
    if shape == "two" and k != 2:
        raise ValueError(f"thresholds='two' is for two classes; there are {k}.")
    if shape != "one" and "abstention" in limits:
        raise ValueError("max_abstention can be promised with thresholds='one' only.")
    if k > 2:
        for name in ("false_discovery", "false_omission", "missed"):
            if name in limits:
                raise ValueError(
                    f"the limit of {name.replace('_', ' ')} is for two classes; there are {k}."
                )


def _check_average(
    promise: str, limits: Mapping[str, float], shape: str, groups: Any, other_scores: Any
) -> None:
    if promise != "on average":
        raise ValueError(f"promise is {shown(promise)}; choose 'with confidence' or 'on average'.")
    kept = {limit: name for name, limit in _LIMIT_OF.items() if limit in _ON_AVERAGE}
    if len(limits) != 1 or not set(limits) <= set(kept):
        given = ", ".join(name for name, limit in _LIMIT_OF.items() if limit in limits)
        raise ValueError(
            f"promise is 'on average', which one limit can be kept by, one of "
            f"{', '.join(kept.values())}; given are {given}. Give one, or choose promise='with "
            "confidence'."
        )
    for name, odd in (
        (f"thresholds={shape!r}", shape != "one"),
        ("groups", groups is not None),
        ("other_scores", other_scores is not None),
    ):
        if odd:
            raise ValueError(
                f"{name} is given, but promise='on average' takes one threshold for all cases "
                "from their own scores; leave it out, or choose promise='with confidence'."
            )


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
