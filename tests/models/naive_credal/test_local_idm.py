"""Local IDMs: the bounds of Yang, Destercke & Masson (2017), eqs 19–24, and maximality on them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.models import NaiveCredalClassifier


def data(seed, n=40, m=3, K=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(K, size=n - K)])
    X = np.where(rng.random((n, m)) < 0.5, y[:, None], rng.integers(3, size=(n, m)))
    return X, y


def conditional_bounds(X, y, row, s, K):
    """Eq. 19: products of lower and of upper conditional probabilities."""
    occ = np.array(
        [[np.sum((X[:, i] == a) & (y == c)) for c in range(K)] for i, a in enumerate(row)]
    )
    occ_y = np.bincount(y, minlength=K)
    return (occ / (occ_y + s)).prod(axis=0), ((occ + s) / (occ_y + s)).prod(axis=0)


@given(st.integers(0, 2**31), st.sampled_from([0.2, 1.0, 5.0]))
@settings(max_examples=30, deadline=None)
def test_posterior_bounds_by_enumerating_the_extreme_points(seed, s):
    X, y = data(seed)
    K = 3
    model = NaiveCredalClassifier(s=s, idm="local").fit(X, y)
    intervals = model._model().predict_proba_bounds(model._encode(X[:5]))
    for r, row in enumerate(X[:5]):
        low, high = conditional_bounds(X, y, row, s, K)
        lows, highs = [], []
        for vertex in np.eye(K):  # the extreme points of eq. 20
            p = (np.bincount(y) + s * vertex) / (len(y) + s)
            for c in range(K):
                others = np.arange(K) != c
                with np.errstate(divide="ignore"):
                    lows.append(1 / (1 + (p * high)[others].sum() / (p * low)[c]))
                    highs.append(1 / (1 + (p * low)[others].sum() / (p * high)[c]))
        np.testing.assert_allclose(intervals[0][r], np.reshape(lows, (K, K)).min(axis=0))
        np.testing.assert_allclose(intervals[1][r], np.reshape(highs, (K, K)).max(axis=0))


@pytest.mark.parametrize("seed", range(4))
def test_maximality_against_all_distributions_at_the_corners(seed):
    X, y = data(seed, n=25)
    costs = np.random.default_rng(seed).uniform(0, 4, size=(3, 3)) * (1 - np.eye(3))
    model = NaiveCredalClassifier(s=1.5, idm="local", costs=costs).fit(X, y)
    lower, upper = model.predict_proba_bounds(X)
    for low, high, found in zip(lower, upper, model.predict_set(X), strict=True):
        corners = []
        for free in range(3):
            fixed = [k for k in range(3) if k != free]
            for ends in itertools.product((0, 1), repeat=2):
                p = np.zeros(3)
                p[fixed] = [(low, high)[e][k] for e, k in zip(ends, fixed, strict=True)]
                p[free] = 1 - p.sum()
                if low[free] - 1e-9 <= p[free] <= high[free] + 1e-9:
                    corners.append(p)
        expected = np.array(corners) @ costs.T
        dominated = [
            any((expected[:, j] - expected[:, i]).min() > 1e-9 for i in range(3) if i != j)
            for j in range(3)
        ]
        np.testing.assert_array_equal(found, ~np.array(dominated))


def test_conservative_missing_test_cells_span_all_values():
    X, y = data(1, n=60)
    model = NaiveCredalClassifier(idm="local", missing="conservative").fit(X, y)
    row = X[:1].astype(float)
    row[0, 1] = np.nan
    lower, upper = model.predict_proba_bounds(row)
    for value in range(3):
        row[0, 1] = value
        inner_low, inner_high = model.predict_proba_bounds(row)
        assert (lower <= inner_low + 1e-12).all()
        assert (upper >= inner_high - 1e-12).all()


def test_a_class_with_zero_counts_stays_possible_but_cannot_rule_out():
    X = np.array([[0], [0], [1], [1]])
    y = np.array([0, 0, 1, 1])
    lower, upper = NaiveCredalClassifier(s=1, idm="local").fit(X, y).predict_proba_bounds([[0]])
    # L = (2/3, 0), U = (1, 1/3): n L = (4/3, 0); others: 2/3 + 1/3 = 1; (2 + 1)/3 = 1 against 4/3.
    np.testing.assert_allclose(lower, [[(4 / 3) / (4 / 3 + 1), 0]])
    np.testing.assert_allclose(upper, [[1, 1 / (1 + 4 / 3)]])


@pytest.mark.parametrize("m", [10, 1074, 1100, 3000])
def test_bounds_hold_with_many_features(m):
    # Likelihoods of 0: between 2 ** -m and 1; of 1: between 0 and 2 ** -m. All but the sizes of
    # the numbers is as with a single feature.
    X, y = [[0] * m] * 2 + [[1] * m] * 2, [0, 0, 1, 1]
    model = NaiveCredalClassifier(s=2, idm="local").fit(X, y)
    lower, upper = model.predict_proba_bounds([[0] * m])
    np.testing.assert_allclose(lower, [[1 / 3, 0]], atol=1e-12)
    np.testing.assert_allclose(upper, [[1, 2 / 3]], atol=1e-12)
    assert model.predict_set([[0] * m]).tolist() == [[True, True]]
