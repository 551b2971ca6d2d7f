"""What is wanted of two classes can be said by costs or by thresholds, by mouse, touch and keys."""

from __future__ import annotations

import numpy as np
import pytest

from cautious.report import build_report


def check_window(report, y, score, lower, upper):
    ill, told_ill, told_well = y == "ill", score >= upper, score <= lower
    missed, alarms = (told_well & ill).mean(), (told_ill & ~ill & ~told_well).mean()
    silent = (~told_ill & ~told_well).mean()
    assert report.number("abstention") == pytest.approx(silent, abs=1e-9)
    assert report.number("cost") == pytest.approx(10 * missed + 2 * alarms + silent, abs=1e-9)
    assert report.number("specificity") == pytest.approx(told_well[~ill].mean(), abs=1e-9)


def test_thresholds_by_numbers(three_models, open_report, scored):
    y, scores = scored
    report = open_report(three_models)
    report.select(0)
    before = report.number("lower"), report.number("upper")
    report.page.click("button:has-text('Thresholds')")
    report.settle()
    assert (
        report.number("lower"),
        report.number("upper"),
    ) == before  # it begins with what is shown
    for lower, upper in ((0.2, 0.6), (0.5, 0.5), (0.61, 0.9), (0.05, 0.07)):
        report.type_all({"lower": lower, "upper": upper})
        check_window(report, y, scores["close"], lower, upper)
    report.type("lower", 0.8)  # it takes the other along
    assert report.page.evaluate("() => cautious.app.thresholds") == {"lower": 0.8, "upper": 0.8}
    report.type("lower", "much")
    assert "give a number" in report.page.inner_text("#lower-problem")
    report.type_all({"lower": "-∞", "upper": "∞"})
    assert report.number("abstention") == 1
    assert "Abstain on everything" in report.page.inner_text(".lead")


def test_what_numbers_are_worth_depends_on_where_the_rule_is_from(three_models, open_report):
    report = open_report(three_models)
    report.select(0)
    expected = report.number("new-cost")
    report.page.click("button:has-text('Thresholds')")
    report.settle()
    # They were chosen on these cases, whatever they are called now.
    assert report.number("new-cost") == expected
    assert report.page.inner_text("[data-key='origin']") == ""
    report.type("lower", 0.2)
    assert "as set by you; not chosen on these" in report.page.inner_text("[data-key='origin']")
    assert report.number("new-cost") == pytest.approx(report.number("cost"))
    assert report.number("cost-low") < report.number("cost") < report.number("cost-high")
    report.page.click("button:has-text('Limits')")
    report.type("limit-missed", 100)
    for promise, words in ((False, "nothing is promised"), (True, "by exact tests")):
        report.page.set_checked("#promise", promise)
        report.type("limit-error", 20)
        report.page.wait_for_selector(f"[data-key='origin']:has-text('{words}')")
        searched = report.page.evaluate(
            "() => cautious.app.problems[0].models[0].limited.estimates.cost.value"
        )
        assert report.number("new-cost") == pytest.approx(searched)
        assert report.number("new-cost") != pytest.approx(report.number("cost"), abs=1e-9)


def test_thresholds_are_dragged_on_the_histogram(three_models, open_report, scored):
    y, scores = scored
    report = open_report(three_models)
    report.select(0)
    report.look_at("scores")
    line = report.page.locator("[data-handle='upper'] .cut").bounding_box()
    at = line["x"] + line["width"] / 2 + 4, line["y"] + line["height"] / 2
    report.page.mouse.move(*at)
    report.page.mouse.down()
    for step in (20, 40, 60):
        report.page.mouse.move(at[0] + step, at[1])
        report.settle()
    report.page.mouse.up()
    ends = report.page.evaluate("() => cautious.app.thresholds")
    moved = report.page.locator("[data-handle='upper'] .cut").bounding_box()
    assert moved["x"] == pytest.approx(line["x"] + 64, abs=3)
    check_window(report, y, scores["close"], ends["lower"], ends["upper"])
    report.page.focus("[data-handle='lower']")
    for _ in range(4):  # every drawing is a new element, and keeps the focus
        report.page.keyboard.press("ArrowLeft")
        report.settle()
    after = report.page.evaluate("() => cautious.app.thresholds")
    assert after["lower"] == pytest.approx(ends["lower"] - 4 / 200, abs=2e-3)
    check_window(report, y, scores["close"], after["lower"], after["upper"])


