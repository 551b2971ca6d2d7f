"""What is carried off the page: rules, tables, pictures, sentences and links."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from cautious.curves import AbstentionCostSurface
from cautious.decision import Rule
from cautious.decision._rule_json import rules_from_json
from cautious.evaluation import evaluate
from cautious.report import build_report

COSTS = {"false_negative": 10, "false_positive": 2, "abstain": 1}


@pytest.fixture(scope="module")
def report_file(scored, tmp_path_factory):
    y, scores = scored
    predictions = {f"=1+{name}": (y, score) for name, score in scores.items()}
    path = tmp_path_factory.mktemp("take") / "binary.html"
    return build_report(predictions, path, pos_label="ill", title="Ill or well?")


def download(report, selector: str) -> tuple[str, bytes]:
    with report.page.expect_download() as started:
        report.page.click(selector)
    return started.value.suggested_filename, Path(started.value.path()).read_bytes()


def test_rule_sentence_and_table(report_file, open_report, scored):
    y, scores = scored
    report = open_report(report_file)
    report.select(0)
    name, content = download(report, "[data-take='rule']")
    assert name == "Ill-or-well.json"
    rule = Rule.from_json(content.decode())
    surface = AbstentionCostSurface.from_predictions(y, scores["close"], pos_label="ill")
    window = surface.for_costs(COSTS)
    assert rule.model == "=1+close"
    table = [[0, 10], [2, 0], [1, 1]]
    assert rule.data["n"] == len(y)
    assert rule.with_details(data=None) == Rule.window(
        window.lower, window.upper, classes=["well", "ill"], costs=table, model="=1+close"
    )
    assert rules_from_json(rule.to_json()) == {"=1+close": rule}
    assert Rule.from_json(content.decode()).to_json() == rule.to_json()
    predictions = {"=1+close": (y, scores["close"])}
    applied = evaluate(predictions, rule=content.decode(), pos_label="ill")
    assert applied.value("coverage") == pytest.approx(1 - window.abstention)
    report.page.click("[data-take='sentence']")
    report.page.wait_for_selector("[data-take='sentence']:has-text('Copied')")
    copied = report.page.evaluate("() => navigator.clipboard.readText()")
    assert "abstain between" in copied
    ends = [float(end) for end in re.findall(r"(?:up to a score of|from) (-?[\d.]+\d)", copied)]
    decided = Rule.window(*ends, classes=["well", "ill"]).predict_set(scores["close"])
    assert (decided == rule.predict_set(scores["close"])).all()
    assert "Measured on 900 cases" in copied
    check_table(*download(report, "[data-take='table']"), y, scores)


def check_table(name, content, y, scores):
    """All numbers are there in full."""
    assert name == "Ill-or-well.csv"
    table = pd.read_csv(io.BytesIO(content))
    assert table["model"].tolist() == [f"'=1+{name}" for name in scores]  # no formula
    for row, score in zip(table.itertuples(), scores.values(), strict=True):
        surface = AbstentionCostSurface.from_predictions(y, score, pos_label="ill")
        window = surface.for_costs(COSTS)
        assert row.cost_per_case == pytest.approx(window.cost, abs=1e-12)
        assert row.upper == pytest.approx(window.upper, abs=1e-12)
        assert row.vacc == pytest.approx(surface.vacc(), abs=1e-12)
        assert (row.cases, row.positives) == (len(y), (y == "ill").sum())
        assert "missed 10" in row.settings


@pytest.mark.slow
def test_a_rule_that_never_answers_can_be_saved(tmp_path, open_report):
    y = np.tile([0, 1], 40)  # both classes at every score
    path = build_report({"m": (y, np.repeat([0.2, 0.4, 0.6, 0.8], 20))}, tmp_path / "r.html")
    report = open_report(path)
    report.type("abstain", 0.01)
    rule = Rule.from_json(download(report, "[data-take='rule']")[1].decode())
    assert (rule.lower, rule.upper) == (-np.inf, np.inf)


def test_pictures_stand_alone(report_file, open_report):
    report = open_report(report_file)
    report.look_at("winner")
    said = report.page.inner_text(".lead")
    for card in ("advice", "scores", "winner", "slice"):
        name, content = download(report, f"[data-card='{card}'] [data-take='svg']")
        assert name.endswith(".svg")
        root = ElementTree.fromstring(content)
        words = " ".join(root.itertext())
        assert "900 cases" in words
        assert b"var(--" not in content  # nothing is left to a style sheet
        assert b"class=" not in content
        assert float(root.get("width")) > 300
        assert re.search(r"thresholds -?[\d.]+ and [\d.]+$", words)  # the settings to their end
        assert card != "advice" or said in words
    assert "=1+margin" in words  # the legend goes along
    assert "always answering is cheaper" in words  # and what stands below
    name, content = download(report, "[data-card='winner'] [data-take='png']")
    assert content.startswith(b"\x89PNG")
    assert len(content) > 5000


def test_settings_survive_a_reload_and_travel_in_a_link(report_file, open_report):
    report = open_report(report_file)
    report.type_all({"abstain": 0.4, "prior": 20})
    report.select(1)
    cost = report.number("cost")
    report.wait_until("() => location.hash.includes('model=1')")
    link = report.page.evaluate("() => location.href")
    report.page.reload()
    report.settle()
    assert report.number("cost") == cost
    assert report.page.input_value("[data-input='prior']") == "20"
    report.page.goto(report_file.as_uri())
    report.page.goto(link)
    report.settle()
    assert report.number("cost") == cost


NO_SETTINGS = [
    "costs=-1,2,1&share=7",
    "costs=a,b,c",
    "tab=99&model=77&by=thresholds",
    "limits=1,2,3&at=5,1",
    "%%%",
    "k=12&alone=x",
    "costs=<script>alert(1)</script>",
]


def test_addresses_are_not_believed(report_file, open_report):
    report = open_report(report_file)
    before = report.number("cost")
    for text in NO_SETTINGS:
        report.page.evaluate("text => { location.hash = text; }", text)
        report.settle()
        assert report.number("cost") == before, text
        assert np.isfinite(report.number("cost-high")), text


@pytest.mark.slow
def test_prints_on_two_pages_with_what_it_rests_on(report_file, open_report):
    report = open_report(report_file)
    # The page may have been scrolled before; what can be seen is known a frame later.
    report.page.evaluate("() => scrollTo(0, 0)")
    report.settle()
    report.settle()
    # A move is drawn at once where it can be seen, and everywhere before a print.
    seen, stale, fresh = report.page.evaluate(
        """() => {
            const number = key => document.querySelector(`[data-key='${key}']`).dataset.value,
                box = document.querySelector("[data-input='abstain']"),
                move = amount => {
                    box.value = amount;
                    box.dispatchEvent(new Event("input"));
                    return ["new-cost", "new-cost-0", "new-cost-1", "new-cost-2"].map(number);
                };
            const [seen, ...stale] = move("0.5");
            dispatchEvent(new Event("beforeprint"));
            return [seen, stale, [0, 1, 2].map(i => number(`new-cost-${i}`))];
        }"""
    )
    assert seen not in stale
    assert seen in fresh
    report.type("abstain", 1)
    pdf = report.page.pdf(format="A4", print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) == 2
    # Charts are drawn for paper, so that they can be read there, and for the screen after it.
    drawn = """when => { dispatchEvent(new Event(when)); cautious.app.finish();
        return ["advice", "scores", "winner", "roc"].map(card =>
            document.querySelector(`[data-card='${card}'] svg.chart`).getAttribute("viewBox")); }"""
    paper = report.page.evaluate(drawn, "beforeprint")
    assert {box.split()[2] for box in paper} == {"324"}
    report.page.emulate_media(media="print", color_scheme="dark")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    assert report.page.evaluate(colour) == "rgb(255, 255, 255)"
    line = report.page.inner_text("#settings")
    for words in ("900 cases", "missed 10, false 2, abstaining 1", "20"):
        assert words in line
    assert not report.page.is_visible("[data-slider='abstain']")
    said = """id => getComputedStyle(
        document.querySelector(`[data-control='${id}']`), "::after").content"""
    assert report.page.evaluate(said, "abstain") == '"1"'
    assert report.page.evaluate(said, "prior").endswith('%"')
    report.page.emulate_media(media="screen")
    screen = report.page.evaluate(drawn, "afterprint")
    assert min(int(box.split()[2]) for box in screen) > 400
