"""Thresholds chosen on held-out predictions: against brute force, and within their budgets."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from cautious.curves import AbstentionCostSurface
from cautious.decision import chow_rule, class_threshold_rule
from cautious.metrics import (
    abstention_score,
    cautious_confusion_matrix,
    error_score,
    selective_accuracy_score,
)
from cautious.models import TunedAbstainingClassifierCV, check_cautious_estimator
from cautious.models.wrappers.wrapper import hold_out

VARIANTS = [
    TunedAbstainingClassifierCV(LogisticRegression(), max_abstention=0.2, cv=3),
    TunedAbstainingClassifierCV(GaussianNB(), max_error=0.05, cv=3, per="case"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@parametrize_with_checks(
    VARIANTS,
    expected_failed_checks=lambda estimator: (
        {"check_classifiers_train": "answers by its window, not by the larger probability"}
        if estimator.max_error
        else {}
    ),
)
def test_at_home_in_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        *VARIANTS,
        TunedAbstainingClassifierCV(
            GaussianNB(), costs=[[0, 1, 1], [1, 0, 1], [1, 1, 0], [0.3, 0.3, 0.3]]
        ),
    ],
)
def test_keeps_the_contract(estimator):
    # Ties at argmax and folds depend on the order of the labels.
    check_cautious_estimator(estimator, label_order_matters=True)


class Given(ClassifierMixin, BaseEstimator):
    """Reads the class probabilities off X."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


