"""``tune``: one search, shared with the estimator."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

import cautious
from cautious.curves import Staircase
from cautious.curves._staircase import direction_notes
from cautious.decision._rule_json import rules_from_json
from cautious.errors import InputError
from cautious.guarantees import certify


def test_best_model():
    y = [0, 0, 0, 1, 1, 1] * 12
    good, poor = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9] * 12, [0.1, 0.8, 0.3, 0.7, 0.2, 0.9] * 12
    costs = {"false_negative": 5, "false_positive": 5, "abstain": 1}
    found = cautious.tune({"good": (y, good), "poor": (y, poor)}, costs=costs)
    assert found.best == "good"
    assert "good is expected to do best on new cases: cost 0, and the difference" in str(found)
    twins = cautious.tune({"a": (y, good), "b": (y, good)}, costs=costs)
    assert twins.best is None
    assert "cannot be told apart from b (the same answers to all cases)" in twins.verdict
    apparent = cautious.tune({"good": (y, good), "poor": (y, poor)}, costs=costs, honest=False)
    assert apparent.best is None
    assert "Which model will do best on new cases was not estimated." in str(apparent)
    few = cautious.tune({"good": (y[:30], good[:30]), "poor": (y[:30], poor[:30])}, costs=costs)
    assert few.best is None
    assert list(found.frame().index) == ["good", "poor"]
    with pytest.raises(ValueError, match="take one of"):
        _ = found.rule


def test_written_and_read(tmp_path):
    found = cautious.tune({"m": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, max_abstention=0.5)
    found.to_json(tmp_path / "rule.json")
    assert rules_from_json(tmp_path / "rule.json") == found.rules
    assert found.rule.data["n"] == 4
    assert json.loads(found.to_json())["models"]["m"]["model"] == "m"


def test_refusals():
    with pytest.raises(InputError, match="no threshold to tune"):
        cautious.tune(pd.DataFrame({"y_true": ["a", "b"], "y_set": ["a", "b"]}), max_error=0.1)
    with pytest.raises(ValueError, match="give costs, or exactly one"):
        cautious.tune({"m": ([0, 1], [0.2, 0.8])})
    with pytest.raises(ValueError, match="false_negative"):
        cautious.tune({"m": ([0, 1], [0.2, 0.8])}, costs={"fn": 1, "fp": 1, "abstain": 1})


def test_costs_may_be_text_as_they_are_to_the_estimator():
    given = {"m": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])}
    text = {"false_negative": "10", "false_positive": "4", "abstain": "1"}
    found = cautious.tune(given, costs=text)
    numbers = {key: float(cost) for key, cost in text.items()}
    assert found.goal["costs"] == numbers
    assert found.rule == cautious.tune(given, costs=numbers).rule
    with pytest.raises(TypeError, match=r"costs\['abstain'\] holds the text 'one'"):
        cautious.tune(given, costs={**text, "abstain": "one"})


def test_notes():
    found = cautious.tune({"m": ([0, 1, 0, 1] * 5, [0.9, 0.2, 0.8, 0.1] * 5)}, max_abstention=0.5)
    assert any("speaks against" in str(note) for note in found.notes)
    missing = cautious.tune(
        {"m": ([0, 1, 0, 1], [0.1, 0.9, np.nan, 0.8])}, max_abstention=0.5, missing="abstain"
    )
    (said,) = [str(note) for note in missing.notes if "score" in str(note)]
    assert "about the 3 cases with a score; the rule abstains on the other 1 of 4" in said


def test_notes_stand_below_the_table():
    """A column of kilograms changes the result, and nobody looks into an attribute."""
    frame = pd.DataFrame({"y_true": [0, 1] * 20, "score": [0.9, 0.2, 0.8, 0.4] * 10})
    frame["weight"] = 70.5
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    two = {"a": (frame["y_true"], frame["score"]), "b": (frame["y_true"], 1 - frame["score"])}
    for found, sign in (
        (cautious.tune(frame, costs=costs), "note: column 'weight' is taken as the weight"),
        (cautious.tune(frame, costs=costs), "truth 'y_true', weight 'weight', score 'score'"),
        (cautious.evaluate(frame), "note: column 'weight' is taken as the weight"),
        (cautious.evaluate(frame), "Nothing is abstained on: give window, confidence or rule."),
        (cautious.compare(two, n_resamples=20), "note: 'a': a high score speaks against '1' (AUC"),
    ):
        assert str(found).count(sign) == 1
        assert str(found).index(sign) > str(found).index("0")
        assert found._repr_html_().count(escape(sign)) == 1


@pytest.mark.parametrize("decimals", [1, 3])
@pytest.mark.parametrize("n_positives", [1, 7, 60, 400])
def test_the_other_direction_is_told_from_chance(n_positives, decimals):
    """The note stands where scipy's test finds less than one in a thousand, ties and all."""
    rng = np.random.default_rng(n_positives)
    said = []
    for shift in np.linspace(0, 2, 21):
        y = np.repeat([0, 1], [100, n_positives])
        score = (rng.normal(size=len(y)) - shift * y).round(decimals)
        p = mannwhitneyu(
            score[y == 1], score[y == 0], alternative="less", method="asymptotic",
            use_continuity=False,
        ).pvalue  # fmt: skip
        noted = bool([*direction_notes("m", Staircase.from_predictions(y, score))])
        assert noted == (p < 0.001)
        said.append(noted)
    assert any(said) == (n_positives > 1)
    assert not said[0]


