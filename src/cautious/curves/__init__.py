"""Curves and surfaces: how a cautious classifier fares over every threshold and every cost.

Each is an object with data only, exact at its breakpoints; drawing is done elsewhere.
"""

from cautious.curves.capacity import CapacityCurve, capacity_hull
from cautious.curves.capacity import CapacityHull as CapacityHull
from cautious.curves.class_thresholds import ClassThresholdCurve
from cautious.curves.decision_curve import DecisionCurve
from cautious.curves.hull import CostHull as CostHull
from cautious.curves.hull import kept_scores as kept_scores
from cautious.curves.node_coverage import hierarchical_risk_coverage
from cautious.curves.response import ResponseCurve, best_bias
from cautious.curves.roc import AbstentionROC, roc_readings
from cautious.curves.search import FoundRule, find_rule
from cautious.curves.staircase import Staircase
from cautious.curves.staircase import check_priors as check_priors
from cautious.curves.surface import (
    AbstentionCostSurface,
    DifferentialCostSurface,
    one_vs_rest,
    vacc_test,
)
from cautious.curves.surface import DifferentialGrid as DifferentialGrid
from cautious.curves.surface import SurfaceGrid as SurfaceGrid
from cautious.curves.team import Team, find_team
from cautious.curves.team import costs_beyond_right as costs_beyond_right
from cautious.curves.team import divide_scores as divide_scores
from cautious.curves.team import expert_answers as expert_answers
from cautious.curves.team import expert_costs as expert_costs
from cautious.curves.team import share_per_expert as share_per_expert
from cautious.curves.window import Window, chow_window, roc_slopes
from cautious.curves.window import cheapest_windows as cheapest_windows
from cautious.metrics import RiskCoverageCurve
from cautious.metrics import WorkingPoint as WorkingPoint

__all__ = [
    "AbstentionCostSurface",
    "AbstentionROC",
    "CapacityCurve",
    "ClassThresholdCurve",
    "DecisionCurve",
    "DifferentialCostSurface",
    "FoundRule",
    "ResponseCurve",
    "RiskCoverageCurve",
    "Staircase",
    "Team",
    "Window",
    "best_bias",
    "capacity_hull",
    "chow_window",
    "find_rule",
    "find_team",
    "hierarchical_risk_coverage",
    "one_vs_rest",
    "roc_readings",
    "roc_slopes",
    "vacc_test",
]
