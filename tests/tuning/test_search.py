"""The one search for thresholds: against brute force, and against what the rule found does."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from cautious.costs import as_costs
from cautious.curves import AbstentionCostSurface
from cautious.datasets import load_dataset
from cautious.metrics import abstention_score, error_score, selective_accuracy_score
from cautious.models import TunedAbstainingClassifierCV
from cautious.tuning import find_rule
from cautious.tuning.class_thresholds import ClassThresholdCurve

COSTS = {"false_negative": 20.0, "false_positive": 4.0, "abstain": 1.0}


def predictions(n=200, n_classes=3, seed=0):
    """Informative probabilities that are not calibrated."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(n_classes, size=n - n_classes))
    score = rng.normal(size=(n, n_classes))
    score[np.arange(n), y] += 1.0
    p = np.exp(2 * score)
    return y, p / p.sum(axis=1, keepdims=True)


def check_numbers(found, y, values, weight=None):
    """What is said of a rule holds when it is applied."""
    sets = found.rule.predict_set(values)
    options = {"classes": found.rule.classes, "sample_weight": weight}
    assert abstention_score(y, sets, **options) == pytest.approx(found.abstention)
    assert error_score(y, sets, **options) == pytest.approx(found.error)
    right = selective_accuracy_score(y, sets, **options)
    assert 1 - right == pytest.approx(found.selective_error)
    return sets


GOALS = [
    ({"costs": COSTS}, lambda s: s.for_costs(COSTS)),
    ({"max_abstention": 0.1}, lambda s: s.for_max_abstention(0.1)),
    ({"max_abstention": 0.1, "per": "case"}, lambda s: s.for_max_abstention(0.1, per="case")),
    ({"max_error": 0.02}, lambda s: s.for_max_error(0.02)),
    ({"min_saving": 0.5, "per": "case"}, lambda s: s.for_saving(0.5, per="case")),
    (
        {"max_abstention": 0.1, "costs": {"false_negative": 4, "false_positive": 1}},
        lambda s: s.for_max_abstention(0.1, mu=0.25),
    ),
]


@pytest.mark.parametrize(("goal", "window_of"), GOALS)
@pytest.mark.parametrize("priors", [None, (0.7, 0.3)])
def test_two_classes_take_the_window_of_the_surface(weka, goal, window_of, priors):
    surface = AbstentionCostSurface.from_predictions(weka.actual, weka.NB, priors=priors)
    best = window_of(surface)
    found = find_rule(weka.actual, y_score=weka.NB, priors=priors, **goal)
    assert (found.rule.lower, found.rule.upper) == (best.lower, best.upper)
    assert found.abstention == best.abstention
    assert isinstance(found.curve, AbstentionCostSurface)
    if "costs" in goal:
        unit = {"abstain": 0.0} | dict(goal["costs"])
        fn, fp, abstain = (unit[name] for name in COSTS)
        expected = fn * best.false_negative + fp * best.false_positive + abstain * best.abstention
        assert found.cost == pytest.approx(expected)
    else:
        assert found.cost is None
    if priors is None:
        check_numbers(found, weka.actual, weka.NB)


@pytest.mark.parametrize("goal", [goal for goal, _ in GOALS])
def test_probabilities_of_two_classes_are_scores_of_the_positive_one(weka, goal):
    y = np.where(weka.actual == 1, "ill", "well")
    p = np.column_stack([weka.PART, 1 - weka.PART])  # columns ill, well
    by_score = find_rule(y, y_score=p[:, 0], pos_label="ill", **goal)
    by_proba = find_rule(y, y_proba=p, pos_label="ill", **goal)
    assert by_proba.rule == by_score.rule
    assert by_proba.rule.classes == ("well", "ill")
    check_numbers(by_proba, y, p[:, 0])