def normal_scores(rng, n, distance, positives=0.5):
    y = (rng.random(n) < positives).astype(int)
    z = rng.normal(size=n) + distance * y
    return y, 1 / (1 + np.exp(-(distance * z - distance**2 / 2)))


def test_a_promise_comes_with_the_rule(tmp_path):
    rng = np.random.default_rng(0)
    y, score = normal_scores(rng, 1500, 3.0)
    found = cautious.tune({"m": (y, score)}, max_error=0.02, confidence_level=0.9)
    certificate = found.certificates["m"]
    assert "The table counts all cases; the promise rests on its calibration cases" in str(found)
    assert certificate.granted
    assert certificate.limits == {"error": 0.02}
    assert certificate.confidence_level == 0.9
    assert found.goal == {"max_error": 0.02, "confidence_level": 0.9}
    assert found.rule.certificate == certificate.to_dict()
    assert "On new cases like these, with 90 % confidence: at most 2 % of the answers" in str(found)
    found.to_json(tmp_path / "rule.json")
    assert rules_from_json(tmp_path / "rule.json")["m"].certificate == certificate.to_dict()
    # The rule is the certified one, and what is said of it was counted.
    mask = found.rule.predict_set(score)
    answered = mask.sum(axis=1) == 1
    assert found.found["m"].abstention == pytest.approx(1 - answered.mean())
    wrong = mask.argmax(axis=1)[answered] != y[answered]
    assert found.found["m"].selective_error == pytest.approx(wrong.mean())
    # The cases themselves would allow more answers.
    loose = cautious.tune({"m": (y, score)}, max_error=0.02, honest=False)
    assert loose.found["m"].abstention < found.found["m"].abstention
    assert not loose.certificates
    assert found.frame().loc["m", "apparent_abstention"] == found.found["m"].abstention


@pytest.mark.parametrize(
    "limits",
    [
        {"max_missed": 0.05},
        {"min_ppv": 0.9},
        {"min_npv": 0.95, "max_error": 0.1},
        {"max_missed": 0.1, "max_abstention": 0.6},
    ],
    ids=lambda limits: " ".join(limits),
)
def test_limits_of_positives_are_promised_as_certify_promises_them(limits):
    y, score = normal_scores(np.random.default_rng(3), 1200, 2.5, 0.3)
    found = cautious.tune({"m": (y, score)}, **limits, confidence_level=0.9)
    seed = int(np.random.default_rng(0).integers(2**31))
    one = certify(y, y_score=score, **limits, confidence_level=0.9, random_state=seed)
    assert found.certificates["m"] == one.certificate
    assert found.certificates["m"].granted
    assert np.array_equal(found.rule.predict_set(score), one.rule.predict_set(score))
    assert found.goal == {**limits, "confidence_level": 0.9}
    assert found.rule.data["goal"] == {**limits, "per": "answer"}
    # What is promised was counted on the cases that it speaks of.
    answer = found.rule.predict_set(score)
    told = [answer[:, k] & ~answer[:, 1 - k] for k in (0, 1)]
    seen = {
        "max_missed": told[0][y == 1].mean(),
        "min_ppv": y[told[1]].mean(),
        "min_npv": 1 - y[told[0]].mean(),
        "max_error": ((told[0] & (y == 1)) | (told[1] & (y == 0))).sum() / sum(told).sum(),
        "max_abstention": 1 - sum(told).mean(),
    }
    for name, limit in limits.items():
        assert seen[name] <= limit if name.startswith("max") else seen[name] >= limit


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_missed": 0.1}, "max_missed is given without confidence_level"),
        ({"min_ppv": 0.9, "max_error": 0.1}, "min_ppv is given without confidence_level"),
        (
            {"min_npv": 1.0, "confidence_level": 0.9},
            "min_npv is 1.0; give a number between",
        ),
        ({"max_error": 0, "confidence_level": 0.9}, "max_error is 0; give a number between"),
        ({"max_error": 0.1, "confidence_level": 1}, "confidence_level is 1; give a number"),
        (
            {"max_missed": 0.1, "min_saving": 0.5, "confidence_level": 0.9},
            "min_saving is given beside max_missed with confidence_level",
        ),
        (
            {"max_missed": 0.1, "priors": 0.5, "confidence_level": 0.9},
            "shares of the classes are given, but a promise of max_missed",
        ),
    ],
)
def test_limits_that_cannot_be_promised(given, words):
    y, score = normal_scores(np.random.default_rng(3), 60, 2.5)
    with pytest.raises(InputError, match=re.escape(words)):
        cautious.tune({"m": (y, score)}, **given)


