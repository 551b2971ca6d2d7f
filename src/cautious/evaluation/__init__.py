"""Evaluation: what people ask of predictions and of rules, each in one call.

:func:`evaluate` measures, :func:`compare` tells models apart, :func:`apply` answers new cases by a
rule that was saved, :func:`watch` looks after it (:func:`cautious.tuning.tune` finds it). Each
takes predictions in any form, and returns an object that prints well, has ``frame()`` and is shown
as a table in notebooks. The command line calls these.
"""

from cautious.evaluation.application import apply
from cautious.evaluation.compared_models import compare
from cautious.evaluation.measures import Evaluation, evaluate
from cautious.evaluation.watch_state import Watch
from cautious.evaluation.watched_log import watch

__all__ = ["Evaluation", "Watch", "apply", "compare", "evaluate", "watch"]
