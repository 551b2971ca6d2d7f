"""Missing truths and scores, counted as in memory."""

import numpy as np
import pandas as pd
import pytest

import cautious
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


def test_rows_without_a_score_may_hold_the_other_class():
    log = pd.DataFrame({"y_true": list("abb"), "score": [np.nan, 0.2, 0.3]})
    said = {"missing": "abstain", "pos_label": "b"}
    in_memory = cautious.evaluate({"log": log}, **said).frame()
    pd.testing.assert_frame_equal(cautious.evaluate(summarise(log, **said)).frame(), in_memory)
