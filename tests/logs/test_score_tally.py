from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.logs.exact_sums import fixed_point, floats
from cautious.logs.score_tally import Kind, Limits, Raw, ScoreTally

KINDS = [Kind(None, None, 0), Kind(None, None, 1)]
SCORES = st.one_of(
    st.integers(-40, 40).map(lambda k: k / 8),
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, -0.0, np.inf, -np.inf, 1e-30, 1e300, -1e300]),
)
CASES = st.lists(st.tuples(SCORES, st.integers(0, 1)), min_size=1, max_size=80)


def tally(cases, limits, weights=None, at_least=None):
    scores = np.array([score for score, _ in cases], dtype=float)
    codes = np.array([kind for _, kind in cases], dtype=np.intp)
    counts = None if weights is None else fixed_point(np.asarray(weights))
    return ScoreTally.of_cases(scores, codes, KINDS, counts, limits, at_least)


def contents(tally):
    settled = tally.settled()
    return settled.exponent, {
        kind: (values.tolist(), counts.tolist()) for kind, values, counts in settled.canonical()
    }


@given(CASES, st.data(), st.sampled_from([Limits(10, 8), Limits(20, 9), Limits(1000, 30)]))
@settings(max_examples=60, deadline=None)
def test_any_split_in_any_order_gives_the_same_tally(cases, data, limits):
    whole = contents(tally(cases, limits))
    order = data.draw(st.permutations(range(len(cases))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(cases)), max_size=5)))
    parts = [
        tally([cases[i] for i in order[start:end]], limits)
        for start, end in zip([0, *cuts], [*cuts, len(cases)], strict=True)
    ]
    while len(parts) > 1:
        at = data.draw(st.integers(0, len(parts) - 2))
        parts[at : at + 2] = [parts[at].merge(parts[at + 1])]
    assert contents(parts[0]) == whole


@given(CASES)
@settings(max_examples=60, deadline=None)
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
        (value, kind.truth): count
        for kind, (values, counts) in found.items()
        for value, count in zip(values, counts, strict=True)
    }


@given(CASES, st.data())
@settings(max_examples=40, deadline=None)
def test_weights_too_add_up_the_same_in_any_order(cases, data):
    weights = data.draw(st.lists(st.floats(1e-3, 10), min_size=len(cases), max_size=len(cases)))
    limits = Limits(10, 8)
    order = data.draw(st.permutations(range(len(cases))))
    cut = data.draw(st.integers(0, len(cases)))
    parts = [
        tally([cases[i] for i in rows], limits, [weights[i] for i in rows])
        for rows in (order[:cut], order[cut:])
    ]
    whole = tally(cases, limits, weights)
    assert contents(parts[0].merge(parts[1])) == contents(whole)
    total = sum(floats(counts).sum() for _, _, counts in whole.canonical())
    assert total == pytest.approx(sum(weights))


def test_a_hint_changes_nothing():
    rng = np.random.default_rng(0)
    cases = list(zip(rng.normal(size=4000), rng.integers(0, 2, 4000), strict=True))
    limits = Limits(1000, 300)
    whole = tally(cases, limits).settled()
    assert whole.exponent is not None
    first, rest = tally(cases[:2000], limits).settled(), cases[2000:]
    hinted = tally(rest, limits, at_least=first.exponent)
    assert contents(first.merge(hinted)) == contents(whole)


def test_scores_far_apart_need_no_table():
    # One score a million away from the others: a dense table of cells would not fit anywhere.
    cases = [(k * 2.0**-20, k % 2) for k in range(500)] + [(1e6, 1)]
    limits = Limits(100, 80)
    exponent, found = contents(tally(cases, limits))
    assert exponent == contents(tally(cases[:-1], limits))[0]
    assert sum(sum(counts) for _, counts in found.values()) == 501
    hinted = contents(tally(cases, limits, at_least=exponent))
    assert hinted == (exponent, found)


def test_overflow_is_seen_without_a_sort():
    rng = np.random.default_rng(1)
    scores, codes = rng.random(4000), rng.integers(0, 2, 4000)
    many = Raw(scores, codes, KINDS)
    assert ScoreTally(Limits(2500, 100), raw=(many,))._surely_too_many()
    few = Raw(scores.round(2), codes, KINDS)
    assert not ScoreTally(Limits(2500, 100), raw=(few,))._surely_too_many()
    # Here the hash cannot tell, but the sort after it can.
    barely = ScoreTally(Limits(3990, 100), raw=(many,))
    assert not barely._surely_too_many()
    assert barely.settled().exponent is not None


def test_too_many_kinds_for_the_budget():
    kinds = [Kind(None, group, 0) for group in range(50)]
    with pytest.raises(ValueError, match=r"50 kinds of cases .* larger memory_budget"):
        ScoreTally.of_cases(
            np.arange(50.0), np.arange(50), kinds, None, Limits(20, 10), None
        ).settled()