def test_limits_of_positives_need_two_classes():
    y = np.arange(60) % 3
    three = {"y_true": y, "y_proba": np.eye(3)[y] * 0.7 + 0.1, "classes": [0, 1, 2]}
    with pytest.raises(InputError, match="max_missed is for two classes, and there are 3"):
        cautious.tune({"m": three}, max_missed=0.1, confidence_level=0.9)


def _promise(y, score, share):
    return cautious.tune({"m": (y, score)}, max_error=share, confidence_level=0.95)


def test_no_rule_without_its_promise():
    rng = np.random.default_rng(1)
    y, score = normal_scores(rng, 200, 3.0)
    found = _promise(y, score, 0.01)
    assert not found.found
    assert found.certificates["m"].cases_needed > 200
    assert "Nothing can be promised from 160 calibration cases" in str(found)
    assert "calibration cases could be enough" in str(found)
    assert "'m': 8 % could have been promised from these cases; to promise a limit" in str(found)
    assert [bool(_promise(y, score, share).found) for share in (0.05, 0.08)] == [False, True]
    assert found.frame().empty
    assert found.to_dict()["certificates"]["m"]["granted"] is False
    for give in (lambda: found.rule, found.to_json):
        with pytest.raises(InputError, match="there is no rule to give"):
            give()
    assert not hasattr(found, "rule")
    both = cautious.tune(
        {"poor": (y, rng.random(200)), "good": (y, score)},
        max_error=0.1,
        confidence_level=0.9,
    )
    assert list(both.found) == ["good"] == [both.best]
    assert list(both.certificates) == ["poor", "good"]
    assert both.rule == both.rules["good"]
    twins = replace(both, found={"one": both.found["good"], "two": both.found["good"]})
    assert getattr(twins, "rule", None) is None
    with pytest.raises(ValueError, match=r"there are the models \['one', 'two'\]; take one of"):
        _ = twins.rule


