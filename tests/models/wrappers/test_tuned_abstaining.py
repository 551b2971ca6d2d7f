"""Thresholds chosen on held-out predictions: against brute force, and within their budgets."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cautious
from cautious.decision import class_threshold_rule
from cautious.errors import NeverAbstainsWarning
from cautious.metrics import abstention_score, error_score, selective_accuracy_score, set_cost_score
from cautious.models import TunedAbstainingClassifierCV
from cautious.models.tuned_abstaining import hold_out
from cautious.tuning import find_rule


class Given(ClassifierMixin, BaseEstimator):
    """Reads the class probabilities off X."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


class Weighed(Given):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


def scored(n, K, seed=0, sharpness=3.0):
    """Probabilities that are informative but not calibrated."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(K), rng.integers(K, size=n - K))
    score = rng.normal(size=(n, K))
    score[np.arange(n), y] += 1.0
    p = np.exp(sharpness * score)
    return p / p.sum(axis=1, keepdims=True), y


# Two classes


@pytest.mark.filterwarnings("ignore::cautious.errors.NeverAbstainsWarning")
def test_predict_names_the_answer_given_even_below_one_half():
    p, y = scored(200, 2)
    costs = {"false_negative": 50, "false_positive": 1, "abstain": 40}
    model = TunedAbstainingClassifierCV(Given(), costs=costs).fit(p, y)
    assert model.best_thresholds_[1] < 0.5
    assert model.predict([[0.6, 0.4]]).tolist() == [1]
    assert model.predict_set([[0.6, 0.4]]).tolist() == [[False, True]]


# More classes


def test_a_class_never_preferred_keeps_threshold_zero():
    p, y = scored(60, 3)
    p[:, 2] = 0
    p /= p.sum(axis=1, keepdims=True)
    model = TunedAbstainingClassifierCV(Given(), max_abstention=0.2).fit(p, y)
    assert model.best_thresholds_[2] == 0
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
    sets = class_threshold_rule(p, np.maximum(model.best_thresholds_, 0))
    assert error_score(y, sets) == pytest.approx(-model.best_score_)
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
    assert abstention_score(y[test], model.predict_set(X[test])) == pytest.approx(
        model.search_.abstention
    )


def test_a_fitted_estimator_stays_as_it_is():
    X, y = make_classification(300, flip_y=0.3, random_state=0)
    base = GaussianNB().fit(X[:150], y[:150])
    model = TunedAbstainingClassifierCV(FrozenEstimator(base), max_error=0.2)
    model.fit(X[150:], y[150:], sample_weight=np.ones(150))
    np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X))
    sets = model.predict_set(X[150:])
    assert selective_accuracy_score(y[150:], sets) >= 0.8
    assert abstention_score(y[150:], sets) == pytest.approx(model.search_.abstention)


def test_a_frozen_estimator_must_be_fitted():
    with pytest.raises(NotFittedError):
        TunedAbstainingClassifierCV(FrozenEstimator(GaussianNB()), max_error=0.1).fit(
            [[0], [1]], [0, 1]
        )


def test_weights_count_in_the_choice():
    p, y = scored(60, 3)
    weight = np.random.default_rng(0).integers(0, 3, size=60)
    base = FrozenEstimator(Given().fit(p, y))
    one = TunedAbstainingClassifierCV(base, max_abstention=0.2)
    one.fit(p, y, sample_weight=weight)
    two = TunedAbstainingClassifierCV(base, max_abstention=0.2)
    two.fit(np.repeat(p, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.best_thresholds_, two.best_thresholds_)
    assert one.best_score_ == pytest.approx(two.best_score_)


def test_weights_follow_the_routing():
    X, y = make_classification(100, flip_y=0.3, random_state=0)
    weight = np.linspace(0.1, 2, 100)
    plain = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2)
    expected = plain.fit(X, y, sample_weight=weight).best_thresholds_.tolist()
    with sklearn.config_context(enable_metadata_routing=True):
        base = GaussianNB().set_fit_request(sample_weight=True)
        model = TunedAbstainingClassifierCV(base, max_abstention=0.2)
        model.fit(X, y, sample_weight=weight)
        assert model.best_thresholds_.tolist() == expected


def test_weights_reach_every_step_of_a_pipeline_and_the_choice():
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    weight = np.where(y == 1, 5.0, 1.0) * np.linspace(0.5, 2, 200)
    pipeline = make_pipeline(StandardScaler(), "passthrough", PCA(5), LogisticRegression())
    model = TunedAbstainingClassifierCV(pipeline, max_abstention=0.2)
    model.fit(X, y, sample_weight=weight)
    p = np.zeros((200, 2))
    for train, test in StratifiedKFold(5).split(X, y):
        names = "standardscaler__sample_weight", "logisticregression__sample_weight"
        fitted = clone(pipeline).fit(X[train], y[train], **dict.fromkeys(names, weight[train]))
        p[test] = fitted.predict_proba(X[test])
    found = find_rule(y, y_proba=p, max_abstention=0.2, sample_weight=weight)
    assert model.best_thresholds_.tolist() == [found.rule.lower, found.rule.upper]
    plain = clone(model).fit(X, y)
    assert np.abs(plain.best_thresholds_ - model.best_thresholds_).max() > 0.05
    nested = TunedAbstainingClassifierCV(
        GridSearchCV(make_pipeline(pipeline), {"pipeline__logisticregression__C": [1.0]}),
        max_abstention=0.2,
    )
    nested.fit(X, y, sample_weight=weight)
    assert nested.best_thresholds_.tolist() == model.best_thresholds_.tolist()
    with pytest.raises(TypeError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        TunedAbstainingClassifierCV(
            make_pipeline(StandardScaler(), KNeighborsClassifier()), max_error=0.1
        ).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("routing", [False, True])
def test_groups_reach_the_splitter(routing):
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    groups = np.arange(200) // 10
    p = np.zeros((200, 2))
    for train, test in GroupKFold(4).split(X, y, groups):
        p[test] = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])
    found = find_rule(y, y_proba=p, max_abstention=0.2)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, cv=GroupKFold(4))
    with sklearn.config_context(enable_metadata_routing=routing):
        model.fit(X, y, groups=groups)
        assert model.best_thresholds_.tolist() == [found.rule.lower, found.rule.upper]
        if routing:  # without it a search keeps the groups for its own splitter
            search = GridSearchCV(clone(model), {"max_abstention": [0.1]}, cv=GroupKFold(3))
            assert search.fit(X, y, groups=groups).best_estimator_.best_thresholds_.shape == (2,)


def test_a_splitter_may_hold_out_rows_twice_or_never():
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    twice = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, cv=twice).fit(X, y)
    assert len(model.cv_results_["error"]) == 8
    assert model.cv_results_["n_cases"].sum() == 400
    some = ShuffleSplit(1, test_size=0.25, random_state=0)
    model.set_params(cv=some).fit(X, y)
    assert model.cv_results_["n_cases"].tolist() == [50]


def test_results_of_each_fold():
    p, y = scored(90, 3)
    costs = np.array([[0, 5, 1], [1, 0, 1], [9, 2, 0], [0.6, 0.8, 0.7]])
    weight = np.random.default_rng(0).integers(1, 4, size=90).astype(float)

    model = TunedAbstainingClassifierCV(Weighed(), costs=costs, cv=3)
    table = pd.DataFrame(model.fit(p, y, sample_weight=weight).cv_results_)
    assert table.columns.tolist() == ["n_cases", "abstention", "error", "selective_error", "cost"]
    sets = model.predict_set(p)
    for (_, test), row in zip(StratifiedKFold(3).split(p, y), table.itertuples(), strict=True):
        given = {"sample_weight": weight[test], "classes": [0, 1, 2]}
        assert row.n_cases == weight[test].sum()
        assert row.abstention == pytest.approx(abstention_score(y[test], sets[test], **given))
        assert row.error == pytest.approx(error_score(y[test], sets[test], **given))
        right = selective_accuracy_score(y[test], sets[test], **given)
        assert row.selective_error == pytest.approx(1 - right)
        cost = set_cost_score(y[test], sets[test], costs=costs, **given)
        assert row.cost == pytest.approx(cost)
    assert np.average(table["cost"], weights=table["n_cases"]) == pytest.approx(-model.best_score_)


# The positive class


def test_the_positive_class_is_never_guessed_by_the_alphabet():
    p, y = scored(300, 2)  # the first column is that of "bad"
    names = np.array(["bad", "good"])[y]
    costs = {"false_negative": 50, "false_positive": 1, "abstain": 0.5}
    Counted.fits = 0
    model = TunedAbstainingClassifierCV(Counted(), costs=costs)
    with pytest.raises(ValueError, match="pos_label"):
        model.fit(p, names)
    assert Counted.fits == 0
    bad = TunedAbstainingClassifierCV(Given(), costs=costs, pos_label="bad").fit(p, names)
    found = find_rule(names, y_score=p[:, 0], pos_label="bad", costs=costs)
    assert bad.rule_.pos_label == "bad"
    assert (bad.rule_.predict_set(p, classes=bad.classes_) == bad.predict_set(p)).all()
    with pytest.raises(ValueError, match=r"Pass classes=model\.classes_"):
        bad.rule_.predict_set(p)
    assert bad.best_thresholds_.tolist() == [found.rule.lower, found.rule.upper]
    # To miss a bad one is expensive: bad is answered at once, good only if it is near certain.
    assert bad.best_thresholds_[1] < 0.5
    assert bad.predict_set([[0.6, 0.4]]).tolist() == [[True, False]]
    plain = TunedAbstainingClassifierCV(Given(), costs=costs).fit(p, y)
    assert plain.rule_.pos_label == 1
    with pytest.raises(ValueError, match="pos_label"):
        bad.set_params(pos_label="ugly").fit(p, names)


def test_budgets_and_tables_need_no_positive_class():
    p, y = scored(300, 2)
    names = np.array(["bad", "good"])[y]
    one = TunedAbstainingClassifierCV(Given(), max_abstention=0.2).fit(p, names)
    other = TunedAbstainingClassifierCV(Given(), max_abstention=0.2, pos_label="bad").fit(p, names)
    assert one.search_.error == pytest.approx(other.search_.error)
    table = [[0, 1], [50, 0], [0.5, 0.5]]  # calling a bad one good costs 50
    one = TunedAbstainingClassifierCV(Given(), costs=table).fit(p, names)
    other = TunedAbstainingClassifierCV(Given(), costs=table, pos_label="bad").fit(p, names)
    assert one.search_.cost == pytest.approx(other.search_.cost)
    np.testing.assert_allclose(other.best_thresholds_, 1 - one.best_thresholds_[::-1])
    assert (one.predict_set(p) == other.predict_set(p)).all()


# Costs


def test_costs_per_case():
    p, y = scored(120, 2)
    amount = np.random.default_rng(0).integers(1, 100, size=120).astype(float)
    costs = {"false_negative": amount, "false_positive": 5.0, "abstain": 2.0}
    model = TunedAbstainingClassifierCV(Given(), costs=costs).fit(p, y)
    order = np.concatenate([test for _, test in StratifiedKFold(5).split(p, y)])
    own = {**costs, "false_negative": amount[order]}
    found = find_rule(y[order], y_proba=p[order], costs=own)
    assert model.best_thresholds_.tolist() == [found.rule.lower, found.rule.upper]
    assert model.best_score_ == pytest.approx(-found.cost)
    parts = model.cv_results_
    assert np.average(parts["cost"], weights=parts["n_cases"]) == pytest.approx(found.cost)


def test_costs_per_case_must_be_of_these_cases():
    p, y = scored(120, 2)
    costs = {"false_negative": np.arange(120.0), "false_positive": 5.0, "abstain": 2.0}
    model = TunedAbstainingClassifierCV(Given(), costs=costs)
    with pytest.raises(ValueError, match="each of 120 cases, but y_true has 100"):
        model.fit(p[:100], y[:100])
    weight = (np.arange(120) < 100).astype(float)

    fewer = {**costs, "false_negative": np.arange(100.0)}
    one = TunedAbstainingClassifierCV(Weighed(), costs=costs).fit(p, y, sample_weight=weight)
    other = TunedAbstainingClassifierCV(Weighed(), costs=fewer).fit(p[:100], y[:100])
    assert one.best_thresholds_.tolist() == other.best_thresholds_.tolist()


def test_savings_and_priors():
    p, y = scored(300, 2)
    model = TunedAbstainingClassifierCV(Given(), min_saving=0.5).fit(p, y)
    found = find_rule(y, y_proba=p, min_saving=0.5)
    assert model.search_.error == found.error
    costs = {"false_negative": 10, "false_positive": 1, "abstain": 0.5}
    rare = TunedAbstainingClassifierCV(Given(), costs=costs, priors={0: 0.99, 1: 0.01}).fit(p, y)
    usual = TunedAbstainingClassifierCV(Given(), costs=costs).fit(p, y)
    assert rare.best_thresholds_[1] > usual.best_thresholds_[1]


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.parametrize("cv", [5, 0.3])
def test_a_class_with_one_example(cv):
    X, y = make_classification(60, n_informative=4, n_classes=3, random_state=0)
    X, y = np.vstack([X, X[:1]]), np.append(y, 9)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, cv=cv, random_state=0)
    sets = model.fit(X, y).predict_set(X)
    assert sets.shape == (61, 4)
    assert sets.any(axis=1).all()


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


@pytest.mark.parametrize("routing", [False, True])
def test_costs_per_case_are_cut_with_the_examples(routing):
    X, y = make_classification(300, flip_y=0.1, random_state=0)
    amounts = np.random.default_rng(0).lognormal(1, 1, len(y))
    costs = pd.DataFrame({"false_negative": amounts, "false_positive": 2.0, "abstain": 0.5})
    table = np.zeros((len(y), 3, 2))
    table[:, 0, 1], table[:, 1, 0], table[:, 2] = amounts, 2.0, 0.5
    own = TunedAbstainingClassifierCV(GaussianNB(), costs=costs.to_dict("series")).fit(X, y)
    with sklearn.config_context(enable_metadata_routing=routing):
        model = TunedAbstainingClassifierCV(GaussianNB())
        if routing:
            model.set_fit_request(costs=True)
        for given in (costs, table):
            search = GridSearchCV(model, {"estimator__var_smoothing": [1e-9, 0.1]}, cv=2)
            found = search.fit(X, y, costs=given)
            assert found.best_estimator_.fit(X, y, costs=given).rule_ is not None
            assert clone(model).fit(X, y, costs=given).rule_ == own.rule_
    with pytest.raises(ValueError, match="costs is given to fit, and is a parameter too"):
        TunedAbstainingClassifierCV(GaussianNB(), costs=table).fit(X, y, costs=table)


def test_predict_alone_is_told_once_that_it_never_abstains():
    X, y = make_classification(300, flip_y=0.3, random_state=0)
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.3).fit(X, y)
    with pytest.warns(NeverAbstainsWarning, match="would abstain on [0-9]+ of these 300 cases"):
        model.predict(X)
    model.predict(X)  # is not told again
    model.fit(X, y).predict_set(X)
    model.predict(X)  # knows
    copy = clone(model).fit(X, y)
    copy.score(X, y)
    copy.predict(X)


def test_expects_on_new_cases_what_tune_does():
    X, y = make_classification(300, flip_y=0.2, random_state=0)
    model = TunedAbstainingClassifierCV(LogisticRegression(), max_abstention=0.2)
    with pytest.raises(NotFittedError, match="no rule yet"):
        model.expected()
    p = cross_val_predict(LogisticRegression(), X, y, cv=5, method="predict_proba")
    wanted = cautious.tune({"m": (y, p[:, 1])}, max_abstention=0.2).expected["m"].frame()
    pd.testing.assert_frame_equal(model.fit(X, y).expected().frame(), wanted)
