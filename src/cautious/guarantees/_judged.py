r"""Promises about graded answers of which a judge has graded many, and people a few.

A judge errs, so that its grades alone promise nothing. They help as far as they vary with those of
people: where people found an answer wrong, did the judge, too?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import special

from cautious._cases import Cases
from cautious._checks import check_choice
from cautious._typing import Floats, Ints, Mask
from cautious.decision import Rule
from cautious.errors import InputError
from cautious.guarantees._tallies import (
    Certified,
    answers_to_begin,
    between,
    candidates,
    cases_needed,
    first_and_last,
)
from cautious.guarantees.bounds import risk_bound
from cautious.guarantees.certificate import Certificate, LimitTest

JudgeMethod: TypeAlias = Literal["betting", "measured"]
"""How grades by a judge are used: proved, or measured by simulation."""

_METHODS = {
    "betting": "betting on human grades, helped by the judge's (proved)",
    "measured": "prediction-powered estimate with added mistakes (measured, not proved: see the "
    "table of promises with a judge on the page of honesty)",
}
"""What a certificate says of them."""

_CANDIDATES = 100
_WEIGHTS = np.array([0.25, 0.5, 0.75, 1.0])
_STAKES = np.arange(1, 20) / 20
# The share of the risk of failing that goes into how often the judge finds fault.
_FOR_JUDGE = 0.2


class JudgedCounts(NamedTuple):
    """Answers that go out at each candidate."""

    # Graded by people and the judge: whether each found it wrong, of shape (candidates, 2, 2).
    wrong: Ints
    # Of those that the judge alone has graded: found wrong, and all.
    blamed: Ints
    judged: Ints

    @classmethod
    def of(cls, cases: Cases, others: Cases, thresholds: Floats) -> JudgedCounts:
        """Count answers at falling thresholds; a grade of the judge must be known to count."""
        rising = thresholds[::-1]

        def counted(given: Cases, found: Mask, judge: Ints) -> Ints:
            known = (judge >= 0) & ~given.missing  # without a confidence none goes out
            first = len(rising) - np.searchsorted(rising, given.score, "right")
            cell = (first * 2 + found) * 2 + (judge == 0)
            sums = np.bincount(cell[known], minlength=(len(rising) + 1) * 4).reshape(-1, 2, 2)
            return np.asarray(sums[:-1].cumsum(axis=0))

        wrong = counted(cases, cases.truth == 0, np.asarray(cases.judge))
        blamed = counted(others, np.zeros(others.n, np.bool_), np.asarray(others.judge))[:, 0]
        return cls(wrong, blamed[:, 1], blamed.sum(axis=1))

    @property
    def graded(self) -> Ints:
        """Answers that people have graded."""
        return np.asarray(self.wrong.sum(axis=(1, 2)))


def betting_p_value(counts: JudgedCounts, limit: float, delta: float) -> Floats:
    """Test at each candidate whether the risk exceeds a limit, by betting with the judge's help."""
    # With θ_U an upper limit of how often the judge finds fault, at a part of delta, the
    # wealth of a bet against "risk > α" is the product over answers that people graded of 1 +
    # s (α − λ θ_U − (H − λ J)), averaged over stakes s and weights λ of
    # the judge, both fixed beforehand.
    wealth = np.zeros(len(counts.judged))
    most = np.asarray(risk_bound(counts.blamed, counts.judged, 1 - _FOR_JUDGE * delta))
    human, judge = np.indices((2, 2))
    for at, theta in enumerate(most.tolist()):
        gain = (limit - _WEIGHTS * theta)[:, None, None] - (human - _WEIGHTS[:, None, None] * judge)
        largest = 1 / np.maximum(-gain.min(axis=(1, 2)), 1e-12)  # no bet may lose all
        stakes = largest[:, None] * _STAKES
        logs = np.log1p(stakes[:, :, None, None] * gain[:, None])
        total = (logs * counts.wrong[at]).sum(axis=(2, 3))
        wealth[at] = special.logsumexp(total) - math.log(total.size)
    # Passing at 1/(.8 δ) leaves the rest of δ for the judge.
    return np.asarray(np.minimum(1.0, np.exp(-wealth) / (1 - _FOR_JUDGE)))


def measured_p_value(counts: JudgedCounts, limit: float, delta: float) -> Floats:
    """Test at each candidate by a prediction-powered estimate, guarded by added mistakes."""
    z = float(special.ndtri(1 - delta))
    values = np.ones(len(counts.judged))
    for at, (cells, k, m) in enumerate(zip(*counts, strict=True)):
        if not m or not cells.sum():
            continue
        guarded = cells + np.array([[0.0, 0.0], [z * z, 0.0]])  # "human wrong, judge right"
        n = float(guarded.sum())
        human, judge = guarded[1].sum() / n, guarded[:, 1].sum() / n
        covariance = guarded[1, 1] / n - human * judge
        spread = judge * (1 - judge)
        weight = covariance / (spread * (1 + n / m)) if spread > 0 else 0.0
        variance = max(limit * (1 - limit), human * (1 - human))
        squared = (variance - 2 * weight * covariance + weight**2 * spread) / n
        squared += weight**2 * spread / m
        estimate = human + weight * (k / m - judge)
        values[at] = special.ndtr((estimate - limit) / math.sqrt(squared))
    return values


def certify_judged(
    cases: Cases, limits: Mapping[str, float], confidence_level: float, method: JudgeMethod
) -> Certified:
    """Find the loosest threshold at which few human grades and many of a judge keep a limit."""
    if list(limits) != ["error"]:
        raise InputError(
            "with a judge's grades only {=max_error} can be promised; leave {=judge} out, or the "
            "other limits."
        )
    check_choice(method, "judge_method", _METHODS)
    limit, others = limits["error"], cases.ungraded
    if others is None or others.judge is None or not (others.judge >= 0).any():
        raise InputError(
            "{=judge} is given, but people have graded every answer that the judge has; leave it "
            "out, or add answers without a human grade."
        )
    delta = 1 - confidence_level
    # The candidates are confidences of answers that no person has graded.
    thresholds = between(candidates(others.score, _CANDIDATES), others.score)
    counts = JudgedCounts.of(cases, others, thresholds)
    test = betting_p_value if method == "betting" else measured_p_value
    p_values = test(counts, limit, delta)
    expected = counts.judged * (cases.n / others.n)
    enough = expected >= answers_to_begin(limit, confidence_level, expected[-1])
    start, last = first_and_last(enough, p_values <= delta)
    certificate = Certificate(
        {"error": limit}, confidence_level, cases.n, (), _METHODS[method], int(cases.missing.sum())
    )
    if last < start:
        # As many would be enough without the judge.
        seen = counts.wrong[:, 1].sum(axis=1), counts.graded
        needed = cases_needed(*seen, cases.n, limit, confidence_level)
        return Certified(None, replace(certificate, granted=False, cases_needed=needed), 0.0)
    wrong, answered = int(counts.wrong[last, 1].sum()), int(counts.graded[last])
    tested = LimitTest("error", limit, wrong, answered, float(p_values[last]))
    certificate = replace(certificate, tests=(tested,))
    rule = Rule.acceptance(float(thresholds[last]), certificate=certificate.to_dict())
    return Certified(rule, certificate, answered / cases.n)
