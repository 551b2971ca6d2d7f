"""E-admissibility against one linear programme a prediction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult, linprog

from cautious.credal import ProbabilityIntervals, contaminate
from cautious.decision import e_admissibility, maximality


def best_somewhere(lower, upper, costs, i):
    """Is there a distribution of the set at which prediction i costs least?"""
    solved = linprog(
        np.zeros(len(lower)),
        A_ub=costs[i] - costs,
        b_ub=np.zeros(len(costs)),
        A_eq=np.ones((1, len(lower))),
        b_eq=[1],
        bounds=np.c_[lower, upper],
    )
    assert solved.status in (0, 2)
    return solved.status == 0


@st.composite
def decision_problems(draw):
    k, n, m = draw(st.integers(3, 5)), draw(st.integers(1, 3)), draw(st.integers(3, 6))
    cells = st.lists(st.integers(0, 10), min_size=k, max_size=k)
    lower, upper = [], []
    for _ in range(n):
        weights = np.array(draw(cells.filter(any)), dtype=float)
        p = weights / weights.sum()
        lower.append(np.maximum(p - np.array(draw(cells)) / 20, 0))
        upper.append(np.minimum(p + np.array(draw(cells)) / 20, 1))
    row = st.lists(st.integers(0, 9), min_size=k, max_size=k)
    costs = [draw(row) for _ in range(m)]
    return ProbabilityIntervals(lower, upper), np.array(costs, dtype=float)


@given(decision_problems())
@settings(max_examples=40, deadline=None)
def test_general_costs(problem):
    sets, costs = problem
    expected = [
        [best_somewhere(lower, upper, costs, i) for i in range(len(costs))]
        for lower, upper in zip(sets.lower, sets.upper, strict=True)
    ]
    np.testing.assert_array_equal(e_admissibility(sets, costs), expected)


@given(decision_problems())
@settings(max_examples=40, deadline=None)
def test_closed_form_of_zero_one_costs(problem):
    sets, _ = problem
    costs = 1 - np.eye(sets.n_classes)
    expected = [
        [best_somewhere(lower, upper, costs, i) for i in range(len(costs))]
        for lower, upper in zip(sets.lower, sets.upper, strict=True)
    ]
    np.testing.assert_array_equal(e_admissibility(sets), expected)


def test_maximal_but_not_admissible_with_costs():
    """A middling prediction that no single other dominates, but two others together do."""
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.6, 0.6, 1.0]])
    sets = ([[0.3, 0.3, 0.0]], [[0.7, 0.7, 0.1]])
    np.testing.assert_array_equal(maximality(sets, costs), [[True, True, True]])
    np.testing.assert_array_equal(e_admissibility(sets, costs), [[True, True, False]])


def test_many_programmes_in_one_call(monkeypatch):
    """Batching does not change the answers."""
    rng = np.random.default_rng(0)
    sets = contaminate(rng.dirichlet(np.ones(6), 60), 0.4)
    costs = rng.random((6, 6))
    together = e_admissibility(sets, costs)
    assert (together < maximality(sets, costs)).any()
    monkeypatch.setattr("cautious.decision.admissibility._PROGRAMMES_AT_ONCE", 1)
    np.testing.assert_array_equal(e_admissibility(sets, costs), together)


def test_two_alternatives_are_admissible_when_maximal():
    rng = np.random.default_rng(1)
    sets = contaminate(rng.dirichlet(np.ones(4), 100), 0.3)
    costs = rng.random((2, 4))
    np.testing.assert_array_equal(e_admissibility(sets, costs), maximality(sets, costs))


def test_a_failing_solver_is_reported(monkeypatch):
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.6, 0.6, 1.0]])
    monkeypatch.setattr(
        "cautious.decision.admissibility.linprog",
        lambda *args, **kwargs: OptimizeResult(x=None, message="out of luck"),
    )
    with pytest.raises(RuntimeError, match="out of luck"):
        e_admissibility(([[0.3, 0.3, 0.0]], [[0.7, 0.7, 0.1]]), costs)
