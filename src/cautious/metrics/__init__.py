"""Measures of cautious classifiers: counts that add up, and every number read off them.

Each measure is a few lines over :class:`SetCounts` (prediction sets counted against truths) or
:class:`RiskCoverageCurve` (losses counted by confidence). Defined once, it is a function of truths
and predictions, a scorer for model selection, a row of the report, and has a bootstrap interval.
Names imported as themselves (``x as x``) are lent to the other packages and are not public.
"""

# Measures are listed in the order of their modules.
from cautious.metrics.answers import (
    abstention_score,
    coverage_f_score,
    coverage_score,
    efficacy_score,
    error_score,
    needless_abstention_score,
    reckless_answer_score,
    selective_accuracy_score,
    selective_risk_score,
)

# isort: split
from cautious._set_counts import SetCounts
from cautious.metrics._bootstrap_intervals import bootstrap_difference, bootstrap_interval
from cautious.metrics._confusion import capacity_score, cautious_confusion_matrix, q_matrix
from cautious.metrics._printed_report import breakdown, cautious_report, conditional_containment
from cautious.metrics._registry import MEASURES, define_measure, per_sample, with_params
from cautious.metrics._risk_coverage import RiskCoverageCurve
from cautious.metrics.calibration_gaps import CalibrationError, calibration_error
from cautious.metrics.indeterminacy import (
    containment_score,
    determinacy_score,
    mean_set_size,
    set_accuracy_score,
    single_accuracy_score,
)
from cautious.metrics.scorers import make_set_scorer
from cautious.metrics.selective import (
    augrc_score,
    aurc_score,
    excess_augrc_score,
    excess_aurc_score,
)
from cautious.metrics.worth import (
    certainty_equivalent_score,
    discounted_accuracy_score,
    discounted_accuracy_variance,
    set_cost_score,
    utility_score,
)

__all__ = [
    "MEASURES",
    "CalibrationError",
    "RiskCoverageCurve",
    "SetCounts",
    "abstention_score",
    "augrc_score",
    "aurc_score",
    "bootstrap_difference",
    "bootstrap_interval",
    "breakdown",
    "calibration_error",
    "capacity_score",
    "cautious_confusion_matrix",
    "cautious_report",
    "certainty_equivalent_score",
    "conditional_containment",
    "containment_score",
    "coverage_f_score",
    "coverage_score",
    "define_measure",
    "determinacy_score",
    "discounted_accuracy_score",
    "discounted_accuracy_variance",
    "efficacy_score",
    "error_score",
    "excess_augrc_score",
    "excess_aurc_score",
    "make_set_scorer",
    "mean_set_size",
    "needless_abstention_score",
    "per_sample",
    "q_matrix",
    "reckless_answer_score",
    "selective_accuracy_score",
    "selective_risk_score",
    "set_accuracy_score",
    "set_cost_score",
    "single_accuracy_score",
    "utility_score",
    "with_params",
]
