"""Risk–coverage curves: brute force, conventions of other libraries, ties, working points."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from cautious._cases import Cases
from cautious._checks import check_probabilities
from cautious.curves import RiskCoverageCurve
from cautious.metrics import MEASURES, augrc_score, aurc_score

of_losses = RiskCoverageCurve.from_losses


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


@st.composite
def answered(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    loss = rng.integers(0, draw(st.sampled_from([2, 4])), size=n).astype(float)
    return (
        loss,
        rng.integers(0, draw(st.sampled_from([2, 4, 100])), size=n) / 8,
        rng.random(n) + 0.1,
    )


@given(cases=answered())
def test_areas_are_the_integrals_they_claim_to_be(cases) -> None:
    loss, confidence, weight = cases
    found = of_losses(loss, confidence, sample_weight=weight)
    total = weight.sum()
    c, g = [0.0], [0.0]
    for threshold in sorted(set(confidence), reverse=True):
        kept = confidence >= threshold
        c.append(weight[kept].sum() / total)
        g.append((weight * loss)[kept].sum() / total)
    assert np.allclose(found.threshold, sorted(set(confidence), reverse=True))
    assert np.allclose(found.coverage, c[1:])
    assert np.allclose(found.generalised_risk, g[1:])
    assert np.allclose(found.selective_risk, np.divide(g[1:], c[1:]))
    assert found.coverage[-1] == 1
    pieces = list(pairwise(c))
    aurc = sum(quad(lambda x: np.interp(x, c, g) / x, a, b)[0] for a, b in pieces)
    augrc = sum(quad(lambda x: np.interp(x, c, g), a, b)[0] for a, b in pieces)
    assert found.aurc == pytest.approx(aurc, abs=1e-9)
    assert found.augrc == pytest.approx(augrc, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 1))
def test_risk_at_coverage_against_a_loop(seed: int, coverage: float) -> None:
    loss, confidence, weight = random_case(seed)
    curve = of_losses(loss, confidence, sample_weight=weight)
    expected = naive_risk(loss, confidence, weight, coverage)
    assert curve.risk_at_coverage(coverage) == pytest.approx(expected)


def test_ties_are_the_mean_over_all_orders() -> None:
    loss, confidence = np.array([0.0, 1.0, 0.0, 1.0, 1.0]), np.array([0.9, 0.9, 0.9, 0.5, 0.5])
    curve = of_losses(loss, confidence)
    risks = np.zeros((5,))
    orders = [[*first, *last] for first in permutations([0, 1, 2]) for last in permutations([3, 4])]
    for order in orders:
        risks += np.cumsum(loss[order]) / np.arange(1, 6) / len(orders)
    np.testing.assert_allclose(curve.risk_at_coverage(np.arange(1, 6) / 5), risks)
    # Distinct confidences in any of those orders average to the area of the blocks.
    areas = [of_losses(loss[order], np.arange(5, 0, -1.0)).augrc for order in orders]
    assert np.mean(areas) == pytest.approx(curve.augrc)


@given(cases=answered())
def test_augrc_follows_from_the_roc_curve(cases) -> None:
    """Traub et al. (2024): (1 − AUROC)·e·(1 − e) + e²/2, ties counted half."""
    loss, confidence, weight = cases
    wrong = (loss > 0).astype(float)
    found = of_losses(wrong, confidence, sample_weight=weight)
    e = (weight @ wrong) / weight.sum()
    assert found.optimal.augrc == pytest.approx(e**2 / 2)
    ideal = e + (1 - e) * np.log(1 - e) if e < 1 else 1.0
    assert found.optimal.aurc == pytest.approx(ideal)
    if 0 < wrong.sum() < len(wrong):
        auroc = roc_auc_score(1 - wrong, confidence, sample_weight=weight)
        assert found.augrc == pytest.approx((1 - auroc) * e * (1 - e) + e**2 / 2)


@given(cases=answered(), seed=st.integers(0, 10**6))
def test_no_confidence_beats_the_oracle(cases, seed: int) -> None:
    loss, confidence, weight = cases
    best = of_losses(loss, confidence, sample_weight=weight).optimal
    other = of_losses(
        loss, np.random.default_rng(seed).permutation(confidence), sample_weight=weight
    )
    assert best.aurc <= other.aurc + 1e-12
    assert best.augrc <= other.augrc + 1e-12


def test_best_confidence_possible() -> None:
    loss = np.array([1, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    curve = of_losses(loss, np.linspace(1, 0, 10))
    assert curve.excess_aurc == pytest.approx(curve.aurc - curve.optimal.aurc)
    assert of_losses(loss, -loss).excess_aurc == 0
    assert of_losses(loss, -loss).excess_augrc == 0
    sorted_well = RiskCoverageCurve.from_predictions([0, 1, 1], [0.1, 0.8, 0.45])
    for name in ("excess_aurc", "excess_augrc"):
        assert MEASURES[name].score(sorted_well) == pytest.approx(0)
        assert MEASURES[name].score(curve) == pytest.approx(getattr(curve, name))


def test_only_the_order_of_confidence_matters() -> None:
    loss, confidence = [0, 1, 0, 1], np.array([0.9, 0.8, 0.8, 0.1])
    plain = of_losses(loss, confidence)
    stretched = of_losses(loss, np.where(confidence == 0.1, -np.inf, 10 * confidence))
    assert plain.aurc == stretched.aurc
    assert of_losses(loss, np.zeros(4)).coverage.tolist() == [1]


def test_conventions_of_other_libraries() -> None:
    """What the docstring of aurc_score says of the same three cases, recomputed from each rule."""
    cases = (["a", "b", "b"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    risks = np.array([0, 1 / 2, 1 / 3])  # at coverages 1/3, 2/3, 1
    trapezia = ((risks[1:] + risks[:-1]) / 2 / 3).sum()
    assert risks.mean() == pytest.approx(0.2778, abs=1e-4)
    assert trapezia / (1 - 1 / 3) == pytest.approx(0.3333, abs=1e-4)
    assert 1000 * (trapezia + risks[0] / 3) == pytest.approx(222.2, abs=0.1)
    assert risks.sum() == pytest.approx(0.8333, abs=1e-4)
    ours = 1 / 3 + (1 / 3) * (0 - 1) * np.log(2) + (2 / 3) * (1 / 2 - 0) * np.log(3 / 2)
    assert aurc_score(*cases) == pytest.approx(ours)
    for name in ("torch-uncertainty", "fd-shifts", ".2778, .3333, 222.2 and .8333", ".2374"):
        assert name in aurc_score.__doc__


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


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_coverage_at_risk_is_the_last_point_of_the_curve_under_the_bound(
    seed: int, bound: float
) -> None:
    loss, confidence, weight = random_case(seed)
    curve = of_losses(loss, confidence, sample_weight=weight)
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


def test_infinite_confidence_is_as_sure_as_it_gets() -> None:
    curve = of_losses([0, 1, 0], [np.inf, -np.inf, 2])
    assert curve.threshold.tolist() == [np.inf, 2, -np.inf]
    assert curve.selective_risk.tolist() == [0, 0, pytest.approx(1 / 3)]


def test_coverage_zero_is_undefined() -> None:
    curve = of_losses([0, 1], [0.9, 0.6])
    with pytest.warns(UndefinedMetricWarning, match="coverage 0"):
        risk = curve.risk_at_coverage([0, 1])
    np.testing.assert_array_equal(risk, [np.nan, 0.5])


def test_answers_and_confidences_from_scores() -> None:
    p = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    found = RiskCoverageCurve.from_predictions(["b", "b", "c"], p, classes=["a", "b", "c"])
    assert found.confidence.tolist() == [0.8, 0.5, 0.4]
    assert found.loss.tolist() == [0, 0, 1]  # the tie between a and b goes to a
    one_column = aurc_score([0, 1, 1], [0.2, 0.5, 0.9])
    assert one_column == aurc_score([0, 1, 1], [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]])
    own = aurc_score(["b", "b", "c"], p, classes=["a", "b", "c"], confidence=[1, 2, 3])
    assert own == pytest.approx(of_losses([0, 1, 0], [1, 2, 3]).aurc)
    margin = aurc_score(["b", "b", "c"], p, classes=["a", "b", "c"], loss=[0.5, 1, 0])
    assert margin == pytest.approx(of_losses([0.5, 1, 0], [0.5, 0.4, 0.8]).aurc)
    alone = augrc_score(["b", "b", "c"], confidence=[1, 2, 3], loss=[0, 1, 0])
    assert alone == pytest.approx(of_losses([0, 1, 0], [1, 2, 3]).augrc)


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


def test_probabilities_of_low_precision_are_divided_by_their_sum_as_everywhere() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), 200).astype(np.float16)
    truth = rng.integers(5, size=200)
    settled = check_probabilities(p)
    assert (settled != p).any()
    curve = RiskCoverageCurve.from_predictions
    assert curve(truth, p) == curve(truth, settled)
    logits = np.log(p + np.float16(0.01))
    assert curve(truth, logits) == curve(truth, logits.astype(np.float64))


def test_nothing_at_all_adds_nothing() -> None:
    some = of_losses([0, 1], [0.9, 0.6])
    nothing = some.reweighted(np.zeros(2)).merge()[0]
    assert np.isnan(nothing.aurc)
    assert np.isnan(nothing.augrc)
    assert nothing.coverage.shape == (0,)
    assert nothing + nothing == nothing
    assert nothing + some == some


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: of_losses([0, 1], [0.5]), r"loss has shape \(2,\); expected \(1,\)"),
        (lambda: of_losses([[0]], [[1]]), r"confidence has shape \(1, 1\); expected \(1,\)"),
        (lambda: of_losses([0, 1], [0.5, np.nan]), "confidence is NaN in row 1"),
        (lambda: of_losses([0, np.inf], [0.5, 0.6]), r"loss\[1\] is inf"),
        (lambda: of_losses([0, 1], [0.5, 0.6], sample_weight=[0, 0]), "no case of positive weight"),
        (lambda: of_losses([], []), "no case of positive weight"),
        (lambda: aurc_score([0, 1], [0.5, 1.2]), r"y_score is 1\.2 in row 1"),
        (lambda: aurc_score([0, 1], [[0.5, np.nan], [1, 0]]), "y_score is NaN in row 0"),
        (lambda: aurc_score([0, 1], np.ones((2, 3))), "y_score is about 3 classes but y_true"),
        (lambda: aurc_score([1, 1], [0.5, 0.6]), "pass classes="),
        (lambda: aurc_score([0, 1], np.ones((2, 2, 2))), r"y_score has shape \(2, 2, 2\)"),
        (lambda: aurc_score([0, 1], np.ones((2, 0))), r"y_score has shape \(2, 0\)"),
        (lambda: aurc_score([0, 1], [[0.5, 0.5]]), "y_true has 2 rows and y_score has 1"),
        (lambda: aurc_score([0, 1]), "y_score is None; give it, or both confidence= and loss="),
        (lambda: aurc_score([0, 1], [0.1, 0.9], loss=[0]), r"loss has shape \(1,\)"),
    ],
)
def test_bad_input(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_bad_questions() -> None:
    curve = of_losses([0, 1], [0.9, 0.6])
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
    assert of_losses([-1, 1], [0.9, 0.6]).coverage_at_risk(-0.5) > 0.5


def test_the_class_of_a_single_column_is_never_guessed_from_the_alphabet() -> None:
    truth, p_bad = ["bad", "good", "bad"], [0.9, 0.2, 0.6]
    with pytest.raises(ValueError, match="pos_label"):
        aurc_score(truth, p_bad)
    assert aurc_score(truth, p_bad, pos_label="bad") == 0
    assert aurc_score(truth, p_bad, classes=["good", "bad"]) == 0
    assert aurc_score(truth, p_bad, pos_label="good") == 1
    assert aurc_score(["no", "yes", "no"], [0.1, 0.8, 0.4]) == 0


@pytest.mark.parametrize("scale", [1, 0.1, 1 / 3, 7e-9])
def test_bounds_that_are_met_exactly_are_met(scale: float) -> None:
    """Every threshold's own risk and coverage, as fractions, lead back to it."""
    point = of_losses([0, 0, 1, 1, 1], [5, 4, 3, 2, 1]).threshold_at_risk(1 / 3)
    assert point == (3, 0.6, 1 / 3)
    rng = np.random.default_rng(0)
    for n in range(2, 40):
        loss = rng.integers(0, 2, size=n)
        curve = of_losses(scale * loss, np.arange(n, 0, -1), sample_weight=np.full(n, scale))
        for k, lost in enumerate(np.cumsum(loss), 1):
            bound = scale * (lost / k)
            assert curve.threshold_at_risk(bound).coverage >= k / n - 1e-12
            assert curve.coverage_at_risk(bound) >= k / n - 1e-12
            assert curve.threshold_at_coverage(k / n).threshold == n - k + 1


