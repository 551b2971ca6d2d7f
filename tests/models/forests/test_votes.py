"""The most useful set of votes: equal to trying all sets, whichever way it is found."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.models import forests as under_test
from cautious.models.forests import best_nested_sets, best_sets_of_codes, best_sets_of_votes
from cautious.utility import as_utility


def by_brute_force(votes, worth):
    """Try all sets, small ones and low indices first."""
    K = votes.shape[2]
    sets = [s for k in range(1, K + 1) for s in combinations(range(K), k)]
    masks = np.zeros((len(sets), K), dtype=bool)
    for mask, members in zip(masks, sets, strict=True):
        mask[list(members)] = True
    held = ~np.einsum("ntk,sk->nts", votes, ~masks, dtype=np.int64).astype(bool)
    value = held.sum(axis=1) * worth[masks.sum(axis=1) - 1]
    return masks[(value >= value.max(axis=1, keepdims=True) * (1 - 1e-12)).argmax(axis=1)]


@st.composite
def ballots(draw):
    """Votes for one class, for all, and for whatever lies between, with ties."""
    K = draw(st.integers(2, 10))
    T = draw(st.sampled_from([1, 2, 5, 12, 30]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    votes = rng.random((3, T, K)) < draw(st.sampled_from([0.1, 0.3, 0.6]))
    votes |= rng.random((3, T, 1)) < draw(st.sampled_from([0.0, 0.3]))
    empty = ~votes.any(axis=2)
    votes[empty, rng.integers(K, size=empty.sum())] = True
    utility = draw(st.sampled_from(["u65", "u80", "f1", "f2", "u50", "log"]))
    return votes, as_utility(utility)(1 / np.arange(1, K + 1))


@settings(max_examples=25)
@given(ballots())
def test_as_good_as_trying_all_sets(ballot):
    votes, worth = ballot
    expected = by_brute_force(votes, worth)
    codes = votes @ (1 << np.arange(votes.shape[2])[::-1])
    np.testing.assert_array_equal(best_sets_of_codes(codes, worth), expected)
    np.testing.assert_array_equal(best_sets_of_votes(votes, worth), expected)
    with pytest.MonkeyPatch.context() as patch:  # branch and bound
        patch.setattr(under_test, "_CLASSES_IN_TABLE", 1)
        np.testing.assert_array_equal(best_sets_of_votes(votes, worth), expected)


def test_many_classes():
    """Sets larger than five: seven classes share all votes of 60."""
    K = 60
    votes = np.zeros((1, 42, K), dtype=bool)
    seven = [3, 8, 14, 21, 33, 40, 59]
    for t in range(42):
        votes[0, t, [seven[t % 7], seven[(t + 1) % 7], seven[(t + 3) % 7]]] = True
    worth = as_utility("u80")(1 / np.arange(1, K + 1))
    assert np.flatnonzero(best_sets_of_votes(votes, worth)[0]).tolist() == seven


def test_nested_sets_by_hand():
    worth = as_utility("u65")(1 / np.arange(1, 4))
    # .65 × .75 > .4; .65 × .3 < .4667 × 1; a lone belief of .7.
    belief = np.array([[0.4, 0.05, 0.35], [0.2, 0.1, 0.1], [0.7, 0.1, 0.0]])
    expected = [[1, 0, 1], [1, 1, 1], [1, 0, 0]]
    np.testing.assert_array_equal(best_nested_sets(belief, 1.0, worth), np.array(expected) > 0)
    # A tie goes to the smaller set, and among those to the lowest index.
    tied = best_nested_sets(np.array([[0.5, 0.5]]), 1.0, np.array([1.0, 0.5]))
    np.testing.assert_array_equal(tied, [[True, False]])
