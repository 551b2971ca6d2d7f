"""AUC and Hand and Till's M of the kept cases, state by state, against scikit-learn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from cautious.curves.response import ResponseCurve
from cautious.curves.response.measures import _weight_below


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


def test_constant_scores_know_nothing() -> None:
    curve = ResponseCurve.from_predictions([0, 1, 1], [[0.4, 0.6]] * 3)
    assert curve.measure("auc")[0] == 0.5
    assert np.isnan(curve.measure("auc")[1])
    assert curve.area("auc") == pytest.approx(0.75)


def test_classes_that_have_fallen_silent_are_left_out_of_m() -> None:
    proba = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.75, 0.2, 0.05]]
    truth = np.array([0, 1, 2, 0])
    curve = ResponseCurve.from_predictions(truth, proba)
    state = int(np.argmax(curve.abstention == 0.25))
    assert curve.measure("auc")[state] == pytest.approx(1.0)
    assert curve.measure("auc")[0] == pytest.approx(hand_till(truth, np.array(proba), np.ones(4)))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=40))
def test_weight_of_earlier_items_below(items: list[tuple[int, int]]) -> None:
    rank, weight = (np.array(column) for column in zip(*items, strict=True))
    expected = [
        sum(weight[j] * ((rank[j] < rank[i]) + (rank[j] == rank[i]) / 2) for j in range(i))
        for i in range(len(items))
    ]
    result = _weight_below(rank, weight * (1 + 2j))
    np.testing.assert_allclose(result, np.array(expected) * (1 + 2j))


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
