"""Evaluation: what people ask of predictions, each in one call.

:func:`evaluate` measures, :func:`tune` finds thresholds, :func:`compare` tells models apart,
:func:`apply` answers new cases by a rule that was saved, :func:`watch` looks after it. Each takes
predictions in any form, and returns an object that prints well, has ``frame()`` and is shown as a
table in notebooks. The command line and the report call these.
"""

from cautious.evaluation.application import Application, apply
from cautious.evaluation.calibration import check_retunable as check_retunable
from cautious.evaluation.calibration import data_digest as data_digest
from cautious.evaluation.cross_fitting import Expected
from cautious.evaluation.cross_fitting import cross_fit as cross_fit
from cautious.evaluation.cross_fitting import cross_fitted as cross_fitted
from cautious.evaluation.distinction import distinct_winners as distinct_winners
from cautious.evaluation.divided_cases import LEAST_GROUPS as LEAST_GROUPS
from cautious.evaluation.divided_cases import TooFewCases as TooFewCases
from cautious.evaluation.evidence import direction_notes as direction_notes
from cautious.evaluation.evidence import is_reversed as is_reversed
from cautious.evaluation.evidence import summarise_log as summarise_log
from cautious.evaluation.measures import Evaluation, evaluate
from cautious.evaluation.model_choice import Comparison, compare
from cautious.evaluation.new_cases import chosen_rules as chosen_rules
from cautious.evaluation.surveillance import Watch
from cautious.evaluation.tuning import Tuning, tune
from cautious.evaluation.watched_log import watch

__all__ = [
    "Application",
    "Comparison",
    "Evaluation",
    "Expected",
    "Tuning",
    "Watch",
    "apply",
    "compare",
    "evaluate",
    "tune",
    "watch",
]
