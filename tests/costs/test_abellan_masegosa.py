import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.costs import abellan_masegosa, all_sets


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_against_a_scalar_loop(k, seed):
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
