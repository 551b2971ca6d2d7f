from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from cautious.costs import all_sets, discounted, ordinal, owa, owa_weights, p_discounted, zero_one


def orness(weights):
    n = len(weights)
    return sum((n - k) / (n - 1) * w for k, w in enumerate(weights, start=1))


@pytest.mark.parametrize("size", [2, 3, 5, 40, 1000])
@pytest.mark.parametrize(
    "tolerance", [0, 1e-9, 0.1, 0.5, 0.5 + 1e-9, 0.65, 0.8, 0.999, 1 - 1e-12, 1]
)
def test_weights_have_the_tolerance_asked_for(size, tolerance):
    weights = owa_weights(size, tolerance)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-13)
    assert orness(weights) == pytest.approx(tolerance, abs=1e-11)
    # Greatest entropy means a geometric sequence.
    inner = weights[1:-1] ** 2
    np.testing.assert_allclose(inner, weights[:-2] * weights[2:], rtol=1e-6, atol=1e-200)


@pytest.mark.parametrize("size", [3, 4, 6])
@pytest.mark.parametrize("tolerance", [0.3, 0.6, 0.8, 0.95])
def test_weights_against_a_general_optimiser(size, tolerance):
    ramp = (size - np.arange(1, size + 1)) / (size - 1)
    found = minimize(
        lambda w: float(np.sum(w * np.log(w))),
        np.full(size, 1 / size),
        method="SLSQP",
        bounds=[(1e-9, 1)] * size,
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ ramp - tolerance},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(owa_weights(size, tolerance), found.x, atol=2e-5)


def test_one_element_and_extremes():
    assert owa_weights(1, 0.7).tolist() == [1]
    assert owa_weights(1, 0.2).tolist() == [1]
    assert owa_weights(3, 1).tolist() == [1, 0, 0]
    assert owa_weights(3, 0).tolist() == [0, 0, 1]


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 6), st.floats(0, 1), st.integers(0, 10**6))
def test_against_a_scalar_loop(k, tolerance, seed):
    matrix = np.random.default_rng(seed).integers(0, 5, (k, k)).astype(float)
    mask = all_sets(k)
    costs = owa(matrix, tolerance).of(mask)
    for row, got in zip(mask, costs, strict=True):
        weights = owa_weights(int(row.sum()), tolerance)
        for y in range(k):
            ordered = sorted(matrix[i, y] for i in range(k) if row[i])
            expected = sum(w * c for w, c in zip(weights, ordered, strict=True))
            assert got[y] == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_half_is_discounted_and_the_ends_are_min_and_max():
    matrix = np.random.default_rng(0).random((4, 4))
    mask = all_sets(4)
    np.testing.assert_allclose(owa(matrix, 0.5).of(mask), discounted(matrix).of(mask), rtol=1e-14)
    least, most = p_discounted(matrix, p=-np.inf), p_discounted(matrix, p=np.inf)
    np.testing.assert_array_equal(owa(matrix, 1).of(mask), least.of(mask))
    np.testing.assert_array_equal(owa(matrix, 0).of(mask), most.of(mask))


def test_right_pairs_of_0_1_costs_cost_one_less_the_tolerance():
    """Ma & Denœux (2021): for 0/1 utilities and two classes the utility is the tolerance."""
    assert owa(zero_one(3), 0.65).of([[True, True, False]])[0].tolist() == pytest.approx(
        [0.35] * 2 + [1]
    )


def test_single_classes_cost_what_the_matrix_says():
    matrix = np.random.default_rng(0).random((5, 5))
    np.testing.assert_array_equal(owa(matrix, 0.8).singletons(), matrix)


def test_many_sets_are_costed_in_pieces(monkeypatch):
    mask = all_sets(6)
    whole = owa(ordinal(6), 0.7).of(mask)
    monkeypatch.setattr(import_module("cautious.costs.owa"), "_CELLS_AT_ONCE", 50)
    np.testing.assert_allclose(owa(ordinal(6), 0.7).of(mask), whole, rtol=1e-14)


@pytest.mark.parametrize("tolerance", [-0.1, 1.1, np.nan])
def test_bad_tolerance(tolerance):
    with pytest.raises(ValueError, match="tolerance is"):
        owa(ordinal(3), tolerance)


def test_bad_size():
    with pytest.raises(ValueError, match="size is 0"):
        owa_weights(0, 0.5)
