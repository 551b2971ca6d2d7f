"""A label that means unknown: learned, never answered, scored apart."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from cautious.models import AbstainingClassifier, UnknownClassClassifier


def unsure_expert(n=400, seed=0):
    """Three classes; of cases between two of them the expert does not know the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = np.column_stack([3.0 * y, np.zeros(n)]) + rng.normal(size=(n, 2))
    names = np.array(["ash", "elm", "oak"], dtype=object)[y]
    names[(X[:, 0] > 3.8) & (X[:, 0] < 5.2)] = "?"
    return X, names


def test_unknown_is_learned_but_never_answered():
    X, y = unsure_expert()
    model = UnknownClassClassifier(GaussianNB(), "?", threshold=0.4).fit(X, y)
    inner = GaussianNB().fit(X, y)
    p = inner.predict_proba(X)
    assert inner.classes_.tolist() == ["?", "ash", "elm", "oak"]
    assert model.classes_.tolist() == ["ash", "elm", "oak"]
    np.testing.assert_allclose(model.unknown_proba(X), p[:, 0])
    np.testing.assert_allclose(model.predict_proba(X), p[:, 1:] / p[:, 1:].sum(axis=1)[:, None])
    sets, doubt = model.predict_set(X), p[:, 0] >= 0.4
    assert (sets.all(axis=1) == doubt).all()
    assert (sets[~doubt].argmax(axis=1) == p[~doubt, 1:].argmax(axis=1)).all()
    assert 0.1 < doubt.mean() < 0.4
    assert "?" not in model.predict(X)


def test_unknown_beside_the_caution_of_the_estimator():
    X, y = unsure_expert()
    inner = AbstainingClassifier(GaussianNB(), "ratio", {"thresholds": [0.3] * 4})
    model = UnknownClassClassifier(inner, "?", threshold=1.0).fit(X, y)
    own = inner.fit(X, y).predict_set(X)
    expected = own[:, 1:] | ~own[:, 1:].any(axis=1, keepdims=True)  # nothing but unknown
    assert (model.predict_set(X) == expected).all()
    assert (own[:, 0] & ~own[:, 1:].any(axis=1)).any()


def test_unknown_cases_are_scored_apart():
    X, y = unsure_expert()
    model = UnknownClassClassifier(GaussianNB(), "?").fit(X, y)
    sets, lost = model.predict_set(X), y == "?"
    one = sets.sum(axis=1) == 1
    wrong = one & ~lost & (model.predict(X) != y)
    table = model.answer_shares(X, y)
    assert table["n"].tolist() == [(one & ~lost).sum(), wrong.sum(), (one & lost).sum()]
    shares = [(one & ~lost).sum() / (~lost).sum(), wrong.sum() / (one & ~lost).sum()]
    assert table["share"].tolist()[:2] == pytest.approx(shares)
    assert table["share"].iloc[2] == pytest.approx((one & lost).sum() / lost.sum())
    weight = np.arange(1.0, len(y) + 1)
    right = one & (model.predict(X) == y)
    # Abstaining between three is worth u65(1/3) if one of them is known.
    worth = np.where(lost, ~one, np.where(one, right, 1.6 / 3 - 0.6 / 9))
    assert model.score(X, y) == pytest.approx(worth.mean())
    assert model.score(X, y, weight) == pytest.approx(np.average(worth, weights=weight))
    assert model.score(X[lost], y[lost]) == pytest.approx((~one[lost]).mean())
    scores = cross_val_score(model, X, y, cv=3)
    assert (scores > 0.7).all()


def test_unknown_that_does_not_occur_and_nothing_else():
    X, y = make_blobs(60, centers=2, random_state=0)
    model = UnknownClassClassifier(GaussianNB(), 7).fit(X, y)
    assert (model.predict_set(X).argmax(axis=1) == GaussianNB().fit(X, y).predict(X)).all()
    assert (model.unknown_proba(X) == 0).all()
    alone = UnknownClassClassifier(GaussianNB(), 1).fit(X, y)
    assert alone.predict_set(X).tolist() == [[True]] * 60
    with pytest.raises(ValueError, match=r"y holds nothing but '\?'"):
        UnknownClassClassifier(DummyClassifier(), "?").fit(X, ["?"] * 60)
    for threshold in (0, 1.5, "half", True):
        with pytest.raises(ValueError, match="threshold is"):
            UnknownClassClassifier(GaussianNB(), threshold=threshold).fit(X, y)


