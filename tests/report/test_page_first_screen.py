"""The first screen: what to do, a thousand cases, five shares, and how much they rest on."""

from __future__ import annotations

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
    # A thousand cases are a thousand, whatever share of them is positive.
    for prior in (36.2, 0.1, 99.9):
        report.type("prior", prior)
        told = report.page.locator("svg.people .people-count").all_text_contents()
        assert sum(int(text.replace(",", "")) for text in told) == 1000, prior
        ranges = report.page.locator("svg.people .people-range").all_text_contents()
        for count, text in zip(told, ranges, strict=True):
            low, high = (int(end.replace(",", "")) for end in text.strip(" ()").split("–"))
            assert low <= int(count.replace(",", "")) <= high, prior
        marks = report.page.evaluate(
            """() => [...document.querySelectorAll("svg.people path.person:not(.hollow)")].map(
                path => path.getAttribute("d").match(/h0|m0/g).length)"""
        )
        assert sum(marks) == 1000 + 6, prior  # and one beside each of the six numbers
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
