"""The expected numbers themselves, checked by hand on a few cases."""

from __future__ import annotations

import pytest
from tests.conformance import oracle
from tests.conformance.corpus import CASES
from tests.conformance.refusals import REFUSALS


def test_the_corpus_is_large_enough():
    assert len(CASES) >= 60
    assert len(REFUSALS) >= 20
    assert len({one.name for one in REFUSALS}) == len(REFUSALS)


def test_an_empty_set_is_wrong():
    (found,) = CASES["blank_cell_wrong"].expected().values()
    assert found["containment"] == found["mean_set_size"] == 0.75
    assert found["coverage"] == 1
    assert found["error"] == 0.25


def test_risk_and_coverage():
    # One sure right answer, then two of equal confidence of which one is wrong.
    found = oracle.risk_measures([0, 1, 0], [0.9, 0.6, 0.6], [1, 1, 1])
    # g(c) = (c − 1/3)/2 from 1/3 on: ∫ g/c = (2/3)/2 − ln(3)/6.
    assert found["aurc"] == pytest.approx(1 / 3 - 1.0986122886681098 / 6)
    assert found["augrc"] == pytest.approx(1 / 9)


def test_the_best_window():
    found = oracle.score_measures(
        [False, True, False, True], [0.1, 0.4, 0.6, 0.9], [1] * 4, (10, 2, 1)
    )
    # Abstaining on the two in the middle costs as much as calling one negative positive.
    assert found["window"]["cost"] == 0.5
    assert found["auc"] == 0.75


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.7, 1.0])
def test_the_volume_below_one_bin(share):
    grid = [(i + 0.5) / 400 for i in range(400)]
    by_grid = sum(min(share, m * (1 - share), n) for m in grid for n in grid) / 160_000
    assert float(oracle.volume(oracle.exact(share))) == pytest.approx(by_grid, abs=2e-5)
