"""Certified rules: promises kept where the truth is known, refusals, and words."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cautious._cases import Cases
from cautious._labels import GRADES
from cautious.decision import Rule
from cautious.guarantees import Certificate, certify
from cautious.guarantees._limits import LIMIT_ARGUMENTS


def world(rng, n, d=2.0):
    """Labels and the right probabilities of two unit normals d apart."""
    y = rng.integers(2, size=n)
    return y, 1 / (1 + np.exp(-d * rng.normal(d * (y - 0.5), 1)))


def classes3(rng, n):
    """Three classes with their right probabilities."""
    x = rng.normal(size=(n, 3)) * 3
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    u = rng.random(n)
    return (u[:, None] > p.cumsum(axis=1)).sum(axis=1).clip(0, 2), p


def test_several_limits_at_once():
    rng = np.random.default_rng(2)
    _, others = world(rng, 2000, 3)
    y, p = world(rng, 4000, 3)
    asked = {"max_error": 0.05, "min_ppv": 0.95, "min_npv": 0.9, "max_missed": 0.06}
    found = certify(y, y_score=p, other_scores=others, max_abstention=0.4, **asked)
    assert found.rule is not None
    names = {"error", "false_discovery", "false_omission", "missed", "abstention"}
    assert {one.limit for one in found.certificate.tests} == names
    assert all(one.p_value <= 0.025 for one in found.certificate.tests)


def test_two_thresholds():
    rng = np.random.default_rng(3)
    _, others = world(rng, 2000)
    y, p = world(rng, 3000)
    asked = {"min_ppv": 0.95, "min_npv": 0.8, "thresholds": "two"}
    rule = certify(y, y_score=p, other_scores=others, **asked).rule
    assert rule.kind == "window"
    # The negative side is allowed more mistakes, so its threshold lies nearer to the middle.
    assert 1 - rule.upper < rule.lower
    margins = np.log(p / (1 - p))
    others = np.log(others / (1 - others))
    by_margin = certify(y, y_score=margins, other_scores=others, **asked)
    assert by_margin.rule.upper == pytest.approx(np.log(rule.upper / (1 - rule.upper)), abs=0.2)


def test_a_window_has_thresholds_that_occur_among_the_scores():
    # 1 - (1 - 0.22) is less than 0.22: the window must not be what rounding makes of it.
    p = np.repeat([0.1, 0.22, 0.9], [100, 900, 1000])
    y = np.repeat([0, 1, 0, 1], [60, 40, 900, 1000])
    found = certify(y, y_score=p, other_scores=p, min_npv=0.9, thresholds="two")
    assert (found.rule.lower, found.rule.upper, found.coverage) == (0.22, 0.9, 1.0)
    assert (found.rule.predict_set(p).sum(axis=1) == 1).all()


def test_each_group_keeps_the_limit():
    rng = np.random.default_rng(4)
    _, others = world(rng, 2000)
    (y1, p1), (y2, p2) = world(rng, 4000, 3), world(rng, 4000, 1.5)
    y, p = np.concatenate([y1, y2]), np.concatenate([p1, p2])
    groups = np.repeat(["easy", "hard"], 4000)
    whole = certify(y, y_score=p, other_scores=others, max_error=0.1)
    each = certify(y, y_score=p, max_error=0.1, groups=groups)
    assert each.rule.threshold > whole.rule.threshold
    assert all(f"cases: in group {name} " in str(each.certificate) for name in ("easy", "hard"))


def test_nothing_to_promise():
    rng = np.random.default_rng(5)
    y, p = world(rng, 60)
    found = certify(y, y_score=p, other_scores=p, max_error=0.001)
    assert found.rule is None
    assert not found.certificate.granted
    noise = certify(rng.integers(2, size=500), y_score=rng.random(500), max_error=0.01)
    assert noise.rule is None
    assert noise.certificate.cases_needed is None
    assert "share of mistakes seen is above the limit" in str(noise.certificate)
    y, p = world(rng, 3000, 1)
    both = certify(y, y_score=p, max_error=0.01, max_abstention=0.1)
    assert "no threshold keeps all of these limits" in str(both.certificate)
    for limit, n, sure in ((0.01, 400, 80), (0.05, 40, 20)):  # the surest are right, and too few
        y = np.where(np.arange(n) < sure, 1, rng.integers(2, size=n))
        short = certify(y, y_score=np.linspace(1, 0.5, n), max_error=limit)
        assert "calibration cases could be enough" in str(short.certificate)


def test_bad_luck_is_answered_with_a_number():
    """Where enough cases were there, and the test failed all the same, twice as many are named."""
    unlucky = Certificate({"error": 0.1}, 0.95, 400, granted=False, cases_needed=350)
    assert "about 800 calibration cases have a good chance to be enough" in str(unlucky)
    few = Certificate({"error": 0.1}, 0.95, 300, granted=False, cases_needed=350)
    assert "about 350 calibration cases could be enough" in str(few)


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
    assert "7 of them had no score; the rule abstains" in str(whole.certificate)
    graded = Cases("m", GRADES, y, y_score=p, pos_label=GRADES[1], graded=True)
    words = str(certify(graded, max_error=0.4).certificate)
    assert "had no confidence; such answers are escalated" in words
    assert "(p < 0.0001)" in str(certify(y, y_score=p, max_error=0.3).certificate)


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


THREE = {"y_score": None, "y_proba": np.full((4, 3), 1 / 3), "classes": [0, 1, 2]}


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({}, "no limit is given"),
        ({"max_error": 0.1, "thresholds": "three"}, "choose 'one', 'two'"),
        ({"max_abstention": 0.1, "thresholds": "two"}, "thresholds='one' only"),
        ({"max_error": 0.1, "groups": ["a"]}, "groups has 1 rows"),
        ({"max_error": 0.1, "y_proba": [[0.5, 0.5]] * 4}, "either y_score or y_proba"),
        ({"max_error": 0.1, "y_score": [0.1]}, "one score per case"),
        ({"max_error": 0.1, "y_score": np.arange(4.0)}, "no probabilities"),
        ({"max_error": 0.1, "y_score": [np.nan] * 4}, "finite score; give .* in y_score or y_p"),
        ({"max_error": 0.1, "other_scores": [np.nan] * 4}, "in other_scores where it is given"),
        ({"max_error": 0.1, "n_candidates": 0}, "n_candidates is 0"),
        ({"max_error": 0.1, "groups": ["u", None] * 2}, r"groups\[1\] is missing"),
        ({"min_ppv": 0.9, **THREE}, "min_ppv is for two classes, and there are 3"),
        ({"max_error": 0.1, **THREE, "classes": [0, 2, 3]}, "not among the classes"),
        ({"max_error": 0.1, "y_true": [], "y_score": []}, "no calibration cases"),
        (
            {"max_error": 0.1, "groups": ["u"] * 4, "other_scores": [0.1, 0.8]}
            | {"other_groups": ["u", "v"]},
            "group v is in other_groups, but no calibration case",
        ),
    ],
)
def test_refusals(wishes, words):
    given = {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.8, 0.3, 0.7]} | wishes
    with pytest.raises(ValueError, match=words):
        certify(given.pop("y_true"), **given)


@pytest.mark.parametrize("bad", [0, 1, -0.1, 1.5, np.nan, "0.1", True])
@pytest.mark.parametrize("name", [*LIMIT_ARGUMENTS, "confidence_level"])
def test_limits_and_levels_outside_0_and_1(name, bad):
    with pytest.raises(ValueError, match=f"{name} is "):
        certify([0, 1] * 50, y_score=[0.1, 0.9] * 50, **{"max_error": 0.1} | {name: bad})


def test_a_class_without_calibration_cases_is_never_answered():
    rng = np.random.default_rng(13)
    y, p = classes3(rng, 3000)
    seen = y < 2
    found = certify(
        y[seen], y_proba=p[seen], classes=[0, 1, 2], max_error=0.2, thresholds="per class"
    )
    assert found.rule.thresholds[2] == np.inf
    assert not (found.rule.predict_set(p).sum(axis=1) == 1)[p.argmax(axis=1) == 2].any()


def test_on_average_one_more_wrong_answer_is_counted():
    """Against a loop over all thresholds."""
    rng = np.random.default_rng(9)
    for _ in range(30):
        y, p = world(rng, 40)
        p = p.round(1)  # with ties
        found = certify(y, y_score=p, max_error=0.2, promise="on average")
        confidence, right = np.maximum(p, 1 - p), (p > 0.5) == y
        passed = [
            t
            for t in np.unique(confidence)
            if 1 + (~right[confidence >= t]).sum() <= 0.2 * (1 + (confidence >= t).sum())
        ]
        if not passed:
            assert found.rule is None
            continue
        assert found.rule.threshold == min(passed)
        assert found.coverage == (confidence >= min(passed)).mean()


def test_on_average_in_words():
    rng = np.random.default_rng(10)
    y, p = world(rng, 400)
    found = certify(y, y_score=p, max_error=0.1, promise="on average")
    assert str(found.certificate).startswith("On new cases like these, on average: at most 10 %")
    assert Certificate.from_json(found.certificate.to_json()) == found.certificate
    assert found.coverage > certify(y, y_score=p, other_scores=p, max_error=0.1).coverage
    few = certify(y[:5], y_score=p[:5], classes=[0, 1], max_error=0.1, promise="on average")
    assert few.rule is None
    assert few.certificate.cases_needed == 9
    per_case = certify(y, y_score=p, max_error_per_case=0.05, promise="on average")
    test = per_case.certificate.tests[0]
    assert test.answered == 400
    assert test.wrong == 19  # 20 of 401 are fewer than 5 %
    missed = certify(y, y_score=p, max_missed=0.05, promise="on average").certificate.tests[0]
    assert missed.answered == y.sum()


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"max_error": 0.1, "promise": "perhaps"}, "promise is 'perhaps'"),
        ({"max_error": 0.1, "max_missed": 0.1}, "given are max_error, max_missed"),
        ({"min_ppv": 0.9}, "given are min_ppv"),
        ({"max_error": 0.1, "thresholds": "two"}, "thresholds='two' is given"),
        ({"max_error": 0.1, "groups": ["a"] * 4}, "groups is given"),
        ({"max_error": 0.1, "other_scores": [0.5]}, "other_scores is given"),
    ],
)
def test_what_cannot_be_kept_on_average(wishes, words):
    wishes = {"promise": "on average"} | wishes
    with pytest.raises(ValueError, match=words):
        certify([0, 1, 0, 1], y_score=[0.1, 0.8, 0.3, 0.7], **wishes)


@pytest.mark.parametrize("shape", ["one", "per class"])
def test_per_cents_are_asked_about(shape):
    y = np.arange(40) % 2
    for scores, ends in ((np.where(y, 80.0, 20.0), "Then divide by 100."), (y - 0.5, "='two'.")):
        with pytest.raises(ValueError, match=f"no probabilities.*{ends}$"):
            certify(y, y_score=scores, max_error=0.2, thresholds=shape)


@pytest.mark.parametrize("shape", ["one", "two"])
def test_counts_stand_for_cases(shape):
    rng = np.random.default_rng(11)
    y, p = world(rng, 3000)
    p = p.round(2)
    _, others = world(rng, 1000)
    wishes = {"other_scores": others, "max_error": 0.1, "thresholds": shape}
    one_by_one = certify(y, y_score=p, **wishes)
    rows, counts = np.unique(np.column_stack([y, p]), axis=0, return_counts=True)
    counted = certify(rows[:, 0].astype(int), y_score=rows[:, 1], counts=counts, **wishes)
    assert counted.certificate == one_by_one.certificate
    assert counted.rule == one_by_one.rule
    average = {"max_error": 0.1, "promise": "on average"}
    assert (
        certify(rows[:, 0].astype(int), y_score=rows[:, 1], counts=counts, **average).certificate
        == certify(y, y_score=p, **average).certificate
    )
    # A fifth of the cases, not of the rows, is set aside.
    alone = certify(rows[:, 0].astype(int), y_score=rows[:, 1], counts=counts, max_error=0.1)
    assert alone.certificate.n == 2400
    with pytest.raises(ValueError, match="whole numbers of cases"):
        certify(rows[:, 0].astype(int), y_score=rows[:, 1], counts=counts / 3, max_error=0.1)
    with pytest.raises(ValueError, match="counts has shape"):
        certify(rows[:, 0].astype(int), y_score=rows[:, 1], counts=[3], max_error=0.1)


def test_nothing_is_known_of_missed_cases_without_a_positive_one():
    found = certify([0] * 100, y_score=np.zeros(100), classes=[0, 1], max_missed=0.1)
    assert found.rule is None


def test_a_rare_group_needs_many_cases():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    score = np.clip(rng.normal(0.15 + 0.7 * y, 0.15), 0, 1)
    found = certify(y, y_score=score, max_error=0.2, groups=["z"] + ["a"] * 599)
    assert found.rule is None
    # 17 faultless answers, of one case in 600.
    assert found.certificate.cases_needed is None or found.certificate.cases_needed > 5000
