"""Every public estimator, fitted and asked: their calls for the registry."""

from __future__ import annotations

from collections.abc import Callable
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
    TRUTH,
    WEIGHT,
    Call,
    P,
    labels,
    numbers,
    probabilities,
)

from cautious import models, preparation


def _fitted(make: Callable[[], Any], X: Any, y: Any, **params: Any) -> Any:
    return make().set_params(**params).fit(X, y).predict_set(X)


def _transformed(make: Callable[[], Any], X: Any, y: Any, **params: Any) -> Any:
    fitted = make().set_params(**params).fit(X, y)
    return np.asarray(fitted.transform(X), dtype=np.float64)


def _params(make: Callable[[], Any]) -> dict[str, Any]:
    """Parameters that an estimator was made with; steps of a pipeline are none of its own."""
    return {
        name: value
        for name, value in make().get_params(deep=False).items()
        if name not in ("steps", "n_jobs", "verbose")
    }


def other_estimator_calls() -> dict[str, Call]:
    """Estimators of whose answers to so few cases nothing can be compared, but that must answer."""
    tree = partial(DecisionTreeClassifier, max_depth=2, random_state=0)
    made = {
        "CertifiedAbstainingClassifier": lambda: models.CertifiedAbstainingClassifier(
            tree(), max_error=0.5, confidence_level=0.5, random_state=0
        ),
        "ConformalClassifier": lambda: models.ConformalClassifier(tree(), random_state=0),
    }
    arrays = {"X": ("features", FEATURES), "y": labels(CLASSES)}
    return {
        f"models.{name}": Call(partial(_fitted, make), arrays, _params(make))
        for name, make in made.items()
    }


def estimator_calls() -> dict[str, Call]:
    tree = partial(DecisionTreeClassifier, max_depth=2, random_state=0)
    forest = partial(RandomForestClassifier, n_estimators=3, random_state=0)
    made = {
        "AbstainingClassifier": lambda: models.AbstainingClassifier(tree()),
        "CautiousEnsembleClassifier": lambda: models.CautiousEnsembleClassifier(
            [("first", tree()), ("second", tree())]
        ),
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
        "RandomMemberClassifier": lambda: models.RandomMemberClassifier(
            models.NaiveCredalClassifier(), random_state=0
        ),
        "TunedAbstainingClassifierCV": lambda: models.TunedAbstainingClassifierCV(
            tree(), max_abstention=0.25, cv=3, random_state=0
        ),
        "UnknownClassClassifier": lambda: models.UnknownClassClassifier(tree(), "oak"),
    }
    arrays = {"X": ("features", FEATURES), "y": labels(CLASSES)}
    found = {
        f"models.{name}": Call(partial(_fitted, make), arrays, _params(make))
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
    found["models.isotonic_probabilities"] = Call(
        models.isotonic_probabilities,
        {
            "y_calibration": labels(BINARY),
            "score_calibration": numbers(SCORE),
            "score": numbers(OTHER_SCORE),
            "sample_weight": numbers(WEIGHT),
        },
    )
    found["models.find_temperature"] = Call(
        models.find_temperature,
        {"y_true": labels(TRUTH), "y_score": probabilities(P), "sample_weight": numbers(WEIGHT)},
    )
    found["models.at_temperature"] = Call(
        models.at_temperature, {"y_score": probabilities(P)}, {"temperature": 2.0}
    )
    for name in ("MDLDiscretizer", "CorrelationFeatureSelector"):
        make = getattr(preparation, name)
        found[f"preparation.{name}"] = Call(
            partial(_transformed, make),
            {"X": ("features", FEATURES.astype(np.float64)), "y": labels(CLASSES)},
            _params(make),
        )
    return found
