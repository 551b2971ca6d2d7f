"""Weights in fixed point."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.logs.sets import carried, check_counts, fixed_point, floats

WEIGHTS = st.lists(st.floats(0, 2.0**40, allow_subnormal=True), min_size=1, max_size=30)


@given(WEIGHTS, st.randoms())
def test_sums_are_exact_up_to_one_rounding_of_each_weight(weights, random):
    shuffled = list(weights)
    random.shuffle(shuffled)
    both = [
        carried(fixed_point(np.array(order)).sum(axis=0, keepdims=True))
        for order in (weights, shuffled)
    ]
    np.testing.assert_array_equal(*both)
    exact = sum(Fraction(weight) for weight in weights)
    total = sum(int(digit) * Fraction(1, 2 ** (32 * k)) for k, digit in enumerate(both[0][0]))
    assert abs(total - exact) <= len(weights) * Fraction(1, 2**65)
    assert floats(both[0])[0] == np.float64(float(total)) or np.isclose(
        floats(both[0])[0], float(total), rtol=2.3e-16, atol=0
    )


def test_ordinary_weights_come_back_as_they_were():
    weights = np.array([0.0, 1.0, 0.1, 1 / 3, 1e-3, 12345.678])
    np.testing.assert_array_equal(floats(fixed_point(weights)), weights)


def test_a_sum_that_does_not_fit_is_refused():
    half = fixed_point(np.array([2.0**62]))
    with pytest.raises(ValueError, match="divide all by the same number"):
        carried(half + half)
    assert floats(carried(half + fixed_point(np.array([2.0**61]))))[0] == 2.0**62 + 2.0**61


@pytest.mark.parametrize(
    "counts",
    [[-1], [0], [1, 2], [[1, 2]], [[0, 0, 0]], [[-1, 0, 0]], [[1, -1, 0]], [[1, 2**32, 0]]],
)
def test_counts_that_nothing_adds_up_to(counts):
    with pytest.raises(ValueError, match="counts"):
        check_counts(np.array(counts), 1)
    check_counts(np.array([3]), 1)
    check_counts(np.array([[0, 0, 1]]), 1)
