"""Graded answers on the page: one threshold, found and judged as the library does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.report.core import ask_models
from tests.report.test_choices import alike
from tests.report.test_page_rules import choose, saved_rule

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
    right = ("tp", "abstainedPositive")  # as many as there are, escalated or not
    shares = sum(page["expected"]["cells"][name]["value"] for name in right)
    assert shares == pytest.approx(sum(page["own"][name] for name in right), abs=1e-9)
    aurc = evaluate(cases, measures=["aurc"], **READ, **columns).value("aurc")
    assert page["risk"]["aurc"] == pytest.approx(aurc, abs=1e-9)


@pytest.mark.parametrize("scale", [1, 40])
@pytest.mark.parametrize("digits", [1, 2, 6])
@pytest.mark.parametrize(("wrong", "abstain"), [(5, 1), (2, 1), (20, 1), (1, 3), (3, 0)])
def test_one_threshold_as_tune_finds_it(wrong, abstain, digits, scale):
    check(answers(digits=digits, scale=scale), wrong, abstain)


@pytest.mark.parametrize("seed", range(12))
def test_limits_and_promises_as_tune_finds_them(seed):
    rng = np.random.default_rng(seed)
    n, digits, scale = int(rng.integers(150, 1400)), seed % 5 + 1, [1, 7][seed % 2]
    cases, limit = answers(n, seed, digits, scale), float(rng.choice([0.05, 0.2, 0.3, 0.4]))
    if seed % 3 == 0:  # some answers have no confidence
        cases["belief"] = cases["belief"].where(rng.random(n) < 0.9)
    kept, least, expected, promised = ask_models(
        """const error = { error: given.limit }, costs = { fn: 5, fp: 5, abstain: 1, graded: true };
        return [
          core.budgetWindow(model, null, error),
          core.budgetWindow(model, null, { abstention: given.limit }),
          core.budgetEstimates(model, null, costs, error),
          core.budgetWindow(model, null, error, { promise: true }),
        ];""",
        cases,
        READ,
        limit=limit,
    )
    tuning = cautious.tune(cases, max_error=limit, **READ)
    for found, rule in (
        (kept, tuning.rule),
        (least, cautious.tune(cases, max_abstention=limit, **READ).rule),
    ):
        assert float(found["window"]["upper"]) == pytest.approx(rule.threshold, abs=1e-9)
    table = next(iter(tuning.expected.values())).frame()
    for name, shown in (("abstention", "abstention"), ("selective_error", "selectiveError")):
        told = [float(expected[shown][end]) for end in ("value", "low", "high")]
        assert told == pytest.approx(table.loc[name].tolist(), abs=1e-9, nan_ok=True)
    tuning = cautious.tune(cases, max_error=limit, confidence_level=0.95, **READ)
    (certificate,) = tuning.certificates.values()
    assert promised["none"] == (not tuning.found)
    if promised["none"]:
        assert promised["needed"] == certificate.cases_needed
    else:
        assert float(promised["window"]["upper"]) == pytest.approx(tuning.rule.threshold, abs=1e-9)
        assert alike(promised["certificate"], tuning.rule.certificate)


@pytest.mark.parametrize("right", [True, False])
def test_answers_that_are_all_right_or_all_wrong_are_shown(right, tmp_path, open_report):
    cases = answers(60).assign(right=right)
    report = open_report(build_report(cases, tmp_path / "r.html", **READ))
    counts = "60 cases of right and 0 of wrong" if right else "0 cases of right and 60 of wrong"
    assert counts in report.page.inner_text("[data-key='too-few']")
    assert report.number("abstention") == (not right)
    assert "NaN" not in report.page.inner_text("main")


def test_missing_confidences_groups_and_many_cases():
    cases = answers(digits=3).assign(group=np.arange(300) // 3)
    check(cases, 5, 1, groups="group")
    missing = cases.assign(belief=cases["belief"].where(cases.index % 50 > 0))
    check(missing, 5, 1)
    check(missing, 1, 3)  # which answers whatever has a confidence
    check(missing, 5, 1, groups="group")
    check(cases.assign(group=1, can=np.arange(300) % 9 > 0), 5, 1, answerable="can")
    many = answers(n=4000, digits=4)
    many["belief"] = many["belief"].where(many.index % 50 > 0)
    page = found_on_page(many, 5, 1)
    tuning = cautious.tune(many, costs={"wrong": 5, "abstain": 1}, **READ)
    assert float(page["window"]["upper"]) == pytest.approx(tuning.rule.threshold, abs=1e-9)
    (expected,) = tuning.expected.values()
    assert page["expected"]["abstention"]["value"] == pytest.approx(expected.abstention.estimate)
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
    report.type("false_positive", 20)
    tuned = cautious.tune(cases, costs={"wrong": 20, "abstain": 1}, **READ).rule
    assert report.number("upper") == pytest.approx(tuned.threshold, abs=1e-9)
    choose(report, "Limits")
    report.page.check("[data-input='promise']")
    report.type("limit-error", 50)
    one = cautious.tune(cases, max_error=0.5, confidence_level=0.95, **READ).rule
    limited = saved_rule(report)
    assert (limited.threshold, limited.data["goal"]) == (one.threshold, one.data["goal"])
    assert alike(limited.certificate, one.certificate)
    choose(report, "Thresholds")
    report.type("upper", 0.5)
    by_hand = saved_rule(report)
    assert (by_hand.kind, by_hand.threshold, by_hand.costs) == ("acceptance", 0.5, None)
    counted = Rule.acceptance(0.5).accept(cases["belief"])
    wrong = (counted & ~cases["right"]).sum() / counted.sum()
    report.page.locator(".figures .toggle button", has_text="counted").click()
    report.settle()
    assert report.number("abstention") == pytest.approx(1 - counted.mean())
    assert report.number("selectiveError") == pytest.approx(wrong)
