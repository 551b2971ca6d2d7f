"""Interval costs: set by set, and refused where they make no sense."""

import numpy as np
import pytest

from cautious.costs import interval_costs, ordinal
from cautious.costs._forms import costs_from_data, costs_to_data
from cautious.costs._set_costs import all_sets


def test_every_set_costs_distance_and_width():
    rng = np.random.default_rng(0)
    for k in (2, 4, 6):
        x = np.cumsum(rng.random(k) + 0.1) - 1
        sets = all_sets(k)
        found = interval_costs(x, 0.3).of(sets)
        for row, costs in zip(sets, found, strict=True):
            own = x[row]
            expected = [np.abs(own - y).min() + 0.3 * np.ptp(own) for y in x]
            np.testing.assert_allclose(costs, expected)
    np.testing.assert_allclose(interval_costs(5, 0.1).singletons(), ordinal(5))


def test_filling_gaps_never_costs_more():
    costs, sets = interval_costs(6, 0.2), all_sets(6)
    filled = np.logical_or.accumulate(sets, 1) & np.logical_or.accumulate(sets[:, ::-1], 1)[:, ::-1]
    assert (costs.of(filled) <= costs.of(sets) + 1e-12).all()


def test_they_can_be_written():
    costs = interval_costs([-1, 0, 2.5], 0.2)
    again = costs_from_data(costs_to_data(costs))
    np.testing.assert_array_equal(again.of(all_sets(3)), costs.of(all_sets(3)))


@pytest.mark.parametrize(
    ("positions", "width", "error", "message"),
    [
        (1, 0.1, ValueError, "positions is 1"),
        (2.5, 0.1, TypeError, "positions is 2.5"),
        ([0, 0, 1], 0.1, ValueError, r"positions\[1\] is 0, after 0"),
        ([0, np.nan], 0.1, ValueError, "one finite number"),
        (3, -1, ValueError, "width is -1"),
        (3, np.inf, ValueError, "width is inf"),
        (3, "wide", TypeError, "width is 'wide'"),
    ],
)
def test_what_makes_no_sense(positions, width, error, message):
    with pytest.raises(error, match=message):
        interval_costs(positions, width)
