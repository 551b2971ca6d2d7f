"""Odd but no error: a note on standard error."""

import json

import numpy as np
import pandas as pd
import pytest

import cautious
from cautious.decision import Rule

BACKWARDS = "y_true,score\n" + "1,0.2\n0,0.8\n1,.3\n0,.9\n" * 5
FORWARDS = BACKWARDS.replace(",0.2", ",0.95").replace(",.3", ",.96")
AGAINST = "a high score speaks against '1' (AUC 0); is --positive the other class?"


@pytest.mark.parametrize(
    "args",
    [
        ("evaluate", "-"),
        ("tune", "-", "--max-error", 0.1),
        ("tune", "-", "--mistake", 5, "--abstain", 1),
        ("tune", "-", "--max-error", "5%", "--confidence-level", "95%"),
        ("report", "-"),
    ],
    ids=["evaluate", "budget", "costs", "promise", "report"],
)
def test_scores_that_point_the_other_way(run, args):
    """Said once, beside the result; nothing can be promised of so few."""
    code = 3 if "95%" in args else 0
    said = run(*args, stdin=BACKWARDS, code=code)
    assert said.stderr.count(AGAINST) == 1
    assert "speaks against" not in said.stdout
    for text, options in ((FORWARDS, ()), (BACKWARDS, ("--positive", "0"))):
        assert "speaks against" not in run(*args, *options, stdin=text, code=code).stderr


def test_scores_that_point_the_other_way_are_compared(run, tmp_path):
    (tmp_path / "a.csv").write_text(BACKWARDS)
    (tmp_path / "b.csv").write_text(FORWARDS)
    result = run("compare", "a.csv", "b.csv", "--resamples", 20)
    assert f"'a': {AGAINST}" in result.stderr
    assert "'b': a high" not in result.stderr


def test_a_rule_of_another_model(run, tmp_path):
    (tmp_path / "a.csv").write_text(FORWARDS)
    (tmp_path / "b.csv").write_text(FORWARDS)
    run("tune", "a.csv", "--max-error", 0.1, "-o", "t.json")
    assert "'b': the rule is that of 'a'" in run("evaluate", "b.csv", "--rule", "t.json").stderr
    assert "the rule is" not in run("evaluate", "a.csv", "--rule", "t.json").stderr
    Rule.window(0.3, 0.7).to_json(tmp_path / "nobody.json")  # of no model in particular
    assert "the rule is" not in run("evaluate", "a.csv", "--rule", "nobody.json").stderr


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ((20, 80), "lies outside the scores, which run from 0.2 to 0.9"),
        ((-2, -1), "lies outside the scores"),
        ((0, 1), "no case is answered"),
        ((0.3, 0.8), None),
    ],
)
def test_windows_that_scores_never_reach(run, window, words):
    notes = run("evaluate", "-", "--positive", "0", "--window", *window, stdin=BACKWARDS).stderr
    assert words in notes if words else "note: " not in notes


def test_nothing_is_abstained_on_unless_asked_for(run, probabilities):
    words = "Nothing is abstained on: give --window, --confidence or --rule."
    assert words in run("evaluate", "-", stdin=FORWARDS).stderr
    assert words in run("evaluate", "trees.csv").stderr
    assert words not in run("evaluate", "trees.csv", "--confidence", 0.5).stderr
    assert words not in run("evaluate", "-", stdin="y,y_set\na,a\nb,a\n").stderr
    assert words not in run("evaluate", "-", stdin="y,margin\n0,-3\n1,4\n").stderr


def test_answers_in_place_of_scores(run):
    text = "y_true,score\n0,0\n1,1\n1,0\n0,1\n"
    notes = run("tune", "-", "--mistake", 1, "--abstain", 0.1, stdin=text).stderr
    assert "only two different scores" in notes
    assert "two different" not in run("tune", "-", "--max-error", 0.1, stdin=FORWARDS).stderr


@pytest.mark.parametrize(("price", "noted"), [(0.66, False), (0.67, True), (5, True)])
def test_the_price_from_which_on_abstaining_never_pays(run, price, noted):
    costs = ("--false-negative", 2, "--false-positive", 1, "--abstain", price)
    result = run("tune", "-", *costs, "--json", stdin=BACKWARDS)
    assert ("from a price of 0.666667 on, abstaining never pays" in result.stderr) == noted
    if noted:
        (model,) = json.loads(result.stdout)["models"].values()
        assert model["abstention"] == 0


KILOGRAMS = "y_true,score,weight\n" + "0,.2,80.5\n1,.8,61\n0,.3,93\n1,.9,71\n" * 10


