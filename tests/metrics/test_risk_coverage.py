"""Risk and coverage: brute force, the ROC identity, and other libraries' conventions."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import roc_auc_score

from cautious.metrics import (
    RiskCoverage,
    augrc_score,
    aurc_score,
    excess_augrc_score,
    excess_aurc_score,
    risk_coverage,
)
from cautious.sets import check_probabilities


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


@settings(max_examples=40, deadline=None)
@given(cases=answered())
def test_areas_are_the_integrals_they_claim_to_be(cases) -> None:
    loss, confidence, weight = cases
    found = risk_coverage(loss, confidence, sample_weight=weight)
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
    assert found.aurc() == pytest.approx(aurc, abs=1e-9)
    assert found.augrc() == pytest.approx(augrc, abs=1e-9)


def test_inside_a_tie_the_line_is_the_expected_risk() -> None:
    """The mean over all orders of tied cases lies on the straight line between block ends."""
    loss, confidence = np.array([0, 1, 0, 1, 1, 0.0]), np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.1])
    tied = np.flatnonzero(confidence == 0.5)
    orders = [[0, *order, 5] for order in permutations(tied)]
    expected = np.mean([np.cumsum(loss[order]) / 6 for order in orders], axis=0)
    curve = risk_coverage(loss, confidence)
    line = np.interp(np.arange(1, 7) / 6, [0, *curve.coverage], [0, *curve.generalised_risk])
    assert np.allclose(line, expected)


@settings(max_examples=40, deadline=None)
@given(cases=answered())
def test_augrc_follows_from_the_roc_curve(cases) -> None:
    """Traub et al. (2024): (1 − AUROC)·e·(1 − e) + e²/2, ties counted half."""
    loss, confidence, weight = cases
    wrong = (loss > 0).astype(float)
    found = risk_coverage(wrong, confidence, sample_weight=weight)
    e = (weight @ wrong) / weight.sum()
    assert found.oracle().augrc() == pytest.approx(e**2 / 2)
    ideal = e + (1 - e) * np.log(1 - e) if e < 1 else 1.0
    assert found.oracle().aurc() == pytest.approx(ideal)
    if 0 < wrong.sum() < len(wrong):
        auroc = roc_auc_score(1 - wrong, confidence, sample_weight=weight)
        assert found.augrc() == pytest.approx((1 - auroc) * e * (1 - e) + e**2 / 2)


@settings(max_examples=40, deadline=None)
@given(cases=answered(), seed=st.integers(0, 10**6))
def test_no_confidence_beats_the_oracle(cases, seed: int) -> None:
    loss, confidence, weight = cases
    best = risk_coverage(loss, confidence, sample_weight=weight).oracle()
    other = risk_coverage(
        loss, np.random.default_rng(seed).permutation(confidence), sample_weight=weight
    )
    assert best.aurc() <= other.aurc() + 1e-12
    assert best.augrc() <= other.augrc() + 1e-12


def test_only_the_order_of_confidence_matters() -> None:
    loss, confidence = [0, 1, 0, 1], np.array([0.9, 0.8, 0.8, 0.1])
    plain = risk_coverage(loss, confidence)
    stretched = risk_coverage(loss, np.where(confidence == 0.1, -np.inf, 10 * confidence))
    assert plain.aurc() == stretched.aurc()
    constant = risk_coverage(loss, np.zeros(4))
    assert constant.coverage.tolist() == [1]
    assert constant.aurc() == pytest.approx(0.5)  # one step: the risk of answering everything
    assert constant.augrc() == pytest.approx(0.25)


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


def test_conventions_agree_on_large_samples() -> None:
    rng = np.random.default_rng(0)
    confidence = rng.random(20_000)
    loss = (rng.random(20_000) > confidence).astype(float)
    sorted_loss = loss[np.argsort(-confidence)]
    risks = np.cumsum(sorted_loss) / np.arange(1, 20_001)
    found = float(risk_coverage(loss, confidence).aurc())
    assert found == pytest.approx(risks.mean(), abs=1e-3)
    assert found != risks.mean()


def test_answers_and_confidences_from_scores() -> None:
    p = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    found = RiskCoverage.from_predictions(["b", "b", "c"], p, classes=["a", "b", "c"])
    assert found.confidence.tolist() == [0.8, 0.5, 0.4]
    assert found.loss.tolist() == [0, 0, 1]  # the tie between a and b goes to a
    one_column = aurc_score([0, 1, 1], [0.2, 0.5, 0.9])
    assert one_column == aurc_score([0, 1, 1], [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]])
    own = aurc_score(["b", "b", "c"], p, classes=["a", "b", "c"], confidence=[1, 2, 3])
    assert own == pytest.approx(float(risk_coverage([0, 1, 0], [1, 2, 3]).aurc()))
    margin = aurc_score(["b", "b", "c"], p, classes=["a", "b", "c"], loss=[0.5, 1, 0])
    assert margin == pytest.approx(float(risk_coverage([0.5, 1, 0], [0.5, 0.4, 0.8]).aurc()))
    alone = augrc_score(["b", "b", "c"], confidence=[1, 2, 3], loss=[0, 1, 0])
    assert alone == pytest.approx(float(risk_coverage([0, 1, 0], [1, 2, 3]).augrc()))


def test_a_perfect_order_has_no_excess() -> None:
    scores = [[0.9, 0.1], [0.2, 0.8], [0.55, 0.45]]
    assert excess_aurc_score([0, 1, 1], scores) == pytest.approx(0)
    assert excess_augrc_score([0, 1, 1], scores) == pytest.approx(0)


def test_sums_need_the_same_classes() -> None:
    one = RiskCoverage.from_predictions([0, 1], [0.1, 0.9])
    with pytest.raises(ValueError, match=r"classes \[0, 1\] to counts over \[\]"):
        one + risk_coverage([0], [1])
    with pytest.raises(TypeError):
        one + 1
    assert one != 1
    assert float(one.n) == 2


def test_nothing_at_all() -> None:
    empty = risk_coverage([], [])
    assert np.isnan(empty.aurc())
    assert np.isnan(empty.augrc())
    assert empty.coverage.shape == (0,)
    assert empty + empty == empty


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: risk_coverage([0, 1], [0.5]), r"loss has shape \(2,\); expected \(1,\)"),
        (lambda: risk_coverage([[0]], [[1]]), r"confidence has shape \(1, 1\); expected \(n,\)"),
        (lambda: risk_coverage([0, 1], [0.5, np.nan]), "confidence is NaN in row 1"),
        (lambda: risk_coverage([0, np.inf], [0.5, 0.6]), "loss is inf in row 1"),
        (lambda: aurc_score([0, 1], [0.5, 1.2]), r"y_score is 1\.2 in row 1"),
        (lambda: aurc_score([0, 1], [[0.5, np.nan], [1, 0]]), "y_score is NaN in row 0"),
        (lambda: aurc_score([0, 1], np.ones((2, 3))), "y_score is about 3 classes but y_true"),
        (lambda: aurc_score([1, 1], [0.5, 0.6]), "pass classes="),
        (lambda: aurc_score([0, 1], np.ones((2, 2, 2))), r"y_score has shape \(2, 2, 2\)"),
        (lambda: aurc_score([0, 1], np.ones((2, 0))), r"y_score has shape \(2, 0\)"),
        (lambda: aurc_score([0, 1]), "y_score is None; give it, or both confidence= and loss="),
        (lambda: aurc_score([0, 1], [0.1, 0.9], loss=[0]), r"loss has shape \(1,\)"),
    ],
)
def test_bad_input(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_probabilities_of_low_precision_are_divided_by_their_sum_as_everywhere() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), 200).astype(np.float16)
    truth = rng.integers(5, size=200)
    settled = check_probabilities(p)
    assert (settled != p).any()
    assert RiskCoverage.from_predictions(truth, p) == RiskCoverage.from_predictions(truth, settled)
    logits = np.log(p + np.float16(0.01))
    found = RiskCoverage.from_predictions(truth, logits)
    assert found == RiskCoverage.from_predictions(truth, logits.astype(np.float64))


def test_scores_and_truths_go_together() -> None:
    with pytest.raises(ValueError, match="y_true has 2 rows and y_score has 1"):
        RiskCoverage.from_predictions([0, 1], [[0.5, 0.5]])
