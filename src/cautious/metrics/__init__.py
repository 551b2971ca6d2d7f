"""Measures of cautious classifiers: counts that add up, and every number read off them.

A measure is a formula over :class:`SetCounts` (prediction sets counted against truths) or over a
risk–coverage curve (losses counted by confidence). Defined once, it is a scorer for model
selection, a row of the report, and has a bootstrap interval; most are functions of truths and
predictions, too.
"""

# Measures are listed in the order of their modules.
from cautious.metrics.answers import (
    abstention_score,
    capacity_score,
    coverage_f_score,
    coverage_score,
    determinacy_score,
    discounted_accuracy_score,
    efficacy_score,
    error_score,
    mean_set_size,
    selective_accuracy_score,
    set_accuracy_score,
    set_cost_score,
    single_accuracy_score,
    utility_score,
)

# isort: split
from cautious._set_counts import SetCounts
from cautious.metrics._bootstrap_intervals import bootstrap_interval
from cautious.metrics._confusion import cautious_confusion_matrix
from cautious.metrics._printed_report import breakdown, cautious_report
from cautious.metrics._registry import MEASURES, per_sample
from cautious.metrics._risk_coverage import augrc_score, aurc_score
from cautious.metrics.calibration_gaps import calibration_error
from cautious.metrics.scorers import make_set_scorer

__all__ = [
    "MEASURES",
    "SetCounts",
    "abstention_score",
    "augrc_score",
    "aurc_score",
    "bootstrap_interval",
    "breakdown",
    "calibration_error",
    "capacity_score",
    "cautious_confusion_matrix",
    "cautious_report",
    "coverage_f_score",
    "coverage_score",
    "determinacy_score",
    "discounted_accuracy_score",
    "efficacy_score",
    "error_score",
    "make_set_scorer",
    "mean_set_size",
    "per_sample",
    "selective_accuracy_score",
    "set_accuracy_score",
    "set_cost_score",
    "single_accuracy_score",
    "utility_score",
]
