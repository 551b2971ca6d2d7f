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

TITLE = "Naive credal classifiers"
READ = (
    "Credal dominance of all pairs of classes, beside naive Bayes on the same data, and beside the "
    "rate that classifip was once measured at: it is not on PyPI, so it could not be run here."
)
# Seconds per row that classifip was once measured to take, at 10 features and 5 classes.
PEER_DOMINANCE, PEER_COSTS = 0.6e-3, 3e-3


def example(n: int, m: int, n_classes: int, levels: int = 5) -> tuple[Any, Any]:
    """Discrete data in which every feature tells a little of the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    told = rng.random((n, m)) < 0.3
    return np.where(told, y[:, None] % levels, rng.integers(levels, size=(n, m))), y


def against_naive_bayes(n: int) -> dict[str, Any]:
    X, y = example(n, 20, 10)
    ours = seconds(lambda: NaiveCredalClassifier().fit(X, y).predict_set(X))
    theirs = seconds(lambda: CategoricalNB().fit(X, y).predict_proba(X))
    return row(
        f"naive credal (global IDM): fit + predict_set, {n:,} × 20, 10 classes",
        ours,
        reference=theirs,
        against="CategoricalNB fit + predict_proba",
        peer=True,
    )


def against_peer(n: int, name: str, peer: float, **options: Any) -> dict[str, Any]:
    X, y = example(n, 10, 5)
    model = NaiveCredalClassifier(**options).fit(X, y)
    ours = seconds(lambda: model.predict_set(X))
    return row(
        f"naive credal ({name}): predict_set of {n:,} rows, 10 features, 5 classes",
        ours,
        reference=peer * n,
        against=f"classifip at {1e3 * peer:g} ms per row, on record",
        peer=True,
        note=f"{peer * n / ours:.0f} times its rate",
    )


def bounds_of_many_classes(n: int, n_classes: int) -> dict[str, Any]:
    X, y = example(n, 10, n_classes)
    model = NaiveCredalClassifier().fit(X, y)
    time = seconds(lambda: model.predict_proba_bounds(X[:256]))
    asked = min(n, 256)
    what = f"exact bounds of {asked} rows, 10 features, {n_classes} classes"
    return row(
        f"naive credal (global IDM): {what}", time, note=f"{1e3 * time / asked:.2f} ms per row"
    )


def on_letter(name: str, model: Any, every: int) -> dict[str, Any]:
    data = load_dataset("letter")
    X, y = np.asarray(data.data), np.asarray(data.target)
    test = np.arange(len(y)) % every == 0
    model.fit(X[~test], y[~test])
    time = seconds(lambda: model.predict_set(X[test]), repeats=1)
    note = f"{1e3 * time / test.sum():.2f} ms per row"
    fitted = f"{(~test).sum():,} × {X.shape[1]}"
    name = f"{name}: predict_set of {test.sum():,} letters, {fitted}, 26 classes"
    return row(name, time, note=note)


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    ordinal = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    n, every = (500, 1000) if small else (50_000, 10)
    yield against_naive_bayes(4 * n)
    yield against_peer(n, "global IDM", PEER_DOMINANCE)
    yield against_peer(n, "local IDM", PEER_DOMINANCE, idm="local")
    yield against_peer(n, "local IDM, cost matrix", PEER_COSTS, idm="local", costs=ordinal)
    yield bounds_of_many_classes(100 * n // 250, 20 if small else 200)
    for name, model in {
        "lazy naive credal": LazyNaiveCredalClassifier(),
        "credal model averaging": CredalModelAveragingClassifier(),
        "credal model averaging, common prior": CredalModelAveragingClassifier(prior="common"),
    }.items():
        yield on_letter(name, model, every)