def test_promises_for_other_predictions_and_refusals():
    rng = np.random.default_rng(2)
    y, score = normal_scores(rng, 1500, 3.0)
    margin = np.log(score / (1 - score)) * 10
    window = cautious.tune({"m": (y, margin)}, max_error=0.1, confidence_level=0.9)
    assert window.rule.lower < window.rule.upper
    per_case = cautious.tune({"m": (y, score)}, max_error=0.1, confidence_level=0.9, per="case")
    assert per_case.certificates["m"].limits == {"error_per_case": 0.1}
    p = np.column_stack([1 - score, score / 2, score / 2])
    three = cautious.tune(
        {"m": {"y_true": y, "y_proba": p, "classes": [0, 1, 2]}},
        max_error=0.3,
        confidence_level=0.9,
    )
    assert three.certificates["m"].granted
    weighted = {"m": {"y_true": y, "y_score": score, "sample_weight": np.full(1500, 2.0)}}
    asked = {"max_error": 0.1, "confidence_level": 0.9}
    with pytest.raises(InputError, match="leave the weights out"):
        cautious.tune(weighted, **asked)
    costs = {"false_negative": 2, "false_positive": 1}
    with pytest.raises(InputError, match="costs are given"):
        cautious.tune({"m": (y, score)}, costs=costs, **asked)
    with pytest.raises(InputError, match="'m' has 6 cases with a score; a promise needs 10"):
        cautious.tune({"m": (y[:6], score[:6])}, **asked)
    grouped = {"m": {"y_true": y, "y_score": score, "groups": np.arange(1500) // 3}}
    found = cautious.tune(grouped, **asked)
    assert found.grouped


def test_models_that_differ_by_chance_have_no_winner():
    """Fraud: 3 % positives, and two models that are as good as each other."""
    rng = np.random.default_rng(11)
    n = 6000
    y = (rng.random(n) < 0.03).astype(int)
    common = rng.normal(size=n)
    a, b = (2.2 * y + 0.8 * common + 0.6 * rng.normal(size=n) for _ in range(2))
    costs = {"false_negative": 4.0, "false_positive": 0.2, "abstain": 0.05}
    data = {"first": (y, a), "second": (y, b)}
    found = cautious.tune(data, costs=costs)
    cost = {name: one.cost for name, one in found.expected.items()}
    gap = abs(cost["first"].estimate - cost["second"].estimate)
    assert 0 < gap < 0.2 * cost["first"].estimate
    assert found.best is None
    assert "cannot be told apart from" in found.verdict
    unknown = cautious.compare(data, n_resamples=100)
    assert unknown.best is None
    assert "cannot be told apart from" in unknown.verdict
    # The costs themselves do differ, and the smaller is named for what it is.
    assert found.found["first"].cost != found.found["second"].cost
    worse = cautious.tune({"first": (y, a), "worse": (y, a - 1.2 * y)}, costs=costs)
    assert worse.best == "first"


def test_models_seen_on_other_cases_are_compared_too():
    rng = np.random.default_rng(3)
    data = {name: normal_scores(rng, n, d) for name, n, d in (("a", 400, 1.0), ("b", 500, 4.0))}
    costs = {"false_negative": 5, "false_positive": 5, "abstain": 1}
    found = cautious.tune(data, costs=costs)
    assert found.best == "b"
    assert "judged on different cases, so" in str(found.notes[-1])
    assert found.verdict.endswith(
        "is significant. They were judged on different cases, and the "
        "difference may be one of these."
    )
    y, score = data["a"]
    alike = cautious.tune({"a": (y, score), "same": (y, -score)}, costs=costs)
    assert "different cases" not in str(alike)


@pytest.mark.slow
def test_promises_of_several_models_hold_together():
    # Ten models that all err slightly too often: hardly ever may one of them get a rule.
    rng, given = np.random.default_rng(3), 0
    for _ in range(20):
        models = {}
        for name in range(10):
            score = rng.random(300)
            wrong = rng.random(300) < 0.105
            models[f"m{name}"] = (((score > 0.5) ^ wrong).astype(int), score)
        found = cautious.tune(models, max_error=0.1, confidence_level=0.9)
        given += bool(found.found)
    assert given <= 5  # at 90 % for each model, it was 9 or 10 of 20
    assert "all promises hold together with 90 % confidence" in str(found)
    alone = cautious.tune({"m0": models["m0"]}, max_error=0.1, confidence_level=0.9)
    assert "together" not in str(alone)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1, ""),
        (100, "Are these per cent? Then divide by 100"),
        (-3, "The middle score is taken"),
        (None, "such as 1.3, so they"),
    ],
)
def test_a_promise_about_scores_that_are_no_probabilities_is_noted(times, said):
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=400)
    score = (times or 1) / (1 + np.exp(-(4 * y - 2 + rng.normal(size=400))))
    if times is None:  # one score above 1
        score[y.argmax()] = 1.3
    found = cautious.tune({"m": (y, score)}, max_error=0.2, confidence_level=0.95)
    noted = [str(note) for note in found.notes if "scores lie outside 0 to 1" in str(note)]
    assert [said in note for note in noted] == ([True] if said else [])
    assert any("per cent" in note for note in noted) == (times == 100)
    if times == 100:  # what to do comes first
        assert noted[0].startswith(f"'m': {said}")


def test_a_summary_is_told_what_tunes_on_counts():
    y, score = [0, 0, 1, 0, 1, 1] * 20, [0.1, 0.3, 0.4, 0.6, 0.7, 0.9] * 20
    costs = {"false_negative": 4, "false_positive": 1, "abstain": 0.3}
    summary = cautious.summarise(pd.DataFrame({"y_true": y, "score": score}))
    with pytest.raises(TypeError) as refused:
        cautious.tune(summary, costs=costs)
    for call in ("summary.cost_surface().for_costs(costs)", "summary.certify(max_error=...)"):
        assert call in str(refused.value)
        eval(call.replace("...", "0.4"), {"summary": summary, "costs": costs})  # it works


