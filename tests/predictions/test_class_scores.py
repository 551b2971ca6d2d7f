"""A frame of scores is read by the names of its columns, not by their order."""

import numpy as np
import pandas as pd
import pytest

from cautious.curves import RiskCoverageCurve
from cautious.metrics import aurc_score
from cautious.predictions._probabilities import class_scores

SCORES = pd.DataFrame({"b": [0.1, 0.9], "a": [0.9, 0.1]})


def test_columns_follow_the_truths_or_the_labels():
    in_order = [[0.9, 0.1], [0.1, 0.9]]
    assert class_scores(SCORES, ["a", "b"])[0].tolist() == in_order
    assert class_scores(SCORES, ["a", "a"], ["a", "b"])[0].tolist() == in_order
    assert class_scores(SCORES, ["a", "b"], ["b", "a"])[0].tolist() == SCORES.to_numpy().tolist()


def test_columns_without_names_are_in_class_order():
    plain = pd.DataFrame(SCORES.to_numpy())
    np.testing.assert_array_equal(class_scores(plain, ["a", "b"])[0], plain)
    np.testing.assert_array_equal(class_scores(plain, ["a", "b"], ["b", "a"])[0], plain)


def test_one_column_of_probabilities_stays_one():
    assert class_scores(pd.Series([0.25]), ["a"], ["a", "b"])[0].tolist() == [[0.75, 0.25]]


def test_columns_that_are_not_the_classes():
    with pytest.raises(ValueError, match=r"y_score has columns \['b', 'a'\] but the classes are"):
        class_scores(SCORES, ["a", "c"])
    with pytest.raises(ValueError, match=r"y_score has columns \['b', 'a'\] but the classes are"):
        class_scores(SCORES, ["a", "a"], ["a", "c"])
    with pytest.raises(ValueError, match=r"2 classes but y_true holds 1 different label \['a'\];"):
        class_scores(SCORES, ["a", "a"])


@pytest.mark.parametrize("labels", [None, ["a", "b"]])
def test_measures_and_curves(labels):
    assert aurc_score(["a", "b"], SCORES, classes=labels) == 0.0
    assert RiskCoverageCurve.from_predictions(["a", "b"], SCORES, classes=labels).aurc == 0.0
    assert aurc_score(["b", "a"], SCORES, classes=labels) == 1.0
