"""Counting equal scores on decimal and dyadic grids, by a hash, and by a sort: all the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.logs import hashed_counts, rasters
from cautious.logs.hashed_counts import count_by_hash
from cautious.logs.rasters import cells_of, gathered, raster, sorted_by_kind


def brute(values, codes, n_kinds):
    """Sort and count with numpy alone."""
    found = {}
    for kind in range(n_kinds):
        distinct, counts = np.unique(values[codes == kind] + 0.0, return_counts=True)
        if len(distinct):
            found[kind] = distinct.tolist(), counts.tolist()
    return found


def plain(pieces):
    return {kind: (values.tolist(), counts.tolist()) for kind, (values, counts) in pieces}


def sample(n, values, seed=0, n_kinds=3):
    rng = np.random.default_rng(seed)
    return rng.choice(np.asarray(values, dtype=np.float64), n), rng.integers(n_kinds, size=n)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(-50, 51) / 100,  # two digits, both signs
        np.arange(1000.0, 1100.0),  # whole numbers far from zero
        np.random.default_rng(1).random(300),  # no grid
        np.append(np.arange(100) / 100, 1 / 3),  # a grid, and one value that is not on it
        [-0.0, 0.0, 0.5],
        [np.inf, -np.inf, 0.0, 1.0],
        [1e300, -1e300, 5e-324],
    ],
)
def test_values_that_repeat(values):
    scores, codes = sample(200_000, values)
    assert plain(gathered(scores, codes, 3)) == brute(scores, codes, 3)
    assert plain(sorted_by_kind(scores, codes, 3, None)) == brute(scores, codes, 3)


def test_one_score_off_the_grid_is_not_rounded_onto_it():
    scores = np.tile(np.arange(100) / 100, 1000)
    scores[77_777] = np.nextafter(0.77, 1)
    codes = np.zeros(len(scores), dtype=np.uint8)
    found = plain(gathered(scores, codes, 1))
    assert found == brute(scores, codes, 1)
    assert len(found[0][0]) == 101


def test_values_that_hardly_repeat_are_left_to_a_sort():
    scores, codes = np.random.default_rng(0).random(50_000), np.zeros(50_000, dtype=np.uint8)
    assert gathered(scores, codes, 1) is None
    assert gathered(scores[:0], codes[:0], 1) is None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=60),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_a_hash_counts_what_a_sort_counts(values, n_kinds, seed):
    scores, codes = sample(3000, values, seed, n_kinds)
    distinct, table = count_by_hash(scores, codes, n_kinds)
    assert plain(rasters._pieces(distinct, table)) == brute(scores, codes, n_kinds)


@pytest.mark.parametrize("n_values", [10, 3000, 200_000])
def test_places_that_many_values_want(monkeypatch, n_values):
    """A table far too small: most values lose their place, and some rows come late."""
    monkeypatch.setattr(hashed_counts, "_BITS", 6)
    monkeypatch.setattr(hashed_counts, "_HEAD", 100)
    monkeypatch.setattr(hashed_counts, "_BLOCK", 64)
    scores, codes = sample(5000, np.random.default_rng(1).normal(size=n_values))
    distinct, table = count_by_hash(scores, codes, 3)
    assert (np.diff(distinct) > 0).all()
    assert plain(rasters._pieces(distinct, table)) == brute(scores, codes, 3)


@pytest.mark.parametrize("shift", [0.0, -0.5, 1e6, -1e17])
def test_cells_of_a_dyadic_grid(shift):
    scores, codes = np.random.default_rng(0).random(100_000) + shift, np.arange(100_000) % 2
    exponent = -7
    expected = brute(cells_of(scores, exponent), codes, 2)
    assert plain(raster(scores, codes, 2, None, exponent)) == expected
