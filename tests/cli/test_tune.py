"""``cautious tune``: thresholds that do what they promise."""

import json

import numpy as np
import pytest

from cautious.curves import (
    AbstentionCostSurface,
    RiskCoverageCurve,
)

COSTS = ("--false-negative", 20, "--false-positive", 4, "--abstain", 1)
POSITIVE = ("--positive", "bad")


@pytest.fixture
def surface(binary):
    y, good, _ = binary
    return AbstentionCostSurface.from_predictions(y, good)


def test_costs_give_the_window_of_the_library(run_json, scores, surface):
    document = run_json("tune", "good.csv", *POSITIVE, *COSTS)
    best = surface.for_costs({"false_negative": 20, "false_positive": 4, "abstain": 1})
    found = document["models"]["good"]
    assert (found["lower"], found["upper"]) == (best.lower, best.upper)
    assert found["expected"]["cost"] == pytest.approx(best.cost)
    assert found["expected"]["abstention"] == pytest.approx(best.abstention)
    assert (found["negative"], found["positive"]) == ("fine", "bad")
    assert document["tuned_for"] == {"false_negative": 20, "false_positive": 4, "abstain": 1}


def test_a_cost_table_may_charge_abstentions_by_class(run_json, scores, surface, tmp_path):
    (tmp_path / "costs.csv").write_text("answer,bad,fine\nfine,20,0\nbad,0,4\nask,2,1\n")
    found = run_json("tune", "good.csv", *POSITIVE, "--costs", "costs.csv")
    best = surface.for_costs([[0, 20], [4, 0], [1, 2]])
    assert found["models"]["good"]["lower"] == best.lower
    assert found["models"]["good"]["upper"] == best.upper
    assert found["models"]["good"]["expected"]["cost"] == pytest.approx(best.cost)
    assert found["tuned_for"]["costs"]["abstain"] == {"bad": 2, "fine": 1}


@pytest.mark.parametrize(
    ("option", "plane"),
    [
        (("--max-abstention", 0.1), lambda s: s.for_max_abstention(0.1)),
        (("--max-error", 0.02), lambda s: s.for_max_error(0.02)),
        (("--improve", 0.5), lambda s: s.for_saving(0.5, per="case")),
        (
            ("--max-abstention", 0.1, "--false-negative", 4, "--false-positive", 1),
            lambda s: s.for_max_abstention(0.1, mu=0.25),
        ),
    ],
)
def test_budgets_are_kept(run_json, scores, surface, option, plane):
    found = run_json("tune", "good.csv", *POSITIVE, *option)["models"]["good"]
    best = plane(surface)
    assert (found["lower"], found["upper"]) == (best.lower, best.upper)
    assert found["expected"]["error_of_answers"] == pytest.approx(best.selective_error)


def test_infinite_thresholds_survive_json(run_json, scores, tmp_path):
    text = "y_true,score\n0,0.5\n1,0.5\n"
    found = run_json("tune", "-", "--mistake", 1, "--abstain", 0.1, stdin=text)
    model = found["models"]["standard input"]
    assert (float(model["lower"]), float(model["upper"])) == (-np.inf, np.inf)
    (tmp_path / "t.json").write_text(json.dumps(found))
    measured = run_json("evaluate", "-", "--thresholds", "t.json", "--json", stdin=text)
    assert measured["models"]["standard input"]["measures"]["abstention"]["value"] == 1


def test_what_is_tuned_can_be_evaluated(run, run_json, scores):
    result = run("tune", "good.csv", "poor.csv", *POSITIVE, *COSTS, "-o", "thresholds.json")
    assert result.stdout == ""
    assert "thresholds written to thresholds.json" in result.stderr
    measured = run_json(
        "evaluate", "good.csv", "poor.csv", *POSITIVE, "--thresholds", "thresholds.json", "--json"
    )
    with open("thresholds.json") as file:
        tuned = json.load(file)
    for name in ("good", "poor"):
        expected = tuned["models"][name]["expected"]
        found = measured["models"][name]["measures"]
        assert found["abstention"]["value"] == pytest.approx(expected["abstention"])
        assert found["error"]["value"] == pytest.approx(expected["error"])


def test_thresholds_of_other_models_are_refused(run, fails, scores, tmp_path):
    run("tune", "good.csv", "poor.csv", *POSITIVE, *COSTS, "-o", "two.json")
    text = "y_true,score\n0,0.5\n1,0.5\n"
    assert "there are none of" in fails("evaluate", "-", "--thresholds", "two.json", stdin=text)
    (tmp_path / "odd.json").write_text("[1, 2]")
    assert "holds no thresholds" in fails("evaluate", "-", "--thresholds", "odd.json", stdin=text)


