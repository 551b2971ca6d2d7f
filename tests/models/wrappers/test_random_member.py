"""The random member of a set: chances, draws, and the expectations of the paper."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB

from cautious.metrics import discounted_accuracy_score, utility_score
from cautious.models import (
    AbstainingClassifier,
    ConformalClassifier,
    RandomMemberClassifier,
)


def doubtful(n=400, K=4):
    return make_classification(
        n, n_informative=5, n_classes=K, flip_y=0.2, class_sep=0.7, random_state=0
    )


def fitted(**params):
    X, y = doubtful()
    base = AbstainingClassifier(GaussianNB(), "optimal_sets", {"utility": "u80"}).fit(X, y)
    return RandomMemberClassifier(FrozenEstimator(base), **params).fit(X, y), base, X, y


def test_chances_are_even_within_the_set():
    model, base, X, _ = fitted()
    sets = base.predict_set(X)
    assert len(np.unique(sets.sum(axis=1))) > 2
    np.testing.assert_allclose(model.predict_proba(X), sets / sets.sum(axis=1, keepdims=True))


def test_draws_are_members_each_as_often_as_the_others():
    model, base, X, _ = fitted(random_state=np.random.default_rng(0))
    X = X[:40]
    sets = base.predict_set(X)
    drawn = model.predict_set(np.tile(X, (2000, 1))).reshape(2000, 40, -1)
    assert (drawn.sum(axis=2) == 1).all()
    assert not (drawn & ~sets).any()
    error = np.abs(drawn.mean(axis=0) - model.predict_proba(X))
    assert error.max() < 5 * np.sqrt(0.25 / 2000)


def test_expected_accuracy_is_the_discounted_accuracy_of_the_sets():
    model, base, X, y = fitted(random_state=np.random.default_rng(0))
    sets = base.predict_set(X)
    expected = model.predict_proba(X)[np.arange(len(y)), y].mean()
    assert expected == pytest.approx(discounted_accuracy_score(y, sets), abs=1e-12)
    # A single class is worth its accuracy under any utility, so caution pays what concavity adds.
    assert utility_score(y, sets, utility="u65") > expected
    runs = [accuracy_score(y, model.predict(X)) for _ in range(60)]
    assert np.mean(runs) == pytest.approx(expected, abs=5 * np.std(runs) / np.sqrt(60))


def test_over_sets_of_all_classes_it_is_the_random_classifier():
    X, y = load_iris(return_X_y=True)
    vacuous = AbstainingClassifier(GaussianNB(), rule_params={"threshold": np.inf})
    model = RandomMemberClassifier(vacuous, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_set(X).argmax(1)])


def test_an_empty_set_is_drawn_from_as_if_it_held_all_classes():
    X, y = doubtful()
    timid = ConformalClassifier(
        GaussianNB(), confidence_level=0.2, empty="wrong", random_state=0, calibration_size=0.5
    )
    model = RandomMemberClassifier(timid, random_state=0).fit(X, y)
    empty = ~model.estimator_.predict_set(X).any(axis=1)
    assert empty.any()
    np.testing.assert_allclose(model.predict_proba(X)[empty], 1 / 4)


def test_an_estimator_without_sets_is_refused_before_it_is_fitted():
    with pytest.raises(TypeError, match="GaussianNB, which has no predict_set"):
        RandomMemberClassifier(GaussianNB()).fit([[0.0], [1.0]], [0, 1])
