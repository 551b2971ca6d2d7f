"""The demonstration: what a newcomer sees first."""

import numpy as np
import pytest

from cautious.cli.demo import COSTS, NEGATIVE, POSITIVE, Scored, in_words, saving, score_all, tuned
from cautious.curves import AbstentionCostSurface
from cautious.datasets import load_dataset
from cautious.tuning import tune


@pytest.fixture(scope="module")
def scored():
    return list(score_all())


def test_numbers_follow_from_the_scores(scored):
    truth = np.asarray(load_dataset("diabetes").target == "tested_positive")
    for one in scored:
        positive, negative = one.scores >= one.best.upper, one.scores <= one.best.lower
        paid = (
            COSTS["false_negative"] * (negative & truth)
            + COSTS["false_positive"] * (positive & ~truth)
            + COSTS["abstain"] * (~positive & ~negative)
        )
        assert paid.mean() == pytest.approx(one.best.cost)
        assert 0.7 < one.accuracy < one.auc < 0.9


def test_costs_are_those_of_new_patients(scored):
    tuning = tuned(scored)
    for one in scored:
        expected = tuning.expected[one.name].cost
        assert one.best.cost <= expected.estimate + 1e-12 < expected.high
    # The best are too close to call.
    assert tuning.best is None
    assert "cannot be told apart from" in tuning.verdict


def test_savings_are_against_answers_to_all_patients(scored):
    tuning = tuned(scored)
    forced = tune(
        {one.name: (one.truth, one.scores) for one in scored},
        costs=COSTS | {"abstain": COSTS["false_negative"]},
        pos_label=POSITIVE,
    )
    for one in scored:
        assert forced.expected[one.name].abstention.high < 0.01
        saved, costs = saving(one), (tuning.expected[one.name], forced.expected[one.name])
        assert saved.estimate == pytest.approx(costs[1].cost.estimate - costs[0].cost.estimate)
        assert saved.low < saved.estimate < saved.high


def scored_by(scores, truth):
    """A classifier of the demonstration that gives these scores."""
    truth = np.where(truth, POSITIVE, NEGATIVE)
    surface = AbstentionCostSurface.from_predictions(truth, scores, pos_label=POSITIVE)
    return Scored("it", truth, scores, 0.9, 0.9, surface, surface.for_costs(COSTS))


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
    truth = rng.random(500) < 0.4
    scores = np.where(rng.random(500) < unsure, 0.5, truth + noise * rng.random(500))
    one = scored_by(scores, truth)
    words = in_words([one], tuned([one]))
    saved = saving(one)
    assert said in words
    assert f"Saved per case: {saved.estimate:.3f} ({saved.low:.3f} to {saved.high:.3f})" in words


def test_demo_prints_the_table_says_it_in_words_and_writes_the_report(
    run, scored, monkeypatch, tmp_path
):
    monkeypatch.setattr("cautious.cli.demo.score_all", lambda: iter(scored))
    output = run("demo").stdout
    for expected in (
        "logistic regression",
        "VACC",
        "abstain on",
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
