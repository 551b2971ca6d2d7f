"""Classifiers that know when to abstain.

Make, tune, score, draw, compare, deploy and watch classifiers that may abstain or answer with a set
of classes. Data flow one way::

    file, frame or estimator → predictions → decision → sets → guarantees, measures, curves
        → evaluation → report

What most people need is here; everything else is in the packages. Each is imported when it is first
used, so ``import cautious`` stays light.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cautious.curves import AbstentionCostSurface, RiskCoverageCurve
    from cautious.datasets import load_dataset
    from cautious.decision import Rule, optimal_sets
    from cautious.evaluation import apply, compare, evaluate, watch
    from cautious.logs import summarise
    from cautious.metrics import (
        cautious_report,
        coverage_score,
        make_set_scorer,
        set_cost_score,
        utility_score,
    )
    from cautious.models import (
        AbstainingClassifier,
        CautiousPipeline,
        CertifiedAbstainingClassifier,
        ConformalClassifier,
        NaiveCredalClassifier,
        TunedAbstainingClassifierCV,
        cross_val_predict_set,
    )
    from cautious.predictions import read_predictions
    from cautious.report import build_report
    from cautious.tuning import tune

__version__ = _version("cautious")

# Where the names live that are neither packages nor modules; each is imported when first used.
_NAMES = {
    "curves": "AbstentionCostSurface RiskCoverageCurve",
    "datasets": "load_dataset",
    "decision": "Rule optimal_sets",
    "evaluation": "apply compare evaluate watch",
    "logs": "summarise",
    "metrics": "cautious_report coverage_score make_set_scorer set_cost_score utility_score",
    "models": (
        "AbstainingClassifier CautiousPipeline CertifiedAbstainingClassifier ConformalClassifier "
        "NaiveCredalClassifier TunedAbstainingClassifierCV cross_val_predict_set"
    ),
    "predictions": "read_predictions",
    "report": "build_report",
    "tuning": "tune",
}
_HOMES = {name: package for package, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AbstainingClassifier",
    "AbstentionCostSurface",
    "CautiousPipeline",
    "CertifiedAbstainingClassifier",
    "ConformalClassifier",
    "NaiveCredalClassifier",
    "RiskCoverageCurve",
    "Rule",
    "TunedAbstainingClassifierCV",
    "__version__",
    "apply",
    "build_report",
    "cautious_report",
    "compare",
    "comparison",
    "costs",
    "coverage_score",
    "credal",
    "cross_val_predict_set",
    "curves",
    "datasets",
    "decision",
    "displays",
    "errors",
    "evaluate",
    "evaluation",
    "experiments",
    "guarantees",
    "integrations",
    "load_dataset",
    "logs",
    "make_set_scorer",
    "metrics",
    "models",
    "optimal_sets",
    "predictions",
    "preparation",
    "read_predictions",
    "report",
    "set_cost_score",
    "sets",
    "summarise",
    "tune",
    "tuning",
    "utility",
    "utility_score",
    "watch",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(f"cautious.{_HOMES[name]}"), name)
        globals()[name] = found  # so that it is looked for once
        return found
    if name in __all__:
        return import_module(f"cautious.{name}")
    raise AttributeError(f"module 'cautious' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
