from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cautious.costs import discounted, zero_one
from cautious.metrics import (
    MEASURES,
    error_score,
    make_set_scorer,
    set_cost_score,
    utility_score,
)
from cautious.models import TunedAbstainingClassifierCV


class Threshold(ClassifierMixin, BaseEstimator):
    """Answers if sure enough, and counts how often it is asked."""

    def __init__(self, tau: float = 0.9) -> None:
        self.tau = tau

    def fit(self, X, y, sample_weight=None):
        self.model_ = GaussianNB().fit(X, y, sample_weight)
        self.classes_ = self.model_.classes_
        self.asked_ = 0
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict_set(self, X):
        self.asked_ += 1
        p = self.predict_proba(X)
        sure = p.max(axis=1, keepdims=True) >= self.tau
        return np.where(sure, p == p.max(axis=1, keepdims=True), True)


X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.fixture
def model() -> Threshold:
    return Threshold(0.99).fit(X[::3], NAMES[::3])


def test_a_scorer_is_the_measure_of_predict_set(model) -> None:
    sets = model.predict_set(X)
    weight = np.linspace(0, 1, len(X))
    assert make_set_scorer("u65")(model, X, NAMES) == utility_score(NAMES, sets)
    assert make_set_scorer(utility_score, utility="u80")(model, X, NAMES, weight) == (
        utility_score(NAMES, sets, utility="u80", sample_weight=weight)
    )
    assert make_set_scorer("error")(model, X, NAMES) == -error_score(NAMES, sets)
    costs = discounted(zero_one(3))
    assert make_set_scorer(set_cost_score, costs=costs)(model, X, NAMES) == (
        -set_cost_score(NAMES, sets, costs=costs)
    )
    assert make_set_scorer("needless_abstention")(model, X, NAMES) == (
        -MEASURES["needless_abstention"].score(NAMES, sets, y_pred=model.predict(X))
    )
    p = model.predict_proba(X)
    assert make_set_scorer("aurc")(model, X, NAMES) == -MEASURES["aurc"].score(
        MEASURES["aurc"].counts.from_predictions(NAMES, p)
    )


def test_functions_of_ones_own(model) -> None:
    def share_of_first(y_true, y_set):
        return y_set[:, 0].mean()

    def neg_weighted(y_true, y_set, *, classes, sample_weight=None, power=1):
        assert list(classes) == ["setosa", "versicolor", "virginica"]
        return -float(sample_weight.sum() ** power)

    assert make_set_scorer(share_of_first)(model, X, NAMES) == model.predict_set(X)[:, 0].mean()
    lower = make_set_scorer(share_of_first, greater_is_better=False)
    assert lower(model, X, NAMES) == -model.predict_set(X)[:, 0].mean()
    weight = np.ones(len(X))
    assert make_set_scorer(neg_weighted, power=2)(model, X, NAMES, weight) == -(150.0**2)


def test_several_measures_from_one_prediction() -> None:
    scoring = make_set_scorer(["u65", "coverage", error_score, "aurc"])
    result = cross_validate(Threshold(), X, NAMES, scoring=scoring, cv=3, return_estimator=True)
    assert {"test_u65", "test_coverage", "test_neg_error", "test_neg_aurc"} <= set(result)
    assert [estimator.asked_ for estimator in result["estimator"]] == [1, 1, 1]
    alone = cross_validate(Threshold(), X, NAMES, scoring=make_set_scorer("coverage"), cv=3)
    assert np.array_equal(result["test_coverage"], alone["test_score"])
    search = GridSearchCV(Threshold(), {"tau": [0.5, 0.99]}, scoring=scoring, refit="coverage")
    assert search.fit(X, NAMES).best_params_ == {"tau": 0.5}


@pytest.mark.parametrize("tau", [0.0, 1.1])
def test_a_fold_of_a_class_that_was_not_learned(tau: float) -> None:
    """Unshuffled folds of iris hold one class each, none of which the model was trained on."""
    result = cross_validate(
        Threshold(tau), X, NAMES, cv=KFold(3), error_score="raise",
        scoring=make_set_scorer(["u65", "coverage", "aurc", "needless_abstention"]),
    )  # fmt: skip
    # An answer cannot be right, and not knowing is not knowing of three classes.
    assert np.allclose(result["test_coverage"], 1 if tau == 0 else 0)
    assert np.allclose(result["test_u65"], 0 if tau == 0 else -0.6 / 9 + 1.6 / 3)
    assert np.allclose(result["test_neg_aurc"], -1)
    assert np.allclose(result["test_neg_needless_abstention"], 0)


