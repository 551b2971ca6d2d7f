"""Optimal sets: every path against trying all sets, ties included."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decision.optimal.test_branch_and_bound import distributions

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    class_selective,
    discounted,
    f_beta_costs,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.costs._extensions import PowerMeanCosts
from cautious.costs._set_costs import all_sets
from cautious.decision import optimal_sets
from cautious.decision.optimal import _candidates as candidates
from cautious.decision.optimal import _solver as solver
from cautious.decision.optimal import branch_and_bound, by_size
from cautious.utility import u65, u80

FAMILIES = {
    "u65": lambda K: utility_costs(K, u65),
    "f1": lambda K: f_beta_costs(K, 1.0),
    "class-selective": lambda K: class_selective(np.linspace(1, 2, K), 0.3),
    "discounted": lambda K: discounted(ordinal(K)),
    "cautious": lambda K: p_discounted(ordinal(K), r=0.5),
    "averse": lambda K: p_discounted(ordinal(K), r=0.5, attitude="averse"),
    "geometric": lambda K: p_discounted(ordinal(K, power=2), r=1.0),
    "owa": lambda K: owa(ordinal(K), 0.8),
    "abellan-masegosa": lambda K: abellan_masegosa(zero_one(K)),
}


def brute_force(p, costs):
    """Try all sets, in the order in which ties are decided."""
    sets = all_sets(costs.n_classes)
    expected = p @ costs.of(sets).T
    least = expected.min(axis=1, keepdims=True)
    return sets[np.argmax(expected <= least + 1e-12 * np.maximum(least, 1e-3), axis=1)]


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_no_set_is_cheaper(family, data):
    K = data.draw(st.integers(2, 6))
    costs = FAMILIES[family](K)
    p = data.draw(distributions(K))
    mask, gap = optimal_sets(p, costs, return_gap=True)
    best = brute_force(p, costs)
    np.testing.assert_allclose(
        (costs.of(mask) * p).sum(), (costs.of(best) * p).sum(), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_array_equal(mask, best)
    assert gap == [0.0]


@pytest.fixture
def without_numba(monkeypatch):
    """As if numba were not installed: its compiler takes longer than these tests."""
    for module in (solver, by_size, branch_and_bound):
        monkeypatch.setattr(module, "have_numba", lambda: False)


@pytest.mark.parametrize("attitude", ["cautious", "averse"])
def test_many_classes(attitude, without_numba):
    costs = p_discounted(ordinal(24), r=0.5, attitude=attitude)
    p = np.random.default_rng(1).dirichlet(np.full(24, 0.3), size=4)
    mask, gap = optimal_sets(p, costs, return_gap=True)
    np.testing.assert_array_equal(gap, 0)
    cost = (costs.of(mask) * p).sum(axis=1)
    # No neighbour of the answer, one class more, less or exchanged, is cheaper.
    for row, answer, own in zip(p, mask, cost, strict=True):
        flips = answer ^ np.eye(24, dtype=bool)
        swaps = np.array([f ^ e for f in flips for e in np.eye(24, dtype=bool)])
        near = np.concatenate([flips, swaps])
        near = near[near.any(axis=1)]
        assert (costs.of(near) @ row).min() >= own - 1e-12


def test_listing_and_searching_give_the_same_sets(without_numba, monkeypatch):
    costs = p_discounted(ordinal(15), r=0.7)
    p = np.random.default_rng(1).dirichlet(np.full(15, 0.3), size=25)
    listed = optimal_sets(p, costs)  # many rows share the work of costing all sets
    searched = [optimal_sets(row[None], costs)[0] for row in p]
    np.testing.assert_array_equal(listed, searched)
    monkeypatch.setattr(solver, "branch_and_bound", None)
    np.testing.assert_array_equal(optimal_sets(p, costs), listed)
    with pytest.raises(TypeError, match="not callable"):
        optimal_sets(p[:1], costs)


def test_a_search_cut_short_says_so(without_numba):
    costs = p_discounted(ordinal(16), r=0.9)
    p = np.random.default_rng(2).dirichlet(np.ones(16), size=3)
    exact, none = optimal_sets(p, costs, return_gap=True)
    hasty, gap = optimal_sets(p, costs, return_gap=True, max_nodes=1)
    assert (none == 0).all()
    assert gap.any()
    excess = ((costs.of(hasty) - costs.of(exact)) * p).sum(axis=1)
    assert (excess <= gap + 1e-12).all()
    with pytest.warns(UserWarning, match=r"cut short in \d of 3 rows.*Raise max_nodes \(now 1\)"):
        np.testing.assert_array_equal(optimal_sets(p, costs, max_nodes=1), hasty)


@pytest.mark.parametrize("K", [3, 30])
@pytest.mark.parametrize("power", [0.5, 0.1])
def test_weighted_zero_one_costs_need_no_search(power, K, monkeypatch):
    weight = np.linspace(1, 3, K)
    matrix = zero_one(K) * weight
    rng = np.random.default_rng(0)
    p = np.vstack([rng.dirichlet(np.full(K, 0.5), size=10), np.eye(K)[:1]])
    monkeypatch.setattr(solver, "problem_of", None)
    for costs in (p_discounted(matrix, p=power), p_discounted(matrix, p=(power, 1.5))):
        mask = optimal_sets(p, costs)
        cost = (costs.of(mask) * p).sum(axis=1)
        ranked = np.argsort(-p * weight, axis=1).argsort(axis=1)
        tops = [(costs.of(ranked < k) * p).sum(axis=1) for k in range(1, K + 1)]
        np.testing.assert_allclose(cost, np.min(tops, axis=0))
        if K == 3:
            np.testing.assert_array_equal(mask, brute_force(p, costs))


def test_costs_above_the_mean_of_members_never_pay():
    p = np.random.default_rng(0).dirichlet(np.ones(30), size=5)
    best = (p @ ordinal(30)).argmin(axis=1)
    for costs in (
        discounted(ordinal(30)),
        p_discounted(ordinal(30), p=(1.0, 2.0)),
        owa(ordinal(30), 0.3),
    ):
        np.testing.assert_array_equal(optimal_sets(p, costs), np.eye(30, dtype=bool)[best])


def test_where_right_sets_are_free_all_possible_classes_are_answered():
    p = np.zeros((1, 40))
    p[0, [3, 8, 30]] = 0.9, 0.1 - 1e-13, 1e-13
    for costs in (
        p_discounted(ordinal(40), r=1),
        p_discounted(ordinal(40), r=1, attitude="averse"),
        p_discounted(ordinal(40), p=-np.inf),
        owa(ordinal(40), 1.0),
    ):
        np.testing.assert_array_equal(optimal_sets(p, costs), p > 0)


def test_utility_optimal_sets_of_thousands_of_classes():
    K = 3000
    p = np.random.default_rng(0).dirichlet(np.full(K, 0.01), size=3)
    mask = optimal_sets(p, u80)
    descending = -np.sort(-p, axis=1)
    utility = u80(1 / np.arange(1, K + 1)) * descending.cumsum(axis=1)
    np.testing.assert_array_equal(mask.sum(axis=1), utility.argmax(axis=1) + 1)
    np.testing.assert_allclose(
        (p * mask).sum(axis=1) * u80(1 / mask.sum(axis=1)), utility.max(axis=1)
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_low_precision(dtype):
    rough = np.random.default_rng(0).dirichlet(np.ones(3), size=50).astype(dtype)
    p = rough.astype(float) / rough.astype(float).sum(axis=1, keepdims=True)
    for costs in ("u65", p_discounted(ordinal(3), r=0.5)):
        np.testing.assert_array_equal(optimal_sets(rough, costs), optimal_sets(p, costs))


def test_utilities_by_name_function_and_keyword():
    p = [[0.5, 0.4, 0.1], [0.98, 0.01, 0.01]]
    expected = [[True, True, False], [True, False, False]]
    for answer in (
        optimal_sets(p, "u80"),
        optimal_sets(p, u80),
        optimal_sets(p, utility="u80"),
        optimal_sets(p, utility=lambda x: -1.2 * x**2 + 2.2 * x),
        optimal_sets(p, utility_costs(3, u80)),
    ):
        assert answer.tolist() == expected


def test_contiguous_sets_need_not_be_optimal():
    p = np.array([[0.4, 0.2, 0.4]])
    costs = p_discounted(ordinal(3), r=0.5)
    free, contiguous = optimal_sets(p, costs), optimal_sets(p, costs, contiguous=True)
    assert free.tolist() == [[True, False, True]]
    assert contiguous.tolist() == [[True, True, True]]
    assert (costs.of(free) @ p[0])[0] < (costs.of(contiguous) @ p[0])[0] - 1e-3


def test_an_experts_table_offers_only_its_sets():
    frame = pd.DataFrame(
        [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.3, 0.3, 0.9]],
        index=["{a}", "{b}", "{a, b}"],
        columns=list("abc"),
    )
    costs = SetCosts.from_table(frame)
    answers = optimal_sets([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]], costs)
    assert answers.tolist() == [[True, True, False], [True, False, False], [True, True, False]]
    assert optimal_sets([[0.5, 0.5, 0.0]], costs, contiguous=True).tolist() == [[True, True, False]]


@pytest.mark.parametrize("family", FAMILIES)
def test_contiguous_sets_against_all_contiguous_sets(family, monkeypatch):
    costs = FAMILIES[family](5)
    p = np.random.default_rng(0).dirichlet(np.full(5, 0.6), size=30)
    p = np.vstack([p, np.full(5, 0.2)])  # the last row has ties
    sets = all_sets(5)
    sets = sets[[np.ptp(np.flatnonzero(m)) == m.sum() - 1 for m in sets]]
    cost = p @ costs.of(sets).T
    expected = sets[(cost <= cost.min(axis=1, keepdims=True) * (1 + 1e-12)).argmax(axis=1)]
    np.testing.assert_array_equal(optimal_sets(p, costs, contiguous=True), expected)
    # The same in blocks of two sets and of one row.
    monkeypatch.setattr(candidates, "_CELLS_AT_ONCE", 10)
    np.testing.assert_array_equal(optimal_sets(p, costs, contiguous=True), expected)


def test_a_table_without_contiguous_sets():
    frame = pd.DataFrame([[0.0, 1.0, 0.0]], index=["{a, c}"], columns=list("abc"))
    with pytest.raises(ValueError, match="lists no contiguous set"):
        optimal_sets([[0.5, 0.5, 0.0]], SetCosts.from_table(frame), contiguous=True)


def test_ties_of_a_table_are_decided_whatever_its_order():
    frame = pd.DataFrame(
        np.full((4, 3), 0.5), index=["{a, b}", "{b, c}", "{c}", "{b}"], columns=list("abc")
    )
    answer = optimal_sets([[0.2, 0.3, 0.5]], SetCosts.from_table(frame))
    assert answer.tolist() == [[False, True, False]]


class Unhashable(SetCosts):
    """A user's own costs: half price for every class in the set."""

    n_classes = 3
    classes = None
    __hash__ = None

    def _costs(self, mask):
        return np.where(mask, 0.5 * mask.sum(axis=1, keepdims=True) - 0.5, 1.0)


