"""The lazy naive credal classifier against a plain loop, and its neighbourhoods."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.models import (
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
)
from cautious.models.discrete import encode
from cautious.models.naive_credal import lazy
from cautious.models.naive_credal.lazy import Neighbours, overlap_distances


def plain_loop(X, y, row, s, n_neighbors, step, max_enlargements):
    """Sort the examples by distance, take the nearest with ties, grow while in doubt."""
    differs = (row != X) | np.isnan(X) | np.isnan(row)
    distance = differs.sum(axis=1)
    order = np.argsort(distance, kind="stable")
    sorted_distance = distance[order]

    def with_ties(size):
        size = min(size, len(y))
        while size < len(y) and sorted_distance[size] == sorted_distance[size - 1]:
            size += 1
        return size

    size = with_ties(n_neighbors)
    if sorted_distance[size - 1] == 0 and size < len(y):
        size = with_ties(size + 1)
    for enlargement in range(max_enlargements + 1):
        near = order[:size]
        # Let the global classifier do the rest, with all classes known to it.
        model = NaiveCredalClassifier(s=s).partial_fit(X[near], y[near], classes=np.unique(y))
        answer = model.predict_set(row[None])[0]
        if answer.sum() == 1 or size == len(y) or enlargement == max_enlargements:
            return answer, size
        size = with_ties(size + step)
    raise AssertionError


@contextmanager
def loops_in_python():
    """Run the loops that numba would compile as plain Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lazy, "compiled", lambda making, parts: making(""))
        yield


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n, m, K = rng.integers(5, 80), rng.integers(1, 6), rng.integers(2, 5)
    y = rng.integers(K, size=n)
    X = rng.integers(0, 3, size=(n, m)).astype(float)
    X = np.where(rng.random((n, m)) < 0.4, y[:, None] % 3, X)
    X[rng.random((n, m)) < 0.08] = np.nan
    T = rng.integers(0, 3, size=(4, m)).astype(float)
    T[rng.random((4, m)) < 0.1] = np.nan
    T[3] = np.nan
    return X, y, T, rng.integers(1, 12), rng.integers(1, 9), rng.integers(0, 4)


@given(problems())
def test_against_a_plain_loop(problem):
    X, y, T, n_neighbors, step, most = problem
    options = {"n_neighbors": int(n_neighbors), "step": int(step), "max_enlargements": int(most)}
    model = LazyNaiveCredalClassifier(s=1.0, **options).fit(X, y)
    columns = zip(T.T, model.categories_, strict=True)
    codes = np.array([encode(column, values) for column, values in columns])
    counts, sets = model._grow(codes)
    sizes = counts.class_counts.sum(axis=1)
    for row, found, size in zip(T, sets, sizes, strict=True):
        answer, expected = plain_loop(X, y, row, 1.0, **options)
        np.testing.assert_array_equal(found, answer)
        assert size == expected
    with loops_in_python():
        counts_of_loops, sets_of_loops = model._grow(codes, accelerate=True)
    np.testing.assert_array_equal(sets_of_loops, sets)
    for name in counts.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(counts_of_loops, name), getattr(counts, name))


