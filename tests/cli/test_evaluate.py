"""``cautious evaluate``: the library's own numbers, from every kind of file."""

import io
import json

import pandas as pd
import pytest


def value(document, model, measure):
    return document["models"][model]["measures"][measure]["value"]


def test_csv_is_a_tidy_table(run, scores):
    result = run(
        "evaluate", "good.csv", "poor.csv", "--positive", "bad", "--csv", "--group", "site"
    )
    frame = pd.read_csv(io.StringIO(result.stdout))
    assert list(frame.columns) == ["model", "part", "name", "measure", "value", "low", "high"]
    assert set(frame["part"]) == {"all", "class", "group"}
    assert set(frame["model"]) == {"good", "poor"}
    assert not frame.duplicated(["model", "part", "name", "measure"]).any()


def test_wrong_among_all_cases_and_among_answers(run, scores):
    """The measure `error` is of all cases; what --max-error limits is selective_risk."""
    args = ("evaluate", "good.csv", "--positive", "bad", "--window", 0.4, 0.6)
    names = ("coverage", "error", "selective_risk", "selective_accuracy")
    asked = [word for name in names for word in ("--measure", name)]
    measures = json.loads(run(*args, *asked, "--json").stdout)["models"]["good"]["measures"]
    coverage, error, risk, accuracy = (measures[name]["value"] for name in names)
    assert 0 < coverage < 1
    assert risk == pytest.approx(error / coverage) == pytest.approx(1 - accuracy)
    assert risk > error > 0
    assert "selective_risk" in run("evaluate", "--help").stdout


def test_the_table_is_for_people(run, scores):
    result = run("evaluate", "good.csv", "poor.csv", "--positive", "bad")
    for words in (
        "good",
        "poor",
        "answered (coverage)",
        "wrong among answers (selective risk)",
        "abstained on (abstention)",
        "Answers: the most probable class.",
    ):
        assert words in result.stdout
    assert "vacc" not in result.stdout
    assert "Add --all to see all 30 measures." in result.stderr
    every = run("evaluate", "good.csv", "poor.csv", "--positive", "bad", "--all")
    for words in ("vacc", "answers and abstentions", "certainty equivalent u65"):
        assert words in every.stdout
    assert "--all" not in every.stderr
    assert "\x1b" not in result.stdout
    assert "truth 'y_true', score 'score', positive 'bad'; ignored 'id', 'site'" in result.stderr


def test_the_short_table_says_what_the_measures_say(run, run_json, scores):
    costs = ("--false-negative", 9, "--false-positive", 3, "--abstain", 1)
    rule = ("--window", 0.2, 0.8, "--level", "90%", "--resamples", 50)
    how = ("evaluate", "good.csv", "--positive", "bad", *rule, *costs)
    found = run_json(*how, "--json")["models"]["good"]["measures"]
    lines = {line[:37].strip(): line[37:].strip() for line in run(*how).stdout.splitlines()}

    def interval(name, flipped=False):
        one = found[name]
        ends = [one["low"], one["high"]]
        values = [1 - v for v in (one["value"], *ends[::-1])] if flipped else [one["value"], *ends]
        low, mid, high = (f"{100 * value:.1f} %" for value in (values[1], values[0], values[2]))
        return f"{mid} [{low}, {high}]"

    assert lines["answered (coverage)"] == interval("coverage")
    assert lines["wrong among answers (selective risk)"] == interval("selective_accuracy", True)
    assert lines["abstained on (abstention)"] == interval("abstention")
    assert lines["cost per case"].startswith(f"{found['cost']['value']:.4f} [")


def test_sets_of_several_classes_have_a_table_of_their_own(run, probabilities):
    text = run("evaluate", "trees.csv", "--utility", "u80").stdout
    for words in ("answered with one class", "true class in the set", "classes in a set"):
        assert words in text
    assert "abstained on" not in text


def test_the_costs_of_a_rule_are_shown(run, run_json, scores):
    costs = ("--false-negative", 9, "--false-positive", 3, "--abstain", 1)
    run("tune", "good.csv", "--positive", "bad", *costs, "-o", "rule.json", "--apparent")
    found = run_json("evaluate", "poor.csv", "--rule", "rule.json", "--json")
    same = run_json("evaluate", "poor.csv", "--rule", "rule.json", *costs, "--json")
    assert found["models"]["poor"]["measures"]["cost"] == same["models"]["poor"]["measures"]["cost"]
    text = run("evaluate", "poor.csv", "--rule", "rule.json").stdout
    assert "cost per case" in text
    assert "The cost is by the costs that the rule was tuned for." in text
    other = run("evaluate", "poor.csv", "--rule", "rule.json", *costs).stdout
    assert "the costs that the rule" not in other


def test_the_table_of_one_model_shows_its_classes_and_groups(run, scores):
    result = run(
        "evaluate", "good.csv", "--positive", "bad", "--group", "site", "--level", 0.9,
        "--resamples", 20,
    )  # fmt: skip
    for words in ("class", "fine", "group", "north", "["):
        assert words in result.stdout


def test_a_log_is_called_after_its_folder_wherever_we_are(run_json, fails, tmp_path):
    folder = tmp_path / "v1.2"
    (folder / "day").mkdir(parents=True)
    (folder / "day" / "a.csv").write_text("y_true,score\n0,0.1\n1,0.9\n")
    for source in (".", "v1.2", "v1.2/", "v1.2/../v1.2/day/.."):
        document = run_json("evaluate", source, "--engine", "local", "--json")
        assert list(document["models"]) == [tmp_path.name if source == "." else "v1.2"]
    document = run_json("evaluate", "v1.2/day/a.csv", "--engine", "local", "--json")
    assert list(document["models"]) == ["a"]
    assert "stands for folders only, such as 'v1.2'" in fails("evaluate", "v*", "--engine", "local")
    assert "evaluate` and `cautious report` with --engine local" in fails("evaluate", "v*")


def test_a_group_may_hold_one_class_or_have_no_name(run):
    text = "y_true,score,group\n0,0.2,x\n1,0.3,\n1,0.9,\n0,0.1,x\n"
    result = run("evaluate", "-", stdin=text)
    assert "(none)" in result.stdout
    assert "note:" not in result.stderr
