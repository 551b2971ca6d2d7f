"""Sets of a cautious forest against the probabilities of the same forest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from benchmarks.timing import row, seconds
from cautious.models import CautiousForestClassifier

TITLE = "Cautious forests"
READ = (
    "`predict_set` of each rule beside `predict_proba` of the forest it asks, with fully grown "
    "trees, whose leaves hold one class, and with leaves of at least 20 examples, which vote for "
    "sets of all kinds."
)


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n, trees = (500, 10) if small else (100_000, 100)
    # Ten classes that are hard to tell apart.
    X, y = make_classification(
        n + n // 10, 20, n_informative=12, n_classes=10, flip_y=0.1, class_sep=0.8, random_state=0
    )
    X, asked, y = X[n:], X[:n], y[n:]
    for leaf in (1, 20):
        grown = RandomForestClassifier(trees, min_samples_leaf=leaf, random_state=0).fit(X, y)
        reference = seconds(lambda: grown.predict_proba(asked), repeats=2)  # noqa: B023
        for rule in ("cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr"):
            model = CautiousForestClassifier(FrozenEstimator(grown), rule).fit(X, y)
            yield row(
                f"{rule}, {trees} trees, leaves of {leaf} or more: {n:,} rows, 10 classes",
                seconds(lambda: model.predict_set(asked), repeats=2),  # noqa: B023
                reference=reference,
                against="the forest's predict_proba",
            )
