"""Graded answers on the page: one threshold, found and judged as the library does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.report.core import ask_models
from tests.report.test_page_rules import saved_rule

import cautious
from cautious.decision import Rule
from cautious.evaluation import evaluate
from cautious.report import build_report

READ = {"correct": "right", "confidence": "belief"}
FOUND = """const { costs } = given, window = core.bestWindow(core.makeSurface(model, null), costs),
      own = core.windowAt(model, null, window.lower, window.upper);
    return { window, own, expected: core.estimatesOf(model, null, costs), risk: model.risk };"""


def answers(n=300, seed=0, digits=2, scale=1.0):
    rng = np.random.default_rng(seed)
    belief = rng.beta(3, 1.5, n)
    right = rng.random(n) < 0.9 * belief
    return pd.DataFrame({"right": right, "belief": np.round(scale * belief, digits)})


def found_on_page(cases, wrong, abstain, **columns):
    costs = {"fn": wrong, "fp": wrong, "abstain": abstain, "graded": True}
    return ask_models(FOUND, cases, READ | columns, costs=costs)


def check(cases, wrong, abstain, **columns):
    page = found_on_page(cases, wrong, abstain, **columns)
    tuning = cautious.tune(cases, costs={"wrong": wrong, "abstain": abstain}, **READ, **columns)
    rule = tuning.rule
    assert page["window"]["lower"] == "-Infinity"
    assert float(page["window"]["upper"]) == pytest.approx(rule.threshold, abs=1e-9)
    (model,) = tuning.found.values()
    assert page["window"]["cost"] == pytest.approx(model.cost, abs=1e-9)
    for shown in (page["window"], page["own"]):
        assert shown["abstention"] == pytest.approx(model.abstention, abs=1e-9)
        assert shown["fp"] == pytest.approx(model.error, abs=1e-9)
        assert shown["fn"] == shown["tn"] == 0
    expected = next(iter(tuning.expected.values())).frame()
    names = {"selective_error": "selectiveError"}
    for name in ("abstention", "error", "selective_error", "cost", "saving"):
        shown = page["expected"][names.get(name, name)]
        told = [float(shown[end]) for end in ("value", "low", "high")]
        assert told == pytest.approx(expected.loc[name].tolist(), abs=1e-9, nan_ok=True), name
    aurc = evaluate(cases, measures=["aurc"], **READ, **columns).value("aurc")
    assert page["risk"]["aurc"] == pytest.approx(aurc, abs=1e-9)


@pytest.mark.parametrize("scale", [1, 40])
@pytest.mark.parametrize("digits", [1, 2, 6])
@pytest.mark.parametrize(("wrong", "abstain"), [(5, 1), (2, 1), (20, 1), (1, 3), (3, 0)])
def test_one_threshold_as_tune_finds_it(wrong, abstain, digits, scale):
    check(answers(digits=digits, scale=scale), wrong, abstain)


def test_missing_confidences_groups_and_many_cases():
    cases = answers(digits=3).assign(group=np.arange(300) // 3)
    check(cases, 5, 1, groups="group")
    missing = cases.assign(belief=cases["belief"].where(cases.index % 50 > 0))
    page = found_on_page(missing, 5, 1)  # which leaves out what has no confidence
    assert page == found_on_page(missing.dropna(), 5, 1)
    check(cases.assign(group=1, can=np.arange(300) % 9 > 0), 5, 1, answerable="can")
    many = answers(n=4000, digits=4)
    page = found_on_page(many, 5, 1)
    tuning = cautious.tune(many, costs={"wrong": 5, "abstain": 1}, **READ)
    assert float(page["window"]["upper"]) == pytest.approx(tuning.rule.threshold, abs=1e-9)
    (expected,) = tuning.expected.values()
    assert page["expected"]["cost"]["value"] == pytest.approx(expected.cost.estimate, abs=0.01)


def test_the_page_reads_answer_or_escalate(tmp_path, open_report):
    cases = answers(digits=3).assign(other=answers(seed=1)["belief"])
    path = tmp_path / "r.html"
    report = open_report(build_report(cases, path, costs={"wrong": 4, "abstain": 1}, **READ))
    text = report.page.inner_text("main")
    assert "Answer from a confidence of" in report.page.inner_text(".lead")
    assert "escalate below it" in report.page.inner_text(".lead")
    for word in ("positive", "abstain", "false alarm", "sensitivity"):
        assert word not in text.lower(), word
    tuned = cautious.tune(cases, costs={"wrong": 4, "abstain": 1}, **READ).rule
    assert saved_rule(report).with_details(model=tuned.model) == tuned
    assert report.page.locator("[data-handle='lower']").count() == 0
    assert report.page.locator(".modes .toggle button").all_inner_texts() == ["Costs", "Thresholds"]
    report.type("false_positive", 20)
    tuned = cautious.tune(cases, costs={"wrong": 20, "abstain": 1}, **READ).rule
    assert report.number("upper") == pytest.approx(tuned.threshold, abs=1e-9)
    report.page.locator(".modes button", has_text="Thresholds").click()
    report.settle()
    report.type("upper", 0.5)
    by_hand = saved_rule(report)
    assert (by_hand.kind, by_hand.threshold, by_hand.costs) == ("acceptance", 0.5, None)
    counted = Rule.acceptance(0.5).accept(cases["belief"])
    wrong = (counted & ~cases["right"]).sum() / counted.sum()
    report.page.locator(".figures .toggle button", has_text="counted").click()
    report.settle()
    assert report.number("abstention") == pytest.approx(1 - counted.mean())
    assert report.number("selectiveError") == pytest.approx(wrong)
