"""Risk–coverage curves: conventions, ties, working points."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_validate

from cautious.curves.risk_coverage import RiskCoverageCurve
from cautious.metrics import augrc_score, aurc_score


def random_case(seed: int, n: int = 30) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(n).round(1)
    loss = rng.choice([0.0, 1.0], size=n) if seed % 2 else rng.random(n).round(1)
    return loss, confidence, rng.choice([1.0, 2.0, 3.0], size=n)


def naive_risk(loss: np.ndarray, confidence: np.ndarray, weight: np.ndarray, c: float) -> float:
    """Selective risk at a coverage, case by case: whole blocks, then a share of the last one."""
    room, lost = c * weight.sum(), 0.0
    for value in sorted(set(confidence), reverse=True):
        block = confidence == value
        size = weight[block].sum()
        taken = min(room, size)
        lost += taken * (weight[block] @ loss[block]) / size
        room -= taken
    return lost / (c * weight.sum())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 1))
def test_risk_at_coverage_against_a_loop(seed: int, coverage: float) -> None:
    loss, confidence, weight = random_case(seed)
    curve = RiskCoverageCurve.from_losses(loss, confidence, sample_weight=weight)
    expected = naive_risk(loss, confidence, weight, coverage)
    assert curve.risk_at_coverage(coverage) == pytest.approx(expected)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_areas_against_numerical_integration(seed: int) -> None:
    loss, confidence, weight = random_case(seed, n=12)
    curve = RiskCoverageCurve.from_losses(loss, confidence, sample_weight=weight)
    breaks = curve.coverage[:-1].tolist()
    aurc = quad(lambda c: naive_risk(loss, confidence, weight, c), 0, 1, points=breaks, limit=200)
    augrc = quad(
        lambda c: c * naive_risk(loss, confidence, weight, c), 0, 1, points=breaks, limit=200
    )
    assert curve.aurc == pytest.approx(aurc[0], abs=1e-7)
    assert curve.augrc == pytest.approx(augrc[0], abs=1e-7)


def test_ties_are_the_mean_over_all_orders() -> None:
    loss, confidence = np.array([0.0, 1.0, 0.0, 1.0, 1.0]), np.array([0.9, 0.9, 0.9, 0.5, 0.5])
    curve = RiskCoverageCurve.from_losses(loss, confidence)
    risks = np.zeros((5,))
    orders = [[*first, *last] for first in permutations([0, 1, 2]) for last in permutations([3, 4])]
    for order in orders:
        risks += np.cumsum(loss[order]) / np.arange(1, 6) / len(orders)
    np.testing.assert_allclose(curve.risk_at_coverage(np.arange(1, 6) / 5), risks)
    # Distinct confidences in any of those orders average to the area of the blocks.
    areas = [
        RiskCoverageCurve.from_losses(loss[order], np.arange(5, 0, -1.0)).augrc for order in orders
    ]
    assert np.mean(areas) == pytest.approx(curve.augrc)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_order_of_rows_weights_and_merging(seed: int) -> None:
    loss, confidence, weight = random_case(seed)
    curve = RiskCoverageCurve.from_losses(loss, confidence, sample_weight=weight)
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(30), weight.astype(int)))
    again = RiskCoverageCurve.from_losses(loss[rows], confidence[rows])
    assert again.aurc == pytest.approx(curve.aurc)
    assert again.augrc == pytest.approx(curve.augrc)
    first = RiskCoverageCurve.from_losses(loss[:11], confidence[:11], sample_weight=weight[:11])
    rest = RiskCoverageCurve.from_losses(loss[11:], confidence[11:], sample_weight=weight[11:])
    for merged in (first + rest, rest + first):
        np.testing.assert_allclose(merged.frame(), curve.frame())
        assert merged.aurc == pytest.approx(curve.aurc)
    with pytest.raises(TypeError):
        first + 1


def test_best_confidence_possible() -> None:
    loss = np.array([1, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    confidence = np.linspace(1, 0, 10)
    curve = RiskCoverageCurve.from_losses(loss, confidence)
    e = 0.3
    # For 0/1 losses the optima have closed forms, exact under this convention.
    assert curve.optimal.aurc == pytest.approx(e + (1 - e) * np.log(1 - e))
    assert curve.optimal.augrc == pytest.approx(e**2 / 2)
    assert curve.excess_aurc == pytest.approx(curve.aurc - curve.optimal.aurc)
    assert RiskCoverageCurve.from_losses(loss, -loss).excess_aurc == 0
    assert RiskCoverageCurve.from_losses(loss, -loss).excess_augrc == 0
    # AUGRC and the AUROC of failure detection say the same: Traub et al. (2024).
    auroc = roc_auc_score(1 - loss, confidence)
    assert curve.augrc == pytest.approx((1 - auroc) * e * (1 - e) + e**2 / 2)
    assert curve.excess_augrc == pytest.approx((1 - auroc) * e * (1 - e))


def geifman(loss: np.ndarray, confidence: np.ndarray) -> float:
    order = np.argsort(-confidence, kind="stable")
    return float(np.mean(np.cumsum(loss[order]) / np.arange(1, len(loss) + 1)))


def torch_uncertainty(loss: np.ndarray, confidence: np.ndarray) -> float:
    n = len(loss)
    order = np.argsort(-confidence, kind="stable")
    risk = np.cumsum(loss[order]) / np.arange(1, n + 1)
    return float(np.sum((risk[1:] + risk[:-1]) / 2) / n / (1 - 1 / n))


def fd_shifts(loss: np.ndarray, confidence: np.ndarray) -> float:
    curve = RiskCoverageCurve.from_losses(loss, confidence)
    coverage, risk = np.append(0, curve.coverage), curve.selective_risk
    risk = np.append(risk[:1], risk)
    return float(1000 * np.sum(np.diff(coverage) * (risk[1:] + risk[:-1]) / 2))


def test_conventions_of_other_libraries_agree_without_ties_and_part_with_them() -> None:
    rng = np.random.default_rng(0)
    n = 5000
    confidence = rng.random(n)
    loss = (rng.random(n) > confidence).astype(float)
    ours = RiskCoverageCurve.from_losses(loss, confidence).aurc
    assert geifman(loss, confidence) == pytest.approx(ours, abs=0.01)
    assert torch_uncertainty(loss, confidence) == pytest.approx(ours, abs=0.01)
    assert fd_shifts(loss, confidence) / 1000 == pytest.approx(ours, abs=0.01)
    coarse = confidence.round(1)
    ours = RiskCoverageCurve.from_losses(loss, coarse).aurc
    # Sorted so that right answers come first within ties, the row order flatters.
    flattering = np.argsort(loss, kind="stable")
    hostile = flattering[::-1]
    assert geifman(loss[flattering], coarse[flattering]) < ours - 0.005
    assert geifman(loss[hostile], coarse[hostile]) > ours + 0.005
    for order in (flattering, hostile):
        assert RiskCoverageCurve.from_losses(loss[order], coarse[order]).aurc == pytest.approx(ours)


def test_scikit_fallback_draws_accuracy_at_the_same_thresholds() -> None:
    skfb = pytest.importorskip("skfb.metrics")
    rng = np.random.default_rng(1)
    p = rng.permutation(np.linspace(0.51, 0.99, 60))
    proba = np.c_[1 - p, p]
    truth = (rng.random(60) < p).astype(int)
    theirs = skfb.fallback_quality_curve(
        truth, proba, min_fallback_rate=0.0, max_fallback_rate=1.0, raise_warning=False
    )
    # It ranks the *sorted* confidences against unsorted cases, so only its rates can be compared.
    ours = RiskCoverageCurve.from_predictions(truth, proba)
    np.testing.assert_allclose(1 - ours.coverage[::-1], theirs.fallback_rates)
    np.testing.assert_allclose(ours.threshold[::-1], theirs.thresholds)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 1))
def test_coverage_at_risk_is_the_last_point_of_the_curve_under_the_bound(
    seed: int, bound: float
) -> None:
    loss, confidence, weight = random_case(seed)
    curve = RiskCoverageCurve.from_losses(loss, confidence, sample_weight=weight)
    found = curve.coverage_at_risk(bound)
    if found > 0:
        assert curve.risk_at_coverage(found) <= bound + 1e-9
    beyond = np.linspace(found, 1, 400)[1:]
    beyond = beyond[beyond > found + 1e-9]
    assert (curve.risk_at_coverage(beyond) > bound - 1e-9).all()
    # By thresholds alone:
    table = curve.frame()
    allowed = table[table["selective_risk"] <= bound]
    point = curve.threshold_at_risk(bound)
    if len(allowed):
        assert point.coverage == allowed["coverage"].max()
        assert point.coverage <= found + 1e-12
        kept = confidence >= point.threshold
        assert np.average(loss[kept], weights=weight[kept]) == pytest.approx(point.risk)
    else:
        assert point[:2] == (np.inf, 0)
        assert np.isnan(point.risk)


def test_working_points_by_hand() -> None:
    curve = RiskCoverageCurve.from_losses([0, 0, 1, 1], [0.9, 0.7, 0.7, 0.5])
    # In the last block the loss is 1: (.25 + x) / (.75 + x) = .4 at x = 1/12.
    assert curve.coverage_at_risk(0.4) == pytest.approx(0.75 + 1 / 12)
    assert curve.coverage_at_risk(0.5) == 1
    assert curve.coverage_at_risk(0) == 0.25
    assert curve.threshold_at_coverage(0.3) == (0.7, 0.75, pytest.approx(1 / 3))
    assert curve.threshold_at_coverage(0).coverage == 0.25
    assert curve.threshold_at_coverage(1).threshold == 0.5
    assert curve.risk_at_coverage([0.25, 0.5, 1]) == pytest.approx([0, 0.25, 0.5])


def test_constant_confidence_is_one_block() -> None:
    curve = RiskCoverageCurve.from_losses([0, 1, 1, 0], [0.7] * 4)
    assert len(curve.frame()) == 1
    assert curve.aurc == 0.5
    assert curve.augrc == 0.25
    assert curve.risk_at_coverage(0.1) == pytest.approx(0.5)
    assert curve.coverage_at_risk(0.4) == 0
    assert curve.coverage_at_risk(0.5) == 1


def test_infinite_confidence_is_as_sure_as_it_gets() -> None:
    curve = RiskCoverageCurve.from_losses([0, 1, 0], [np.inf, -np.inf, 2])
    assert curve.threshold.tolist() == [np.inf, 2, -np.inf]
    assert curve.selective_risk.tolist() == [0, 0, pytest.approx(1 / 3)]


def test_coverage_zero_is_undefined() -> None:
    curve = RiskCoverageCurve.from_losses([0, 1], [0.9, 0.6])
    with pytest.warns(UndefinedMetricWarning, match="coverage 0"):
        risk = curve.risk_at_coverage([0, 1])
    np.testing.assert_array_equal(risk, [np.nan, 0.5])


def test_from_predictions_estimators_and_measures() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(X, y)
    proba = model.predict_proba(X)
    curve = RiskCoverageCurve.from_estimator(model, X, y)
    assert curve.aurc == pytest.approx(aurc_score(y, proba))
    assert curve.augrc == pytest.approx(augrc_score(y, proba))
    assert curve.selective_risk[-1] == pytest.approx(1 - model.score(X, y))
    margin = np.sort(proba, axis=1)[:, -1] - np.sort(proba, axis=1)[:, -2]
    other = RiskCoverageCurve.from_predictions(
        y, proba, confidence=margin, loss=-np.log(proba[np.arange(150), y])
    )
    assert other.selective_risk[-1] == pytest.approx(-np.log(proba[np.arange(150), y]).mean())
    results = cross_validate(
        LogisticRegression(max_iter=500), X, y, cv=3, return_estimator=True, return_indices=True
    )
    pooled = RiskCoverageCurve.from_cv_results(results, X, y)
    weight = [len(part) for part in results["indices"]["test"]]
    assert 1 - pooled.selective_risk[-1] == pytest.approx(
        np.average(results["test_score"], weights=weight)
    )


@pytest.mark.parametrize(
    ("loss", "confidence", "weight", "message"),
    [
        ([0, 1], [0.5, np.nan], None, "confidence is NaN in row 1"),
        ([0, np.inf], [0.5, 0.6], None, "loss is inf in row 1"),
        ([0, 1, 1], [0.5, 0.6], None, "shape"),
        ([0, 1], [0.5, 0.6], [0, 0], "no example of positive weight"),
        ([], [], None, "no example of positive weight"),
    ],
)
def test_bad_input(loss: list, confidence: list, weight: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RiskCoverageCurve.from_losses(loss, confidence, sample_weight=weight)


def test_bad_questions() -> None:
    curve = RiskCoverageCurve.from_losses([0, 1], [0.9, 0.6])
    for coverage in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="coverage is"):
            curve.risk_at_coverage(coverage)
    with pytest.raises(ValueError, match="risk is nan"):
        curve.coverage_at_risk(np.nan)
    with pytest.raises(ValueError, match="give a single number"):
        curve.threshold_at_risk([0.1, 0.2])
    with pytest.raises(ValueError, match=r"risk is '0.1'; give a single number"):
        curve.threshold_at_risk("0.1")
    for ask in (curve.coverage_at_risk, curve.threshold_at_risk):
        with pytest.raises(ValueError, match=r"risk is -0.1, but no loss is negative"):
            ask(-0.1)
    # Where answers can earn something, a negative risk is a fair demand.
    assert RiskCoverageCurve.from_losses([-1, 1], [0.9, 0.6]).coverage_at_risk(-0.5) > 0.5


def test_errors_call_the_probabilities_by_their_name() -> None:
    with pytest.raises(ValueError, match="y_proba is NaN in row 1"):
        RiskCoverageCurve.from_predictions([0, 1], [[0.5, 0.5], [np.nan, 0.5]])
    with pytest.raises(ValueError, match="y_proba is about 3 classes but y_true holds 2"):
        RiskCoverageCurve.from_predictions([0, 1], [[0.5, 0.25, 0.25]] * 2)