def test_with_one_known_class_a_set_is_an_answer_everywhere():
    X, y = unsure_expert()
    y = np.where(y == "?", "?", "tree").astype(object)
    model, lost = UnknownClassClassifier(GaussianNB(), "?").fit(X, y), y == "?"
    table = model.answer_shares(X, y)
    assert table["n"].tolist() == [(~lost).sum(), 0, lost.sum()]
    assert model.score(X, y) == pytest.approx((~lost).mean())
    assert model.score(X[lost], y[lost]) == 0
    assert np.ptp(model.unknown_proba(X)) > 0.5


@pytest.mark.parametrize(
    ("unknown", "error", "message"),
    [
        (["?"], TypeError, r"unknown is \['\?'\], a list; give the one label"),
        (np.array(["?", "!"]), TypeError, "unknown is array.*, a ndarray; give the one label"),
        (None, ValueError, r"unknown is None, which is no label .* as by y.fillna\('\?'\)"),
        (np.nan, ValueError, "unknown is nan, which is no label"),
        (pd.NA, ValueError, "unknown is <NA>, which is no label"),
        ("1", ValueError, "unknown is '1', but the labels in y are numbers; give it as"),
    ],
)
def test_what_cannot_mean_unknown(unknown, error, message):
    X, y = make_blobs(60, centers=3, random_state=0)
    with pytest.raises(error, match=message):
        UnknownClassClassifier(GaussianNB(), unknown).fit(X, y)


def test_an_unknown_of_another_kind_never_occurs():
    X, y = make_blobs(60, centers=3, random_state=0)
    with pytest.warns(UserWarning, match=r"unknown is '\?', but the labels in y are numbers, so"):
        UnknownClassClassifier(GaussianNB(), "?").fit(X, y)
    with pytest.warns(UserWarning, match="unknown is -1, but the labels in y are text, so it"):
        UnknownClassClassifier(GaussianNB(), -1).fit(X, np.array(["a", "b", "c"])[y])


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Categorical])
def test_missing_labels_are_to_be_named(kind):
    X, y = unsure_expert()
    gaps = kind([None if label == "?" else label for label in y])
    row = int(np.flatnonzero(y == "?")[0])
    with pytest.raises(ValueError, match=rf"first in row {row}; .* by y.fillna\('\?'\), with"):
        UnknownClassClassifier(GaussianNB(), "?").fit(X, gaps)
    named = UnknownClassClassifier(GaussianNB(), "?").fit(
        X, pd.Series(gaps, dtype=object).fillna("?")
    )
    assert named.score(X, y) == UnknownClassClassifier(GaussianNB(), "?").fit(X, y).score(X, y)
    numbers = np.where(y == "?", np.nan, 1.0)
    with pytest.raises(ValueError, match=rf"first in row {row}; .* by y.fillna\(-1\), with"):
        UnknownClassClassifier(GaussianNB(), -1).fit(X, kind(numbers))


def test_weights_of_zero_leave_nothing_to_score():
    X, y = unsure_expert()
    model = UnknownClassClassifier(GaussianNB(), "?").fit(X, y)
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        model.score(X[:2], y[:2], sample_weight=[0, 0])


def test_the_estimator_is_asked_once():
    asked = []

    class Counting(GaussianNB):
        def predict_proba(self, X):
            asked.append(len(X))
            return super().predict_proba(X)

    X, y = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
    model = UnknownClassClassifier(Counting(), 2).fit(X, y)
    asked.clear()
    model.predict_set(X)
    model.predict(X)
    assert asked == [30, 30]
