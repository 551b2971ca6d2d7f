"""Rules for several classes and limits for two, set on the page, decide as the library does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious.decision import Rule
from cautious.guarantees import Certificate
from cautious.metrics import SetCounts
from cautious.report import build_report


@pytest.fixture(scope="module")
def report_file(classified, tmp_path_factory):
    y, p, classes = classified
    path = tmp_path_factory.mktemp("rules") / "r.html"
    return build_report({"m": {"y_true": y, "y_proba": p, "classes": classes}}, path)


def choose(report, name: str) -> None:
    report.page.locator(".modes button", has_text=name).click()
    report.settle()


def saved_rule(report) -> Rule:
    with report.page.expect_download() as started:
        report.page.click("[data-take='rule']")
    return Rule.from_json(Path(started.value.path()).read_text("utf-8"))


def check(report, classified):
    """The page's shares are those of the rule that it saves, as the library applies it."""
    y, p, classes = classified
    rule = saved_rule(report)
    counts = SetCounts.from_predictions(y, rule.predict_set(p), classes=classes)
    single, silent = counts.size == 1, counts.size == len(classes)
    share = lambda mask: counts.weight[mask].sum() / counts.weight.sum()  # noqa: E731
    # The page keeps probabilities with few digits: a case on a threshold may fall on either side.
    assert report.number("containment") == pytest.approx(share(counts.hit), abs=2.5 / len(y))
    assert report.number("determinacy") == pytest.approx(share(single), abs=2.5 / len(y))
    assert report.number("abstention") == pytest.approx(share(silent), abs=2.5 / len(y))
    told = report.page.locator("svg.people .people-count").all_text_contents()
    assert sum(int(text.replace(",", "")) for text in told) == pytest.approx(1000, abs=1)
    return rule


def test_every_kind_of_rule(report_file, open_report, classified):
    report = open_report(report_file)
    choose(report, "Confidence")
    report.type("threshold", 0.55)
    assert check(report, classified) == Rule.confidence(0.55, classes=classified[2], model="m")
    choose(report, "Per class")
    report.page.get_by_label("least probability of the answer cedar").fill("0.9")
    report.settle()
    rule = check(report, classified)
    assert rule.thresholds == (0.7, 0.7, 0.9, 0.7, 0.7)
    choose(report, "Most useful sets")
    report.type("k", 0.8)
    assert check(report, classified).kind == "utility"
    choose(report, "Cheapest sets")
    report.page.get_by_label("cost of answering ash where the truth is fir").fill("3")
    report.type("reward", 0.4)
    rule = check(report, classified)
    assert (rule.kind, rule.costs.p_correct, rule.costs.matrix[0, 4]) == ("set_costs", 0.6, 3)
    choose(report, "Costs")
    report.page.get_by_label("cost of answering ash where the truth is fir").fill("7")
    report.type("abstain", 0.3)
    rule = check(report, classified)
    assert rule.costs is not None
    text = report.page.inner_text("[data-card='advice']")
    assert "Cost per case" in text
    assert "by the table of costs." in text
    report.type("mistake", 2)
    text = report.page.inner_text("[data-card='advice']")
    assert "a mistake costs 2, abstaining 0.3." in text


def test_words_and_ranking_follow_the_costs(classified, tmp_path, open_report):
    y, p, classes = classified
    rng = np.random.default_rng(0)
    worse = p * np.exp(rng.normal(size=p.shape))
    both = {"worse": worse / worse.sum(axis=1, keepdims=True), "better": p}
    given = {name: {"y_true": y, "y_proba": one, "classes": classes} for name, one in both.items()}
    report = open_report(build_report(given, tmp_path / "r.html"))
    title = report.page.locator("[data-card='table'] h2")
    offered = report.page.locator("[data-action='select-model'] option")
    assert title.inner_text().startswith("Models, the most useful first")
    assert offered.all_inner_texts()[0] == "the most useful model"
    for name in ("Costs", "Cheapest sets"):
        choose(report, name)
        assert title.inner_text().startswith("Models, the cheapest first")
        assert offered.all_inner_texts() == ["the cheapest model", "worse", "better"]
        assert "most useful" not in report.page.inner_text("[data-card='advice']")
        cells = report.page.locator("[data-card='table'] td [data-key^='cost-']")
        costs = [float(one.get_attribute("data-value")) for one in cells.all()]
        # Three kinds of answers of each model, and the rule on both; rare sets have no prices.
        assert len(costs) == (8 if name == "Costs" else 4)
        words = report.page.inner_text("[data-card='table'] caption")
        assert ("not known one by one" in words) == (name == "Cheapest sets")
        assert costs == sorted(costs)
        assert report.number("least-cost") == costs[0]
        ruled = [report.number(f"cost-{at}") for at in (6, 7)]
        assert ruled[1] < ruled[0]
        assert "With better, " in report.page.inner_text(".lead")
        assert (
            report.page.locator("[data-card='table'] tr.chosen").inner_text().startswith("better,")
        )
        report.select(0)
        assert "With worse, " in report.page.inner_text(".lead")
        report.page.locator(
            "[data-card='table'] tbody tr", has_text=f"better, {name.lower()}"
        ).click()
        report.settle()
        assert "With better, " in report.page.inner_text(".lead")
        report.page.select_option("[data-action='select-model']", "auto")
        report.settle()
    right = np.array(classes)[p.argmax(axis=1)] == y
    choose(report, "Costs")  # every mistake costs 1, abstaining a half
    assert report.number("cost-3") == pytest.approx(1 - right.mean(), abs=1e-9)
    choose(report, "As given")
    assert title.inner_text().startswith("Models, the most useful first")


