"""Graded answers on the command line: from a file of JSON Lines to a rule that is watched."""

import json

import numpy as np
import pandas as pd
import pytest

from cautious.decision import Rule

NAMED = ("--correct", "grade.ok", "--confidence", "sure")


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("answers", "later"):
        sure = rng.beta(5, 1, 800).round(3)
        right = rng.random(800) < sure
        rows = [
            {"id": at, "sure": one, "grade": {"ok": bool(ok)}, "topic": "ab"[at % 2]}
            for at, (one, ok) in enumerate(zip(sure.tolist(), right, strict=True))
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))


def test_a_promise_is_made_applied_required_and_watched(answers, run, run_json, fails, tmp_path):
    asked = ("--max-error", "15%", "--confidence-level", "90%", "-o", "rule.json")
    tuned = run("tune", "answers.jsonl", *NAMED, *asked)
    shown = tuned.stdout
    assert "grade 'grade.ok', confidence 'sure'; ignored" in tuned.stderr
    assert "at most 15 % of the answers are wrong" in shown
    assert "Let an answer out where its confidence is at least" in shown
    applied = run("apply", "later.jsonl", "--rule", "rule.json", "-o", "decided.csv")
    assert "later.jsonl: confidence 'sure'" in applied.stderr
    decided = pd.read_csv(tmp_path / "decided.csv")
    assert set(decided["decision"]) == {"answer", "escalate"}
    found = run_json("evaluate", "later.jsonl", "--rule", "rule.json", "--json")
    measures = found["models"]["later"]["measures"]
    assert measures["coverage"]["value"] == (decided["decision"] == "answer").mean()
    risk = measures["selective_risk"]["value"]
    limits = ("--require", f"selective_risk<={risk + 0.01}", "--require", "coverage>=10%")
    table = run("evaluate", "later.jsonl", "--rule", "rule.json", *limits).stdout
    assert "grade  cases  answered\n" in table
    limits = ("--require", "coverage>=99%")
    broken = run("evaluate", "later.jsonl", "--rule", "rule.json", *limits, code=4).stderr
    assert "later: coverage is" in broken
    assert "breaks coverage>=99%" in broken
    labels = decided.rename(columns={"grade.ok": "grade"})[["id", "grade"]]
    labels.to_csv(tmp_path / "labels.csv", index=False)
    decided[["id", "sure"]].to_csv(tmp_path / "blank.csv", index=False)
    late = ("--labels", "labels.csv", "--id", "id")
    assert "by their grades" in run("watch", "blank.csv", "--rule", "rule.json", *late).stdout
    watched = run("watch", "later.jsonl", "--rule", "rule.json", "--state", "s.json").stdout
    assert "error" in watched
    assert "quiet" in watched
    assert "of these answers are right, by their grades" in watched


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--wrong", "5"), "give both --wrong and --abstain"),
        (("--false-negative", "5", "--abstain", "1"), "one kind of mistake; give --wrong and"),
        (("--wrong", "ten", "--abstain", "1"), "'ten' is no cost; write 0 or a number above"),
        (("--wrong", "-1", "--abstain", "1"), "'-1' is no cost; write 0 or a number above"),
        (("--wrong", "5", "--abstain", "1", "--mistake", "2"), "--wrong is given beside"),
        (("--max-missed", "5%", "--confidence-level", "90%"), "graded answers; give --max-error"),
        (("--max-error", "5%", "--truth", "id"), "--correct says that these are graded answers"),
    ],
)
def test_what_does_not_go_together_is_refused_in_the_words_of_options(
    answers, fails, options, words
):
    assert words in fails("tune", "answers.jsonl", *NAMED, *options)


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
def test_rules_of_classes_and_of_graded_answers_are_told_apart(fails, tmp_path, engine):
    Rule.window(0.2, 0.8).with_details(columns={"truth": "y"}).to_json(tmp_path / "window.json")
    Rule.acceptance(0.5).to_json(tmp_path / "accept.json")
    cases = pd.DataFrame({"ok": [0, 1, 1], "sure": [0.2, 0.4, 0.9]})
    cases.to_csv(tmp_path / "g.csv", index=False)
    cases.set_axis(["y", "score"], axis=1).to_csv(tmp_path / "p.csv", index=False)
    graded = ("evaluate", "g.csv", "--correct", "ok", "--confidence", "sure", *engine)
    words = "is for classes, and these are graded answers; leave it out, or take a rule"
    assert f"--rule {words}" in fails(*graded, "--rule", "window.json")
    assert f"--utility {words}" in fails(*graded, "--utility", "u65")
    if not engine:
        assert f"--window {words}" in fails(*graded, "--window", "0.2", "0.8")
    message = fails("evaluate", "p.csv", "--rule", "accept.json", *engine)
    assert "--rule is for graded answers, and these have no grades; name the column" in message
    message = fails("watch", "g.csv", "--rule", "accept.json", "--min-npv", "90%")
    assert "--min-npv is for two classes, and the rule is for graded answers" in message
