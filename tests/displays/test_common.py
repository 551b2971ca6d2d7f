"""What all displays have in common: where answers come from, names, axes, looks, refusals."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.text import Text
from pandas.testing import assert_frame_equal
from sklearn.model_selection import cross_validate

from cautious import displays as d
from cautious.costs import ordinal, p_discounted
from cautious.curves import AbstentionCostSurface, AbstentionROC, DecisionCurve
from cautious.displays import _display as shared
from cautious.displays._display import DASHES, OKABE_ITO, line_styles, plain_text
from cautious.models import CredalTreeClassifier, NaiveCredalClassifier

COSTS = {"costs": {"false_negative": 5, "false_positive": 3, "abstain": 1}}
ONE_SCORE = [
    (d.WindowDisplay, COSTS),
    (d.WindowDisplay, COSTS | {"kind": "people"}),
    (d.AbstentionROCDisplay, {"kind": "readings"}),
    *((d.CostSurfaceDisplay, {"n": 5, "value": v}) for v in ("cost", "abstention", "lower")),
    *((d.CostSurfaceDisplay, {"n": 5, "value": v, "projection": "3d"}) for v in ("cost", "upper")),
]
SCORES = [
    (d.CalibrationDisplay, {}),
    (d.DecisionCurveDisplay, {}),
    (d.AbstentionROCDisplay, {"levels": [0]}),
    (d.CostSurfaceDisplay, {"value": "difference", "n": 5}),
    (d.CostSurfaceDisplay, {"value": "cheapest", "n": 5, "confidence_level": None}),
]
PROBABILITIES = [(d.ResponseDisplay, {}), (d.RiskCoverageDisplay, {})]
SETS = [(d.CapacityDisplay, {}), (d.RiskAversionDisplay, {"random_state": 0, "n_resamples": 50})]
SEVERAL = SCORES + PROBABILITIES + SETS
ALONE = ONE_SCORE + SCORES[:3] + PROBABILITIES + SETS


@pytest.fixture(scope="module")
def sources(binary, ordered, cv):
    """By display: data, fitted classifiers, cross-validations, answers, and their keyword."""
    scores = (binary, binary.models, cv, binary.score, {"pos_label": "ill"})
    probas = (binary, binary.models, cv, binary.proba, {"classes": binary.labels})
    models = {f"s = {s}": NaiveCredalClassifier(s=s).fit(ordered.X, ordered.y) for s in (0.5, 5)}
    keep = {"cv": 3, "return_estimator": True, "return_indices": True}
    found = {n: cross_validate(m, ordered.X, ordered.y, **keep) for n, m in models.items()}
    answers = {name: model.predict_set(ordered.X) for name, model in models.items()}
    sets = (ordered, models, found, answers, {"classes": ordered.classes})
    kinds = [(ONE_SCORE + SCORES, scores), (PROBABILITIES, probas), (SETS, sets)]
    return {display: source for members, source in kinds for display, _ in members}


def pooled(display, result, X, y):
    """Truths and answers of a cross-validation, fold by fold."""
    method = "predict_set" if display in dict(SETS) else "predict_proba"
    folds = list(zip(result["estimator"], result["indices"]["test"], strict=True))
    answers = np.concatenate([getattr(model, method)(X[test]) for model, test in folds])
    scored = display not in dict(SETS + PROBABILITIES)
    return np.concatenate([y[test] for _, test in folds]), answers[:, 1] if scored else answers


@pytest.mark.parametrize(("display", "options"), SEVERAL)
def test_several_classifiers(display, options, sources):
    data, models, results, answers, known = sources[display]
    direct = display.from_predictions(data.y, answers, **options, **known)
    given = options | ({} if "classes" in known else known)
    fitted = display.from_estimator(models, data.X, data.y, **given)
    assert_frame_equal(fitted.frame(), direct.frame())
    found = display.from_cv_results(results, data.X, data.y, **given)
    assert list(found.curves) == list(fitted.curves) == list(models)


@pytest.mark.parametrize(("display", "options"), ALONE)
def test_one_classifier(display, options, sources):
    data, models, results, answers, known = sources[display]
    name, model = list(models.items())[-1]
    kind = type(model).__name__
    given = options | ({} if "classes" in known else known)
    fitted = display.from_estimator(model, data.X, data.y, **given)
    direct = display.from_predictions(data.y, answers[name], name=kind, **options, **known)
    assert_frame_equal(fitted.frame(), direct.frame())
    assert fitted.ax_.get_title() == direct.ax_.get_title()
    found = display.from_cv_results(results[name], data.X, data.y, **given)
    truth, outputs = pooled(display, results[name], data.X, data.y)
    expected = display.from_predictions(truth, outputs, name=kind, **options, **known)
    assert_frame_equal(found.frame(), expected.frame())
    assert list(found.curves) == list(fitted.curves) == [kind]
    mine = display.from_cv_results(results[name], data.X, data.y, name="mine", **given)
    assert list(mine.curves) == ["mine"]


def test_weights_and_priors_are_passed_on(sources):
    data, models, results, answers, known = sources[d.CostSurfaceDisplay]
    options = {"n": 5, "sample_weight": np.linspace(0.5, 2, 120), "priors": (0.9, 0.1)} | known
    fitted = d.CostSurfaceDisplay.from_estimator(models["Bayes"], data.X, data.y, **options)
    direct = d.CostSurfaceDisplay.from_predictions(data.y, answers["Bayes"], **options)
    assert_frame_equal(fitted.frame(), direct.frame())
    assert fitted.curves["GaussianNB"].priors == pytest.approx((0.9, 0.1))
    truth, score = pooled(d.CostSurfaceDisplay, results["Bayes"], data.X, data.y)
    found = d.CostSurfaceDisplay.from_cv_results(results["Bayes"], data.X, data.y, **options)
    order = np.concatenate(results["Bayes"]["indices"]["test"])
    options["sample_weight"] = options["sample_weight"][order]
    expected = d.CostSurfaceDisplay.from_predictions(truth, score, **options)
    assert_frame_equal(found.frame(), expected.frame())


def test_names_axes_and_style(binary):
    figure, axes = pyplot.subplots(1, 2)
    before = pyplot.get_fignums()
    given = {"classes": binary.labels, "curve_kwargs": {"linewidth": 5}, "ax": axes[1]}
    display = d.RiskCoverageDisplay.from_predictions(
        binary.y, binary.proba["Bayes"], name="mine", **given
    )
    assert (display.ax_, display.figure_) == (axes[1], figure)
    assert pyplot.get_fignums() == before
    assert not axes[0].lines
    assert display.lines_[0].get_linewidth() == 5
    assert display.lines_[0].get_label().startswith("mine (AURC")
    assert display.plot(name="other").lines_[0].get_label().startswith("other")
    part = figure.subfigures(1, 2)[0]
    assert d.UtilityDisplay("u65").plot(part.subplots()).figure_ is figure
    given = {"value": "difference", "pos_label": "ill", "n": 5}
    two = d.CostSurfaceDisplay.from_predictions(binary.y, binary.score, **given)
    assert "cost of one" in two.plot(name=("one", "two")).ax_.get_title()
    strengths = d.PriorStrengthDisplay(pd.DataFrame({"a": [2.0, 1.0]}, index=[10.0, 1.0]))
    assert strengths.plot(name="ERA").ax_.get_title().startswith("ERA: ")
    assert strengths.frame().index.tolist() == [1.0, 10.0]
    coloured = d.CostSurfaceDisplay(two.curves["Bayes"], n=5).plot(curve_kwargs={"cmap": "magma"})
    assert coloured.mesh_.get_cmap().name == "magma"


SURFACE = AbstentionCostSurface.from_predictions([0, 1], [0.1, 0.9])
ROC = AbstentionROC.from_predictions([0, 1], [0.1, 0.9])
ONE_CLASS = AbstentionROC.from_predictions([1, 1], [0.2, 0.8], pos_label=1, classes=(0, 1))
DECISION = DecisionCurve.from_predictions([0, 1], [0.1, 0.9])
TWO, THREE = {"a": SURFACE, "b": SURFACE}, ([0.1, 0.2, 0.2], [0.8, 0.9, 0.5])
OF_THREE = p_discounted(ordinal(3), r=0.5)
RISK = d.RiskCoverageDisplay
SAID = ([0, 1], [[0.9, 0.1], [0.2, 0.8]])
REFUSED = {
    "there are 2 curves": lambda: RISK.from_predictions([0, 1], {"a": SAID[1], "b": SAID[1]}).plot(
        name="mine"
    ),
    "leave name= out": lambda: RISK.from_predictions([0, 1], {"a": SAID[1]}, name="mine"),
    "curves is empty": lambda: RISK({}),
    "risk is 'mean'": lambda: RISK.from_predictions(*SAID, risk="mean"),
    "name is 'speed'": lambda: d.ResponseDisplay.from_predictions(*SAID, measure="speed"),
    "return_estimator=True": lambda: RISK.from_cv_results({"test_score": [1]}, [[0]], [0]),
    "confidence_level is 95": lambda: d.CapacityDisplay.from_predictions(
        ["0", "1"], ["0", "1"], confidence_level=95
    ),
    r"levels\[1\] is 1.5": lambda: d.AbstentionROCDisplay(ROC, levels=[0, 1.5]),
    "levels is empty": lambda: d.AbstentionROCDisplay(ROC, levels=[]),
    "kind is 'points'": lambda: d.AbstentionROCDisplay(ROC, kind="points"),
    "2 classifiers; four readings": lambda: d.AbstentionROCDisplay(
        {"a": ROC, "b": ROC}, kind="readings"
    ),
    "2 classifiers; a surface": lambda: d.AbstentionROCDisplay(
        {"a": ROC, "b": ROC}, kind="surface"
    ),
    "y_true holds one class": lambda: d.AbstentionROCDisplay(ONE_CLASS).plot(),
    "fewer than 2 levels": lambda: d.AbstentionROCDisplay(ONE_CLASS, kind="surface").plot(),
    "value is 'middle'": lambda: d.CostSurfaceDisplay(SURFACE, value="middle"),
    "projection is 'polar'": lambda: d.CostSurfaceDisplay(SURFACE, projection="polar"),
    "2 classifiers given; a surface is": lambda: d.CostSurfaceDisplay(TWO),
    "projection='3d'": lambda: d.CostSurfaceDisplay(SURFACE, projection="3d").plot(
        pyplot.figure().subplots()
    ),
    "1 classifier given; a difference is of two": lambda: d.CostSurfaceDisplay.from_predictions(
        [0, 1], {"a": [0, 1]}, value="difference"
    ),
    "3 classifiers given; a difference is of two": lambda: d.CostSurfaceDisplay(
        TWO | {"c": SURFACE}, value="difference"
    ),
    "1 classifier given; the cheapest": lambda: d.CostSurfaceDisplay(SURFACE, value="cheapest"),
    "for one classifier, '3d'": lambda: d.CostSurfaceDisplay(
        TWO, value="cheapest", projection="3d"
    ),
    "n is 2": lambda: d.CostSurfaceDisplay(TWO, value="cheapest", n=2),
    "kind is 'cases'": lambda: d.WindowDisplay(SURFACE, window=(0, 1), kind="cases"),
    "either costs": lambda: d.WindowDisplay(SURFACE),
    "or window=": lambda: d.WindowDisplay(SURFACE, window=(0, 1), **COSTS),
    "give two thresholds": lambda: d.WindowDisplay(SURFACE, window=0.5),
    "people is 0": lambda: d.WindowDisplay(SURFACE, window=(0, 1), people=0),
    "are 2 classifiers; a window": lambda: d.WindowDisplay(TWO, window=(0, 1)),
    r"thresholds is \(": lambda: d.DecisionCurveDisplay(DECISION, thresholds=(0.5, 0.2)),
    "thresholds is 0.5": lambda: d.DecisionCurveDisplay(DECISION, thresholds=0.5),
    "abstain is -1": lambda: d.DecisionCurveDisplay(DECISION, abstain=-1).plot(),
    "confidence_level is 950": lambda: d.DecisionCurveDisplay(DECISION, confidence_level=950),
    "are no probabilities": lambda: d.CalibrationDisplay.from_predictions([0, 1], [-3.0, 2.0]),
    "n_bins is 0": lambda: d.CalibrationDisplay(SURFACE, n_bins=0),
    "there are 2 utilities": lambda: d.UtilityDisplay(["u65", "u80"]).plot(name="mine"),
    "utilities is empty": lambda: d.UtilityDisplay([]),
    "2 classifiers; strengths": lambda: d.PriorStrengthDisplay.from_estimator(TWO, [[0]], [0]),
    "table is empty": lambda: d.PriorStrengthDisplay(pd.DataFrame()),
    r"strength 0\.0": lambda: d.PriorStrengthDisplay(pd.DataFrame({"a": [1.0]}, index=[0.0])),
    "give the distributions start= and end=": lambda: d.UtilityDisplay(OF_THREE),
    "different classes": lambda: d.UtilityDisplay(
        {"a": OF_THREE, "b": p_discounted(ordinal(2), r=0.5)}
    ),
    "start and end are for costs": lambda: d.UtilityDisplay("u65", start=[1, 0]),
    "start": lambda: d.UtilityDisplay(OF_THREE, start=[0.5, 0.5, 0.5], end=[0, 0, 1]),
    "over 2 classes": lambda: d.CredalTriangleDisplay(([0.1, 0.2], [0.8, 0.9])),
    "classes holds 2 names": lambda: d.CredalTriangleDisplay(THREE, classes=["a", "b"]),
    "truth has 2 rows and intervals 1": lambda: d.CredalTriangleDisplay(
        THREE, classes=["a", "b", "c"], truth=["a", "b"]
    ),
    "at least two classifiers": lambda: d.ComparisonDisplay({"a": 1.0}, critical_difference=1.0),
    "critical_difference is 0": lambda: d.ComparisonDisplay(
        {"a": 1.0, "b": 2.0}, critical_difference=0
    ),
    "give a pair of names": lambda: d.ComparisonDisplay(np.eye(2)).plot(name="u65"),
    "scores has 3 columns": lambda: d.ComparisonDisplay(np.eye(3), kind="pairs"),
    "kind is 'bars'": lambda: d.ComparisonDisplay(np.eye(2), kind="bars"),
}


@pytest.mark.parametrize(("words", "refused"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_drawn_is_refused(words, refused):
    with pytest.raises(ValueError, match=words):
        refused()


def test_wrong_kinds_are_refused(binary, ordered, monkeypatch):
    tree, (X, y) = CredalTreeClassifier().fit(ordered.X, ordered.y), (ordered.X, ordered.y)
    with pytest.raises(TypeError, match="CredalTreeClassifier, whose s cannot be changed"):
        d.PriorStrengthDisplay.from_estimator(tree, X, y, costs=ordered.costs)
    with pytest.raises(TypeError, match="scores holds the text 'x'; scores are numbers"):
        d.ComparisonDisplay({"a": [0.5, 0.6], "b": ["x", 0.5]})
    with pytest.raises(TypeError, match="scores holds the text 'x'; mean ranks are numbers"):
        d.ComparisonDisplay({"a": 1.0, "b": "x"}, critical_difference=1.0)
    with pytest.raises(TypeError, match="costs is missing"):
        d.PriorStrengthDisplay.from_predictions([0, 1], {1.0: [0, 1]})
    with pytest.raises(TypeError, match="table holds the text 'classifier'; strengths are"):
        d.PriorStrengthDisplay.from_predictions([0, 1], [0, 1], costs=p_discounted(ordinal(2), r=1))
    with pytest.raises(TypeError, match="no predict_proba_bounds"):
        d.CredalTriangleDisplay.from_estimator(binary.models["Bayes"], binary.X)
    with pytest.raises(TypeError, match="ax is of type ndarray"):
        d.UtilityDisplay("u65").plot(pyplot.subplots(1, 2)[1])
    with pytest.raises(TypeError, match="curves is a AbstentionROC; give RiskCoverageCurve, one"):
        RISK({"a": ROC})
    with pytest.raises(TypeError, match="cv_results is 3"):
        RISK.from_cv_results(3, X, y)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'cautious\[plots\]'"):
        d.UtilityDisplay("u65").plot()


def test_lines_differ_in_more_than_colour():
    looks = line_styles(40)
    assert [look["color"] for look in looks[:3]] == list(OKABE_ITO[:3])
    for key in ("color", "linestyle", "marker"):
        assert len({str(look[key]) for look in looks[: len(DASHES)]}) == len(DASHES)
    assert len({tuple(map(str, look.values())) for look in looks}) == 40


def test_own_colours_are_taken():
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(color=["red", "lime"])}):
        colours = [to_hex(look["color"]) for look in line_styles(3)]
        assert colours == ["#ff0000", "#00ff00", "#ff0000"]
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(linestyle=["-"])}):
        assert line_styles(1)[0]["color"] == OKABE_ITO[0]


def test_displays_on_the_same_axes_take_several_colours(binary):
    _, ax = pyplot.subplots()
    alone = [
        d.RiskCoverageDisplay.from_predictions(
            binary.y, proba, classes=binary.labels, name=name, ax=ax, optimal=True
        )
        for name, proba in binary.proba.items()
    ]
    together = RISK.from_predictions(binary.y, binary.proba, classes=binary.labels).lines_
    lines = [display.lines_[0] for display in alone]
    for look in ("get_color", "get_linestyle"):
        assert [getattr(line, look)() for line in lines] == [
            getattr(line, look)() for line in together
        ]
    for display in (d.DecisionCurveDisplay, d.CalibrationDisplay):
        lines += display.from_predictions(binary.y, binary.score, pos_label="ill", ax=ax).lines_
    assert len({line.get_color() for line in lines}) == 6
    ax.clear()
    assert alone[0].plot(ax).lines_[0].get_color() == lines[0].get_color()


def test_many_points_do_not_slow_the_legend(monkeypatch):
    monkeypatch.setattr(shared, "_MANY_POINTS", 3)
    assert RISK.from_predictions(*SAID).ax_.get_legend()._get_loc() == 2  # upper left


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("plain", "plain"),
        (3, "3"),
        (None, "None"),
        ("a$b$", r"a\$b\$"),
        ("two\nlines\tand\x00more", "two lines and more"),
        ("_x", "\u200b_x"),
        ("", "(no name)"),
        ("\ud800", "(no name)"),
        ("x" * 32, "x" * 32),
        ("abcdefghij" * 4, "abcdefghij" * 3 + "a…"),
        (" " * 1000 + "a", "…"),
    ],
)
def test_plain_text(label, text):
    assert plain_text(label) == text
    assert plain_text("x" * 33, most=10) == "x" * 9 + "…"


def test_dollar_signs_are_drawn_as_such(binary):
    names = dict(zip(["$5", "_hidden", "x" * 99], [binary.sets["shy"]] * 3, strict=True))
    display = d.CapacityDisplay.from_predictions(binary.y, names, classes=binary.labels)
    display.figure_.canvas.draw()
    words = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert words[1].startswith(r"\$5 (")
    assert "_hidden (" in words[2]
    assert words[3].startswith("x" * 31 + "… (")


HOSTILE = [
    (("$x_{", ""), ("<script>alert(1)</script>", "$\\frac$", "_a{b}%#&~^\\")),
    (("🦄 \x00\x07", "x" * 10_000), ("y" * 10_000, "z\n\t\r\u2028" * 3_000, "\u202emirrored")),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning")
@pytest.mark.parametrize(("names", "classes"), HOSTILE, ids=["syntax", "length"])
def test_any_name_is_drawn(gallery, names, classes):
    drawn = gallery(names, classes)
    assert {type(display).__name__ for display in drawn} == set(d.__all__)
    for display in drawn:
        assert len(display.frame())
        legend = display.ax_.get_legend()
        assert display.ax_.get_title() or legend.get_title().get_text()
        text = " ".join(t.get_text() for t in display.figure_.findobj(Text))
        assert len(text) < 3_000


@pytest.mark.slow
def test_texts_do_not_overlap(gallery):
    for display in gallery(("random forest", "naive Bayes"), ("healthy", "ill", "unknown")):
        if display.ax_.name == "3d":
            continue  # their texts are turned, so boxes say nothing
        isolines = getattr(display, "isolines_", None)
        left_out = [] if isolines is None else list(isolines.labelTexts)
        for axis in (display.ax_.xaxis, display.ax_.yaxis):
            low, high = sorted(axis.get_view_interval())
            at = 0 if axis is display.ax_.xaxis else 1
            # Tick labels exist beyond the limits of an axis, too, but are not drawn.
            left_out += [axis.offsetText] + [
                tick for tick in axis.get_ticklabels()
                if not display.ax_.axison or not low <= tick.get_position()[at] <= high
            ]  # fmt: skip
        drawn = [
            (t, t.get_window_extent())
            for t in display.figure_.findobj(Text)
            if t.get_visible() and t.get_text().strip() and t not in left_out
        ]
        inside = display.figure_.bbox.padded(1)
        for text, box in drawn:
            assert inside.x0 <= box.x0, (display, text)
            assert box.x1 <= inside.x1, (display, text)
        for (a, box), (b, other) in itertools.combinations(drawn, 2):
            assert not box.padded(-1).overlaps(other.padded(-1)), (display, a, b)