def test_costs_of_a_type_of_ones_own():
    costs = Unhashable()
    p = np.array([[0.9, 0.05, 0.05], [0.5, 0.49, 0.01], [0.34, 0.33, 0.33]])
    np.testing.assert_array_equal(optimal_sets(p, costs), brute_force(p, costs))


def test_no_rows():
    assert optimal_sets(np.empty((0, 3)), "u65").shape == (0, 3)
    assert optimal_sets(np.empty((0, 3)), discounted(ordinal(3))).shape == (0, 3)


class Opaque(SetCosts):
    """Costs of which nothing is known but what they are asked."""

    n_classes = 25
    classes = None

    def _costs(self, mask):
        return np.ones(mask.shape)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: optimal_sets([[0.5, 0.6]], "u65"), ValueError, "adds up to 1.1 in row 0"),
        (lambda: optimal_sets([[0.5, 0.5]], discounted(ordinal(3))), ValueError, "2 columns but"),
        (lambda: optimal_sets([[0.5, 0.5]]), TypeError, "either costs or utility"),
        (lambda: optimal_sets([[0.5, 0.5]], "u65", utility="u80"), TypeError, "not both"),
        (lambda: optimal_sets([[0.5, 0.5]], "u65", max_nodes=0), ValueError, "max_nodes is 0"),
        (lambda: optimal_sets([[0.5, 0.5]], ordinal(2)), ValueError, "what abstaining costs"),
        (lambda: optimal_sets(np.empty((0, 0)), "u65"), ValueError, "p has no columns"),
        (
            lambda: optimal_sets(np.full((1, 2), 0.4), discounted(ordinal(2))),
            ValueError,
            "adds up to 0.8",
        ),
        (
            lambda: optimal_sets(np.full((1, 25), 0.04), PowerMeanCosts(ordinal(25), 1e-5, 1e-5)),
            ValueError,
            "nearer to 0 than 0.001",
        ),
        (
            lambda: optimal_sets(np.full((1, 25), 0.04), Opaque()),
            ValueError,
            "25 classes, too many to try all sets",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
