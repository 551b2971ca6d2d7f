"""Prediction sets out of fold."""

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from cautious.datasets import load_dataset
from cautious.models import (
    AbstainingClassifier,
    ConformalClassifier,
    NaiveCredalClassifier,
    cross_val_predict_set,
)

X, y = load_dataset("iris", return_X_y=True)


def test_sets_are_those_of_a_loop_over_the_folds() -> None:
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    model = AbstainingClassifier(LogisticRegression(max_iter=500), "threshold", {"threshold": 0.8})
    expected = np.empty((len(y), 3), dtype=bool)
    for train, test in folds.split(X, y):
        expected[test] = model.fit(X.iloc[train], y.iloc[train]).predict_set(X.iloc[test])
    found = cross_val_predict_set(model, X, y, cv=folds)
    np.testing.assert_array_equal(found, expected)
    assert 0 < found.all(axis=1).mean() < 1, "the example must hold answers of both kinds"


def test_a_class_that_training_lacked_is_in_no_set() -> None:
    labels = np.array(["a", "b"] * 4 + ["c"] * 4)
    data = np.array([["u"], ["v"]] * 6)
    sets = cross_val_predict_set(NaiveCredalClassifier(s=10), data, labels, cv=KFold(3))
    assert sets[:8].any(axis=0).tolist() == [True, True, True]
    assert sets[8:].any(axis=0).tolist() == [True, True, False]


def test_what_is_not_a_partition_or_has_no_sets_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cv tests row \d+ \d times; every row"):
        cross_val_predict_set(
            AbstainingClassifier(LogisticRegression(max_iter=500), "threshold", {"threshold": 0.8}),
            *(X, y),
            cv=ShuffleSplit(3, random_state=0),
        )
    with pytest.raises(TypeError, match="has no predict_set; wrap it"):
        cross_val_predict_set(LogisticRegression(), X, y)


@pytest.mark.parametrize("labels", [[0, 1, 0], np.empty((3, 0))])
def test_a_mapping_is_refused_before_anything_is_fitted(labels) -> None:
    """It has a length and takes an index, but no rows: scikit-learn raised a KeyError."""
    rows = {"ash": 1, "elm": 2, "oak": 3}
    with pytest.raises(TypeError, match="X is a dict; give one row per example"):
        cross_val_predict_set(NaiveCredalClassifier(), rows, labels, cv=3)
    with pytest.raises(TypeError, match="X is a dict; give one row per example"):
        ConformalClassifier(LogisticRegression()).fit(rows, labels)


def test_labels_in_a_column_are_read_as_by_fit() -> None:
    model = NaiveCredalClassifier()
    data, labels = [["u"], ["v"]] * 6, ["a", "b"] * 6
    with pytest.warns(DataConversionWarning):
        found = cross_val_predict_set(model, data, np.array(labels)[:, None], cv=3)
    np.testing.assert_array_equal(found, cross_val_predict_set(model, data, labels, cv=3))
