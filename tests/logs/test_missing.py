"""Missing truths and scores, counted as in memory."""

import numpy as np
import pandas as pd
import pytest
from tests.evaluation.on_engine import evaluate_on

from cautious.errors import InputError
from cautious.logs import LogSummary, summarise


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    score = rng.random(400).round(2)
    log = pd.DataFrame({"y": np.where(rng.random(400) < score, "yes", "no"), "score": score})
    log["group"] = np.where(rng.random(400) < 0.4, "u", "v")
    log.loc[rng.random(400) < 0.1, "score"] = np.nan
    return log


@pytest.fixture
def classes():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), 300)
    log = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"]).assign(y=list("abc") * 100)
    log.loc[rng.random(300) < 0.1, "p_b"] = np.nan
    return log


def same(log, tmp_path, **options):
    log.to_parquet(tmp_path / "log.parquet")
    here, there = (
        evaluate_on(engine, str(tmp_path / "log.parquet"), missing="abstain", **options)
        for engine in (None, "local")
    )
    pd.testing.assert_frame_equal(here.frame(), there.frame(), rtol=1e-12)
    assert [str(note) for note in here.notes] == [str(note) for note in there.notes]
    missing = [one.to_dict()["models"]["log"]["missing"] for one in (here, there)]
    assert missing[0] == missing[1] > 0
    return there


@pytest.mark.parametrize("options", [{}, {"window": (0.3, 0.6)}, {"confidence": 0.7}], ids=str)
def test_cases_without_a_score_abstain(scores, tmp_path, options):
    found = same(scores, tmp_path, **options)
    assert found.frame().set_index("measure")["value"]["abstention"] >= 0.05


@pytest.mark.parametrize("options", [{}, {"confidence": 0.5}, {"utility": "u65"}], ids=str)
def test_cases_without_a_probability_abstain(classes, tmp_path, options):
    same(classes, tmp_path, **options)


def test_weights_and_any_split(scores):
    scores["weight"] = np.random.default_rng(2).integers(0, 5, len(scores)) / 4
    whole = summarise(scores, missing="abstain")
    parts = [
        summarise(scores.iloc[rows], missing="abstain")
        for rows in (slice(100, None), slice(30), slice(30, 100))
    ]
    assert sum(parts) == whole
    assert LogSummary.from_bytes(whole.to_bytes()) == whole
    assert float(whole.counts().n) == scores["weight"].sum()
    known = scores["score"].notna()
    stairs = whole.staircase()
    assert stairs.n_positives + stairs.n_negatives == scores["weight"][known].sum()
    assert "rows; abstained on" in "\n".join(map(str, whole.notes))


def test_rows_without_a_truth_can_be_left_out(scores):
    scores = scores.dropna().reset_index(drop=True)
    gaps = scores.copy()
    gaps.loc[[3, 5], "y"] = [None, " "]
    with pytest.raises(InputError, match=r"column 'y', row 3: the truth is missing \(2 such cells"):
        summarise(gaps)
    found = summarise(gaps, drop_missing=True)
    assert found.staircase() == summarise(scores.drop([3, 5])).staircase()
    assert found.n_rows == len(scores)
    gaps.loc[7, "score"] = np.nan
    with pytest.raises(InputError, match="column 'score', row 7: a number is missing"):
        summarise(gaps, drop_missing=True)
