"""Net benefit: by its formula, and with abstention by the cost surface."""

from __future__ import annotations

import numpy as np
import pytest

from cautious.curves import DecisionCurve

THRESHOLDS = [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95]


@pytest.mark.parametrize("name", ["J48", "NB", "PART", "RF10"])
def test_net_benefit_by_its_formula(weka, name):
    curve = DecisionCurve.from_predictions(weka.actual, weka[name])
    p, positive = weka[name].to_numpy(), weka.actual.to_numpy() == 1
    for t in THRESHOLDS:
        treated = p >= t
        expected = np.mean(treated & positive) - np.mean(treated & ~positive) * t / (1 - t)
        assert curve.net_benefit(t) == pytest.approx(expected, abs=1e-12)
        everybody = np.mean(positive) - np.mean(~positive) * t / (1 - t)
        assert curve.treat_all(t) == pytest.approx(everybody, abs=1e-12)
    assert curve.net_benefit(THRESHOLDS).shape == (len(THRESHOLDS),)
    assert type(curve.net_benefit(0.5)) is float


def test_abstaining_never_loses(weka):
    curve = DecisionCurve.from_predictions(weka.actual, weka.NB)
    frame = curve.frame(THRESHOLDS, abstain=0.02)
    best = frame[["net_benefit", "treat_all", "treat_none"]].max(axis=1)
    assert (frame["with_abstention"] >= best - 1e-12).all()
    assert frame["with_abstention"].iloc[3] > best.iloc[3]
    dear = curve.with_abstention(0.25, [0.1, 1.0, 9.0])
    assert (np.diff(dear) <= 0).all()
    # Where abstaining never pays, the best threshold on these data is left.
    cuts = np.append(np.unique(weka.NB), np.inf)
    positive = weka.actual.to_numpy() == 1
    treated = weka.NB.to_numpy() >= cuts[:, None]
    single = (treated & positive).mean(axis=1) - (treated & ~positive).mean(axis=1) * (1 / 3)
    assert dear[-1] == pytest.approx(single.max())


def test_weights_and_priors(weka):
    weight = np.where(weka.actual == 1, 3.0, 1.0)
    heavy = DecisionCurve.from_predictions(weka.actual, weka.NB, sample_weight=weight)
    share = float(np.average(weka.actual, weights=weight))
    assumed = DecisionCurve.from_predictions(weka.actual, weka.NB, priors=(1 - share, share))
    np.testing.assert_allclose(heavy.net_benefit(THRESHOLDS), assumed.net_benefit(THRESHOLDS))
    assert "90 more rows" in heavy._repr_html_()


@pytest.mark.parametrize("threshold", [-0.1, 1.0, np.nan])
def test_thresholds_are_probabilities(threshold):
    curve = DecisionCurve.from_predictions([0, 1], [0.2, 0.7])
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        curve.net_benefit(threshold)


def test_scores_are_probabilities():
    with pytest.raises(ValueError, match=r"y_score\[1\] is 1\.5"):
        DecisionCurve.from_predictions([0, 1], [0.2, 1.5])
