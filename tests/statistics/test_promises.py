"""Whether budgets, costs and coverage that were promised are kept on fresh data."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.statistics.trials import runs

from cautious.metrics import MEASURES, abstention_score, selective_accuracy_score
from cautious.models import (
    CertifiedAbstainingClassifier,
    ConformalClassifier,
    HierarchicalClassifier,
    TunedAbstainingClassifierCV,
)

FRESH = 4000
COSTS = {"false_negative": 5.0, "false_positive": 1.0, "abstain": 0.4}


def cases(rng, n, n_classes):
    """Classes that overlap, and two features that tell them apart as far as possible."""
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    angle = 2 * np.pi * y / n_classes
    centre = np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + rng.normal(size=(n, 2)), y


def on_fresh_data(model, rng, n, n_classes):
    model.fit(*cases(rng, n, n_classes))
    X, y = cases(rng, FRESH, n_classes)
    return y, model.predict_set(X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("trials", runs(15))
def test_budget_of_abstentions(trials, n_classes, rng, ledger):
    # The thresholds are quantiles of held-out scores: right on average, over it half of the time.
    model = TunedAbstainingClassifierCV(GaussianNB(), max_abstention=0.2, per="case")
    found = [abstention_score(*on_fresh_data(model, rng, 300, n_classes)) for _ in range(trials)]
    ledger.mean(
        "abstention under max_abstention=0.2",
        f"{n_classes} classes, 300 cases",
        found,
        "20 % on average",
        (0.17, 0.215),
    )
    ledger.share(
        "abstention over the budget by a tenth of it or more",
        f"{n_classes} classes, 300 cases",
        np.array(found) > 0.22,
        "no promise",
        (0.05, 0.45),
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("trials", runs(15))
def test_budget_of_mistakes(trials, n_classes, rng, ledger):
    # The most generous thresholds that held-out data allow are too generous on fresh data: the best
    # of many looks better than it is, the more so the more thresholds there are to choose. The
    # ranges say how bad it may be, not that it is good.
    model = TunedAbstainingClassifierCV(GaussianNB(), max_error=0.1)
    found = []
    for _ in range(trials):
        y, sets = on_fresh_data(model, rng, 300, n_classes)
        found.append(1 - selective_accuracy_score(y, sets))
    where = f"{n_classes} classes, 300 cases"
    ledger.mean(
        "mistakes among answers under max_error=0.1", where, found, "10 %, not kept", (0.1, 0.15)
    )
    ledger.share(
        "fits that overdraw max_error=0.1", where, np.array(found) > 0.1, "no promise", (0.5, 0.95)
    )


@pytest.mark.parametrize("trials", runs(15))
def test_cost_that_the_tuned_window_reports(trials, rng, ledger):
    model = TunedAbstainingClassifierCV(GaussianNB(), costs=COSTS)
    optimism = []
    for _ in range(trials):
        y, sets = on_fresh_data(model, rng, 300, 2)
        abstained = sets.all(axis=1)
        wrong = ~abstained & ~sets[np.arange(FRESH), y]
        price = np.where(y == 1, COSTS["false_negative"], COSTS["false_positive"])
        cost = np.mean(np.where(abstained, COSTS["abstain"], wrong * price))
        optimism.append((cost + model.best_score_) / cost)
    ledger.mean(
        "cost on fresh data above what was reported",
        "2 classes, 300 cases",
        optimism,
        "no promise",
        (0.0, 0.12),
    )


@pytest.mark.parametrize(
    ("method", "score", "between"),
    [
        ("split", "lac", (0.9, 0.9 + 1 / 61)),
        ("split", "aps", (0.9, 1.0)),  # not randomised, so it may hold more than it must
        ("cross", "lac", (0.88, 0.95)),
    ],
    ids=["split-lac", "split-aps", "cross-lac"],
)
@pytest.mark.parametrize("trials", runs(8))
def test_conformal_sets_hold_the_truth(trials, method, score, between, rng, ledger):
    pytest.importorskip("mapie")
    found = []
    for _ in range(trials):
        model = ConformalClassifier(
            GaussianNB(),
            confidence_level=0.9,
            method=method,
            conformity_score=score,
            random_state=int(rng.integers(2**31)),
            empty="best",
        )
        found.append(MEASURES["containment"].score(*on_fresh_data(model, rng, 240, 3)))
    ledger.mean(
        f"conformal sets hold the truth ({method}, {score})",
        "3 classes, 240 cases",
        found,
        "≥ 90 %",
        between,
    )


def rare_classes(rng, n):
    """Classes of which the k-th is 1/k as frequent as the first: some come later than others."""
    weight = 1 / np.arange(1, 61)
    y = rng.choice(60, n, p=weight / weight.sum())
    return np.column_stack([y, rng.normal(0, 0.1, n)]), y


RARE = "rare classes: 60 Zipf classes, 300 cases"


def hold(sets, model, y):
    """Say which sets hold the truth; no set holds a class that `fit` was not shown."""
    at = pd.Index(model.classes_).get_indexer(y)
    return (at >= 0) & sets[np.arange(len(y)), at]


def test_no_set_holds_a_class_that_was_not_shown():
    model = GaussianNB().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    sets = np.array([[True, True], [True, True], [False, True]])
    assert hold(sets, model, np.array([0, 2, 1])).tolist() == [True, False, True]


@pytest.mark.parametrize("trials", runs(30))
def test_conformal_sets_of_rare_classes_hold_the_truth(trials, rng, ledger):
    pytest.importorskip("mapie")
    found, abstained = [], []
    model = ConformalClassifier(KNeighborsClassifier(3, weights="distance"), random_state=rng)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "there are 75 examples to conformalise on")
        for _ in range(trials):
            model.fit(*rare_classes(rng, 300))
            X, y = rare_classes(rng, FRESH // 4)
            sets = model.predict_set(X)
            found.append(hold(sets, model, y).mean())
            abstained.append((hold(sets, model, y) | sets.all(axis=1)).mean())
    # A new case may be of a class that nobody has met: of it, only abstaining can be promised.
    ledger.mean(
        "conformal sets hold the truth, or all classes (split, lac)",
        RARE,
        abstained,
        "≥ 90 %",
        (0.9, 1.0),
    )
    ledger.mean(
        "conformal sets hold the truth (split, lac)",
        RARE,
        found,
        "no promise: some classes are new",
        (0.89, 0.95),
    )


@pytest.mark.parametrize(
    ("subject", "made"),
    [
        (
            "errors above the limit of a certified rule",
            partial(CertifiedAbstainingClassifier, cv=2),
        ),
        ("nodes miss the truth more often than promised", HierarchicalClassifier),
    ],
    ids=["certified", "hierarchical"],
)
@pytest.mark.filterwarnings("ignore:Nothing can be promised")
@pytest.mark.parametrize("trials", runs(30))
def test_limits_with_rare_classes(trials, subject, made, rng, ledger):
    broken = []
    model = made(KNeighborsClassifier(1), max_error=0.1, confidence_level=0.9, random_state=rng)
    for _ in range(trials):
        model.fit(*rare_classes(rng, 300))
        X, y = rare_classes(rng, FRESH)
        sets = model.predict_set(X)
        given = ~sets.all(axis=1)
        broken.append((given & ~hold(sets, model, y)).sum() > 0.1 * given.sum())
    ledger.at_most(subject, f"{RARE}, max_error=0.1", broken, 0.1)
