"""Naive credal classifiers against naive Bayes, and against the rate of a peer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from benchmarks.timing import row, seconds
from cautious.datasets import load_dataset
from cautious.models import (
    CredalModelAveragingClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
)

# Seconds a row that classifip was once measured to take, at 10 features and 5 classes.
PEER_DOMINANCE, PEER_COSTS = 0.6e-3, 3e-3


def example(n: int, m: int, n_classes: int, levels: int = 5) -> tuple[Any, Any]:
    """Discrete data in which every feature tells a little of the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    told = rng.random((n, m)) < 0.3
    return np.where(told, y[:, None] % levels, rng.integers(levels, size=(n, m))), y


def against_naive_bayes() -> dict[str, Any]:
    X, y = example(200_000, 20, 10)
    ours = seconds(lambda: NaiveCredalClassifier().fit(X, y).predict_set(X))
    theirs = seconds(lambda: CategoricalNB().fit(X, y).predict_proba(X))
    return row(
        "naive credal (global IDM): fit + predict_set, 2e5 x 20, 10 classes",
        ours,
        reference=theirs,
        against="CategoricalNB fit + predict_proba",
    )


def against_peer(name: str, peer: float, **options: Any) -> dict[str, Any]:
    n = 50_000
    X, y = example(n, 10, 5)
    model = NaiveCredalClassifier(**options).fit(X, y)
    ours = seconds(lambda: model.predict_set(X))
    return row(
        f"naive credal ({name}): predict_set of {n} rows, 10 features, 5 classes",
        ours,
        reference=peer * n,
        against=f"classifip at {1e3 * peer:g} ms a row",
        note=f"{peer * n / ours:.0f} times its rate",
    )


def on_letter(name: str, model: Any) -> dict[str, Any]:
    data = load_dataset("letter")
    X, y = np.asarray(data.data), np.asarray(data.target)
    test = np.arange(len(y)) % 10 == 0
    model.fit(X[~test], y[~test])
    time = seconds(lambda: model.predict_set(X[test]), repeats=1)
    note = f"{1e3 * time / test.sum():.2f} ms a row"
    return row(f"{name}: predict_set of 2000 letters, 18000 x 16, 26 classes", time, note=note)


def rows() -> Iterator[dict[str, Any]]:
    ordinal = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    yield against_naive_bayes()
    yield against_peer("global IDM", PEER_DOMINANCE)
    yield against_peer("local IDM", PEER_DOMINANCE, idm="local")
    yield against_peer("local IDM, cost matrix", PEER_COSTS, idm="local", costs=ordinal)
    yield on_letter("lazy naive credal", LazyNaiveCredalClassifier())
    yield on_letter("credal model averaging", CredalModelAveragingClassifier())
    yield on_letter(
        "credal model averaging, common prior", CredalModelAveragingClassifier(prior="common")
    )
