"""Credal criteria against vertices and linear programmes, and the best sets at worst."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import OptimizeResult, linprog
from tests.credal.test_intervals import intervals_and_functions, programme

from cautious.costs._set_costs import all_sets
from cautious.credal import ProbabilityIntervals, contaminate, imprecise_dirichlet
from cautious.decision import (
    class_threshold_rule,
    e_admissibility,
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximality,
    optimal_sets,
)
from cautious.utility import as_utility

OBSTACLES = ProbabilityIntervals([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])
RISK_LEVELS = np.array([[0, 1, 2], [1, 0, 2], [4, 4, 0]])  # Yang et al. (2017), Table I: h, b, n


SMALL, LARGE = intervals_and_functions(1, 5, (0, 4)), intervals_and_functions(3, 6, (0, 9))


def test_yangs_example_4():
    """Yang, Destercke & Masson (2017), Example 4: only the bicycle is undominated."""
    for criterion in (maximality, e_admissibility, gamma_maximin, gamma_maximax):
        np.testing.assert_array_equal(criterion(OBSTACLES, RISK_LEVELS), [[False, True, False]])
    # With 0/1 costs n is at least as likely as b everywhere in the set, and h always less.
    np.testing.assert_array_equal(maximality(OBSTACLES), [[False, True, True]])


@given(SMALL)
@settings(max_examples=30, deadline=None)
def test_maximality_by_linear_programmes(problem):
    sets, costs = problem
    expected = np.ones((len(sets), len(costs)), dtype=bool)
    for row, (lower, upper) in enumerate(zip(sets.lower, sets.upper, strict=True)):
        for i, mine in enumerate(costs):
            exchanges = (programme(lower, upper, mine - other) for other in costs)
            expected[row, i] = not any(value > 1e-7 for value in exchanges)
    np.testing.assert_array_equal(maximality(sets, costs), expected)


@given(SMALL)
def test_criteria_by_vertices(problem):
    sets, costs = problem
    for row, vertices in enumerate(sets.vertices()):
        expected = vertices @ costs.T
        best, worst = expected.min(axis=0), expected.max(axis=0)
        kept = interval_dominance(sets, costs)[row]
        np.testing.assert_array_equal(kept, best <= worst.min() + 1e-9)
        for criterion, values in (
            (gamma_maximin(sets, costs), worst),
            (gamma_maximax(sets, costs), best),
            (hurwicz(sets, costs, alpha=0.3), 0.3 * best + 0.7 * worst),
        ):
            first = int(np.argmax(values <= values.min() + 1e-9))
            np.testing.assert_array_equal(criterion[row], np.arange(len(costs)) == first)


@given(SMALL)
def test_zero_one_costs_by_default(problem):
    sets, _ = problem
    costs = 1 - np.eye(sets.n_classes)
    for criterion in (
        maximality,
        interval_dominance,
        e_admissibility,
        gamma_maximin,
        gamma_maximax,
        lambda *a: hurwicz(*a, alpha=0.4),
    ):
        np.testing.assert_array_equal(criterion(sets), criterion(sets, costs))


@given(SMALL)
def test_an_operator_does_as_well_as_intervals(problem):
    sets, costs = problem
    operator = sets.lower_expectation
    for criterion in (
        maximality,
        interval_dominance,
        gamma_maximin,
        gamma_maximax,
        lambda *a: hurwicz(*a, alpha=0.4),
    ):
        np.testing.assert_array_equal(criterion(operator, costs), criterion(sets, costs))


def test_no_rows():
    none = ProbabilityIntervals(np.zeros((0, 3)), np.zeros((0, 3)))
    for criterion in (maximality, interval_dominance, e_admissibility, gamma_maximin):
        assert criterion(none).shape == (0, 3)
        assert criterion(none, RISK_LEVELS).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: maximality(OBSTACLES, np.zeros((3, 2))), ValueError, r"expected \(m, 3\)"),
        (lambda: maximality(OBSTACLES, [1, 2, 3]), ValueError, r"costs has shape \(3,\)"),
        (
            lambda: maximality(OBSTACLES, [[0, np.nan, 1]]),
            ValueError,
            r"costs\[0, 1\] is nan; costs must be fin",
        ),
        (lambda: maximality(OBSTACLES.lower_expectation), ValueError, "costs is left out"),
        (
            lambda: gamma_maximin(lambda f: np.zeros(3), RISK_LEVELS),
            ValueError,
            r"came back with shape \(3,\)",
        ),
        (lambda: hurwicz(OBSTACLES, alpha=2), ValueError, "alpha is 2"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


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


@given(LARGE)
def test_general_costs(problem):
    sets, costs = problem
    expected = [
        [best_somewhere(lower, upper, costs, i) for i in range(len(costs))]
        for lower, upper in zip(sets.lower, sets.upper, strict=True)
    ]
    np.testing.assert_array_equal(e_admissibility(sets, costs), expected)


@given(LARGE)
def test_closed_form_of_zero_one_costs(problem):
    sets, _ = problem
    costs = 1 - np.eye(sets.n_classes)
    expected = [
        [best_somewhere(lower, upper, costs, i) for i in range(len(costs))]
        for lower, upper in zip(sets.lower, sets.upper, strict=True)
    ]
    np.testing.assert_array_equal(e_admissibility(sets), expected)


@pytest.mark.parametrize("zero_one", [False, True])
@given(LARGE)
def test_best_somewhere_by_linear_programmes(zero_one, problem):
    sets, costs = problem
    table = 1 - np.eye(sets.n_classes) if zero_one else costs
    expected = [
        [best_somewhere(lower, upper, table, i) for i in range(len(table))]
        for lower, upper in zip(sets.lower, sets.upper, strict=True)
    ]
    found = e_admissibility(sets) if zero_one else e_admissibility(sets, costs)
    np.testing.assert_array_equal(found, expected)


def test_many_programmes_in_one_call(monkeypatch):
    """Batching does not change the answers."""
    rng = np.random.default_rng(0)
    sets = contaminate(rng.dirichlet(np.ones(6), 60), 0.4)
    costs = rng.random((6, 6))
    together = e_admissibility(sets, costs)
    assert (together < maximality(sets, costs)).any()
    monkeypatch.setattr("cautious.decision.criteria._PROGRAMMES_AT_ONCE", 1)
    np.testing.assert_array_equal(e_admissibility(sets, costs), together)


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_games_and_programmes_agree(n_classes, monkeypatch):
    rng = np.random.default_rng(n_classes)
    sets = contaminate(rng.dirichlet(np.ones(n_classes), 150), 0.5)
    costs = rng.random((n_classes + 1, n_classes)).round(2)
    played = e_admissibility(sets, costs)
    assert (played < maximality(sets, costs)).any()
    monkeypatch.setattr("cautious.decision.criteria._TURNS", 0)
    np.testing.assert_array_equal(e_admissibility(sets, costs), played)


def test_a_failing_solver_is_reported(monkeypatch):
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.6, 0.6, 1.0]])
    monkeypatch.setattr("cautious.decision.criteria._TURNS", 0)
    monkeypatch.setattr(
        "scipy.optimize.linprog",
        lambda *args, **kwargs: OptimizeResult(x=None, message="out of luck"),
    )
    with pytest.raises(RuntimeError, match="out of luck"):
        e_admissibility(([[0.3, 0.3, 0.0]], [[0.7, 0.7, 0.1]]), costs)


def random_intervals(rng, K):
    """Reachable intervals around a distribution, some of them with ties."""
    p = rng.dirichlet(np.ones(K))
    if rng.random() < 0.3:
        return imprecise_dirichlet([rng.integers(0, 4, K)], rng.choice([1.0, 3.0]))
    width = rng.random(K) * rng.choice([0.05, 0.5])
    bounds = np.maximum(p - width, 0)[None], np.minimum(p + width * rng.random(K), 1)[None]
    return ProbabilityIntervals(*bounds).reachable()


@pytest.mark.parametrize("utility", ["f1", "u65", "u80"])
@pytest.mark.parametrize("K", [2, 3, 4, 5])
def test_no_other_set_is_worth_more_at_worst(K, utility):
    rng = np.random.default_rng(K)
    every = all_sets(K)
    worth = as_utility(utility)(1 / every.sum(axis=1))
    for _ in range(60):
        intervals = random_intervals(rng, K)
        (corners,) = intervals.vertices()
        sure = (corners @ every.T.astype(float)).min(axis=0) * worth
        (chosen,) = gamma_maximin(intervals, utility=utility)
        value = sure[(every == chosen).all(axis=1)][0]
        assert value >= sure.max() - 1e-12
        # Of ties the smallest, then the first by its classes.
        tied = every[sure >= sure.max() - 1e-13]
        tied = tied[tied.sum(axis=1) == tied.sum(axis=1).min()]
        if len(tied) > 1:
            assert chosen.tolist() == max(tied.tolist())


def test_bounds_are_told_from_probabilities():
    bounds = ProbabilityIntervals([[0.0, 0.3, 0.4]], [[0.2, 0.4, 0.6]])
    for given_bounds in (bounds, (bounds.lower, bounds.upper)):
        for decide, argument in ((optimal_sets, "u65"), (class_threshold_rule, [0.5] * 3)):
            with pytest.raises(TypeError, match=r"p holds bounds .*gamma_maximin"):
                decide(given_bounds, argument)
    assert optimal_sets(([0.2, 0.8], [0.5, 0.5]), "u65").shape == (2, 2)  # two rows
