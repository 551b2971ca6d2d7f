"""The table of limits: what each one counts, and who reads it."""

from __future__ import annotations

import inspect
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from cautious.guarantees import certify
from cautious.guarantees._certified_rule import check_promise
from cautious.guarantees._limits import LIMIT_ARGUMENTS, LIMITS, Limit, LimitCounts, read_limits
from cautious.models import CertifiedAbstainingClassifier

ANSWER = np.array([0, 1, 1, -1, 0, -1, 1, 0])
TRUTH = np.array([0, 1, 0, 1, 1, 0, 1, 1])


@pytest.mark.parametrize(
    ("name", "events", "trials"),
    [
        ("error", 3, 6),
        ("false_discovery", 1, 3),
        ("false_omission", 2, 3),
        ("missed", 2, 5),
        ("error_per_case", 3, 8),
        ("abstention", 2, 8),
    ],
)
def test_each_limit_counts_events_among_trials(name, events, trials):
    halves = (slice(0, 3), slice(3, None))
    counts = [
        (
            np.bincount(ANSWER[half][ANSWER[half] >= 0], minlength=2),
            np.bincount(ANSWER[half][(ANSWER != TRUTH)[half] & (ANSWER >= 0)[half]], minlength=2),
            len(TRUTH[half]),
            TRUTH[half].sum(),
        )
        for half in halves
    ]
    stacked = LimitCounts(*map(np.array, zip(*counts, strict=True)))
    assert tuple(map(np.sum, LIMITS[name].of(stacked))) == (events, trials)


def test_users_can_give_every_limit_of_the_table():
    parameters = inspect.signature(certify).parameters
    assert [name for name in parameters if name in LIMIT_ARGUMENTS] == list(LIMIT_ARGUMENTS)
    given = dict.fromkeys(LIMIT_ARGUMENTS, 0.2)
    least = {"false_discovery", "false_omission"}
    assert read_limits(**given) == {
        limit.name: 0.8 if limit.name in least else 0.2 for limit in LIMIT_ARGUMENTS.values()
    }


@pytest.mark.parametrize(
    ("thresholds", "grouped"),
    [("one", False), ("two", False), ("per class", False), ("two", True)],
)
def test_no_combination_of_limits_lets_one_go_untested(thresholds, grouped):
    # One limit is strict: whatever stands beside it, a rule that is promised to keep it does keep
    # it on the cases of the promise.
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1500)
    p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
    p = np.column_stack([1 - p, p])
    others, p, y = p[:500], p[500:], y[500:]
    given = {"other_scores": others, "thresholds": thresholds}
    if grouped:
        given |= {"groups": np.arange(1000) % 2, "other_groups": np.arange(500) % 2}
    possible = [
        name for name, one in LIMITS.items() if one.of and (thresholds == "one" or one.of_side)
    ]
    granted = set()
    for strict, *beside in product(possible, *[[False, True]] * len(possible)):
        limits = {name: 0.4 for name, there in zip(possible, beside, strict=True) if there}
        limits[strict] = 0.5 if strict == "abstention" else 0.12
        asked = {
            LIMITS[name].argument: 1 - most if LIMITS[name].is_least else most
            for name, most in limits.items()
        }
        found = certify(y, y_proba=p, **given, **asked)
        if found.rule is None:
            continue
        granted.add(strict)
        answered = found.rule.predict_set(p)
        answered &= (answered.sum(axis=1) == 1)[:, None]
        wrong = (answered & (np.arange(2) != y[:, None])).sum(axis=0)
        counts = LimitCounts(answered.sum(axis=0), wrong, len(y), y.sum())
        for name, most in limits.items():
            events, trials = LIMITS[name].of(counts)
            assert events <= most * trials, (limits, name)
    assert granted == {*possible}


def test_a_limit_that_does_not_come_apart_into_classes_is_refused(monkeypatch):
    # Were it left out quietly, a window would be promised to keep what it was never tested for.
    newcomer = Limit("other", "{share} of others", "max_other", LIMITS["error_per_case"].of)
    monkeypatch.setitem(LIMITS, "other", newcomer)
    limits = {"error": 0.2, "other": 0.001}
    with pytest.raises(ValueError, match="max_other can be promised with thresholds='one' only"):
        check_promise(limits, promise="with confidence", thresholds="two", n_classes=2)


def test_a_limit_that_was_never_tested_is_not_promised(monkeypatch):
    monkeypatch.setitem(
        LIMITS, "error_per_case", replace(LIMITS["error_per_case"], of_side=lambda *_: {})
    )
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    p = 1 / (1 + np.exp(-rng.normal(4 * y - 2, 2)))
    with pytest.raises(AssertionError, match="error_per_case is promised, but was not tested"):
        certify(y, y_score=p, thresholds="two", max_error=0.2, max_error_per_case=0.001)


def test_an_estimator_needs_no_parameter_for_every_limit_of_the_table(monkeypatch):
    monkeypatch.setitem(
        LIMIT_ARGUMENTS, "max_other", replace(LIMITS["error"], argument="max_other")
    )
    X, y = make_classification(200, random_state=0)
    model = CertifiedAbstainingClassifier(GaussianNB(), max_error=0.4, random_state=0)
    assert model.fit(X, y).certificate_.granted