def test_curves_print_shortly() -> None:
    rng = np.random.default_rng(0)
    curve = of_losses(rng.random(5000) < 0.2, rng.random(5000))
    assert repr(curve).startswith("RiskCoverageCurve(n=5000, thresholds=5000, aurc=0.")
    assert len(repr(curve)) < 100
    assert curve._repr_html_().count("<tr") == 11
    rows = curve.reweighted(np.ones((3, 5000)))
    assert repr(rows) == "RiskCoverageCurve(n=[5000.0, 5000.0, 5000.0], thresholds=5000)"


def test_bands_are_exact_for_losses_of_0_and_1():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    score = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1)))
    curve = RiskCoverageCurve.from_predictions(y, score)
    band = curve.band(confidence_level=0.9, n_points=50)
    assert len(band) <= 50
    assert band["coverage"].iloc[-1] == 1
    confidence = np.maximum(score, 1 - score)
    for row in band.to_dict("records"):
        kept = confidence >= row["threshold"]
        wrong = int(((score >= 0.5) != y)[kept].sum())
        for name, among in (("selective_risk", int(kept.sum())), ("generalised_risk", 300)):
            exact = stats.binomtest(wrong, among).proportion_ci(0.9, "exact")
            assert row[name] == pytest.approx(wrong / among)
            assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(tuple(exact))
    assert len(curve.band(n_points=10_000)) == len(curve.threshold)
    with pytest.raises(ValueError, match="confidence_level is 95"):
        curve.band(confidence_level=95)
    with pytest.raises(TypeError, match=r"n_points is 2\.5"):
        curve.band(n_points=2.5)


