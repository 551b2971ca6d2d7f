"""Lower and upper expectations, against the paper and against linear programmes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cautious.credal import ProbabilityIntervals

OBSTACLES = ProbabilityIntervals([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])


@st.composite
def intervals_and_functions(draw):
    """A few rows of intervals with functions of the class, on a lattice that provokes ties."""
    k, n, m = draw(st.integers(2, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, 10), min_size=k, max_size=k)
    lower, upper = [], []
    for _ in range(n):
        weights = np.array(draw(cells.filter(any)), dtype=float)
        p = weights / weights.sum()
        lower.append(np.maximum(p - np.array(draw(cells)) / 20, 0))
        upper.append(np.minimum(p + np.array(draw(cells)) / 20, 1))
    values = st.lists(st.integers(-5, 5), min_size=k, max_size=k)
    functions = [draw(values) for _ in range(m)]
    return ProbabilityIntervals(lower, upper), np.array(functions, dtype=float)


def programme(lower, upper, f):
    solved = linprog(f, A_eq=np.ones((1, len(f))), b_eq=[1], bounds=np.c_[lower, upper])
    assert solved.status == 0
    return solved.fun


def test_yangs_example_4():
    """Yang, Destercke & Masson (2017), Example 4: .3 at (.1, .3, .6) and .1 at (.2, .3, .5)."""
    exchange = np.array([[3, 4, -2], [-1, 1, 0]])
    np.testing.assert_allclose(OBSTACLES.lower_expectation(exchange), [[0.3, 0.1]])
    np.testing.assert_allclose(OBSTACLES.minimiser(exchange[0]), [[0.1, 0.3, 0.6]])
    np.testing.assert_allclose(OBSTACLES.minimiser(exchange[1]), [[0.2, 0.3, 0.5]])


@given(intervals_and_functions())
def test_expectations_solve_the_linear_programme(case):
    sets, functions = case
    low, high = sets.lower_expectation(functions), sets.upper_expectation(functions)
    for row, (lower, upper) in enumerate(zip(sets.lower, sets.upper, strict=True)):
        for i, f in enumerate(functions):
            assert low[row, i] == pytest.approx(programme(lower, upper, f), abs=1e-8)
            assert high[row, i] == pytest.approx(-programme(lower, upper, -f), abs=1e-8)


@given(intervals_and_functions())
def test_expectations_are_those_of_vertices_and_minimisers(case):
    sets, functions = case
    low = sets.lower_expectation(functions)
    at_vertices = [(v @ functions.T).min(axis=0) for v in sets.vertices()]
    np.testing.assert_allclose(low, at_vertices, atol=1e-9)
    for i, f in enumerate(functions):
        attained = sets.minimiser(f)
        assert sets.contains(attained).all()
        np.testing.assert_allclose(attained @ f, low[:, i], atol=1e-9)


@given(intervals_and_functions())
def test_every_shape_of_f_agrees(case):
    sets, functions = case
    shared = sets.lower_expectation(functions)
    one_by_one = np.column_stack([sets.lower_expectation(f) for f in functions])
    by_row = sets.lower_expectation(np.repeat(functions[None], len(sets), axis=0))
    np.testing.assert_allclose(one_by_one, shared, atol=1e-12)
    np.testing.assert_allclose(by_row, shared, atol=1e-12)
    np.testing.assert_allclose(sets.lower_expectation(functions[None]), shared, atol=1e-12)


def test_each_row_its_own_function():
    sets = ProbabilityIntervals([[0.2, 0.3], [0.0, 0.0]], [[0.7, 0.8], [1.0, 1.0]])
    f = np.array([[[0, 1]], [[5, 2]]])
    np.testing.assert_allclose(sets.lower_expectation(f), [[0.3], [2.0]])
    np.testing.assert_allclose(sets.upper_expectation(f), [[0.8], [5.0]])


def test_point_intervals_give_plain_expectations():
    rng = np.random.default_rng(1)
    p, f = rng.dirichlet(np.ones(6), 50), rng.normal(size=(7, 6))
    sets = ProbabilityIntervals(p, p)
    np.testing.assert_allclose(sets.lower_expectation(f), p @ f.T, atol=1e-12)
    np.testing.assert_allclose(sets.upper_expectation(f), p @ f.T, atol=1e-12)


def test_more_rows_than_a_block(monkeypatch):
    rng = np.random.default_rng(2)
    p, f = rng.dirichlet(np.ones(4), 30), rng.normal(size=(3, 4))
    sets = ProbabilityIntervals(p * 0.7, p * 0.7 + 0.3)
    whole = sets.lower_expectation(f)
    monkeypatch.setattr("cautious.credal._intervals._CELLS_AT_ONCE", 1)
    monkeypatch.setattr("cautious.credal._intervals._ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(sets.lower_expectation(f), whole)


@pytest.mark.parametrize("shape", [(2,), (4, 2), (2, 1, 3), (1, 1, 1, 3), ()])
def test_wrong_shapes_of_f(shape):
    with pytest.raises(ValueError, match="f has shape"):
        OBSTACLES.lower_expectation(np.zeros(shape))


def test_f_must_be_finite():
    with pytest.raises(ValueError, match="not finite"):
        OBSTACLES.lower_expectation([0, 1, np.inf])
    with pytest.raises(ValueError, match=r"one function of the class has shape \(3,\)"):
        OBSTACLES.minimiser([[0, 1, 2]])
