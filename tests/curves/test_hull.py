from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from cautious.curves._hull import hull_bins


def test_probabilities_are_those_of_isotonic_regression():
    rng = np.random.default_rng(4)
    score = np.round(rng.normal(size=300), 1)
    truth = (rng.random(300) < 1 / (1 + np.exp(-score))).astype(float)
    weight = rng.integers(1, 4, size=300).astype(float)
    values = np.unique(score)
    positives = np.array([weight[(score == v) & (truth == 1)].sum() for v in values])
    negatives = np.array([weight[(score == v) & (truth == 0)].sum() for v in values])
    cuts, pos, neg = hull_bins(positives, negatives)
    expected = IsotonicRegression().fit(score, truth, sample_weight=weight).predict(values)
    found = np.repeat(pos / (pos + neg), np.diff(cuts))
    assert found == pytest.approx(expected)


def test_collinear_edges_are_one_bin_in_spite_of_rounding():
    # One of each three is positive, the first: running means of thirds do not stay equal.
    positives = np.array([1.0, 0.0, 0.0] * 50)
    cuts, pos, neg = hull_bins(positives, 1 - positives)
    assert cuts.tolist() == [0, 150]
    assert (pos[0], neg[0]) == (50, 100)
    # Weights in tenths, where isotonic regression alone leaves the two bins of share 1/2 apart.
    cuts, pos, neg = hull_bins(np.array([6, 6, 3]) * 0.1, np.array([6, 4, 5]) * 0.1)
    assert cuts.tolist() == [0, 3]
    assert pos / (pos + neg) == pytest.approx([0.5])


def test_no_counts_have_no_bins():
    cuts, pos, neg = hull_bins(np.zeros(3), np.zeros(3))
    assert (len(cuts), len(pos), len(neg)) == (1, 0, 0)
