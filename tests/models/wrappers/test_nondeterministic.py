"""The nondeterministic classifier: sets of the largest expected utility, by brute force too."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.costs._set_costs import all_sets
from cautious.decision import gamma_maximin
from cautious.models import (
    NaiveCredalClassifier,
    NondeterministicClassifier,
)
from cautious.utility import exponential


def doubtful(n=300, K=4, seed=0):
    return make_classification(
        n, n_informative=5, n_classes=K, flip_y=0.2, class_sep=0.7, random_state=seed
    )


UTILITIES = {
    "f1": lambda k: 2 / (1 + k),
    "f2": lambda k: 5 / (4 + k),
    "u65": lambda k: 1.6 / k - 0.6 / k**2,
    "u80": lambda k: 2.2 / k - 1.2 / k**2,
}


@pytest.mark.parametrize("name", UTILITIES)
def test_no_other_set_expects_more(name):
    X, y = doubtful()
    model = NondeterministicClassifier(GaussianNB(), utility=name).fit(X, y)
    p, sets = model.predict_proba(X), model.predict_set(X)
    every = all_sets(4)
    worth = np.array([UTILITIES[name](size) for size in every.sum(axis=1)])
    expected = (p @ every.T) * worth
    ours = (p * sets).sum(axis=1) * np.array([UTILITIES[name](k) for k in sets.sum(axis=1)])
    np.testing.assert_allclose(ours, expected.max(axis=1))
    assert len(np.unique(sets.sum(axis=1))) > 1


def test_any_function_of_discounted_accuracy():
    X, y = doubtful()
    named = NondeterministicClassifier(GaussianNB(), utility="u65").fit(X, y)
    own = NondeterministicClassifier(GaussianNB(), utility=lambda x: 1.6 * x - 0.6 * x**2)
    assert (own.fit(X, y).predict_set(X) == named.predict_set(X)).all()
    averse = NondeterministicClassifier(GaussianNB(), utility=exponential(8)).fit(X, y)
    assert averse.predict_set(X).sum() > named.predict_set(X).sum()


def test_pipelines_frozen_estimators_and_weights():
    X, y = doubtful()
    weight = np.linspace(0.1, 2, len(y))
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    model = NondeterministicClassifier(pipeline)
    model.fit(X, y, gaussiannb__sample_weight=weight)
    by_hand = make_pipeline(StandardScaler(), GaussianNB()).fit(
        X, y, gaussiannb__sample_weight=weight
    )
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(X))
    names = "standardscaler__sample_weight", "gaussiannb__sample_weight"
    every = make_pipeline(StandardScaler(), GaussianNB()).fit(X, y, **dict.fromkeys(names, weight))
    model.fit(X, y, sample_weight=weight)  # reaches every step that takes weights
    np.testing.assert_allclose(model.predict_proba(X), every.predict_proba(X))
    frozen = NondeterministicClassifier(FrozenEstimator(by_hand)).fit(X[:20], y[:20])
    np.testing.assert_allclose(frozen.predict_proba(X), by_hand.predict_proba(X))
    plain = NondeterministicClassifier(GaussianNB()).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = NondeterministicClassifier(GaussianNB().set_fit_request(sample_weight=True))
        asking.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(plain.predict_proba(X), asking.predict_proba(X))


def test_feature_names_are_forgotten_with_the_frame():
    pd = pytest.importorskip("pandas")
    X, y = doubtful(60)
    model = NondeterministicClassifier(GaussianNB()).fit(pd.DataFrame(X).add_prefix("f"), y)
    assert model.feature_names_in_[0] == "f0"
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


def test_by_lower_probabilities():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    X = np.where(rng.random((60, 3)) < 0.5, y[:, None], rng.integers(3, size=(60, 3)))
    model = NondeterministicClassifier(NaiveCredalClassifier(s=4.0), "u65", lower=True).fit(X, y)
    bounds = model.estimator_.predict_proba_bounds(X)
    sets = model.predict_set(X)
    assert (sets == gamma_maximin(bounds, utility="u65")).all()
    bold = model.set_params(lower=False).predict_set(X)
    assert sets.sum() > bold.sum()
