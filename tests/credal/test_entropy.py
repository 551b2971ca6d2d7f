"""Upper entropy: water-filling against a general optimiser and known cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import entropy

from cautious.credal import (
    ProbabilityIntervals,
    imprecise_dirichlet,
    maximum_entropy,
    upper_entropy,
)


@st.composite
def intervals(draw):
    k = draw(st.integers(2, 5))
    cells = st.lists(st.integers(0, 10), min_size=k, max_size=k)
    weights = np.array(draw(cells.filter(any)), dtype=float)
    p = weights / weights.sum()
    below, above = np.array(draw(cells)) / 20, np.array(draw(cells)) / 20
    return ProbabilityIntervals(np.maximum(p - below, 0), np.minimum(p + above, 1))


@given(intervals())
@settings(max_examples=60, deadline=None)
def test_no_distribution_of_the_set_is_more_uncertain(sets):
    (found,) = maximum_entropy(sets)
    assert sets.contains(found).all()
    solved = minimize(
        lambda p: -entropy(np.maximum(p, 1e-12)),
        sets.center[0],
        bounds=np.c_[sets.lower[0], sets.upper[0]],
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        method="SLSQP",
    )
    assert upper_entropy(sets, base=np.e)[0] >= -solved.fun - 1e-7
    # The optimum is flat: a class above another sits at its lower bound or the other at its upper.
    for i in range(len(found)):
        for j in range(len(found)):
            if found[i] > found[j] + 1e-9:
                assert found[i] <= sets.lower[0, i] + 1e-9 or found[j] >= sets.upper[0, j] - 1e-9


def test_idm_fills_the_rarest_classes_first():
    """With s = 1 the mass goes to the least frequent class, shared when several are (Abellán)."""
    sets = imprecise_dirichlet([[4, 2, 0], [3, 1, 1], [5, 0, 0]], s=1.0)
    expected = [[4 / 7, 2 / 7, 1 / 7], [3 / 6, 1.5 / 6, 1.5 / 6], [5 / 6, 0.5 / 6, 0.5 / 6]]
    np.testing.assert_allclose(maximum_entropy(sets), expected, atol=1e-12)
    np.testing.assert_allclose(upper_entropy(sets), [entropy(p, base=2) for p in expected])


def test_point_and_vacuous_intervals():
    p = np.array([[0.2, 0.3, 0.5]])
    np.testing.assert_allclose(upper_entropy((p, p)), entropy(p[0], base=2))
    np.testing.assert_allclose(upper_entropy(([[0] * 4], [[1] * 4])), 2.0)
    np.testing.assert_allclose(upper_entropy(([[0] * 4], [[1] * 4]), base=4), 1.0)


def test_rows_are_independent():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(6), 40)
    lower, upper = p * 0.6, np.minimum(p * 0.6 + rng.random((40, 6)) * 0.6 + 0.2, 1)
    sets = ProbabilityIntervals(lower, upper)
    single = np.concatenate([maximum_entropy(sets[i]) for i in range(40)])
    np.testing.assert_array_equal(maximum_entropy(sets), single)
    np.testing.assert_allclose(single.sum(axis=1), 1)


def test_base_must_exceed_one():
    with pytest.raises(ValueError, match="base is 1"):
        upper_entropy(([[0, 0]], [[1, 1]]), base=1)
