"""Decisions: from scores, probabilities or credal sets to prediction sets.

A :class:`Rule` is one decision rule, made by hand or found by tuning; it can be saved and applied.
Behind it are functions: rules of thresholds answer with one class or abstain; optimal sets minimise
an expected set cost; credal criteria keep every prediction that the evidence cannot rule out. All
take whole batches and return boolean masks, a full row meaning "abstain".
"""

from cautious.decision._class_tree import ClassTree
from cautious.decision._ordinal import ordinal_sets
from cautious.decision._thresholds import (
    bias_window_rule,
    chow_rule,
    class_threshold_rule,
    ratio_rule,
    threshold_rule,
)
from cautious.decision.criteria import (
    e_admissibility,
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximality,
)
from cautious.decision.optimal import optimal_sets
from cautious.decision.rule import Rule

__all__ = [
    "ClassTree",
    "Rule",
    "bias_window_rule",
    "chow_rule",
    "class_threshold_rule",
    "e_admissibility",
    "gamma_maximax",
    "gamma_maximin",
    "hurwicz",
    "interval_dominance",
    "maximality",
    "optimal_sets",
    "ordinal_sets",
    "ratio_rule",
    "threshold_rule",
]
