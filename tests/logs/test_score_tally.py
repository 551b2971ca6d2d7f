from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.logs import scores
from cautious.logs.scores import Limits, ScoreTally
from cautious.logs.sets import Keys, Piece, fixed_point, floats


def keys(n):
    return Keys((None,), (None,), tuple((truth, False) for truth in range(n)))


SCORES = st.one_of(
    st.integers(-40, 40).map(lambda k: k / 8),
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, -0.0, np.inf, -np.inf, 1e-30, 1e300, -1e300]),
)
CASES = st.lists(st.tuples(SCORES, st.integers(0, 1)), min_size=1, max_size=80)


def tally(cases, limits, weights=None, at_least=None):
    values = np.array([score for score, _ in cases], dtype=float)
    codes = np.array([kind for _, kind in cases], dtype=np.intp)
    counts = None if weights is None else fixed_point(np.asarray(weights))
    return ScoreTally.of_cases(Piece(codes, values, counts), keys(2), limits, at_least)


def contents(tally):
    kinds, arrays = tally.settled.to_arrays()
    truths = [truth for _, _, truth, _ in kinds]
    pairs = zip(arrays[::2], arrays[1::2], strict=True)
    found = [(values.tolist(), counts.tolist()) for values, counts in pairs]
    return tally.settled.exponent, dict(zip(truths, found, strict=True))


@given(
    CASES,
    st.data(),
    st.sampled_from([Limits(10, 8), Limits(20, 9), Limits(1000, 30)]),
    st.booleans(),
)
def test_any_split_in_any_order_gives_the_same_tally(cases, data, limits, weighted):
    weights = np.ones(len(cases))
    if weighted:
        size = len(cases)
        weights = np.array(data.draw(st.lists(st.floats(1e-3, 10), min_size=size, max_size=size)))

    def part(rows, at_least=None):
        own = weights[rows] if weighted else None
        return tally([cases[row] for row in rows], limits, own, at_least)

    whole = part([*range(len(cases))])
    total = floats(whole.settled.pieces[0].counts).sum()
    assert total == pytest.approx(weights.sum())
    order = data.draw(st.permutations(range(len(cases))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(cases)), max_size=5)))
    hints = st.sampled_from([None, whole.settled.exponent])  # what others need changes nothing
    parts = [
        part(order[start:end], data.draw(hints))
        for start, end in zip([0, *cuts], [*cuts, len(cases)], strict=True)
    ]
    while len(parts) > 1:
        at = data.draw(st.integers(0, len(parts) - 2))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    assert contents(parts[0]) == contents(whole)


@given(CASES)
def test_the_grid_is_the_finest_that_fits_and_its_counts_are_true(cases):
    limits = Limits(8, 8)
    exponent, found = contents(tally(cases, limits))
    distinct = Counter((score + 0.0, kind) for score, kind in cases)

    def cells(e):
        huge = [(np.copysign(np.inf, s) if abs(s) > 2.0**800 else s, k) for s, k in distinct]
        return {(np.floor(s * 2.0**-e) + 0.0, k) for s, k in huge}

    if len(distinct) <= limits.limit:
        assert exponent is None
        expected = distinct
    else:
        assert len(cells(exponent)) <= limits.cells
        assert exponent == -200 or len(cells(exponent - 1)) > limits.cells
        expected = Counter()
        for (score, kind), count in distinct.items():
            score = np.copysign(np.inf, score) if abs(score) > 2.0**800 else score
            expected[np.floor(score * 2.0**-exponent) + 0.0, kind] += count
    assert expected == {
        (value, truth): count
        for truth, (values, counts) in found.items()
        for value, count in zip(values, counts, strict=True)
    }


def test_scores_far_apart_need_no_table():
    # One score a million away from the others: a dense table of cells would not fit anywhere.
    cases = [(k * 2.0**-20, k % 2) for k in range(500)] + [(1e6, 1)]
    limits = Limits(100, 80)
    exponent, found = contents(tally(cases, limits))
    assert exponent == contents(tally(cases[:-1], limits))[0]
    assert sum(sum(counts) for _, counts in found.values()) == 501
    hinted = contents(tally(cases, limits, at_least=exponent))
    assert hinted == (exponent, found)


def test_too_many_kinds_for_the_budget():
    groups = Keys(tuple(range(50)), (None,), ((0, False),))
    with pytest.raises(ValueError, match=r"50 kinds of cases .* larger memory_budget"):
        assert ScoreTally.of_cases(
            Piece(np.arange(50), np.arange(50.0)), groups, Limits(20, 10)
        ).settled


def brute(values, codes, n_kinds):
    """Sort and count with numpy alone."""
    found = {}
    for kind in range(n_kinds):
        distinct, counts = np.unique(values[codes == kind] + 0.0, return_counts=True)
        if len(distinct):
            found[kind] = distinct.tolist(), counts.tolist()
    return found


def counted(values, codes, n_kinds, at_least=None):
    limits = Limits(1 << 20, 1 << 20)
    return contents(ScoreTally.of_cases(Piece(codes, values), keys(n_kinds), limits, at_least))[1]


@pytest.mark.parametrize(
    ("values", "on_grid"),
    [
        (np.arange(-50, 51) / 100, True),  # two digits, both signs
        (np.arange(1000.0, 1100.0), True),  # whole numbers far from zero
        (np.random.default_rng(1).random(300), False),
        (np.append(np.arange(100) / 100, 1 / 3), False),  # one value is not on the grid
        ([-0.0, 0.0, 0.5], True),
        ([np.inf, -np.inf, 0.0, 1.0], False),
        ([1e300, -1e300, 5e-324], False),
    ],
)
def test_equal_scores_are_counted_on_a_decimal_grid_or_by_a_sort(values, on_grid):
    rng = np.random.default_rng(0)
    values, codes = (
        rng.choice(np.asarray(values, dtype=float), 200_000),
        rng.integers(3, size=200_000),
    )
    assert (scores._counted(Piece(codes, values), 3) is not None) == on_grid
    assert counted(values, codes, 3) == brute(values, codes, 3)


def test_one_score_off_the_grid_is_not_rounded_onto_it():
    values = np.tile(np.arange(100) / 100, 1000)
    values[77_777] = np.nextafter(0.77, 1)
    codes = np.zeros(len(values), dtype=np.uint8)
    found = counted(values, codes, 1)
    assert found == brute(values, codes, 1)
    assert len(found[0][0]) == 101


@pytest.mark.parametrize("shift", [0.0, -0.5, 1e6, -1e17])
def test_cells_of_a_dyadic_grid(shift):
    values, codes = np.random.default_rng(0).random(100_000) + shift, np.arange(100_000) % 2
    expected = brute(np.floor(values * 2.0**7), codes, 2)
    assert counted(values, codes, 2, -7) == expected


@pytest.mark.parametrize("huge", [2.0**801, 2.0**810, 1e300, np.inf])
def test_huge_scores_are_infinite_on_every_way_to_a_grid(huge):
    """Counted at once on the coarsest grid, or first exactly: the same cells."""
    values, codes = np.array([0.5, huge, -huge]), np.zeros(3, dtype=np.intp)
    at_once = ScoreTally.of_cases(Piece(codes, values), keys(1), Limits(100, 100), 801)
    exact = ScoreTally.of_cases(Piece(codes, values), keys(1), Limits(100, 100)).coarsened(801)
    assert contents(at_once) == contents(exact)
