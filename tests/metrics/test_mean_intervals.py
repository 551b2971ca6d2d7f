"""Score limits of the mean of a loss with few values, against worked numbers and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from cautious.metrics._mean_intervals import (
    ChosenCounts,
    chosen_interval,
    critical_value,
    mean_and_variance,
    score_limits,
)

Z = stats.norm.ppf(0.975)


@pytest.mark.parametrize(
    ("values", "counts", "wanted"),
    [
        ((0, 0.5, 1, 30), (100, 90, 10, 0), (0.235679, 0.835177)),
        ((0, 0.5, 1, 30), (100, 90, 8, 2), (0.343758, 1.330186)),
        ((0, 1, 4, 20), (40.3, 30.2, 20, 9.5), (2.123393, 4.397638)),
    ],
)
def test_worked_numbers(values, counts, wanted):
    found = score_limits(np.array(values), np.array(counts), Z)
    assert found == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (5, 100)])
def test_of_two_values_they_are_wilsons(k, n):
    wanted = stats.binomtest(k, n).proportion_ci(method="wilson")
    found = score_limits(np.array([0, 1]), np.array([n - k, k]), Z)
    assert found == pytest.approx((wanted.low, wanted.high))


def least_distance(values, shares, mean):
    """Squared distance from a mean in likeliest variances of it: by a numerical optimiser."""
    likelihood = lambda p: -(shares * np.log(np.maximum(p, 1e-300))).sum()  # noqa: E731
    rules = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: p @ values - mean},
    ]
    start = np.full(len(values), 1 / len(values))
    found = optimize.minimize(likelihood, start, bounds=[(0, 1)] * len(values), constraints=rules)
    return (shares @ values - mean) ** 2 / (found.x @ (values - mean) ** 2)


@given(st.lists(st.integers(0, 40), min_size=3, max_size=4).filter(lambda q: sum(map(bool, q)) > 1))
def test_limits_lie_where_the_likeliest_variance_says(counts):
    counts, values = np.array(counts, dtype=float), np.array([0.0, 1.0, 3.0, 7.0])[: len(counts)]
    n = counts.sum()
    for end in score_limits(values, counts, Z):
        if values.min() + 1e-3 < end < values.max() - 1e-3:
            distance = least_distance(values, counts / n, end)
            assert n * distance == pytest.approx(Z**2, rel=0.02)


@pytest.mark.parametrize("ratio", [0, 0.1, 1, 30])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_critical_values(ratio, level):
    c = critical_value(ratio, 1, level)
    assert stats.norm.cdf(c + ratio) - stats.norm.cdf(-c) == pytest.approx(level)


def test_held_out_mean_and_both_reaches():
    """Without optimism the score limits; with it, from those of own to those of held-out counts."""
    values, own, held = np.array([0, 1, 20.0]), np.array([90, 10, 0.0]), np.array([80, 18, 2.0])
    alike = chosen_interval([ChosenCounts(1.0, values, own, own)], 0.95)
    assert (alike.low, alike.high) == pytest.approx(score_limits(values, own, Z))
    found = chosen_interval([ChosenCounts(1.0, values, own, held)], 0.95)
    (first, _), (second, variance) = mean_and_variance(values, own), mean_and_variance(values, held)
    c = critical_value(second - first, variance**0.5, 0.95)
    assert found.estimate == second
    assert found.low == pytest.approx(score_limits(values, own, c)[0])
    assert found.high == pytest.approx(score_limits(values, held, c)[1])


def test_means_of_classes_whose_shares_are_known_add_up():
    """Squared distances of limits from means do; a class without a share does not matter."""
    one, two = (np.array([0, 1.0]), np.array([40, 10.0])), (np.array([0, 5.0]), np.array([60, 3.0]))
    found = chosen_interval(
        [ChosenCounts(0.7, *one, one[1]), ChosenCounts(0.3, *two, two[1])], 0.95
    )
    (low, high), (lower, higher) = score_limits(*one, Z), score_limits(*two, Z)
    mean, other = 0.2, 15 / 63
    assert found.estimate == pytest.approx(0.7 * mean + 0.3 * other)
    below = np.hypot(0.7 * (mean - low), 0.3 * (other - lower))
    above = np.hypot(0.7 * (high - mean), 0.3 * (higher - other))
    ends = (found.estimate - below, found.estimate + above)
    assert (found.low, found.high) == pytest.approx(ends)
