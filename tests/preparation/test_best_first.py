from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cautious.preparation.selector import add_locally_predictive, merit, search

UNIT = st.floats(0, 1, allow_subnormal=False)


@st.composite
def correlations(draw, max_features=6):
    p = draw(st.integers(1, max_features))
    relevance = draw(arrays(np.float64, p, elements=UNIT))
    upper = np.triu(draw(arrays(np.float64, (p, p), elements=UNIT)), 1)
    return relevance, upper + upper.T + np.eye(p)


def rows(matrix):
    return lambda i: np.asarray(matrix, dtype=float)[i]


def merit_as_printed(subset, relevance, matrix):
    """k mean(r_cf) / sqrt(k + k (k - 1) mean(r_ff)), with the means taken as means."""
    k = len(subset)
    if k == 0:
        return 0.0
    pairs = [matrix[i][j] for i, j in combinations(sorted(subset), 2)]
    r_ff = np.mean(pairs) if pairs else 0.0
    r_cf = np.mean([relevance[i] for i in subset])
    return k * r_cf / np.sqrt(k + k * (k - 1) * r_ff)


@given(correlations())
def test_merit_is_hall_s_formula(problem):
    relevance, matrix = problem
    for k in range(len(relevance) + 1):
        subset = frozenset(range(k))
        expected = merit_as_printed(subset, relevance, matrix)
        assert merit(subset, relevance, rows(matrix)) == pytest.approx(expected)


@given(correlations())
def test_a_patient_search_finds_the_best_of_all_subsets(problem):
    relevance, matrix = problem
    p = len(relevance)
    everything = [frozenset(s) for k in range(p + 1) for s in combinations(range(p), k)]
    best = max(merit_as_printed(s, relevance, matrix) for s in everything)
    found = search(relevance, rows(matrix), max_stale=2**p)
    # "Better" means by more than 1e-5 at each of at most 2^p improvements.
    assert merit(found, relevance, rows(matrix)) == pytest.approx(best, abs=1e-5 * 2**p)


def by_the_book(relevance, matrix, max_stale):
    """Best-first search with a short list of what to expand next, as plainly as it can be put."""
    best, stale = (), 0
    waiting, found = [()], {()}
    while waiting and stale < max_stale:
        subset = waiting.pop(0)
        stale += 1
        for i in range(len(relevance)):
            child = tuple(sorted({*subset, i}))
            if child in found:
                continue
            found.add(child)
            value = merit_as_printed(child, relevance, matrix)
            waiting.append(child)
            waiting.sort(key=lambda s: -merit_as_printed(s, relevance, matrix))  # stable
            waiting = waiting[:max_stale]
            if value > merit_as_printed(best, relevance, matrix) + 1e-5:
                best, stale = child, 0
    return frozenset(best)


@pytest.mark.parametrize("max_stale", [1, 2, 5])
def test_the_search_goes_by_the_book(max_stale):
    rng = np.random.default_rng(max_stale)
    for _ in range(60):
        p = rng.integers(2, 9)
        relevance = rng.random(p)
        matrix = rng.random((p, p)) ** 2
        matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T + np.eye(p)
        expected = by_the_book(relevance, matrix, max_stale)
        assert search(relevance, rows(matrix), max_stale=max_stale) == expected


def test_ties_go_to_the_first_feature():
    relevance = np.array([0.2, 0.5, 0.5, 0.5])
    assert search(relevance, rows(np.ones((4, 4)))) == {1}


def test_nothing_relevant_nothing_found():
    assert search(np.zeros(3), rows(np.eye(3))) == frozenset()
    assert add_locally_predictive(frozenset(), np.zeros(3), rows(np.eye(3))) == frozenset()


def test_only_rows_that_are_needed_are_asked_for():
    asked = set()

    def redundancy(i):
        asked.add(i)
        return np.ones(50)

    relevance = np.linspace(1, 0.5, 50)
    assert search(relevance, redundancy, max_stale=5) == {0}
    assert len(asked) <= 6


def test_locally_predictive_features():
    """3 enters: it tells more of the class (.3) than 0 tells of it (.1). 1 and 2 are shadows of 0.

    4 has the relevance of its correlation with 0, which is not less, so it enters as well; once 3
    is in, 5 is too much like it.
    """
    relevance = np.array([0.6, 0.5, 0.2, 0.3, 0.1, 0.25])
    matrix = np.eye(6)
    for i, j, r in [(0, 1, 0.55), (0, 2, 0.21), (0, 3, 0.1), (0, 4, 0.1), (3, 5, 0.26)]:
        matrix[i, j] = matrix[j, i] = r
    assert add_locally_predictive(frozenset({0}), relevance, rows(matrix)) == {0, 3, 4}