def test_a_test_fold_without_a_class_the_model_knows(model) -> None:
    few = NAMES != "virginica"
    score = make_set_scorer("discounted_accuracy")(model, X[few], NAMES[few])
    sets = model.predict_set(X[few])
    assert score == MEASURES["discounted_accuracy"].score(
        MEASURES["discounted_accuracy"].counts.from_predictions(
            NAMES[few], sets, classes=model.classes_
        )
    )


READY = sorted(name for name, entry in MEASURES.items() if not entry.missing_params())


@pytest.mark.parametrize("name", READY)
def test_every_measure_scores_by_name(name, model) -> None:
    scorer = pickle.loads(pickle.dumps(make_set_scorer(name)))
    assert np.isfinite(scorer(model, X, NAMES))
    assert repr(clone(scorer, safe=False)) == repr(scorer)
    signed = name if MEASURES[name].greater_is_better else f"neg_{name}"
    assert repr(make_set_scorer(signed)) == repr(scorer) == f"make_set_scorer({signed!r})"


def test_weights_by_metadata_routing() -> None:
    weight = np.linspace(0, 1, len(X))
    cv = StratifiedKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_set_scorer("u65").set_score_request(sample_weight=True)
        estimator = Threshold().set_fit_request(sample_weight=False)
        result = cross_validate(
            estimator, X, NAMES, cv=cv, scoring=scorer, params={"sample_weight": weight},
            return_estimator=True,
        )  # fmt: skip
        several = cross_validate(
            estimator, X, NAMES, cv=cv, scoring={"one": scorer}, params={"sample_weight": weight}
        )
        careless = make_set_scorer("u65")
        with pytest.raises(Exception, match="sample_weight"):
            cross_validate(
                estimator, X, NAMES, cv=cv, scoring=careless, params={"sample_weight": weight}
            )
    expected = [
        utility_score(NAMES[test], fitted.predict_set(X[test]), sample_weight=weight[test])
        for fitted, (_, test) in zip(result["estimator"], cv.split(X, NAMES), strict=True)
    ]
    assert np.allclose(result["test_score"], expected)
    assert np.allclose(several["test_one"], expected)


def test_weights_without_routing() -> None:
    """Newer scikit-learn hands weights given to fit on to every scorer that takes them."""
    weight = np.linspace(0.1, 1, len(X))
    for scoring, refit in (
        (make_set_scorer("u65"), True),
        ({"u65": make_set_scorer("u65")}, "u65"),
    ):
        search = GridSearchCV(Threshold(), {"tau": [0.9]}, scoring=scoring, refit=refit, cv=3)
        search.fit(X, NAMES, sample_weight=weight)
        assert search.best_estimator_.asked_ == 0


def test_a_measure_without_its_costs_is_refused_when_the_scorer_is_made():
    with pytest.raises(ValueError, match=r"'set_cost' needs costs, .*'set_cost', costs=\.\.\."):
        make_set_scorer("set_cost")
    with pytest.raises(ValueError, match="'set_cost' needs costs"):
        make_set_scorer(["u65", "set_cost"])


def test_each_of_several_measures_gets_the_parameters_that_it_takes(model) -> None:
    def own(y_true, y_set, *, factor):
        return factor * len(y_true)

    costs, before = {"mistake": 5, "abstain": 1}, dict(MEASURES)
    several = make_set_scorer(["u65", "set_cost", own], costs=costs, factor=2)
    alone = [make_set_scorer("u65"), make_set_scorer("set_cost", costs=costs)]
    found = several(model, X, Y)
    assert list(found.values()) == [*(one(model, X, Y) for one in alone), 2 * len(Y)]
    assert before == MEASURES, "nothing is entered for everybody"
    for params in ({"cost": costs}, {"costs": costs, "utility": "u80"}):
        with pytest.raises(TypeError, match="none of the measures takes the parameter"):
            make_set_scorer(["u65", "set_cost"], **params)


