"""``cautious tune``: rules that do what they promise."""

import json

import numpy as np
import pandas as pd
import pytest

from cautious.curves import AbstentionCostSurface
from cautious.decision._rule_json import rules_from_json

COSTS = ("--false-negative", 20, "--false-positive", 4, "--abstain", 1)
POSITIVE = ("--positive", "bad")


@pytest.fixture
def surface(binary):
    y, good, _ = binary
    return AbstentionCostSurface.from_predictions(y, good)


@pytest.fixture
def tune(run_json):
    return lambda *args, **kwargs: run_json("tune", *args, "--json", **kwargs)


def test_a_cost_table_may_charge_abstentions_by_class(tune, scores, surface, tmp_path):
    (tmp_path / "costs.csv").write_text("answer,bad,fine\nfine,20,0\nbad,0,4\nask,2,1\n")
    found = tune("good.csv", *POSITIVE, "--costs", "costs.csv")["models"]["good"]
    best = surface.for_costs([[0, 20], [4, 0], [1, 2]])
    assert found["lower"] == best.lower
    assert found["upper"] == best.upper
    assert found["cost"] == pytest.approx(best.cost)


@pytest.mark.parametrize(
    ("option", "window"),
    [
        (("--max-abstention", 0.1), lambda s: s.for_max_abstention(0.1)),
        (
            ("--max-abstention", 40, "--per", "day", "--arrivals", 400),
            lambda s: s.for_max_abstention(0.1),
        ),
        (("--max-error", 0.02), lambda s: s.for_max_error(0.02)),
        (("--max-error", 0.02, "--per", "case"), lambda s: s.for_max_error(0.02, per="case")),
        (("--min-saving", 0.5), lambda s: s.for_saving(0.5)),
        (("--min-saving", 0.5, "--per", "case"), lambda s: s.for_saving(0.5, per="case")),
        (
            ("--max-abstention", 0.1, "--false-negative", 4, "--false-positive", 1),
            lambda s: s.for_max_abstention(0.1, mu=0.25),
        ),
    ],
)
def test_budgets_are_kept(tune, scores, surface, option, window):
    found = tune("good.csv", *POSITIVE, *option)["models"]["good"]
    best = window(surface)
    assert (found["lower"], found["upper"]) == (best.lower, best.upper)
    assert found["selective_error"] == pytest.approx(best.selective_error)


def test_another_share_of_positives(tune, run_json, scores, binary):
    y, good, _ = binary
    found = tune("good.csv", *POSITIVE, *COSTS, "--prior", 0.1)["models"]["good"]
    surface = AbstentionCostSurface.from_predictions(y, good, priors=(0.9, 0.1))
    best = surface.for_costs({"false_negative": 20, "false_positive": 4, "abstain": 1})
    assert (found["lower"], found["upper"]) == (best.lower, best.upper)
    window = ("--window", best.lower, best.upper)
    measured = run_json(
        "evaluate", "good.csv", *POSITIVE, *window, *COSTS, "--prior", 0.1, "--json"
    )["models"]["good"]
    assert measured["n"] == pytest.approx(200)
    values = {name: row["value"] for name, row in measured["measures"].items()}
    assert values["positives"] == pytest.approx(0.1)
    assert values["cost"] == pytest.approx(best.cost) == pytest.approx(found["cost"])
    assert values["abstention"] == pytest.approx(best.abstention)


def test_what_is_tuned_can_be_evaluated(run, tune, run_json, scores):
    result = run("tune", "good.csv", "poor.csv", *POSITIVE, *COSTS, "-o", "rule.json")
    assert "rule written to rule.json" in result.stderr
    assert set(rules_from_json("rule.json")) == {"good", "poor"}
    measured = run_json(
        "evaluate", "good.csv", "poor.csv", *POSITIVE, "--rule", "rule.json", *COSTS, "--json"
    )
    tuned = tune("good.csv", "poor.csv", *POSITIVE, *COSTS)
    for name in ("good", "poor"):
        expected, found = tuned["models"][name], measured["models"][name]["measures"]
        for key in ("abstention", "error", "cost"):
            assert found[key]["value"] == pytest.approx(expected[key])


def test_rules_of_other_models_are_refused(run, fails, scores, tmp_path):
    run("tune", "good.csv", "poor.csv", *POSITIVE, *COSTS, "-o", "two.json")
    text = "y_true,score\ngood,0.5\nbad,0.5\n"
    message = fails("evaluate", "-", "--rule", "two.json", stdin=text)
    assert "--rule is about the models 'good', 'poor'; there is none for" in message
    (tmp_path / "odd.json").write_text("[1, 2]")
    assert "odd.json is [1, 2]" in fails("evaluate", "-", "--rule", "odd.json", stdin=text)


