from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, cross_val_predict, cross_validate
from sklearn.tree import DecisionTreeClassifier

from cautious.curves import AbstentionCostSurface
from cautious.errors import InputError
from cautious.predictions._estimators import pooled_outputs, pooled_scores


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    y = np.array(["ham", "spam"])[rng.integers(2, size=80)]
    X = rng.normal(size=(80, 2)) + (y == "spam")[:, None]
    return X, y


def test_an_estimator_scores_the_positive_class(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InputError, match="the classes are 'ham', 'spam'; say which one"):
        AbstentionCostSurface.from_estimator(model, X, y)
    surface = AbstentionCostSurface.from_estimator(model, X, y, pos_label="spam")
    by_hand = AbstentionCostSurface.from_predictions(
        y, model.predict_proba(X)[:, 1], pos_label="spam"
    )
    assert surface.staircase == by_hand.staircase
    assert surface.classes == ("ham", "spam")
    plain = np.where(y == "spam", "yes", "no")
    model = LogisticRegression().fit(X, plain)
    assert AbstentionCostSurface.from_estimator(model, X, plain).classes == ("no", "yes")


def test_the_first_class_may_be_the_positive_one(data):
    X, y = data
    model = RidgeClassifier().fit(X, y)  # only a decision function
    ham = AbstentionCostSurface.from_estimator(model, X, y, pos_label="ham")
    spam = AbstentionCostSurface.from_estimator(
        model, X, y, pos_label="spam", response_method="decision_function"
    )
    assert ham.staircase == spam.staircase.flipped()
    proba = LogisticRegression().fit(X, y)
    one = AbstentionCostSurface.from_estimator(proba, X, y, pos_label="ham")
    assert one.staircase.scores == pytest.approx(np.sort(proba.predict_proba(X)[:, 0]))


@pytest.mark.parametrize("frame", [False, True])
def test_out_of_fold_scores_are_pooled(data, frame):
    X, y = data
    X = pd.DataFrame(X, columns=["a", "b"]) if frame else X
    cv = KFold(4, shuffle=True, random_state=0)
    results = cross_validate(
        LogisticRegression(), X, y, cv=cv, return_estimator=True, return_indices=True
    )
    weight = np.arange(len(y)) % 3
    truth, scores, positive, weights = pooled_scores(
        results, X, y, sample_weight=weight, pos_label="spam"
    )
    pooled = AbstentionCostSurface.from_predictions(
        truth, scores, pos_label=positive, sample_weight=weights
    )
    score = cross_val_predict(LogisticRegression(), X, y, cv=cv, method="predict_proba")[:, 1]
    direct = AbstentionCostSurface.from_predictions(
        y, score, pos_label="spam", sample_weight=weight
    )
    assert pooled.vacc() == pytest.approx(direct.vacc(), rel=1e-12)


def test_what_cannot_be_scored_is_named(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="response_method is 'predict'"):
        AbstentionCostSurface.from_estimator(
            model, X, y, pos_label="spam", response_method="predict"
        )
    with pytest.raises(ValueError, match="not among the classes"):
        AbstentionCostSurface.from_estimator(model, X, y, pos_label="eggs")
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(TypeError, match="has no decision_function"):
        AbstentionCostSurface.from_estimator(
            tree, X, y, pos_label="spam", response_method="decision_function"
        )
    three = DecisionTreeClassifier().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="knows 3 classes"):
        AbstentionCostSurface.from_estimator(three, X, np.arange(len(y)) % 3)
    for missing in ("estimator", "indices"):
        results = {"estimator": [], "indices": {}}
        del results[missing]
        with pytest.raises(ValueError, match=f"no '{missing}'"):
            pooled_scores(results, X, y)


def test_a_class_missing_from_a_training_fold_gets_probability_zero():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 1])
    folds = [(np.arange(8), np.arange(8, 12)), (np.arange(4, 12), np.arange(4))]
    results = cross_validate(
        LogisticRegression(), X, y, cv=folds, return_estimator=True, return_indices=True
    )
    truth, outputs, classes, weight = pooled_outputs(results, X, y, "predict_proba")
    assert classes.tolist() == [0, 1, 2]
    assert (truth == y[[8, 9, 10, 11, 0, 1, 2, 3]]).all()
    assert (outputs[:4, 2] == 0).all()
    assert (weight == 1).all()
