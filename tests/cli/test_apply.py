"""``cautious apply``: one library call, printed; or the data themselves, in a pipe."""

import subprocess
import sys

import pandas as pd
import pytest

from cautious.decision import Rule
from cautious.decision._rule_json import rules_to_json


@pytest.fixture
def rule(tmp_path):
    Rule.window(0.3, 0.7, classes=["fine", "bad"], model="good").to_json(tmp_path / "rule.json")
    return "rule.json"


def test_answers_are_written_and_counted(run, run_json, scores, rule):
    told = run("apply", "good.csv", "--rule", rule, "-o", "answers.parquet").stdout
    assert told.splitlines()[0].strip() == "good.csv"  # not the model of the rule
    assert "abstained" in told
    assert "200 cases with their answers were written to answers.parquet." in told
    answered = pd.read_parquet(scores / "answers.parquet")
    found = run_json("apply", "good.csv", "--rule", rule, "--json")["models"]["good"]
    assert found["abstained"] == (answered["y_set"] == "?").sum()
    assert found["answers"]["bad"] == (answered["y_set"] == "bad").sum()
    again = run_json("evaluate", "answers.parquet", "--positive", "bad", "--json")["models"]
    asked = run_json("evaluate", "good.csv", "--positive", "bad", "--rule", rule, "--json")[
        "models"
    ]
    for name in ("abstention", "error"):
        assert again["answers"]["measures"][name] == asked["good"]["measures"][name]


def test_tuned_then_applied(run, run_json, scores):
    run("tune", "good.csv", "--positive", "bad", "--max-error", "0.05", "-o", "tuned.json")
    found = run_json("apply", "good.csv", "--rule", "tuned.json", "--json")["models"]["good"]
    assert found["cases"] == 200


def test_a_rule_remembers_the_column_it_was_tuned_on(run, run_json, fails, scores):
    cases = pd.read_csv(scores / "good.csv").rename(columns={"score": "risk"})
    cases.assign(score=0.5).to_csv(scores / "risk.csv", index=False)
    told = ("--score", "risk", "--positive", "bad", "--max-error", "0.05")
    run("tune", "risk.csv", *told, "-o", "tuned.json")
    found = run_json("apply", "risk.csv", "--rule", "tuned.json", "--json")["models"]
    told = ("good.csv", "--rule", "tuned.json", "--score", "score", "--json")
    again = run_json("apply", *told)["models"]
    assert list(found.values()) == list(again.values())
    for way in ((), ("--engine", "local")):
        told = ("evaluate", "risk.csv", "--rule", "tuned.json", "--json", *way)
        (seen,) = run_json(*told)["models"].values()
        (counted,) = found.values()
        assert seen["measures"]["abstention"]["value"] == counted["abstained"] / 200
    assert "tuned on the column 'risk'" in fails("apply", "good.csv", "--rule", "tuned.json")
    assert "SCORE = 'risk'" in run("apply", "--rule", "tuned.json", "--show-code").stdout
    told = ("apply", "--rule", "tuned.json", "--show-code", "--score", "danger")
    assert "SCORE = 'danger'" in run(*told).stdout


def test_standard_input_to_standard_output(run, rule, tmp_path):
    result = run("apply", "-", "--rule", rule, "-o", "-", stdin="id,score\n1,0.9\n2,\n")
    assert result.stdout == "id,score,y_set\n1,0.9,bad\n2,,?\n"
    assert "1 of 2 cases have no score" in result.stderr


def test_without_output_answers_are_counted(run, scores, rule):
    result = run("apply", "good.csv", "--rule", rule)
    assert "Add -o FILE" in result.stderr
    assert "written" not in result.stdout


def test_the_code_runs_by_itself(run, scores, rule, tmp_path):
    code = run("apply", "--rule", rule, "--show-code").stdout
    (tmp_path / "rule.py").write_text(code)
    run("apply", "good.csv", "--rule", rule, "-o", "ours.csv")
    with (scores / "good.csv").open() as cases:
        found = subprocess.run(
            [sys.executable, "-I", "rule.py"], stdin=cases, capture_output=True, cwd=tmp_path
        )
    assert found.stdout == (scores / "ours.csv").read_bytes()


def test_what_is_missing_is_said(fails, scores, rule, tmp_path):
    assert "--rule is missing" in fails("apply", "good.csv")
    assert "there are no cases" in fails("apply", "--rule", rule)
    assert "which is read" in fails("apply", "good.csv", "--rule", rule, "-o", "good.csv")
    assert "its name must end in" in fails("apply", "good.csv", "--rule", rule, "-o", "answers")
    (tmp_path / "other.csv").write_text("id,value\n1,2\n")
    assert "--score" in fails("apply", "other.csv", "--rule", rule)
    rules_to_json({name: Rule.window(0, 1) for name in "ab"}, tmp_path / "two.json")
    assert "--only" in fails("apply", "good.csv", "--rule", "two.json")
    assert "choose one with --only" in fails("apply", "--rule", "two.json", "--show-code")
    (tmp_path / "cut.json").write_text((tmp_path / "two.json").read_text()[:90])
    assert "`cautious tune -o` writes one" in fails("apply", "good.csv", "--rule", "cut.json")


def test_a_rule_without_a_model_is_named_after_the_file(run_json, scores):
    Rule.window(0.2, 0.8, classes=["fine", "bad"]).to_json(scores / "plain.json")
    found = run_json("apply", "good.csv", "--rule", "plain.json", "--json")
    assert list(found["models"]) == ["good"]
