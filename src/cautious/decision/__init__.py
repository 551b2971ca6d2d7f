"""Decisions: from probabilities or credal sets to prediction sets.

Rules for precise probabilities answer with one class or abstain; optimal sets minimise an expected
set cost; credal criteria keep every prediction that the evidence cannot rule out. All take whole
batches and return boolean masks, a full row meaning "don't know".
"""

from cautious.decision.admissibility import e_admissibility
from cautious.decision.criteria import (
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximal_from_lower,
    maximality,
)
from cautious.decision.optimal import optimal_sets
from cautious.decision.rejection import chow_rule, reject_rule
from cautious.decision.rule import Rule, preferred_answers
from cautious.decision.rule_text import rules_from_json, rules_to_json
from cautious.decision.rules import (
    bias_window_rule,
    class_threshold_rule,
    ratio_rule,
    threshold_rule,
)
from cautious.decision.rules import check_bias as check_bias
from cautious.decision.window import check_window, window_rule

__all__ = [
    "Rule",
    "bias_window_rule",
    "check_window",
    "chow_rule",
    "class_threshold_rule",
    "e_admissibility",
    "gamma_maximax",
    "gamma_maximin",
    "hurwicz",
    "interval_dominance",
    "maximal_from_lower",
    "maximality",
    "optimal_sets",
    "preferred_answers",
    "ratio_rule",
    "reject_rule",
    "rules_from_json",
    "rules_to_json",
    "threshold_rule",
    "window_rule",
]
