"""The few numbers that go into the page; what follows from them is tested with the page."""

from __future__ import annotations

import numpy as np
import pytest

from cautious.curves import RiskCoverageCurve, Staircase
from cautious.metrics import SetCounts, cautious_confusion_matrix, utility_score
from cautious.report._page_data import summarise_risk, summarise_scores, summarise_sets


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
