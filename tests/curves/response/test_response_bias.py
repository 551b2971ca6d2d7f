"""The search for a class bias, against trying very many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cautious.curves.response import BestBias, ResponseCurve
from cautious.decision import bias_window_rule
from cautious.metrics import cautious_confusion_matrix


def best_bias(
    truth: object, proba: object, *what: str, classes: object = None, sample_weight: object = None,
    **how: object,
) -> BestBias:  # fmt: skip
    curve = ResponseCurve.from_predictions(
        truth, proba, classes=classes, sample_weight=sample_weight
    )
    return curve.best_bias(*what, **how)


def two_class_data(seed: int, n: int = 14) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.choice([0, 0.1, 0.2, 0.35, 0.5, 0.6, 0.8, 0.95, 1], size=n)
    truth = (rng.random(n) < 0.2 + 0.6 * p).astype(int)  # even probabilities 0 and 1 can be wrong
    return truth, np.c_[1 - p, p], rng.choice([0.5, 1, 2, 3], size=n)


def many_biases() -> np.ndarray:
    k = np.concatenate([np.linspace(0.008, 0.992, 124), [1e-6, 1 - 1e-6]])
    return np.c_[1 - k, k]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["accuracy", "error", "capacity", "auc"]))
def test_two_classes_are_exact(seed: int, measure: str) -> None:
    truth, proba, weight = two_class_data(seed)
    if len(np.unique(truth)) < 2:
        return
    found = best_bias(truth, proba, measure, sample_weight=weight, max_evaluations=1000)
    assert found.exact
    sign = -1 if measure == "error" else 1

    def area(bias: np.ndarray) -> float:
        curve = ResponseCurve.from_predictions(truth, proba, bias=bias, sample_weight=weight)
        return (measure == "error") + sign * curve.area(measure)

    assert found.value == pytest.approx(area(found.bias))
    assert found.value >= max(map(area, many_biases())) - 1e-9


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(
        [
            [[0, 20], [100, 0], [3, 2]],
            [[0, 1], [1, 0], [0.3, 0.3]],
            [[0, 1], [5, 0], [2, 0.1]],
            [[-1, 4], [2, -3], [0, 0]],
            [[0, 1], [1, 0], [9, 9]],
        ]
    ),
)
def test_the_cheapest_bias_and_window_of_two_classes_is_exact(
    seed: int, costs: list[list[float]]
) -> None:
    truth, proba, weight = two_class_data(seed)
    found = best_bias(
        truth, proba, "cost", costs=costs, classes=[0, 1], sample_weight=weight, max_evaluations=5
    )
    assert found.exact
    # The window that goes with it costs what is promised.
    window = found.curve.best_window(costs=costs).window
    sets = bias_window_rule(proba, found.bias, window)
    matrix = cautious_confusion_matrix(truth, sets, classes=[0, 1], sample_weight=weight)
    assert (matrix.to_numpy() * costs).sum() / weight.sum() == pytest.approx(found.value)
    # Brute force over all pairs of cuts; 0 and 1 are never abstained on.
    p, table = proba[:, 1], np.asarray(costs, dtype=float)
    cuts = np.concatenate([[-1], np.unique(p), [2]])
    cheapest = np.inf
    for low in cuts:
        for high in cuts[cuts >= low]:
            answer = np.where(p <= low, 0, np.where(p > high, 1, 2))
            if not np.any((answer == 2) & np.isin(p, [0, 1])):
                ends = ((p == 0) <= (answer == 0)).all() and ((p == 1) <= (answer == 1)).all()
                cost = (weight * table[answer, truth]).sum() / weight.sum()
                cheapest = min(cheapest, cost) if ends else cheapest
    assert found.value == pytest.approx(cheapest)


def multi_class_data(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    prior = np.array([0.7, 0.2, 0.1])
    truth = rng.choice(3, size=n, p=prior)
    score = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[truth]
    proba = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)  # ignores the prior
    return truth, proba


def test_more_classes_search_never_ends_below_its_starts() -> None:
    truth, proba = multi_class_data()
    found = best_bias(truth, proba, "error", max_evaluations=150)
    assert not found.exact
    assert found.n_evaluations <= 150
    starts = [None, np.bincount(truth) / len(truth)]
    values = [
        ResponseCurve.from_predictions(truth, proba, bias=b).probabilistic_capacity("error")
        for b in starts
    ]
    assert found.value >= max(values)
    # The model ignores how rare classes 1 and 2 are; a bias that makes up for it must help much.
    assert found.value > values[0] + 0.02
    assert found.bias[0] < found.bias[2]


def test_the_search_is_seeded() -> None:
    truth, proba = multi_class_data(100)
    first, second = (best_bias(truth, proba, max_evaluations=60, random_state=7) for _ in range(2))
    np.testing.assert_array_equal(first.bias, second.bias)


def test_more_classes_with_costs() -> None:
    truth, proba = multi_class_data(150)
    costs = [[0, 5, 9], [1, 0, 9], [1, 5, 0], [0.4, 0.4, 0.4]]
    found = best_bias(truth, proba, "cost", costs=costs, max_evaluations=80)
    plain = ResponseCurve.from_predictions(truth, proba).best_window(costs=costs).value
    assert found.value < plain
    assert found.value == found.curve.best_window(costs=costs).value


def test_a_measure_of_one_s_own() -> None:
    truth, proba, weight = two_class_data(3)
    found = best_bias(
        truth,
        proba,
        lambda curve: curve.measure("accuracy")[0],
        classes=[0, 1],
        sample_weight=weight,
        max_evaluations=40,
    )
    assert not found.exact
    assert found.value == found.curve.measure("accuracy")[0]
    assert found.n_evaluations <= 40


def test_an_undefined_measure_gives_nan_and_a_warning() -> None:
    with pytest.warns(UndefinedMetricWarning, match="undefined for every bias"):
        found = best_bias([0, 0], [[0.4, 0.6], [0.7, 0.3]], "auc", classes=[0, 1])
    assert np.isnan(found.value)
    np.testing.assert_array_equal(found.bias, [0.5, 0.5])


def test_bad_input() -> None:
    good = ([0, 1], [[0.4, 0.6], [0.7, 0.3]])
    with pytest.raises(ValueError, match="max_evaluations is 1"):
        best_bias(*good, max_evaluations=1)
    with pytest.raises(ValueError, match="name is 'acuracy'"):
        best_bias(*good, "acuracy")
    with pytest.raises(ValueError, match="costs is None"):
        best_bias(*good, "cost")


def test_two_classes_with_many_scores_are_searched() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(300)
    truth = (rng.random(300) < p**3).astype(int)  # the second class is overrated
    proba = np.c_[1 - p, p]
    found = best_bias(truth, proba, "error", max_evaluations=60)
    assert not found.exact
    plain = ResponseCurve.from_predictions(truth, proba).probabilistic_capacity("error")
    assert found.value > plain
    assert found.bias[1] > 0.5
