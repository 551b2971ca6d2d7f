"""Certified costs and utilities: worst shares, counts that add up, words, and refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cautious.costs import SetCosts, discounted, ordinal
from cautious.guarantees import Certificate, certify_cost, mean_bound
from cautious.metrics import SetCounts, set_cost_score

COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}
TABLE = [[430, 5], [20, 80], [50, 15]]
BINARY = SetCounts.from_confusion(TABLE, classes=["no", "yes"])


def sets_of_three(rng, n):
    y = rng.integers(3, size=n)
    mask = rng.random((n, 3)) < 0.4
    mask[np.arange(n), rng.integers(3, size=n)] = True
    return y, mask


def test_a_bound_is_the_bound_of_the_values_counted():
    found = certify_cost(BINARY, costs=COSTS, confidence_level=0.9)
    assert found.limits["cost"] == mean_bound([0, 1, 2, 10], [510, 65, 20, 5], 0.9)
    assert found.means[0].mean == pytest.approx(set_cost_score(BINARY, None, costs=COSTS))
    each = certify_cost(BINARY, costs=COSTS, confidence_level=0.9, shares="any")
    no, yes = each.means
    assert no.bound == mean_bound([0, 1, 2], [430, 50, 20], 0.95)
    assert yes.bound == mean_bound([0, 1, 10], [80, 15, 5], 0.95)
    assert each.limits["cost"] == max(no.bound, yes.bound)


# Sixty-fourths add up exactly; the programme's solver overlooks shares of less than 1e-7.
SHARES = st.integers(0, 64).map(lambda part: part / 64)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=3, max_size=3))
def test_the_worst_shares_are_a_linear_programme(pairs):
    shares = {k: (min(pair), max(pair)) for k, pair in enumerate(pairs)}
    y, mask = sets_of_three(np.random.default_rng(0), 300)
    low, high = np.transpose(list(shares.values()))
    if low.sum() > 1 or high.sum() < 1:
        with pytest.raises(ValueError, match="add up to 1"):
            certify_cost(y, mask, utility="u65", shares=shares)
        return
    found = certify_cost(y, mask, utility="u65", shares=shares)
    bounds = np.zeros(3)
    for one in found.means:
        bounds[int(one.of_class)] = one.bound
    best = linprog(bounds, A_eq=np.ones((1, 3)), b_eq=[1], bounds=list(shares.values()))
    assert found.limits["utility"] == pytest.approx(best.fun, abs=1e-9)


def test_counts_add_up():
    rng = np.random.default_rng(1)
    y, mask = sets_of_three(rng, 400)
    costs = discounted(ordinal(3))
    parts = [
        SetCounts.from_predictions(y[rows], mask[rows], classes=[0, 1, 2])
        for rows in np.array_split(rng.permutation(400), 5)
    ]
    for shares in (None, "any"):
        whole = certify_cost(y, mask, costs=costs, shares=shares)
        assert certify_cost(sum(parts), costs=costs, shares=shares) == whole
        assert certify_cost(sum(parts), utility="u65", shares=shares).limits == pytest.approx(
            certify_cost(y, mask, utility="u65", shares=shares).limits
        )


def test_an_empty_set_is_wrong_or_refused():
    y, mask = np.array([0, 1, 1, 0] * 10), np.zeros((40, 2), dtype=bool)
    with pytest.raises(ValueError, match="empty prediction set"):
        certify_cost(y, mask, costs=COSTS)
    found = certify_cost(y, mask, costs=COSTS, empty="wrong")
    assert found.means[0].mean == 6
    assert certify_cost(y, mask, utility="u65", empty="wrong").means[0].mean == 0


def test_a_class_without_cases_has_the_largest_cost():
    counts = SetCounts.from_confusion([[90, 0], [10, 0], [0, 0]], classes=["no", "yes"])
    found = certify_cost(counts, costs=COSTS, shares="any")
    assert found.limits["cost"] == 10
    assert found.means[1].mean is None
    assert "Seen on 0 calibration cases of class yes: no mean; at most 10." in str(found)
    assert certify_cost(counts, utility="u65", shares="any").limits["utility"] == 0
    assert certify_cost(counts, costs=COSTS, shares={"no": 1}).limits["cost"] < 1


def test_many_classes():
    y = np.arange(60) % 15
    table = np.vstack([1 - np.eye(15), np.full(15, 0.3)])
    assert certify_cost(y, y, costs=table).limits["cost"] < 0.1
    with pytest.raises(ValueError, match="too many to list"):
        certify_cost(y, y, costs=discounted(ordinal(15)))
    found = certify_cost(y, y, costs=discounted(ordinal(15)), high=14)
    assert 0 < found.limits["cost"] < 3
    with pytest.raises(ValueError, match="high is 3"):
        certify_cost(y, y, costs=discounted(ordinal(15)), high=3)


def test_an_experts_table():
    table = pd.DataFrame([[0, 2], [4, 0], [0.5, 0.5]], ["{h}", "{n}", "{h, n}"], ["h", "n"])
    y = ["h", "n"] * 30
    found = certify_cost(y, y, costs=SetCosts.from_table(table))
    assert found.limits["cost"] == pytest.approx(mean_bound([0, 0.5, 2, 4], [60, 0, 0, 0]))


def test_words_and_json():
    found = certify_cost(BINARY, costs=COSTS, shares={"yes": (0.1, 0.3)})
    assert "where class yes makes up 10 to 30 % of them, with 95 % confidence" in str(found)
    assert found.shares == {"yes": (0.1, 0.3)}
    assert "whatever the class shares" in str(certify_cost(BINARY, costs=COSTS, shares="any"))
    assert Certificate.from_json(found.to_json()) == found
    # Never rounded to less than what is promised.
    shown = float(str(found).split("at most ")[1].split("\n")[0].rstrip("."))
    assert shown >= found.limits["cost"]


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"shares": "all"}, "choose 'any'"),
        ({"shares": {"maybe": 0.5}}, "not among the classes"),
        ({"shares": {"yes": (0.5, 0.2)}}, "a least and a largest"),
        ({"shares": {"yes": 1.5}}, "between 0 and 1"),
        ({"shares": {"yes": 0.5, "no": 0.2}}, "able to add up to 1"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"costs": COSTS | {"abstain": np.ones(600)}}, "costs differ per case"),
    ],
)
def test_refusals(wishes, words):
    with pytest.raises(ValueError, match=words):
        certify_cost(BINARY, **{"costs": COSTS} | wishes)


def test_more_refusals():
    with pytest.raises(TypeError, match="shares is a list"):
        certify_cost(BINARY, utility="u65", shares=[0.5, 0.5])
    with pytest.raises(ValueError, match="y_set is not given"):
        certify_cost(["no", "yes"], costs=COSTS)
    for both in ({}, {"costs": COSTS, "utility": "u65"}):
        with pytest.raises(TypeError, match="either costs or utility"):
            certify_cost(BINARY, **both)
    with pytest.raises(ValueError, match="no calibration cases"):
        certify_cost(BINARY.where(BINARY.weight < 0), costs=COSTS)
    with pytest.raises(ValueError, match="counts cases, not weights"):
        certify_cost(BINARY.reweighted(BINARY.weight / 3), costs=COSTS)


def test_cases_in_order_have_tighter_bounds():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 600, p=[0.8, 0.2])
    luck = rng.random(600)
    sets = [
        {"no", "yes"} if u < 0.1 else {"no" if (label == "yes") == (u < 0.15) else "yes"}
        for label, u in zip(y, luck, strict=True)
    ]
    prices = {"costs": {"false_negative": 10, "false_positive": 2, "abstain": 1}}
    asked = {"classes": ["no", "yes"]}
    for shares in (None, "any", {"yes": (0.1, 0.3)}):
        for worth in (prices, {"utility": "u65"}):
            plain = certify_cost(y, sets, shares=shares, **worth, **asked)
            ordered = certify_cost(y, sets, shares=shares, in_order=True, **worth, **asked)
            (name,) = plain.limits
            better = np.less if name == "cost" else np.greater
            assert better(ordered.limits[name], plain.limits[name])
            assert ordered.method.startswith("exact or betting bounds, case by case")
            assert [one.mean for one in ordered.means] == pytest.approx(
                [one.mean for one in plain.means]
            )
    # Costs of two values have an exact bound already.
    wrong = {"costs": {"false_negative": 1, "false_positive": 1, "abstain": 0}}
    both = [certify_cost(y, sets, in_order=order, **wrong, **asked) for order in (False, True)]
    assert both[0].limits == both[1].limits
    with pytest.raises(ValueError, match="counts have no order"):
        certify_cost(SetCounts.from_predictions(y, sets, **asked), in_order=True, **prices)
