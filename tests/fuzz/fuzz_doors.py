"""The front doors: what most people call, with arguments that are accepted.

A call says which arguments are arrays, and of what kind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from tests.fuzz import fuzz_arrays as of

import cautious
from cautious import costs, credal, decision, guarantees, metrics, models, sets


@dataclass(frozen=True)
class Door:
    """A function, its array arguments by name with their kinds, and its other arguments."""

    function: Callable[..., Any]
    arrays: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **changed: Any) -> Any:
        arrays = {name: values for name, (_, values) in self.arrays.items()}
        return self.function(**{**arrays, **self.others, **changed})


_WEIGHT = {"sample_weight": ("numbers", of.WEIGHT)}
_TRUTH = ("labels", of.TRUTH)
_P = ("probabilities", of.PROBABILITY)
_SETS = {"y_true": _TRUTH, "y_set": ("booleans", of.MASK), **_WEIGHT}
_PROBA = {"y_true": _TRUTH, "y_score": _P, **_WEIGHT}
_BINARY = {"y_true": ("integers", of.BINARY), "y_score": ("numbers", of.SCORE), **_WEIGHT}
_UNWEIGHTED = {name: _BINARY[name] for name in ("y_true", "y_score")}
_BOUNDS = {"lower": ("probabilities", of.LOWER), "upper": ("probabilities", of.UPPER)}
_COSTS = ("numbers", of.COSTS)
_OF_CLASSES = {"classes": of.CLASSES}
_NAMES = ("labels", np.array(of.CLASSES))
_RULE = decision.Rule.window(0.25, 0.75, classes=[0, 1])
_NEW = {"source": pd.DataFrame({"score": of.SCORE, "y_true": of.BINARY}), "rule": _RULE}


def _text(function: Callable[..., Any]) -> Callable[..., str]:
    """A function whose result is read as text."""
    return lambda source, **given: str(function(source, **given))


def _of_cases(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of named models, called with the arrays of one."""
    arguments = ("y_true", "y_score", "sample_weight")

    def call(**given: Any) -> Any:
        cases = {name: given.pop(name) for name in arguments}
        return function({"m": cases}, **given)

    return call


def _compared(predictions: dict[str, Any], **options: Any) -> Any:
    other = {"y_true": of.BINARY, "y_score": of.SCORE[::-1], "sample_weight": of.WEIGHT}
    result = cautious.compare({**predictions, "other": other}, n_resamples=5, **options)
    return result.frame()


