"""Displays over the square of relative costs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cautious.curves import AbstentionCostSurface
from cautious.displays import CostSurfaceDisplay


@pytest.fixture
def surface(binary):
    score = binary.score["Bayes"]
    return AbstentionCostSurface.from_predictions(binary.y, score, pos_label="ill")


def test_cost_surface(surface):
    display = CostSurfaceDisplay({"Bayes": surface}, n=21).plot()
    grid = surface.grid(21)
    assert_allclose(np.asarray(display.mesh_.get_array()).reshape(21, 21), grid.cost)
    assert display.frame().equals(grid.frame())
    assert display.ax_.get_title() == "least expected cost per case\nBayes, positive: ill"
    assert display.ax_.get_ylim() == (0, 0.5)
    mu, nu = display.bound_.get_xydata().T
    assert_allclose(nu, mu / (1 + mu))
    assert f"{surface.vacc():.4f}" in display.colorbar_.ax.get_ylabel()
    levels = display.isolines_.levels
    assert len(levels) > 3
    for level, path in zip(levels, display.isolines_.get_paths(), strict=True):
        on_line = surface.cost(*path.vertices.T)
        assert_allclose(on_line, level, atol=0.01)


def test_constant_surface_has_no_isolines():
    with pytest.warns(match="no example of class"):
        flat = AbstentionCostSurface.from_predictions([1, 1], [0.1, 0.2], pos_label=1)
    assert CostSurfaceDisplay(flat, n=5).plot().isolines_ is None


def test_cost_surface_in_three_dimensions(surface):
    display = CostSurfaceDisplay(surface, n=11, projection="3d").plot(name="Bayes")
    assert display.ax_.name == "3d"
    low, high = display.ax_.get_zlim()
    assert low <= 0
    assert high >= surface.grid(11).cost.max()
    assert display.frame().equals(surface.grid(11).frame())
    assert len(display.mesh_.get_facecolor()) == 100


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("abstention", "share of cases not answered"),
        ("lower", "the answer is healthy"),
        ("upper", "the answer is ill"),
    ],
)
def test_other_maps(surface, value, words):
    display = CostSurfaceDisplay(surface, n=21, value=value).plot()
    expected = getattr(surface.grid(21), value)
    shown = display.mesh_.get_array().reshape(21, 21)
    finite = np.isfinite(expected)
    assert (np.ma.getmaskarray(shown) == ~finite).all()
    assert_allclose(shown[finite].data, expected[finite])
    assert words in display.ax_.get_title()
    assert (display.bound_ is None) == (value != "abstention")


def test_infinite_thresholds_are_hatched():
    # The scores say nothing: everything gets one answer, or none.
    blind = AbstentionCostSurface.from_predictions([0, 1, 1, 0], [1, 1, 1, 1])
    display = CostSurfaceDisplay(blind, n=11, value="upper").plot()
    words = [patch.get_label() for patch in display.hatching_]
    assert words == ["below every score", "above every score"]
    assert CostSurfaceDisplay(blind, value="lower", n=11).plot().hatching_


def difference_of(binary, scores=None, n=41):
    given = {"value": "difference", "pos_label": "ill", "n": n}
    return CostSurfaceDisplay.from_predictions(binary.y, scores or binary.score, **given)


def test_differential(binary):
    display = difference_of(binary)
    surfaces = [
        AbstentionCostSurface.from_predictions(binary.y, score, pos_label="ill")
        for score in binary.score.values()
    ]
    difference = surfaces[0].differential(surfaces[1])
    shown = np.asarray(display.mesh_.get_array()).reshape(41, 41)
    assert_allclose(shown, difference.grid(41).difference)
    assert_allclose(display.frame()["difference"], shown.ravel())
    low, high = display.mesh_.get_clim()
    assert low == -high
    assert display.ax_.get_title() == "cost of logistic minus\ncost of Bayes"
    box, axes = display.ax_.get_legend().get_window_extent(), display.ax_.get_window_extent()
    assert box.y0 >= axes.y1  # beside the map, not over it


def test_zero_line_is_exact_and_joined(binary):
    display = difference_of(binary)
    segments = np.array(display.zero_line_.get_segments())
    assert len(segments)
    ends = segments.reshape(-1, 2)
    costs = [surface.cost(*ends.T) for surface in display.curves.values()]
    assert_allclose(costs[0] - costs[1], 0, atol=1e-12)
    # Each crossing that was found is an end of a segment, and no segment leaves its cell.
    found = display.grid.zero_line[["mu", "nu"]].to_numpy()
    inner = found[(found > 0).all(axis=1) & (found < 1).all(axis=1)]
    joined = {tuple(end) for end in np.round(ends, 9)}
    assert all(tuple(point) in joined for point in np.round(inner, 9))
    assert np.abs(segments[:, 0] - segments[:, 1]).max() <= 1 / 40 + 1e-9


def test_equal_classifiers_have_no_zero_line(binary):
    score = binary.score["Bayes"]
    display = difference_of(binary, {"a": score, "b": score}, n=5)
    assert display.zero_line_.get_segments() == []
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words == ["both cost the same"]
