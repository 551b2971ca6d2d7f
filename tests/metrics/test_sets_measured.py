"""Measures of prediction sets: the papers' numbers, scikit-learn's, and plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cautious.costs import discounted, p_discounted, zero_one
from cautious.metrics import (
    MEASURES,
    SetCounts,
    bootstrap_interval,
    cautious_report,
    coverage_score,
    determinacy_score,
    discounted_accuracy_score,
    error_score,
    mean_set_size,
    per_sample,
    selective_accuracy_score,
    set_accuracy_score,
    set_cost_score,
    single_accuracy_score,
    utility_score,
)
from cautious.utility import as_utility, exponential, u80

SETS = [[1], [1, 2], [1, 2, 3], [2, 3, 4]]

certainty_equivalent = MEASURES["certainty_equivalent"].score
needless_abstention = MEASURES["needless_abstention"].score
reckless = MEASURES["reckless_answer"].score
variance = MEASURES["discounted_accuracy_variance"].score


@pytest.mark.parametrize(
    ("utility", "printed"),
    [
        ("F1", [1, 0.67, 0.50, 0]),
        ("F2", [1, 0.83, 0.71, 0]),
        ("u65", [1, 0.65, 0.47, 0]),
        ("u80", [1, 0.80, 0.60, 0]),
    ],
)
def test_zaffalons_table_7(utility: str, printed: list[float]) -> None:
    """Zaffalon, Corani & Mauá (2012), Table 7: the truth is class 1 of 1, 2, 3, 4."""
    scores = [
        utility_score([1], [prediction], classes=[1, 2, 3, 4], utility=utility)
        for prediction in SETS
    ]
    assert np.round(scores, 2).tolist() == printed
    each = per_sample(discounted_accuracy_score)([1] * 4, SETS, classes=[1, 2, 3, 4])
    assert np.round(each, 2).tolist() == [1, 0.5, 0.33, 0]


@given(
    k=st.integers(2, 4),
    n=st.integers(1, 12),
    density=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
    seed=st.integers(0, 10**6),
)
def test_against_plain_loops(k: int, n: int, density: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, forced = rng.integers(k, size=(2, n))
    mask = rng.random((n, k)) < density
    mask[np.arange(n), rng.integers(k, size=n)] = True
    weight = rng.random(n) + 0.1
    costs = p_discounted(rng.random((k, k)) + 0.1, r=0.5)
    total = weight.sum()

    x, u, cost, size = [], [], [], []
    singles, single_hits, others, other_hits, other_size = 0.0, 0.0, 0.0, 0.0, 0.0
    right, wrong, needless, hits = 0.0, 0.0, 0.0, 0.0
    for y, row, answer, w in zip(truth, mask, forced, weight, strict=True):
        held = [c for c in range(k) if row[c]]
        hit = y in held
        size.append(len(held))
        x.append((1 / len(held)) if hit else 0.0)
        u.append(-1.2 * x[-1] ** 2 + 2.2 * x[-1])
        cost.append(float(costs.of(row[None])[0, y]))
        hits += w * hit
        if len(held) == 1:
            singles, single_hits = singles + w, single_hits + w * hit
            right, wrong = right + w * hit, wrong + w * (not hit)
        else:
            others, other_hits = others + w, other_hits + w * hit
            other_size += w * len(held)
            needless += w * (answer == y)
    mean = float(weight @ x) / total

    def check(function, expected, **params) -> None:
        given = {"classes": range(k), "sample_weight": weight, **params}
        if math.isnan(expected):
            with pytest.warns(UndefinedMetricWarning):
                assert math.isnan(function(truth, mask, **given))
        else:
            assert function(truth, mask, **given) == pytest.approx(expected, abs=1e-12)

    check(coverage_score, singles / total)
    check(determinacy_score, singles / total)
    check(selective_accuracy_score, right / singles if singles else math.nan)
    check(MEASURES["selective_risk"].score, wrong / singles if singles else math.nan)
    check(single_accuracy_score, single_hits / singles if singles else math.nan)
    check(error_score, wrong / total)
    check(reckless, wrong / total)
    check(reckless, wrong / singles if singles else math.nan, over="answers")
    check(set_accuracy_score, other_hits / others if others else math.nan)
    check(MEASURES["containment"].score, hits / total)
    check(mean_set_size, float(weight @ size) / total)
    check(mean_set_size, other_size / others if others else math.nan, over="indeterminate")
    check(discounted_accuracy_score, mean)
    check(variance, float(weight @ (np.array(x) - mean) ** 2) / total)
    check(utility_score, float(weight @ u) / total, utility="u80")
    check(set_cost_score, float(weight @ cost) / total, costs=costs)
    check(needless_abstention, needless / total, y_pred=forced)
    check(
        needless_abstention,
        needless / others if others else math.nan,
        y_pred=forced,
        over="abstentions",
    )
    vacuous = np.array(size) == k
    check(coverage_score, float(weight @ ~vacuous) / total, partial="answer")
    answered_wrong = float(weight @ (~vacuous & (np.array(x) == 0))) / total
    check(error_score, answered_wrong, partial="answer")


def test_certainty_equivalents() -> None:
    cases = (["a", "b", "b"], [["a"], ["a", "b"], ["a"]])
    for utility in ("u65", "log", "F1", exponential(1.5), np.sqrt):
        worth = utility_score(["a"], ["a"], classes=["a", "b"], utility=utility)
        assert worth == pytest.approx(1)
        equivalent = certainty_equivalent(*cases, utility=utility)
        assert equivalent <= discounted_accuracy_score(*cases)  # averse to risk
        mean = utility_score(*cases, utility=utility)
        assert as_utility(utility)(equivalent) == pytest.approx(mean)
    # Where a utility peaks at 1, a mean above 1 by a rounding would have no equivalent.
    weight = np.full(10, 0.1)
    found = certainty_equivalent([0] * 10, [0] * 10, classes=[0, 1], sample_weight=weight,
                                       utility="u75")  # fmt: skip
    assert found == pytest.approx(1)
    assert certainty_equivalent([0], [0], classes=[0, 1], utility=u80) == pytest.approx(5 / 6)


def test_costs_of_many_sets_are_looked_up_in_blocks(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    mask = rng.random((60, 6)) < 0.5
    mask[:, 0] = True
    truth, costs = rng.integers(6, size=60), discounted(rng.random((6, 6)))
    whole = per_sample(set_cost_score)(truth, mask, classes=range(6), costs=costs)
    monkeypatch.setattr("cautious._set_counts._PAIRS_AT_ONCE", 20)
    assert np.array_equal(
        per_sample(set_cost_score)(truth, mask, classes=range(6), costs=costs), whole
    )
    assert np.allclose(whole, costs.of(mask)[np.arange(60), truth])


def test_costs_may_differ_per_case() -> None:
    y_true, y_set = [1, 1, 0, 1], [[0], [0], [0, 1], []]
    costs = {"false_negative": [100, 900, 5, 7], "false_positive": 3, "abstain": 2}
    given = {"costs": costs, "empty": "wrong"}
    each = per_sample(set_cost_score)(y_true, y_set, **given)
    assert each.tolist() == [100, 900, 2, 7]
    assert set_cost_score(y_true, y_set, **given) == each.mean()
    weight = [1, 0, 2, 1]
    weighted = set_cost_score(y_true, y_set, sample_weight=weight, **given)
    assert weighted == np.average(each, weights=weight)
    found = bootstrap_interval(y_true * 20, y_set * 20, measure="set_cost", random_state=0,
                               costs={**costs, "false_negative": [100, 900, 5, 7] * 20},
                               empty="wrong")  # fmt: skip
    assert found.low < found.estimate == each.mean() < found.high


def test_costs_per_case_are_matched_with_cases_and_not_with_cells() -> None:
    # Six cases, and six cells in another order: what belongs to a case must not go to a cell.
    y_true, y_set = [1, 0, 1, 0, 1, 0], [[1], [1], [0, 1], [0, 1], [0], [0]]
    costs = {
        "false_negative": [1, 1, 1, 1, 100, 1],
        "false_positive": 10,
        "abstain": [1, 2, 3, 4, 5, 6],
    }
    cost = set_cost_score(y_true, y_set, costs=costs)
    assert cost == (0 + 10 + 3 + 4 + 100 + 0) / 6
    report = cautious_report(y_true, y_set, costs=costs, output_dict=True)
    assert report["measures"]["set_cost"] == cost
    other, weight = y_set[::-1], [1, 2, 0, 1, 3, 1]
    meanings = [({}, "repetitions"), ({"sample_weight": weight}, "repetitions")]
    for of, meaning in [*meanings, ({"sample_weight": weight}, "importance")]:
        gain = bootstrap_interval(
            y_true, y_set, other, measure="set_cost", costs=costs, random_state=0, **of,
            weights_are=meaning,
        )  # fmt: skip
        apart = [set_cost_score(y_true, sets, costs=costs, **of) for sets in (y_set, other)]
        assert gain.estimate == pytest.approx(apart[0] - apart[1], abs=1e-12)
    with pytest.raises(ValueError, match="equal cases are added up; give y_true"):
        MEASURES["set_cost"].score(SetCounts.from_predictions(y_true, y_set), costs=costs)


def test_costs_must_fit() -> None:
    with pytest.raises(ValueError, match="costs is about 3 classes and there are 2"):
        set_cost_score([0, 1], [0, 1], costs=discounted(zero_one(3)))
    turned = discounted([[0, 1], [5, 0]], classes=["b", "a"])
    assert set_cost_score(["a", "b"], ["b", "a"], costs=turned) == (1 + 5) / 2
    with pytest.raises(TypeError, match=r"missing 1 required keyword-only argument: 'costs'"):
        set_cost_score([0, 1], [0, 1])


@pytest.mark.parametrize(
    ("function", "params", "message"),
    [
        (mean_set_size, {"over": "some"}, "over is 'some'; choose 'all' or 'indeterminate'"),
        (reckless, {"over": "all"}, "choose 'cases' or 'answers'"),
        (coverage_score, {"partial": "sets"}, "partial is 'sets'"),
    ],
)
def test_bad_choices(function, params, message) -> None:
    with pytest.raises(ValueError, match=message):
        function([0, 1], [0, 1], **params)


def test_bad_calls() -> None:
    with pytest.raises(TypeError, match=r"coverage_score\(\) got an unexpected keyword argument"):
        coverage_score([0, 1], [0, 1], colour="red")
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weight'"):
        per_sample(utility_score)([0, 1], [0, 1], sample_weight=[1, 1])
