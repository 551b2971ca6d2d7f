"""Certified rules: promises kept where the truth is known, refusals, and words."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

from cautious.decision import Rule
from cautious.guarantees import Certificate, certify


def world(rng, n, d=2.0):
    """Labels and the right probabilities of two unit normals d apart."""
    y = rng.integers(2, size=n)
    return y, 1 / (1 + np.exp(-d * rng.normal(d * (y - 0.5), 1)))


def true_risk(threshold, d=2.0):
    """Risk and coverage of answering where the larger probability reaches a threshold."""
    z = np.log(threshold / (1 - threshold)) / d
    wrong, right = norm.sf(z + d / 2), norm.sf(z - d / 2)
    return wrong / (wrong + right), wrong + right


def classes3(rng, n):
    """Three classes with their right probabilities."""
    x = rng.normal(size=(n, 3)) * 3
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    u = rng.random(n)
    return (u[:, None] > p.cumsum(axis=1)).sum(axis=1).clip(0, 2), p


def test_the_promise_is_kept():
    rng = np.random.default_rng(0)
    risks, coverages = [], []
    for _ in range(120):
        _, others = world(rng, 500)
        y, p = world(rng, 300)
        found = certify(y, y_score=p, other_scores=others, max_error=0.1, confidence_level=0.9)
        risk, coverage = (0, 0) if found.rule is None else true_risk(found.rule.threshold)
        risks.append(risk)
        coverages.append(coverage)
    assert np.mean(np.array(risks) > 0.1) <= 0.1 + 2 * np.sqrt(0.09 / 120)
    assert np.mean(coverages) > 0.55


@pytest.mark.parametrize("shape", ["one", "per class"])
def test_three_classes(shape):
    rng = np.random.default_rng(1)
    overdrawn, answered = [], []
    fresh_y, fresh_p = classes3(rng, 100_000)
    for _ in range(40):
        _, others = classes3(rng, 1000)
        y, p = classes3(rng, 1500)
        found = certify(
            y,
            y_proba=p,
            other_scores=others,
            max_error=0.15,
            confidence_level=0.9,
            thresholds=shape,
        )
        assert found.rule is not None
        sets = found.rule.predict_set(fresh_p)
        given = sets.sum(axis=1) == 1
        wrong = ~sets[np.arange(len(sets)), fresh_y] & given
        overdrawn.append(wrong.sum() / max(given.sum(), 1) > 0.15)
        answered.append(given.mean())
    assert np.mean(overdrawn) <= 0.1 + 2 * np.sqrt(0.09 / 40)
    assert np.mean(answered) > 0.3


def test_several_limits_at_once():
    rng = np.random.default_rng(2)
    _, others = world(rng, 2000, 3)
    y, p = world(rng, 4000, 3)
    found = certify(
        y,
        y_score=p,
        other_scores=others,
        max_error=0.05,
        min_ppv=0.95,
        min_npv=0.9,
        max_missed=0.06,
        max_abstention=0.4,
    )
    assert found.rule is not None
    assert {one.limit for one in found.certificate.tests} == {
        "error",
        "false_discovery",
        "false_omission",
        "missed",
        "abstention",
    }
    assert all(one.p_value <= 0.025 for one in found.certificate.tests)


def test_two_thresholds():
    rng = np.random.default_rng(3)
    _, others = world(rng, 2000)
    y, p = world(rng, 3000)
    found = certify(y, y_score=p, other_scores=others, min_ppv=0.95, min_npv=0.8, thresholds="two")
    rule = found.rule
    assert rule.kind == "window"
    # The negative side is allowed more mistakes, so its threshold lies nearer to the middle.
    assert 1 - rule.upper < rule.lower
    margins = np.log(p / (1 - p))
    by_margin = certify(
        y,
        y_score=margins,
        other_scores=np.log(others / (1 - others)),
        min_ppv=0.95,
        min_npv=0.8,
        thresholds="two",
    )
    assert by_margin.rule.upper == pytest.approx(np.log(rule.upper / (1 - rule.upper)), abs=0.2)


def test_each_group_keeps_the_limit():
    rng = np.random.default_rng(4)
    _, others = world(rng, 2000)
    (y1, p1), (y2, p2) = world(rng, 4000, 3), world(rng, 4000, 1.5)
    y, p = np.concatenate([y1, y2]), np.concatenate([p1, p2])
    groups = np.repeat(["easy", "hard"], 4000)
    whole = certify(y, y_score=p, other_scores=others, max_error=0.1)
    each = certify(y, y_score=p, max_error=0.1, groups=groups)
    assert each.rule.threshold > whole.rule.threshold
    assert {one.group for one in each.certificate.tests} == {"easy", "hard"}


def test_nothing_to_promise():
    rng = np.random.default_rng(5)
    y, p = world(rng, 60)
    found = certify(y, y_score=p, other_scores=p, max_error=0.001)
    assert found.rule is None
    assert not found.certificate.granted
    noise = certify(rng.integers(2, size=500), y_score=rng.random(500), max_error=0.01)
    assert noise.rule is None
    assert noise.certificate.cases_needed is None
    assert "Nothing can be promised" in str(noise.certificate)


def test_the_number_of_cases_needed_is_about_right():
    rng = np.random.default_rng(6)
    _, others = world(rng, 5000, 3)
    y, p = world(rng, 600, 3)
    found = certify(y, y_score=p, other_scores=others, max_error=0.005)
    assert found.rule is None
    n = found.certificate.cases_needed
    assert n is not None
    y, p = world(rng, 4 * n, 3)
    assert certify(y, y_score=p, other_scores=others, max_error=0.005).rule is not None


def test_missing_scores_are_counted():
    rng = np.random.default_rng(7)
    y, p = world(rng, 2000)
    p[:7] = np.nan
    found = certify(y, y_score=p, max_error=0.15)
    assert found.certificate.missing in range(8)
    assert found.rule.predict_set([np.nan]).all()
    whole = certify(y, y_score=p, other_scores=p, max_error=0.15)
    assert whole.certificate.missing == 7
    assert "7 of them had no score" in str(whole.certificate)


def test_saved_and_read():
    rng = np.random.default_rng(8)
    y, p = world(rng, 2000)
    found = certify(y, y_score=p, max_error=0.15)
    again = Certificate.from_json(found.certificate.to_json())
    assert again == found.certificate
    rule = Rule.from_json(found.rule.to_json())
    assert Certificate.from_dict(json.loads(json.dumps(rule.certificate))) == found.certificate
    with pytest.raises(ValueError, match="no certificate"):
        Certificate.from_dict({"schema": "other"})
    with pytest.raises(ValueError, match="no limit"):
        Certificate.from_dict(found.certificate.to_dict() | {"limits": {"luck": 0.1}})
    with pytest.raises(ValueError, match="lacks it"):
        Certificate.from_dict({"schema": "cautious.certificate/1"})


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({}, "no limit is given"),
        ({"max_error": 0}, "max_error is 0"),
        ({"max_error": 1.2}, "max_error is 1.2"),
        ({"max_error": 0.1, "confidence_level": 1}, "confidence_level is 1"),
        ({"max_error": 0.1, "thresholds": "three"}, "choose 'one', 'two'"),
        ({"max_abstention": 0.1, "thresholds": "two"}, "thresholds='one' only"),
        ({"max_error": 0.1, "groups": ["a"]}, "groups has 1 rows"),
        ({"max_error": 0.1, "y_proba": [[0.5, 0.5]] * 4}, "either y_score or y_proba"),
    ],
)
def test_refusals(wishes, words):
    with pytest.raises(ValueError, match=words):
        certify([0, 1, 0, 1], y_score=[0.1, 0.8, 0.3, 0.7], **wishes)


def test_more_refusals():
    with pytest.raises(ValueError, match="one score per case"):
        certify([0, 1], y_score=[0.1], max_error=0.1)
    with pytest.raises(ValueError, match="no probabilities"):
        certify([0, 1] * 5, y_score=np.arange(10.0), max_error=0.1)
    with pytest.raises(ValueError, match="for two classes"):
        certify([0, 1, 2], y_proba=np.eye(3), min_ppv=0.9)
    with pytest.raises(ValueError, match="not among the classes"):
        certify([0, 1, 5], y_proba=np.eye(3), classes=[0, 1, 2], max_error=0.1)
