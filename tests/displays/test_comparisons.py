"""Critical differences and scatter pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from cautious.comparison import friedman_nemenyi
from cautious.displays import ComparisonDisplay


@pytest.fixture
def scores():
    rng = np.random.default_rng(5)
    level = [0.0, 0.01, 0.05, 0.06, 0.2]
    return pd.DataFrame(rng.normal(level, 0.05, size=(30, 5)), columns=list("abcde"))


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_critical_difference(scores, greater_is_better):
    display = ComparisonDisplay(scores, alpha=0.1, greater_is_better=greater_is_better)
    display.plot(name="u65")
    test = friedman_nemenyi(scores, alpha=0.1, greater_is_better=greater_is_better)
    assert_allclose(display.mean_ranks, test.mean_ranks)
    assert display.critical_difference == test.critical_difference
    names = display.mean_ranks.index
    assert [tuple(names[a : b + 1]) for a, b in display.groups()] == test.groups
    for bar, (first, last) in zip(display.bars_, display.groups(), strict=True):
        low, high = bar.get_xdata()
        assert low < display.mean_ranks.iloc[first] < display.mean_ranks.iloc[last] < high
    assert display.ax_.get_title() == "u65"
    words = [text.get_text() for text in display.ax_.texts]
    for name, rank in display.mean_ranks.items():
        assert f"{name} ({rank:.2f})" in words


def test_ranks_in_any_order_are_sorted():
    display = ComparisonDisplay(
        pd.Series({"worse": 3.0, "best": 1.0, "so": 2.0}), critical_difference=0.5
    )
    table = display.plot().frame()
    assert table["classifier"].tolist() == ["best", "so", "worse"]
    assert table["groups"].tolist() == [(), (), ()]
    assert display.bars_ == []


def test_bars_within_longer_bars_are_left_out():
    ranks = {"a": 1.0, "b": 1.5, "c": 2.0, "d": 3.0, "e": 5.0}
    assert ComparisonDisplay(ranks, critical_difference=1.2).groups() == [(0, 2), (2, 3)]


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_scatter_pairs(greater_is_better):
    scores = pd.DataFrame({"x": [0.1, 0.5, 0.9, 0.4], "y": [0.2, 0.4, 0.7, 0.4]})
    display = ComparisonDisplay(scores, greater_is_better=greater_is_better).plot()
    winners = ["y", "x", "x"] if greater_is_better else ["x", "y", "y"]
    assert display.frame()["better"].tolist()[:3] == winners
    assert pd.isna(display.frame()["better"].iloc[3])
    drawn = np.concatenate([line.get_xydata() for line in display.points_])
    assert_allclose(np.sort(drawn, axis=0), np.sort(scores.to_numpy(), axis=0))
    words = [line.get_label() for line in display.points_]
    wins = {"x better on 2 data sets", "y better on 1 data set", "equal on 1 data set"}
    other = {"y better on 2 data sets", "x better on 1 data set", "equal on 1 data set"}
    assert set(words) == (wins if greater_is_better else other)
    (diagonal,) = [line for line in display.ax_.lines if line not in display.points_]
    assert_allclose(*diagonal.get_data())


def test_scatter_pairs_with_gaps_and_names():
    scores = pd.DataFrame({"x": [0.5, np.nan], "y": [0.5, 0.4]})
    display = ComparisonDisplay(scores, measure="u80").plot(name=("one", "two"))
    assert len(display.points_) == 1
    assert display.ax_.get_xlabel() == "u80 of one"
    assert ComparisonDisplay(scores.iloc[1:]).plot().points_ == []