def scored(n, K, seed=0, sharpness=3.0):
    """Probabilities that are informative but not calibrated."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(K), rng.integers(K, size=n - K))
    score = rng.normal(size=(n, K))
    score[np.arange(n), y] += 1.0
    p = np.exp(sharpness * score)
    return p / p.sum(axis=1, keepdims=True), y


# Two classes


def windows(scores):
    values = np.unique(scores)
    cuts = np.concatenate([[-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]])
    return [(low, high) for i, low in enumerate(cuts) for high in cuts[i:]]


def outcome(scores, y, low, high):
    positive = (scores >= high) & (high < np.inf)
    negative = ~positive & (scores <= low) & (low > -np.inf)
    silent = ~positive & ~negative
    return positive, negative, silent


@pytest.mark.parametrize("seed", range(3))
def test_window_of_least_cost(seed):
    p, y = scored(30, 2, seed)
    table = np.array([[1.0, 10.0], [4.0, 0.0], [2.0, 2.5]])
    model = TunedAbstainingClassifierCV(Given(), costs=table).fit(p, y)

    def cost(window):
        positive, negative, silent = outcome(p[:, 1], y, *window)
        return np.mean(negative * table[0, y] + positive * table[1, y] + silent * table[2, y])

    least = min(cost(window) for window in windows(p[:, 1]))
    assert cost(model.window_) == pytest.approx(least)
    assert model.best_score_ == pytest.approx(-least)
    confusion = cautious_confusion_matrix(y, model.predict_set(p)).to_numpy()
    assert (confusion * table).sum() / 30 == pytest.approx(least)
    assert isinstance(model.curve_, AbstentionCostSurface)


@pytest.mark.parametrize("per", ["answer", "case"])
@pytest.mark.parametrize("seed", range(3))
def test_windows_within_budgets(per, seed):
    p, y = scored(30, 2, seed)

    def summary(window):
        positive, negative, silent = outcome(p[:, 1], y, *window)
        wrong = (positive & (y == 0)) | (negative & (y == 1))
        cases = 30 if per == "case" else max((~silent).sum(), 1)
        return wrong.sum() / cases, silent.mean()

    every = [summary(window) for window in windows(p[:, 1])]
    model = TunedAbstainingClassifierCV(Given(), max_abstention=0.25, per=per).fit(p, y)
    error, abstention = summary(model.window_)
    assert abstention == pytest.approx(model.abstention_)
    assert abstention <= 0.25
    assert error == pytest.approx(min(e for e, a in every if a <= 0.25))
    assert model.best_score_ == pytest.approx(1 - error)
    model = TunedAbstainingClassifierCV(Given(), max_error=0.1, per=per).fit(p, y)
    error, abstention = summary(model.window_)
    assert error <= 0.1 + 1e-12
    assert abstention == pytest.approx(min(a for e, a in every if e <= 0.1 + 1e-12))
    assert model.best_score_ == pytest.approx(1 - abstention)


def test_costs_by_name_and_with_labels():
    p, y = scored(60, 2)
    names = np.array(["ham", "spam"])
    by_name = {"false_negative": 10, "false_positive": 100, "abstain": 3}
    plain = TunedAbstainingClassifierCV(Given(), costs=by_name).fit(p, names[y])
    table = pd.DataFrame([[3, 3], [0, 100], [10, 0]], ["⊥", "spam", "ham"], ["spam", "ham"])
    labelled = TunedAbstainingClassifierCV(Given(), costs=table).fit(p, names[y])
    assert plain.window_ == labelled.window_
    assert plain.window_[0] < plain.window_[1]
    sure = plain.predict_set(p).sum(axis=1) == 1
    answers = plain.predict(p)
    assert (answers[sure] == names[plain.predict_set(p)[sure].argmax(axis=1)]).all()


def test_predict_names_the_answer_given_even_below_one_half():
    p, y = scored(200, 2)
    costs = {"false_negative": 50, "false_positive": 1, "abstain": 40}
    model = TunedAbstainingClassifierCV(Given(), costs=costs).fit(p, y)
    assert model.window_[1] < 0.5
    assert model.predict([[0.6, 0.4]]).tolist() == [1]
    assert model.predict_set([[0.6, 0.4]]).tolist() == [[False, True]]


# More classes


def test_thresholds_are_the_rule_r2():
    p, y = scored(400, 4)
    model = TunedAbstainingClassifierCV(Given(), max_abstention=0.3).fit(p, y)
    assert model.thresholds_.shape == (4,)
    sets = model.predict_set(p)
    assert (sets == class_threshold_rule(p, np.maximum(model.thresholds_, 0))).all()
    assert abstention_score(y, sets) == pytest.approx(model.abstention_)
    assert model.abstention_ <= 0.3
    assert selective_accuracy_score(y, sets) == pytest.approx(model.best_score_)


def test_class_thresholds_beat_a_common_one():
    p, y = scored(400, 4)
    p = p * [1, 1, 1, 3]  # spoil the calibration of one class
    p /= p.sum(axis=1, keepdims=True)
    model = TunedAbstainingClassifierCV(Given(), max_abstention=0.3, per="case").fit(p, y)
    right, top = p.argmax(axis=1) == y, p.max(axis=1)
    common = min(
        (~right & (top >= t)).mean() for t in np.append(top, 0.0) if (top < t).mean() <= 0.3
    )
    assert 1 - model.best_score_ < common


@pytest.mark.parametrize("per", ["answer", "case"])
def test_error_budget_with_many_classes(per):
    p, y = scored(400, 4)
    model = TunedAbstainingClassifierCV(Given(), max_error=0.1, per=per).fit(p, y)
    sets = model.predict_set(p)
    error = error_score(y, sets) if per == "case" else 1 - selective_accuracy_score(y, sets)
    assert error <= 0.1
    assert model.best_score_ == pytest.approx(1 - abstention_score(y, sets))
    assert 0 < model.abstention_ < 0.9


def test_costs_with_many_classes():
    p, y = scored(300, 3)
    costs = np.array([[0, 5, 1], [1, 0, 1], [9, 2, 0], [0.6, 0.8, 0.7]])
    model = TunedAbstainingClassifierCV(Given(), costs=costs).fit(p, y)
    confusion = cautious_confusion_matrix(y, model.predict_set(p)).to_numpy()
    assert (confusion * costs).sum() / 300 == pytest.approx(-model.best_score_)
    bayes = cautious_confusion_matrix(y, chow_rule(p, costs[3], costs[:3])).to_numpy()
    assert (confusion * costs).sum() < (bayes * costs).sum()  # the scores are overconfident
    model.thresholds_ = np.zeros(3)
    assert (model.predict_set(p) == chow_rule(p, costs[3], costs[:3])).all()


def test_impossible_and_generous_budgets():
    p, y = scored(50, 3)
    p = p[:, [1, 2, 0]]  # mostly wrong
    model = TunedAbstainingClassifierCV(Given(), max_error=0.0).fit(
        p[y != 0][:20], y[y != 0][:20] % 3
    )
    assert model.window_ is not None
    silent = TunedAbstainingClassifierCV(Given(), max_error=0.0, per="case").fit(p, y)
    assert error_score(y, silent.predict_set(p)) == 0
    never = TunedAbstainingClassifierCV(Given(), max_abstention=0.0).fit(p, y)
    assert (never.predict_set(p).sum(axis=1) == 1).all()
    bold = TunedAbstainingClassifierCV(Given(), max_error=1.0).fit(p, y)
    assert bold.abstention_ == 0


def test_a_class_never_preferred_keeps_threshold_zero():
    p, y = scored(60, 3)
    p[:, 2] = 0
    p /= p.sum(axis=1, keepdims=True)
    model = TunedAbstainingClassifierCV(Given(), max_abstention=0.2).fit(p, y)
    assert model.thresholds_[2] == 0
    assert model.predict_set([[0.1, 0.1, 0.8]]).tolist() == [[False, False, True]]


# Held-out predictions


class Counted(LogisticRegression):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize(("cv", "refit", "fits"), [(4, True, 5), (0.3, True, 2), (0.3, False, 1)])
def test_fits_once_a_fold_and_never_a_threshold(cv, refit, fits):
    X, y = make_classification(200, random_state=0)
    Counted.fits = 0
    TunedAbstainingClassifierCV(
        Counted(), max_abstention=0.1, cv=cv, refit=refit, random_state=0
    ).fit(X, y)
    assert Counted.fits == fits


def test_chooses_on_out_of_fold_predictions():
    X, y = make_classification(300, n_informative=5, n_classes=3, flip_y=0.3, random_state=0)
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, cv=folds).fit(X, y)
    p = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    sets = class_threshold_rule(p, np.maximum(model.thresholds_, 0))
    assert selective_accuracy_score(y, sets) == pytest.approx(model.best_score_)
    refitted = GaussianNB().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), refitted)


def test_one_part_held_out():
    X, y = make_classification(300, flip_y=0.3, random_state=0)
    model = TunedAbstainingClassifierCV(
        GaussianNB(), max_abstention=0.2, cv=0.25, refit=False, random_state=7
    ).fit(X, y)
    train, test = hold_out(y, 0.25, 7)
    kept = GaussianNB().fit(X[train], y[train])
    np.testing.assert_allclose(model.predict_proba(X), kept.predict_proba(X))
    assert abstention_score(y[test], model.predict_set(X[test])) == pytest.approx(model.abstention_)


@pytest.mark.parametrize("frozen", [True, False])
def test_prefit(frozen):
    X, y = make_classification(300, flip_y=0.3, random_state=0)
    base = GaussianNB().fit(X[:150], y[:150])
    estimator, cv = (FrozenEstimator(base), 3) if frozen else (base, "prefit")
    model = TunedAbstainingClassifierCV(estimator, max_error=0.2, cv=cv)
    model.fit(X[150:], y[150:], sample_weight=np.ones(150))
    np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X))
    sets = model.predict_set(X[150:])
    assert selective_accuracy_score(y[150:], sets) >= 0.8
    assert abstention_score(y[150:], sets) == pytest.approx(model.abstention_)


def test_prefit_needs_a_fitted_estimator():
    with pytest.raises(NotFittedError):
        TunedAbstainingClassifierCV(GaussianNB(), max_error=0.1, cv="prefit").fit(
            [[0], [1]], [0, 1]
        )


def test_weights_count_in_the_choice():
    p, y = scored(60, 3)
    weight = np.random.default_rng(0).integers(0, 3, size=60)
    base = FrozenEstimator(Given().fit(p, y))
    one = TunedAbstainingClassifierCV(base, max_abstention=0.2, cv="prefit")
    one.fit(p, y, sample_weight=weight)
    two = TunedAbstainingClassifierCV(base, max_abstention=0.2, cv="prefit")
    two.fit(np.repeat(p, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.thresholds_, two.thresholds_)
    assert one.best_score_ == pytest.approx(two.best_score_)


def test_weights_follow_the_routing():
    X, y = make_classification(100, flip_y=0.3, random_state=0)
    weight = np.linspace(0.1, 2, 100)
    plain = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2)
    expected = plain.fit(X, y, sample_weight=weight).window_
    with sklearn.config_context(enable_metadata_routing=True):
        base = GaussianNB().set_fit_request(sample_weight=True)
        model = TunedAbstainingClassifierCV(base, max_abstention=0.2)
        assert model.fit(X, y, sample_weight=weight).window_ == expected


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.parametrize("cv", [5, 0.3])
def test_a_class_with_one_example(cv):
    X, y = make_classification(60, n_informative=4, n_classes=3, random_state=0)
    X, y = np.vstack([X, X[:1]]), np.append(y, 9)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, cv=cv, random_state=0)
    sets = model.fit(X, y).predict_set(X)
    assert sets.shape == (61, 4)
    assert sets.any(axis=1).all()


def test_a_lone_class_leaves_nothing_to_decide():
    model = TunedAbstainingClassifierCV(DummyClassifier(), max_error=0.1).fit([[0], [1]], [3, 3])
    assert model.predict_set([[5]]).tolist() == [[True]]
    assert model.predict([[5]]).tolist() == [3]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({}, ValueError, "none of costs, max_abstention, max_error"),
        ({"max_error": 0.1, "max_abstention": 0.1}, ValueError, "max_abstention and max_error"),
        ({"max_error": 1.5}, ValueError, "max_error is 1.5"),
        ({"max_error": 0.1, "per": "row"}, ValueError, "per is 'row'"),
        ({"max_error": 0.1, "cv": "never"}, ValueError, "cv is 'never'"),
        ({"max_error": 0.1, "refit": False}, ValueError, "refit is False"),
        (
            {"max_error": 0.1, "cv": 1.5},
            ValueError,
            "cv is 1.5; as a float it is the share to hold out",
        ),
        ({"max_error": 0.1, "estimator": LinearSVC()}, TypeError, "has no predict_proba"),
        ({"costs": [[0, 1], [1, 0]]}, ValueError, r"shape \(3, 2\)"),
    ],
)
def test_wrong_parameters(parameters, error, message):
    X, y = make_classification(40, random_state=0)
    with pytest.raises(error, match=message):
        TunedAbstainingClassifierCV(**{"estimator": GaussianNB(), **parameters}).fit(X, y)


def test_wrong_costs_for_many_classes():
    p, y = scored(30, 3)
    with pytest.raises(ValueError, match=r"shape \(4, 3\)"):
        TunedAbstainingClassifierCV(Given(), costs=np.zeros((3, 3))).fit(p, y)


def test_estimators_that_take_no_weights_say_so():
    p, y = scored(30, 3)
    with pytest.raises(TypeError, match=r"Given\.fit takes no sample_weight"):
        TunedAbstainingClassifierCV(Given(), max_error=0.1).fit(p, y, sample_weight=np.ones(30))


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_holding_out_keeps_every_class(share):
    y = np.repeat([0, 1, 2, 3], [1, 2, 40, 57])
    np.random.default_rng(0).shuffle(y)
    kept, held = hold_out(y, share, 0)
    assert sorted([*kept, *held]) == list(range(100))
    assert set(y[kept]) == {0, 1, 2, 3}
    assert abs((y[held] == 3).sum() - share * 57) <= 1
    assert 0 not in y[held]
    nothing_to_spare = hold_out(np.arange(9), share, 0)
    assert [len(part) for part in nothing_to_spare] == [9, 0]