def test_tables_of_costs_are_in_the_order_of_the_columns(weka):
    y = np.where(weka.actual == 1, "ill", "well")
    p = np.column_stack([weka.NB, 1 - weka.NB])
    table = [[0, 4], [20, 0], [1, 1]]  # answers and truths: ill, well
    frame = pd.DataFrame(table, ["ill", "well", "ask"], ["ill", "well"])
    named = find_rule(y, y_proba=p, pos_label="ill", costs=COSTS)
    for costs in (table, frame, frame.iloc[::-1, ::-1], as_costs(frame)):
        found = find_rule(y, y_proba=p, pos_label="ill", costs=costs)
        assert found.rule == named.rule
        assert found.cost == named.cost
        other = find_rule(y, y_proba=p, costs=costs)  # the second column is positive
        assert other.cost == pytest.approx(named.cost)


@given(data=st.data())
def test_costs_per_case_against_every_window(data, cases):
    case = data.draw(cases)
    n = len(case.truth)
    entry = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    costs = {name: np.array(data.draw(entry), float) for name in COSTS}
    found = find_rule(
        case.truth,
        y_score=case.score,
        sample_weight=case.weight,
        priors=case.priors,
        costs=costs,
    )
    share = case.shares()
    scores = np.unique(case.score)
    totals = []
    for i, j in product(range(len(scores) + 1), repeat=2):
        if i <= j:
            negative, positive = np.isin(case.score, scores[:i]), np.isin(case.score, scores[j:])
            each = np.where(
                negative,
                costs["false_negative"] * (case.truth == 1),
                np.where(positive, costs["false_positive"] * (case.truth == 0), costs["abstain"]),
            )
            totals.append(((share * each).sum(), share[~negative & ~positive].sum()))
    least = min(total for total, _ in totals)
    assert found.cost == pytest.approx(least, abs=1e-9)
    assert found.abstention <= min(a for t, a in totals if t <= least + 1e-13) + 1e-9


def test_of_equal_windows_the_one_that_abstains_least_in_spite_of_rounding():
    score = np.array([0.0, 1, 1, 0, 0, 0])
    found = find_rule(
        [0, 1, 0, 0, 0, 0],
        y_score=score,
        sample_weight=[1, 1, 1, 2, 2, 1],
        priors=(0.9, 0.1),
        costs={
            "false_negative": np.array([0.0, 3, 0, 0, 0, 0]),
            "false_positive": np.array([0.0, 0, 3, 0, 0, 0]),
            "abstain": np.array([0.0, 3, 0, 1, 5, 3]),
        },
    )
    assert found.cost == pytest.approx(0.3)
    assert found.abstention == 0


@pytest.mark.parametrize("abstain", [0.2, 0.25, 0.4])
def test_shares_that_equal_a_threshold_but_for_rounding_are_answered(abstain):
    y, score = np.array([0, 1, 0, 0, 1, 1, 1, 1, 0]), np.arange(9.0)
    costs = {"false_negative": 1.0, "false_positive": 1.0, "abstain": abstain}
    by_case = {name: np.full(9, cost) for name, cost in costs.items()}
    one, other = (find_rule(y, y_score=score, costs=each) for each in (costs, by_case))
    assert one.rule.ends == other.rule.ends
    assert (one.abstention, one.cost) == (other.abstention, pytest.approx(other.cost))


def test_costs_per_case_of_more_classes():
    y, p = predictions()
    weight = np.arange(len(y)) % 3
    tables = np.random.default_rng(0).random((len(y), 4, 3)) + 1
    tables[:, range(3), range(3)] = 0
    found = find_rule(y, y_proba=p, costs=tables, sample_weight=weight)
    seen = weight > 0
    fewer = find_rule(y[seen], y_proba=p[seen], costs=tables[seen], sample_weight=weight[seen])
    assert found.rule == fewer.rule
    sets = check_numbers(found, y, p, weight)
    each = as_costs(tables).of(sets, truth=y)
    assert found.cost == pytest.approx(np.average(each, weights=weight))