def test_pairs_wrong_cells_and_the_address(report_file, open_report, classified):
    y, p, classes = classified
    report = open_report(report_file)
    report.select(0)
    told = np.array(classes)[p.argmax(axis=1)]
    pairs, counts = np.unique(
        [f"{a} {b}" for a, b in zip(y, told, strict=True) if a != b], return_counts=True
    )
    first = report.page.locator("[data-card='pairs'] tbody tr").first.inner_text().split()
    assert int(first[2]) == counts.max()
    assert " ".join(first[:2]) in pairs[counts == counts.max()]
    # Cells that cannot be used change nothing.
    choose(report, "Costs")
    before = report.number("containment")
    report.page.get_by_label("cost of abstaining where the truth is elm").fill("-1")
    report.settle()
    assert "give a number from 0 up" in report.page.inner_text("#editor-problem")
    assert report.number("containment") == before
    # The rule is in the address.
    choose(report, "Per class")
    report.type("all-thresholds", 0.42)
    shown = report.number("abstention")
    report.wait_until("() => location.hash.includes('0.42')")
    report.page.reload()
    report.settle()
    assert report.number("abstention") == shown
    report.page.evaluate("() => { location.hash = 'rule=costs&table=1,2;x'; }")
    report.settle()
    assert report.page.evaluate("() => cautious.app.problems[0].view.rule.costs[0][1]") == 1


def test_limits_are_kept_or_refused_in_words(one_model, scored, open_report):
    y, scores = scored
    report = open_report(one_model)
    report.page.locator(".modes button", has_text="Limits").click()
    report.settle()
    report.type_all({"limit-missed": 2, "limit-error": 5})
    lower, upper = report.number("lower"), report.number("upper")
    ill, score = y == "ill", scores["close"]
    no, yes = score <= lower, score >= upper
    assert (no & ill).sum() / ill.sum() <= 0.02
    assert ((no & ill) | (yes & ~ill)).sum() / (no | yes).sum() <= 0.05
    report.type("limit-abstention", 0)
    assert "keeps these limits" in report.page.inner_text("[data-key='refused']")
    report.type_all({"limit-abstention": 100, "limit-missed": 100, "limit-error": 15})
    report.page.check("[data-input='promise']")
    report.settle()
    report.page.wait_for_selector(".evidence:has-text('hold on new cases with 95% confidence')")
    report.type("limit-error", 0.01)
    assert "promise" in report.page.inner_text("[data-key='refused']")
    report.type("limit-error", 101)
    assert "from 0 to 100" in report.page.inner_text("#limit-error-problem")


