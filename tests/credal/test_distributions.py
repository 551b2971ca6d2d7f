"""From counts and distributions to credal sets, and to the distribution of largest entropy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import entropy
from tests.credal.test_intervals import intervals

from cautious.credal import ProbabilityIntervals, contaminate, imprecise_dirichlet

counts = st.lists(st.integers(0, 30), min_size=2, max_size=6)


def test_idm_bounds():
    """Yang, Destercke & Masson (2017), eq. 20."""
    sets = imprecise_dirichlet([[6, 3, 0], [0, 0, 0]], s=2)
    np.testing.assert_allclose(sets.lower, [[6 / 11, 3 / 11, 0], [0, 0, 0]])
    np.testing.assert_allclose(sets.upper, [[8 / 11, 5 / 11, 2 / 11], [1, 1, 1]])
    assert sets.is_reachable.all()


@given(counts, st.floats(0.1, 5), st.floats(0, 1))
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


def test_idm_takes_weighted_counts_and_a_strength_for_each_row():
    sets = imprecise_dirichlet([[1.5, 0.5], [1.5, 0.5]], s=[1.0, 2.0])
    np.testing.assert_allclose(sets.lower, [[0.5, 0.5 / 3], [0.375, 0.125]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"counts": [[1, 2], [1, -1]]}, r"counts\[1, 1\] is -1;"),
        ({"counts": [[1, np.nan]]}, r"counts\[0, 1\] is nan;"),
        ({"counts": np.zeros((1, 1, 2))}, "counts has shape"),
        ({"counts": [1, 2], "s": -1}, "s is -1;"),
        ({"counts": [1, 2], "s": [1, 2]}, r"s has shape \(2,\)"),
        ({"counts": [1, 2], "epsilon": 2}, "epsilon is 2"),
        ({"counts": [[1, 2], [0, 0]], "s": 0}, "all zero in row 1 while s is 0"),
    ],
)
def test_idm_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        imprecise_dirichlet(**arguments)


def test_contamination_expectation_mixes_in_the_worst():
    """The lower expectation is (1 − ε)·E[f] + ε·min f."""
    rng = np.random.default_rng(0)
    p, f = rng.dirichlet(np.ones(5), 20), rng.normal(size=5)
    epsilon = np.append([0.0, 1.0], rng.random(18))
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
        ([[0.5, 0.5], [0.5, 0.5]], [0.1, -0.1], r"epsilon\[1\] is -0\.1;"),
        ([[0.5, 0.5]], [0.1, 0.1], r"epsilon has shape \(2,\)"),
    ],
)
def test_contamination_bad_input(p, epsilon, message):
    with pytest.raises(ValueError, match=message):
        contaminate(p, epsilon)


@given(intervals())
def test_no_distribution_of_the_set_is_more_uncertain(sets):
    (found,) = sets.maximum_entropy()
    assert sets.contains(found).all()
    solved = minimize(
        lambda p: -entropy(np.maximum(p, 1e-12)),
        sets.center[0],
        bounds=np.c_[sets.lower[0], sets.upper[0]],
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        method="SLSQP",
    )
    assert sets.upper_entropy(base=np.e)[0] >= -solved.fun - 1e-7
    # The optimum is flat: a class above another sits at its lower bound or the other at its upper.
    for i in range(len(found)):
        for j in range(len(found)):
            if found[i] > found[j] + 1e-9:
                assert found[i] <= sets.lower[0, i] + 1e-9 or found[j] >= sets.upper[0, j] - 1e-9


def test_idm_fills_the_rarest_classes_first():
    """With s = 1 the mass goes to the least frequent class, shared when several are (Abellán)."""
    sets = imprecise_dirichlet([[4, 2, 0], [3, 1, 1], [5, 0, 0]], s=1.0)
    expected = [[4 / 7, 2 / 7, 1 / 7], [3 / 6, 1.5 / 6, 1.5 / 6], [5 / 6, 0.5 / 6, 0.5 / 6]]
    np.testing.assert_allclose(sets.maximum_entropy(), expected, atol=1e-12)
    np.testing.assert_allclose(sets.upper_entropy(), [entropy(p, base=2) for p in expected])


def test_point_and_vacuous_intervals():
    p = np.array([[0.2, 0.3, 0.5]])
    np.testing.assert_allclose(ProbabilityIntervals(p, p).upper_entropy(), entropy(p[0], base=2))
    np.testing.assert_allclose(ProbabilityIntervals([[0] * 4], [[1] * 4]).upper_entropy(), 2.0)
    np.testing.assert_allclose(
        ProbabilityIntervals([[0] * 4], [[1] * 4]).upper_entropy(base=4), 1.0
    )


def test_rows_are_independent():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(6), 40)
    lower, upper = p * 0.6, np.minimum(p * 0.6 + rng.random((40, 6)) * 0.6 + 0.2, 1)
    sets = ProbabilityIntervals(lower, upper)
    single = np.concatenate([sets[i].maximum_entropy() for i in range(40)])
    np.testing.assert_array_equal(sets.maximum_entropy(), single)
    np.testing.assert_allclose(single.sum(axis=1), 1)


def test_base_must_exceed_one():
    with pytest.raises(ValueError, match="base is 1"):
        ProbabilityIntervals([[0, 0]], [[1, 1]]).upper_entropy(base=1)
