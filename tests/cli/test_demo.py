"""The demonstration: what a newcomer sees first."""

import numpy as np
import pytest

from cautious.cli.demo import COSTS, NEGATIVE, POSITIVE, in_words, judge, saving, score_all
from cautious.tuning import tune


@pytest.fixture(scope="module")
def predictions():
    return score_all()


@pytest.fixture(scope="module")
def judged(predictions):
    return judge(predictions)


def test_numbers_follow_from_the_scores(predictions, judged):
    for name, row in judged[0].iterrows():
        truth, scores = predictions[name]
        positive, negative = scores >= row["upper"], scores <= row["lower"]
        paid = (
            COSTS["false_negative"] * (negative & (truth == POSITIVE))
            + COSTS["false_positive"] * (positive & (truth == NEGATIVE))
            + COSTS["abstain"] * (~positive & ~negative)
        )
        assert paid.mean() == pytest.approx(row["apparent_cost"])
        assert row["apparent_cost"] <= row["cost"] + 1e-12 < row["cost_high"]
        assert 0.7 < row["accuracy"] < row["auc"] < 0.9
    assert "cannot be told apart from" in judged[1]  # the best are too close to call


def test_savings_are_against_answers_to_all_patients(predictions, judged):
    never = COSTS | {"abstain": COSTS["false_negative"]}
    forced = tune(predictions, costs=never, pos_label=POSITIVE)
    for name, row in judged[0].iterrows():
        assert forced.expected[name].abstention.high < 0.01
        difference = forced.expected[name].cost.estimate - row["cost"]
        assert row["saved"] == pytest.approx(difference)
        assert row["saved_low"] < row["saved"] < row["saved_high"]


@pytest.mark.parametrize(
    ("unsure", "noise", "said"),
    [
        (0.0, 1.0, "abstaining is not expected to pay at these costs."),
        (0.02, 0.1, "abstaining is expected to pay, but may not."),
        (0.3, 0.1, "abstaining pays."),
    ],
)
def test_it_is_said_whether_abstaining_pays(unsure, noise, said):
    rng = np.random.default_rng(0)
    positive = rng.random(500) < 0.4
    scores = np.where(rng.random(500) < unsure, 0.5, positive + noise * rng.random(500))
    truth = np.where(positive, POSITIVE, NEGATIVE)
    words, saved = in_words(*judge({"it": (truth, scores)})), saving(truth, scores)
    assert said in words
    assert f"Saved per case: {saved.estimate:.3f} ({saved.low:.3f} to {saved.high:.3f})" in words


def test_demo_prints_the_table_says_it_in_words_and_writes_the_report(
    run, predictions, monkeypatch, tmp_path
):
    monkeypatch.setattr("cautious.cli.demo.score_all", lambda progress: predictions)
    output = run("demo").stdout
    table = output.split("A missed")[0]
    words = set(" ".join([*predictions, "accuracy", "abstains", "interval"]).split())
    assert words <= set(table.split())  # whole, in 80 columns
    for expected in (
        "VACC",
        "abstain on",
        " % and cost",
        "is expected to do best",
        "(seen)",
        "abstaining pays",
    ):
        assert expected in output
    assert output.rstrip().endswith(str(tmp_path / "report.html"))
    assert "nearest neighbours" in (tmp_path / "report.html").read_text()
    (tmp_path / "report.html").unlink()
    assert "report.html" not in run("demo", "--no-report").stdout
    assert not (tmp_path / "report.html").exists()


def test_the_folder_is_asked_for_before_the_work_is_done(fails):
    assert "no folder" in fails("demo", "-o", "nowhere/report.html")
