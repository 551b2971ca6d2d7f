"""Contiguous sets of ordered classes, beside all contiguous sets and linear programmes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from cautious.costs import discounted, interval_costs, ordinal, owa, p_discounted, zero_one
from cautious.costs._set_costs import all_sets
from cautious.credal import ProbabilityIntervals
from cautious.decision import e_admissibility, maximality, optimal_sets, ordinal_sets


def contiguous(k):
    """All contiguous sets, small and low ones first."""
    return np.array(
        [[a <= i < a + size for i in range(k)] for size in range(1, k + 1)
         for a in range(k - size + 1)]
    )  # fmt: skip


def credal_set(seed, k):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k))
    room = rng.random(2) * 0.5
    return p * (1 - room[0]), p + (1 - p) * room[1]


def worst(lower, upper, costs):
    """Largest expected cost over the credal set, by a linear programme."""
    found = linprog(-costs, A_eq=np.ones((1, len(costs))), b_eq=[1],
                    bounds=np.column_stack([lower, upper]))  # fmt: skip
    return -found.fun


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 5), kind=st.sampled_from(range(3)))
def test_no_contiguous_set_has_a_smaller_worst_cost(seed, k, kind):
    lower, upper = credal_set(seed, k)
    costs = [interval_costs(k, 0.2), p_discounted(ordinal(k), 0.6), owa(ordinal(k, 2), 0.8)][kind]
    sets = contiguous(k)
    values = np.array([worst(lower, upper, row) for row in costs.of(sets)])
    (chosen,) = ordinal_sets((lower[None], upper[None]), costs)
    at = next(i for i, row in enumerate(sets) if (row == chosen).all())
    assert values[at] <= values.min() + 1e-7
    earlier = values[:at]
    assert (earlier > values[at] + 1e-9).all() or (earlier > values.min() - 1e-7).all()


@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 7))
def test_classes_that_may_be_the_median(seed, k):
    lower, upper = credal_set(seed, k)
    bounds = ProbabilityIntervals(lower[None], upper[None])
    (admissible,) = e_admissibility(bounds, ordinal(k))
    (found,) = ordinal_sets(bounds, criterion="e_admissibility")
    assert (found == admissible).all()  # no gap by itself
    # Class i may be the median if some distribution has F(i - 1) <= 1/2 <= F(i).
    for i in range(k):
        below = -np.append(np.zeros(0), np.arange(k) <= i).astype(float)
        feasible = linprog(
            np.zeros(k),
            A_ub=np.array([(np.arange(k) < i).astype(float), below]),
            b_ub=[0.5, -0.5],
            A_eq=np.ones((1, k)),
            b_eq=[1],
            bounds=np.column_stack([lower, upper]),
        ).success
        assert found[i] == feasible
    (kept,) = maximality(bounds, ordinal(k))
    (filled,) = ordinal_sets(bounds)
    first, last = np.flatnonzero(kept)[[0, -1]]
    assert filled.tolist() == [first <= i <= last for i in range(k)]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 6),
    width=st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.5, 0.8]),
)
def test_interval_costs_have_the_quantiles_as_ends(seed, k, width):
    rng = np.random.default_rng(seed)
    p = np.vstack([rng.dirichlet(np.full(k, 0.6), 5), rng.integers(1, 4, (5, k))]).astype(float)
    p /= p.sum(axis=1, keepdims=True)
    x = np.cumsum(rng.integers(1, 4, k)).astype(float)
    costs, sets = interval_costs(x, width), all_sets(k)
    expected = p @ costs.of(sets).T
    near = expected <= expected.min(axis=1, keepdims=True) + 1e-9
    best = sets[near.argmax(axis=1)]  # the smallest and lowest of those that cost the least
    assert (optimal_sets(p, costs) == best).all()
    assert (ordinal_sets(p, costs) == best).all()
    assert (optimal_sets(p, costs, contiguous=True) == best).all()


def test_precise_probabilities():
    p = np.random.default_rng(0).dirichlet(np.ones(5), 40)
    costs = p_discounted(ordinal(5), 0.7)
    assert (ordinal_sets(p, costs) == optimal_sets(p, costs, contiguous=True)).all()
    median = (p.cumsum(axis=1) >= 0.5).argmax(axis=1)
    assert (ordinal_sets(p).argmax(axis=1) == median).all()
    assert (ordinal_sets(p).sum(axis=1) == 1).all()
    assert ordinal_sets([[0.5, 0.0, 0.5]]).tolist() == [[True, False, False]]
    by_squares = ordinal_sets(p, ordinal(5, 2)).argmax(axis=1)
    assert (np.abs(by_squares - p @ np.arange(5)) <= 0.5 + 1e-9).all()


def test_gaps_are_filled():
    bounds = ([[0.4, 0.0, 0.4, 0.0]], [[0.5, 0.1, 0.5, 0.1]])
    assert maximality(bounds, zero_one(4)).tolist() == [[True, False, True, False]]
    assert ordinal_sets(bounds, zero_one(4)).tolist() == [[True, True, True, False]]


def test_other_criteria_nest():
    bounds = tuple(
        np.stack(pair) for pair in zip(*(credal_set(s, 5) for s in range(30)), strict=True)
    )
    tight = ordinal_sets(bounds, criterion="e_admissibility")
    mild = ordinal_sets(bounds)
    loose = ordinal_sets(bounds, criterion="interval_dominance")
    assert (tight <= mild).all()
    assert (mild <= loose).all()
    costs = interval_costs(5, 0.2)
    for criterion in ("gamma_maximin", "gamma_maximax", "hurwicz"):
        found = ordinal_sets(bounds, costs, criterion=criterion)
        assert (np.abs(np.diff(np.pad(found, ((0, 0), (1, 1))).astype(int))).sum(axis=1) == 2).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ordinal_sets([[0.5, 0.5]], criterion="luck"), "criterion is 'luck'"),
        (lambda: ordinal_sets([[0.5, 0.5]], criterion="hurwicz"), "costs of single classes"),
        (
            lambda: ordinal_sets([[0.5, 0.5]], interval_costs(2, 0.1), criterion="maximality"),
            "costs of sets",
        ),
        (lambda: ordinal_sets([[0.5, 0.5]], interval_costs(3, 0.1)), "3 classes and there are 2"),
        (lambda: ordinal_sets([[0.5, 0.5]], ordinal(3)), "3 classes and there are 2"),
        (lambda: ordinal_sets([[0.5, np.nan]]), "intervals has a value that is no probability"),
        (lambda: ordinal_sets(([[0.6, 0.6]], [[0.7, 0.7]])), "row 0"),
        (lambda: ordinal_sets([[0.5, 0.5]], discounted(ordinal(4))), "4 classes"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
