"""Nested dichotomies as estimators: the single best tree, the forest, and what they are made of."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.costs import ordinal, p_discounted
from cautious.metrics import make_set_scorer, set_cost_score, utility_score
from cautious.models import (
    NaiveCredalClassifier,
    NestedDichotomyClassifier,
    NestedDichotomyForestClassifier,
    nested_dichotomies,
)

SINGLE, FOREST = NestedDichotomyClassifier, NestedDichotomyForestClassifier


def noisy(n, m, K, seed=0, signal=0.5):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(K), rng.integers(K, size=n - K))
    return np.where(rng.random((n, m)) < signal, y[:, None], rng.integers(K, size=(n, m))), y


def test_two_classes_need_one_dichotomy():
    X, y = noisy(80, 3, 2)
    base = NaiveCredalClassifier(s=2.0, idm="local").fit(X, y)
    for model in (SINGLE(random_state=0), FOREST(n_estimators=4, random_state=0)):
        model.fit(X, y)
        assert len(model.estimators_) == 1
        np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X))
        np.testing.assert_allclose(
            model.predict_proba_bounds(X), base.predict_proba_bounds(X), atol=1e-12
        )
        assert (model.predict_set(X) == base.predict_set(X)).all()


def test_precise_trees_multiply_probabilities():
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=200)
    X = rng.normal(size=(200, 3)) + y[:, None]
    model = SINGLE(LogisticRegression(), n_candidates=1, random_state=1).fit(X, y)
    by_hand = np.ones((200, 4))
    for left, right in model.tree_.sides():
        inside = (left | right)[y]
        binary = LogisticRegression().fit(X[inside], right[y[inside]])
        p_right = binary.predict_proba(X)[:, 1]
        by_hand *= np.where(left, 1 - p_right[:, None], np.where(right, p_right[:, None], 1))
    np.testing.assert_allclose(model.predict_proba(X), by_hand, atol=1e-12)
    lower, upper = model.predict_proba_bounds(X)
    np.testing.assert_allclose(lower, upper)
    # Without imprecision the maximal class is the one of least expected cost.
    costs = ordinal(4)
    sets = model.set_params(costs=costs).predict_set(X)
    assert (sets.sum(axis=1) == 1).all()
    assert (sets.argmax(axis=1) == (by_hand @ costs.T).argmin(axis=1)).all()


def test_doubt_widens_as_an_imprecise_dirichlet_model():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 50])
    X = rng.normal(size=(80, 2)) + y[:, None]
    p = GaussianNB().fit(X, y).predict_proba(X)
    model = SINGLE(GaussianNB(), doubt=2.0).fit(X, y)
    lower, upper = model.predict_proba_bounds(X)
    np.testing.assert_allclose(lower, 80 * p / 82)
    np.testing.assert_allclose(upper, (80 * p + 2) / 82)


def test_the_most_probable_class_is_maximal():
    X, y = noisy(150, 4, 5, signal=0.3)
    for model in (SINGLE(random_state=0, n_candidates=5), FOREST(n_estimators=7, random_state=0)):
        model.fit(X, y)
        assert model.predict_set(X)[np.arange(150), model.predict(X)].all()


@pytest.mark.parametrize("scoring", [None, "u80", make_set_scorer(utility_score, utility="u80")])
def test_keeps_the_tree_that_does_best_on_the_learning_set(scoring):
    X, y = noisy(120, 3, 4, signal=0.4)
    costs = ordinal(4)
    model = SINGLE(n_candidates=12, costs=costs, scoring=scoring, random_state=0).fit(X, y)
    assert 1 < len(model.candidates_) <= 12
    assert len(model.estimators_) == 3
    sets = model.predict_set(X)
    if scoring is None:
        reached = -set_cost_score(y, sets, costs=p_discounted(costs, r=0.5))
    else:
        reached = utility_score(y, sets, utility="u80")
    assert reached == pytest.approx(model.candidate_scores_.max())
    assert len(np.unique(model.candidate_scores_)) > 1
    assert model.tree_.key == model.candidates_[model.candidate_scores_.argmax()].key


def test_rows_in_portions_and_jobs_do_not_matter(monkeypatch):
    X, y = noisy(60, 3, 4)
    frame = pd.DataFrame(X, columns=list("abc"))
    forest = FOREST(n_estimators=5, random_state=0).fit(frame, y)
    whole = (
        forest.predict_proba(frame),
        forest.predict_set(frame),
        forest.predict_proba_bounds(frame),
    )
    monkeypatch.setattr(nested_dichotomies, "_CELLS_AT_ONCE", 100)
    again = (
        forest.predict_proba(frame),
        forest.predict_set(frame),
        forest.predict_proba_bounds(frame),
    )
    for one, other in zip(whole, again, strict=True):
        np.testing.assert_array_equal(one, other)
    with joblib.parallel_config(backend="threading"):
        parallel = FOREST(n_estimators=5, random_state=0, n_jobs=2).fit(frame, y)
    np.testing.assert_array_equal(parallel.predict_set(frame), whole[1])


def test_chance_in_the_estimator_is_seeded():
    X, y = noisy(60, 3, 4)
    base = make_pipeline(StandardScaler(), RandomForestClassifier(3, max_features=1))
    one, two, other = (
        FOREST(base, n_estimators=2, random_state=seed).fit(X, y).predict_proba(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()
    assert base[-1].random_state is None


def test_costs_with_labels_and_text():
    X, y = noisy(90, 3, 3)
    names = np.array(["low", "mid", "top"])
    costs = pd.DataFrame(ordinal(3), index=names, columns=names)
    shuffled = costs.loc[["top", "low", "mid"], ["mid", "top", "low"]]
    plain = SINGLE(costs=ordinal(3), random_state=0).fit(X, y)
    named = SINGLE(costs=shuffled, random_state=0).fit(X, names[y])
    assert (plain.predict_set(X) == named.predict_set(X)).all()
    assert set("".join(named.export_text().split("\n"))) >= set("low mid top |{}")


def test_defined_answers_to_odd_input():
    X, y = noisy(80, 3, 4)
    X, y = X.astype(float), np.append(y[:-1], 4)  # the last class has one example
    X[:, 1] = 7  # constant
    for model in (SINGLE(random_state=0), FOREST(n_estimators=10, random_state=0)):
        model.fit(X, y)
        nothing = model.predict_set(np.full((1, 3), np.nan))
        assert nothing.any()
        unseen = model.predict_set([[99, 99, 99]])
        assert unseen.all()  # values never seen bound nothing


def test_a_base_with_bounds_only():
    class Bounded(NaiveCredalClassifier):
        predict_proba = property()  # hides it

    X, y = noisy(60, 3, 3)
    model = SINGLE(Bounded(), random_state=0).fit(X, y)
    p = model.predict_proba(X)
    lower, upper = model.predict_proba_bounds(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert ((lower <= p + 1e-12) & (p <= upper + 1e-12)).all()


def test_weights_follow_the_routing():
    X, y = noisy(40, 2, 3)
    weight = np.arange(40) + 1.0
    base = NaiveCredalClassifier(s=2.0, idm="local")
    plain = FOREST(base, n_estimators=3, random_state=0)
    expected = plain.fit(X, y, sample_weight=weight).predict_proba(X)
    unweighted = plain.fit(X, y).predict_proba(X)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = base.set_fit_request(sample_weight=True)
        model = FOREST(asking, n_estimators=3, random_state=0).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(model.predict_proba(X), expected)
        deaf = base.set_fit_request(sample_weight=False)
        model = FOREST(deaf, n_estimators=3, random_state=0).set_fit_request(sample_weight=True)
        model.fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(model.predict_proba(X), unweighted)


@pytest.mark.parametrize("doubt", [0.0, 1.0])
def test_missing_probabilities_are_refused(doubt):
    class Broken(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    X, y = np.arange(30.0).reshape(-1, 1), np.arange(30) % 3
    model = FOREST(Broken(), n_estimators=2, doubt=doubt, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="Broken"):
        model.predict_proba(X)
