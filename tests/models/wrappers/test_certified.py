"""A promise kept on new cases, refused where it cannot be made, and at home in scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from cautious.metrics import make_set_scorer
from cautious.models import CertifiedAbstainingClassifier
from cautious.models.wrapper import set_aside

pytestmark = [
    pytest.mark.filterwarnings("ignore:Nothing can be promised"),
    pytest.mark.filterwarnings("ignore:.* calibration rows also occur"),
    pytest.mark.filterwarnings("ignore:.* examples that the estimator is fitted on are all of"),
]


def world(rng, n, d=2.0):
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 2)) + d * np.column_stack([y - 0.5, np.zeros(n)]), y


@pytest.mark.parametrize("shape", ["one", "per class"])
def test_a_class_that_was_not_shown_is_a_mistake(shape):
    rng = np.random.default_rng(1)
    weight = 1 / np.arange(1, 61)
    y = rng.choice(60, 500, p=weight / weight.sum())
    X = np.column_stack([y, rng.normal(0, 0.1, 500)])
    model = CertifiedAbstainingClassifier(
        KNeighborsClassifier(1), max_error=0.2, cv=2, thresholds=shape, random_state=0
    ).fit(X, y)
    training, calibration = set_aside(500, 0.5, 0)
    assert (len(training), model.certificate_.n) == (250, 250)
    assert model.classes_.tolist() == np.unique(y).tolist()
    unseen = np.flatnonzero(~np.isin(model.classes_, y[training]))
    assert len(unseen)
    np.testing.assert_array_equal(model.predict_proba(X)[:, unseen], 0)
    sets = model.predict_set(X[calibration])
    given = sets.sum(axis=1) == 1
    wrong = given & (model.classes_[sets.argmax(axis=1)] != y[calibration])
    assert shape != "one" or (~np.isin(y[calibration], y[training]) & wrong).any()
    tests = model.certificate_.tests
    assert sum(one.wrong for one in tests) == wrong.sum()
    assert sum(one.answered for one in tests) == given.sum()


@pytest.mark.parametrize("shape", ["one", "two", "per class"])
@pytest.mark.parametrize("positive", [0, 1])
def test_what_was_counted_is_what_the_model_answers(shape, positive):
    rng = np.random.default_rng(3)
    X, y = world(rng, 1600, d=3)
    model = CertifiedAbstainingClassifier(
        KNeighborsClassifier(25),  # probabilities that are rounded hundredths
        max_error=0.06,
        thresholds=shape,
        pos_label=positive,
        random_state=0,
    ).fit(X, y)
    calibration = set_aside(1600, 0.5, 0)[1]
    sets = model.predict_set(X[calibration])
    given = sets.sum(axis=1) == 1
    wrong = given & ~sets[np.arange(800), y[calibration]]
    tests = model.certificate_.tests
    assert 0 < given.sum() < 800
    assert sum(one.answered for one in tests) == given.sum()
    assert sum(one.wrong for one in tests) == wrong.sum()


def test_a_fitted_model_meets_a_class_it_was_not_shown():
    rng = np.random.default_rng(2)
    X, y = world(rng, 600, d=6)
    base = FrozenEstimator(GaussianNB().fit(X[:200], y[:200]))
    y = np.where(np.arange(600) % 20 == 0, 2, y)
    model = CertifiedAbstainingClassifier(base, max_error=0.2).fit(X[200:], y[200:])
    assert model.classes_.tolist() == [0, 1, 2]
    sets = model.predict_set(X[200:])
    assert not (sets[:, 2] & ~sets.all(axis=1)).any()
    test = model.certificate_.tests[0]
    assert 5 <= test.wrong < 30  # of 320 tested cases, 5 % are of that class


def test_the_promise_is_kept():
    rng = np.random.default_rng(0)
    X, y = world(rng, 10_000)
    overdrawn, answered = [], []
    for seed in range(40):
        own = world(rng, 600)
        model = CertifiedAbstainingClassifier(
            LogisticRegression(), max_error=0.1, confidence_level=0.9, random_state=seed
        ).fit(*own)
        sets = model.predict_set(X)
        given = sets.sum(axis=1) == 1
        wrong = given & ~sets[np.arange(len(y)), y]
        overdrawn.append(wrong.sum() > 0.1 * given.sum())
        answered.append(given.mean())
    assert np.mean(overdrawn) <= 0.1 + 2 * np.sqrt(0.09 / 40)
    assert np.mean(answered) > 0.5


def test_the_positive_class_is_said():
    rng = np.random.default_rng(2)
    X, y = world(rng, 3000, 3)
    labels = np.where(y == 1, "bad", "good")
    with pytest.raises(ValueError, match="pos_label"):
        CertifiedAbstainingClassifier(GaussianNB(), max_missed=0.05).fit(X, labels)
    with pytest.raises(ValueError, match="not among"):
        CertifiedAbstainingClassifier(GaussianNB(), max_missed=0.05, pos_label="x").fit(X, labels)
    model = CertifiedAbstainingClassifier(
        GaussianNB(), max_missed=0.05, max_error=0.05, pos_label="bad", random_state=0
    ).fit(X, labels)
    assert model.rule_.pos_label == "bad"
    sets = model.predict_set(X)
    bad = model.classes_.tolist().index("bad")
    missed = (sets.sum(axis=1) == 1) & ~sets[:, bad] & (labels == "bad")
    assert missed.sum() <= 0.06 * (labels == "bad").sum()


def test_nothing_to_promise():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 2)), rng.integers(2, size=200)
    model = CertifiedAbstainingClassifier(LogisticRegression(), max_error=0.01, random_state=0)
    with pytest.warns(UserWarning, match="Nothing can be promised"):
        model.fit(X, y)
    assert model.rule_ is None
    assert model.predict_set(X).all()
    assert set(model.predict(X)) <= {0, 1}


def test_groups_and_scorers():
    rng = np.random.default_rng(4)
    X, y = world(rng, 4000, 3)
    groups = rng.choice(["u", "v"], 4000)
    model = CertifiedAbstainingClassifier(GaussianNB(), max_error=0.1, random_state=0)
    model.fit(X, y, groups=groups)
    assert {one.group for one in model.certificate_.tests} == {"u", "v"}
    score = cross_val_score(model, X, y, cv=3, scoring=make_set_scorer("coverage"))
    assert (score > 0.5).all()


def test_on_average_more_is_answered():
    rng = np.random.default_rng(6)
    X, y = world(rng, 1200)
    model = CertifiedAbstainingClassifier(GaussianNB(), max_error=0.1, random_state=0).fit(X, y)
    sure, certificate = model.coverage_, model.certificate_
    model.set_params(promise="on average").fit(X, y)
    assert model.coverage_ > sure
    assert model.certificate_.confidence_level is None
    assert model.certificate_.n == certificate.n
    assert "on average: at most 10 %" in str(model.certificate_)
    with pytest.raises(ValueError, match="groups is given"):
        model.set_params(promise="on average").fit(X, y, groups=y)