def test_what_is_tuned_on_more_classes_can_be_evaluated(run, tune, run_json, probabilities):
    goal = ("trees.csv", "--max-error", 0.05)
    run("tune", *goal, "-o", "t.json")
    expected = tune(*goal)["models"]["trees"]
    for engine in ((), ("--engine", "local")):
        measured = run_json("evaluate", "trees.parquet", "--rule", "t.json", "--json", *engine)
        found = measured["models"]["trees"]["measures"]
        assert found["error"]["value"] == pytest.approx(expected["error"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "neither costs nor a budget"),
        (("--abstain", 1), "not what it saves"),
        (
            ("--false-negative", 2, "--false-positive", 1),
            "what abstaining costs is missing: --abstain",
        ),
        (("--abstain", 1, "--max-error", 0.1, "--mistake", 2), "--max-error and --abstain"),
        (("--max-abstention", 0.1, "--max-error", 0.1), "--max-abstention and --max-error"),
        (("--abstain", 1, "--false-negative", 1), "give both"),
        (("--abstain", 1, "--false-negative", 1, "--mistake", 1), "stands for both"),
        (("--abstain", 1, "--mistake", 0), "must cost something"),
        (("--max-error", 2), "--max-error"),
        (("--max-abstention", 40), "'--max-abstention': '40' is not between 0 and 1; write 40%"),
        (("--max-abstention", "x", "--per", "day"), "'x' is no number; write 40 for 40 cases a"),
        (("--max-abstention", 40, "--per", "day"), "--per day is given without --arrivals"),
        (("--max-abstention", 0.1, "--arrivals", 9), "give --per day for cases per day, or leave"),
        (("--abstain", -1), "--abstain"),
        (("--costs", "odd.csv"), "has no class 'fine'"),
        (("--costs", "rows.csv"), "what abstaining costs"),
        (("--costs", "other.csv"), "has no class 'fine'"),
        (("--costs", "other.csv", "--mistake", 2), "--costs holds the costs of all mistakes"),
        (("--costs", "nowhere.csv"), "costs are 'nowhere.csv', and there is no such file"),
        (("--costs", "long.csv"), "costs"),
    ],
)
def test_unclear_goals(fails, scores, tmp_path, options, words):
    (tmp_path / "odd.csv").write_text("answer,a,b,c\na,1,2,3\nb,1,2,3\nc,1,2,3\n")
    (tmp_path / "rows.csv").write_text("answer,fine,bad\nfine,0,2\nbad,1,0\n")
    (tmp_path / "other.csv").write_text("answer,x,y\nx,0,2\ny,1,0\nask,.1,.1\n")
    (tmp_path / "long.csv").write_text(f"answer,fine,bad\nfine,0,{'9' * 400}\nbad,1,0\nask,1,1\n")
    message = fails("tune", "good.csv", *POSITIVE, *options)
    assert words in message


def test_more_classes_and_sets_have_their_own_limits(fails, probabilities):
    message = fails(
        "tune", "trees.csv", "--false-negative", 2, "--false-positive", 1, "--abstain", 1
    )
    assert "3 classes" in message
    text = "y,y_set\na,a\nb,a|b\n"
    assert "no threshold to tune" in fails("tune", "-", "--max-error", 0.1, stdin=text)


def test_a_promise_that_few_are_missed(run, fails, scores):
    limits = ("--max-missed", "20%", "--min-ppv", "60%", "--min-npv", "60%")
    args = ("tune", "good.csv", *POSITIVE, *limits)
    document = json.loads(run(*args, "--confidence-level", "80%", "--json").stdout)
    asked = {"max_missed": 0.2, "min_ppv": 0.6, "min_npv": 0.6, "confidence_level": 0.8}
    assert document["goal"] == asked
    promised = document["certificates"]["good"]["limits"]
    assert promised == {"missed": 0.2, "false_discovery": 0.4, "false_omission": 0.4}
    assert "--max-missed is given without --confidence-level" in fails(*args)
    assert "--max-missed and --abstain are given" in fails(*args[:6], "--abstain", 1)