@pytest.mark.slow
@pytest.mark.parametrize("missing", [False, True])
def test_compiled_and_plain_agree(missing, monkeypatch):
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    y = rng.integers(8, size=3000)
    X = np.where(rng.random((3000, 11)) < 0.4, y[:, None], rng.integers(8, size=(3000, 11)))
    X = np.where(missing & (rng.random(X.shape) < 0.05), np.nan, X)
    model = LazyNaiveCredalClassifier().fit(X[::2], y[::2])
    plain = model.predict_set(X), *model.predict_proba_bounds(X[:50]), model.predict_proba(X)
    monkeypatch.setattr(lazy, "_CELLS_WORTH_COMPILING", 0)
    loops = model.predict_set(X), *model.predict_proba_bounds(X[:50]), model.predict_proba(X)
    for ours, theirs in zip(loops, plain, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_the_loops_cannot_hold_is_left_to_numpy(monkeypatch):
    monkeypatch.setattr(lazy, "_CELLS_WORTH_COMPILING", 10)
    monkeypatch.setattr(lazy, "have_numba", lambda: True)
    y, weight = np.zeros(5, dtype=int), np.ones(5)
    bytes_, words = np.zeros((2, 5), dtype=np.int8), np.zeros((2, 5), dtype=np.int16)
    assert Neighbours(bytes_, y, 1, None).worth_compiling(1)
    assert not Neighbours(bytes_, y, 1, None).worth_compiling(0)
    assert not Neighbours(bytes_, y, 1, weight).worth_compiling(1)
    assert not Neighbours(words, y, 1, None).worth_compiling(1)
    assert not Neighbours(np.zeros((256, 5), dtype=np.int8), y, 1, None).worth_compiling(1)


def test_with_all_data_in_the_neighbourhood_it_is_the_naive_credal_classifier():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    X = np.where(rng.random((60, 5)) < 0.4, y[:, None], rng.integers(3, size=(60, 5)))
    X = np.where(rng.random((60, 5)) < 0.1, np.nan, X)
    lazy = LazyNaiveCredalClassifier(n_neighbors=60, s=2.0).fit(X, y)
    whole = NaiveCredalClassifier(s=2.0).fit(X, y)
    np.testing.assert_array_equal(lazy.predict_set(X), whole.predict_set(X))
    np.testing.assert_allclose(lazy.predict_proba(X), whole.predict_proba(X))
    for ours, theirs in zip(
        lazy.predict_proba_bounds(X), whole.predict_proba_bounds(X), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_distances_count_what_differs():
    train = np.array([[0, 1, -1], [2, 2, 0]])
    test = np.array([[0, -1, 5], [2, 2, 0]])
    np.testing.assert_array_equal(overlap_distances(train, test), [[0, 1, 2], [1, 1, 2], [2, 2, 1]])
    many = overlap_distances(np.zeros((300, 2), dtype=np.int8), np.ones((300, 1), dtype=int))
    np.testing.assert_array_equal(many, [[300, 300]])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_counts_of_rings_are_those_of_loops(weighted, missing):
    """Also of more than 255 alike, which no byte holds, and of more features than a word has."""
    rng = np.random.default_rng(0)
    n, m, n_classes = 1500, 9, 3
    y = np.sort(rng.integers(0, n_classes, n))
    codes = (rng.random((m, n)) < 0.1).astype(np.int8) - (missing * (rng.random((m, n)) < 0.02))
    codes = codes.astype(np.int8)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    neighbours = Neighbours(codes, y, n_classes, weight)
    test = rng.integers(-missing, 2, (m, 5))
    distances = overlap_distances(codes, test)
    inner, outer = np.array([-1, 2, -1, 0, 2]), np.array([9, 5, 0, 4, 3])
    every = np.arange(5)
    with loops_in_python():
        for accelerate in [False, True][: 2 - weighted]:
            found, counts = (
                neighbours.search(test, accelerate=accelerate),
                neighbours.no_counts(test),
            )
            # In two parts, the second in another order.
            for rows in (every[:2], every[:1:-1]):
                neighbours.count_ring(found, rows, inner[rows], outer[rows], counts)
            for b in range(5):
                near = (distances[b] > inner[b]) & (distances[b] <= outer[b])
                for k in range(n_classes):
                    own = np.where(near & (y == k), 1.0 if weight is None else weight, 0.0)
                    assert counts.class_counts[b, k] == own.sum()
                    equal, known = codes == test[:, [b]], codes >= 0
                    for table, told in ((counts.counts, equal), (counts.totals, known)):
                        np.testing.assert_array_equal(table[b, :, k], (told * own).sum(axis=1))
