"""Where intervals come from: the imprecise Dirichlet model and ε-contamination."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.credal import contaminate, imprecise_dirichlet

counts = st.lists(st.integers(0, 30), min_size=2, max_size=6)


def test_idm_bounds():
    """Yang, Destercke & Masson (2017), eq. 20."""
    sets = imprecise_dirichlet([[6, 3, 0], [0, 0, 0]], s=2)
    np.testing.assert_allclose(sets.lower, [[6 / 11, 3 / 11, 0], [0, 0, 0]])
    np.testing.assert_allclose(sets.upper, [[8 / 11, 5 / 11, 2 / 11], [1, 1, 1]])
    assert sets.is_reachable.all()


@given(counts, st.floats(0.1, 5), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_restricted_idm_holds_the_posterior_means_of_its_priors(n, s, epsilon):
    n = np.array(n, dtype=float)
    sets = imprecise_dirichlet(n, s, epsilon=epsilon)
    k = len(n)
    for corner in np.eye(k):
        prior_mean = (1 - epsilon) * corner + epsilon / k
        posterior = (n + s * prior_mean) / (n.sum() + s)
        assert sets.contains(posterior).all()
    width = s * (1 - epsilon) / (n.sum() + s)
    np.testing.assert_allclose(sets.upper - sets.lower, width, atol=1e-12)
    assert sets.is_reachable.all()


def test_idm_extremes():
    precise = imprecise_dirichlet([3, 1], s=0)
    np.testing.assert_allclose(precise.lower, precise.upper)
    laplace = imprecise_dirichlet([3, 1], s=2, epsilon=1)
    np.testing.assert_allclose(laplace.lower, [[4 / 6, 2 / 6]])
    np.testing.assert_allclose(laplace.upper, laplace.lower)


def test_idm_takes_weighted_counts_and_a_strength_for_each_row():
    sets = imprecise_dirichlet([[1.5, 0.5], [1.5, 0.5]], s=[1.0, 2.0])
    np.testing.assert_allclose(sets.lower, [[0.5, 0.5 / 3], [0.375, 0.125]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"counts": [[1, 2], [1, -1]]}, "counts holds .* in row 1"),
        ({"counts": [[1, np.nan]]}, "in row 0"),
        ({"counts": np.zeros((1, 1, 2))}, "counts has shape"),
        ({"counts": [1, 2], "s": -1}, "s is -1.0"),
        ({"counts": [1, 2], "s": [1, 2]}, r"s has shape \(2,\)"),
        ({"counts": [1, 2], "epsilon": 2}, "epsilon is 2"),
        ({"counts": [[1, 2], [0, 0]], "s": 0}, "all zero in row 1 while s is 0"),
    ],
)
def test_idm_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        imprecise_dirichlet(**arguments)


def test_contamination_ends():
    p = np.array([[0.7, 0.2, 0.1]])
    trusted, unknown = contaminate(p, 0), contaminate(p, 1)
    np.testing.assert_array_equal(trusted.lower, p)
    np.testing.assert_array_equal(trusted.upper, p)
    np.testing.assert_array_equal(unknown.lower, np.zeros((1, 3)))
    np.testing.assert_array_equal(unknown.upper, np.ones((1, 3)))


def test_contamination_expectation_mixes_in_the_worst():
    """The lower expectation is (1 − ε)·E[f] + ε·min f."""
    rng = np.random.default_rng(0)
    p, f = rng.dirichlet(np.ones(5), 20), rng.normal(size=5)
    epsilon = rng.random(20)
    sets = contaminate(p, epsilon)
    np.testing.assert_allclose(
        sets.lower_expectation(f), (1 - epsilon) * (p @ f) + epsilon * f.min(), atol=1e-12
    )
    assert sets.is_reachable.all()


@pytest.mark.parametrize(
    ("p", "epsilon", "message"),
    [
        ([[0.5, 0.4]], 0.1, "p adds up to 0.9 in row 0"),
        ([[0.5, 0.5]], 1.1, "epsilon is 1.1; a share"),
        ([[0.5, 0.5], [0.5, 0.5]], [0.1, -0.1], "epsilon is -0.1 in row 1"),
        ([[0.5, 0.5]], [0.1, 0.1], r"epsilon has shape \(2,\)"),
    ],
)
def test_contamination_bad_input(p, epsilon, message):
    with pytest.raises(ValueError, match=message):
        contaminate(p, epsilon)
