"""Two classes in a real browser: what the sliders show is what the library computes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tuning.fits import cross_fit_of

from cautious.curves import AbstentionCostSurface, RiskCoverageCurve
from cautious.report import build_report

COSTS = [
    (20, 4, 1, None),
    (3, 11, 0.8, 0.05),
    (2, 2, 1, 0.35),  # on the edge: abstaining costs exactly as much as guessing
]


def surface_of(y, score, prior):
    priors = None if prior is None else {"ill": prior, "well": 1 - prior}
    return AbstentionCostSurface.from_predictions(y, score, pos_label="ill", priors=priors)


def test_numbers_follow_the_sliders(three_models, open_report, scored):
    report = open_report(three_models)
    for costs in COSTS:  # many more in test_page_arithmetic
        check_numbers(report, *scored, *costs)


def check_numbers(report, y, scores, fn, fp, abstain, prior):
    report.page.select_option("[data-action='select-model']", "auto")
    costs = {"false_negative": fn, "false_positive": fp, "abstain": abstain}
    if prior is None and report.page.is_enabled("[data-action='sample-prior']"):
        report.page.click("[data-action='sample-prior']")
    report.type_all(costs if prior is None else costs | {"prior": 100 * prior})
    best, positives = {}, (y == "ill").mean() if prior is None else prior
    for index, (name, score) in enumerate(scores.items()):
        surface = surface_of(y, score, prior)
        expected = best[name] = surface.for_costs(costs)
        forced = surface.for_costs(costs | {"abstain": max(fn, fp)})
        vacc = (surface.flipped() if fp > fn else surface).vacc()
        values = {
            f"cost-{index}": expected.cost,
            f"lower-{index}": expected.lower,
            f"upper-{index}": expected.upper,
            f"abstention-{index}": expected.abstention,
            f"missed-{index}": expected.false_negative / positives,
            f"alarms-{index}": expected.false_positive / (1 - positives),
            f"forced-{index}": forced.cost,
            f"vacc-{index}": vacc,
        }
        assert report.numbers(*values) == pytest.approx(values, abs=1e-9), name
    expected = {name: report.number(f"new-cost-{index}") for index, name in enumerate(scores)}
    cheapest = min(expected, key=expected.__getitem__)  # on new cases
    assert report.page.inner_text("[data-key='model']") == cheapest
    assert report.number("cost") == pytest.approx(best[cheapest].cost, abs=1e-9)
    assert report.number("new-cost") == expected[cheapest]
    assert report.number("cost-low") <= expected[cheapest] <= report.number("cost-high")
    index = list(best).index("tied")
    report.select(index)
    plane = best["tied"]
    rates = {
        "rate-tn": plane.true_negative,
        "rate-fn": plane.false_negative,
        "rate-fp": plane.false_positive,
        "rate-tp": plane.true_positive,
        "rate-abstainedNegative": plane.abstained_negative,
        "rate-abstainedPositive": plane.abstained_positive,
    }
    assert report.numbers(*rates) == pytest.approx(rates, abs=1e-9)


def test_moving_a_slider_with_the_keyboard(three_models, open_report, scored):
    report = open_report(three_models)
    y, scores = scored
    report.type("abstain", 0.5)
    before = float(report.page.input_value("[data-input='abstain']"))
    report.page.focus("[data-slider='abstain']")
    for _ in range(10):
        report.page.keyboard.press("ArrowRight")
    report.settle()
    abstain = float(report.page.input_value("[data-input='abstain']"))
    assert abstain > before
    costs = {"false_negative": 10, "false_positive": 2, "abstain": abstain}
    expected = surface_of(y, scores["close"], None).for_costs(costs)
    assert report.number("cost-0") == pytest.approx(expected.cost, abs=1e-9)
    spoken = report.page.locator("[data-key='live']", has_text="abstain between")
    spoken.wait_for(state="attached", timeout=5000)  # what a screen reader is told, after a pause


def test_dragging_over_the_map_moves_the_costs(three_models, open_report):
    report = open_report(three_models)
    report.look_at("winner")
    chart = report.page.locator("[data-card='winner'] svg.chart")
    box = chart.bounding_box()
    at = box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"]
    report.page.mouse.move(*at)
    report.page.mouse.down()
    report.settle()  # the map under the pointer is a new one now
    report.page.mouse.move(at[0] - 60, at[1] + 40)
    report.settle()
    moved = float(report.page.input_value("[data-input='false_positive']"))
    report.page.mouse.up()
    report.page.mouse.move(*at)
    report.settle()
    inside = box["width"] - 52 - 22  # between the margins of the chart
    assert moved == pytest.approx(10 * (0.7 * box["width"] - 60 - 52) / inside, abs=0.15)
    assert float(report.page.input_value("[data-input='false_positive']")) == moved
    assert 0 < float(report.page.input_value("[data-input='abstain']")) < 5


def test_maps_are_those_of_the_surfaces_and_are_kept(three_models, open_report, scored):
    report = open_report(three_models)
    y, scores = scored
    for index, name in ((0, "close"), (2, "tied")):
        curve = RiskCoverageCurve.from_predictions(y == "ill", scores[name])
        assert report.number(f"aurc-{index}") == pytest.approx(curve.aurc, abs=1e-9)
    assert np.isnan(report.number("aurc-1"))  # margins do not say how sure they are
    card = report.page.locator("[data-card='difference'] select")
    card.nth(0).select_option("0")
    card.nth(1).select_option("1")
    report.settle()
    report.look_at("difference")
    kept = "cautious.app.problems[0].distinct.grid?.gaps?.['0,1']"
    grid = report.page.evaluate(f"() => Array.from({kept}.values)")
    # On new cases, as the map of winners.
    for at in range(1, len(grid), 29):
        mu, nu = at % 25 / 24, at // 25 / 24
        costs = {"false_negative": 1, "false_positive": mu, "abstain": nu}
        assert grid[at] == pytest.approx(expected_gap(y, scores, costs), abs=1e-9)
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    assert report.number("difference") == pytest.approx(expected_gap(y, scores, costs), abs=1e-9)
    report.page.evaluate(f"() => {{ globalThis.kept = {kept} }}")
    for abstain in (0.3, 3):
        report.type("abstain", abstain)
        assert report.page.evaluate(f"() => globalThis.kept === {kept}")
    report.type("prior", 20)  # computed anew, in the background
    report.page.wait_for_function(f"() => globalThis.kept !== {kept}")


def expected_gap(y, scores, costs):
    close, margin = (
        cross_fit_of(y == "ill", y_score=scores[name], costs=costs).expected(0.95).cost.estimate
        for name in ("close", "margin")
    )
    return close - margin


def test_details_for_experts(three_models, open_report):
    report = open_report(three_models)
    report.open_details()
    words = report.page.locator("[data-card='expert'] .unsure")
    assert "all costs at which a missed “ill” is the more expensive mistake" in words.inner_text()
    assert "abstaining costs at most half of that mistake" in words.inner_text()
    card = report.page.locator("[data-card='map']")
    for body, drawn in (("map", "image"), ("3-D", "polygon")):
        card.locator("button", has_text=body).click()
        for kind in ("cost", "abstain", "lower", "upper"):
            card.locator("select").select_option(kind)
            report.settle()
            assert card.locator(f"svg.chart {drawn}").count() > 0, (body, kind)
    card.locator("svg.chart").focus()
    seen = {card.locator("svg.chart").inner_html()}
    for _ in range(3):  # every drawing is a new element, and keeps the focus
        report.page.keyboard.press("ArrowLeft")
        report.settle()
        seen.add(card.locator("svg.chart").inner_html())
    assert len(seen) == 4
    report.type("false_positive", 90)
    assert "all costs at which a false “ill” is the more expensive mistake" in words.inner_text()


def test_tables_sort_and_select_by_keyboard(three_models, open_report):
    report = open_report(three_models)
    report.settle()
    table = report.page.locator("[data-card='table']")
    order = lambda: [n.split()[0] for n in table.locator("tbody th").all_inner_texts()]  # noqa: E731
    first = order()
    table.locator("button.sort", has_text="cost on new cases").focus()
    report.page.keyboard.press("Enter")
    report.settle()
    assert order() == first[::-1]
    assert report.page.evaluate("() => document.activeElement.textContent") == "cost on new cases"
    table.locator("button.row-name").nth(0).focus()
    report.page.keyboard.press("Enter")
    report.settle()
    assert report.page.inner_text("[data-key='model']") == first[-1]
    focused = report.page.evaluate("() => document.activeElement.textContent")
    assert focused == first[-1]


def test_impossible_costs_are_refused_and_change_nothing(three_models, open_report):
    report = open_report(three_models)
    before = report.number("cost")
    box = report.page.locator("[data-input='false_negative']")
    said = report.page.locator("#false_negative-problem")
    for value in ("0", "-3", "", "ten"):
        report.type("false_negative", value)
        assert box.get_attribute("aria-invalid") == "true"
        assert "give a number above 0" in said.inner_text()
        assert "10 counts" in said.inner_text()
        assert report.number("cost") == before
    report.type("prior", 100)
    assert "above 0 and below 100" in report.page.inner_text("#prior-problem")
    report.type("false_negative", "2,5")  # a decimal comma is no mistake
    assert box.get_attribute("aria-invalid") == "false"
    assert said.inner_text() == ""
    assert report.page.evaluate("() => cautious.app.costs.false_negative") == 2.5


@pytest.mark.slow
def test_equal_models_are_called_equal(scored, tmp_path, open_report):
    y, scores = scored
    y, score = y[:200], scores["close"][:200]
    same = {"one": (y, score), "two": (y, 3 * score)}
    report = open_report(build_report(same, tmp_path / "r.html", pos_label="ill"))
    report.look_at("winner")  # until the models have been compared
    report.open_details()
    assert "no model is better" in report.page.inner_text("[data-card='expert']")


def test_one_model_that_answers_nothing(tmp_path, open_report):
    # Both classes at every score, in shares that do not quite add up to one.
    y = np.concatenate([[0] * 3 + [1] * (level + 1) for level in range(9)])
    score = np.concatenate([[level / 10] * (level + 4) for level in range(9)])
    report = open_report(build_report({"m": (y, score)}, tmp_path / "r.html"))
    assert report.page.input_value("[data-input='abstain']") == "1"  # unless the caller says
    cards = report.page.eval_on_selector_all("[data-card]", "n => n.map(c => c.dataset.card)")
    assert "winner" not in cards  # there is nothing to compare it with
    assert "confusion" in cards
    report.type("abstain", 0.01)
    tiles = report.page.inner_text("[data-card='advice'] .tiles")
    assert "100%" in tiles
    assert "<" not in tiles
    assert report.number("abstention") == pytest.approx(1)


def test_thresholds_near_an_edge_are_written_clear_of_their_grips(tmp_path, open_report):
    y = np.r_[np.zeros(40, int), np.arange(40) % 2, np.ones(40, int)]
    score = np.r_[np.full(40, 0.02), np.linspace(0.03, 0.97, 40), np.full(40, 0.98)]
    costs = {"false_negative": 10, "false_positive": 10, "abstain": 1}
    report = open_report(build_report({"m": (y, score)}, tmp_path / "r.html", costs=costs))
    report.look_at("scores")
    boxes = report.page.evaluate(
        """() => [".cut-label", ".grip"].map(which => [...document.querySelectorAll(
            `[data-card='scores'] ${which}`)].map(each => each.getBoundingClientRect().toJSON()))"""
    )
    labels, grips = boxes
    assert len(labels) == len(grips) == 2
    for one in labels:
        for other in [*grips, *(label for label in labels if label != one)]:
            apart_x = one["right"] <= other["left"] or other["right"] <= one["left"]
            apart_y = one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
            assert apart_x or apart_y