def test_a_column_called_weight_can_be_declined(run):
    """Of patients it holds kilograms: a sum of those is no number of cases."""
    words = "40 rows count as 3,055. If it holds something else, such as kilograms, leave it out"
    found = run("evaluate", "-", stdin=KILOGRAMS)
    assert f"{words} with --no-weight" in found.stderr
    assert [line.split() for line in found.stdout.splitlines()[2:4]] == [
        ["rows", "40"],
        ["weights", "sum", "to", "3,055"],
    ]
    assert "weights sum to" in found.stdout.split("class ")[1]
    assert words not in run("evaluate", "-", "--weight", "weight", stdin=KILOGRAMS).stderr
    plain = run("evaluate", "-", "--no-weight", stdin=KILOGRAMS)
    assert words not in plain.stderr
    assert "weights" not in plain.stdout
    assert plain.stdout.splitlines()[2].split() == ["cases", "40"]
    both = run("evaluate", "-", "--no-weight", "--weight", "weight", stdin=KILOGRAMS, code=2)
    assert "--weight and --no-weight are both given" in both.stderr


@pytest.mark.parametrize(
    ("given", "doubted"), [("95%", True), ("0.95", False), ("80 %", False), ("90 %", True)]
)
def test_a_confidence_that_may_be_meant_for_the_level(run, given, doubted):
    said = run("evaluate", "-", "--confidence", given, stdin=FORWARDS).stderr
    words = f"answers where the confidence is at least 0.{given[:1]}"
    assert ("for the level of intervals write --confidence-level" in said) == doubted
    assert (words in said) == doubted


def test_a_hint_is_a_sentence_of_its_own(run):
    twins = "label,score\nno,.1\nYes,.9\nyes,.8\nno,.2\n"
    said = run("tune", "-", "--mistake", 5, "--abstain", 1, stdin=twins, code=2).stderr
    assert "say which with --positive. 'Yes' and 'yes' differ by spaces" in said
    said = run("evaluate", "-", stdin=twins.replace("no,", "Yes,"), code=2).stderr
    assert "--positive Yes or --positive yes. 'Yes' and 'yes' differ" in said


def patients(n, *, copies=0, digits=1):
    """A table of patients, some of them twice, with scores of few digits."""
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.5
    score = np.clip(0.5 + np.where(ill, 0.3, -0.3) + rng.normal(0, 0.15, n), 0, 1)
    frame = pd.DataFrame({"id": [f"P{k}" for k in range(n)], "y_true": ill.astype(int)})
    frame["score"], frame["site"] = score.round(digits), rng.integers(3, size=n)
    return pd.concat([frame, frame[:copies]], ignore_index=True)


PROMISE = {"max_error": 0.2, "confidence_level": 0.9}


def test_copies_are_no_new_cases(run, tmp_path):
    patients(120, copies=15).to_csv(tmp_path / "p.csv", index=False)
    promise = ("--max-error", "20%", "--confidence-level", "90%")
    said = run("tune", "p.csv", *promise).stderr
    assert "copies of other rows: 15 of 135 rows, the same in every cell, also in column 'i" in said
    assert "takes every row for a case of its own, so with copies it is too bold" in said
    assert "copies" not in run("tune", "p.csv", "--max-error", "20%", "--apparent").stderr
    patients(120).to_csv(tmp_path / "p.csv", index=False)
    assert "copies" not in run("tune", "p.csv", *promise).stderr


def copied(source, **columns):
    found = cautious.tune(source, **PROMISE, **columns)
    return [str(one) for one in found.notes if "copies" in str(one)]


def test_what_is_a_copy(tmp_path):
    """Equal scores are none, and neither are visits of one patient that differ."""
    twice = patients(120, copies=15)
    assert not copied(twice[["y_true", "score"]])
    assert not copied(twice[["y_true", "score", "site"]])
    visits = twice.assign(visit=range(135))
    assert not copied(visits)
    (said,) = copied(visits, case="id")
    assert "15 of 135 rows, the same in what tells the cases apart." in said
    models = pd.concat([twice[:120].assign(model=name) for name in ("a", "b")])
    assert not copied(models)
    (said,) = copied(pd.concat([models, models[:1]]))
    assert "1 of 241 rows, the same in every cell, also in column 'id'" in said
    twice.to_parquet(tmp_path / "p.parquet")
    assert len(copied(tmp_path / "p.parquet")) == 1
    odd = twice.assign(extra=[{"a": [k]} for k in range(135)])  # a column that is not read
    assert not copied(odd)
    assert not copied({"m": (twice["y_true"], twice["score"])})


def test_a_promise_names_the_way_to_leave_weights_out(run):
    promise = ("tune", "-", "--max-error", "30%", "--confidence-level", "90%")
    refused = run(*promise, stdin=KILOGRAMS, code=2)
    assert "leave the weights out (--no-weight, where they are a column)" in refused.stderr
    assert "with 90 % confidence" in run(*promise, "--no-weight", stdin=KILOGRAMS).stdout
