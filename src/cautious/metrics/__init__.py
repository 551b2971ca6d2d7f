"""Measures of cautious classifiers: counts that add up, and every number read off them.

Each measure is a few lines over :class:`SetCounts` (prediction sets counted against truths) or
:class:`RiskCoverageCurve` (losses counted by confidence). Declared once, it is a function of
truths and predictions, a scorer for model selection, a row of the report, and has a bootstrap
interval.
"""

from cautious.metrics.abstention import (
    abstention_score,
    coverage_f_score,
    coverage_score,
    efficacy_score,
    error_score,
    needless_abstention_score,
    reckless_answer_score,
    selective_accuracy_score,
)
from cautious.metrics.breakdown import (
    USUAL_MEASURES,
    breakdown,
)
from cautious.metrics.capacity import (
    capacity_score,
    full_coverage_error,
    q_matrix,
    q_matrix_of_counts,
)
from cautious.metrics.capacity import guess_probabilities as guess_probabilities
from cautious.metrics.confusion import (
    cautious_confusion_matrix,
    confusion_of_counts,
    counts_of_confusion,
)
from cautious.metrics.confusion import check_confusion as check_confusion
from cautious.metrics.counts import (
    SetCounts,
)
from cautious.metrics.declaring import (
    define_measure,
    per_sample,
    with_params,
)
from cautious.metrics.discounted import (
    certainty_equivalent_score,
    discounted_accuracy_score,
    discounted_accuracy_variance,
    utility_score,
)
from cautious.metrics.expenses import (
    set_cost_score,
)
from cautious.metrics.indeterminacy import (
    containment_score,
    determinacy_score,
    indeterminate_set_size,
    mean_set_size,
    set_accuracy_score,
    single_accuracy_score,
)
from cautious.metrics.intervals import (
    bootstrap_difference,
    bootstrap_interval,
    interval_of_counts,
)
from cautious.metrics.registry import (
    MEASURES,
    Counts,
    Measure,
    get_measure,
)
from cautious.metrics.report import (
    cautious_report,
)
from cautious.metrics.risk_coverage import (
    RiskCoverageCurve,
    WorkingPoint,
)
from cautious.metrics.scorers import (
    SetScorer,
    get_set_scorer,
    get_set_scorer_names,
    make_set_scorer,
)
from cautious.metrics.selective import (
    augrc_score,
    aurc_score,
    excess_augrc_score,
    excess_aurc_score,
)
from cautious.metrics.shown import Shown as Shown

__all__ = [
    "MEASURES",
    "USUAL_MEASURES",
    "Counts",
    "Measure",
    "RiskCoverageCurve",
    "SetCounts",
    "SetScorer",
    "WorkingPoint",
    "abstention_score",
    "augrc_score",
    "aurc_score",
    "bootstrap_difference",
    "bootstrap_interval",
    "breakdown",
    "capacity_score",
    "cautious_confusion_matrix",
    "cautious_report",
    "certainty_equivalent_score",
    "confusion_of_counts",
    "containment_score",
    "counts_of_confusion",
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
    "full_coverage_error",
    "get_measure",
    "get_set_scorer",
    "get_set_scorer_names",
    "indeterminate_set_size",
    "interval_of_counts",
    "make_set_scorer",
    "mean_set_size",
    "needless_abstention_score",
    "per_sample",
    "q_matrix",
    "q_matrix_of_counts",
    "reckless_answer_score",
    "selective_accuracy_score",
    "set_accuracy_score",
    "set_cost_score",
    "single_accuracy_score",
    "utility_score",
    "with_params",
]