def test_bands_of_other_losses_are_t_intervals():
    rng = np.random.default_rng(1)
    loss, confidence = rng.exponential(size=40), rng.random(40)
    curve = RiskCoverageCurve.from_losses(loss, confidence)
    row = curve.band().iloc[-1]
    ends = stats.t.interval(0.95, 39, loss.mean(), stats.sem(loss))
    assert (row["selective_risk_low"], row["selective_risk_high"]) == pytest.approx(ends)
    assert curve.band()["selective_risk_high"].iloc[0] == np.inf
    tenth = curve.band().iloc[9]
    lost = np.where(np.argsort(np.argsort(-confidence)) < 10, loss, 0.0)
    ends = stats.t.interval(0.95, 39, lost.mean(), stats.sem(lost))
    assert (tenth["generalised_risk_low"], tenth["generalised_risk_high"]) == pytest.approx(ends)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 5, 300])
def test_checked_cases_give_the_curve_of_their_arrays(k, weighted):
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, 400)
    proba = rng.dirichlet(np.ones(k), 400).round(2)
    weight = rng.integers(0, 3, 400).astype(float) if weighted else None
    labels = np.arange(k)
    cases = Cases.of_codes(labels, truth, y_proba=proba, sample_weight=weight)
    given = {"classes": labels, "sample_weight": weight}
    expected = RiskCoverageCurve.from_predictions(truth, proba, **given)
    assert RiskCoverageCurve.of(cases) == expected
    cells = list(zip(-expected.confidence, expected.loss, expected.truth, strict=True))
    assert cells == sorted(set(cells))
