"""Credal model averaging against enumeration of all feature sets."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.models import CredalModelAveragingClassifier
from cautious.models.naive_credal.model_averaging import minimise_shared


def sequence_probability(cells, n_values, total):
    """Probability of a sequence under a symmetric Dirichlet prior, cell after cell."""
    seen, log_p = {}, 0.0
    for k, cell in enumerate(cells):
        log_p += np.log((seen.get(cell, 0) + total / n_values) / (k + total))
        seen[cell] = seen.get(cell, 0) + 1
    return log_p


def joint_by_enumeration(X, y, row, K, s, inclusion):
    """Sum the joint probability of the class and the row over all 2^m naive Bayes models.

    Each model's weight is its prior times the probability it gives the training data; the row is
    predicted by appending it to the data.
    """
    m = X.shape[1]
    total = np.zeros(K)
    n_values = [len(np.unique(column[~np.isnan(column)])) for column in X.T]
    prior = np.log((np.bincount(y, minlength=K) + s / K) / (len(y) + s))
    for included in itertools.product((False, True), repeat=m):
        weight = sum(np.log(t if g else 1 - t) for t, g in zip(inclusion, included, strict=True))
        predicted = prior.copy()
        for i, (g, cell) in enumerate(zip(included, row, strict=True)):
            there = ~np.isnan(X[:, i])
            groups = [there & (y == c) for c in range(K)] if g else [there]
            size = s / K if g else s
            known = [sequence_probability(X[rows, i], n_values[i], size) for rows in groups]
            weight += sum(known)
            if not np.isnan(cell):
                longer = [[*X[rows, i], cell] for rows in groups]
                added = [sequence_probability(cells, n_values[i], size) for cells in longer]
                predicted += np.subtract(added, known)
        total += np.exp(weight + predicted)
    return total


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n, m, K = rng.integers(6, 22), rng.integers(1, 4), rng.integers(2, 4)
    y = np.concatenate([np.arange(K), rng.integers(K, size=n - K)])
    X = np.where(rng.random((n, m)) < 0.5, y[:, None], rng.integers(3, size=(n, m))).astype(float)
    X[rng.random((n, m)) < 0.1] = np.nan
    X[0] = 0.0
    return X, y, X[:3], int(K), float(rng.choice([0.5, 1.0, 3.0]))


@given(problems())
@settings(max_examples=20, deadline=None)
def test_closed_form_against_all_feature_sets(problem):
    X, y, T, K, s = problem
    m = X.shape[1]
    model = CredalModelAveragingClassifier(s=s).fit(X, y)
    p, sets = model.predict_proba(T), model.predict_set(T)
    lower, upper = model.predict_proba_bounds(T)
    for r, row in enumerate(T):
        middle = joint_by_enumeration(X, y, row, K, s, [0.5] * m)
        np.testing.assert_allclose(p[r], middle / middle.sum(), rtol=1e-9)
        # The ratio of two classes is monotone in every inclusion probability: try all corners.
        corners = np.array(
            [
                joint_by_enumeration(X, y, row, K, s, corner)
                for corner in itertools.product((0.1, 0.9), repeat=m)
            ]
        )
        ratios = (corners[:, :, None] / corners[:, None, :]).min(axis=0)
        np.testing.assert_array_equal(sets[r], ~(ratios > 1 + 1e-9).any(axis=0))
        share = corners / corners.sum(axis=1, keepdims=True)
        assert (lower[r] <= share.min(axis=0) + 1e-9).all()
        assert (upper[r] >= share.max(axis=0) - 1e-9).all()
        if K == 2:
            np.testing.assert_allclose(lower[r], share.min(axis=0), rtol=1e-7)
            np.testing.assert_allclose(upper[r], share.max(axis=0), rtol=1e-7)


@given(problems())
@settings(max_examples=10, deadline=None)
def test_common_prior_against_a_grid_of_enumerations(problem):
    X, y, T, K, s = problem
    m = X.shape[1]
    model = CredalModelAveragingClassifier(s=s, prior="common").fit(X, y)
    (infima,) = model._infima(T, exact=True)
    sets = model.predict_set(T)
    for r, row in enumerate(T):
        line = np.array(
            [joint_by_enumeration(X, y, row, K, s, [t] * m) for t in np.linspace(0.1, 0.9, 41)]
        )
        ratios = (line[:, :, None] / line[:, None, :]).min(axis=0)
        assert (np.exp(infima[r]) <= ratios * (1 + 1e-9)).all()
        np.testing.assert_allclose(np.exp(infima[r]), ratios, rtol=5e-3)
        if np.abs(np.log(ratios[~np.eye(K, dtype=bool)])).min() > 0.01:
            np.testing.assert_array_equal(sets[r], ~(ratios > 1).any(axis=0))


@given(st.integers(0, 2**31))
def test_shared_inclusion_probability_is_minimised_exactly(seed):
    rng = np.random.default_rng(seed)
    m = rng.integers(1, 12)
    first, second = rng.beta(0.3, 0.3, size=(2, 5, m))
    ours = minimise_shared(first, second, 0.05, 0.9)
    t = np.linspace(0.05, 0.9, 20_001)[:, None, None]
    r = np.log((t * first + (1 - t) * (1 - first)) / (t * second + (1 - t) * (1 - second)))
    grid = r.sum(axis=2).min(axis=0)
    assert (ours <= grid + 1e-10).all()
    np.testing.assert_allclose(ours, grid, atol=1e-5)
    # Knowing only the side of a target must agree with knowing the minimum.
    target = ours + rng.normal(size=5) * 0.1
    sides = minimise_shared(first, second, 0.05, 0.9, target)
    np.testing.assert_array_equal(sides > target, ours > target)


def noisy(n=90, m=5, K=3, signal=0.4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return np.where(rng.random((n, m)) < signal, y[:, None], rng.integers(K, size=(n, m))), y


def test_a_value_never_seen_is_read_both_ways():
    X, y = noisy(n=60, m=3)
    y = np.where(np.arange(60) < 10, 0, y)
    for prior in ("per-feature", "common"):
        model = CredalModelAveragingClassifier(prior=prior).fit(X, y)
        strange = X[:8].astype(float)
        strange[:, 1] = 7
        skipped = strange.copy()
        skipped[:, 1] = np.nan
        (read,), (left_out,) = (model._infima(T, exact=True) for T in (strange, skipped))
        off = ~np.eye(3, dtype=bool)
        assert (read <= left_out + 1e-9).all()
        assert (read < left_out - 1e-6)[:, off].any()


def test_classes_that_no_feature_tells_apart_take_no_search():
    # Once this took minutes and all memory: the bound on a piece grew with the features.
    m = 2000
    X, y = np.repeat([[0] * m, [1] * m, [2] * m], 2, axis=0), [0, 0, 1, 1, 2, 2]
    model = CredalModelAveragingClassifier(prior="common").fit(X, y)
    lower, upper = model.predict_proba_bounds(X[:1])
    np.testing.assert_allclose([lower[0], upper[0]], [[1, 0, 0]] * 2, atol=1e-12)