class TestMoreClasses:
    @pytest.fixture
    def curve(self, trees):
        truth, p = trees
        return RiskCoverageCurve.from_predictions(truth, p, classes=["ash", "elm", "oak"])

    def test_error_budget(self, run_json, probabilities, curve):
        found = run_json("tune", "trees.csv", "--max-error", 0.05)["models"]["trees"]
        assert found["confidence"] == curve.threshold_at_risk(0.05).threshold
        assert found["expected"]["error_of_answers"] <= 0.05

    def test_abstention_budget(self, run_json, probabilities, curve):
        found = run_json("tune", "trees.csv", "--max-abstention", 0.2)["models"]["trees"]
        assert found["confidence"] == pytest.approx(curve.threshold_at_coverage(0.8).threshold)
        assert found["expected"]["abstention"] <= 0.2 + 1e-9

    def test_costs_are_minimised_over_every_threshold(self, run_json, probabilities, curve):
        found = run_json("tune", "trees.csv", "--mistake", 5, "--abstain", 1)["models"]["trees"]
        frame = curve.frame()
        costs = 5 * frame["generalised_risk"] + (1 - frame["coverage"])
        assert found["expected"]["cost"] == pytest.approx(min(costs.min(), 1.0))

    def test_improvement(self, run_json, probabilities, curve):
        found = run_json("tune", "trees.csv", "--improve", 0.5)["models"]["trees"]
        assert found["expected"]["error"] <= curve.generalised_risk[-1] / 2 + 1e-12

    def test_nothing_is_answered_where_nothing_is_allowed(self, run_json, tmp_path):
        text = "y,p_a,p_b,p_c\na,.2,.5,.3\nb,.2,.3,.5\nc,.2,.5,.3\n"
        for option in (("--max-error", 0.1), ("--improve", 1), ("--mistake", 9, "--abstain", 1)):
            found = run_json("tune", "-", *option, stdin=text)["models"]["standard input"]
            assert found["confidence"] == "Infinity"
            assert found["expected"]["abstention"] == 1
            assert found["expected"]["error_of_answers"] is None

    def test_what_is_tuned_can_be_evaluated(self, run, run_json, probabilities):
        run("tune", "trees.csv", "--max-error", 0.05, "-o", "t.json")
        measured = run_json("evaluate", "trees.parquet", "--thresholds", "t.json", "--json")
        with open("t.json") as file:
            expected = json.load(file)["models"]["trees"]["expected"]
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
        (("--abstain", 1, "--false-negative", 1), "give both"),
        (("--abstain", 1, "--false-negative", 1, "--mistake", 1), "stands for both"),
        (("--abstain", 1, "--mistake", 0), "must cost something"),
        (("--max-error", 2), "--max-error"),
        (("--abstain", -1), "--abstain"),
        (("--costs", "odd.csv"), "3 columns of costs"),
        (("--costs", "rows.csv"), "one for abstaining"),
        (("--costs", "other.csv"), "costs has no class 'fine'"),
    ],
)
def test_unclear_goals(fails, scores, tmp_path, options, words):
    (tmp_path / "odd.csv").write_text("answer,a,b,c\na,1,2,3\n")
    (tmp_path / "rows.csv").write_text("answer,fine,bad\nfine,1,2\nbad,1,2\n")
    (tmp_path / "other.csv").write_text("answer,x,y\nx,0,2\ny,1,0\nask,.1,.1\n")
    message = fails("tune", "good.csv", *POSITIVE, *options)
    assert words in message


def test_more_classes_and_sets_have_their_own_limits(fails, probabilities):
    message = fails(
        "tune", "trees.csv", "--false-negative", 2, "--false-positive", 1, "--abstain", 1
    )
    assert "3 classes" in message
    text = "y,y_set\na,a\nb,a|b\n"
    assert "no threshold to tune" in fails("tune", "-", "--max-error", 0.1, stdin=text)


def test_nothing_is_half_written(fails, scores, tmp_path, monkeypatch):
    target = tmp_path / "thresholds.json"
    target.write_text("old")

    def broken(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("os.replace", broken)
    assert "the disk is full" in fails("tune", "good.csv", *POSITIVE, *COSTS, "-o", target)
    assert target.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir() if "thresholds" in p.name) == [target.name]


def test_a_folder_that_is_not_there(fails, scores):
    message = fails("tune", "good.csv", *POSITIVE, *COSTS, "-o", "nowhere/t.json")
    assert "nowhere is no folder" in message


@pytest.mark.parametrize(
    "goal", [COSTS, ("--max-error", 0.05), ("--max-abstention", 0.2), ("--improve", 0.3)]
)
def test_the_best_model_is_named_by_what_was_asked_for(run_json, scores, goal):
    assert run_json("tune", "good.csv", "poor.csv", *POSITIVE, *goal)["best"] == "good"


def test_what_is_expected_is_said_to_be_of_the_cases_it_was_chosen_on(run, scores):
    result = run("tune", "good.csv", *POSITIVE, *COSTS)
    assert "Measured on the cases the thresholds were chosen on" in result.stderr
    expected = json.loads(result.stdout)["models"]["good"]["expected"]
    assert expected["on"] == "the cases it was chosen on"


def test_json_or_a_table_but_not_both_on_one_screen(run, fails, scores, monkeypatch):
    alone = run("tune", "good.csv", *POSITIVE, *COSTS, "--json")
    assert json.loads(alone.stdout)["best"] == "good"
    assert "wrong if answered" not in alone.stderr
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes this for a terminal
    seen = run("tune", "good.csv", *POSITIVE, *COSTS)
    assert seen.stdout == ""
    assert "wrong if answered" in seen.stderr
    assert "-o FILE" in seen.stderr
    monkeypatch.delenv("FORCE_COLOR")
    message = fails("tune", "good.csv", *POSITIVE, *COSTS, "--json", "-o", "t.json")
    assert "both given" in message
