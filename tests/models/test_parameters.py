"""A parameter that is out of its range is refused before anything is fitted."""

from inspect import signature

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


def make(name, **params):
    kind = getattr(models, name)
    if "estimators" in signature(kind).parameters:
        params["estimators"] = [("a", Counted()), ("b", Counted())]
    elif "Credal" not in name and "Forest" not in name:
        params["estimator"] = Counted()
    if name == "NoveltyRefusingClassifier":
        params["detector"] = IsolationForest()
    return kind(**params)


PROMISE = {"max_error": 0.2}
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
        "temperature": [-1, 0, np.inf],
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
        {"rule_params": {"threshold": 5}},
        {"rule_params": {"treshold": 0.5}},
        {"rule": "optimal_sets", "rule_params": {"utility": "u99x"}},
        {"rule": Rule.confidence(0.5, classes=[0, 1, 2]), "rule_params": {"threshold": 0.5}},
    ],
    "NondeterministicClassifier": [{"utility": "nonsense"}, {"lower": True}],
    "TunedAbstainingClassifierCV": [
        {"max_error": 5},
        {"max_error": -1},
        {"max_error": "low"},
        {"max_abstention": 5},
        {"min_saving": "much"},
        {"costs": {"nonsense": 1}},
        {"max_error": 0.1, "priors": 5},
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
        {**PROMISE, "promise": "always"},
        {**PROMISE, "thresholds": "three"},
        {**PROMISE, "thresholds": "two"},
        {**PROMISE, "pos_label": "none"},
        {},
    ],
    "ConformalClassifier": [
        {"conformity_score": "nonsense"},
        {"method": "cross", "cv": 1},
        {"method": "cross", "conformity_score": "raps"},
        {"groups": 7},
        {"groups": "nobody"},
    ],
    "DeferringClassifier": [
        {"prices": -1},
        {"prices": {"eve": 1}},
        {"capacity": 5},
        {"costs": "nonsense"},
        {"costs": np.zeros((2, 2))},
    ],
    "DelegatingClassifier": [
        {"rules": [0.5, 0.5, 0.5]},
        {"rules": "tuned", "prices": [1]},
    ],
    "CautiousEnsembleClassifier": [{"max_error": 0.1, "max_abstention": 0.1}],
    "HierarchicalClassifier": [
        {"utility": "nonsense"},
        {"threshold": 0.5, "utility": "u65"},
        {**PROMISE, "tree": {"x": [0], "y": [7]}},
    ],
    "OrdinalClassifier": [{"criterion": "nonsense"}],
    "NestedDichotomyClassifier": [{"costs": np.zeros((2, 2))}, {"scoring": "nonsense"}],
    "NestedDichotomyForestClassifier": [{"costs": np.zeros((2, 2))}],
}


@pytest.mark.parametrize("name", DECLARED)
def test_what_is_declared_is_kept(name):
    for parameter, values in DECLARED[name].items():
        for value in values:
            FITTED.clear()
            with pytest.raises(ValueError, match=f"^{parameter} is .*"):
                make(name, **{parameter: value}).fit(X, Y)
            assert not FITTED, parameter


@pytest.mark.parametrize("name", BAD)
def test_parameters_are_checked_before_anything_is_fitted(name):
    fit_params = {"answers": EXPERTS} if name == "DeferringClassifier" else {}
    for params in BAD[name]:
        FITTED.clear()
        with pytest.raises((ValueError, TypeError)):
            make(name, **params).fit(X, Y, **fit_params)
        assert not FITTED, params


def test_what_is_counted_is_fitted():
    FITTED.clear()
    model = models.CertifiedAbstainingClassifier(Counted(), max_error=0.5, random_state=0)
    with pytest.warns(UserWarning, match="Nothing can be promised"):
        model.fit(X, Y)
    assert len(FITTED) == 6
