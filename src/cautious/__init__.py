"""Classifiers that know when to keep quiet.

Make, tune, score, draw and compare classifiers that may abstain or answer with a set of classes.
The packages follow one direction of flow::

    data → model → probabilities or credal set → decision → prediction sets → measures and curves
         → comparison → report

Each is imported when it is first used, so ``import cautious`` stays light.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cautious import (
        bootstrap,
        comparison,
        costs,
        credal,
        curves,
        datasets,
        decision,
        displays,
        experiments,
        guarantees,
        logs,
        metrics,
        models,
        papers,
        predictions,
        preparation,
        report,
        sets,
        utility,
    )

__version__ = _version("cautious")

__all__ = [
    "__version__",
    "bootstrap",
    "comparison",
    "costs",
    "credal",
    "curves",
    "datasets",
    "decision",
    "displays",
    "experiments",
    "guarantees",
    "logs",
    "metrics",
    "models",
    "papers",
    "predictions",
    "preparation",
    "report",
    "sets",
    "utility",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"cautious.{name}")
    raise AttributeError(f"module 'cautious' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