def test_a_promise_about_cases_in_groups_says_that_it_takes_them_apart():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    frame = pd.DataFrame(
        {"y_true": y, "y_score": 0.2 + 0.6 * y, "patient": rng.integers(40, size=400)}
    )
    alone = cautious.tune(frame, max_error=0.1, confidence_level=0.9)
    grouped = cautious.tune(frame, max_error=0.1, confidence_level=0.9, groups="patient")
    assert not alone.grouped
    assert "come in groups" not in str(alone)
    assert "takes every case for a draw of its own" in str(grouped)
    assert not cautious.tune(frame, max_error=0.1, groups="patient").grouped  # nothing is promised
    # Two sites are no groups to keep together; they only break the cases down.
    sites = frame.assign(patient=frame["patient"] % 2)
    assert not cautious.tune(sites, max_error=0.1, confidence_level=0.9, groups="patient").grouped


def test_capacity_as_cases_per_day_is_a_share_of_those_that_come():
    y, score = normal_scores(np.random.default_rng(5), 300, 2.0)
    data = {"m": (y, score)}
    found = cautious.tune(data, max_abstention=40, per="day", arrivals=400)
    share = cautious.tune(data, max_abstention=0.1)
    assert found.rule == share.rule
    assert found.goal == {"max_abstention": 40, "per": "day", "arrivals": 400}
    assert "at most 40 abstentions a day, where 400 cases come" in str(found)
    promise = {"max_error": 0.2, "confidence_level": 0.9}
    found = cautious.tune(data, max_abstention=40, per="day", arrivals=80, **promise)
    assert found.certificates["m"].limits == {"error": 0.2, "abstention": 0.5}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"per": "day", "max_abstention": 40}, "per='day' is given without arrivals"),
        ({"per": "day", "max_error": 0.1, "arrivals": 9}, "is given without max_abstention"),
        ({"arrivals": 9, "max_abstention": 0.1}, "arrivals is given, but max_abstention is a"),
        ({"per": "day", "max_abstention": 9, "arrivals": 8}, "is 9 and arrivals is 8, in cases"),
        ({"per": "day", "max_abstention": -1, "arrivals": 8}, "no more than those can be"),
        ({"per": "day", "max_abstention": 0, "arrivals": 0}, "some must come"),
        ({"per": "day", "max_abstention": 1, "arrivals": np.inf}, "arrivals is inf"),
    ],
)
def test_cases_per_day_that_make_no_share(given, words):
    with pytest.raises(InputError, match=re.escape(words)):
        cautious.tune({"m": ([0, 1], [0.1, 0.9])}, **given)


@pytest.mark.parametrize("how", ["expected", "apparent", "promised", "three"])
def test_what_a_limit_hides_is_said(how):
    """A limit on all answers may be kept where most answers to the rarer class are wrong."""
    rng = np.random.default_rng(2)
    y = (rng.random(900) < 0.2).astype(int)
    p = np.clip(0.25 + 0.15 * y + 0.15 * rng.normal(size=900), 0.01, 0.99)
    data, classes = {"m": (y, p)}, [0, 1]
    if how == "three":
        classes = [0, 1, 2]
        data = {
            "m": {"y_true": y, "y_proba": np.column_stack([1 - p, p, 0 * p]), "classes": classes}
        }
    options = {"promised": {"confidence_level": 0.9}, "apparent": {"honest": False}}.get(how, {})
    found = cautious.tune(data, max_error=0.2, **options)
    table = found.by_class["m"]
    assert table.index.tolist() == classes
    assert table["share"].to_numpy() == pytest.approx(np.bincount(y, minlength=len(classes)) / 900)
    assert table.loc[1, "selective_error"] > 0.6 > 0.1 > table.loc[0, "selective_error"]
    assert found.constant["m"] == (0, pytest.approx(y.mean()))
    text = str(found)
    assert f"The single answer 0 to all cases errs on {100 * y.mean():.1f} %." in text
    assert ("by true class, expected" in text) == (how == "expected")
    record = found.to_dict()["models"]["m"]
    assert record["by_class"]["1"] == pytest.approx(table.loc[1].to_dict())
    assert record["constant"] == {"answer": "0", "error": pytest.approx(y.mean())}
    if how == "expected":
        expected = found.expected["m"]
        spoken = 1 - table["abstention"]
        right = spoken * (1 - table["selective_error"])
        assert right.to_list() == pytest.approx(
            [expected.specificity.estimate, expected.sensitivity.estimate]
        )
    if how in ("promised", "apparent"):
        sets = found.rule.predict_set(p)
        answered = sets.sum(axis=1) == 1
        for label in (0, 1):
            wrong = sets[answered & (y == label), 1 - label]
            assert table.loc[label, "selective_error"] == pytest.approx(wrong.mean())
            assert table.loc[label, "abstention"] == pytest.approx(1 - answered[y == label].mean())
    costs = {"false_negative": 5, "false_positive": 1, "abstain": 0.5}
    assert not cautious.tune({"m": (y, p)}, costs=costs).by_class
