"""Betting bounds: valid, tighter than a textbook inequality, and free of order and batches."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cautious.guarantees import mean_bound, risk_bound

VALUES = np.array([0, 0.1, 0.2, 1])
SHARES = np.array([0.8, 0.15, 0.03, 0.02])
SHIFT = st.floats(-5, 5)


def test_slack_on_the_reference_case():
    # A uniform mixture leaves 0.014, Chernoff–KL and a sum of exact bounds 0.015.
    assert mean_bound(VALUES, 1000 * SHARES, 0.9) - VALUES @ SHARES < 0.01365


def test_slack_case_by_case():
    # The package confseq, which needs cases in order too, leaves 0.0091 on average.
    samples = np.random.default_rng(0).choice(VALUES, (60, 1000), p=SHARES)
    slack = [mean_bound(x, None, 0.9, low=0, high=1) - x.mean() for x in samples]
    assert np.mean(slack) < 0.0091


@pytest.mark.parametrize("delta", [0.1, 0.05])
@pytest.mark.parametrize("n", [2, 5, pytest.param(8, marks=pytest.mark.slow)])
def test_valid_in_every_order(n, delta):
    """All orders of 0, ½ and 1 are gone through, under many laws."""
    orders = np.array(list(product([0.0, 0.5, 1.0], repeat=n)))
    # The bound depends on the order; each order has the chance of its counts.
    bounds = np.array([mean_bound(x, None, 1 - delta, low=0, high=1) for x in orders])
    halves, ones = (orders == 0.5).sum(axis=1), (orders == 1).sum(axis=1)
    for p_half, p_one in np.random.default_rng(0).dirichlet([0.5, 0.5, 0.5], 300)[:, 1:]:
        chance = (1 - p_half - p_one) ** (n - halves - ones) * p_half**halves * p_one**ones
        assert chance @ (bounds < p_half / 2 + p_one) <= delta + 1e-12


def brute_force(x, delta, at):
    """Follow the bets of one hypothesis, case by case, by the book."""
    n, wealth, richest = len(x), 1.0, 1.0
    for i, value in enumerate(x):
        seen = x[:i]
        mean = (0.5 + seen.sum()) / (i + 1)
        variance = (0.25 + ((seen - mean) ** 2).sum()) / (i + 1)
        stake = np.sqrt(2 * np.log(1 / (delta * wealth)) / ((n - i) * variance))
        wealth *= 1 + min(stake, 0.8 / (1 - at)) * (at - value)
        richest = max(richest, wealth)
        if richest >= 1 / delta:
            return True
    return False


def test_bets_are_those_described():
    rng = np.random.default_rng(2)
    grid = np.sin(np.pi / 2 * np.arange(512) / 512) ** 2
    for shares in (SHARES, [0.3, 0.1, 0.2, 0.4]):
        x = rng.choice(VALUES, 120, p=shares)
        bound = mean_bound(x, None, 0.9, low=0, high=1)
        above = grid[grid >= bound + 1e-9]
        assert all(brute_force(x, 0.1, at) for at in above)  # all means above it are ruled out
        below = grid[grid < bound][-1]
        assert below < x.mean() or not brute_force(x, 0.1, below)


def test_a_range_moves_the_bound_of_cases():
    x = np.random.default_rng(3).choice([1.0, 3, 7], 200)
    plain = mean_bound((x - 1) / 6, None, low=0, high=1)
    assert mean_bound(x, None, low=1, high=7) == pytest.approx(1 + 6 * plain, abs=1e-7)
    lower = mean_bound(7 - x, None, low=0, high=6, side="lower")
    assert lower == pytest.approx(6 - 6 * plain, abs=1e-7)
    assert mean_bound([0.3], None, low=0, high=1) == 1
    assert mean_bound([0.0] * 1000, None, low=0, high=1) < 0.005


@pytest.mark.parametrize("n", [5, 12, 30, 60])
@pytest.mark.parametrize("delta", [0.1, 0.05])
def test_valid_at_every_mean(n, delta):
    """All counts of 0 and 1 are gone through, with a third value that never occurs."""
    k = np.arange(n + 1)
    bounds = np.array([mean_bound([0, 0.5, 1], [n - i, 0, i], 1 - delta) for i in k.tolist()])
    assert (np.diff(bounds) >= -1e-9).all()  # more losses never lower the bound
    p = np.linspace(0.001, 0.999, 500)[:, None]
    missed = (stats.binom.pmf(k, n, p) * (bounds < p)).sum(axis=1)
    assert missed.max() <= delta


def test_equal_counts_have_equal_bounds():
    rng = np.random.default_rng(1)
    x, n = rng.random(6), rng.integers(40, size=6)
    order = rng.permutation(6)
    expected = mean_bound(x, n, low=0, high=1)
    assert mean_bound(x[order], n[order], low=0, high=1) == pytest.approx(expected, abs=1e-9)
    twice = np.concatenate([x, x]), np.concatenate([n // 2, n - n // 2])
    assert mean_bound(*twice, low=0, high=1) == pytest.approx(expected, abs=1e-9)


def test_a_billion_cases():
    counts = np.array([8, 1, 1]) * 10**9
    assert mean_bound([0, 0.5, 1], counts) == pytest.approx(0.15, abs=1e-4)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 200), min_size=3, max_size=3).filter(lambda n: sum(n) > 0),
    SHIFT,
    st.floats(0.1, 10),
    st.floats(0.5, 0.99),
)
def test_bounds_move_with_the_units(counts, shift, scale, level):
    x = np.array([0, 0.3, 1.0])
    plain = mean_bound(x, counts, level)
    moved = mean_bound(shift + scale * x, counts, level)
    assert moved == pytest.approx(shift + scale * plain, abs=1e-8)
    lower = mean_bound(1 - x, counts, level, side="lower")
    assert lower == pytest.approx(1 - plain, abs=1e-8)
    assert x @ counts / sum(counts) <= plain <= 1


@given(st.integers(0, 80), st.integers(0, 80))
def test_two_values_have_the_exact_bound(hits, misses):
    if hits + misses:
        assert mean_bound([2, 5], [misses, hits]) == pytest.approx(
            2 + 3 * risk_bound(hits, hits + misses)
        )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean_bound([0, 1], [1]), "one count for each"),
        (lambda: mean_bound([], []), "at least one value"),
        (lambda: mean_bound([0, np.inf], [1, 1]), "not finite"),
        (lambda: mean_bound([0, 1], [1, -1]), "whole numbers of cases"),
        (lambda: mean_bound([0, 1], [1, 0.5]), "whole numbers of cases"),
        (lambda: mean_bound([0, 1], [1, 1], high=0.5), "must hold every possible loss"),
        (lambda: mean_bound([0, 1], [1, 1], 0), "confidence_level is 0"),
        (lambda: mean_bound([0, 1], [1, 1], side="left"), "choose 'upper' or 'lower'"),
        (lambda: mean_bound([], None, low=0, high=1), r"^values has shape \(0,\); give the losses"),
        (lambda: mean_bound([[0, 1]], low=0, high=1), r"^values has shape \(1, 2\); give the los"),
        (lambda: mean_bound([0, 0.5, 1], None), "give low and high"),
        (lambda: mean_bound([0, 0.5, 1], high=1), "give low and high"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_nothing_seen():
    assert mean_bound([0, 0.5, 1], [0, 0, 0]) == 1
    assert mean_bound([3], [10]) == 3
