"""Sets by their lower probability, against all sets and all extreme distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.costs._set_costs import all_sets
from cautious.credal import ProbabilityIntervals, imprecise_dirichlet
from cautious.decision import gamma_maximin, maximin_sets, optimal_sets, threshold_rule
from cautious.utility import as_utility


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
        (chosen,) = maximin_sets(intervals, utility)
        value = sure[(every == chosen).all(axis=1)][0]
        assert value >= sure.max() - 1e-12
        # Of ties the smallest, then the first by its classes.
        tied = every[sure >= sure.max() - 1e-13]
        tied = tied[tied.sum(axis=1) == tied.sum(axis=1).min()]
        if len(tied) > 1:
            assert chosen.tolist() == max(tied.tolist())


def test_it_is_gamma_maximin_over_all_sets():
    rng = np.random.default_rng(0)
    every = all_sets(4)
    table = -1.0 * every * as_utility("u65")(1 / every.sum(axis=1))[:, None]
    for _ in range(40):
        intervals = random_intervals(rng, 4)
        worst = intervals.upper_expectation(table)[0]
        by_costs = gamma_maximin(intervals, table)[0]
        (chosen,) = maximin_sets(intervals, "u65")
        assert worst[(every == chosen).all(axis=1)] == pytest.approx(worst[by_costs], abs=1e-12)


@given(seed=st.integers(0, 10**6), utility=st.sampled_from(["f1", "f2", "u65", "u80"]))
def test_without_doubt_it_is_the_nondeterministic_classifier(seed, utility):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(rng.integers(2, 30), 0.5), size=5)
    assert (maximin_sets((p, p), utility) == optimal_sets(p, utility=utility)).all()


def test_more_doubt_asks_for_more_classes_until_all_are_left():
    counts = [[30, 12, 5, 1]]
    sizes = [maximin_sets(imprecise_dirichlet(counts, s)).sum() for s in (0.1, 20, 200, 1e6)]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (1, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: maximin_sets(([[0.6, 0.6]], [[0.7, 0.7]])), "row 0"),
        (lambda: maximin_sets(([[0.4, 0.6]], [[0.4, 0.6]]), "u"), "utility"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bounds_are_told_from_probabilities():
    bounds = ProbabilityIntervals([[0.0, 0.3, 0.4]], [[0.2, 0.4, 0.6]])
    for given_bounds in (bounds, (bounds.lower, bounds.upper)):
        for decide in (lambda p: optimal_sets(p, "u65"), lambda p: threshold_rule(p, 0.5)):
            with pytest.raises(TypeError, match=r"p holds bounds .*maximin_sets"):
                decide(given_bounds)
    assert optimal_sets(([0.2, 0.8], [0.5, 0.5]), "u65").shape == (2, 2)  # two rows
