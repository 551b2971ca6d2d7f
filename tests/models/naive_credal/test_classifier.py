"""The naive credal classifier as an estimator: what it answers, and with what."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import CategoricalNB

from cautious.errors import ContinuousFeaturesWarning
from cautious.metrics import make_set_scorer
from cautious.models import (
    CautiousSearchCV,
    CredalModelAveragingClassifier,
    NaiveCredalClassifier,
)


def noisy(n, m, n_classes, *, signal, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    noise = rng.integers(levels or n_classes, size=(n, m))
    return np.where(rng.random((n, m)) < signal, y[:, None], noise), y


@pytest.mark.parametrize("s", [0.5, 3.0])
def test_probabilities_are_those_of_categorical_nb_under_the_uniform_prior(s):
    X, y = noisy(90, 4, 3, signal=0.5)
    K, a = 3, 3
    prior = (np.bincount(y) + s / K) / (90 + s)
    bayes = CategoricalNB(alpha=s / (K * a), class_prior=prior, force_alpha=True).fit(X, y)
    ours = NaiveCredalClassifier(s=s).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, bayes.predict_proba(X), rtol=1e-10)


def test_bounds_hold_for_priors_drawn_from_the_global_idm():
    X, y = noisy(40, 3, 3, signal=0.5)
    s, rng = 3.0, np.random.default_rng(0)
    model = NaiveCredalClassifier(s=s).fit(X, y)
    lower, upper = model.predict_proba_bounds(X)
    for _ in range(200):
        t = rng.dirichlet(np.full(3, 0.3))
        joint = np.bincount(y) + s * t
        joint = np.repeat(joint[None], len(X), axis=0)
        for i, table in enumerate(model.counts_.tables):
            share = t * rng.dirichlet(np.full(3, 0.3), size=3).T
            joint *= ((table + s * share) / (table.sum(axis=0) + s * t))[X[:, i]]
        p = joint / joint.sum(axis=1, keepdims=True)
        assert (lower <= p + 1e-9).all()
        assert (p <= upper + 1e-9).all()


def test_epsilon_one_is_naive_bayes_and_a_little_heals_zero_counts():
    X = [["a", 0], ["a", 1], ["a", 0], ["b", 1], ["b", 0], ["b", 1]]
    y = [0, 0, 0, 1, 1, 1]
    T = [["a", 2], ["b", 1]]
    assert NaiveCredalClassifier().fit(X, y).predict_set(T)[0].all()
    sharp = NaiveCredalClassifier(epsilon=1.0).fit(X, y)
    np.testing.assert_array_equal(sharp.predict_set(T).argmax(axis=1), sharp.predict(T))
    assert (sharp.predict_set(T).sum(axis=1) == 1).all()
    zero = [["a", 0]] * 20 + [["b", 0]] * 19 + [["b", 1]]
    labels = [0] * 20 + [1] * 20
    assert NaiveCredalClassifier().fit(zero, labels).predict_set([["b", 1], ["a", 1]]).all(1)[1]
    healed = NaiveCredalClassifier(epsilon=0.05).fit(zero, labels)
    np.testing.assert_array_equal(healed.predict_set([["b", 1]]), [[False, True]])


def test_more_restriction_never_widens_the_answer():
    X, y = noisy(60, 6, 4, signal=0.3)
    for idm in ("global", "local"):
        wide = np.ones((60, 4), dtype=bool)
        for epsilon in (0.0, 0.1, 0.5, 1.0):
            sets = NaiveCredalClassifier(idm=idm, epsilon=epsilon, s=2).fit(X, y).predict_set(X)
            assert (sets <= wide).all()
            wide = sets


def test_parameters_take_effect_without_fitting_again():
    X, y = noisy(60, 5, 3, signal=0.3)
    model = NaiveCredalClassifier(s=0.1).fit(X, y)
    before = model.predict_set(X).sum()
    assert model.set_params(s=8.0).predict_set(X).sum() > before
    np.testing.assert_array_equal(
        model.predict_set(X), NaiveCredalClassifier(s=8.0).fit(X, y).predict_set(X)
    )


def test_costs_with_the_global_idm_are_decided_over_the_bounds():
    X, y = noisy(60, 5, 3, signal=0.3)
    plain = NaiveCredalClassifier(s=2).fit(X, y)
    zero_one = NaiveCredalClassifier(s=2, costs=1 - np.eye(3)).fit(X, y)
    assert (plain.predict_set(X) <= zero_one.predict_set(X)).all()
    dear = 1 - np.eye(3)
    dear[1:, 0] = 50.0  # missing class 0 is dear, so it is kept
    assert zero_one.set_params(costs=dear).predict_set(X)[:, 0].mean() > 0.9


def test_cross_validation_chooses_s_by_any_set_measure():
    X, y = noisy(150, 5, 3, signal=0.3)
    grid = {"s": [0.01, 1.0, 5.0]}
    bold, wary = (
        CautiousSearchCV(NaiveCredalClassifier(), grid, scoring=make_set_scorer(name), cv=3).fit(
            X, y
        )
        for name in ("determinacy", "u80")
    )
    assert bold.best_params_["s"] == 0.01
    assert wary.best_params_["s"] >= 0.01
    best = wary.best_estimator_
    np.testing.assert_array_equal(wary.predict_set(X), best.predict_set(X))
    np.testing.assert_array_equal(wary.predict_proba_bounds(X), best.predict_proba_bounds(X))
    with pytest.raises(NotFittedError):
        CautiousSearchCV(NaiveCredalClassifier(), grid).predict_set(X)
    assert not hasattr(CautiousSearchCV(CategoricalNB(), {"alpha": [1.0]}), "predict_set")


def test_continuous_features_are_warned_about_by_name():
    frame = pd.DataFrame({"level": [1, 2, 1, 2], "weight": [0.5, 1.25, 0.75, np.nan]})
    with pytest.warns(ContinuousFeaturesWarning, match=r"1 feature\(s\): weight.*MDLDiscretizer"):
        NaiveCredalClassifier().fit(frame, [0, 1, 0, 1])
    with pytest.warns(ContinuousFeaturesWarning, match="0, 1, 2, 3, 4, …"):
        NaiveCredalClassifier().fit(np.random.default_rng(0).random((8, 6)), [0, 1] * 4)
    with pytest.warns(ContinuousFeaturesWarning):
        NaiveCredalClassifier().fit(np.array([[0.5], ["a"]], dtype=object)[:1].repeat(2, 0), [0, 1])
    # Whole numbers stored as floats, and declared levels, are categories.
    NaiveCredalClassifier().fit([[1.0, np.nan], [2.0, 3.0]], [0, 1])
    declared = frame.astype({"weight": "category"})
    NaiveCredalClassifier().fit(declared, [0, 1, 0, 1])


def test_many_whole_numbers_look_like_measurements():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    age, grade = rng.integers(18, 80, 300), rng.integers(20, size=300)
    X = pd.DataFrame({"grade": grade, "age": age, "told": age.astype(float)})
    X.loc[::7, "told"] = np.nan
    told = r"more than 20 whole numbers.* in 2 feature\(s\): age, told\. Discretise"
    for model in (NaiveCredalClassifier(), CredalModelAveragingClassifier()):
        with pytest.warns(ContinuousFeaturesWarning, match=told):
            model.fit(X, y)
    # Levels that are meant, plenty of examples of each, or a batch of unknown size: no warning.
    levels = X.astype({"age": "category", "told": "category"})
    NaiveCredalClassifier().fit(levels, y)
    NaiveCredalClassifier().fit(X.astype(object), y)
    NaiveCredalClassifier().fit(pd.concat([X] * 5), np.tile(y, 5))
    NaiveCredalClassifier().partial_fit(X, y, classes=[0, 1])
