"""Thresholds on the confidence of graded answers, beside all thresholds tried one by one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cautious
from cautious._cases import Cases
from cautious._labels import GRADES
from cautious.errors import InputError
from cautious.tuning._cross_fitting import cross_fit
from cautious.tuning._goal import Goal
from cautious.tuning._search import search_cases

COSTS = {"wrong": 5, "abstain": 1}


def graded(right, confidence, **about):
    codes = np.asarray(right, dtype=np.intp)
    score = np.asarray(confidence, dtype=float)
    return Cases("model", GRADES, codes, y_score=score, pos_label=GRADES[1], graded=True, **about)


rows = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from([0.1, 0.5, 0.5001, 7, np.inf, np.nan]), st.integers(1, 2)
    ),
    min_size=2,
    max_size=12,
).filter(lambda cases: sum(level > 0 for _, level, _ in cases) > 1)


def tried(right, out, weight, wrong=5, abstain=1, needless=1):
    """Share answered, share wrong, and cost, by a loop."""
    total = answered = mistakes = cost = 0.0
    for one, goes_out, times in zip(right, out, weight, strict=True):
        total += times
        if goes_out:
            answered += times
            mistakes += times * (not one)
            cost += times * wrong * (not one)
        else:
            cost += times * (needless if one else abstain)
    return answered / total, mistakes / total, cost / total


@given(rows, st.sampled_from([1, 3]))
def test_no_threshold_is_cheaper(cases, needless):
    right, confidence, weight = (np.array(column) for column in zip(*cases, strict=True))
    costs = COSTS | {"needless": needless}
    search = search_cases(
        graded(right, confidence, sample_weight=weight.astype(float)), Goal(costs)
    )
    found = search.found
    every = (confidence >= t for t in np.unique(confidence))  # nan, the last, is not reached
    best = min(tried(right, out, weight, needless=needless)[2] for out in (*every, right < 0))
    own = tried(right, found.rule.accept(confidence), weight, needless=needless)
    assert found.cost == pytest.approx(best)
    assert own == pytest.approx((1 - found.abstention, found.error, found.cost))
    assert found.rule.accept(confidence).tolist() == (search.answer == 1).tolist()


@given(
    rows,
    st.sampled_from(["max_error", "max_abstention", "min_saving"]),
    st.sampled_from([0.0, 0.2, 0.6]),
)
def test_budgets_are_kept_and_used(cases, budget, share):
    right, confidence, weight = (np.array(column) for column in zip(*cases, strict=True))
    found = search_cases(
        graded(right, confidence, sample_weight=weight.astype(float)), Goal(**{budget: share})
    ).found
    every = [tried(right, confidence >= t, weight) for t in (*np.unique(confidence), np.nan)]
    rate = lambda one: one[1] / one[0] if one[0] else 0.0  # noqa: E731
    if budget == "max_error":
        allowed = [one for one in every if rate(one) <= share + 1e-9]
        assert 1 - found.abstention == pytest.approx(max(one[0] for one in allowed))
    elif budget == "min_saving":
        allowed = [one for one in every if one[1] <= (1 - share) * every[0][1] + 1e-9]
        assert 1 - found.abstention == pytest.approx(max(one[0] for one in allowed))
    else:
        share = max(share, 1 - every[0][0])  # some have no confidence
        allowed = [one for one in every if 1 - one[0] <= share + 1e-9]
        assert np.nan_to_num(found.selective_error) == pytest.approx(min(map(rate, allowed)))


def test_thresholds_lie_between_confidences_and_hold_on_held_out_answers():
    rng = np.random.default_rng(0)
    confidence = rng.beta(5, 1, 2000).round(2)
    right = rng.random(2000) < confidence
    search = search_cases(graded(right, confidence), Goal(COSTS))
    threshold = search.found.rule.threshold
    assert threshold not in confidence
    assert threshold == pytest.approx(0.8, abs=0.06)  # an answer is worth it from 1 − 1/5 on
    expected = cross_fit(search).expected(0.95)
    assert expected.cost.low < np.mean(np.where(confidence >= 0.8, 5 * (1 - confidence), 1))
    assert expected.cost.estimate >= search.found.cost - 1e-9
    assert expected.ppv is None


def test_costs_of_each_answer_decide():
    cases = graded([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    dear = search_cases(cases, Goal({"wrong": [1, 1, 9, 1], "abstain": 1}))
    cheap = search_cases(cases, Goal({"wrong": [0.1] * 4, "abstain": 1}))
    assert dear.found.rule.threshold == pytest.approx(0.75)
    assert cheap.found.rule.threshold == -np.inf
    with pytest.raises(InputError, match="stands in for what escalating costs"):
        search_cases(cases, Goal(COSTS, max_error=0.1))
    with pytest.raises(InputError, match="has no 'abstain'"):
        search_cases(cases, Goal({"wrong": 1}))


GOALS = [
    *({"costs": {"wrong": wrong, "abstain": 0.2}} for wrong in (0.3, 0.6, None)),
    *({"max_error": share, "per": per} for share in (0, 0.1, 0.5) for per in ("answer", "case")),
    *({"max_abstention": x, "per": per} for x in (0, 0.3, 1) for per in ("answer", "case")),
    *({"min_saving": share} for share in (0, 0.4, 1)),
]


@example([(False, 0.1, 1), (True, 0.1, 1)], 3, GOALS[1])  # shares tie but for rounding
@given(rows, st.integers(0, 99), st.sampled_from(GOALS))
def test_folds_are_answered_as_by_searching_each_anew(cases, seed, goal):
    right, confidence, weight = (np.tile(column, 5) for column in zip(*cases, strict=True))
    rng = np.random.default_rng(seed)
    fold, wrong = rng.permutation(np.arange(len(right)) % 3), rng.integers(1, 9, len(right))

    def search(at):
        by_case = {"costs": {"wrong": wrong[at], "abstain": 0.2}}
        asked = by_case if goal.get("costs", {}).get("wrong", 0) is None else goal
        part = graded(right[at], confidence[at], sample_weight=weight[at].astype(float))
        return search_cases(part, Goal(**asked))

    answers = search(slice(None)).held_out(fold)
    for number in range(3):
        held_out, others = fold == number, fold != number
        if not np.isnan(confidence[others]).all():
            accepted = search(others).found.rule.accept(confidence[held_out])
            assert accepted.tolist() == (answers[held_out] == 1).tolist()


@pytest.mark.parametrize("goal", GOALS[3:])
def test_budgets_of_many_answers_are_spent_as_well_as_by_any_threshold(goal):
    rng = np.random.default_rng(0)
    confidence, weight = rng.normal(size=2000).round(2), rng.integers(1, 4, 2000) * 1.0
    right = rng.random(2000) < 1 / (1 + np.exp(-confidence))
    confidence[:100:2], confidence[1:100:2] = np.nan, np.inf
    found = search_cases(graded(right, confidence, sample_weight=weight), Goal(**goal)).found
    out = confidence >= np.unique(confidence)[:, None]  # nan, the last, is not reached
    answered, wrong = (out @ each / weight.sum() for each in (weight, weight * ~right))
    rate = np.divide(wrong, answered, where=answered > 0, out=np.zeros_like(wrong))
    share = next(iter(goal.values()))
    if "max_abstention" in goal:
        within = 1 - answered <= max(share, 1 - answered[0]) + 1e-9
        if goal["per"] == "case":
            assert found.error == pytest.approx(wrong[within].min())
        else:  # answering nothing is no way to err less
            least = rate[within & (answered > 0)].min()
            assert found.selective_error == pytest.approx(least)
        return
    within = wrong <= (1 - share) * wrong[0] + 1e-9
    if "max_error" in goal:
        within = (rate if goal["per"] == "answer" else wrong) <= share + 1e-12
    assert 1 - found.abstention == pytest.approx(answered[within].max())


def test_answers_without_a_confidence_never_go_out_whatever_is_promised():
    right = [1] * 500 + [1] * 425 + [0] * 75
    frame = pd.DataFrame({"right": right, "confidence": [np.nan] * 500 + [0.9] * 500})
    asked = {"correct": "right", "max_error": 0.1, "confidence_level": 0.95}
    assert not cautious.tune(frame, **asked).found  # 15 % of what could go out is wrong
    granted = cautious.tune(frame, **asked | {"max_error": 0.2})
    (test,) = granted.rule.certificate["tests"]
    assert test["answered"] < 450
    for share in (0.6, 0.2):  # more are without a confidence than 20 %
        found = cautious.tune(frame, correct="right", max_abstention=share).found["predictions"]
        assert found.abstention == 0.5
    with pytest.raises(InputError, match="no case with a score"):
        cautious.tune(frame[:500], correct="right", max_error=0.1)


@pytest.mark.parametrize(
    "asked", [{"costs": COSTS}, {"max_error": 0.2}, {"max_error": 0.3, "confidence_level": 0.9}]
)
def test_evaluate_counts_what_tune_found_where_confidences_are_missing(asked):
    rng = np.random.default_rng(1)
    confidence = rng.beta(3, 1, 900).round(2)
    frame = pd.DataFrame({"right": rng.random(900) < confidence, "confidence": confidence})
    frame.loc[::7, "confidence"] = np.nan
    tuned = cautious.tune(frame, correct="right", **asked)
    counted = cautious.evaluate(frame, correct="right", rule=tuned.rule, costs=COSTS)
    (found,) = tuned.found.values()
    names = {"abstention": "abstention", "error": "error", "selective_error": "selective_risk"}
    for name, measure in (names | ({"cost": "cost"} if found.cost else {})).items():
        assert counted.value(measure) == pytest.approx(getattr(found, name)), name
    assert "129 of 900 answers have no confidence; escalated" in str(tuned)
    assert all(one.abstention.low > 0.14 for one in tuned.expected.values())


def test_what_a_limit_does_is_told_by_grade_and_one_confidence_for_all_is_said():
    frame = pd.DataFrame({"right": [True, True, False] * 100, "confidence": 0.8})
    text = str(cautious.tune(frame, correct="right", max_error=0.4, confidence_level=0.9))
    assert "by grade, on these cases" in text
    assert "grade  share of cases  escalated\n" in text
    assert "all answers have the same confidence" in text


def test_infinite_confidences_are_the_ends_of_the_scale():
    rng = np.random.default_rng(0)
    right = rng.random(2000) < 0.95
    confidence = np.where(rng.random(2000) < 0.5, -np.inf, np.where(right, np.inf, 0.0))
    frame = pd.DataFrame({"right": right, "confidence": confidence})
    asked = {"correct": "right", "confidence_level": 0.95}
    for limit, answered in ((0.03, np.inf), (0.1, -np.inf)):
        rule = cautious.tune(frame, **asked, max_error=limit).rule
        kept = confidence >= answered
        assert rule.accept(confidence).tolist() == kept.tolist()
        (test,) = rule.certificate["tests"]
        assert test["answered"] == pytest.approx(0.8 * kept.sum(), rel=0.05)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"by_group": True}, "by_group is given, but only a promise needs it"),
        ({"by_group": True, "confidence_level": 0.9}, "by_group asks for groups"),
        ({"judge": "right"}, "judge is given, but only a promise needs it"),
    ],
)
def test_what_only_a_promise_needs_is_refused_without_one(asked, words):
    frame = pd.DataFrame({"right": [1, 0] * 40, "confidence": [0.9, 0.3] * 40})
    with pytest.raises(InputError, match=words):
        cautious.tune(frame, correct="right", max_error=0.1, **asked)


def test_the_confidence_that_is_named_ranks_best_also_where_some_are_missing():
    right = np.array([True, False] * 100)
    at = np.arange(200)
    one = np.where(at % 4 < 2, np.nan, right)
    other = (right | (at % 10 == 1)).astype(float)
    frame = pd.DataFrame({"right": right, "one": one, "other": other})
    found = cautious.compare(frame, correct="right", confidence=["one", "other"])
    assert found.best == "other"
    gap = found.models["augrc"]["one"] - found.models["augrc"]["other"]
    assert found.pairs["augrc_difference"].iloc[0] == pytest.approx(gap)


def test_a_promise_with_a_judge_or_by_group_says_what_it_is_about():
    rng = np.random.default_rng(0)
    confidence = rng.beta(5, 1, 2000)
    right = rng.random(2000) < confidence
    frame = pd.DataFrame({"right": right, "confidence": confidence, "judge": right, "of": "a"})
    asked = {"correct": "right", "max_error": 0.1, "confidence_level": 0.9}
    promised = cautious.tune(frame, **asked, groups="of", by_group=True)
    assert "On new cases like these, in each group, with 90 % confidence:" in str(promised)
    frame["right"] = frame["right"].where(np.arange(2000) < 60)
    (refused,) = cautious.tune(frame, **asked, judge="judge").certificates.values()
    assert not refused.granted
    assert 60 < refused.cases_needed < 400


@pytest.mark.parametrize("goal", [Goal(COSTS), Goal(max_error=0.1), Goal(max_abstention=0.5)])
def test_without_any_confidence_everything_is_escalated(goal):
    search = search_cases(graded([1, 0, 1, 1], [np.nan] * 4), goal)
    assert search.found.rule.describe() == "Escalate always."
    assert search.answer.tolist() == search.held_out(np.arange(4) % 2).tolist() == [2] * 4
