"""Classifiers over other classifiers, beside what these take themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import row, seconds
from cautious.models import (
    AbstainingClassifier,
    CautiousEnsembleClassifier,
    CertifiedAbstainingClassifier,
    ConformalClassifier,
    DeferringClassifier,
    DelegatingClassifier,
    HierarchicalClassifier,
    NaiveCredalClassifier,
    NondeterministicClassifier,
    NoveltyRefusingClassifier,
    OrdinalClassifier,
    TunedAbstainingClassifierCV,
)

TITLE = "Classifiers over other classifiers"
READ = (
    "`predict_set` beside `predict_proba` of the classifiers that are asked, or what else they are "
    "asked for: the wrapper's own work is what exceeds 1. Gaussian naive Bayes, logistic "
    "regression and a tree of depth 8 are quick, so a little shows. And `fit` beside the same fits "
    "and held-out predictions by scikit-learn alone."
)
CLASSES = 8
PARTS = {"low": {"lowest": [0, 1], "lower": [2, 3]}, "high": {"higher": [4, 5], "highest": [6, 7]}}


def example(n: int) -> tuple[Any, Any, Any]:
    """A few thousand examples of eight classes, and many rows to ask about."""
    fitted = max(1_000, n // 10)
    X, y = make_classification(
        n + fitted, 20, n_informative=10, n_classes=CLASSES, flip_y=0.1, random_state=0
    )
    return X[n:], y[n:], X[:n]


def fits(n: int) -> Iterator[dict[str, Any]]:
    """What `fit` adds to fits of logistic regression and to predictions of what was held out."""
    X, y = make_classification(n, 20, n_informative=10, flip_y=0.1, random_state=0)
    line, forest = LogisticRegression(), IsolationForest(random_state=0)
    rng = np.random.default_rng(0)
    order, wrong = rng.permutation(n), rng.random(n) < 0.1
    said = {"answers": {"expert": np.where(wrong, 1 - y, y)}}

    def part(share: float) -> None:
        learned, held = (np.sort(rows) for rows in np.split(order, [int(share * n)]))
        line.fit(X[learned], y[learned]).predict_proba(X[held])

    def folds(share: float = 1.0) -> None:
        learned = np.sort(order[: int(share * n)])
        cross_val_predict(line, X[learned], y[learned], method="predict_proba")

    def alone(*works: Callable[..., Any], **params: float) -> float:
        return seconds(lambda: [work(**params) for work in works])

    def whole() -> None:
        line.fit(X, y)

    def strange() -> None:
        learned, held = (np.sort(rows) for rows in np.split(order, [int(0.75 * n)]))
        forest.fit(X[learned]).score_samples(X[held])

    promised = {"max_error": 0.1, "random_state": 0}
    costs = {"false_negative": 5, "false_positive": 1, "abstain": 0.3}
    one, half, cross = alone(whole), alone(part, share=0.5), alone(whole, folds)
    both = alone(part, folds, share=0.5)
    for name, model, given, reference in (
        ("abstaining below .75", AbstainingClassifier(line), {}, one),
        ("node of a tree, promised", HierarchicalClassifier(line, **promised), {}, half),
        ("conformal", ConformalClassifier(line, random_state=0), {}, alone(part, share=0.75)),
        ("certified", CertifiedAbstainingClassifier(line, **promised), {}, both),
        (
            "certified, two thresholds",
            CertifiedAbstainingClassifier(line, thresholds="two", **promised),
            {},
            both,
        ),
        ("tuned with costs", TunedAbstainingClassifierCV(line, costs=costs), {}, cross),
        ("tuned to a budget", TunedAbstainingClassifierCV(line, max_abstention=0.2), {}, cross),
        ("an expert", DeferringClassifier(line), said, cross),
        ("an expert, promised", DeferringClassifier(line, **promised), said, both),
        (
            "novel cases refused",
            NoveltyRefusingClassifier(line, forest, random_state=0),
            {},
            alone(whole, strange),
        ),
    ):
        yield row(
            f"fit, {name}: {n:,} × 20, two classes",
            seconds(lambda: model.fit(X, y, **given)),  # noqa: B023
            reference=reference,
            against="the same fits and predictions alone",
            note="asked: at most 1.1",
        )


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = 500 if small else 100_000
    X, y, asked = example(n)
    size = f"{n:,} rows, {CLASSES} classes"
    bayes = FrozenEstimator(GaussianNB().fit(X, y))
    line = FrozenEstimator(LogisticRegression(max_iter=500).fit(X, y))
    tree = FrozenEstimator(DecisionTreeClassifier(max_depth=8, random_state=0).fit(X, y))
    alone = {
        name: seconds(lambda: one.predict_proba(asked))  # noqa: B023
        for name, one in (("bayes", bayes), ("line", line), ("tree", tree))
    }
    members = [("bayes", bayes), ("line", line), ("tree", tree)]
    for rule in ("spread", "votes"):
        ensemble = CautiousEnsembleClassifier(members, rule=rule).fit(X, y)
        yield row(
            f"ensemble of three, {rule}: {size}",
            seconds(lambda: ensemble.predict_set(asked)),  # noqa: B023
            reference=sum(alone.values()),
            against="the members' predict_proba",
        )
    cascade = DelegatingClassifier(members, rules=0.7, train_on="all").fit(X, y)
    yield row(
        f"cascade of three: {size}",
        seconds(lambda: cascade.predict_set(asked)),
        reference=sum(alone.values()),
        against="the members' predict_proba",
        note=f"{np.mean(cascade.decided_by(asked) == 0):.0%} of the rows go no further than one",
    )
    detector = FrozenEstimator(IsolationForest(random_state=0).fit(X[::2]))
    scored = seconds(lambda: detector.score_samples(asked), repeats=1)
    novelty = NoveltyRefusingClassifier(bayes, detector).fit(X[1::2], y[1::2])
    yield row(
        f"novel cases refused: {size}",
        seconds(lambda: novelty.predict_set(asked), repeats=1),
        reference=alone["bayes"] + scored,
        against="predict_proba and the detector's scores",
    )
    wrapped = {
        "abstaining below .75": AbstainingClassifier(bayes),
        "sets of the largest expected utility": NondeterministicClassifier(bayes),
        "node of a tree of classes, by u65": HierarchicalClassifier(bayes, PARTS),
        "node of a tree of classes, climbing": HierarchicalClassifier(bayes, PARTS, threshold=0.8),
        "neighbours of ordered classes": OrdinalClassifier(bayes),
    }
    for name, model in wrapped.items():
        model.fit(X, y)
        yield row(
            f"{name}: {size}",
            seconds(lambda: model.predict_set(asked)),  # noqa: B023
            reference=alone["bayes"],
            against="predict_proba",
        )
    rng = np.random.default_rng(0)
    said = {f"expert {i}": np.where(rng.random(len(y)) < 0.1 * i, 0, y) for i in (1, 2)}
    deferring = DeferringClassifier(bayes).fit(X, y, answers=said)
    yield row(
        f"two experts: {size}",
        seconds(lambda: deferring.predict_set(asked)),
        reference=alone["bayes"],
        against="predict_proba",
    )
    bins = np.floor(X * 2).clip(-3, 3).astype(np.int8)
    some = np.floor(asked[: n // 10] * 2).clip(-3, 3).astype(np.int8)
    credal = NaiveCredalClassifier().fit(bins, y)
    worst = NondeterministicClassifier(FrozenEstimator(credal), "u65", lower=True).fit(bins, y)
    yield row(
        f"sets worth most at worst, naive credal: {n // 10:,} rows, {CLASSES} classes",
        seconds(lambda: worst.predict_set(some), repeats=1),
        reference=seconds(lambda: credal.predict_proba_bounds(some), repeats=1),
        against="predict_proba_bounds",
    )
    yield from fits(n)
