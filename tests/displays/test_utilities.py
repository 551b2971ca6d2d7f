"""Utilities, risk aversion and the strength of the prior."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.model_selection import KFold, cross_validate

from cautious.displays import PriorStrengthDisplay, RiskAversionDisplay, UtilityDisplay
from cautious.metrics import discounted_accuracy_score, per_sample, set_cost_score, utility_score
from cautious.models import NaiveCredalClassifier
from cautious.utility import RiskAversionCurve, crossover, quadratic, u65, u80


def test_utilities():
    display = UtilityDisplay(["u65", u80, quadratic(0.7)]).plot()
    for line, utility in zip(display.lines_, (u65, u80, quadratic(0.7)), strict=True):
        x, y = line.get_xydata().T
        assert_allclose(y, utility(x))
        assert_allclose(x[line.get_markevery()], [1 / 5, 1 / 4, 1 / 3, 1 / 2, 1])
    # Zaffalon, Corani & Mauá (2012), Table 7; of two classes in the documentation.
    assert display.frame().query("classes == 3")["value"].round(2).tolist()[:2] == [0.47, 0.60]


def test_risk_aversion_lines_and_crossover(binary):
    display = RiskAversionDisplay.from_predictions(
        binary.y, binary.sets, classes=binary.labels, random_state=0, n_resamples=200
    )
    for line, mask in zip(display.lines_, binary.sets.values(), strict=True):
        k, u = line.get_xydata().T
        assert k.tolist() == [0.5, 1.0]
        plain = discounted_accuracy_score(binary.y, mask, classes=binary.labels)
        worth = [plain, utility_score(binary.y, mask, classes=binary.labels, utility=quadratic(1))]
        assert_allclose(u, worth)
    expected = crossover(
        *(
            per_sample(discounted_accuracy_score)(binary.y, mask, classes=binary.labels)
            for mask in binary.sets.values()
        ),
        strata=binary.y,
        random_state=0,
        n_resamples=200,
    )
    assert display.crossover == expected
    table = display.crossings()
    assert_allclose(table["k"], expected.k.estimate)
    (mark,) = display.crossings_
    assert_allclose(mark.get_xydata()[0], table[["k", "utility"]].to_numpy()[0])
    assert (table.loc[0, "below"], table.loc[0, "above"]) == ("bold", "shy")
    assert "interval" in mark.get_label()
    ends = display.frame().query("risk_aversion in (0.5, 1.0)")
    assert_allclose(ends["utility"], np.concatenate([ln.get_ydata() for ln in display.lines_]))


def test_bands_of_mean_utilities(binary):
    drawn = {"classes": binary.labels, "random_state": 0, "n_resamples": 50}
    display = RiskAversionDisplay.from_predictions(binary.y, binary.sets, **drawn)
    for (name, mask), band in zip(binary.sets.items(), display.bands_, strict=True):
        worth = per_sample(utility_score)(binary.y, mask, classes=binary.labels, utility="u65")
        expected = stats.t.interval(0.95, len(worth) - 1, worth.mean(), stats.sem(worth))
        table = display.bands[name].set_index("risk_aversion")
        assert_allclose(table.loc[np.isclose(table.index, 0.65)].to_numpy()[0], expected)
        heights = band.get_paths()[0].vertices[:, 1]
        assert_allclose([heights.min(), heights.max()], [table["low"].min(), table["high"].max()])
    twice = RiskAversionDisplay.from_predictions(
        binary.y, binary.sets, sample_weight=np.full(len(binary.y), 4.0), **drawn
    )
    narrow, wide = (np.ptp(one.bands["shy"][["low", "high"]].iloc[0]) for one in (twice, display))
    assert_allclose(narrow, wide / 2, rtol=0.02)
    assert RiskAversionDisplay(display.curves).plot(curve_kwargs={}).bands_ == []


def test_crossings_of_many_are_on_the_upper_envelope():
    rng = np.random.default_rng(1)
    curves = {i: RiskAversionCurve(*rng.random(2) * [0.5, 0.25]) for i in range(12)}
    display = RiskAversionDisplay(curves).plot()
    table = display.crossings()
    k = np.linspace(0.5, 1, 10_001)
    best = np.argmax([curve(k) for curve in curves.values()], axis=0)
    changes = np.flatnonzero(np.diff(best))
    assert_allclose(table["k"], k[changes], atol=1e-4)
    assert table["below"].tolist() == best[changes].tolist()
    assert table["above"].tolist() == best[changes + 1].tolist()
    assert len(display.crossings_) == len(table) > 1


def test_parallel_lines_do_not_cross(binary):
    same = {"a": binary.sets["shy"], "b": binary.sets["shy"]}
    display = RiskAversionDisplay.from_predictions(binary.y, same, classes=binary.labels)
    assert display.crossover is None
    assert display.crossings().empty


def options():
    return {"cv": KFold(3), "return_estimator": True, "return_indices": True}


def test_cross_validations_are_paired_case_by_case(ordered):
    models = {f"s = {s}": NaiveCredalClassifier(s=s) for s in (0.5, 5)}
    results = {n: cross_validate(m, ordered.X, ordered.y, **options()) for n, m in models.items()}
    pooled = RiskAversionDisplay.from_cv_results(results, ordered.X, ordered.y, random_state=0)
    # The same folds in another order pair the cases alike.
    shuffled = {**results["s = 5"], "indices": dict(results["s = 5"]["indices"])}
    shuffled["estimator"] = shuffled["estimator"][::-1]
    shuffled["indices"]["test"] = shuffled["indices"]["test"][::-1]
    other = RiskAversionDisplay.from_cv_results(
        {**results, "s = 5": shuffled}, ordered.X, ordered.y, random_state=0
    )
    assert pooled.crossover is not None
    assert other.crossover == pooled.crossover


def test_prior_strength(ordered):
    strengths = [0.01, 1.0, 10.0]
    display = PriorStrengthDisplay.from_estimator(
        ordered.model, ordered.X, ordered.y, costs=ordered.costs, s=strengths
    )
    table = display.frame()
    for s in strengths:
        mask = NaiveCredalClassifier(s=s).fit(ordered.X, ordered.y).predict_set(ordered.X)
        for name, costs in ordered.costs.items():
            cost = set_cost_score(ordered.y, mask, costs=costs, classes=ordered.classes)
            assert_allclose(table.loc[s, name], cost)
    for line, star, name in zip(display.lines_, display.best_, table, strict=True):
        assert_allclose(line.get_xydata(), np.column_stack([strengths, table[name]]))
        assert star.get_ydata()[0] == table[name].min()
    assert display.ax_.get_xscale() == "log"
    assert ordered.model.s == 2  # the model itself is left alone


def test_prior_strength_from_cross_validation(ordered):
    result = cross_validate(NaiveCredalClassifier(), ordered.X, ordered.y, **options())
    costs = ordered.costs["r = 0.9"]
    display = PriorStrengthDisplay.from_cv_results(
        result, ordered.X, ordered.y, costs=costs, s=[1.0, 4.0]
    )
    assert display.frame().columns.tolist() == ["cost"]
    total = 0.0
    for train, test in zip(*(result["indices"][part] for part in ("train", "test")), strict=True):
        model = NaiveCredalClassifier(s=4.0).fit(ordered.X[train], ordered.y[train])
        mask = model.predict_set(ordered.X[test])
        cost = set_cost_score(ordered.y[test], mask, costs=costs, classes=model.classes_)
        total += cost * len(test)
    assert_allclose(display.frame().loc[4.0, "cost"], total / len(ordered.y))
