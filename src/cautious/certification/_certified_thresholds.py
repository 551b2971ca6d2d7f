"""Certified thresholds: candidates, tests of them in a fixed order, and what is taken."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from cautious._typing import Floats, Ints
from cautious.certification._bounds import least_answers
from cautious.certification._calibration_cases import HEAD_START, Cases, Tallies
from cautious.certification._certificate import Certificate, LimitTest
from cautious.decision import Rule

__all__ = ["Certified", "Shape", "on_average", "one_threshold", "several_thresholds"]

Shape: TypeAlias = Literal["one", "two", "per class"]
"""How many thresholds a certified rule has."""


@dataclass(frozen=True)
class Certified:
    """A rule with its certificate, or the certificate alone where nothing can be promised.

    Attributes
    ----------
    rule : Rule or None
        The rule; None where no rule could be certified.
    certificate : Certificate
        What is promised, or what it would take.
    coverage : float
        Share of the calibration cases that the rule answers.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.guarantees import certify
    >>> y = np.arange(400) % 2
    >>> found = certify(y, y_score=0.1 + 0.8 * y, max_error=0.05)
    >>> found.rule is not None, found.coverage
    (True, 1.0)
    """

    rule: Rule | None
    certificate: Certificate
    coverage: float

    def with_scores(
        self, bins: Mapping[str, Any], *, column: str | None = None, model: str | None = None
    ) -> Certified:
        """Let the rule hold bins of the scores, their column and their model, as far as known."""
        if self.rule is None:
            return self
        kept = {"scores": dict(bins) or None, "score": column}
        data = {name: value for name, value in kept.items() if value is not None}
        about = {} if model is None else {"model": model}
        return replace(self, rule=self.rule.with_details(**about, data=data or None))

    def __str__(self) -> str:
        answered = "" if self.rule is None else f"\n{self.rule.describe()}"
        return f"{self.certificate}{answered}"


def one_threshold(
    cases: Cases, others: Cases, limits: Mapping[str, float], level: float, how_many: int
) -> Certified:
    """Certify a threshold on the confidence of all answers."""
    (answer, confidence), (other_answer, other_confidence) = cases.preferred(), others.preferred()
    thresholds = _candidates(other_confidence, how_many, others.count)
    tallies = Tallies.of(cases, thresholds, confidence, answer)
    expected = Tallies.of(others, thresholds, other_confidence, other_answer)
    mistakes = {name: value for name, value in limits.items() if name != "abstention"}
    delta = 1 - level
    if mistakes and "abstention" in limits:
        delta /= 2
    start, last = 0, len(thresholds) - 1
    if mistakes:
        start, last = _strictest_first(tallies, expected, mistakes, delta)
    granted = last >= start
    if granted and "abstention" in limits:
        granted = last >= _loosest_first(tallies, limits["abstention"], delta)
    if not granted:
        return _nothing(cases, limits, level, tallies.cases_needed(mistakes or limits, delta))
    certificate = _certificate(cases, limits, level, tallies.tests(limits, last))
    rule = Rule.confidence(
        float(thresholds[last]), classes=cases.classes, certificate=certificate.to_dict()
    )
    return Certified(rule, certificate, tallies.answered(last) / cases.n)


def several_thresholds(
    cases: Cases,
    others: Cases,
    limits: Mapping[str, float],
    level: float,
    how_many: int,
    shape: Shape,
) -> Certified:
    """Certify the answers of each class by a threshold of their own, at an equal share of δ."""
    k = len(cases.classes)
    delta = (1 - level) / k
    chosen = np.full(k, np.inf)
    tests: list[LimitTest] = []
    needed: list[int] = []
    answered = 0
    if shape == "two":
        cases, others = cases.of_positive(), others.of_positive()
        probable = float(np.nextafter(0.5, 1))  # one half itself speaks for the negative class
        middle = probable if cases.are_probabilities else float(np.nanmedian(others.scores))
    for side in range(k):
        # How strongly the scores speak for this class, where it is the one preferred.
        strength, other_strength = (
            one.distance(side, middle) if shape == "two" else one.strength(side)
            for one in (cases, others)
        )
        if not np.isfinite(other_strength).any():
            continue  # nobody prefers this class, so it is never answered
        thresholds = _candidates(other_strength, how_many, others.count)
        own = _limits_of_side(limits, side, k)
        tallies = Tallies.of(cases, thresholds, strength, side)
        expected = Tallies.of(others, thresholds, other_strength, side)
        start, last = _strictest_first(tallies, expected, own, delta)
        if last < start:
            cases_needed = tallies.cases_needed(own, delta)
            needed += [] if cases_needed is None else [cases_needed]
            continue
        chosen[side] = thresholds[last]
        answered += tallies.answered(last)
        tests += tallies.tests(own, last)
    if not tests:
        return _nothing(cases, limits, level, min(needed, default=None))
    certificate = _certificate(cases, limits, level, tests)
    about: dict[str, Any] = {"classes": cases.classes, "certificate": certificate.to_dict()}
    if shape == "per class":
        rule = Rule.class_thresholds(chosen, **about)
    else:
        negative, upper = chosen.tolist()
        rule = Rule.window(-negative, upper, **about)
    return Certified(rule, certificate, answered / cases.n)


def on_average(cases: Cases, name: str, limit: float) -> Certified:
    """Take the loosest threshold that keeps a limit with one more wrong answer counted."""
    answer, confidence = cases.preferred()
    scores, wrong, answered, among = _running_counts(cases, name, answer, confidence)
    kept = np.flatnonzero((wrong + 1 <= limit * (among + 1)) & np.isfinite(scores))
    certificate = replace(
        _certificate(cases, {name: limit}, 0.0, ()),
        confidence_level=None,
        method="one more wrong answer counted",
    )
    if not len(kept):
        # With no mistake at all, so many would do.
        needed = math.ceil(1 / limit) - 1
        fewest = None if int(among.max(initial=0)) >= needed else needed
        return Certified(None, replace(certificate, granted=False, cases_needed=fewest), 0.0)
    last = int(kept[-1])
    test = LimitTest(name, limit, int(wrong[last]), int(among[last]), None)
    certificate = replace(certificate, tests=(test,))
    rule = Rule.confidence(
        float(scores[last]), classes=cases.classes, certificate=certificate.to_dict()
    )
    return Certified(rule, certificate, int(answered[last]) / cases.n)


def _running_counts(
    cases: Cases, name: str, answer: Ints, confidence: Floats
) -> tuple[Floats, Ints, Ints, Ints]:
    """Count at every score, most confident first: mistakes, answers, and among how many."""
    missed: Any = answer != cases.truth
    if name == "missed":
        missed &= cases.truth == 1
    order = np.argsort(-confidence)
    falling = confidence[order]
    ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    if cases.count is None:
        wrong, answered = np.cumsum(missed[order], dtype=np.int64)[ends], ends + 1
    else:
        parts = cases.count * missed, cases.count
        wrong, answered = (np.cumsum(part[order])[ends] for part in parts)
    if name == "error":
        return falling[ends], wrong, answered, answered
    n = cases.n if name == "error_per_case" else int(cases.per_group()[1].sum())
    return falling[ends], wrong, answered, np.full(len(ends), n)


def _certificate(
    cases: Cases, limits: Mapping[str, float], level: float, tests: Sequence[LimitTest]
) -> Certificate:
    return Certificate(dict(limits), level, cases.n, tuple(tests), missing=cases.missing)


def _nothing(
    cases: Cases, limits: Mapping[str, float], level: float, needed: int | None
) -> Certified:
    certificate = replace(
        _certificate(cases, limits, level, ()), granted=False, cases_needed=needed
    )
    return Certified(None, certificate, 0.0)


def _limits_of_side(limits: Mapping[str, float], side: int, k: int) -> dict[str, float]:
    """Limits on the answers of one class that together imply the limits on all answers."""
    own: dict[str, float] = {}
    allowed = [limits["error"]] if "error" in limits else []
    if k == 2:
        name = ("false_omission", "false_discovery")[side]
        allowed += [limits[name]] if name in limits else []
        if "missed" in limits and side == 0:
            own["missed"] = limits["missed"]
    if allowed:
        own["error"] = min(allowed)
    if "error_per_case" in limits:
        own["error_per_case"] = limits["error_per_case"] / k
    return own


def _candidates(confidence: Floats, how_many: int, count: Ints | None = None) -> Floats:
    """Thresholds at equally spaced coverages of other cases, falling."""
    known = np.isfinite(confidence)
    if count is None:
        falling = np.sort(confidence[known])[::-1]
        reached = np.arange(1, len(falling) + 1)
    else:
        order = np.flatnonzero(known)[np.argsort(-confidence[known])]
        falling, reached = confidence[order], np.cumsum(count[order])
    if not len(falling) or not reached[-1]:
        raise ValueError(
            "none of the cases that candidate thresholds are chosen from has a finite score; give "
            "scores that are numbers, in y_score or y_proba, and in other_scores where it is given."
        )
    wanted = np.ceil(np.arange(1, how_many + 1) / how_many * reached[-1])
    return np.asarray(np.unique(falling[np.searchsorted(reached, wanted)])[::-1])


_AMONG_ANSWERS = ("error", "false_discovery", "false_omission")


def _strictest_first(
    tallies: Tallies, expected: Tallies, limits: Mapping[str, float], delta: float
) -> tuple[int, int]:
    """Test candidates from strict to loose; give the first one tested and the last that passed."""
    enough = np.ones(len(tallies), dtype=np.bool_)
    for name in _AMONG_ANSWERS:
        if name in limits:
            share = expected.pair(name)[1] / np.maximum(expected.n, 1)[:, None]
            wanted = HEAD_START * least_answers(limits[name], 1 - delta)
            # A group without other cases says nothing about where to begin.
            known = (expected.n > 0)[:, None]
            enough &= (~known | (share * tallies.n[:, None] >= wanted)).all(axis=0)
    start = int(np.argmax(enough)) if enough.any() else len(tallies) - 1
    failed = np.flatnonzero(~tallies.passed(limits, delta)[start:])
    return start, start + (int(failed[0]) if len(failed) else len(tallies) - start) - 1


def _loosest_first(tallies: Tallies, limit: float, delta: float) -> int:
    """Find the strictest candidate whose abstention is certified, testing from the loosest on."""
    failed = np.flatnonzero(~tallies.passed({"abstention": limit}, delta))
    return int(failed[-1]) + 1 if len(failed) else 0
