"""Curves certify what their cases would: from counts, without a second reading."""

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious.curves import AbstentionCostSurface, RiskCoverageCurve
from cautious.guarantees import certify
from cautious.logs import summarise


def cases(n=1500, seed=0):
    """Labels, probabilities with ties, and those of other cases."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=2 * n)
    p = np.round(1 / (1 + np.exp(-rng.normal(3 * y - 1.5, 1.7))), 3)
    return y[:n], p[:n], p[n:]


def three_classes(n=1500, seed=1):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.3, 0.3, 0.3], size=2 * n).round(4)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    p = np.abs(p)
    y = (rng.random((2 * n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=2)
    return np.array(["a", "b", "c"])[y[:n]], p[:n], p[n:]


LIMITS = [
    {"max_error": 0.1},
    {"min_ppv": 0.85, "min_npv": 0.9},
    {"max_missed": 0.05, "max_error_per_case": 0.08},
    {"max_error": 0.12, "max_abstention": 0.5},
    {"max_error": 0.1, "thresholds": "two"},
    {"max_error": 0.1, "thresholds": "per class"},
]


@pytest.mark.parametrize("asked", LIMITS, ids=" ".join)
@pytest.mark.parametrize("curve", [AbstentionCostSurface, RiskCoverageCurve])
def test_two_classes(curve, asked):
    y, p, others = cases()
    wanted = certify(y, y_score=p, other_scores=others, **asked)
    found = curve.from_predictions(y, p).certify(other_scores=others, **asked)
    assert wanted.rule is not None
    if curve is RiskCoverageCurve and wanted.rule.kind == "window":
        # Of negative answers it knows 1 - p, rounded: it takes the largest score of those alike.
        assert (found.certificate, found.coverage) == (wanted.certificate, wanted.coverage)
        assert found.rule.upper == wanted.rule.upper
        assert 0 <= found.rule.lower - wanted.rule.lower < 1e-15
    else:
        assert found == wanted if curve is not RiskCoverageCurve else alike(found, wanted)


def alike(found, wanted):
    """Compare rules but for the last digits of scores, which confidences do not tell."""
    own, other = (dict(one.rule.data["scores"]) for one in (found, wanted))
    np.testing.assert_allclose(own.pop("edges"), other.pop("edges"), rtol=0, atol=2e-6)
    return own == other and found.with_scores({}) == wanted.with_scores({})


@pytest.mark.parametrize("curve", [None, AbstentionCostSurface, RiskCoverageCurve])
@pytest.mark.parametrize("shape", ["one", "two", "per class"])
def test_what_was_counted_is_what_the_rule_answers(curve, shape):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p = np.round(rng.random(1200), 2 - seed % 2)
        # Some scores differ by rounding only, as 0.22 and 1 - 0.78 do.
        p = np.where(rng.random(1200) < 0.3, 1 - np.round(1 - p, 2), p)
        y = (rng.random(1200) < 1 / (1 + np.exp(15 * (0.5 - p)))).astype(int)
        asked = {"other_scores": p[800:], "max_error": 0.1, "thresholds": shape}
        y, p = y[:800], p[:800]
        if curve is not None:
            answers = {"y_score": p}
            found = curve.from_predictions(y, p).certify(**asked)
        else:
            # Columns need not add up to one to the last digit.
            columns = np.column_stack([np.round(1 - p, 2), p])
            answers = {"y_proba": columns} if seed % 3 else {"y_score": p}
            found = certify(y, **answers, **asked)
        sets = found.rule.predict_set(*answers.values())
        answered = sets.sum(axis=1) == 1
        wrong = answered & ~sets[np.arange(len(y)), y]
        tests = found.certificate.tests
        assert found.coverage == answered.mean()
        assert sum(one.answered for one in tests) == answered.sum()
        assert sum(one.wrong for one in tests) == wrong.sum()


def test_thresholds_of_counted_logs_and_of_tuning_occur_among_the_scores():
    y, p, _ = cases()
    log = pd.DataFrame({"y_true": y, "score": p.round(2)})
    asked = {"max_error": 0.1}
    found = summarise(log).certify(**asked, thresholds="two").rule
    assert {found.lower, found.upper} <= set(log["score"])
    log["score"] -= 2  # no probabilities, so that a window is certified
    tuned = cautious.tune(log, **asked, confidence_level=0.95).rule
    assert tuned.kind == "window"
    assert {tuned.lower, tuned.upper} <= set(log["score"])


@pytest.mark.parametrize("curve", [AbstentionCostSurface, RiskCoverageCurve])
def test_on_average(curve):
    y, p, _ = cases(300)
    asked = {"max_error": 0.1, "promise": "on average"}
    found = curve.from_predictions(y, p).certify(**asked)
    wanted = certify(y, y_score=p, **asked)
    assert found == wanted if curve is not RiskCoverageCurve else alike(found, wanted)


def test_without_other_cases():
    y, p, _ = cases()
    surface = AbstentionCostSurface.from_predictions(y, p)
    counted = surface.staircase.cases()
    known = {"y_score": counted.y_score, "counts": counted.sample_weight}
    wanted = certify(counted.y_true, **known, max_error=0.1)
    assert surface.certify(max_error=0.1) == wanted
    assert wanted.certificate.n == 1200  # a fifth fixed the candidates


def test_scores_that_are_no_probabilities():
    y, p, others = cases()
    with np.errstate(divide="ignore"):
        score, other_scores = (np.log(part + 0.01) - np.log1p(0.01 - part) for part in (p, others))
    found = AbstentionCostSurface.from_predictions(y, score).certify(
        max_error=0.1, other_scores=other_scores
    )
    wanted = certify(y, y_score=score, other_scores=other_scores, max_error=0.1, thresholds="two")
    assert found == wanted
    assert found.rule.kind == "window"


@pytest.mark.parametrize("asked", [{"max_error": 0.1}, {"max_error_per_case": 0.1}], ids=" ".join)
def test_three_classes(asked):
    y, p, others = three_classes()
    curve = RiskCoverageCurve.from_predictions(y, p)
    wanted = certify(y, y_proba=p, other_scores=others, **asked)
    assert wanted.rule is not None
    assert curve.certify(other_scores=others, **asked) == wanted
    once, average = curve.certify(**asked), curve.certify(promise="on average", **asked)
    assert once.certificate.n == 1200
    assert average == certify(y, y_proba=p, promise="on average", **asked)


def test_counts_add_up():
    y, p, others = cases()
    halves = [RiskCoverageCurve.from_predictions(y[at], p[at], classes=[0, 1]) for at in
              (slice(0, 700), slice(700, None))]  # fmt: skip
    wanted = certify(y, y_score=p, other_scores=others, max_error=0.1)
    found = sum(halves).certify(max_error=0.1, other_scores=others)
    assert alike(found, wanted)


def test_what_counts_do_not_hold():
    y, p, _ = cases(100)
    surface = AbstentionCostSurface.from_predictions(y, p)
    curve = RiskCoverageCurve.from_predictions(y, p)
    with pytest.raises(ValueError, match=r"groups is given, but a staircase holds counts of all"):
        surface.certify(max_error=0.1, groups=["a"] * 100)
    with pytest.raises(ValueError, match=r"groups is given, but a curve holds counts of all"):
        curve.certify(max_error=0.1, groups=["a"] * 100)
    with pytest.raises(ValueError, match="no limit is given"):
        curve.certify()
    with pytest.raises(ValueError, match="curve of 3 classes does not hold which class"):
        RiskCoverageCurve.from_predictions(*three_classes(50)[:2]).certify(
            max_error=0.1, thresholds="per class"
        )
    with pytest.raises(ValueError, match="priors that are not those of its cases"):
        AbstentionCostSurface.from_predictions(y, p, priors=(0.9, 0.1)).certify(max_error=0.1)
    with pytest.raises(ValueError, match="losses without classes"):
        RiskCoverageCurve.from_losses([0, 1], [0.9, 0.6]).certify(max_error=0.1)
    with pytest.raises(ValueError, match="losses other than 0 and 1"):
        RiskCoverageCurve.from_predictions(y, p, loss=2.0 * y).certify(max_error=0.1)
    with pytest.raises(ValueError, match="not the largest of 2 probabilities"):
        RiskCoverageCurve.from_predictions(y, 5 * np.column_stack([1 - p, p])).certify(
            max_error=0.1
        )
    for weighted in (surface, curve):
        weighted = type(weighted).from_predictions(y, p, sample_weight=np.full(100, 0.5))
        with pytest.raises(ValueError, match="Weighted cases have no exact bound"):
            weighted.certify(max_error=0.1)
