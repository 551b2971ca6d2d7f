"""Costs by size, Ha's and Abellán's against scalar loops and the papers' tables."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.costs import abellan_masegosa, class_selective, f_beta_costs, utility_costs
from cautious.costs._extensions import SizeCosts
from cautious.costs._set_costs import all_sets
from cautious.metrics import set_cost_score, utility_score
from cautious.utility import exponential, logarithmic, u65


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_size_costs_against_a_scalar_loop(k, seed):
    rng = np.random.default_rng(seed)
    hit, miss = rng.random(k), rng.random(k)
    mask = all_sets(k)
    costs = SizeCosts(hit, miss).of(mask)
    for row, got in zip(mask, costs, strict=True):
        size = row.sum()
        expected = [hit[size - 1] if row[y] else miss[size - 1] for y in range(k)]
        np.testing.assert_array_equal(got, expected)


def test_f_beta_is_one_less_the_measure_of_precision_and_recall():
    """Yang, Destercke & Masson (2017), eq. 9."""
    for beta in (0.5, 1, 2):
        for size, hit in enumerate(f_beta_costs(6, beta).hit, start=1):
            precision, recall = 1 / size, 1
            f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            assert hit == pytest.approx(1 - f, abs=1e-15)


def test_f_beta_of_zaffalon_table_7():
    """Zaffalon, Corani & Mauá (2012), Table 7: F1 .67 .50, F2 .83 .71 for sets of 2 and 3."""
    np.testing.assert_allclose(1 - f_beta_costs(3, 1).hit[1:], [0.67, 0.50], atol=0.005)
    np.testing.assert_allclose(1 - f_beta_costs(3, 2).hit[1:], [0.83, 0.71], atol=0.005)


def test_expected_cost_is_one_less_expected_utility():
    u = np.sqrt
    mask = all_sets(4)
    p = np.array([0.4, 0.3, 0.2, 0.1])
    inside = mask @ p
    utility = inside * u(1 / mask.sum(axis=1))
    np.testing.assert_allclose(utility_costs(4, u).of(mask) @ p, 1 - utility, rtol=1e-14)


def test_utility_need_not_be_normalised_nor_vectorised():
    costs = utility_costs(3, lambda x: 0.2 + 0.5 * x if x else 0.1)
    np.testing.assert_allclose(costs.hit, 1 - np.array([0.7, 0.45, 0.2 + 0.5 / 3]) / 0.7)
    np.testing.assert_allclose(costs.miss, 1 - 0.1 / 0.7)
    np.testing.assert_allclose(utility_costs(3, lambda x: 2 * x).hit, [0, 1 / 2, 2 / 3])
    assert utility_costs(3, lambda x: x * (1 + 1e-15)).hit[0] == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: utility_costs(3, lambda x: x * (1.2 - x)), r"utility\(0.5\) is 0.35; .*exceed"),
        (lambda: utility_costs(3, lambda x: 1 - x), r"utility\(1\) is 0; .*positive"),
        (lambda: utility_costs(3, lambda x: x or np.nan), r"utility\(0\) is nan"),
        (lambda: utility_costs(3, lambda x: np.nan), r"utility\(1\) is nan"),
        (lambda: utility_costs(1, np.sqrt), "n_classes is 1"),
        (lambda: f_beta_costs(3, -1), "beta is -1"),
        (lambda: SizeCosts([0, 1], [1, 1, 1]), "hit has 2 elements and miss 3"),
        (lambda: SizeCosts([0, -1], [1, 1]), r"hit\[1\] is -1"),
        (lambda: SizeCosts([[0, 1]], [1, 1]), "hit has shape"),
        (lambda: f_beta_costs(3, classes=["a", "b"]), "classes has 2 labels"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def three_roots(x):
    return 3 * x**0.5


@pytest.mark.parametrize("utility", [logarithmic, exponential(2), u65, three_roots])
def test_cost_is_one_less_the_utility_score(utility):
    rng = np.random.default_rng(3)
    y, sets = rng.integers(4, size=50), rng.random((50, 4)) < 0.5
    sets[~sets.any(axis=1)] = True
    cost = set_cost_score(y, sets, classes=range(4), costs=utility_costs(4, utility))
    worth = utility_score(y, sets, classes=range(4), utility=utility)
    assert 1 - cost == pytest.approx(worth, abs=1e-14)


def test_a_name_is_no_utility_function():
    with pytest.raises(TypeError, match=r"utility is 'u65'; pass a function .*utility\.u65"):
        utility_costs(3, "u65")


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_class_selective_against_a_scalar_loop(k, seed):
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


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_abellan_masegosa_against_a_scalar_loop(k, seed):
    """Yang, Destercke & Masson (2017), section V-c."""
    matrix = np.random.default_rng(seed).random((k, k)) * 5
    mask = all_sets(k)
    costs = abellan_masegosa(matrix).of(mask)
    for row, got in zip(mask, costs, strict=True):
        for y in range(k):
            dearest = max(matrix[i, y] for i in range(k) if row[i])
            wrong = math.log(k) * (dearest / (k - 1) + 1)
            assert got[y] == pytest.approx(math.log(row.sum()) if row[y] else wrong)


def test_right_single_classes_are_free_and_labels_kept():
    costs = abellan_masegosa([[0, 1], [1, 0]], classes=["a", "b"])
    assert costs.singletons().diagonal().tolist() == [0, 0]
    assert costs.table().index.tolist() == ["{a}", "{b}", "{a, b}"]


def test_bad_matrix():
    with pytest.raises(ValueError, match="square"):
        abellan_masegosa([[0, 1, 1], [1, 0, 1]])
