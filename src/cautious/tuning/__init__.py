"""Tuning: what is found by search on cases that no model was fitted on.

:func:`find_rule` finds thresholds, :func:`find_team` divides the cases between a model and experts,
and :func:`tune` finds the rule of each model and says what it will do on new cases.
"""

from cautious.tuning._search import find_rule
from cautious.tuning._team import find_team
from cautious.tuning.tuned_rules import Tuning, tune

__all__ = ["Tuning", "find_rule", "find_team", "tune"]