@pytest.mark.slow
def test_margins_and_thinned_scores_snap_to_known_steps(tmp_path, open_report):
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=60_000)
    score = y + rng.normal(size=len(y))
    report = open_report(build_report({"m": (y, score)}, tmp_path / "r.html"))
    report.page.click("button:has-text('Thresholds')")
    report.type("upper", 1.2)
    report.type("lower", 0.1)
    lower, upper = report.number("lower"), report.number("upper")
    assert (lower, upper) == pytest.approx((0.1, 1.2), abs=0.05)
    silent = ((score > lower) & (score < upper)).mean()
    assert report.number("abstention") == pytest.approx(silent, abs=1e-9)


@pytest.mark.slow
def test_a_swipe_over_a_map_scrolls_and_a_tap_moves_the_costs(three_models, open_report):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    report = open_report(three_models, **phone)
    chart = report.page.locator("[data-card='winner'] svg.chart")
    report.look_at("winner")
    before = report.page.evaluate("() => [JSON.stringify(cautious.app.costs), scrollY]")
    box = chart.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = report.page.context.new_cdp_session(report.page)
    for kind, dy in (("touchStart", 0), *(("touchMove", -15 * i) for i in range(1, 9))):
        touch.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y + dy}]}
        )
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    report.settle()
    after = report.page.evaluate("() => [JSON.stringify(cautious.app.costs), scrollY]")
    assert after[0] == before[0]
    assert after[1] != before[1]
    report.page.wait_for_timeout(500)  # until the page has come to rest
    report.look_at("winner")
    box = chart.bounding_box()
    report.page.touchscreen.tap(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
    report.settle()
    assert report.page.evaluate("() => JSON.stringify(cautious.app.costs)") != before[0]


def test_charts_are_read_by_pointer_and_keys(three_models, open_report):
    report = open_report(three_models)
    for card in ("slice", "risk"):
        chart = report.page.locator(f"[data-card='{card}'] svg.chart")
        report.look_at(card)
        box = chart.bounding_box()
        report.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert "close" in chart.locator(".readout").text_content()
        report.page.mouse.move(0, 0)
        chart.focus()
        seen = set()
        for _ in range(3):
            report.page.keyboard.press("ArrowRight")
            seen.add(chart.get_attribute("aria-valuetext"))
        assert len(seen) == 3
        assert all("close" in text for text in seen)
    chart = report.page.locator("[data-card='winner'] svg.chart")
    chart.focus()
    before = report.page.input_value("[data-input='false_positive']")
    report.page.keyboard.press("ArrowRight")
    report.settle()
    assert report.page.input_value("[data-input='false_positive']") != before
    card = report.page.locator("[data-card='slice']")
    for lines in (1, 3):  # a name in a legend shows its line alone, and all lines again
        card.locator(".legend-key", has_text="margin").click()
        report.settle()
        assert card.locator("path.line").count() == lines


@pytest.mark.slow
def test_bars_people_and_bodies_are_read_by_pointer_and_keys(three_models, open_report):
    report = open_report(three_models)
    report.select(0)
    for card, host, across in (("scores", ".reader", 0.12), ("advice", "svg.people", 0.3)):
        reader = report.page.locator(f"[data-card='{card}'] {host}")
        chart = report.page.locator(f"[data-card='{card}'] svg.chart")
        report.look_at(card)
        box = reader.bounding_box()
        report.page.mouse.move(box["x"] + across * box["width"], box["y"] + 0.7 * box["height"])
        assert "well" in chart.locator(".readout").text_content()
        report.page.mouse.move(0, 0)
        reader.focus()
        seen = []
        for key in ("Home", "ArrowRight", "End"):
            report.page.keyboard.press(key)
            seen.append(reader.get_attribute("aria-valuetext"))
        assert len(set(seen)) == 3
        assert all("well" in text or "ill" in text for text in seen)
    # What is said of the last bar is what is there.
    reader = report.page.locator("[data-card='scores'] .reader")
    reader.focus()
    report.page.keyboard.press("End")
    histogram = report.page.evaluate("() => cautious.app.problems[0].models[0].histogram")
    last = histogram["positives"][-1]
    assert f"ill: {last} case" in reader.get_attribute("aria-valuetext")
    report.open_details()
    report.page.click("button:has-text('3-D')")
    report.settle()
    report.page.locator("svg.turn").focus()
    report.page.keyboard.press("Shift+ArrowRight")
    first = report.page.inner_text("[data-key='read-3d']")
    report.page.keyboard.press("Shift+ArrowUp")
    assert "least cost" in first != report.page.inner_text("[data-key='read-3d']")
    label = report.page.get_attribute("[data-card='winner'] svg.chart", "aria-label")
    assert "at the cross" in label
