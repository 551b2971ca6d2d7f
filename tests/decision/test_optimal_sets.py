"""Optimal sets: every path against trying all sets, ties included."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    all_sets,
    class_selective,
    discounted,
    f_beta_costs,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.decision import optimal_sets
from cautious.decision.branch_and_bound import branch_and_bound, problem_of
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


def distributions(K):
    """Probabilities with many ties and zeros, as well as none."""
    whole = st.lists(st.integers(0, 4), min_size=K, max_size=K).filter(any)
    real = st.lists(st.floats(0.01, 1), min_size=K, max_size=K)
    return st.one_of(whole, real).map(lambda w: np.array([w], dtype=float) / sum(w))


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


@pytest.mark.parametrize("family", ["cautious", "averse", "geometric", "owa", "abellan-masegosa"])
@pytest.mark.parametrize("accelerate", [False, True])
def test_branch_and_bound_finds_what_listing_finds(family, accelerate):
    if accelerate:
        pytest.importorskip("numba")
    K = 7
    costs = FAMILIES[family](K)
    p = np.random.default_rng(0).dirichlet(np.full(K, 0.7), size=25)
    mask, gap = branch_and_bound(problem_of(costs), p, max_nodes=10_000, accelerate=accelerate)
    np.testing.assert_array_equal(mask, brute_force(p, costs))
    np.testing.assert_array_equal(gap, 0)


@pytest.mark.parametrize("attitude", ["cautious", "averse"])
def test_many_classes(attitude):
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


def test_a_search_cut_short_gives_a_true_bound():
    costs = p_discounted(ordinal(24), r=0.9, attitude="averse")
    p = np.random.default_rng(2).dirichlet(np.ones(24), size=3)
    exact, none = optimal_sets(p, costs, return_gap=True)
    hasty, gap = optimal_sets(p, costs, return_gap=True, max_nodes=1)
    assert (none == 0).all()
    excess = ((costs.of(hasty) - costs.of(exact)) * p).sum(axis=1)
    assert (excess <= gap + 1e-9).all()


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


def test_zero_one_utility_is_argmax():
    p = np.random.default_rng(0).dirichlet(np.ones(5), size=50)
    answer = optimal_sets(p, discounted(zero_one(5)))
    np.testing.assert_array_equal(answer, np.eye(5, dtype=bool)[p.argmax(axis=1)])


def test_contiguous_sets_are_often_not_optimal():
    costs = p_discounted(ordinal(4, power=2), r=0.9)
    p = np.array([[0.48, 0.02, 0.02, 0.48]])
    free, tied = optimal_sets(p, costs), optimal_sets(p, costs, contiguous=True)
    assert (costs.of(free) * p).sum() <= (costs.of(tied) * p).sum()
    candidates = [m for m in all_sets(4) if np.ptp(np.flatnonzero(m)) == m.sum() - 1]
    least = min((costs.of([m]) * p).sum() for m in candidates)
    assert (costs.of(tied) * p).sum() == pytest.approx(least)
    rng = np.random.default_rng(0)
    many = rng.dirichlet(np.full(4, 0.4), size=300)
    dearer = (costs.of(optimal_sets(many, costs, contiguous=True)) * many).sum(axis=1) - (
        costs.of(optimal_sets(many, costs)) * many
    ).sum(axis=1)
    assert (dearer >= -1e-12).all()
    assert (dearer > 1e-9).any()


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


def test_certain_truth_is_answered():
    for family, make in FAMILIES.items():
        answer = optimal_sets(np.eye(4), make(4))
        np.testing.assert_array_equal(answer, np.eye(4, dtype=bool), err_msg=family)


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
        (lambda: optimal_sets([0.5, 0.5], "u65"), ValueError, r"shape \(2,\)"),
        (lambda: optimal_sets([[np.nan, 1.0]], "u65"), ValueError, "row 0"),
        (lambda: optimal_sets([[0.5, 0.5]], discounted(ordinal(3))), ValueError, "2 columns but"),
        (lambda: optimal_sets([[0.5, 0.5]]), TypeError, "either costs or utility"),
        (lambda: optimal_sets([[0.5, 0.5]], "u65", utility="u80"), TypeError, "not both"),
        (lambda: optimal_sets([[0.5, 0.5]], "u65", max_nodes=0), ValueError, "max_nodes is 0"),
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
