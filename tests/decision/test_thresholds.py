"""Ferri and Hernández-Orallo's rules, Chow's, and the rejection option."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.credal import ProbabilityIntervals, contaminate
from cautious.decision import (
    bias_window_rule,
    chow_rule,
    class_threshold_rule,
    maximality,
    ratio_rule,
    threshold_rule,
)
from cautious.utility import u80

# Ferri & Hernández-Orallo (2004), Example 2: leaves of a tree, and their test cases of a and b.
LEAVES = np.array([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1])
P = np.column_stack([LEAVES, 1 - LEAVES])
CASES = np.array([[23, 1], [10, 0], [4, 2], [0, 9], [2, 3], [1, 15], [0, 30]])


def confusion(sets):
    """Rows a, b and ⊥ of the extended confusion matrix; columns the actual classes."""
    full = sets.all(axis=1)
    answers = [CASES[sets[:, i] & ~full].sum(axis=0) for i in (0, 1)]
    return np.array([*answers, CASES[full].sum(axis=0)])


CAUTIOUS = [[37, 3], [3, 48], [0, 9]]


@pytest.mark.parametrize(
    ("sets", "printed"),
    [
        (threshold_rule(P, 0.0), [[37, 12], [3, 48], [0, 0]]),
        (threshold_rule(P, 0.625), CAUTIOUS),
        (class_threshold_rule(P, [0.625, 0.625]), CAUTIOUS),
        (ratio_rule(P, [0.625, 0.625]), CAUTIOUS),
        (bias_window_rule(P, [0.55, 0.45], 0.15), CAUTIOUS),
        (bias_window_rule(P, [0.55, 0.45], 0.4), [[33, 1], [1, 45], [6, 14]]),
    ],
    ids=["argmax", "R1", "R2", "R3", "R4 w=.15", "R4 w=.4"],
)
def test_example_2(sets, printed):
    """Section 4, Example 2, and section 6 for the wide window."""
    np.testing.assert_array_equal(confusion(sets), printed)


def test_thresholds_are_reached_at_equality_and_ties_go_to_the_first():
    p = [[0.5, 0.5], [0.3, 0.7]]
    np.testing.assert_array_equal(threshold_rule(p, 0.5), [[True, False], [False, True]])
    np.testing.assert_array_equal(threshold_rule(p, 0.7), [[True, True], [False, True]])
    np.testing.assert_array_equal(ratio_rule(p, [0.3, 0.7])[1], [True, False])  # both ratios 1
    np.testing.assert_array_equal(
        class_threshold_rule(p, [0.5, 0.7]), [[True, False], [False, True]]
    )


def test_infinite_thresholds_forbid_an_answer():
    assert threshold_rule(P, np.inf).all()
    assert not ratio_rule(P, [np.inf, 0.0])[:, 0].any()
    assert class_threshold_rule(P, [np.inf, 0.0])[:4].all()


def test_zero_thresholds():
    p = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]
    # A zero threshold is beaten by any factor, but a zero probability only just reaches it.
    np.testing.assert_array_equal(
        ratio_rule(p, [1.0, 0.0]), [[True, False], [False, True], [False, True]]
    )


def by_definition(p, tau):
    """R3 for one row, word for word."""
    if not any(x >= t for x, t in zip(p, tau, strict=True)):
        return [True] * len(p)
    ratios = [x / t for x, t in zip(p, tau, strict=True)]
    return [i == int(np.argmax(ratios)) for i in range(len(p))]


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=1, max_size=8), st.data()
)
def test_ratio_rule_is_its_definition(weights, data):
    p = np.array(weights) / np.sum(weights, axis=1, keepdims=True)
    tau = data.draw(st.lists(st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.9]), min_size=3, max_size=3))
    np.testing.assert_array_equal(ratio_rule(p, tau), [by_definition(row, tau) for row in p])


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_a_closed_window_never_abstains_and_a_wider_one_abstains_more(seed, k):
    rng = np.random.default_rng(seed)
    p, bias = rng.dirichlet(np.ones(k), 20), rng.dirichlet(np.ones(k))
    p[0] = bias  # exactly at every threshold
    abstained = [bias_window_rule(p, bias, w).all(axis=1) for w in (0.0, 0.1, 0.3, 0.6, 0.9, 1.0)]
    assert not abstained[0].any()
    for narrow, wide in itertools.pairwise(abstained):
        assert (wide | ~narrow).all()


def test_chow_with_costs():
    """Ferri's cost matrix of section 7: [[0, 100], [20, 0]], abstaining 2 or 3."""
    costs, abstain = np.array([[0, 100], [20, 0]]), np.array([2, 3])
    p = np.column_stack([np.linspace(0, 1, 201), 1 - np.linspace(0, 1, 201)])
    table = np.vstack([costs, abstain])
    best = (p @ table.T).argmin(axis=1)
    expected = np.array([[True, False], [False, True], [True, True]])[best]
    np.testing.assert_array_equal(chow_rule(p, abstain, costs), expected)


