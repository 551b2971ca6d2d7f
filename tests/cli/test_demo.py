"""The demonstration: what a newcomer sees first."""

import numpy as np
import pytest

from cautious.cli.demo import COSTS, score_all, tuned
from cautious.datasets import load_dataset


@pytest.fixture(scope="module")
def scored():
    return list(score_all())


def test_numbers_follow_from_the_scores(scored):
    truth = np.asarray(load_dataset("breast-w").target == "malignant")
    for one in scored:
        positive, negative = one.scores >= one.best.upper, one.scores <= one.best.lower
        paid = (
            COSTS["false_negative"] * (negative & truth)
            + COSTS["false_positive"] * (positive & ~truth)
            + COSTS["abstain"] * (~positive & ~negative)
        )
        assert paid.mean() == pytest.approx(one.best.cost)
        assert 0.9 < one.accuracy < one.auc < 1


def test_costs_are_those_of_new_patients(scored):
    tuning = tuned(scored)
    for one in scored:
        expected = tuning.expected[one.name].cost
        assert one.best.cost < expected.estimate < expected.high
    # The best are too close to call.
    assert tuning.best is None
    assert "cannot be told apart from" in tuning.verdict


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
    ):
        assert expected in output
    assert output.rstrip().endswith(str(tmp_path / "report.html"))
    assert "nearest neighbours" in (tmp_path / "report.html").read_text()
    (tmp_path / "report.html").unlink()
    assert "report.html" not in run("demo", "--no-report").stdout
    assert not (tmp_path / "report.html").exists()


def test_the_folder_is_asked_for_before_the_work_is_done(fails):
    assert "no folder" in fails("demo", "-o", "nowhere/report.html")
