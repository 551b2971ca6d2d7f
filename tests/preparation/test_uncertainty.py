from __future__ import annotations

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from cautious.preparation.selector import symmetrical_uncertainty


def discrete(codes):
    return np.asarray(codes, dtype=np.intp)


def of_table(table):
    """Symmetrical uncertainty of a table of (fractional) counts, by the definition."""
    table = np.asarray(table, dtype=float)

    def h(counts):
        return -sum(c / table.sum() * log2(c / table.sum()) for c in np.ravel(counts) if c > 0)

    a, b = h(table.sum(axis=1)), h(table.sum(axis=0))
    return 2 * (a + b - h(table)) / (a + b)


CODES = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2)), min_size=1, max_size=40)


@given(CODES)
def test_it_is_the_normalised_mutual_information_when_nothing_is_missing(pairs):
    """scikit-learn's arithmetic normalisation is the same number; so is "missing" as a value."""
    a, b = np.array(pairs).T
    ours = symmetrical_uncertainty(discrete(a), discrete(b), missing="value")
    theirs = normalized_mutual_info_score(a, b, average_method="arithmetic")
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert ours == 0  # there the two conventions part: 0 here, 0 or 1 there
    else:
        assert ours == pytest.approx(theirs, abs=1e-9)
    if a.min() >= 0 and b.min() >= 0:
        assert symmetrical_uncertainty(discrete(a), discrete(b)) == ours


@given(CODES)
def test_symmetric_bounded_and_blind_to_names(pairs):
    a, b = np.array(pairs).T
    for missing in ("spread", "value"):
        u = symmetrical_uncertainty(discrete(a), discrete(b), missing=missing)
        assert 0 <= u <= 1 + 1e-12
        flipped = symmetrical_uncertainty(discrete(b), discrete(a), missing=missing)
        assert flipped == pytest.approx(u, abs=1e-12)
        renamed = np.where(a < 0, -1, 3 - a)
        assert symmetrical_uncertainty(
            discrete(renamed), discrete(b), missing=missing
        ) == pytest.approx(u, abs=1e-12)


def test_missing_counts_are_spread():
    """A is missing in one row where B is 1; A is known half 0, half 1: half a row goes to each."""
    a, b = discrete([0, 0, 1, 1, -1]), discrete([0, 0, 1, 1, 1])
    assert symmetrical_uncertainty(a, b) == pytest.approx(of_table([[2, 0.5], [0, 2.5]]))
    # As a value, "missing" fits B perfectly.
    assert symmetrical_uncertainty(a, b, missing="value") == pytest.approx(
        of_table([[2, 0], [0, 2], [0, 1]])
    )


def test_missing_in_both():
    """Rows 00 00 01 11 0? ?1 ??, worked by hand.

    Complete rows: 2 1 / 0 1. A is known 4:1 (rows 1-5), B 2:3 (rows 1-4 and 6). The row 0? adds .4
    and .6 to 00 and 01; ?1 adds .8 and .2 to 01 and 11; ?? adds 2/4, 1/4, 1/4 where the complete
    rows are.
    """
    a, b = discrete([0, 0, 0, 1, 0, -1, -1]), discrete([0, 0, 1, 1, -1, 1, -1])
    table = [[2 + 0.4 + 0.5, 1 + 0.6 + 0.8 + 0.25], [0, 1 + 0.2 + 0.25]]
    assert np.sum(table) == pytest.approx(7)
    assert symmetrical_uncertainty(a, b) == pytest.approx(of_table(table))


def test_no_complete_row():
    """A and B are never known together: rows 0? 1? ?0 ?1 give 1/2 + 1/2 everywhere."""
    a, b = discrete([0, 1, -1, -1]), discrete([-1, -1, 0, 1])
    assert symmetrical_uncertainty(a, b) == 0
    # A row missing both then stays a value of its own, and is the same for A as for B.
    both = symmetrical_uncertainty(discrete([0, 1, -1, -1, -1]), discrete([-1, -1, 0, 1, -1]))
    assert both == pytest.approx(of_table([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))


@pytest.mark.parametrize("missing", ["spread", "value"])
def test_what_has_no_spread_tells_nothing(missing):
    varied = discrete([0, 1, 0, 1])
    for dull in (discrete([0, 0, 0, 0]), discrete([-1, -1, -1, -1]), discrete([2, 2, 2, 2])):
        assert symmetrical_uncertainty(varied, dull, missing=missing) == 0
        assert symmetrical_uncertainty(dull, dull, missing=missing) == 0


def test_many_values_need_no_table_of_all_pairs():
    """Two columns of identifiers: the table would have 4e10 cells."""
    n = 200_000
    a = discrete(np.arange(n))
    b = discrete(np.random.default_rng(0).permutation(n))
    assert symmetrical_uncertainty(a, b) == pytest.approx(1)


def test_independence_is_exactly_zero():
    """All 5 x 7 combinations, three times each: rounding must not make a correlation of it."""
    cells = np.repeat(np.arange(35), 3)
    assert Counter(Counter(cells).values()) == {3: 35}
    assert symmetrical_uncertainty(discrete(cells // 7), discrete(cells % 7)) == 0
