from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.curves import AbstentionCostSurface


def check_regions(surface):
    regions = surface.regions()
    areas = [region.area for region in regions]
    assert sum(areas) == pytest.approx(1, abs=1e-9)
    assert min(areas) > 0
    volume = 0.0
    for region in regions:
        vertices, window = region.vertices, region.window
        assert (vertices >= 0).all()
        assert (vertices <= 1 + 1e-12).all()
        # The surface is this plane at the corners and hence, both being linear there, all over.
        assert surface.cost(*vertices.T) == pytest.approx(
            window.relative_cost(*vertices.T), abs=1e-12
        )
        # Convex and counter-clockwise.
        edge = np.roll(vertices, -1, axis=0) - vertices
        turn = edge[:, 0] * np.roll(edge[:, 1], -1) - edge[:, 1] * np.roll(edge[:, 0], -1)
        assert (turn >= -1e-12).all()
        # The volume under a plane over a fan of triangles.
        for a, b in pairwise(vertices[1:]):
            first, second = a - vertices[0], b - vertices[0]
            area = (first[0] * second[1] - first[1] * second[0]) / 2
            volume += area * window.relative_cost(*np.mean([vertices[0], a, b], axis=0))
        inside = vertices.mean(axis=0)
        if region.area > 1e-9:
            assert surface.window(*inside) == (window.lower, window.upper)
    assert volume == pytest.approx(surface.vacc(), abs=1e-12)
    windows = {(region.window.lower, region.window.upper) for region in regions}
    assert len(windows) == len(regions)


@given(data=st.data())
def test_regions_cover_the_square_with_one_window_each(data, cases):
    check_regions(data.draw(cases).surface())


def test_regions_of_real_learners(weka):
    for name in ("J48", "SMOM"):
        check_regions(AbstentionCostSurface.from_predictions(weka.actual, weka[name]))