def page(predictions: dict[str, Any], **options: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = cautious.build_report(predictions, Path(folder) / "report.html", **options)
        return path.read_text(encoding="utf-8")


def _estimator(make: Callable[[], Any], **more: Any) -> Door:
    """An estimator, fitted and asked for sets; its parameters are arguments too."""
    params = make().get_params(deep=False)
    left_out = ("steps", "n_jobs", "verbose", "transform_input")
    others = {name: value for name, value in params.items() if name not in left_out}

    def call(X: Any, y: Any, **params: Any) -> Any:
        return make().set_params(**params).fit(X, y).predict_set(X)

    arrays = {"X": ("features", of.FEATURES), "y": ("labels", of.TARGET)}
    return Door(call, arrays, {**others, **more})


_tree = partial(DecisionTreeClassifier, max_depth=2, random_state=0)
DOORS: dict[str, Door] = {
    "AbstainingClassifier": _estimator(lambda: models.AbstainingClassifier(_tree())),
    "AbstentionCostSurface": Door(
        lambda **given: cautious.AbstentionCostSurface.from_predictions(**given).vacc(), _BINARY
    ),
    "CautiousPipeline": _estimator(
        lambda: models.CautiousPipeline.from_steps("passthrough", models.NaiveCredalClassifier())
    ),
    "CertifiedAbstainingClassifier": _estimator(
        lambda: models.CertifiedAbstainingClassifier(_tree(), max_error=0.5, confidence_level=0.5),
        random_state=0,
    ),
    "ConformalClassifier": _estimator(lambda: models.ConformalClassifier(_tree(), random_state=0)),
    "NaiveCredalClassifier": _estimator(models.NaiveCredalClassifier),
    "RiskCoverageCurve": Door(
        lambda **given: cautious.RiskCoverageCurve.from_predictions(**given).frame(),
        _PROBA,
        _OF_CLASSES,
    ),
    "Rule": Door(_RULE.predict_set, {"scores": ("numbers", of.SCORE)}),
    "TunedAbstainingClassifierCV": _estimator(
        lambda: models.TunedAbstainingClassifierCV(_tree(), max_abstention=0.25, cv=3),
        random_state=0,
    ),
    "apply": Door(_text(cautious.apply), {}, _NEW),
    "as_costs": Door(costs.as_costs, {"costs": _COSTS, "classes": _NAMES}),
    "as_labels": Door(sets.as_labels, {"mask": ("booleans", of.MASK), "classes": _NAMES}),
    "as_mask": Door(sets.as_mask, {"y_set": ("booleans", of.MASK), "classes": _NAMES}),
    "build_report": Door(_of_cases(page), _BINARY, {"title": "t", "costs": None, "priors": None}),
    "cautious_confusion_matrix": Door(metrics.cautious_confusion_matrix, _SETS, _OF_CLASSES),
    "cautious_report": Door(cautious.cautious_report, {**_SETS, "y_score": _P}, _OF_CLASSES),
    "certify": Door(
        lambda **given: str(guarantees.certify(**given).rule), _UNWEIGHTED, {"max_error": 0.5}
    ),
    "compare": Door(_of_cases(_compared), _BINARY, {"random_state": 0}),
    "coverage_score": Door(cautious.coverage_score, _SETS, _OF_CLASSES),
    "cross_val_predict_set": Door(
        partial(cautious.cross_val_predict_set, cv=3),
        {"X": ("features", of.FEATURES), "y": ("labels", of.TARGET)},
        {"estimator": models.NaiveCredalClassifier()},
    ),
    "discounted": Door(costs.discounted, {"matrix": _COSTS}, _OF_CLASSES),
    "evaluate": Door(_of_cases(_text(cautious.evaluate)), _BINARY, {"rule": {"m": _RULE}}),
    "imprecise_dirichlet": Door(
        credal.imprecise_dirichlet, {"counts": ("numbers", of.COUNTS)}, {"s": 1.0}
    ),
    "load_dataset": Door(lambda name: cautious.load_dataset(name).data, {}, {"name": "iris"}),
    "make_set_scorer": Door(
        lambda measure: str(cautious.make_set_scorer(measure)), {}, {"measure": "u65"}
    ),
    "maximality": Door(
        lambda lower, upper, costs: decision.maximality((lower, upper), costs),
        {**_BOUNDS, "costs": _COSTS},
    ),
    "optimal_sets": Door(cautious.optimal_sets, {"p": _P}, {"utility": "u65"}),
    "read_predictions": Door(
        _of_cases(_text(cautious.read_predictions)), _BINARY, {"pos_label": 1}
    ),
    "risk_bound": Door(
        guarantees.risk_bound,
        {"wrong": ("numbers", np.array([0, 3.0])), "answered": ("numbers", np.array([10, 20.0]))},
    ),
    "set_cost_score": Door(
        cautious.set_cost_score,
        _SETS,
        {**_OF_CLASSES, "costs": costs.discounted(of.COSTS, classes=of.CLASSES)},
    ),
    "summarise": Door(_text(cautious.summarise), {}, {"source": _NEW["source"]}),
    "threshold_rule": Door(decision.threshold_rule, {"p": _P}, {"threshold": 0.625}),
    "tune": Door(
        _of_cases(_text(cautious.tune)), _BINARY, {"max_abstention": 0.25, "honest": False}
    ),
    "utility_score": Door(cautious.utility_score, _SETS, {**_OF_CLASSES, "utility": "u80"}),
    "watch": Door(_text(cautious.watch), {}, {**_NEW, "max_error": 0.5}),
}
