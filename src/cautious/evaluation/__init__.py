"""Evaluation: what people ask of predictions, each in one call.

:func:`evaluate` measures, :func:`tune` finds thresholds, :func:`compare` tells models apart,
:func:`apply` answers new cases by a rule that was saved, :func:`watch` looks after it. Each takes
predictions in any form, and returns an object that prints well, has ``frame()`` and is shown as a
table in notebooks. The command line and the report call these.
"""

from cautious.evaluation.application import Application, apply
from cautious.evaluation.measured_models import Evaluation
from cautious.evaluation.measures import evaluate
from cautious.evaluation.model_choice import Comparison, compare
from cautious.evaluation.surveillance import Watch
from cautious.evaluation.watched_log import watch
from cautious.tuning import tune

__all__ = [
    "Application",
    "Comparison",
    "Evaluation",
    "Watch",
    "apply",
    "compare",
    "evaluate",
    "tune",
    "watch",
]
