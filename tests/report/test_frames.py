"""Guessing columns, and cutting tables into models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cautious.logs import guess_columns
from cautious.report.frames import models_of_frame


@pytest.mark.parametrize("truth", ["y_true", "Label", " target ", "ACTUAL", "truth"])
@pytest.mark.parametrize("score", ["score", "p", "Probability", "y_score"])
def test_usual_names(truth, score):
    columns = guess_columns(["id", score, truth])
    assert (columns.truth, columns.score) == (truth, score)


def test_class_columns_win_over_a_score():
    columns = guess_columns(["y_true", "score", "p_a", "p_b", "model", "weight"])
    assert columns.score is None
    assert columns.proba == {"a": "p_a", "b": "p_b"}
    assert (columns.model, columns.weight) == ("model", "weight")


def test_sets():
    assert guess_columns(["truth", "y_set"]).sets == "y_set"
    assert guess_columns(["truth", "set_x", "set_y"]).members == {"x": "set_x", "y": "set_y"}


@pytest.mark.parametrize(
    ("names", "words"),
    [(["a", "score"], "no column holds the truth"), (["y_true", "b"], "no column holds predic")],
)
def test_what_is_missing_is_said(names, words):
    with pytest.raises(ValueError, match=words):
        guess_columns(names)


def models(frame):
    return models_of_frame(frame, guess_columns(list(frame.columns)), "mine")


def test_models_by_column():
    frame = pd.DataFrame(
        {"model": ["b", "a", "b"], "y_true": [0, 1, 1], "score": [0.1, 0.2, 0.3], "weight": 2}
    )
    found = models(frame)
    assert list(found) == ["b", "a"]
    assert found["b"]["y_score"].tolist() == [0.1, 0.3]
    assert found["a"]["sample_weight"].tolist() == [2]


def test_one_class_column_names_the_positive_class():
    found = models(pd.DataFrame({"y_true": [1, 2], "p_2": [0.3, 0.9]}))["mine"]
    assert found["pos_label"] == 2
    assert isinstance(found["pos_label"], int)


def test_probabilities_keep_the_types_of_labels():
    found = models(pd.DataFrame({"y_true": [1, 2], "p_2": [0.3, 0.9], "p_1": [0.7, 0.1]}))["mine"]
    assert found["classes"] == [2, 1]
    assert found["y_proba"].shape == (2, 2)


def test_written_sets():
    frame = pd.DataFrame({"y_true": ["a", "b", "a", "b"], "y_set": ["a", "{a|b}", None, "c | b"]})
    found = models(frame)["mine"]
    assert found["classes"] == ["a", "b", "c"]
    expected = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]]
    assert found["y_set"].tolist() == np.array(expected, dtype=bool).tolist()


def test_written_sets_beside_probabilities():
    frame = pd.DataFrame({"y_true": ["a"], "p_a": [0.8], "p_b": [0.2], "y_set": ["a|z"]})
    with pytest.raises(ValueError, match=r"row 0 names 'z', which is no class"):
        models(frame)


def test_member_columns():
    frame = pd.DataFrame({"y_true": ["a", "b"], "set_a": [1, 0], "set_b": [1, 1]})
    assert models(frame)["mine"]["y_set"].tolist() == [[True, True], [False, True]]


def test_tables_that_cannot_be_read():
    with pytest.raises(ValueError, match="no rows"):
        models(pd.DataFrame({"y_true": [], "score": []}))
    with pytest.raises(ValueError, match=r"'y_true' is empty in row 1 \(1 in all\)"):
        models(pd.DataFrame({"y_true": ["a", None], "score": [0.1, 0.2]}))
