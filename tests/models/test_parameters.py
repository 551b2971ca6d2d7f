"""A parameter that is out of its range is refused before anything is fitted."""

from inspect import signature

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from cautious import models
from cautious.costs import SetCosts, discounted, ordinal
from cautious.decision import Rule

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 2)), np.arange(60) % 3
EXPERTS = {"ann": Y, "bob": Y[::-1]}
FITTED = []


class Counted(GaussianNB):
    """Naive Bayes that remembers how often it was fitted."""

    def fit(self, X, y, sample_weight=None):
        FITTED.append(len(X))
        return super().fit(X, y, sample_weight)


def make(name, **params):
    kind = getattr(models, name)
    if "estimators" in signature(kind).parameters:
        params.setdefault("estimators", [("a", Counted()), ("b", Counted())])
    elif "Credal" not in name and "Forest" not in name:
        params.setdefault("estimator", Counted())
    if name == "NoveltyRefusingClassifier":
        params.setdefault("detector", IsolationForest())
    return kind(**params)


PROMISE, CASCADE = {"max_error": 0.2}, {"rules": "tuned", "train_on": "all"}
XYZ = discounted(ordinal(3), classes=list("xyz"))
SHARES = [0, 1, 5, -1, "high", np.nan, True]
# Values that are out of the range that is declared; the message names parameter and value.
DECLARED = {
    "AbstainingClassifier": {"rule": ["nonsense", 3], "rule_params": [3]},
    "CautiousEnsembleClassifier": {
        "rule": ["luck"],
        "caution": [-1, True, np.inf],
        "threshold": [5, True],
        "max_abstention": [5, False],
        "max_error": [5, "few"],
        "cv": [1, 0.3, b"3"],
    },
    "CautiousForestClassifier": {"rule": ["vote"], "s": [-1, "2"], "risk": [1]},
    "CertifiedAbstainingClassifier": {
        "confidence_level": SHARES,
        "calibration_size": SHARES,
        "cv": [1, "prefit"],
    },
    "ConformalClassifier": {
        "confidence_level": SHARES,
        "method": ["full"],
        "calibration_size": SHARES,
        "temperature": [-1, 0, np.inf, "hot"],
        "empty": ["error"],
    },
    "CredalModelAveragingClassifier": {
        "s": [0],
        "inclusion": [(0.0, 0.9), (0.9, 0.1), 0.5, (0.5,)],
        "prior": ["flat"],
    },
    "CredalTreeClassifier": {
        "s": [-1],
        "max_depth": [1.5, -1],
        "missing": ["ignore"],
        "empty_branch": ["ignore"],
    },
    "DeferringClassifier": {
        "max_error": SHARES,
        "confidence_level": SHARES,
        "calibration_size": SHARES,
        "cv": [1],
    },
    "DelegatingClassifier": {
        "rules": [5, 1.5, "nonsense", [0.5, "x"]],
        "prices": [[-1, 0], 3],
        "train_on": ["some"],
        "cv": [1, 0.3],
        "min_delegated": [-1, 0.5],
        "last": ["guess"],
    },
    "HierarchicalClassifier": {
        "threshold": [2],
        "max_error": SHARES,
        "confidence_level": SHARES,
        "calibration_size": ["half"],
        "n_nodes": [0, 1.5],
    },
    "LazyNaiveCredalClassifier": {
        "s": [-1],
        "n_neighbors": [0],
        "step": [1.5],
        "max_enlargements": [-1],
    },
    "NaiveCredalClassifier": {
        "s": [0, np.inf, "one"],
        "idm": ["both"],
        "epsilon": [1.5],
        "missing": ["impute"],
    },
    "NestedDichotomyClassifier": {
        "n_candidates": [0, 10**9],
        "doubt": [-1],
        "scoring": [3],
    },
    "NestedDichotomyForestClassifier": {"n_estimators": [0, 10**9], "doubt": [-1]},
    "NondeterministicClassifier": {"lower": [3]},
    "NoveltyRefusingClassifier": {
        "max_false_refusals": SHARES,
        "per_class": ["no"],
        "calibration_size": SHARES,
    },
    "OrdinalClassifier": {"width": [-1, "wide"]},
    "TunedAbstainingClassifierCV": {"per": ["row"], "cv": [1, 1.5, "prefit"], "refit": [2.5]},
}
# What does not go together, with the examples, or with what a function takes.
BAD = {
    "AbstainingClassifier": [
        ({"rule_params": {"threshold": 5}}, "threshold is 5"),
        ({"rule_params": {"treshold": 0.5}}, "treshold"),
        ({"rule": "chow"}, "reject_cost"),
        ({"rule": "ratio", "rule_params": {"thresholds": [0.5]}}, "one threshold per class"),
        ({"rule": "ratio", "rule_params": {"thresholds": {0: 0.5}}}, "one for each of the"),
        ({"rule": "ratio", "rule_params": {"thresholds": {0: 1, 1: 1, 7: 1}}}, "not among the"),
        ({"rule": "optimal_sets", "rule_params": {"utility": "u99x"}}, "u99x"),
        ({"rule": "optimal_sets", "rule_params": {"costs": XYZ}}, "costs has no class 0; it holds"),
        ({"rule": Rule.confidence(0.5, classes=[0, 1, 2]), "rule_params": {"t": 1}}, "a Rule has"),
        ({"estimator": LinearSVC()}, "CalibratedClassifierCV"),
    ],
    "NondeterministicClassifier": [
        ({"utility": "nonsense"}, "nonsense"),
        ({"lower": True}, "Counted, which has no predict_proba_bounds"),
    ],
    "TunedAbstainingClassifierCV": [
        ({}, "neither costs nor a budget is given"),
        ({"max_error": 0.1, "max_abstention": 0.1}, "max_abstention and max_error"),
        ({"max_error": 5}, "max_error is 5"),
        ({"max_error": -1}, "max_error is -1"),
        ({"max_error": "low"}, "max_error is 'low'"),
        ({"max_abstention": 5}, "max_abstention is 5"),
        ({"min_saving": "much"}, "min_saving is 'much'"),
        ({"costs": {"fn": 1, "fp": 1, "abstain": 0.1}}, "'fn'; the keys are 'false_negative'"),
        ({"costs": np.zeros((3, 3))}, r"shape \(4, 3\)"),
        ({"max_error": 0.1, "priors": 5}, "priors"),
        ({"max_error": 0.1, "pos_label": "none"}, "pos_label"),
        ({"max_error": 0.1, "refit": False}, "refit is False"),
        ({"max_error": 0.1, "estimator": LinearSVC()}, "has no predict_proba"),
    ],
    "CertifiedAbstainingClassifier": [
        *(({"max_error": bad}, "max_error") for bad in (5, -1, 0, "low", np.nan)),
        ({"max_error_per_case": 5}, "max_error_per_case"),
        ({"max_abstention": 5}, "max_abstention"),
        ({"min_ppv": 0.9}, "is for two classes"),
        ({**PROMISE, "max_error_per_case": 0.1, "promise": "on average"}, "on average"),
        ({**PROMISE, "promise": "always"}, "always"),
        ({**PROMISE, "thresholds": "three"}, "three"),
        ({**PROMISE, "thresholds": "two"}, "thresholds"),
        ({**PROMISE, "pos_label": "none"}, "pos_label is 'none'"),
        ({}, "max_error"),
    ],
    "ConformalClassifier": [
        ({"conformity_score": "nonsense"}, "conformity_score"),
        ({"method": "cross", "cv": 1}, "cv is 1"),
        ({"method": "cross", "conformity_score": "raps"}, "raps"),
        ({"method": "cross", "class_conditional": True}, "class_conditional is given"),
        ({"method": "cross", "logits": True}, "logits is given"),
        ({"method": "cross", "estimator": FrozenEstimator(GaussianNB().fit(X, Y))}, "'split'"),
        ({"groups": 7}, "groups is 7"),
        ({"groups": "nobody"}, "groups is 'nobody'"),
        ({"estimator": LinearSVC()}, "has no predict_proba"),
    ],
    "DeferringClassifier": [
        ({"prices": -1}, "prices of 'ann' is -1"),
        ({"prices": {"eve": 1}}, "prices names 'eve'"),
        ({"capacity": 5}, "capacity is 5, but there are 3 classes"),
        ({"costs": "nonsense"}, "nonsense"),
        ({"costs": np.zeros((2, 2))}, "classes"),
    ],
    "DelegatingClassifier": [
        ({"rules": [0.5, 0.5, 0.5]}, "3 rules for 2 estimators"),
        ({"estimators": [("last", Counted())]}, "of DelegatingClassifier"),
        ({"prices": [1.0]}, "prices is .* but rules is not 'tuned'"),
        ({"rules": "tuned", "prices": [1]}, "needs train_on='all'"),
        ({**CASCADE, "prices": [1]}, "each of 2 estimators"),
        ({**CASCADE, "estimators": [("a", models.NaiveCredalClassifier())]}, "'a' is cautious"),
    ],
    "CautiousEnsembleClassifier": [({"max_error": 0.1, "max_abstention": 0.1}, "are given")],
    "CautiousForestClassifier": [({"utility": "u"}, "utility is 'u'")],
    "CredalTreeClassifier": [({"costs": np.zeros((2, 2))}, "costs is for 2 classes")],
    "HierarchicalClassifier": [
        ({"utility": "nonsense"}, "nonsense"),
        ({"threshold": 0.5, "utility": "u65"}, "utility and threshold are given"),
        ({"threshold": 0.5, "max_error": 0.1}, "threshold and max_error are given"),
        ({**PROMISE, "tree": {"x": [0], "y": [7]}}, "tree"),
        ({"tree": {"a": [0, 1]}}, "class 2 is not in the tree"),
        ({"tree": 7}, "tree is 7"),
        ({"tree": "/"}, "no text"),
        ({"n_nodes": 2, "threshold": 0.5}, "but threshold decides"),
        ({"costs": np.eye(2)}, "classes"),
        ({"estimator": LinearSVC()}, "no predict_proba"),
    ],
    "OrdinalClassifier": [
        ({"order": [0, 1]}, "order does not hold the class 2"),
        ({"order": [0, 1, 2, 2]}, "order.*repeats 2"),
        ({"criterion": "luck"}, "criterion is 'luck'"),
        ({"costs": ordinal(2)}, "classes"),
        ({"costs": SetCosts.from_positions(4, 0.1)}, "4 classes"),
    ],
    "NestedDichotomyClassifier": [
        ({"costs": np.zeros((2, 2))}, "costs is for 2 classes but there are 3"),
        ({"scoring": "best"}, "there is no measure 'best'"),
        ({"estimator": None, "doubt": 1}, "leave doubt at 0"),
        ({"estimator": LinearSVC()}, "has no predict_proba"),
    ],
    "NestedDichotomyForestClassifier": [({"costs": np.zeros((2, 2))}, "costs is for 2 classes")],
    "NoveltyRefusingClassifier": [
        ({"detector": LocalOutlierFactor()}, r"LocalOutlierFactor\(novelty=True\)"),
        ({"detector": StandardScaler()}, "detector is a StandardScaler"),
        ({"detector": LinearSVC()}, "detector is a LinearSVC"),
    ],
}


@pytest.mark.parametrize("name", DECLARED)
def test_what_is_declared_is_kept(name):
    for parameter, values in DECLARED[name].items():
        for value in values:
            FITTED.clear()
            with pytest.raises(ValueError, match=f"^{parameter} is .*"):
                make(name, **{parameter: value}).fit(X, Y)
            assert not FITTED, parameter


@pytest.mark.filterwarnings("ignore::cautious.errors.ContinuousFeaturesWarning")
@pytest.mark.parametrize("name", BAD)
def test_parameters_are_checked_before_anything_is_fitted(name):
    fit_params = {"answers": EXPERTS} if name == "DeferringClassifier" else {}
    for params, message in BAD[name]:
        FITTED.clear()
        with pytest.raises((ValueError, TypeError), match=message):
            make(name, **params).fit(X, Y, **fit_params)
        assert not FITTED, params


def test_what_is_counted_is_fitted():
    FITTED.clear()
    model = models.CertifiedAbstainingClassifier(Counted(), max_error=0.5, random_state=0)
    with pytest.warns(UserWarning, match="Nothing can be promised"):
        model.fit(X, Y)
    assert len(FITTED) == 6