def test_thresholds_on_lower_probabilities():
    """Zaffalon et al. (2012), section 9.4: some class must have lower probability t."""
    sets = ProbabilityIntervals(
        [[0.65, 0.2, 0.0], [0.3, 0.3, 0.0], [0.0, 0.0, 0.0]],
        [[0.8, 0.35, 0.1], [0.6, 0.6, 0.1], [0.2, 0.1, 1.0]],
    )
    np.testing.assert_array_equal(threshold_rule(sets, 0.0), maximality(sets))
    np.testing.assert_array_equal(
        threshold_rule(sets, 0.65), [[True, False, False], [True, True, True], [False, False, True]]
    )
    # The third row's lower bound is 0 as given but .7 once the intervals are made reachable.
    np.testing.assert_array_equal(threshold_rule(sets, 0.71)[2], [True, True, True])
    np.testing.assert_array_equal(
        threshold_rule((sets.lower, sets.upper), 0.65), threshold_rule(sets, 0.65)
    )


def test_a_threshold_keeps_the_models_own_sets():
    sets = [[True, True, False], [True, False, False]]
    p = [[0.6, 0.3, 0.1], [0.4, 0.3, 0.3]]
    np.testing.assert_array_equal(
        threshold_rule(p, 0.5, sets=sets), [[True, True, False], [True] * 3]
    )


def test_zaffalons_puzzle_of_the_rejection_option():
    """Section 9.4: chance .7, t = .8. The rejecting classifier earns .8 under u80, NCC .7."""
    p = np.tile([0.7, 0.3], (10, 1))
    truth = np.array([0] * 7 + [1] * 3)
    nearly_precise = contaminate(p, 0.01)

    def utility(sets):
        return u80(sets[np.arange(10), truth] / sets.sum(axis=1)).mean()

    assert utility(threshold_rule(p, 0.8)) == pytest.approx(0.8)
    assert utility(maximality(nearly_precise)) == pytest.approx(0.7)
    assert utility(threshold_rule(nearly_precise, 0.8)) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: threshold_rule([[0.5, 0.4]], 0.5), r"p adds up to 0\.9 in row 0.*within 1e-06"),
        (lambda: threshold_rule(P, 62.5), r"threshold is 62\.5"),
        (lambda: threshold_rule(P, [0.5, 0.5]), "expected a single number"),
        (
            lambda: class_threshold_rule(P, [0.5] * 3),
            r"thresholds has shape \(3,\); expected \(2,\)",
        ),
        (lambda: ratio_rule(P, 0.5), r"thresholds has shape \(\); expected \(2,\)"),
        (lambda: ratio_rule(P, [0.5, -0.1]), r"thresholds\[1\] is -0\.1"),
        (lambda: bias_window_rule(P, [0.5, 0.4], 0.1), r"bias adds up to 0\.9; .*Divide them"),
        (lambda: bias_window_rule(P, [0.5, 0.3, 0.2], 0.1), r"bias has shape \(3,\)"),
        (lambda: bias_window_rule(P, [1.5, -0.5], 0.1), r"bias\[1\] is -0\.5"),
        (lambda: bias_window_rule(P, [0.5, 0.5], 1.5), r"window is 1\.5"),
        (lambda: chow_rule(P, [0.1, 0.2, 0.3]), "one for each of the 2 true classes"),
        (lambda: chow_rule(P, np.nan), "reject_cost is nan"),
        (lambda: chow_rule(P, 0.1, np.zeros((3, 2))), "costs has 3 rows for 2 classes"),
        (lambda: threshold_rule(P, 0.5, sets=[[True, False]]), "sets has 1 rows and p 7"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_ties_of_chow_s_rule_do_not_depend_on_the_batch():
    """Rounding of a larger matrix product must not choose among equal risks."""
    row = [0.1, 0.4, 0.1, 0.4]
    for costs in (None, 1 - np.eye(4), 0.1 * (1 - np.eye(4))):
        price = 0.77 if costs is None else 0.77 * costs.max()
        alone = chow_rule([row], price, costs)
        assert alone.tolist() == [[False, True, False, False]]
        for n in (2, 3, 4, 5, 8, 16, 33, 64, 100):
            batch = chow_rule(np.tile(row, (n, 1)), price, costs)
            np.testing.assert_array_equal(batch, np.repeat(alone, n, axis=0))