@pytest.mark.parametrize(
    "goal",
    [
        {"max_abstention": 0.3},
        {"max_abstention": 0.3, "per": "case"},
        {"max_error": 0.1},
        {"min_saving": 0.5, "per": "case"},
        {"costs": [[0, 5, 1], [1, 0, 1], [9, 2, 0], [0.6, 0.8, 0.7]]},
    ],
)
def test_more_classes_have_a_threshold_each(goal):
    y, p = predictions(400)
    names = np.array(["a", "b", "c"])
    found = find_rule(names[y], y_proba=p, **goal)
    assert found.rule.kind == "class_thresholds"
    assert isinstance(found.curve, ClassThresholdCurve)
    sets = check_numbers(found, names[y], p)
    if "max_abstention" in goal:
        assert found.abstention <= 0.3
    elif "max_error" in goal:
        assert found.selective_error <= 0.1
    elif "min_saving" in goal:
        assert found.error <= 0.5 * np.mean(p.argmax(axis=1) != y)
    else:
        costs = as_costs(goal["costs"], names)
        assert found.cost == pytest.approx(costs.of(sets, truth=y).mean())
        assert found.rule.costs.answers.equals(costs.answers)


@pytest.mark.parametrize("seed", range(20))
def test_savings_that_differ_by_rounding_are_answered_or_abstained_on_together(seed):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 8, size=(5, 4))
    costs[np.arange(4), np.arange(4)] = 0
    p, y = rng.multinomial(10, np.full(4, 0.25), size=60) / 10, rng.integers(4, size=60)
    found = find_rule(y, y_proba=p, classes=range(4), costs=costs)
    sets = found.rule.predict_set(p)
    assert found.cost == pytest.approx(as_costs(costs).of(sets, truth=y).mean())
    assert found.abstention == pytest.approx(sets.all(axis=1).mean())
    tenths = np.rint(p * 10).astype(int) @ costs.T
    saving, choice = tenths[:, -1] - tenths[:, :-1].min(axis=1), tenths[:, :-1].argmin(axis=1)
    for answer in range(4):
        mine = choice == answer
        abstained = sets[mine].all(axis=1)
        assert not set(saving[mine][abstained]) & set(saving[mine][~abstained])


def test_priors_weigh_classes():
    y, p = predictions(300)
    priors = {0: 0.5, 1: 0.3, 2: 0.2}
    weight = np.array([0.5, 0.3, 0.2])[y] / np.bincount(y)[y]
    for goal in ({"max_abstention": 0.2}, {"costs": np.vstack([1 - np.eye(3), [0.3] * 3])}):
        found = find_rule(y, y_proba=p, priors=priors, **goal)
        weighed = find_rule(y, y_proba=p, sample_weight=weight * 300, **goal)
        assert found.rule == weighed.rule
        assert found.error == pytest.approx(weighed.error)


def test_glass_within_a_budget_of_abstention():
    # One threshold for all classes gets at most 45 % of the answers right.
    X, y = load_dataset("glass", return_X_y=True)
    p = cross_val_predict(GaussianNB(), X, y, method="predict_proba")
    found = find_rule(y, y_proba=p, max_abstention=0.3)
    assert 1 - found.selective_error == pytest.approx(85 / 150)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.3).fit(X, y)
    assert model.search_.abstention == pytest.approx(found.abstention)
    check_numbers(found, y, p)
    right, top = np.unique(y)[p.argmax(axis=1)] == y, p.max(axis=1)
    common = max(right[top >= t].mean() for t in np.unique(top) if (top < t).mean() <= 0.3)
    assert common < 0.46


