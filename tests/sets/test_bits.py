"""Sets as rows of bits: they come back, and are told apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cautious._set_counts import distinct_sets, pack_sets, unpack_sets


@given(k=st.sampled_from([1, 7, 8, 63, 64, 65, 130]), n=st.integers(0, 20), seed=st.integers(0, 99))
def test_packed_sets_come_back_and_are_told_apart(k: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = rng.random((n, k)) < 0.5
    mask[n // 2 :] = mask[: n - n // 2]  # some repeats
    words = pack_sets(mask)
    assert words.shape == (n, -(-k // 64))
    assert np.array_equal(unpack_sets(words, k), mask)
    distinct, rank = distinct_sets(words, mask.sum(axis=1))
    assert np.array_equal(distinct[rank], words)
    expected = sorted(
        {tuple(row) for row in mask.tolist()}, key=lambda row: (sum(row), [not c for c in row])
    )
    assert [tuple(row) for row in unpack_sets(distinct, k).tolist()] == expected


def test_sets_that_differ_only_far_on_are_told_apart_from_few_others() -> None:
    mask = np.zeros((3, 130), dtype=bool)
    mask[0, 0] = mask[1:, 1] = mask[2, 129] = True
    words, rank = distinct_sets(pack_sets(mask), mask.sum(axis=1))
    assert len(words) == 3
    assert rank.tolist() == [0, 1, 2]