def test_a_promise_or_no_rule(run, fails, scores, tmp_path):
    promise = ("--max-error", 0.2, "--confidence-level", 0.9)
    text = run("tune", "good.csv", *POSITIVE, *promise, "-o", "rule.json").stdout
    assert "with 90 % confidence: at most 20 % of the answers are wrong." in text.replace("\n", " ")
    assert rules_from_json("rule.json")["good"].certificate["limits"] == {"error": 0.2}
    hopeless = ("--max-error", 0.001, "--confidence-level", 0.9)
    # The status is the same whether a file is named or not, and the old file stays.
    alone = run("tune", "good.csv", *POSITIVE, *hopeless, code=3)
    assert "Nothing can be promised from" in alone.stdout
    before = (tmp_path / "rule.json").read_text()
    named = run("tune", "good.csv", *POSITIVE, *hopeless, "-o", "rule.json", code=3)
    assert named.stdout == alone.stdout
    assert "rule.json is not written" in named.stderr
    assert (tmp_path / "rule.json").read_text() == before
    run("tune", "good.csv", *POSITIVE, *hopeless, "--json", code=3)


@pytest.mark.parametrize("limit", ["20%", "20 %", ".2", "0.20"])
def test_shares_may_be_per_cent(run_json, scores, limit):
    found = run_json("tune", "good.csv", *POSITIVE, "--max-error", limit, "--apparent", "--json")
    assert found["goal"] == {"max_error": 0.2}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("5", "'5' is not between 0 and 1; write 5% or 0.05."),
        ("150%", "'150%' is not between 0 and 1; write 0.05 or 5%."),
        ("-0.1", "'-0.1' is not between 0 and 1; write 0.05 or 5%."),
        ("few", "'few' is no share; write 0.05 or 5%."),
        ("nan", "'nan' is no share; write 0.05 or 5%."),
    ],
)
def test_what_is_no_share(fails, scores, given, words):
    assert words in fails("tune", "good.csv", *POSITIVE, "--max-error", given)


def test_thresholds_of_a_certified_rule_are_shown(run, run_json, scores, tmp_path):
    promise = ("--max-error", 0.2, "--confidence-level", 0.9)
    found = run_json("tune", "good.csv", *POSITIVE, *promise, "-o", "rule.json", "--json")
    rule = rules_from_json("rule.json")["good"]
    assert rule.kind == "confidence"
    assert found["models"]["good"]["upper"] == rule.threshold
    assert found["models"]["good"]["lower"] == pytest.approx(1 - rule.threshold)
    row = run("tune", "good.csv", *POSITIVE, *promise).stdout.splitlines()[2].split()
    assert row[:3] == ["good", f"{1 - rule.threshold:.4f}", f"{rule.threshold:.4f}"]
    # Scores on another scale show theirs in the same columns.
    frame = pd.read_csv("good.csv")
    frame["score"] = 100 * frame["score"] - 20
    frame.to_csv("scaled.csv", index=False)
    other = run_json("tune", "scaled.csv", *POSITIVE, *promise, "--json")["models"]["scaled"]
    assert other["lower"] <= other["upper"]
    assert set(other) == set(found["models"]["good"])


def test_one_threshold_of_several_classes_is_shown(run, probabilities):
    text = run("tune", "trees.csv", "--max-error", 0.6, "--confidence-level", 0.6).stdout
    assert "probability from" in text


def test_apparent_values_alone(run, scores):
    text = run("tune", "good.csv", *POSITIVE, *COSTS, "--apparent").stdout
    assert "Expected on new cases" not in text
    assert "new ones will be worse" in text


def test_a_table_for_people(run, scores, probabilities):
    result = run("tune", "good.csv", *POSITIVE, *COSTS)
    for words in ("negative up to", "wrong among answers", "Answer 'bad' where the score is at"):
        assert words in result.stdout
    assert "Expected on new cases: cost 0." in result.stdout
    assert "-o FILE" in result.stderr
    assert "threshold elm" in run("tune", "trees.csv", "--max-error", 0.1).stdout


def test_json_and_a_file_at_once(run, scores):
    result = run("tune", "good.csv", *POSITIVE, *COSTS, "--json", "-o", "rule.json")
    assert json.loads(result.stdout)["best"] == "good"
    assert (
        rules_from_json("rule.json")["good"].upper
        == json.loads(result.stdout)["models"]["good"]["upper"]
    )


def test_many_classes_do_not_flood_the_screen(run, tmp_path):
    rng = np.random.default_rng(0)
    labels = [f"class {k}" for k in range(60)]
    p = np.round(rng.dirichlet(np.ones(60), size=200), 9)
    lines = [",".join(["y_true", *(f"p_{label}" for label in labels)])]
    lines += [",".join([rng.choice(labels), *map(str, row)]) for row in p]
    (tmp_path / "many.csv").write_text("\n".join(lines) + "\n")
    text = run("tune", "many.csv", "--max-abstention", 0.5).stdout
    assert "60 in all" in text
    assert len(text) < 2000
