"""Decision strips and credal sets on the triangle."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from cautious.costs import SetCosts, ordinal, p_discounted
from cautious.costs._set_costs import all_sets
from cautious.credal import ProbabilityIntervals
from cautious.displays import CredalTriangleDisplay, UtilityDisplay
from cautious.displays._display import lower_envelope

heights = arrays(float, st.integers(1, 8).map(lambda m: (m, 2)), elements=st.integers(-4, 4))


@given(heights)
@example(np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]))  # three lines meet in one point
def test_envelope_is_the_lowest_line_everywhere(ends):
    parts = lower_envelope(*ends.T)
    starts = [start for start, _ in parts]
    assert starts == sorted(set(starts))
    t = np.linspace(0, 1, 41)
    chosen = np.array([line for _, line in parts])[np.searchsorted(starts, t, side="right") - 1]
    lines = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * t
    assert_allclose(lines[chosen, np.arange(len(t))], lines.min(axis=0), atol=1e-9)
    assert len({line for _, line in parts}) == len(parts)


def expert(of_both):
    table = [[0, 2], [4, 0], of_both]
    return SetCosts.from_table(
        pd.DataFrame(table, index=["{h}", "{n}", "{h, n}"], columns=["h", "n"])
    )


def test_boundaries_of_the_paper():
    """Yang, Destercke & Masson (2017), figure 2: .25 and .875; 1/6 and 5/6."""
    costs = {"VI": expert([0.5, 0.5]), "VII": expert([0.25, 0.75])}
    display = UtilityDisplay(costs).plot()
    table = display.frame()
    inner = table[table["start"] > 0]
    assert_allclose(inner["start"], [0.25, 0.875, 1 / 6, 5 / 6])
    assert table["answer"].tolist() == ["{h}", "{h, n}", "{n}"] * 2
    for bars, (_, parts) in zip(display.bars_, table.groupby("costs"), strict=True):
        assert_allclose([bar.get_x() for bar in bars], parts["start"])
        assert_allclose([bar.get_width() for bar in bars], parts["end"] - parts["start"])
    words = [text.get_text() for text in display.ax_.texts]
    assert {"0.25", "0.875", "0.167", "0.833", "{h}", "{h, n}", "{n}"} == set(words)
    assert display.ax_.get_xlabel() == "probability of n"


def test_any_way_between_distributions():
    costs = p_discounted(ordinal(3), r=0.5, classes=["a", "b", "c"])
    start, end = np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.3, 0.6])
    table = UtilityDisplay(costs, start=start, end=end).frame()
    names = costs.table().index
    words = UtilityDisplay(costs, start=start, end=end).plot().ax_.get_xlabel()
    assert words == "way from (a: 0.7, b: 0.2, c: 0.1)\nto (a: 0.1, b: 0.3, c: 0.6)"
    for t in np.linspace(0.001, 0.999, 57):
        expected = costs.of(all_sets(3)) @ (start + t * (end - start))
        (row,) = table[(table["start"] <= t) & (t < table["end"])].to_dict("records")
        assert row["answer"] == names[expected.argmin()]


def test_narrow_parts_are_named_in_the_legend():
    costs = expert([0.01, 0.6])
    narrow = UtilityDisplay(costs).plot(name="narrow")
    legend = narrow.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["{h}"]
    assert legend.get_title().get_text() == "narrow"
    wide = UtilityDisplay(expert([0.5, 0.5])).plot(name="wide")
    assert wide.ax_.get_legend() is None
    assert wide.ax_.get_title() == "wide"
    assert narrow.ax_.get_yticks().tolist() == []


def test_numbers_of_near_boundaries_are_left_out():
    display = UtilityDisplay(expert([1.33, 1.32])).plot()
    table = display.frame()
    assert len(table) == 3
    words = [text.get_text() for text in display.ax_.texts]
    assert len([word for word in words if word.startswith("0.")]) == 1


def place(p):
    p = np.asarray(p)
    return np.column_stack([p[:, 1] + p[:, 2] / 2, p[:, 2] * np.sqrt(3) / 2])


# Yang, Destercke & Masson (2017), Example 3; and a hexagon.
SETS = [([0.0, 0.3, 0.4], [0.2, 0.4, 0.6]), ([0.2] * 3, [0.5] * 3)]


@pytest.mark.parametrize("bounds", SETS)
def test_polygons_are_the_credal_sets(bounds):
    obstacles = ProbabilityIntervals(*bounds)
    display = CredalTriangleDisplay(obstacles, points=[[0.1, 0.35, 0.55]]).plot()
    (polygon,) = display.polygons_
    corners = polygon.get_xy()[:-1]
    expected = place(obstacles.vertices()[0])
    assert_allclose(np.sort(corners, axis=0), np.sort(expected, axis=0))
    # Taken in order they go around: all turns are to the same side.
    sides = np.diff(np.vstack([corners, corners[:2]]), axis=0)
    turns = sides[:-1, 0] * sides[1:, 1] - sides[:-1, 1] * sides[1:, 0]
    assert (turns > 0).all()
    assert_allclose(display.points_[0].get_xydata(), place([[0.1, 0.35, 0.55]]))
    assert display.frame().columns.tolist() == ["row", "first class", "second class", "third class"]


def test_triangle_of_a_model(ordered):
    display = CredalTriangleDisplay.from_estimator(ordered.model, ordered.X[:9], ordered.y[:9])
    vertices = ProbabilityIntervals(*ordered.model.predict_proba_bounds(ordered.X[:9])).vertices()
    assert len(display.polygons_) == 9
    assert_allclose(display.frame()[["a", "b", "c"]], np.concatenate(vertices))
    proba = ordered.model.predict_proba(ordered.X[:9])
    drawn = np.concatenate([line.get_xydata() for line in display.points_])
    assert_allclose(np.sort(drawn, axis=0), np.sort(place(proba), axis=0))
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == sorted(set(ordered.y[:9]))
    untold = CredalTriangleDisplay.from_estimator(ordered.model, ordered.X[:2], name="mine")
    assert untold.ax_.get_legend() is None
    assert untold.ax_.get_title() == "mine"


def test_triangle_from_predictions():
    lower, upper = np.full((3, 3), 0.2), np.full((3, 3), 0.5)
    display = CredalTriangleDisplay.from_predictions(["x", "y", "z"], (lower, upper))
    assert display.classes.tolist() == ["x", "y", "z"]
    for look in ("get_edgecolor", "get_linestyle"):
        assert len({getattr(polygon, look)() for polygon in display.polygons_}) == 3
