r"""Rules that keep a limit on new cases, with a stated confidence or on average.

Candidate thresholds are fixed before the labels of the calibration cases are looked at. They are
tested from the strictest to the loosest, each exactly, and the last one before the first failure is
taken. Because the order is fixed, no correction for the number of candidates is needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from cautious._cases import Cases
from cautious._checks import as_count, check_choice, check_share
from cautious._typing import Floats
from cautious.decision import Rule
from cautious.errors import InputError
from cautious.guarantees._judged import JudgeMethod, certify_judged
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LIMITS, read_limits
from cautious.guarantees._tallies import (
    Answers,
    Certified,
    Shape,
    Tallies,
    answers_to_begin,
    between,
    calibration_cases,
    candidates,
    first_and_last,
)
from cautious.guarantees.certificate import GRADED, Certificate, LimitTest

Promise: TypeAlias = Literal["with confidence", "on average"]
"""What a certified rule promises."""


def certify(
    y_true: Sequence[Any] | npt.ArrayLike | Cases | Answers,
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
    judge_method: JudgeMethod = "betting",
) -> Certified:
    r"""Find the rule that answers most among those that provably keep all limits.

    Parameters
    ----------
    y_true : array-like of shape (n,), or Cases
        Labels of calibration cases: cases that the model was not fitted on. Cases that were read,
        such as graded answers, hold their scores and groups, too.
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
    judge_method : {"betting", "measured"}, default="betting"
        How a judge's grades help, where the cases are graded answers that have some: by a proof, or
        by an estimate that was measured to keep its level (see :func:`cautious.tune`).

    Returns
    -------
    Certified
        With `rule` None where nothing can be promised.

    Notes
    -----
    At a candidate with m answers, k of them wrong, :math:`P(\mathrm{Bin}(m, \alpha) \le k)` is a
    valid p-value for "the risk exceeds α". Several limits need no correction: a rule passes where
    every single p-value does (intersection–union). The sequence begins where three times as many
    answers are expected as the smallest number that could pass; of graded answers where a third of
    those with a confidence are, but from twice to four times that number. `max_abstention` runs the
    other way, and takes half of the risk of failing. Cases count once: weights have no exact test.

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
    Seen on 1,000 calibration cases: 62 of 765 answers were wrong (p = 0.043).
    """
    limits = read_limits(
        max_error=max_error,
        min_ppv=min_ppv,
        min_npv=min_npv,
        max_missed=max_missed,
        max_error_per_case=max_error_per_case,
        max_abstention=max_abstention,
    )
    cases: Any = y_true
    if not isinstance(cases, Answers | Cases):
        cases = calibration_cases(y_true, y_score, y_proba, classes, pos_label, groups, counts)
    level = check_share(confidence_level, "confidence_level")
    if isinstance(cases, Cases) and cases.judge is not None:
        return certify_judged(cases, limits, level, judge_method)
    answers = cases if isinstance(cases, Answers) else Answers.of(cases)  # or checked elsewhere
    n_candidates = as_count(n_candidates, "n_candidates")
    check_promise(
        limits,
        promise=promise,
        thresholds=thresholds,
        n_classes=len(answers.classes),
        graded=answers.kind == "grade",
        grouped=answers.groups != (None,),
        others=other_scores is not None,
    )
    answers.check_shape(thresholds)
    if promise != "with confidence":
        found = _on_average(answers, *next(iter(limits.items())))
        return found.with_scores(answers.score_bins())
    if other_scores is None:
        tested, others = answers.split(random_state)
    else:
        tested, others = answers, answers.others(other_scores, other_groups)
        others.check_shape(thresholds)
    found = _with_confidence(tested, others, limits, level, n_candidates, thresholds)
    return found.with_scores(answers.score_bins())


def certify_counts(answers: Answers, holder: str, **asked: Any) -> Certified:
    """Certify what a curve has counted; refuse what it does not hold."""
    for name in ("groups", "other_groups", "y_score", "y_proba", "classes", "counts", "pos_label"):
        if asked.get(name) is not None:
            raise ValueError(
                f"{name} is given, but a {holder} holds counts of all its cases together; give the "
                "cases themselves to cautious.guarantees.certify."
            )
    return certify(answers, **asked)


def check_promise(
    limits: Mapping[str, float],
    *,
    promise: str,
    thresholds: str,
    n_classes: int,
    graded: bool = False,
    grouped: bool = False,
    others: bool = False,
) -> None:
    """Check what is asked of :func:`certify` as far as it can be told without scores."""
    check_choice(thresholds, "thresholds", get_args(Shape))
    check_choice(promise, "promise", get_args(Promise))
    if thresholds == "two" and n_classes != 2:
        raise ValueError(f"thresholds='two' is for two classes; there are {n_classes}.")
    for limit in (LIMITS[name] for name in limits):
        if thresholds != "one" and limit.of_side is None:
            raise ValueError(f"{limit.argument} can be promised with thresholds='one' only.")
        if limit.two_classes and graded:
            raise InputError(
                "{==name} is for two classes, and these are graded answers; give {=max_error}, the "
                "share of wrong ones among those that go out.",
                name=limit.argument,
            )
        if limit.two_classes and n_classes > 2:
            raise InputError(
                "{==name} is for two classes, and there are {n}; give {=max_error}, or one class "
                "against the rest with {=pos_label}.",
                name=limit.argument,
                n=n_classes,
            )
    if promise == "with confidence":
        return
    if len(limits) != 1 or not all(LIMITS[name].on_average for name in limits):
        possible = [argument for argument, limit in LIMIT_ARGUMENTS.items() if limit.on_average]
        given = [argument for argument, limit in LIMIT_ARGUMENTS.items() if limit.name in limits]
        raise ValueError(
            f"promise is 'on average', which one limit can be kept by, one of "
            f"{', '.join(possible)}; given are {', '.join(given)}. Give one, or choose "
            "promise='with confidence'."
        )
    for name, odd in (
        (f"thresholds={thresholds!r}", thresholds != "one"),
        ("groups", grouped),
        ("other_scores", others),
    ):
        if odd:
            raise ValueError(
                f"{name} is given, but promise='on average' takes one threshold for all cases "
                "from their own scores; leave it out, or choose promise='with confidence'."
            )


def _with_confidence(
    cases: Answers,
    others: Answers,
    limits: Mapping[str, float],
    level: float,
    how_many: int,
    shape: Shape,
) -> Certified:
    """Certify one threshold, or one for the answers of each class at an equal share of δ."""
    sides: list[int | None] = [None] if shape == "one" else [*range(len(cases.classes))]
    chosen = np.full(len(sides), np.inf)
    delta = (1 - level) / len(sides)
    most_abstained = {name: limits[name] for name in limits if name == "abstention"}
    if most_abstained and len(limits) > 1:
        delta /= 2
    tests: list[LimitTest] = []
    needed: list[int] = []
    answered, middle, graded = 0, None, cases.kind == "grade"
    if shape == "two":
        probable = float(np.nextafter(0.5, 1))  # one half itself speaks for the negative class
        middle = probable if cases.are_within_unit else float(np.nanmedian(others.score))
    for at, side in enumerate(sides):
        strength, other_strength = (part.strength(side, middle) for part in (cases, others))
        if side is not None and not np.isfinite(other_strength).any():
            continue  # nobody prefers this class, so it is never answered
        thresholds = candidates(other_strength, how_many, others.count)
        if graded:
            thresholds = between(thresholds, other_strength)
        own, unbroken = _limits_of_side(limits, side, len(sides))
        mistakes = {name: own[name] for name in own if name != "abstention"}
        tallies = Tallies.of(cases, thresholds, strength, side)
        expected = Tallies.of(others, thresholds, other_strength, side)
        start, last = _strictest_first(tallies, expected, mistakes, delta, graded=graded)
        # Abstentions are tested from the loosest on, down to the first failure.
        failed = np.flatnonzero(~tallies.passed(most_abstained, delta))
        if last < start or last <= failed.max(initial=-1):
            cases_needed = tallies.cases_needed(mistakes or limits, delta)
            if most_abstained and not tallies.kept(own).any():
                cases_needed = None  # no number of cases would be enough
            needed += [] if cases_needed is None else [cases_needed]
            continue
        chosen[at] = thresholds[last]
        answered += tallies.answered(last)
        tests += tallies.tests(own, last, of_side=side is not None)
        if any(tallies.pair(name)[0][:, last].any() for name in unbroken):
            raise AssertionError(f"one of {', '.join(unbroken)} is promised, but was not tested")
    method = "fixed sequence of exact binomial tests" + GRADED * graded
    certificate = Certificate(dict(limits), level, cases.n, tuple(tests), method, cases.missing)
    if not tests:
        return _nothing(certificate, min(needed, default=None))
    return _granted(certificate, cases, chosen, answered, shape)


def _on_average(cases: Answers, name: str, limit: float) -> Certified:
    """Take the loosest threshold that keeps a limit with one more wrong answer counted."""
    falling = np.unique(cases.confidence[np.isfinite(cases.confidence)])[::-1]
    tallies = Tallies.of(cases, falling, cases.confidence, by_class=LIMITS[name].two_classes)
    wrong, among = (part[0] for part in tallies.pair(name))
    kept = np.flatnonzero(wrong + 1 <= limit * (among + 1))
    method = "one more wrong answer counted" + GRADED * (cases.kind == "grade")
    certificate = Certificate({name: limit}, None, cases.n, method=method, missing=cases.missing)
    if not len(kept):
        needed = math.ceil(1 / limit) - 1  # with no mistake at all, so many would do
        return _nothing(certificate, None if among.max(initial=0) >= needed else needed)
    last = int(kept[-1])
    test = LimitTest(name, limit, int(wrong[last]), int(among[last]), None)
    certificate = replace(certificate, tests=(test,))
    return _granted(certificate, cases, falling[[last]], tallies.answered(last), "one")


def _granted(
    certificate: Certificate, cases: Answers, thresholds: Floats, answered: int, shape: Shape
) -> Certified:
    """Make the rule of the thresholds that were chosen."""
    about: dict[str, Any] = {"classes": cases.classes, "certificate": certificate.to_dict()}
    values = thresholds.tolist()
    if cases.kind == "grade":
        rule = Rule.acceptance(values[0], certificate=about["certificate"])
    elif shape == "one":
        rule = Rule.confidence(values[0], **about)
    elif shape == "per class":
        rule = Rule.class_thresholds(values, **about)
    else:
        rule = Rule.window(-values[0], values[1], **about)
    return Certified(rule, certificate, answered / cases.n)


def _nothing(certificate: Certificate, needed: int | None) -> Certified:
    return Certified(None, replace(certificate, granted=False, cases_needed=needed), 0.0)


def _limits_of_side(
    limits: Mapping[str, float], side: int | None, k: int
) -> tuple[dict[str, float], list[str]]:
    """Give what the answers of one class, or all, are tested for, and limits they cannot break."""
    own: dict[str, float] = {}
    unbroken = []
    for name, limit in limits.items():
        split = LIMITS[name].of_side
        assert side is None or split is not None  # refused before
        parts = {name: limit} if side is None or split is None else split(limit, side, k)
        unbroken += [] if parts else [name]
        own |= {tested: min(most, own.get(tested, most)) for tested, most in parts.items()}
    return own, unbroken


def _strictest_first(
    tallies: Tallies, expected: Tallies, limits: Mapping[str, float], delta: float, *, graded: bool
) -> tuple[int, int]:
    """Test candidates from strict to loose; give the first one tested and the last that passed."""
    enough = np.ones(len(tallies), dtype=np.bool_)
    for name, limit in limits.items():
        if LIMITS[name].of_answers:
            answered = expected.pair(name)[1] * (tallies.n / np.maximum(expected.n, 1))[:, None]
            least = answers_to_begin(limit, 1 - delta, answered[:, -1:] if graded else None)
            # A group without other cases says nothing about where to begin.
            enough &= ((expected.n == 0)[:, None] | (answered >= least)).all(axis=0)
    return first_and_last(enough, tallies.passed(limits, delta))
