"""What a window does, who wins where, what caution is worth, and calibration."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

from cautious.curves import AbstentionCostSurface, DecisionCurve
from cautious.displays import (
    CalibrationDisplay,
    CostSurfaceDisplay,
    DecisionCurveDisplay,
    WindowDisplay,
)

PEOPLE = {"kind": "people", "pos_label": "ill"}
CHEAPEST = {"value": "cheapest", "pos_label": "ill"}
COSTS = {"false_negative": 5, "false_positive": 3, "abstain": 1}


def test_a_histogram_counts_every_case_once(binary):
    score = binary.score["Bayes"]
    display = WindowDisplay.from_predictions(
        binary.y, score, window=(0.2, 0.7), pos_label="ill", name="Bayes"
    )
    table, ill = display.frame(), binary.y == "ill"
    edges = np.append(table["low"], 1.0)
    assert_allclose(table["positives"], np.histogram(score[ill], edges)[0])
    assert_allclose(table["negatives"], np.histogram(score[~ill], edges)[0])
    assert [bar.get_height() > 0 for bar in display.bars_[0]] == (table["positives"] > 0).tolist()
    heights = [bar.get_height() for side in display.bars_ for bar in side]
    counts = np.append(table["positives"], table["negatives"])
    assert_allclose(np.square(heights), counts / counts.max())  # one scale for both classes
    assert display.ax_.get_title() == "Bayes: thresholds 0.2 and 0.7"
    margins = WindowDisplay.from_predictions([0, 1], [-3, 2], window=(-np.inf, 0))
    assert margins.frame()[["low", "high"]].to_numpy()[[0, -1], [0, 1]].tolist() == [-3, 2]
    same = WindowDisplay.from_predictions([0, 1], [4.0, 4.0], window=(3, 5))
    assert same.frame()["positives"].sum() == 1


def test_a_histogram_does_not_depend_on_the_unit_of_weights(binary):
    given = {"window": (0.2, 0.7), "pos_label": "ill"}
    heights, texts = [], []
    for unit in (1.0, 1e-6):
        display = WindowDisplay.from_predictions(
            binary.y, binary.score["Bayes"], sample_weight=np.full(len(binary.y), unit), **given
        )
        heights.append([bar.get_height() for side in display.bars_ for bar in side])
        display.ax_.figure.canvas.draw()
        texts.append([each.get_text() for each in display.ax_.get_yticklabels()])
    assert_allclose(*heights)
    assert texts[0] == ["0", "1", "5", "10", "1", "5", "10"]
    assert "1e-06" in texts[1]


def test_people_are_whole_and_add_up(binary):
    ill, score = binary.y == "ill", binary.score["Bayes"]
    display = WindowDisplay.from_predictions(
        binary.y, score, window=(0.3, 0.7), people=997, **PEOPLE
    )
    table = display.frame().set_index(["truth", "prediction"])
    assert table["people"].sum() == 997
    assert_allclose(table["people"], 997 * table["share"], atol=1)
    assert table.loc[("ill", "healthy"), "share"] == pytest.approx((ill & (score <= 0.3)).mean())
    ends = stats.binomtest(int((ill & (score >= 0.7)).sum()), 120).proportion_ci(method="wilson")
    row = table.loc[("ill", "ill")]
    assert (row["low"], row["high"]) == (int(997 * ends.low), int(np.ceil(997 * ends.high)))
    assert [len(line.get_xdata()) for line in display.marks_] == table["people"].tolist()
    places = np.concatenate([line.get_xydata() for line in display.marks_])
    assert len(np.unique(places, axis=0)) == 997
    plain = WindowDisplay(display.surface, costs=COSTS, confidence_level=None, kind="people")
    assert "low" not in plain.frame()


@pytest.mark.parametrize("people", [20, 1000, 20_000])
def test_marks_of_people_do_not_touch(binary, people):
    display = WindowDisplay.from_predictions(
        binary.y, binary.score["Bayes"], window=(0.3, 0.7), people=people, **PEOPLE
    )
    display.figure_.canvas.draw()
    (x, _), (beside, _) = display.ax_.transData.transform([(0, 0), (1, 0)])
    ring = display.marks_[2]
    size = (ring.get_markersize() + ring.get_markeredgewidth()) * display.figure_.dpi / 72
    assert 0.5 < size / (beside - x) < 0.9


def test_the_winner_is_the_cheapest(binary):
    display = CostSurfaceDisplay.from_predictions(binary.y, binary.score, n=31, **CHEAPEST)
    table = display.frame()
    costs = {
        name: AbstentionCostSurface.from_predictions(binary.y, score, pos_label="ill").cost(
            table["mu"].to_numpy(), table["nu"].to_numpy()
        )
        for name, score in binary.score.items()
    }
    gap = costs["logistic"] - costs["Bayes"]
    assert (table["winner"] == "logistic").tolist() == (gap < -1e-12).tolist()
    assert [one is None for one in table["winner"]] == (np.abs(gap) <= 1e-12).tolist()
    words = {text.get_text() for text in display.labels_}
    assert {"logistic", "Bayes"} <= words
    for text in display.labels_:  # each in its own region
        away = np.hypot(*(table[["mu", "nu"]].to_numpy() - text.get_position()).T)
        winner = table["winner"].fillna("all cost the same").iloc[int(away.argmin())]
        assert winner == text.get_text()


def test_the_winner_map_is_hatched_where_nothing_is_sure(binary):
    rng = np.random.default_rng(2)
    score = binary.score["Bayes"]
    twins = {"one": score, "other": score + 1e-9 * rng.random(len(score))}
    options = CHEAPEST | {"n": 31}
    display = CostSurfaceDisplay.from_predictions(binary.y, twins, **options)
    assert (display.distinct[2] == -1).all()
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words == ["above: abstaining never pays", "cannot be told apart"]
    apart = {"one": (binary.y == "ill") + 0.01 * score, "other": rng.random(len(score))}
    display = CostSurfaceDisplay.from_predictions(binary.y, apart, **options)
    assert (display.distinct[2] == 0).mean() > 0.5
    # The hatching stands where the winner is not sure, and nowhere else.
    mu, nu, winner = display.distinct
    (unsure,) = display.hatching_
    (path,) = unsure.get_paths()
    points = np.column_stack([each.ravel() for each in np.meshgrid(mu, nu)])
    inside = path.contains_points(points, radius=1e-6) | path.contains_points(points, radius=-1e-6)
    assert not inside[winner.ravel() == 0].any()
    for plain in (
        CostSurfaceDisplay.from_predictions(binary.y, twins, confidence_level=None, **options),
        CostSurfaceDisplay.from_predictions(
            [0, 1, 0, 1], {"a": [1, 2, 3, 4], "b": [2, 1, 4, 3]}, value="cheapest"
        ),
        CostSurfaceDisplay(display.curves, value="cheapest").plot(),
    ):
        assert plain.hatching_ == []


@pytest.mark.slow
def test_winners_of_fitted_classifiers_are_told_apart_as_those_of_scores(binary):
    """Whatever the folds were, cases are compared one by one; with others, nothing is hatched."""
    rng = np.random.default_rng(3)
    X = np.column_stack([binary.score["Bayes"], rng.random(len(binary.y))])
    models = {"sharp": LogisticRegression(), "blunt": LogisticRegression(C=1e-4)}
    options = CHEAPEST | {"n": 21}
    fitted = {name: model.fit(X, binary.y) for name, model in models.items()}
    at = int(fitted["sharp"].classes_[1] == "ill")
    scores = {name: model.predict_proba(X)[:, at] for name, model in fitted.items()}
    expected = CostSurfaceDisplay.from_predictions(binary.y, scores, **options)
    shown = CostSurfaceDisplay.from_estimator(fitted, X, binary.y, **options)
    assert_array_equal(shown.distinct[2], expected.distinct[2])
    assert_frame_equal(shown.frame(), expected.frame())

    def validated(*, seed, cases=slice(None), repeats=1):
        folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=repeats, random_state=seed)
        given = {"cv": folds, "return_estimator": True, "return_indices": True}
        return {
            name: cross_validate(model, X[cases], binary.y[cases], **given)
            for name, model in models.items()
        }

    once, again = validated(seed=0), validated(seed=1)
    mixed = {"sharp": once["sharp"], "blunt": again["blunt"]}
    pooled = {}
    for name, result in mixed.items():
        pooled[name] = np.empty(len(X))
        for model, test in zip(result["estimator"], result["indices"]["test"], strict=True):
            pooled[name][test] = model.predict_proba(X[test])[:, at]
    expected = CostSurfaceDisplay.from_predictions(binary.y, pooled, **options)
    shown = CostSurfaceDisplay.from_cv_results(mixed, X, binary.y, **options)
    assert_array_equal(shown.distinct[2], expected.distinct[2])
    assert_frame_equal(shown.frame(), expected.frame())
    twice, once = (
        CostSurfaceDisplay.from_cv_results(found, X, binary.y, **options)
        for found in (validated(seed=0, repeats=2), once)
    )
    assert_array_equal(twice.distinct[2], once.distinct[2])
    some = {"sharp": again["sharp"], "blunt": validated(seed=0, cases=slice(0, -5))["blunt"]}
    plain = {"confidence_level": None, **options}
    for display in (
        CostSurfaceDisplay.from_cv_results(some, X, binary.y, **options),
        CostSurfaceDisplay.from_cv_results(mixed, X, binary.y, **plain),
        CostSurfaceDisplay.from_estimator(fitted, X, binary.y, **plain),
    ):
        assert display.distinct is None


def test_decision_curves(binary):
    score, ill = binary.score["Bayes"], binary.y == "ill"
    display = DecisionCurveDisplay.from_predictions(
        binary.y, score, pos_label="ill", abstain=0.1, thresholds=(0.1, 0.6)
    )
    table = display.frame().set_index("threshold")
    assert table.index[[0, -1]].tolist() == [0.1, 0.6]
    treated = score >= 0.3
    worth = np.where(treated, np.where(ill, 1, -0.3 / 0.7), 0)
    assert table.loc[0.3, "net_benefit"] == pytest.approx(worth.mean())
    variance = sum(side.mean() ** 2 * worth[side].var(ddof=1) / side.sum() for side in (ill, ~ill))
    assert table.loc[0.3, "high"] - worth.mean() == pytest.approx(1.959964 * variance**0.5)
    assert (table["with_abstention"] >= table["net_benefit"] - 1e-12).all()
    assert len(display.cautious_lines_) == 1
    assert_allclose(table["refer_all"], ill.mean() - 0.1)
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words.index("refer all at 0.1") == 2
    three = dict.fromkeys("abc", DecisionCurve.from_predictions(binary.y, score, pos_label="ill"))
    legend = DecisionCurveDisplay(three, abstain=0.1).plot().ax_.get_legend().get_texts()
    assert [text.get_text() for text in legend][4:] == [
        "each of them, may abstain at 0.1\n(windows chosen on these cases)",
        "b",
        "c",
    ]
    assert (table["with_abstention"] >= table["refer_all"] - 1e-12).all()
    curve = DecisionCurve.from_predictions(binary.y, score, pos_label="ill")
    assert DecisionCurveDisplay(curve, confidence_level=None).plot().bands_ == []


def test_calibration_in_equal_bins(binary):
    score, ill = binary.score["logistic"], binary.y == "ill"
    display = CalibrationDisplay.from_predictions(binary.y, binary.score, pos_label="ill", n_bins=6)
    table = display.frame().query("classifier == 'logistic'")
    share, mean = calibration_curve(ill, score, n_bins=6, strategy="quantile")
    assert_allclose(table["share"], share)
    assert_allclose(table["mean"], mean)
    ends = stats.binomtest(int(table["share"].iloc[2] * 20 + 0.5), 20).proportion_ci(
        method="wilson"
    )
    assert_allclose(table[["low", "high"]].iloc[2], [ends.low, ends.high])
    assert len(display.bands_) == 2
    assert display.ax_.get_xlim() == (-0.02, 1.02)
    rare = CalibrationDisplay.from_predictions(np.arange(200) < 2, np.linspace(0.02, 0.0, 200))
    assert rare.ax_.get_xlim() == rare.ax_.get_ylim() == pytest.approx((-0.0024, 0.1224))
