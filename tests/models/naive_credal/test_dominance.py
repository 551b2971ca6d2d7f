"""Credal dominance under the global IDM: the exact infimum, and sets made with few of them."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.models import NaiveCredalClassifier
from cautious.models.naive_credal.classifier import GlobalIDM, envelope_corners
from cautious.models.naive_credal.counts import CategoryCounts
from cautious.models.naive_credal.dominance import (
    dominated_by_infima,
    log_infimum,
    pairwise_infima,
)
from cautious.models.naive_credal.envelope import Weights


@st.composite
def pairs_of_classes(draw):
    """Counts of two classes over some features, as data can give them."""
    m = draw(st.integers(0, 6))
    first, second = draw(st.integers(1, 60)), draw(st.integers(0, 60))
    cells = []
    for _ in range(m):
        t1, t2 = draw(st.integers(0, first)), draw(st.integers(0, second))
        cells.append((t1, t2, draw(st.integers(0, t1)), draw(st.integers(0, t2))))
    observed = draw(st.lists(st.booleans(), min_size=m, max_size=m))
    s = draw(st.sampled_from([0.01, 0.5, 1.0, 2.0, 10.0]))
    return first, second, np.array(cells, dtype=float).reshape(m, 4), np.array(observed, bool), s


def log_h(first, second, cells, observed, s, x):
    """The formula as it is printed, on a grid of x inside (0, s)."""
    value = np.log(first + s - x) - np.log(second + x)
    for t1, t2, n1, n2 in cells[observed]:
        value = value + np.log(t2 + x) - np.log(t1 + s - x) + np.log(n1) - np.log(n2 + x)
    return value


@given(pairs_of_classes())
def test_the_infimum_is_solved_to_1e_9(case):
    first, second, cells, observed, s = case
    pair = [
        Weights.of(np.array([float(size)]), *(cells[None, :, at] for at in columns), observed[None])
        for size, columns in ((first, (0, 2, 2)), (second, (1, 3, 3)))
    ]
    (ours,) = log_infimum(*pair, s)
    if (cells[observed, 2] == 0).any():
        assert ours == -np.inf
        return
    low, high = 0.0, s
    for _ in range(8):  # a convex function: refine a fine grid around its smallest point
        grid = np.linspace(low, high, 401)[1:-1]
        grid = np.concatenate([grid, [s * 1e-13 if low == 0 else low, high]])
        values = log_h(first, second, cells, observed, s, grid)
        width, best = (high - low) / 400, grid[np.argmin(values)]
        low, high = max(0.0, best - 2 * width), min(s, best + 2 * width)
    assert ours == pytest.approx(values.min(), abs=1e-9)


def brute_infima(X, y, row, s, n_classes):
    """All pairwise infima of one row on a grid, straight from data with nan for missing."""
    x = np.linspace(0, s, 2001)[1:]
    n = np.bincount(y, minlength=n_classes)
    infima = np.zeros((n_classes, n_classes))
    for a, b in itertools.permutations(range(n_classes), 2):
        value = np.log(n[a] + s - x) - np.log(n[b] + x)
        for column, cell in zip(X.T, row, strict=True):
            if np.isnan(cell):
                continue
            t1, t2 = (np.sum(~np.isnan(column) & (y == c)) for c in (a, b))
            n1, n2 = (np.sum((column == cell) & (y == c)) for c in (a, b))
            with np.errstate(divide="ignore", invalid="ignore"):
                value += np.log(t2 + x) - np.log(t1 + s - x) + np.log(n1) - np.log(n2 + x)
        infima[a, b] = np.nan_to_num(value, nan=-np.inf).min()
    return infima


@given(st.integers(0, 2**31))
def test_sets_agree_with_every_pair_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    n, m, K = rng.integers(4, 50), rng.integers(1, 5), rng.integers(2, 5)
    s = float(rng.choice([0.1, 1.0, 3.0]))
    X = rng.integers(0, 3, size=(n, m)).astype(float)
    y = np.concatenate([np.arange(K), rng.integers(K, size=n)])[:n] if n >= K else np.zeros(n, int)
    K = int(y.max()) + 1
    informative = rng.random((n, m)) < 0.5
    X = np.where(informative, y[:, None] % 3, X)
    X[rng.random((n, m)) < 0.1] = np.nan
    T = rng.integers(0, 4, size=(6, m)).astype(float)
    T[rng.random((6, m)) < 0.2] = np.nan
    sets = NaiveCredalClassifier(s=s).fit(X, y).predict_set(T)
    for row, found in zip(T, sets, strict=True):
        infima = brute_infima(X, y, row, s, K)
        off = infima[~np.eye(K, dtype=bool)]
        if K > 1 and np.abs(off).min() > 1e-4:  # the grid cannot tell ties
            np.testing.assert_array_equal(found, ~(infima > 0).any(axis=0))


def test_quick_bounds_and_full_solution_give_the_same_sets():
    rng = np.random.default_rng(3)
    y = rng.integers(6, size=400)
    X = np.where(rng.random((400, 12)) < 0.25, y[:, None], rng.integers(0, 6, size=(400, 12)))
    model = NaiveCredalClassifier(s=2.0).fit(X, y)
    idm = GlobalIDM(model.counts_, 2.0)
    lines = idm.tables.lines(model._encode(X))
    infima = pairwise_infima(np.ones((400, 6), dtype=bool), partial(idm._solve, lines.T))
    np.testing.assert_array_equal(infima, idm._infima(lines))
    np.testing.assert_array_equal(model.predict_set(X), ~dominated_by_infima(infima))
    assert 0 < (model.predict_set(X).sum(axis=1) > 2).mean() < 1  # the hard path is taken


def test_a_class_that_the_best_spares_may_fall_to_another():
    # Class 1 has the largest f(s), yet only class 0, of few and pure examples, dominates class 2.
    n = np.array([3.0, 29.0, 10.0])
    counts = np.array([[2.0, 21.0, 1.0], [1.0, 1.0, 7.0], [3.0, 17.0, 1.0]])
    tables = tuple(np.stack([row, n - row]) for row in counts)
    values = tuple(np.arange(2) for _ in counts)
    idm = GlobalIDM(CategoryCounts(np.arange(3), n, values, tables), s=2.0)
    row = np.zeros((3, 1), dtype=int)
    infima = idm._infima(idm.tables.lines(row))
    assert infima[0, 1, 2] < 0 < infima[0, 0, 2]
    np.testing.assert_array_equal(idm.predict_set(row), [[True, True, False]])


def test_few_pairs_need_solving_on_plentiful_data():
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=20_000)
    X = np.where(rng.random((20_000, 20)) < 0.2, y[:, None] % 5, rng.integers(0, 5, (20_000, 20)))
    model = NaiveCredalClassifier().fit(X, y)
    idm = GlobalIDM(model.counts_, 1.0)
    solved = []
    solve = idm._solve
    idm._solve = lambda lines, rows, *pair: (solved.append(len(rows)), solve(lines, rows, *pair))[1]
    idm.predict_set(model._encode(X))
    assert sum(solved) < 0.02 * 20_000 * 90


def test_a_tie_dominates_nobody():
    # Without features the infimum is n(c')/(n(c'') + s): 4/(3 + 1) = 1 exactly, then 5/4.
    for n, expected in ((4, [True, True]), (5, [True, False])):
        nothing = pd.DataFrame(index=range(n + 3))
        model = NaiveCredalClassifier(s=1.0).fit(nothing, ["a"] * n + ["b"] * 3)
        np.testing.assert_array_equal(model.predict_set(nothing.head(1)), [expected])


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 20)), min_size=1, max_size=6),
    st.sampled_from([0.5, 1.0, 4.0]),
)
def test_between_corners_one_line_stays_highest(lines, high):
    own, other = np.array(lines, dtype=float).T
    corners = envelope_corners(1 / own, other / own, high)
    edges = [0.0, *corners, high]
    assert edges == sorted(edges)
    for a, b in itertools.pairwise(edges):
        x = np.linspace(a, b, 7)[1:-1]
        heights = (other[:, None] + x) / own[:, None]
        top = np.argmax(heights[:, len(x) // 2])
        np.testing.assert_allclose(heights[top], heights.max(axis=0), rtol=1e-12)


@given(st.integers(0, 2**31))
@settings(max_examples=30, deadline=None)
def test_conservative_missing_cells_may_hide_anything(seed):
    rng = np.random.default_rng(seed)
    n, m, K = rng.integers(8, 40), rng.integers(1, 4), rng.integers(2, 4)
    s, epsilon = float(rng.choice([0.5, 1.0, 4.0])), float(rng.choice([0.0, 0.2]))
    X = rng.integers(0, 3, size=(n, m)).astype(float)
    y = np.concatenate([np.arange(K), rng.integers(K, size=n - K)])
    X = np.where(rng.random((n, m)) < 0.6, y[:, None], X)
    X[rng.random((n, m)) < 0.1] = np.nan
    X[0] = 0.0
    T = rng.integers(0, 3, size=(4, m)).astype(float)
    T[rng.random((4, m)) < 0.5] = np.nan
    model = NaiveCredalClassifier(s=s, epsilon=epsilon, missing="conservative").fit(X, y)
    values = [np.unique(column[~np.isnan(column)]) for column in X.T]
    free, fixed = (1 - epsilon) * s, epsilon * s / K
    x = np.linspace(0, free, 801)[1:]
    totals = np.bincount(y) + fixed
    for row, found in zip(T, model.predict_set(T), strict=True):
        dominated = np.zeros(K, dtype=bool)
        options = [v if np.isnan(c) else [c] for v, c in zip(values, row, strict=True)]
        for a, b in itertools.permutations(range(K), 2):
            least = np.inf
            for filled in itertools.product(*options):
                value = (1 - m) * (np.log(totals[a] + free - x) - np.log(totals[b] + x))
                for i, cell in enumerate(filled):
                    share = fixed / len(values[i])
                    hidden = np.sum(np.isnan(X[:, i]) & (y == b))
                    n1, n2 = (np.sum((X[:, i] == cell) & (y == c)) + share for c in (a, b))
                    with np.errstate(divide="ignore"):
                        value = value + np.log(n1) - np.log(n2 + hidden + x)
                least = min(least, value.min())
            if abs(least) < 1e-4:
                break
            dominated[b] |= least > 0
        else:
            np.testing.assert_array_equal(found, ~dominated)
