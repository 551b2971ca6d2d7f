"""The few numbers that go into the page say all that the page needs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.metrics import SetCounts, cautious_confusion_matrix, utility_score
from cautious.report._problems import (
    summarise_risk,
    summarise_scores,
    summarise_sets,
)

examples = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({positive for _, positive in rows}) == 2
)


@given(examples, st.floats(0, 2), st.floats(0, 1), st.sampled_from([None, 0.1, 0.5, 0.8]))
def test_costs_follow_from_the_bins_whatever_the_prior(rows, mu, nu, prior):
    score, y = np.array([s for s, _ in rows]), np.array([p for _, p in rows])
    priors = None if prior is None else (1 - prior, prior)
    surface = AbstentionCostSurface.from_predictions(y, score, priors=priors)
    summary = summarise_scores(surface.staircase)
    pos = summary["positives"] * surface.scales.positive
    neg = summary["negatives"] * surface.scales.negative
    cost = np.minimum(np.minimum(pos, mu * neg), nu * (pos + neg)).sum()
    assert cost == pytest.approx(surface.cost(mu, nu), abs=1e-12)
    upper = summary["lower"] if summary["upper"] is None else summary["upper"]
    window = {-np.inf, np.inf, *summary["lower"].tolist(), *upper.tolist()}
    assert set(surface.window(mu, nu)) <= window


def test_histogram_counts_everything_once():
    staircase = Staircase([-np.inf, -2, 0, 3, np.inf], [1, 2, 0, 1, 1], [0, 1, 5, 0, 1])
    histogram = summarise_scores(staircase)["histogram"]
    assert (histogram["low"], histogram["high"]) == (-2, 3)
    assert histogram["positives"].sum() == 5
    assert histogram["positives"][[0, -1]].tolist() == [3, 2]
    assert histogram["negatives"].sum() == 7


@pytest.mark.parametrize(
    ("scores", "ends"),
    [
        ([0.2, 0.9], (0, 1)),
        ([0.0, 1.5], (0, 1.5)),
        ([7.0], (3.5, 10.5)),
        ([-1e305], (-1.5e300, -5e299)),
        ([-np.inf, np.inf], (0, 1)),
    ],
)
def test_histogram_range(scores, ends):
    ones = np.ones(len(scores))
    histogram = summarise_scores(Staircase(scores, ones, ones))["histogram"]
    assert (histogram["low"], histogram["high"]) == ends


def test_long_curves_are_thinned_on_themselves():
    rng = np.random.default_rng(1)
    curve = RiskCoverageCurve.from_losses(rng.random(20_000) < 0.2, rng.random(20_000))
    summary = summarise_risk(curve)
    assert len(summary["covered"]) <= 102
    assert summary["covered"][-1] == 20_000
    position = np.searchsorted(curve.coverage, summary["covered"] / 20_000)
    assert curve.generalised_risk[position] * 20_000 == pytest.approx(summary["lost"].tolist())
    assert summary["aurc"] == curve.aurc


@pytest.mark.parametrize("k", [3, 6, 40, 70])
def test_sets(k):
    rng = np.random.default_rng(k)
    classes = [f"c{i}" for i in range(k)]
    truth = rng.integers(k, size=500)
    mask = rng.random((500, k)) < 1.6 / k
    mask[np.arange(500), truth] |= rng.random(500) < 0.7
    mask[~mask.any(axis=1)] = True
    y = np.array(classes)[truth]
    summary = summarise_sets(SetCounts.from_predictions(y, mask, classes=classes), None)
    sizes, by_class = summary["sizes"], summary["by_class"]
    right = sizes[:, 1] / sizes[:, 0]
    assert right.sum() / 500 == pytest.approx(np.mean(mask[np.arange(500), truth] / mask.sum(1)))
    u65 = (by_class[:, 5] + 0.6 * by_class[:, 6]).sum() / by_class[:, 0].sum()
    assert u65 == pytest.approx(utility_score(y, mask, classes=classes, utility="u65"))
    confusion = summary["confusion"]
    assert confusion["counts"].sum() == 500
    table = cautious_confusion_matrix(y, mask, classes=classes, partial="answer")
    kept = [c for c in confusion["columns"] if c >= 0]
    assert len(kept) == (k if k <= 60 else 12)
    for row, counts in zip(confusion["rows"], confusion["counts"], strict=True):
        if "set" in row:
            names = [classes[c] for c in row["set"]]
            name = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
            assert counts[: len(kept)].tolist() == table.loc[name].iloc[kept].tolist()


def test_forgotten_sets_are_gathered(classified):
    y, p, classes = classified
    counts = SetCounts.from_predictions(y, p >= 0.15, classes=classes)
    summary = summarise_sets(counts.without_sets(), None)
    assert {"other": 0, "size": 2} in summary["confusion"]["rows"]
    assert summary["confusion"]["counts"].sum() == len(y)
    assert summary["sizes"].tolist() == summarise_sets(counts, None)["sizes"].tolist()
