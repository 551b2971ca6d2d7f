"""Containment by class, group and set size, against plain counting."""

import numpy as np
import pytest
from scipy.stats import binomtest

from cautious.metrics import conditional_containment, containment_score


def drawn(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return y, rng.random((n, 3)) < 0.6, rng.choice(["u", "v"], n)


def test_against_plain_counting():
    y, sets, groups = drawn()
    frame = conditional_containment(y, sets, groups=groups, confidence_level=0.9)
    hit = sets[np.arange(300), y]
    parts = {("all", "all"): np.ones(300, dtype=bool)}
    parts |= {("class", k): y == k for k in range(3)}
    parts |= {("group", g): groups == g for g in "uv"}
    parts |= {("size", s): sets.sum(axis=1) == s for s in range(4)}
    assert set(frame.index) == set(parts)
    for part, own in parts.items():
        row = frame.loc[part]
        assert row["n"] == own.sum()
        assert row["containment"] == pytest.approx(hit[own].mean())
        assert row["size"] == pytest.approx(sets[own].sum(axis=1).mean())
        interval = binomtest(int(hit[own].sum()), int(own.sum())).proportion_ci(0.9)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
    assert frame.loc[("all", "all"), "containment"] == containment_score(y, sets, empty="wrong")


def test_a_class_without_cases():
    frame = conditional_containment(["a"], [["a"]], classes=["a", "b"])
    assert frame.loc[("class", "b"), "n"] == 0
    assert np.isnan(frame.loc[("class", "b"), "containment"])
    assert frame.loc[("class", "b"), ["low", "high"]].tolist() == [0, 1]


def test_refusals():
    y, sets, groups = drawn(20)
    with pytest.raises(ValueError, match="confidence_level is 1"):
        conditional_containment(y, sets, confidence_level=1)
    with pytest.raises(ValueError, match="one group per case"):
        conditional_containment(y, sets, groups=groups[:5])
    with pytest.raises(ValueError, match="empty prediction set"):
        conditional_containment(y, sets, empty="error")
