"""The first screen: what to do, a thousand cases, five shares, and how much they rest on."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cautious.curves import AbstentionCostSurface
from cautious.report import build_report


def test_what_the_first_screen_says(three_models, open_report, scored):
    y, scores = scored
    report = open_report(three_models)
    seen = report.page.inner_text("body").split("Details for experts")[0]
    for word in ("VACC", "AURC", "μ", "ν"):  # no terms of the papers without being asked
        assert word not in seen
    report.select(0)
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    window = AbstentionCostSurface.from_predictions(y, scores["close"], pos_label="ill").for_costs(
        costs
    )
    ill, told_ill, told_well = (
        y == "ill",
        scores["close"] >= window.upper,
        scores["close"] <= window.lower,
    )
    shown = {
        "sensitivity": told_ill[ill].mean(),
        "specificity": told_well[~ill].mean(),
        "ppv": ill[told_ill].mean(),
        "npv": 1 - ill[told_well].mean(),
        "abstention": 1 - (told_ill | told_well).mean(),
        "cases-n": len(y),
        "cases-events": ill.sum(),
    }
    for key, value in shown.items():
        assert report.number(key) == pytest.approx(value, abs=1e-9), key
    # All cases are there, whatever share of them is positive, and a hundred of the rarer class.
    for prior, shown in ((36.2, 1000), (1.1, 10_000), (0.1, 100_000), (99.9, 100_000)):
        report.type("prior", prior)
        told = report.page.locator("svg.people .people-count").all_text_contents()
        assert sum(int(text.replace(",", "")) for text in told) == shown, prior
        for text in report.page.locator("svg.people .people-label").all_text_contents():
            count, *ends = (int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", text))
            assert not ends or ends[0] <= count <= ends[1], prior
        marks = report.page.evaluate(
            """() => [...document.querySelectorAll("svg.people path.person:not(.hollow)")].map(
                path => path.getAttribute("d").match(/h0|m0/g).length)"""
        )
        rarer = min(sum(int(text.replace(",", "")) for text in told[at : at + 3]) for at in (0, 3))
        assert rarer >= 100
        assert rarer + 500 <= sum(marks) - 6 <= rarer + 1003  # one beside each of the six numbers
    report.open_details()
    assert "VACC" in report.page.inner_text("[data-card='expert']")


@pytest.mark.parametrize(
    ("n", "events", "advised"),
    [
        (200, 29, 0),
        (200, 30, 1),
        pytest.param(2, 1, 0, marks=pytest.mark.slow),
    ],
)
def test_few_cases_make_a_banner_and_no_advice(tmp_path, open_report, n, events, advised):
    y = np.arange(n) < events
    score = np.linspace(1, 0, n)
    report = open_report(build_report({"m": (y.astype(int), score)}, tmp_path / "r.html"))
    card = report.page.locator("[data-card='advice']")
    assert card.locator(".lead").count() == advised
    assert card.locator("[data-key='too-few']").count() == 1 - advised
    if advised:
        assert report.number("cases-n") == n
        assert report.number("cost-low") <= report.number("new-cost")
    else:
        told = report.page.locator("svg.people .people-count").all_text_contents()
        assert sum(map(int, told)) == n  # the cases themselves, no thousand


@pytest.mark.slow
def test_verdict_people_and_shares_are_on_the_first_screen(three_models, open_report):
    report = open_report(three_models, viewport={"width": 1400, "height": 900})
    for width, height in ((1400, 900), (390, 844)):
        report.page.set_viewport_size({"width": width, "height": height})
        report.settle()
        report.settle()
        bar = report.page.locator("form.controls").bounding_box()
        end = bar["y"] if width < 500 else height  # on a phone the controls stick to the lower edge
        # Asked in one go: a drawing between two questions would take the parts away.
        parts = (".lead", "svg.people", ".tile")
        ask = "all => all.map(one => document.querySelector(one).getBoundingClientRect().toJSON())"
        for part, box in zip(parts, report.page.evaluate(ask, parts), strict=True):
            assert box["y"] >= 0, part
            assert box["bottom"] <= end, part
    report.page.mouse.wheel(0, 3000)
    report.settle()
    assert report.page.locator("form.controls").bounding_box() == bar
    assert report.page.locator("[data-slider]:visible").count() == 1
    report.page.click("[data-chip='abstain']")
    assert report.page.is_visible("[data-slider='abstain']")


def test_numbers_are_expected_or_counted_by_one_switch(three_models, open_report, scored):
    report = open_report(three_models)
    report.select(0)
    first = report.page.inner_text("[data-card='advice']")
    assert "On new cases abstaining" in first
    assert "counted here" not in report.page.inner_text("[data-card='confusion']")
    saved = report.page.inner_text("[data-key='saving']")
    low, high = (
        float(end.replace("−", "-")) for end in saved.split("(")[1].strip(")").split(" to ")
    )
    assert low <= report.number("saving") <= high
    report.page.click("button:has-text('counted on these')")
    report.settle()
    counted = report.page.inner_text("[data-card='advice']")
    assert "On these cases abstaining" in counted
    assert report.page.locator(".tile .range, .people-range, .confusion .range").count() == 0
    told = report.page.locator("svg.people .people-count").all_text_contents()
    assert sum(int(text.replace(",", "")) for text in told) == len(scored[0])
    assert "counted here" in report.page.inner_text("[data-card='confusion']")
    assert "counted on these cases" in report.page.inner_text("[data-card='table']")
    forced = report.number("forced-0")
    assert report.number("saving") == pytest.approx(forced - report.number("cost"))


def test_an_answer_that_is_never_or_seldom_given(one_model, open_report, scored):
    report = open_report(one_model)
    report.page.click("button:has-text('Thresholds')")
    tiles = lambda: report.page.inner_text(".tiles")  # noqa: E731
    report.type_all({"lower": 0.2, "upper": "∞"})
    assert tiles().count("never\nnobody is told ill") == 2  # sensitivity and PPV
    parts = report.page.locator("svg.people .people-label").all_text_contents()
    assert [part for part in parts if "told ill" in part] == [
        "0 told ill: right",
        "0 told ill: false alarm",
    ]
    report.type("upper", float(np.sort(scored[1]["close"])[-5]))
    assert "too few to say\n5 of these are told ill" in tiles()


def test_groups_that_differ_are_named_at_the_top(tmp_path, open_report):
    rng = np.random.default_rng(0)
    y, old = rng.integers(2, size=600), np.arange(600) % 2 == 1
    score = np.where(old, rng.random(600), 0.3 * rng.random(600) + 0.7 * y)
    groups = np.where(old, "old", "young")
    for name, given, said in (("a", groups, 1), ("b", rng.permutation(groups), 0)):
        cases = {"m": {"y_true": y, "y_score": score, "groups": given}}
        report = open_report(build_report(cases, tmp_path / f"{name}.html"))
        line = report.page.locator("[data-key='groups-differ']")
        assert line.count() == said
        if said:
            assert "of old, 0.0% of young" in line.inner_text()
