"""A parameter that is out of its range is refused before anything is fitted."""

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.naive_bayes import GaussianNB

from cautious import models
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


def wrapped(name):
    return lambda **params: getattr(models, name)(Counted(), **params)


def of_members(name):
    members = [("a", Counted()), ("b", Counted())]
    return lambda **params: getattr(models, name)(members, **params)


MAKERS = {
    "CautiousEnsembleClassifier": of_members("CautiousEnsembleClassifier"),
    "DelegatingClassifier": of_members("DelegatingClassifier"),
    "NoveltyRefusingClassifier": lambda **params: models.NoveltyRefusingClassifier(
        Counted(), IsolationForest(), **params
    ),
}
PROMISE = {"max_error": 0.2}
BAD = {
    "AbstainingClassifier": [
        {"rule": "nonsense"},
        {"rule_params": {"threshold": 5}},
        {"rule_params": {"treshold": 0.5}},
        {"rule": "optimal_sets", "rule_params": {"utility": "u99x"}},
        {"rule": Rule.confidence(0.5, classes=[0, 1, 2]), "rule_params": {"threshold": 0.5}},
    ],
    "NondeterministicClassifier": [{"utility": "nonsense"}, {"lower": 3}, {"lower": True}],
    "TunedAbstainingClassifierCV": [
        {"max_error": 5},
        {"max_error": -1},
        {"max_error": "low"},
        {"max_abstention": 5},
        {"min_saving": "much"},
        {"max_error": 0.1, "per": "day"},
        {"costs": {"nonsense": 1}},
        {"max_error": 0.1, "priors": 5},
        {"max_error": 0.1, "cv": 1},
        {"max_error": 0.1, "pos_label": "none"},
        {},
    ],
    "CertifiedAbstainingClassifier": [
        {"max_error": 5},
        {"max_error": -1},
        {"max_error": 0},
        {"max_error": "low"},
        {"max_error": np.nan},
        {"max_error_per_case": 5},
        {"max_abstention": 5},
        {"min_ppv": 0.9},
        {**PROMISE, "max_error_per_case": 0.1, "promise": "on average"},
        {**PROMISE, "confidence_level": 95},
        {**PROMISE, "confidence_level": "high"},
        {**PROMISE, "promise": "always"},
        {**PROMISE, "thresholds": "three"},
        {**PROMISE, "thresholds": "two"},
        {**PROMISE, "calibration_size": 5},
        {**PROMISE, "cv": 1},
        {**PROMISE, "pos_label": "none"},
        {},
    ],
    "ConformalClassifier": [
        {"confidence_level": 95},
        {"confidence_level": "high"},
        {"method": "nonsense"},
        {"conformity_score": "nonsense"},
        {"calibration_size": 5},
        {"method": "cross", "cv": 1},
        {"method": "cross", "conformity_score": "raps"},
        {"temperature": -1},
        {"empty": "nonsense"},
        {"groups": 7},
        {"groups": "nobody"},
    ],
    "DeferringClassifier": [
        {"max_error": 5},
        {**PROMISE, "confidence_level": 95},
        {**PROMISE, "calibration_size": 5},
        {"prices": -1},
        {"prices": {"eve": 1}},
        {"capacity": 5},
        {"costs": "nonsense"},
        {"costs": np.zeros((2, 2))},
        {"cv": 1},
    ],
    "DelegatingClassifier": [
        {"rules": 5},
        {"rules": [0.5, 0.5, 0.5]},
        {"rules": "nonsense"},
        {"rules": "tuned", "prices": [-1, 0]},
        {"rules": "tuned", "prices": [1]},
        {"rules": "tuned", "cv": 1},
        {"train_on": "nonsense"},
        {"min_delegated": -1},
        {"last": "nonsense"},
    ],
    "CautiousEnsembleClassifier": [
        {"rule": "nonsense"},
        {"caution": -1},
        {"threshold": 5},
        {"max_abstention": 5},
        {"max_error": 5},
        {"max_error": 0.1, "max_abstention": 0.1},
        {"max_error": 0.1, "cv": 1},
    ],
    "NoveltyRefusingClassifier": [
        {"max_false_refusals": 5},
        {"max_false_refusals": 0},
        {"per_class": 3},
        {"calibration_size": 5},
    ],
    "UnknownClassClassifier": [{"threshold": 5}, {"unknown": None}],
    "HierarchicalClassifier": [
        {"threshold": 5},
        {"utility": "nonsense"},
        {"max_error": 5},
        {**PROMISE, "confidence_level": 95},
        {**PROMISE, "calibration_size": 5},
        {**PROMISE, "n_nodes": 0},
        {"threshold": 0.5, "utility": "u65"},
        {**PROMISE, "tree": {"x": [0], "y": [7]}},
    ],
    "OrdinalClassifier": [
        {"width": -1},
        {"criterion": "nonsense"},
    ],
    "NestedDichotomyClassifier": [
        {"n_candidates": 0},
        {"costs": np.zeros((2, 2))},
        {"scoring": "nonsense"},
    ],
    "NestedDichotomyForestClassifier": [
        {"n_estimators": 0},
        {"costs": np.zeros((2, 2))},
    ],
}


@pytest.mark.parametrize("name", BAD)
def test_parameters_are_checked_before_anything_is_fitted(name):
    make = MAKERS.get(name, wrapped(name))
    fit_params = {"answers": EXPERTS} if name == "DeferringClassifier" else {}
    for params in BAD[name]:
        FITTED.clear()
        with pytest.raises((ValueError, TypeError)):
            make(**params).fit(X, Y, **fit_params)
        assert not FITTED, params


def test_what_is_counted_is_fitted():
    FITTED.clear()
    model = models.CertifiedAbstainingClassifier(Counted(), max_error=0.5, random_state=0)
    with pytest.warns(UserWarning, match="Nothing can be promised"):
        model.fit(X, Y)
    assert len(FITTED) == 6
