"""Probability intervals: bounds, vertices, and expectations against linear programmes."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cautious._checks import check_probabilities
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import as_intervals
from cautious.decision import maximality


@st.composite
def intervals(draw):
    """Intervals around a distribution, on a coarse lattice so that ties and edges come up."""
    k = draw(st.integers(2, 5))
    cells = st.lists(st.integers(0, 10), min_size=k, max_size=k)
    weights = np.array(draw(cells.filter(any)), dtype=float)
    p = weights / weights.sum()
    below, above = np.array(draw(cells)) / 20, np.array(draw(cells)) / 20
    return ProbabilityIntervals(np.maximum(p - below, 0), np.minimum(p + above, 1))


OBSTACLES = ([0.0, 0.3, 0.4], [0.2, 0.4, 0.6])


def test_vertices_of_yangs_example_3():
    """Yang, Destercke & Masson (2017), Example 3."""
    (found,) = ProbabilityIntervals(*OBSTACLES).vertices()
    printed = [(0, 0.4, 0.6), (0.2, 0.3, 0.5), (0.2, 0.4, 0.4), (0.1, 0.3, 0.6)]
    np.testing.assert_allclose(found, sorted(printed), atol=1e-12)


def test_vertices_of_the_simplex_and_of_a_point():
    sets = ProbabilityIntervals([[0, 0, 0], [0.2, 0.3, 0.5]], [[1, 1, 1], [0.2, 0.3, 0.5]])
    simplex, point = sets.vertices()
    np.testing.assert_array_equal(simplex, np.eye(3)[::-1])
    np.testing.assert_allclose(point, [[0.2, 0.3, 0.5]])


@given(intervals())
def test_vertices_lie_in_the_set_at_bounds_and_differ(sets):
    (found,) = sets.vertices()
    assert sets[np.zeros(len(found), dtype=int)].contains(found).all()
    free = (found > sets.lower + 1e-9) & (found < sets.upper - 1e-9)
    assert (free.sum(axis=1) <= 1).all()
    assert len(np.unique(found.round(9), axis=0)) == len(found)


@given(intervals())
def test_reachable_bounds_are_those_of_the_vertices(sets):
    (found,) = sets.vertices()
    tight = sets.reachable()
    np.testing.assert_allclose(tight.lower[0], found.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(tight.upper[0], found.max(axis=0), atol=1e-9)
    assert tight.is_reachable.all()
    loose = np.abs(tight.lower - sets.lower).max() + np.abs(tight.upper - sets.upper).max()
    assert sets.is_reachable[0] == (loose <= 1e-6)


@given(intervals())
def test_centre_lies_in_the_set(sets):
    assert sets.contains(sets.center).all()


def test_centre_of_points_and_of_ignorance():
    both = ProbabilityIntervals([[0.2, 0.8], [0, 0]], [[0.2, 0.8], [1, 1]])
    np.testing.assert_allclose(both.center, [[0.2, 0.8], [0.5, 0.5]])
    # Bounds that cannot be reached do not pull the centre: [.1, .9] stands for [.3, .5] here.
    loose = ProbabilityIntervals([0.5, 0.1, 0.0], [0.6, 0.9, 0.1])
    np.testing.assert_allclose(loose.center, [[0.55, 0.4, 0.05]])


def test_contains():
    sets = ProbabilityIntervals([[0.1, 0.5], [0.6, 0.0]], [[0.5, 0.9], [1.0, 0.4]])
    np.testing.assert_array_equal(sets.contains([0.3, 0.7]), [True, False])
    np.testing.assert_array_equal(sets.contains([[0.3, 0.7], [0.7, 0.3]]), [True, True])
    np.testing.assert_array_equal(sets.contains([0.3, 0.6]), [False, False])  # adds up to .9
    with pytest.raises(ValueError, match=r"p has shape \(3,\)"):
        sets.contains([0.3, 0.3, 0.4])


def test_too_many_classes_for_vertices():
    with pytest.raises(ValueError, match="at most 16"):
        ProbabilityIntervals(np.zeros(17), np.ones(17)).vertices()


def test_single_row_rows_and_length():
    sets = ProbabilityIntervals([[0.1, 0.5], [0.6, 0.0]], [[0.5, 0.9], [1.0, 0.4]])
    assert len(sets) == 2
    assert sets.n_classes == 2
    np.testing.assert_array_equal(sets[1].lower, [[0.6, 0.0]])
    np.testing.assert_array_equal(sets[np.array([False, True])].upper, [[1.0, 0.4]])
    shown = "ProbabilityIntervals(n=2, n_classes=2, first row [0.1, 0.5], [0.5, 0.9])"
    assert repr(sets) == shown
    assert repr(sets[:0]) == "ProbabilityIntervals(n=0, n_classes=2)"
    many = ProbabilityIntervals(np.zeros(6), np.ones(6))
    assert repr(many).endswith("first row" + " [0, 1]," * 5 + " …)")


def test_frozen_and_independent_of_the_input():
    lower = np.array([[0.1, 0.5]])
    sets = ProbabilityIntervals(lower, [[0.5, 0.9]])
    lower[0, 0] = 0.4
    assert sets.lower[0, 0] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        sets.lower[0, 0] = 0.3
    with pytest.raises(AttributeError):
        sets.lower = lower
    again = pickle.loads(pickle.dumps(sets))
    np.testing.assert_array_equal(again.upper, sets.upper)


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (
            [[0.1, 0.2], [0.6, 0.6]],
            [[0.8, 0.9], [0.9, 0.9]],
            "row 1 contradict each other .*sure loss.*lower.*1.2",
        ),
        (
            [[0.1, 0.2], [0.1, 0.1]],
            [[0.8, 0.9], [0.4, 0.3]],
            "row 1 contradict each other .*sure loss.*upper.*0.7",
        ),
        ([[0.1, 0.2], [0.1, 0.5]], [[0.8, 0.9], [0.9, 0.4]], "row 1, class 1: 0.5 > 0.4.*swapped"),
        ([[0.1, np.nan]], [[0.8, 0.9]], r"lower\[0, 1\] is nan;"),
        ([[0.1, 0.2]], [[0.8, 1.1]], r"upper\[0, 1\] is 1\.1;"),
        ([[-0.1, 0.2]], [[0.8, 1.0]], r"lower\[0, 0\] is -0\.1;"),
        ([[0.1, 0.2]], [[0.8, 0.2, 0.3]], r"lower has shape \(1, 2\) and upper \(1, 3\)"),
        (np.zeros((1, 0)), np.zeros((1, 0)), r"must be \(n, K\)"),
    ],
)
def test_bad_bounds_name_the_row(lower, upper, message):
    with pytest.raises(ValueError, match=message):
        ProbabilityIntervals(lower, upper)


@pytest.mark.parametrize("check", [
    lambda row: check_probabilities([row]),
    lambda row: maximality((row / row.sum(), row / row.sum()), [np.full(500, np.inf)]),
])  # fmt: skip
def test_long_rows_are_shortened_in_messages(check):
    with pytest.raises(ValueError, match=r"in row 0|costs\[0, 0\] is inf") as refused:
        check(np.arange(1.0, 501))
    assert len(str(refused.value)) < 250


def test_rounding_is_repaired_not_refused():
    p = np.random.default_rng(0).dirichlet(np.ones(7), 500).astype(np.float32)
    sets = ProbabilityIntervals(p, p)
    assert (sets.lower.sum(axis=1) <= 1 + 1e-12).all()
    assert (sets.upper.sum(axis=1) >= 1 - 1e-12).all()
    np.testing.assert_array_equal(sets.lower, sets.upper)
    np.testing.assert_allclose(sets.lower_expectation(np.ones(7)), 1, atol=1e-12)
    crossed = ProbabilityIntervals([0.5 + 1e-9, -1e-9], [0.5, 1 + 1e-9])
    assert (crossed.lower <= crossed.upper).all()
    assert crossed.lower.min() >= 0
    assert crossed.upper.max() <= 1


def test_as_intervals():
    sets = ProbabilityIntervals(*OBSTACLES)
    assert as_intervals(sets) is sets
    np.testing.assert_array_equal(as_intervals(OBSTACLES).lower, sets.lower)
    with pytest.raises(TypeError, match="ndarray; expected ProbabilityIntervals or a tuple"):
        as_intervals(np.array(OBSTACLES))


@st.composite
def intervals_and_functions(draw, least=1, most=4, values=(-5, 5)):
    """A few rows of intervals with functions of the class, on a lattice that provokes ties."""
    k, n, m = (draw(st.integers(*ends)) for ends in ((max(2, least), 6), (1, 4), (least, most)))
    cells = st.lists(st.integers(0, 10), min_size=k, max_size=k)
    lower, upper = [], []
    for _ in range(n):
        weights = np.array(draw(cells.filter(any)), dtype=float)
        p = weights / weights.sum()
        lower.append(np.maximum(p - np.array(draw(cells)) / 20, 0))
        upper.append(np.minimum(p + np.array(draw(cells)) / 20, 1))
    row = st.lists(st.integers(*values), min_size=k, max_size=k)
    functions = [draw(row) for _ in range(m)]
    return ProbabilityIntervals(lower, upper), np.array(functions, dtype=float)


def programme(lower, upper, f):
    solved = linprog(f, A_eq=np.ones((1, len(f))), b_eq=[1], bounds=np.c_[lower, upper])
    assert solved.status == 0
    return solved.fun


def test_yangs_example_4():
    """Yang, Destercke & Masson (2017), Example 4: .3 at (.1, .3, .6) and .1 at (.2, .3, .5)."""
    exchange = np.array([[3, 4, -2], [-1, 1, 0]])
    np.testing.assert_allclose(
        ProbabilityIntervals(*OBSTACLES).lower_expectation(exchange), [[0.3, 0.1]]
    )
    np.testing.assert_allclose(
        ProbabilityIntervals(*OBSTACLES).minimiser(exchange[0]), [[0.1, 0.3, 0.6]]
    )
    np.testing.assert_allclose(
        ProbabilityIntervals(*OBSTACLES).minimiser(exchange[1]), [[0.2, 0.3, 0.5]]
    )


@given(intervals_and_functions())
def test_expectations_solve_the_linear_programme(case):
    sets, functions = case
    low, high = sets.lower_expectation(functions), sets.upper_expectation(functions)
    for row, (lower, upper) in enumerate(zip(sets.lower, sets.upper, strict=True)):
        for i, f in enumerate(functions):
            assert low[row, i] == pytest.approx(programme(lower, upper, f), abs=1e-8)
            assert high[row, i] == pytest.approx(-programme(lower, upper, -f), abs=1e-8)


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
        ProbabilityIntervals(*OBSTACLES).lower_expectation(np.zeros(shape))


def test_f_must_be_finite():
    with pytest.raises(ValueError, match="expectations need real numbers"):
        ProbabilityIntervals(*OBSTACLES).lower_expectation([0, 1, np.inf])
    with pytest.raises(ValueError, match=r"expected \(3,\), one number per class"):
        ProbabilityIntervals(*OBSTACLES).minimiser([[0, 1, 2]])
