"""Displays of curves: what is drawn are the numbers of the curves."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

from cautious.curves import AbstentionROC, CapacityCurve, ResponseCurve, RiskCoverageCurve
from cautious.displays import (
    AbstentionROCDisplay,
    CapacityDisplay,
    ResponseDisplay,
    RiskCoverageDisplay,
)


def drawn(line):
    return np.asarray(line.get_xydata())


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_capacity_graphs_and_their_hull(binary):
    display = CapacityDisplay.from_predictions(binary.y, binary.sets, classes=binary.labels)
    curves = {
        name: CapacityCurve.from_predictions(binary.y, mask, classes=binary.labels)
        for name, mask in binary.sets.items()
    }
    for line, curve in zip(display.lines_, curves.values(), strict=True):
        points = curve.frame()
        assert_allclose(drawn(line), points.to_numpy())
        (own,) = line.get_markevery()
        assert_allclose(drawn(line)[own], [curve.abstention, curve.own_error])
    hull = CapacityCurve.hull(curves)
    assert_allclose(drawn(display.hull_line_), hull.corners[["abstention", "error"]].to_numpy())
    table = display.frame()
    assert table.columns.tolist() == ["classifier", "abstention", "error"]
    assert table["classifier"].unique().tolist() == ["shy", "bold", "hull"]
    assert f"capacity {curves['shy'].capacity:.3f}" in legend(display)[1]


def test_capacity_of_one_has_no_hull(binary):
    display = CapacityDisplay.from_predictions(
        binary.y, binary.sets["shy"], classes=binary.labels, name="alone", guess="prior"
    )
    assert display.hull_line_ is None
    assert display.frame()["classifier"].unique().tolist() == ["alone"]
    expected = CapacityCurve.from_predictions(
        binary.y, binary.sets["shy"], classes=binary.labels, guess="prior"
    )
    assert_allclose(drawn(display.lines_[0])[0, 1], expected.guessed_error)
    assert CapacityDisplay(display.curves | {"b": expected}, hull=False).plot().hull_line_ is None


@pytest.mark.parametrize("measure", ["accuracy", "error", "auc", "capacity", "cost"])
def test_response_graphs(binary, measure):
    costs = [[0, 5], [2, 0], [1, 1]]
    display = ResponseDisplay.from_predictions(
        binary.y, binary.proba, classes=binary.labels, measure=measure, costs=costs, bias=[0.4, 0.6]
    )
    for line, proba in zip(display.lines_, binary.proba.values(), strict=True):
        curve = ResponseCurve.from_predictions(
            binary.y, proba, classes=binary.labels, bias=[0.4, 0.6]
        )
        values = curve.measure(measure, costs=costs)
        known = ~np.isnan(values)
        assert_allclose(drawn(line), np.column_stack([curve.abstention, values])[known])
    assert display.frame().columns.tolist() == ["classifier", "low", "high", "abstention", measure]
    assert [len(display.best_), measure] in ([2, "cost"], [0, measure])
    assert len(display.bands_) == (2 if measure in ResponseCurve.banded else 0)
    if display.bands_:
        band = curve.band(measure, costs=costs if measure == "cost" else None)
        corners = display.bands_[-1].get_paths()[0].vertices
        assert corners[:, 1].min() == pytest.approx(band["low"].min())
        assert corners[:, 1].max() == pytest.approx(band["high"].max())
    plain = ResponseDisplay(curve, measure=measure, costs=costs, confidence_level=None).plot()
    assert not plain.bands_
    for star, line in zip(display.best_, display.lines_, strict=False):
        assert drawn(star)[0, 1] == drawn(line)[:, 1].min()


def test_few_answers_do_not_set_the_scale():
    rng = np.random.default_rng(0)
    p = np.r_[0.999, rng.uniform(0.5, 0.9, 199)]  # the surest answer of all is wrong
    truth = np.where(rng.random(200) < p, 1, 0)
    truth[0] = 0
    display = ResponseDisplay.from_predictions(truth, np.c_[1 - p, p], classes=[0, 1])
    assert drawn(display.lines_[0])[:, 1].min() == 0
    assert display.ax_.get_ylim()[0] > 0.2


@pytest.mark.parametrize("risk", ["selective", "generalised"])
def test_risk_coverage(binary, risk):
    display = RiskCoverageDisplay.from_predictions(
        binary.y, binary.proba, classes=binary.labels, risk=risk, optimal=True
    )
    for line, best, proba in zip(
        display.lines_, display.optimal_lines_, binary.proba.values(), strict=True
    ):
        curve = RiskCoverageCurve.from_predictions(binary.y, proba, classes=binary.labels)
        x, y = drawn(line).T
        assert np.isin(curve.coverage, x).all()
        assert_allclose(y, curve.risk_at_coverage(x) * (x if risk == "generalised" else 1))
        at = np.searchsorted(x, curve.coverage)
        assert_allclose(y[at], getattr(curve, f"{risk}_risk"), atol=1e-12)
        x, y = drawn(best).T
        assert_allclose(y, curve.optimal.risk_at_coverage(x) * (x if risk == "generalised" else 1))
    band = curve.band()
    corners = display.bands_[-1].get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx(band[f"{risk}_risk_high"].max())
    assert not RiskCoverageDisplay(curve, confidence_level=None).plot().bands_
    columns = ["classifier", "threshold", "coverage", "selective_risk", "generalised_risk"]
    assert display.frame().columns.tolist() == columns
    assert legend(display)[-1] == "best order possible"


def test_roc_curves_of_the_answered_cases(binary):
    display = AbstentionROCDisplay.from_predictions(
        binary.y, binary.score, pos_label="ill", levels=[0.0, 0.3]
    )
    lines = iter(display.lines_)
    for score in binary.score.values():
        roc = AbstentionROC.from_predictions(binary.y, score, pos_label="ill")
        for level in (0.0, 0.3):
            state = np.abs(roc.abstention - level).argmin()
            expected = roc.curve(float(roc.response.window[state]))
            assert_allclose(drawn(next(lines)), expected[["fpr", "tpr"]].to_numpy())
    assert next(lines, None) is None
    assert "0 % not answered" in legend(display)[0]
    colours = [line.get_color() for line in display.lines_]
    assert colours[0] == colours[1] != colours[2]


def test_bands_of_capacity_graphs(binary):
    display = CapacityDisplay.from_predictions(binary.y, binary.sets, classes=binary.labels)
    for curve, band in zip(display.curves.values(), display.bands_, strict=True):
        corners = band.get_paths()[0].vertices
        inside = curve.error(corners[:, 0])
        # Both edges pass every level, one above the graph and one below.
        for level in (0.1, 0.5, 0.9):
            here = np.abs(corners[:, 0] - level) < 0.011
            assert corners[here, 1].min() < inside[here].mean() < corners[here, 1].max()
        assert_allclose(corners[corners[:, 0] == 1, 1], 0, atol=1e-12)
    # The error of a classifier that answers all is a share of cases.
    all_told = CapacityDisplay.from_predictions(binary.y, binary.y[::-1], classes=binary.labels)
    corners = all_told.bands_[0].get_paths()[0].vertices
    ends = corners[corners[:, 0] == 0, 1]
    error = np.mean(binary.y != binary.y[::-1])
    half = 1.96 * np.sqrt(error * (1 - error) / len(binary.y))
    assert_allclose([ends.min(), ends.max()], [error - half, error + half], atol=0.03)
    assert CapacityDisplay(display.curves, confidence_level=None).plot().bands_ == []
    shares = CapacityCurve.from_matrix([[0.5, 0.1], [0.1, 0.2], [0.05, 0.05]])
    assert CapacityDisplay(shares).plot().bands_ == []


def test_bands_of_one_roc_curve(binary):
    roc = AbstentionROC.from_predictions(binary.y, binary.score["Bayes"], pos_label="ill")
    display = AbstentionROCDisplay(roc, levels=[0]).plot()
    (band,) = display.bands_
    expected = roc.band(0.0)
    corners = {tuple(point) for point in band.get_xy()}
    assert {*zip(expected["fpr_low"], expected["tpr_high"], strict=True)} <= corners
    assert {*zip(expected["fpr_high"], expected["tpr_low"], strict=True)} <= corners
    assert {(0, 0), (1, 1)} <= corners  # there is no notch where the curve begins and ends
    assert AbstentionROCDisplay(roc, confidence_level=None).plot().bands_ == []
    several = AbstentionROCDisplay({"a": roc, "b": roc}).plot()
    colours = [to_rgb(line.get_color()) for line in several.lines_[::2]]
    assert [band.get_facecolor()[:3] for band in several.bands_] == colours
    assert len(AbstentionROCDisplay({"a": roc, "b": roc, "c": roc}).plot().bands_) == 1


def test_three_classifiers_have_thin_lines_and_one_band(binary):
    one = RiskCoverageCurve.from_predictions(binary.y, binary.proba["Bayes"], classes=binary.labels)
    display = RiskCoverageDisplay({"a": one, "b": one, "c": one}).plot()
    (band,) = display.bands_
    assert tuple(band.get_facecolor()[0][:3]) == to_rgb(display.lines_[0].get_color())
    assert {line.get_linewidth() for line in display.lines_} == {1}
    assert RiskCoverageDisplay(one).plot().lines_[0].get_linewidth() > 1


def test_response_graphs_of_probabilities_of_the_positive_class(binary):
    probability = binary.score["Bayes"]
    alone = ResponseDisplay.from_predictions(binary.y, probability, pos_label="healthy")
    both = np.column_stack([1 - probability, probability])
    of_classes = ResponseDisplay.from_predictions(binary.y, both, classes=["ill", "healthy"])
    assert alone.frame().equals(of_classes.frame())


def test_roc_readings(binary):
    score = binary.score["Bayes"]
    display = AbstentionROCDisplay.from_predictions(
        binary.y, score, kind="readings", pos_label="ill", window=0.3, name="Bayes"
    )
    roc = AbstentionROC.from_predictions(binary.y, score, pos_label="ill")
    at = roc.readings(0.3)
    readings = ["ignore", "ignore in TPR", "ignore in FPR", "count"]
    for line, point, reading in zip(display.lines_, display.points_, readings, strict=True):
        path = roc.frame(reading)[["fpr", "tpr"]].dropna().to_numpy()
        shown = drawn(line)
        assert_allclose(shown[[0, -1]], path[[0, -1]])
        assert len(shown) <= 42  # single cases would make it jagged
        assert {tuple(point) for point in shown} <= {tuple(point) for point in path}
        assert_allclose(drawn(point)[0], at.loc[reading, ["fpr", "tpr"]])
    assert display.ax_.get_title() == "Bayes: where it stands in ROC space"
    assert "reading" in display.frame()
    assert AbstentionROCDisplay(roc, kind="readings").plot().points_ == []


def test_roc_surface(binary):
    score = binary.score["Bayes"]
    display = AbstentionROCDisplay.from_predictions(
        binary.y, score, kind="surface", pos_label="ill", n_levels=10
    )
    roc = AbstentionROC.from_predictions(binary.y, score, pos_label="ill")
    assert display.frame().drop(columns="classifier").equals(roc.surface(10))
    assert f"volume {roc.volume:.3f}" in display.ax_.get_title()
    first = roc.curve(0.0)
    x, level, z = display.ax_.lines[0].get_data_3d()
    assert_allclose(level, 0)
    way = (first["fpr"] + first["tpr"]).to_numpy()
    assert_allclose(z, np.interp(x + z, way, first["tpr"]), atol=1e-12)
