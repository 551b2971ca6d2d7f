"""Rules on any classifier's probabilities, by name and by function."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from cautious import decision
from cautious.costs import ordinal, p_discounted
from cautious.decision import Rule
from cautious.metrics import utility_score
from cautious.models import (
    AbstainingClassifier,
    NaiveCredalClassifier,
    TunedAbstainingClassifierCV,
)


def doubtful(n=300, K=3, seed=0):
    return make_classification(
        n, n_informative=5, n_classes=K, flip_y=0.2, class_sep=0.7, random_state=seed
    )


@pytest.mark.parametrize(
    ("rule", "params", "function"),
    [
        ("threshold", {"threshold": 0.8}, decision.threshold_rule),
        ("class_threshold", {"thresholds": [0.9, 0.5, 0.7]}, decision.class_threshold_rule),
        ("ratio", {"thresholds": [0.9, 0.5, 0.7]}, decision.ratio_rule),
        ("bias_window", {"bias": [0.5, 0.3, 0.2], "window": 0.3}, decision.bias_window_rule),
        ("chow", {"reject_cost": [0.1, 0.4, 0.3], "costs": ordinal(3)}, decision.chow_rule),
        ("reject", {"t": 0.8}, lambda p, t: decision.threshold_rule(p, t)),
        ("optimal_sets", {"utility": "u65"}, decision.optimal_sets),
        (
            "optimal_sets",
            {"costs": p_discounted(ordinal(3), r=0.5)},
            decision.optimal_sets,
        ),
    ],
)
def test_rules_by_name(rule, params, function):
    X, y = doubtful()
    model = AbstainingClassifier(GaussianNB(), rule, params).fit(X, y)
    p = GaussianNB().fit(X, y).predict_proba(X)
    expected = function(p, **params)
    assert (model.predict_set(X) == expected).all()
    assert 1 < expected.sum(axis=1).mean() < 3
    sure = expected.sum(axis=1) == 1
    assert (model.predict(X)[sure] == expected[sure].argmax(axis=1)).all()
    open_ = np.where(expected, p, -1).argmax(axis=1)
    assert (model.predict(X) == open_).all()


def test_default_is_a_threshold_of_three_quarters():
    X, y = doubtful()
    model = AbstainingClassifier(GaussianNB()).fit(X, y)
    expected = decision.threshold_rule(model.predict_proba(X), 0.75)
    assert (model.predict_set(X) == expected).all()


def test_values_by_class_label():
    X, y = doubtful()
    names = np.array(["ant", "bee", "cat"])[y]
    by_label = {"cat": 0.7, "ant": 0.9, "bee": 0.5}
    labelled = AbstainingClassifier(GaussianNB(), "ratio", {"thresholds": by_label}).fit(X, names)
    plain = AbstainingClassifier(GaussianNB(), "ratio", {"thresholds": [0.9, 0.5, 0.7]})
    assert (labelled.predict_set(X) == plain.fit(X, y).predict_set(X)).all()


def test_functions_take_parameters_too():
    X, y = doubtful()

    def within(p, factor):
        return p >= factor * p.max(axis=1, keepdims=True)

    model = AbstainingClassifier(GaussianNB(), within, {"factor": 0.5}).fit(X, y)
    assert (model.predict_set(X) == within(model.predict_proba(X), 0.5)).all()


def test_rejection_by_lower_probability():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    X = np.where(rng.random((90, 3)) < 0.5, y[:, None], rng.integers(3, size=(90, 3)))
    base = NaiveCredalClassifier().fit(X, y)
    model = AbstainingClassifier(FrozenEstimator(base), "reject", {"t": 0.6}).fit(X, y)
    kept = base.predict_proba_bounds(X)[0].max(axis=1) >= 0.6
    assert 0 < kept.mean() < 1
    assert (model.predict_set(X)[kept] == base.predict_set(X)[kept]).all()
    assert model.predict_set(X)[~kept].all()


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        (lambda p: p[:, :2] > 0, ValueError, "the rule's answer has 2 columns"),
        (lambda p: p[:1] > 0, ValueError, "rule gave 1 sets for 60 rows"),
        (lambda p: p > 2, ValueError, "empty prediction set in row 0"),
    ],
)
def test_functions_that_give_no_sets(rule, error, message):
    X, y = doubtful(60)
    model = AbstainingClassifier(GaussianNB(), rule).fit(X, y)
    with pytest.raises(error, match=message):
        model.predict_set(X)


def test_takes_a_rule_as_tuning_gives_it():
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    names = np.array(["bad", "good"])[y]
    rule = Rule.window(0.3, 0.6, classes=["good", "bad"])
    model = AbstainingClassifier(GaussianNB(), rule).fit(X, names)
    p_bad = model.predict_proba(X)[:, 0]
    expected = np.column_stack([p_bad > 0.3, p_bad < 0.6])
    assert (model.predict_set(X) == expected).all()
    tuned = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2).fit(X, names)
    same = AbstainingClassifier(GaussianNB(), Rule.from_json(tuned.rule_.to_json())).fit(X, names)
    assert (same.predict_set(X) == tuned.predict_set(X)).all()
    with pytest.raises(ValueError, match="rule_params"):
        AbstainingClassifier(GaussianNB(), rule, {"threshold": 0.9}).fit(X, names)
    with pytest.raises(ValueError, match="classes"):
        AbstainingClassifier(GaussianNB(), rule).fit(X, y)


def test_optimal_sets_take_costs_in_any_form():
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    costs = {"false_negative": 10, "false_positive": 2, "abstain": 1}
    model = AbstainingClassifier(GaussianNB(), "optimal_sets", {"costs": costs}).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    # Answer 1 where a false positive costs less than abstaining, 0 where a false negative does.
    expected = np.column_stack([2 * (1 - p) >= 1, 10 * p >= 1])
    clear = (np.abs(p - 0.5) > 1e-6) & (np.abs(p - 0.1) > 1e-6)
    assert (model.predict_set(X)[clear] == expected[clear]).all()


def test_a_search_without_scoring_counts_caution():
    X, y = make_classification(300, flip_y=0.2, random_state=0)
    model = AbstainingClassifier(LogisticRegression(), rule_params={"threshold": 0.0})
    grid = {"rule_params": [{"threshold": t} for t in (0.0, 0.7, 1.0)]}
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 3  # accuracy of predict would be the same three times
    careful = clone(model).set_params(rule_params={"threshold": 0.7}).fit(X, y)
    assert careful.score(X, y) == utility_score(y, careful.predict_set(X), utility="u65")
    bold = clone(model).fit(X, y)
    assert bold.score(X, y) == pytest.approx((bold.predict(X) == y).mean())
    weight = np.arange(300)
    wanted = utility_score(y, careful.predict_set(X), utility="u65", sample_weight=weight)
    assert careful.score(X, y, sample_weight=weight) == pytest.approx(wanted)


def test_a_label_that_means_unknown_is_told_by_costs():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=400)
    X = np.column_stack([3.0 * y, np.zeros(400)]) + rng.normal(size=(400, 2))
    names = np.array(["ash", "elm", "oak"], dtype=object)[y]
    names[(X[:, 0] > 3.8) & (X[:, 0] < 5.2)] = "?"  # the expert could not tell
    classes = np.unique(names)
    costs = pd.DataFrame(1.0 - np.eye(4), classes, classes)
    costs.loc["?"], costs.loc["abstain"] = 2.0, classes != "?"
    model = AbstainingClassifier(GaussianNB(), "optimal_sets", {"costs": costs}).fit(X, names)
    p, sets = model.predict_proba(X), model.predict_set(X)
    doubt = p[:, 0] > p[:, 1:].max(axis=1)
    assert (sets.all(axis=1) == doubt).all()
    assert 0.05 < doubt.mean() < 0.4
    assert not sets[~doubt, 0].any()
