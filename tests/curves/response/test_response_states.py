"""The sweep of the window against the rule itself, and AUC of kept cases against scikit-learn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from cautious._cases import Cases
from cautious.curves.response import ResponseCurve
from cautious.curves.window_states import WindowStates
from cautious.decision import bias_window_rule
from cautious.metrics import cautious_confusion_matrix


@st.composite
def problems(draw: st.DrawFn, n_classes: st.SearchStrategy[int]) -> tuple[np.ndarray, ...]:
    """Probabilities on a coarse grid (many ties, zeros and ones), truths, weights and a bias."""
    k = draw(n_classes)
    n = draw(st.integers(1, 12))
    parts = draw(
        st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=n, max_size=n)
    )
    counts = np.array(parts, dtype=float)
    counts[counts.sum(axis=1) == 0] = 1
    share = np.array(draw(st.lists(st.integers(0, 5), min_size=k, max_size=k)), dtype=float)
    share += share.sum() == 0
    truth = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    weight[0] += 1
    return counts / counts.sum(axis=1, keepdims=True), truth, weight, share / share.sum()


def by_the_rule(
    proba: np.ndarray, truth: np.ndarray, weight: np.ndarray, bias: np.ndarray, window: float
) -> np.ndarray:
    sets = bias_window_rule(proba, bias, window)
    labels = np.arange(proba.shape[1])
    table = cautious_confusion_matrix(truth, sets, classes=labels, sample_weight=weight)
    return table.to_numpy()


@given(problems(st.integers(2, 4)))
def test_every_state_is_what_the_rule_answers_there(problem: tuple[np.ndarray, ...]) -> None:
    proba, truth, weight, bias = problem
    curve = ResponseCurve.from_predictions(
        truth, proba, bias=bias, classes=np.arange(proba.shape[1]), sample_weight=weight
    )
    states = curve.states
    assert states.low[0] == 0
    assert states.high[-1] == 1
    assert (np.diff(states.low) > 0).all() or len(states) == 1 or states.low[1] == 0
    # Every breakpoint ± ε, the ends, and windows that have nothing to do with the breakpoints.
    windows = np.concatenate(
        [[0.0, 1.0], np.linspace(0, 1, 9), states.high - 1e-7, states.high + 1e-7, curve.window]
    )
    for window in windows[(windows >= 0) & (windows <= 1)]:
        if ((window != 0) & (np.abs(window - states.high[:-1]) < 1e-9)).any():
            continue  # at the breakpoint itself classes may tie
        expected = by_the_rule(proba, truth, weight, bias, window)
        np.testing.assert_allclose(curve.confusion_matrix(window), expected, atol=1e-12)


@given(problems(st.integers(2, 4)))
def test_sums_over_states_agree_with_the_confusion_matrices(
    problem: tuple[np.ndarray, ...],
) -> None:
    proba, truth, weight, bias = problem
    k = proba.shape[1]
    curve = ResponseCurve.from_predictions(
        truth, proba, bias=bias, classes=np.arange(k), sample_weight=weight
    )
    table = np.arange(1.0, k * k + 1).reshape(k, k)
    expected = [(curve.confusion_matrix(w).to_numpy()[:-1] * table).sum() for w in curve.window]
    np.testing.assert_allclose(curve.states.answered(table), [*expected, 0.0], atol=1e-9)
    np.testing.assert_allclose(
        curve.abstention,
        [curve.confusion_matrix(w).loc["⊥"].sum() / weight.sum() for w in curve.window],
        atol=1e-12,
    )
    assert (np.diff(curve.abstention) >= 0).all()
    assert curve.abstention[0] == 0


@given(problems(st.integers(2, 4)))
def test_sums_over_states_are_those_of_the_matrices(problem: tuple[np.ndarray, ...]) -> None:
    proba, truth, weight, bias = problem
    k = proba.shape[1]
    curve = ResponseCurve.from_predictions(
        truth, proba, bias=bias, classes=np.arange(k), sample_weight=weight
    )
    table = np.arange(1.0, k * k + 1).reshape(k, k)
    expected = [(curve.confusion_matrix(w).to_numpy()[:-1] * table).sum() for w in curve.window]
    np.testing.assert_allclose(curve.states.answered(table), [*expected, 0.0], atol=1e-9)
    np.testing.assert_allclose(
        curve.abstention,
        [curve.confusion_matrix(w).loc["⊥"].sum() / weight.sum() for w in curve.window],
        atol=1e-12,
    )
    assert curve.abstention[0] == 0


def test_at_a_breakpoint_the_case_is_still_answered() -> None:
    # Thresholds are reached with equality: p = 3/4 with equal biases falls silent above w = 1/2.
    curve = ResponseCurve.from_predictions([0, 1], [[0.75, 0.25], [0.125, 0.875]])
    assert curve.states.high.tolist() == [0.5, 0.75, 1.0]
    assert curve.confusion_matrix(0.5).loc["⊥"].sum() == 0
    assert curve.confusion_matrix(np.nextafter(0.5, 1)).loc["⊥"].tolist() == [1, 0]


def test_a_tie_at_window_zero_goes_to_the_lowest_class_and_then_the_flattest_line() -> None:
    # p = c·k for the first two classes: both ratios are equal at w = 0 only.
    bias, proba = np.array([0.2, 0.4, 0.4]), np.array([[0.3, 0.6, 0.1]])
    curve = ResponseCurve.from_predictions([1], proba, bias=bias, classes=[0, 1, 2])
    assert curve.states.high[0] == 0
    assert curve.confusion_matrix(0).loc[0, 1] == 1
    assert curve.confusion_matrix(0.1).loc[1, 1] == 1


def test_roundings_of_the_same_probability_are_one_breakpoint() -> None:
    p = [0.7, 1 - 0.3, 0.1 + 0.6, 0.30000000000000004]
    curve = ResponseCurve.from_predictions([0, 0, 0, 1], np.c_[p, np.subtract(1, p)])
    assert len(curve.states) == 2


def test_blocks_of_rows_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    proba, bias = rng.dirichlet(np.ones(4), size=100), np.array([0.05, 0.15, 0.3, 0.5])
    seen = Cases.of_codes(np.arange(4), rng.integers(4, size=100), y_proba=proba)
    whole = WindowStates.of(seen, bias)
    monkeypatch.setattr("cautious.curves.window_states._CELLS_AT_ONCE", 28)
    split = WindowStates.of(seen, bias)
    np.testing.assert_array_equal(whole.low, split.low)
    for state in range(0, len(whole), 7):
        np.testing.assert_array_equal(whole.answers(state), split.answers(state))
    assert len(whole.row) > 100, "the example must hold changes of class"


def test_rows_that_add_up_to_one_only_roughly_are_rescaled_as_the_rule_does() -> None:
    proba = np.array([[0.5, 0.5 - 9e-7], [0.4999995, 0.4999996]])
    curve = ResponseCurve.from_predictions([0, 1], proba)
    for window in (0.0, 5e-7, 0.5):
        expected = by_the_rule(proba, np.array([0, 1]), np.ones(2), np.array([0.5, 0.5]), window)
        np.testing.assert_array_equal(curve.confusion_matrix(window), expected)


def test_a_probability_too_small_to_divide_by_is_as_good_as_zero() -> None:
    tiny, zero = (ResponseCurve.from_predictions([0, 1], [[1, p], [0.2, 0.8]]) for p in (1e-310, 0))
    for window in (0.0, 0.5, 1.0):
        np.testing.assert_array_equal(tiny.confusion_matrix(window), zero.confusion_matrix(window))


@pytest.mark.parametrize("window", [-0.1, 1.1, np.nan])
def test_windows_outside_the_unit_interval_are_refused(window: float) -> None:
    curve = ResponseCurve.from_predictions([0, 1], [[0.7, 0.3], [0.2, 0.8]])
    with pytest.raises(ValueError, match="window is"):
        curve.confusion_matrix(window)


def hand_till(truth: np.ndarray, proba: np.ndarray, weight: np.ndarray) -> float:
    """Mean over pairs of the classes present, by scikit-learn's two-class AUC."""
    present = np.unique(truth)
    if len(present) < 2:
        return np.nan
    values = []
    for a, b in combinations(present, 2):
        pair = np.isin(truth, [a, b])
        values += [
            roc_auc_score(truth[pair] == c, proba[pair, c], sample_weight=weight[pair])
            for c in (a, b)
        ]
    return float(np.mean(values))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from([1, 2, 9]))
