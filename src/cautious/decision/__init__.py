"""Decisions: from scores, probabilities or credal sets to prediction sets.

A :class:`Rule` is one decision rule, made by hand or found by tuning; it can be saved and applied.
Behind it are functions: rules of thresholds answer with one class or abstain; optimal sets minimise
an expected set cost; credal criteria keep every prediction that the evidence cannot rule out. All
take whole batches and return boolean masks, a full row meaning "abstain".
"""

from cautious.decision.admissibility import e_admissibility
from cautious.decision.class_tree import ClassTree
from cautious.decision.class_tree import TreeLike as TreeLike
from cautious.decision.class_tree import as_tree as as_tree
from cautious.decision.criteria import (
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximal_from_lower,
    maximality,
    maximin_sets,
)
from cautious.decision.hierarchy import climbing_rule, hierarchical_sets
from cautious.decision.hierarchy import least_probability as least_probability
from cautious.decision.hierarchy import path_probabilities as path_probabilities
from cautious.decision.neighbours import OrdinalCriterion as OrdinalCriterion
from cautious.decision.neighbours import ordinal_sets
from cautious.decision.optimal import compiled as compiled
from cautious.decision.optimal import have_numba as have_numba
from cautious.decision.optimal import optimal_sets
from cautious.decision.optimal import preferred_answers as preferred_answers
from cautious.decision.optimal import sets_by_size as sets_by_size
from cautious.decision.rule import Rule
from cautious.decision.rule_code import rule_code as rule_code
from cautious.decision.rule_json import rules_from_json, rules_to_json
from cautious.decision.rule_json import score_bins as score_bins
from cautious.decision.thresholds import (
    answer_or_abstain as answer_or_abstain,
)
from cautious.decision.thresholds import (
    bias_window_rule,
    chow_rule,
    class_threshold_rule,
    ratio_rule,
    reject_rule,
    threshold_rule,
    window_rule,
)
from cautious.decision.thresholds import check_bias as check_bias
from cautious.decision.thresholds import check_window as check_window

__all__ = [
    "ClassTree",
    "Rule",
    "bias_window_rule",
    "chow_rule",
    "class_threshold_rule",
    "climbing_rule",
    "e_admissibility",
    "gamma_maximax",
    "gamma_maximin",
    "hierarchical_sets",
    "hurwicz",
    "interval_dominance",
    "maximal_from_lower",
    "maximality",
    "maximin_sets",
    "optimal_sets",
    "ordinal_sets",
    "ratio_rule",
    "reject_rule",
    "rules_from_json",
    "rules_to_json",
    "threshold_rule",
    "window_rule",
]
