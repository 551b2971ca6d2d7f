"""Response curves: the paper's tree, the measures along the curve, and bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import trapezoid
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.svm import LinearSVC

from cautious.curves.response import ResponseCurve
from cautious.decision import bias_window_rule
from cautious.metrics import MEASURES, SetCounts, cautious_confusion_matrix

# Ferri & Hernández-Orallo (2004), Example 2: a tree with seven leaves, 40 cases of a and 60 of b.
P_A = np.array([1, 0.75, 0.7, 0.6, 0.35, 0.2, 0.1])
COUNT = np.array([23, 10, 4, 0, 2, 1, 0, 1, 0, 2, 9, 3, 15, 30])
TRUTH = np.repeat(["a", "b"], 7)
PROBA = np.tile(np.c_[P_A, 1 - P_A], (2, 1))
# Section 7: rows pos, neg and ⊥, columns pos and neg.
SPAM_COSTS = [[0, 100], [20, 0], [2, 3]]


def tree(bias: list[float] | None = None) -> ResponseCurve:
    return ResponseCurve.from_predictions(TRUTH, PROBA, bias=bias, sample_weight=COUNT)


def test_ferri_section_4_one_bias_is_never_better_than_the_equal_one() -> None:
    # "the class bias K = {0.55, 0.45} can be discarded, since it is always equal or worse".
    equal, biased = tree(), tree([0.55, 0.45])
    levels = np.union1d(equal.abstention, biased.abstention)

    def error(curve: ResponseCurve) -> np.ndarray:
        return np.interp(
            levels, np.append(curve.abstention, 1), np.append(curve.measure("error"), 0)
        )

    assert (error(equal) <= error(biased) + 1e-12).all()
    assert equal.probabilistic_capacity() > biased.probabilistic_capacity()


def test_probabilistic_capacity_by_hand() -> None:
    # Abstention 0, ½ with error ½, 0 and accuracy ½, 1, and nothing answered at 1.
    curve = ResponseCurve.from_predictions([0, 0], [[0.8, 0.2], [0.4, 0.6]], classes=[0, 1])
    assert curve.frame()[["abstention", "accuracy", "error"]].iloc[:2].to_numpy().tolist() == [
        [0, 0.5, 0.5],
        [0.5, 1, 0],
    ]
    assert curve.probabilistic_capacity("accuracy") == pytest.approx(0.75 / 2 + 1 / 2)
    assert curve.probabilistic_capacity("error") == pytest.approx(1 - 0.25 / 2)
    with pytest.raises(ValueError, match="choose 'accuracy' or 'error'"):
        curve.probabilistic_capacity("auc")


def test_curve_that_stops_short_of_abstaining_on_all() -> None:
    # Certain cases are answered at every window; the curve is continued straight to abstention 1.
    curve = ResponseCurve.from_predictions([0, 1], [[1.0, 0.0], [0.6, 0.4]], classes=[0, 1])
    assert curve.abstention.tolist() == [0, 0.5]
    assert curve.states.high.tolist() == pytest.approx([0.2, 1])
    assert curve.area("error") == pytest.approx(0.5 * (0.5 + 0) / 2)
    assert curve.area("accuracy") == pytest.approx(0.75 / 2 + 1 / 2)


def random_curve(seed: int, n_classes: int, n: int = 60) -> tuple[ResponseCurve, tuple]:
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), size=n).round(1)
    proba = (proba + 1e-3) / (proba + 1e-3).sum(axis=1, keepdims=True)
    truth = rng.integers(n_classes, size=n)
    weight = rng.integers(0, 4, size=n).astype(float)
    bias = rng.dirichlet(np.full(n_classes, 3))
    curve = ResponseCurve.from_predictions(
        truth, proba, bias=bias, classes=np.arange(n_classes), sample_weight=weight
    )
    return curve, (truth, proba, bias, weight)


@pytest.mark.parametrize("guess", ["uniform", "prior", [0.2, 0.5, 0.3]])
def test_measures_agree_with_the_measures_of_the_library(guess: object) -> None:
    curve, (truth, proba, bias, weight) = random_curve(0, 3)
    names = {
        "accuracy": "selective_accuracy",
        "error": "error",
        "efficacy": "efficacy",
        "f_score": "coverage_f",
        "capacity": "capacity",
    }
    answered = np.flatnonzero(curve.abstention < 1)
    assert len(answered) > 10
    for state in answered:
        sets = bias_window_rule(proba, bias, curve.window[state])
        counts = SetCounts.from_predictions(truth, sets, classes=range(3), sample_weight=weight)
        for name, theirs in names.items():
            params = {"guess": guess} if name == "capacity" else {}
            ours = curve.measure(name, guess=guess)[state]
            assert ours == pytest.approx(MEASURES[theirs].score(counts, **params)), name


def test_cost_is_the_sum_of_the_matrix_product() -> None:
    # Section 5: R(i, j) = M(i, j) × L(i, j), with rewards on the diagonal.
    costs = np.array([[-2.5, 4, 2], [2.1, -3.5, 0], [1.2, 1.3, -4], [0.5, 0.1, 0.2]])
    curve, (truth, proba, bias, weight) = random_curve(1, 3)
    cost = curve.measure("cost", costs=costs)
    for state, window in enumerate(curve.window):
        sets = bias_window_rule(proba, bias, window)
        matrix = cautious_confusion_matrix(truth, sets, classes=range(3), sample_weight=weight)
        assert cost[state] == pytest.approx((matrix.to_numpy() * costs).sum() / weight.sum())
    assert curve.best_window(costs=costs).value == cost.min()


def test_area_of_cost_and_capacity_end_where_everything_is_silent() -> None:
    curve = tree()
    level = np.append(curve.abstention, 1)
    silent_cost = (2 * 40 + 3 * 60) / 100
    for name, end, params in (
        ("cost", silent_cost, {"costs": SPAM_COSTS}),
        ("capacity", 0.75, {}),
        ("efficacy", 0.5, {}),
        ("f_score", 0.0, {}),
    ):
        values = np.append(curve.measure(name, **params), end)
        assert curve.area(name, **params) == pytest.approx(trapezoid(values, level)), name


def test_best_window_within_a_budget() -> None:
    curve = tree()
    free = curve.best_window("error")
    assert (free.abstention, free.value) == (0.46, 0.01)  # .76 errs as much
    assert curve.best_window("error", max_abstention=0.09).abstention == 0.09
    assert curve.best_window("accuracy", max_abstention=0).window == 0
    with pytest.raises(ValueError, match="max_abstention is"):
        curve.best_window("error", max_abstention=1.5)


def test_best_window_with_all_the_bias_on_one_class() -> None:
    # The threshold of that class stays at 1, so it does not blur the others.
    proba = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.3, 0.7]])
    curve = ResponseCurve.from_predictions(list("aabb"), proba, bias=[0, 1])
    best = curve.best_window(costs=[[0, 10], [10, 0], [1, 1]])
    assert (best.low, best.high, best.value) == (0.6, 0.8, 0.5)
    answered = bias_window_rule(proba, [0, 1], best.window).sum(axis=1) == 1
    assert answered.tolist() == [True, True, False, False]


def test_best_window_passes_over_states_that_rounding_hides() -> None:
    # Between these two probabilities lie windows, but none that the rule could tell from others.
    curve = ResponseCurve.from_predictions([1, 0], [[0.6, 0.4], [0.6 + 1e-13, 0.4 - 1e-13]])
    assert len(curve.states) == 3
    assert curve.measure("accuracy")[1] == 1
    assert curve.best_window("accuracy").abstention == 0


def test_one_class_only() -> None:
    curve = ResponseCurve.from_predictions(["x", "x"], [[0.9, 0.1], [0.3, 0.7]], classes=["x", "y"])
    assert curve.measure("accuracy")[0] == 0.5
    assert np.isnan(curve.measure("auc")).all()
    with pytest.warns(UndefinedMetricWarning, match="auc is undefined"):
        assert np.isnan(curve.area("auc"))
    with pytest.raises(ValueError, match="undefined for every window"):
        curve.best_window("auc")
    with pytest.raises(ValueError, match="only the class"):
        ResponseCurve.from_predictions(["x"], [[1.0]])


def test_nothing_answered_is_undefined_without_an_exception() -> None:
    curve = ResponseCurve.from_predictions([0, 1], [[0.5, 0.5], [0.5, 0.5]])
    assert curve.abstention.tolist() == [0, 1]
    assert curve.states.high.tolist() == [0, 1]
    for name in ("accuracy", "efficacy", "f_score", "auc"):
        assert np.isnan(curve.measure(name)[1]), name
    assert curve.measure("error")[1] == 0
    assert curve.area("accuracy") == pytest.approx(0.75)


def test_fractional_weights_leave_exactly_nothing_at_the_end() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(1000)
    curve = ResponseCurve.from_predictions(
        rng.integers(2, size=1000), np.c_[1 - p, p], sample_weight=rng.random(1000)
    )
    assert curve.abstention[-1] == 1
    assert np.isnan(curve.measure("accuracy")[-1])
    assert curve.measure("error")[-1] == 0
    # The last case standing is right or wrong, not something between.
    assert curve.measure("accuracy")[-2] in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_proba": [[0.5, 0.6], [0.5, 0.5]]}, "adds up to 1.1 in row 0"),
        ({"y_proba": np.full((2, 3), 1 / 3)}, "3 columns but y_true holds 2 different labels"),
        ({"classes": ["n", "p", "q"]}, "2 columns but classes holds 3 different labels"),
        ({"classes": ["n", "q"]}, "'p' in row 1"),
        ({"sample_weight": [0, 0]}, "no case of positive weight"),
        ({"bias": [0.5, 0.6]}, "must add up to 1"),
        ({"bias": [1.5, -0.5]}, "must not be negative"),
        ({"bias": [0.2, 0.3, 0.5]}, "bias has shape"),
    ],
)
def test_bad_input(arguments: dict, message: str) -> None:
    good = {"y_true": ["n", "p"], "y_proba": [[0.7, 0.3], [0.4, 0.6]]}
    with pytest.raises(ValueError, match=message):
        ResponseCurve.from_predictions(**(good | arguments))


def test_bad_names_guesses_and_costs() -> None:
    with pytest.raises(ValueError, match="name is 'acuracy'"):
        tree().measure("acuracy")
    with pytest.raises(ValueError, match="guess is 'often'"):
        tree().measure("capacity", guess="often")
    with pytest.raises(ValueError, match=r"guess adds up to 1\.1"):
        tree().measure("capacity", guess=[0.5, 0.6])
    for costs, message in ((None, "costs is None"), ([[0, 1], [1, 0]], r"shape \(3, 2\)")):
        with pytest.raises(ValueError, match=message):
            tree().measure("cost", costs=costs)


def test_estimators_that_cannot_serve() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        ResponseCurve.from_estimator(LinearSVC().fit(X, y), X, y)


def test_a_class_called_as_abstaining_is() -> None:
    curve = ResponseCurve.from_predictions(
        ["⊤", "⊥", "⊥"], [[0.9, 0.1], [0.4, 0.6], [0.55, 0.45]], classes=["⊤", "⊥"]
    )
    table = curve.confusion_matrix(0.25)
    assert table.index.tolist() == ["⊤", "⊥", "⊥′"]
    assert table.to_numpy().sum() == 3


def test_bands() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    p = rng.dirichlet(np.ones(3), size=200) + 0.8 * np.eye(3)[y]
    curve = ResponseCurve.from_predictions(y, p / p.sum(axis=1, keepdims=True))
    costs = [[0, 2, 4], [1, 0, 3], [5, 2, 0], [1, 1, 1.0]]
    for name in curve.banded:
        given = {"costs": costs} if name == "cost" else {}
        band = curve.band(name, confidence_level=0.9, n_points=30, **given)
        assert len(band) in (29, 30)  # where nothing is answered there is no accuracy
        for row in band.to_dict("records"):
            table = curve.confusion_matrix(row["window"]).to_numpy()
            right, answered = int(np.trace(table)), int(table[:-1].sum())
            if name == "cost":
                each = np.repeat(np.ravel(costs), table.ravel().astype(int))
                half = stats.t.ppf(0.95, 199) * stats.sem(each)
                ends = each.mean() - half, each.mean() + half
            else:
                pair = (right, answered) if name == "accuracy" else (answered - right, 200)
                ends = tuple(stats.binomtest(*pair).proportion_ci(0.9, "exact"))
            assert (row["low"], row["high"]) == pytest.approx(ends)
            assert row["low"] <= row[name] <= row["high"]
    with pytest.raises(ValueError, match="there are bands of 'accuracy', 'error', 'cost'"):
        curve.band("auc")
    with pytest.raises(TypeError, match="n_points is 'many'"):
        curve.band(n_points="many")


def test_a_frame_of_one_measure():
    curve = ResponseCurve.from_predictions(["a", "b", "a"], [[0.9, 0.1], [0.3, 0.7], [0.4, 0.6]])
    pd.testing.assert_frame_equal(curve.frame("auc"), curve.frame(["auc"]))
    with pytest.raises(ValueError, match="name is 'auk'"):
        curve.frame("auk")
