from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.curves import AbstentionCostSurface


def two_surfaces(data, cases):
    first, second = data.draw(cases), data.draw(cases)
    one = AbstentionCostSurface.from_predictions(
        first.truth, first.score, sample_weight=first.weight, priors=first.priors
    )
    two = AbstentionCostSurface.from_predictions(
        second.truth, second.score, sample_weight=second.weight, priors=one.priors
    )
    return one, two


@given(data=st.data())
def test_lines_are_cut_where_the_winner_changes(data, cases):
    first, second = two_surfaces(data, cases)
    difference = first.differential(second)
    fixed = data.draw(st.sampled_from([0.05, 0.2, 0.4, 1 / 3, 0.9, 1.0]))
    for line, along in (("nu", "mu"), ("mu", "nu")):
        pieces = difference.along(**{line: fixed})
        assert pieces.start.iloc[0] == 0
        assert pieces.end.iloc[-1] == 1
        assert (pieces.end.to_numpy()[:-1] == pieces.start.to_numpy()[1:]).all()
        # Everywhere inside a piece, the sign is what the piece says.
        for start, end, winner in pieces.itertuples(index=False):
            inside = start + (end - start) * np.linspace(0.01, 0.99, 23)
            d = difference.cost(**{line: fixed, along: inside})
            if winner == "tie":
                assert np.abs(d) == pytest.approx(0, abs=2e-12)
            else:
                assert (d * (-1 if winner == "first" else 1) > -1e-13).all()
        # At each change the difference is zero: the crossing is exact, not read off a grid.
        at = pieces.start.to_numpy()[1:]
        assert difference.cost(**{line: fixed, along: at}) == pytest.approx(0, abs=2e-12)


def test_grid_zero_line_and_shares(weka):
    part = AbstentionCostSurface.from_predictions(weka.actual, weka.PART)
    tree = AbstentionCostSurface.from_predictions(weka.actual, weka.J48)
    difference = part.differential(tree)
    grid = difference.grid(21)
    assert grid.difference[4, 9] == part.cost(grid.mu[9], grid.nu[4]) - tree.cost(
        grid.mu[9], grid.nu[4]
    )
    assert difference.vacc() == pytest.approx(part.vacc() - tree.vacc())
    zero = grid.zero_line
    assert len(zero) > 5
    assert difference.cost(zero.mu, zero.nu) == pytest.approx(0, abs=2e-12)
    for column in ("mu", "nu"):
        lines = zero.loc[zero.line == column, column]
        assert np.isin(lines, grid.mu).all()
    # Each change of sign between neighbouring grid points has a crossing between them.
    for i, nu in enumerate(grid.nu):
        row = grid.difference[i]
        on_line = zero[(zero.line == "nu") & (zero.nu == nu)]
        for j in np.flatnonzero(row[:-1] * row[1:] < -1e-24):
            assert on_line.mu.between(grid.mu[j], grid.mu[j + 1]).any()
    shares = difference.winning_shares(100)
    assert shares.sum() == pytest.approx(1)
    fine = difference.cost(*np.meshgrid(*[(np.arange(300) + 0.5) / 300] * 2))
    assert shares["first"] == pytest.approx((fine < -1e-12).mean(), abs=0.01)
    assert shares["second"] == pytest.approx((fine > 1e-12).mean(), abs=0.01)
    assert 0.02 < shares["first"] < 0.98
    turned = tree.differential(part)
    assert turned.winning_shares(100)["second"] == pytest.approx(shares["first"])


def test_bad_calls_are_named():
    surface = AbstentionCostSurface.from_predictions([0, 1], [1, 2])
    difference = surface.differential(surface)
    with pytest.raises(ValueError, match="exactly one of mu and nu"):
        difference.along()
    with pytest.raises(ValueError, match="exactly one of mu and nu"):
        difference.along(mu=0.1, nu=0.1)
    with pytest.raises(ValueError, match="n is 0; give at least 1"):
        difference.winning_shares(0)
    with pytest.raises(TypeError, match=r"n is 2\.5; give a whole number"):
        difference.grid(2.5)


def test_surfaces_that_do_not_compare_are_refused():
    y, score = np.array([0, 0, 1, 1, 1]), np.arange(5)
    one = AbstentionCostSurface.from_predictions(y, score)
    named = AbstentionCostSurface.from_predictions(np.array(["n", "p"])[y], score, pos_label="p")
    with pytest.raises(ValueError, match=r"classes \(0, 1\) and the second of \('n', 'p'\)"):
        one.differential(named)
    even = AbstentionCostSurface.from_predictions(y, score, priors=(0.5, 0.5))
    with pytest.raises(ValueError, match=r"\(0.4, 0.6\) and .*\(0.5, 0.5\).*same priors"):
        one.differential(even)
    near = AbstentionCostSurface.from_predictions(y, score, priors=(0.4 + 1e-12, 0.6 - 1e-12))
    assert one.differential(near).vacc() == pytest.approx(0, abs=1e-9)
