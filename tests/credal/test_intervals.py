"""Probability intervals: checks, reachability, vertices, membership."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious._checks import check_probabilities
from cautious.credal import ProbabilityIntervals, imprecise_dirichlet
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
        ([[0.1, np.nan]], [[0.8, 0.9]], "lower holds a value that is no probability in row 0"),
        ([[0.1, 0.2]], [[0.8, 1.1]], "upper holds a value that is no probability in row 0"),
        ([[-0.1, 0.2]], [[0.8, 1.0]], "lower holds a value that is no probability in row 0"),
        ([[0.1, 0.2]], [[0.8, 0.2, 0.3]], r"lower has shape \(1, 2\) and upper \(1, 3\)"),
        (np.zeros((1, 0)), np.zeros((1, 0)), r"must be \(n, K\)"),
    ],
)
def test_bad_bounds_name_the_row(lower, upper, message):
    with pytest.raises(ValueError, match=message):
        ProbabilityIntervals(lower, upper)


@pytest.mark.parametrize("check", [
    lambda row: ProbabilityIntervals(row, row),
    lambda row: check_probabilities([row]),
    lambda row: imprecise_dirichlet(-row),
    lambda row: maximality((row / row.sum(), row / row.sum()), [np.full(500, np.inf)]),
])  # fmt: skip
def test_long_rows_are_shortened_in_messages(check):
    with pytest.raises(ValueError, match="in row 0") as refused:
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