def test_found_rules_are_shown_in_one_line_and_as_a_table(weka):
    found = find_rule(weka.actual, y_score=weka.NB, costs=COSTS)
    assert len(repr(found)) < 200
    assert found.frame().columns.tolist() == [
        "lower", "upper", "abstention", "error", "selective_error", "cost",
    ]  # fmt: skip
    assert "<table" in found._repr_html_()
    y, p = predictions()
    assert find_rule(y, y_proba=p, max_error=0.1).frame().columns.tolist()[:3] == [
        "threshold_0", "threshold_1", "threshold_2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "neither costs nor a budget is given; give costs, or exactly one of max_abs"),
        ({"max_error": 0.1, "max_abstention": 0.1}, "max_abstention and max_error are given"),
        ({"max_error": 1.5}, "max_error is 1.5; a share"),
        ({"min_saving": "half"}, "min_saving is 'half'; a share"),
        ({"max_error": 0.1, "per": "row"}, "per is 'row'"),
        ({"max_error": 0.1, "costs": COSTS}, "beside a budget, which stands in"),
        (
            {"max_error": 0.1, "costs": {"false_negative": 2, "false_positive": 1}},
            "beside max_error, which counts all mistakes alike; leave the costs out",
        ),
        (
            {"max_abstention": 0.1, "costs": {"false_negative": 0, "false_positive": 1}},
            r"costs\['false_negative'\] is 0",
        ),
        ({"costs": [[0, 1], [1, 0]]}, "does not say what abstaining costs"),
        ({"costs": COSTS | {"abstain": [1.0, 2.0]}}, "each of 2 cases, but y_true has 4"),
        ({"costs": COSTS, "y_score": None}, "neither y_score nor y_proba given"),
        ({"costs": COSTS, "y_proba": [[0.5, 0.5]] * 4}, "both y_score and y_proba given"),
        ({"costs": COSTS, "y_score": [0.1, 0.2]}, "y_true has 4 rows and y_score has 2"),
    ],
)
def test_unclear_goals_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        find_rule([0, 1, 0, 1], **({"y_score": [0.1, 0.4, 0.6, 0.9]} | options))


def test_unclear_classes_are_refused():
    y, p = predictions(30)
    with pytest.raises(ValueError, match="pos_label is 1"):
        find_rule(y, y_proba=p, pos_label=1, max_error=0.1)
    with pytest.raises(ValueError, match="3 classes, whose mistakes count alike"):
        find_rule(y, y_proba=p, max_error=0.1, costs={"false_negative": 1, "false_positive": 1})
    with pytest.raises(ValueError, match="a false negative and a false positive"):
        find_rule(y, y_proba=p, costs=COSTS)
    for truth, about in ((y, {"y_proba": p}), (y % 2, {"y_score": p[:, 0]})):
        with pytest.raises(ValueError, match="no case of positive weight"):
            find_rule(truth, **about, sample_weight=np.zeros(30), max_error=0.1)


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**-32, 2.0**-30, 2.0**40])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "goal",
    [
        {"max_error": 0.3},
        {"max_abstention": 0.3},
        {"max_abstention": 0.3, "per": "case"},
        {"min_saving": 0.5},
        {"costs": {"mistake": 5, "abstain": 1}},
    ],
)
def test_the_unit_of_weights_changes_no_bit(goal, n_classes, unit):
    y, p = predictions(n_classes=n_classes)
    weight = np.random.default_rng(1).integers(1, 5, len(y)).astype(float)
    one, two = (find_rule(y, y_proba=p, sample_weight=w, **goal) for w in (weight, weight * unit))
    assert np.array_equal(one.rule.predict_set(p), two.rule.predict_set(p))
    for name in ("abstention", "error", "selective_error", "cost", "gap"):
        assert getattr(one, name) == getattr(two, name), name


@pytest.mark.parametrize("unit", [2.0**-190, 2.0**-40, 2.0**190])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_unit_of_costs_changes_no_answer(n_classes, unit):
    y, p = predictions(n_classes=n_classes, n=600)
    table = np.vstack([5.0 * (1 - np.eye(n_classes)), np.full((1, n_classes), 0.7)])
    table[0, 1] = 3.0
    per_case = np.repeat(table[None], len(y), axis=0) * (1 + np.arange(len(y)) % 3)[:, None, None]
    for costs in (table, per_case):
        one, two = (find_rule(y, y_proba=p, costs=costs * by) for by in (1.0, unit))
        assert np.array_equal(one.rule.predict_set(p), two.rule.predict_set(p))
        assert two.cost / unit == pytest.approx(one.cost, rel=1e-12)


def test_costs_in_absurd_units_are_refused():
    y, p = predictions(n_classes=2)
    surface = AbstentionCostSurface.from_predictions(y, p[:, 1])
    for unit in (1e-200, 1e155):
        costs = {key: value * unit for key, value in COSTS.items()}
        with pytest.raises(ValueError, match=r"costs go up to .* between 1e-60 and 1e\+60"):
            surface.for_costs(costs)
