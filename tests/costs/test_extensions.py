"""Extensions against their definitions, written out set by set."""

import copy
import math
import pickle
from decimal import Decimal, getcontext
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    class_selective,
    f_beta_costs,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.costs._extensions import PowerMeanCosts, SizeCosts, owa_weights
from cautious.costs._forms import costs_from_data, costs_to_data
from cautious.costs._set_costs import all_sets

POWERS = [-40, -1, -1e-9, 0, 1e-12, 1e-3, 0.05, 0.3, 0.5, 1, 1.5, 2, 30, np.inf, -np.inf]


def scalar_power_mean(values, p):
    """Power mean of a few numbers, in 60 digits."""
    getcontext().prec = 60
    values = [Decimal(float(v)) for v in values]
    if p == np.inf:
        return float(max(values))
    if p == -np.inf:
        return float(min(values))
    n = Decimal(len(values))
    if 0 in values and p == 0:
        return 0.0
    if p == 0:
        return float((sum(v.ln() for v in values) / n).exp())
    p = Decimal(p)
    mean = sum(Decimal(0) if v == 0 else (p * v.ln()).exp() for v in values) / n
    return 0.0 if mean == 0 else float((mean.ln() / p).exp())


def naive(matrix, mask, p_correct, p_wrong):
    out = np.empty(mask.shape)
    for s, row in enumerate(mask):
        for y in range(len(matrix)):
            p = p_correct if row[y] else p_wrong
            out[s, y] = scalar_power_mean(matrix[row, y], p)
    return out


@st.composite
def problems(draw):
    k = draw(st.integers(2, 6))
    zeros = draw(st.booleans())
    values = st.floats(1e-3, 1e3) | st.sampled_from([1.0, 2.0] + [0.0] * zeros)
    matrix = np.array(draw(st.lists(values, min_size=k * k, max_size=k * k))).reshape(k, k)
    usable = [p for p in POWERS if p >= 0 or p == -np.inf or matrix.all()]
    masks = st.lists(st.lists(st.booleans(), min_size=k, max_size=k).filter(any), max_size=6)
    mask = np.array(draw(masks), dtype=bool).reshape(-1, k)
    return matrix, mask, draw(st.sampled_from(usable)), draw(st.sampled_from(usable))


@given(problems())
def test_power_means_against_a_scalar_loop(problem):
    matrix, mask, p_correct, p_wrong = problem
    ours = PowerMeanCosts(matrix, p_correct, p_wrong).of(mask)
    np.testing.assert_allclose(ours, naive(matrix, mask, p_correct, p_wrong), rtol=1e-12)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("low", [1e-300, 1e-30, 0.999999])
def test_extreme_ranges_neither_overflow_nor_underflow(p, low):
    matrix = np.array([[low, 1e200, 3.0], [low, 5.0, 1e-5], [1e200, low, 1e-5 * 3]])
    mask = all_sets(3)
    expected = naive(matrix, mask, p, p)
    np.testing.assert_allclose(PowerMeanCosts(matrix, p, p).of(mask), expected, rtol=1e-11)


def test_explicit_powers():
    mask = all_sets(3)
    one = p_discounted(ordinal(3), p=3).of(mask)
    np.testing.assert_allclose(one, naive(ordinal(3), mask, 3, 3), rtol=1e-13)
    two = p_discounted(ordinal(3), p=(0.5, 7)).of(mask)
    np.testing.assert_allclose(two, naive(ordinal(3), mask, 0.5, 7), rtol=1e-13)
    highest = p_discounted(ordinal(3), p=np.inf).of([[True] * 3])
    np.testing.assert_array_equal(highest, [[2, 1, 2]])
    # The minimum needs no translation: it divides by nothing.
    np.testing.assert_array_equal(p_discounted(ordinal(3), p=-np.inf).of([[True] * 3]), [[0] * 3])


def test_epsilon_translates_all_costs():
    costs = p_discounted(zero_one(3), p=-1, epsilon=0.5)
    np.testing.assert_array_equal(costs.matrix, zero_one(3) + 0.5)
    assert costs.of([[True, True, False]])[0, 0] == pytest.approx(2 / (1 / 0.5 + 1 / 1.5))