@pytest.mark.slow
def test_every_state_against_scikit_learn(seed: int, n_classes: int, digits: int) -> None:
    rng = np.random.default_rng(seed)
    n = 18
    proba = rng.dirichlet(np.ones(n_classes), size=n).round(digits) + 1e-3
    proba /= proba.sum(axis=1, keepdims=True)
    truth = rng.integers(n_classes, size=n)
    weight = rng.choice([0.5, 1.0, 3.0], size=n)
    bias = rng.dirichlet(np.full(n_classes, 4))
    curve = ResponseCurve.from_predictions(
        truth, proba, bias=bias, classes=np.arange(n_classes), sample_weight=weight
    )
    auc = curve.measure("auc")
    for state in range(len(curve.states)):
        kept = curve.states.answers(state) < n_classes
        expected = hand_till(truth[kept], proba[kept], weight[kept])
        assert auc[state] == pytest.approx(expected, nan_ok=True)


def test_m_is_scikit_learn_s_one_vs_one_macro_average() -> None:
    rng = np.random.default_rng(5)
    proba = rng.dirichlet(np.ones(4), size=500)
    truth = rng.integers(4, size=500)
    curve = ResponseCurve.from_predictions(truth, proba)
    auc = curve.measure("auc")
    for state in (0, 100, 250):
        kept = curve.states.answers(state) < 4
        expected = roc_auc_score(truth[kept], proba[kept], multi_class="ovo", average="macro")
        assert auc[state] == pytest.approx(expected)


def test_classes_that_have_fallen_silent_are_left_out_of_m() -> None:
    proba = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.75, 0.2, 0.05]]
    truth = np.array([0, 1, 2, 0])
    curve = ResponseCurve.from_predictions(truth, proba)
    state = int(np.argmax(curve.abstention == 0.25))
    assert curve.measure("auc")[state] == pytest.approx(1.0)
    assert curve.measure("auc")[0] == pytest.approx(hand_till(truth, np.array(proba), np.ones(4)))


def test_more_distinct_scores_than_fit_into_sixteen_bits() -> None:
    rng = np.random.default_rng(6)
    n = 70_000
    p = rng.random(n)
    truth = (rng.random(n) < p).astype(int)
    curve = ResponseCurve.from_predictions(truth, np.c_[1 - p, p])
    auc = curve.measure("auc")
    for state in (0, 20_000, 60_000):
        kept = curve.states.answers(state) < 2
        assert auc[state] == pytest.approx(roc_auc_score(truth[kept], p[kept]))