def test_the_file_of_a_rule_says_where_it_is_from(scored, tmp_path, open_report):
    y, scores = scored
    columns = {"truth": "sick?", "score": "risk (v2)"}
    cases = pd.DataFrame({"sick?": y, "risk (v2)": np.round(scores["close"], 3)})
    report = open_report(build_report(cases, tmp_path / "r.html", pos_label="ill", **columns))
    by_costs = saved_rule(report)
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    tuned = cautious.tune(cases, costs=costs, pos_label="ill", honest=False, **columns).rule
    assert by_costs.with_details(model=tuned.model) == tuned
    choose(report, "Limits")
    report.type_all({"limit-abstention": 100, "limit-missed": 100, "limit-error": 15})
    limited = saved_rule(report)
    assert (limited.costs, limited.certificate) == (None, None)
    assert limited.data["goal"] == {"max_error": 0.15, "per": "answer"}
    report.page.check("[data-input='promise']")
    report.settle()
    promised = saved_rule(report)
    certificate = Certificate.from_dict(promised.certificate)
    assert "15 % of the answers are wrong" in str(certificate)
    assert certificate.tests
    assert promised.costs is None
    # The library takes it as its own: it finds the column, and has something to watch.
    done = cautious.apply(cases, promised)
    assert done.n == len(y)
    watched = str(cautious.watch(cases, promised, truth="sick?"))
    assert "15.0 %" in watched
    assert "When the rule was tuned" in watched
    report.type("limit-abstention", 50)
    assert "Take it away" in report.page.inner_text("[data-key='refused']")
    report.page.click("[data-take='rule']")  # there is none to save
    assert report.page.inner_text("[data-take='rule']") == "No rule keeps the limits"
    choose(report, "Thresholds")
    report.type_all({"lower": 0.2, "upper": 0.7})
    by_hand = saved_rule(report)
    assert (by_hand.lower, by_hand.upper, by_hand.costs) == (0.2, 0.7, None)
    assert "goal" not in by_hand.data


@pytest.mark.parametrize("width", [1280, 390])
def test_no_threshold_is_cut_off(scored, tmp_path, open_report, width):
    y, scores = scored
    score = 1234567 + 1e-7 * scores["margin"]  # told apart by fifteen digits
    report = open_report(build_report({"m": (y, score)}, tmp_path / "r.html", pos_label="ill"))
    page = report.page
    page.set_viewport_size({"width": width, "height": 900})
    report.settle()
    box = page.locator("[data-card='scores'] svg.chart").bounding_box()
    for share in (0.05, 0.5, 0.95):  # near either edge
        ends = page.evaluate("() => cautious.app.problems[0].models[0].histogram")
        low, high = ends["low"], ends["high"]
        at = low + share * (high - low)
        page.evaluate("([at]) => { location.hash = `by=thresholds&model=0&at=${at},${at}`; }", [at])
        report.wait_until("() => cautious.app.thresholds?.upper === " + repr(at))
        report.settle()
        label = page.locator(".cut-label").last
        drawn = label.bounding_box()
        assert drawn["x"] >= box["x"]
        assert drawn["x"] + drawn["width"] <= box["x"] + box["width"]
        assert abs(float(label.text_content()) - at) < (high - low) / 10


def test_nothing_answered_is_said_once(one_model, open_report):
    report = open_report(one_model)
    choose(report, "Thresholds")
    report.type_all({"lower": "-inf", "upper": "inf"})
    tiles = report.page.locator(".tile").all_inner_texts()
    for name in ("PPV", "NPV"):
        (words,) = [text for text in tiles if text.startswith(name)]
        assert words.split("\n")[1:] == ["never", "nothing is answered"]
    assert "(" not in "".join(report.page.locator(".people-label").all_text_contents())
    assert report.page.inner_text("[data-key='abstentions-count']").endswith("nothing is answered.")


@pytest.mark.slow
def test_best_is_said_only_of_models_that_are_told_apart(scored, tmp_path, open_report):
    y, scores = scored
    rng = np.random.default_rng(0)
    twin = np.clip(scores["close"] + 0.0005 * rng.normal(size=len(y)), 0, 1)
    models = {"close": (y, scores["close"]), "twin": (y, twin), "poor": (y, rng.random(len(y)))}
    report = open_report(build_report(models, tmp_path / "r.html", pos_label="ill"))
    lead = report.page.inner_text(".lead")
    assert "is expected to do best, but cannot be told apart from" in lead
    assert "poor" not in lead
    table = report.page.inner_text("[data-card='table']")
    assert table.count("cannot be told apart") == 1
    report.look_at("winner")
    regions = report.page.locator("[data-card='winner'] .region").all_text_contents()
    assert set(regions) == {"no model is better than the others here"}


def test_groups_of_a_dropped_file(one_model, scored, open_report):
    y, scores = scored
    report = open_report(one_model)
    ward = np.where(np.arange(len(y)) % 3 == 0, "north", "south")
    rows = zip(y, scores["close"], ward, strict=True)
    text = "y_true,score,group\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    report.drop("wards.csv", text.encode())
    report.select(1)
    lower, upper = report.number("lower"), report.number("upper")
    for name in ("north", "south"):
        score = scores["close"][ward == name]
        answered = ((score <= lower) | (score >= upper)).mean()
        assert report.number(f"group-coverage-{name}") == pytest.approx(answered, abs=1e-9)
