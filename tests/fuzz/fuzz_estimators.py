"""Every public estimator, fitted and asked: their calls for the registry."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KernelDensity
from sklearn.tree import DecisionTreeClassifier
from tests.fuzz.fuzz_values import (
    BINARY,
    CLASSES,
    FEATURES,
    OTHER_SCORE,
    SCORE,
    Call,
    labels,
    numbers,
)

from cautious import models, preparation


def _fitted(estimator: Any, X: Any, y: Any) -> Any:
    return estimator.fit(X, y).predict_set(X)


def _transformed(estimator: Any, X: Any, y: Any) -> Any:
    return np.asarray(estimator.fit(X, y).transform(X), dtype=np.float64)


def estimator_calls() -> dict[str, Call]:
    tree = partial(DecisionTreeClassifier, max_depth=2, random_state=0)
    forest = partial(RandomForestClassifier, n_estimators=3, random_state=0)
    made = {
        "AbstainingClassifier": lambda: models.AbstainingClassifier(tree()),
        "CautiousForestClassifier": lambda: models.CautiousForestClassifier(forest()),
        "CautiousForestClassifierCV": lambda: models.CautiousForestClassifierCV(
            forest(), s=[0.5, 2.0], cv=3
        ),
        "CautiousPipeline": lambda: models.make_cautious_pipeline(
            "passthrough", models.NaiveCredalClassifier()
        ),
        "CredalModelAveragingClassifier": models.CredalModelAveragingClassifier,
        "CredalTreeClassifier": models.CredalTreeClassifier,
        "DeferringClassifier": lambda: models.DeferringClassifier(tree(), cv=3),
        "DelegatingClassifier": lambda: models.DelegatingClassifier(
            [("first", tree()), ("second", tree())], train_on="all"
        ),
        "HierarchicalClassifier": lambda: models.HierarchicalClassifier(tree()),
        "LazyNaiveCredalClassifier": models.LazyNaiveCredalClassifier,
        "NaiveCredalClassifier": models.NaiveCredalClassifier,
        "NaiveCredalClassifierCV": lambda: models.NaiveCredalClassifierCV(s=[0.5, 1.0], cv=3),
        "NestedDichotomyClassifier": lambda: models.NestedDichotomyClassifier(
            n_candidates=3, random_state=0
        ),
        "NestedDichotomyForestClassifier": lambda: models.NestedDichotomyForestClassifier(
            n_estimators=3, random_state=0
        ),
        "NondeterministicClassifier": lambda: models.NondeterministicClassifier(tree()),
        "NoveltyRefusingClassifier": lambda: models.NoveltyRefusingClassifier(
            tree(), KernelDensity(), max_false_refusals=0.25, random_state=0
        ),
        "OrdinalClassifier": lambda: models.OrdinalClassifier(tree()),
        "TunedAbstainingClassifierCV": lambda: models.TunedAbstainingClassifierCV(
            tree(), max_abstention=0.25, cv=3, random_state=0
        ),
    }
    arrays = {"X": ("features", FEATURES), "y": labels(CLASSES)}
    found = {
        f"models.{name}": Call(
            lambda X, y, make=make: _fitted(make(), X, y),
            arrays,
        )
        for name, make in made.items()
    }
    found["models.cross_val_predict_set"] = Call(
        lambda X, y: models.cross_val_predict_set(models.NaiveCredalClassifier(), X, y, cv=3),
        arrays,
    )
    found["models.venn_abers"] = Call(
        lambda y_calibration, score_calibration, score: (
            models.venn_abers(y_calibration, score_calibration, score).lower
        ),
        {
            "y_calibration": numbers(BINARY),
            "score_calibration": numbers(SCORE),
            "score": numbers(OTHER_SCORE),
        },
    )
    for name in ("MDLDiscretizer", "CorrelationFeatureSelector"):
        make = getattr(preparation, name)
        found[f"preparation.{name}"] = Call(
            lambda X, y, make=make: _transformed(make(), X, y),
            {"X": ("features", FEATURES.astype(np.float64)), "y": labels(CLASSES)},
        )
    return found