@pytest.mark.parametrize(
    ("measure", "params", "error", "message"),
    [
        ("utility", {"utilty": "u80"}, TypeError, "unexpected keyword argument 'utilty'"),
        ("utility", {"utility": "best"}, ValueError, "utility is 'best'"),
        ("coverage", {"partial": "sets"}, ValueError, "partial is 'sets'"),
        ("set_cost", {"costs": {"fn": 1, "fp": 1, "abstain": 1}}, ValueError, "has the key 'fn'"),
        ("set_cost", {"costs": {"mistake": -5, "abstain": 1}}, ValueError, "'mistake'] is -5"),
        ("set_cost", {"costs": [[0, 1, 2]]}, ValueError, "costs has shape"),
    ],
)
def test_bad_parameters_are_refused_before_anything_is_fitted(measure, params, error, message):
    with pytest.raises(error, match=message):
        make_set_scorer(measure, **params)


@pytest.mark.parametrize("measure", ["u65", "coverage", "neg_needless_abstention", "aurc"])
def test_scorers_see_through_pipelines_and_searches(measure) -> None:
    """What a model scores, it scores as the last step of a pipeline and found by a search."""
    scorer = make_set_scorer(measure)
    scaled = StandardScaler().fit(X)
    expected = scorer(Threshold().fit(scaled.transform(X), NAMES), scaled.transform(X), NAMES)
    pipeline = make_pipeline(StandardScaler(), Threshold())
    assert scorer(pipeline.fit(X, NAMES), X, NAMES) == expected
    grid = {"threshold__tau": [0.9]}
    search = GridSearchCV(pipeline, grid, scoring=scorer, cv=3, error_score="raise")
    assert scorer(search.fit(X, NAMES), X, NAMES) == expected
    wrapped = make_pipeline("passthrough", search)
    assert scorer(wrapped.fit(X, NAMES), X, NAMES) == expected
    folds = cross_validate(search, X, NAMES, scoring=scorer, cv=3, error_score="raise")
    assert np.isfinite(folds["test_score"]).all()
    with pytest.raises(TypeError, match="GaussianNB has no predict_set"):
        make_set_scorer("u65")(make_pipeline(StandardScaler(), GaussianNB()).fit(X, Y), X, Y)


def test_empty_sets_may_be_wrong() -> None:
    class Conformal(Threshold):
        def predict_set(self, X):
            return self.predict_proba(X) >= self.tau

    model = Conformal(0.999).fit(X, NAMES)
    assert not model.predict_set(X).any(axis=1).all()
    with pytest.raises(ValueError, match="empty prediction set"):
        make_set_scorer("containment")(model, X, NAMES)
    scorer = make_set_scorer("containment", empty="wrong")
    assert repr(scorer) == "make_set_scorer('containment', empty='wrong')"
    held = model.predict_set(X)[np.arange(len(X)), Y]
    assert scorer(model, X, NAMES) == pytest.approx(held.mean())


def test_costs_settled_in_a_measure_may_be_about_any_number_of_classes():
    X, y = load_iris(return_X_y=True)
    costs = discounted(zero_one(3))
    measure = replace(MEASURES["set_cost"], name="three", params={"costs": costs})
    model = Threshold().fit(X, y)
    settled, given = make_set_scorer(measure), make_set_scorer("set_cost", costs=costs)
    assert settled(model, X, y) == given(model, X, y)


def test_the_positive_class_said_to_the_estimator_is_the_scorers() -> None:
    """Named costs need a positive class; an estimator that was told one has said it."""
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], np.where(y[y > 0] == 1, "good", "bad")
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 3}
    told = {one: make_set_scorer("set_cost", costs=costs, pos_label=one) for one in ("good", "bad")}
    for positive, other in (("good", "bad"), ("bad", "good")):
        tuned = TunedAbstainingClassifierCV(GaussianNB(), costs=costs, pos_label=positive, cv=3)
        model = make_pipeline(StandardScaler(), tuned).fit(X, y)
        value = make_set_scorer("set_cost", costs=costs)(model, X, y)
        assert value == told[positive](model, X, y) != told[other](model, X, y)


def test_a_search_says_shortly_what_the_scorer_lacks() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], np.where(y[y > 0] == 1, "good", "bad")
    scorer = make_set_scorer(
        "set_cost", costs={"false_negative": 1, "false_positive": 1, "abstain": 0}
    )
    with pytest.warns(UserWarning, match="Scoring failed") as warned:
        cross_validate(Threshold(), X, y, cv=2, scoring=scorer)
    said = str(warned[0].message)
    assert "say which one a high score speaks for: pos_label='bad' or pos_label='good'" in said
    assert "arguments of make_set_scorer" in said
    assert said.count("cautious/metrics") <= 1
