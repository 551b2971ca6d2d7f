"""The demonstration: what a newcomer sees first."""

import numpy as np
import pytest
from typer.testing import CliRunner

from cautious.cli.app import app
from cautious.cli.demo import COSTS, score_all


@pytest.fixture(scope="module")
def scored():
    return list(score_all())


def test_numbers_follow_from_the_scores(scored):
    from cautious.datasets import load_dataset

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


def test_demo_prints_the_table_and_says_it_in_words(scored, monkeypatch):
    monkeypatch.setattr("cautious.cli.demo.score_all", lambda: iter(scored))
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    for expected in ("logistic regression", "VACC", "keeps quiet on", "Cheapest is"):
        assert expected in result.output
