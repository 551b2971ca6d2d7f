"""Exact binomial statements against published numbers, scipy and brute force."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cautious.guarantees import expected_cases, risk_bound, risk_p_value
from cautious.guarantees.bounds import least_answers

counts = st.integers(0, 60).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m)))
shares = st.floats(0.01, 0.99)


@given(counts, st.integers(1, 99))
def test_p_values_are_sums_of_binomial_terms(pair, percent):
    k, m = pair
    a = Fraction(percent, 100)
    brute = sum(math.comb(m, i) * a**i * (1 - a) ** (m - i) for i in range(k + 1))
    assert risk_p_value(k, m, percent / 100) == pytest.approx(float(brute), rel=1e-9)


@given(counts, shares)
def test_bounds_invert_p_values(pair, level):
    k, m = pair
    bound = risk_bound(k, m, level)
    if k == m:
        assert bound == 1
    else:
        assert risk_p_value(k, m, bound) == pytest.approx(1 - level, rel=1e-6)
        scipy_says = stats.binomtest(k, m, alternative="less").proportion_ci(level).high
        assert bound == pytest.approx(scipy_says, rel=1e-9)


def test_arrays():
    assert risk_p_value([0, 3], [0, 100], 0.1) == pytest.approx([1, 0.0078365], abs=1e-7)
    assert risk_bound([0, 3], 100) == pytest.approx([0.0295130, 0.0757108], abs=1e-7)


@given(shares, st.floats(0.5, 0.999))
def test_fewer_answers_certify_nothing(limit, level):
    m = least_answers(limit, level)
    assert risk_p_value(0, m, limit) <= 1 - level + 1e-12
    assert m == 1 or risk_p_value(0, m - 1, limit) > 1 - level - 1e-12


def test_cases_needed():
    n = expected_cases(risk=0.01, coverage=0.5, max_error=0.02)
    assert risk_p_value(math.ceil(0.01 * n / 2), n // 2, 0.02) <= 0.05
    assert expected_cases(risk=0.02, coverage=0.5, max_error=0.02) is None
    assert expected_cases(risk=0.0, coverage=1.0, max_error=0.1) == 29


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: risk_p_value(3, 100, 0), "max_error is 0"),
        (lambda: risk_p_value(3, 100, 1.5), "max_error is 1.5"),
        (lambda: risk_bound(3, 100, 1), "confidence_level is 1"),
        (lambda: risk_p_value(5, 3, 0.1), "more wrong answers than answers"),
        (lambda: risk_p_value(2.5, 3, 0.1), "whole numbers"),
        (lambda: risk_p_value(-1, 3, 0.1), "whole numbers"),
        (lambda: risk_p_value(np.nan, 3, 0.1), "whole numbers"),
        (lambda: risk_p_value("three", 10, 0.1), "wrong"),
    ],
)
def test_refusals(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()