def test_zero_costs_with_a_negative_power_name_the_translation():
    with pytest.raises(ValueError, match=r"matrix\[0, 0\] is 0 .*epsilon=0.01.*order may depend"):
        p_discounted(zero_one(3), p=-0.5)
    with pytest.raises(ValueError, match="epsilon"):
        PowerMeanCosts(zero_one(3), 1.0, -2.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "neither r nor p is given; give r, from 0"),
        ({"r": 0.5, "p": 0.5}, "both r and p are given"),
        ({"r": 0.5, "attitude": "bold"}, "attitude is 'bold'"),
        ({"r": 0.5, "epsilon": -1}, "epsilon is -1"),
        ({"p": np.nan}, "p_correct is nan"),
        ({"r": 0.5, "classes": ["a", "b"]}, "classes has 2 labels but there are 3"),
        ({"r": -0.1}, r"give a number from 0 .discounted costs. to 1"),
        ({"r": 1.1}, r"give a number from 0 .discounted costs. to 1"),
        ({"r": np.nan}, r"give a number from 0 .discounted costs. to 1"),
    ],
)
def test_other_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        p_discounted(zero_one(3), **arguments)


def test_costs_are_frozen_and_survive_copies():
    given_matrix = ordinal(3)
    costs = p_discounted(given_matrix, 0.3)
    given_matrix[0, 1] = 99
    assert costs.matrix[0, 1] == 1
    with pytest.raises(ValueError, match="read-only"):
        costs.matrix[0, 1] = 2
    for twin in (copy.deepcopy(costs), pickle.loads(pickle.dumps(costs))):
        np.testing.assert_array_equal(twin.of(all_sets(3)), costs.of(all_sets(3)))


def test_a_translation_can_change_the_order_of_two_classifiers():
    """Against Yang, Destercke & Masson (2017): the mean, the least and the greatest translate."""
    vacuous, half_right = [[True] * 3], [[True, False, False], [False, True, False]]

    def gap(p, epsilon):
        costs = p_discounted(ordinal(3), p=p, epsilon=epsilon)
        return costs.of(half_right)[:, 0].mean() - costs.of(vacuous)[:, 0].mean()

    assert gap(-1, 0.01) == pytest.approx(0.51 - 3 / (1 / 0.01 + 1 / 1.01 + 1 / 2.01))
    assert gap(-1, 1) == pytest.approx(1.5 - 3 / (1 / 1 + 1 / 2 + 1 / 3))
    assert gap(-1, 0.01) > 0 > gap(-1, 1)
    for p in (1, -np.inf, np.inf):
        assert gap(p, 0.01) == pytest.approx(gap(p, 1))


def orness(weights):
    n = len(weights)
    return sum((n - k) / (n - 1) * w for k, w in enumerate(weights, start=1))


@pytest.mark.parametrize("size", [2, 3, 5, 40, 1000])
@pytest.mark.parametrize(
    "tolerance", [0, 1e-9, 0.1, 0.5, 0.5 + 1e-9, 0.65, 0.8, 0.999, 1 - 1e-12, 1]
)
def test_weights_have_the_tolerance_asked_for(size, tolerance):
    weights = owa_weights(size, tolerance)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-13)
    assert orness(weights) == pytest.approx(tolerance, abs=1e-11)
    # Greatest entropy means a geometric sequence.
    inner = weights[1:-1] ** 2
    np.testing.assert_allclose(inner, weights[:-2] * weights[2:], rtol=1e-6, atol=1e-200)


def test_one_element_and_extremes():
    assert owa_weights(1, 0.7).tolist() == [1]
    assert owa_weights(1, 0.2).tolist() == [1]
    assert owa_weights(3, 1).tolist() == [1, 0, 0]
    assert owa_weights(3, 0).tolist() == [0, 0, 1]


def ordered_average(rng, k):
    matrix, tolerance = rng.integers(0, 5, (k, k)).astype(float), rng.random()

    def cost(members, y):
        ordered = np.sort(matrix[members, y])
        return owa_weights(len(members), tolerance) @ ordered

    return owa(matrix, tolerance), cost


def by_size(rng, k):
    hit, miss = rng.random((2, k))
    costs = SizeCosts(hit, miss)
    return costs, lambda members, y: (hit if y in members else miss)[len(members) - 1]


def selective(rng, k):
    eta, delta = rng.uniform(1, 3, k), rng.uniform(0, 0.5)
    costs = class_selective(eta, delta)
    return costs, lambda members, y: (y not in members) * eta[y] + delta * (len(members) - 1)


def logarithmic(rng, k):
    """Yang, Destercke & Masson (2017), section V-c."""
    matrix = 5 * rng.random((k, k))

    def cost(members, y):
        wrong = math.log(k) * (max(matrix[members, y]) / (k - 1) + 1)
        return math.log(len(members)) if y in members else wrong

    return abellan_masegosa(matrix), cost


def by_distance(rng, k):
    x = np.cumsum(rng.random(k) + 0.1) - 1

    def cost(members, y):
        return np.abs(x[members] - x[y]).min() + 0.3 * np.ptp(x[members])

    return SetCosts.from_positions(x, 0.3), cost


