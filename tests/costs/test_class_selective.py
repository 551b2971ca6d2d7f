import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.costs import all_sets, class_selective


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_against_a_scalar_loop(k, seed):
    rng = np.random.default_rng(seed)
    eta = rng.uniform(1, 3, k)
    delta = rng.uniform(0, 0.5)
    mask = all_sets(k)
    costs = class_selective(eta, delta).of(mask)
    for row, got in zip(mask, costs, strict=True):
        for y in range(k):
            assert got[y] == pytest.approx((0 if row[y] else eta[y]) + delta * (row.sum() - 1))


def test_the_best_set_holds_the_classes_worth_more_than_delta():
    rng = np.random.default_rng(3)
    mask = all_sets(5)
    for _ in range(50):
        p = rng.dirichlet(np.ones(5))
        eta = rng.uniform(1, 2, 5)
        best = mask[(class_selective(eta, 0.2).of(mask) @ p).argmin()]
        worth = eta * p > 0.2
        if worth.any():
            np.testing.assert_array_equal(best, worth)


def test_series_carries_the_classes():
    assert class_selective(pd.Series({"a": 1.0, "b": 2.0}), 0.1).classes == ("a", "b")
    named = class_selective(pd.Series({"a": 1.0, "b": 2.0}), 0.1, classes=["x", "y"])
    assert named.classes == ("x", "y")


@pytest.mark.parametrize("delta", [-0.1, 0.5, 2, np.nan])
def test_delta_out_of_range(delta):
    with pytest.raises(
        ValueError, match=r"delta is .*less than half of the least eta, 0.5 \(class 1"
    ):
        class_selective([2, 1, 3], delta)


@pytest.mark.parametrize("eta", [[1], [1, -1], [1, np.inf], [[1, 1]]])
def test_bad_eta(eta):
    with pytest.raises(ValueError, match="eta"):
        class_selective(eta, 0.1)