@pytest.mark.parametrize("make", [ordered_average, by_size, selective, logarithmic, by_distance])
@settings(max_examples=30)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_each_set_costs_what_its_definition_says(make, k, seed):
    costs, cost = make(np.random.default_rng(seed), k)
    for row, found in zip(all_sets(k), costs.of(all_sets(k)), strict=True):
        expected = [cost(np.flatnonzero(row), y) for y in range(k)]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_many_sets_are_costed_in_pieces(monkeypatch):
    mask = all_sets(6)
    whole = owa(ordinal(6), 0.7).of(mask)
    monkeypatch.setattr(import_module("cautious.costs._extensions"), "_CELLS_AT_ONCE", 50)
    np.testing.assert_allclose(owa(ordinal(6), 0.7).of(mask), whole, rtol=1e-14)


def test_f_beta_is_one_less_the_measure_of_precision_and_recall():
    """Yang, Destercke & Masson (2017), eq. 9."""
    for beta in (0.5, 1, 2):
        for size, hit in enumerate(f_beta_costs(6, beta).hit, start=1):
            precision, recall = 1 / size, 1
            f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            assert hit == pytest.approx(1 - f, abs=1e-15)


def test_utility_need_not_be_normalised_nor_vectorised():
    costs = utility_costs(3, lambda x: 0.2 + 0.5 * x if x else 0.1)
    np.testing.assert_allclose(costs.hit, 1 - np.array([0.7, 0.45, 0.2 + 0.5 / 3]) / 0.7)
    np.testing.assert_allclose(costs.miss, 1 - 0.1 / 0.7)
    np.testing.assert_allclose(utility_costs(3, lambda x: 2 * x).hit, [0, 1 / 2, 2 / 3])
    assert utility_costs(3, lambda x: x * (1 + 1e-15)).hit[0] == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: utility_costs(3, lambda x: x * (1.2 - x)), r"utility\(0.5\) is 0.35; .*exceed"),
        (lambda: utility_costs(3, lambda x: 1 - x), r"utility\(1\) is 0; .*positive"),
        (lambda: utility_costs(3, lambda x: x or np.nan), r"utility\(0\) is nan"),
        (lambda: utility_costs(3, lambda x: np.nan), r"utility\(1\) is nan"),
        (lambda: utility_costs(1, np.sqrt), "n_classes is 1"),
        (lambda: f_beta_costs(3, -1), "beta is -1"),
        (lambda: SizeCosts([0, 1], [1, 1, 1]), "hit has 2 elements and miss 3"),
        (lambda: SizeCosts([0, -1], [1, 1]), r"hit\[1\] is -1"),
        (lambda: SizeCosts([[0, 1]], [1, 1]), "hit has shape"),
        (lambda: f_beta_costs(3, classes=["a", "b"]), "classes has 2 labels"),
        (lambda: owa(ordinal(3), -0.1), "tolerance is -0.1"),
        (lambda: owa(ordinal(3), 1.1), "tolerance is 1.1"),
        (lambda: owa(ordinal(3), np.nan), "tolerance is nan"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_name_is_no_utility_function():
    with pytest.raises(TypeError, match=r"utility is 'u65'; pass a function .*utility\.u65"):
        utility_costs(3, "u65")


def test_series_carries_the_classes():
    assert class_selective(pd.Series({"a": 1.0, "b": 2.0}), 0.1).classes == ("a", "b")
    named = class_selective(pd.Series({"a": 1.0, "b": 2.0}), 0.1, classes=["x", "y"])
    assert named.classes == ("x", "y")


@pytest.mark.parametrize("delta", [-0.1, 0.5, 2, np.nan])
def test_delta_out_of_range(delta):
    with pytest.raises(
        ValueError, match=r"delta is .*less than half of the least eta, 0.5 \(class 1"
    ):
        class_selective([2, 1, 3], delta)


def test_they_can_be_written():
    costs = SetCosts.from_positions([-1, 0, 2.5], 0.2)
    again = costs_from_data(costs_to_data(costs))
    np.testing.assert_array_equal(again.of(all_sets(3)), costs.of(all_sets(3)))


@pytest.mark.parametrize(
    ("positions", "width", "error", "message"),
    [
        (1, 0.1, ValueError, "positions is 1"),
        (2.5, 0.1, TypeError, "positions is 2.5"),
        ([0, 0, 1], 0.1, ValueError, r"positions\[1\] is 0, after 0"),
        ([0, np.nan], 0.1, ValueError, "one finite number"),
        (3, -1, ValueError, "width is -1"),
        (3, np.inf, ValueError, "width is inf"),
        (3, "wide", TypeError, "width is 'wide'"),
    ],
)
def test_what_makes_no_sense(positions, width, error, message):
    with pytest.raises(error, match=message):
        SetCosts.from_positions(positions, width)
