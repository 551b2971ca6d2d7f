"""Curves and surfaces: how a cautious classifier fares over every threshold and every cost.

Each is an object with data only, exact at its breakpoints; drawing is done elsewhere.
"""

from cautious.curves._capacity import CapacityCurve, capacity_hull
from cautious.curves._cost_square import DifferentialCostSurface
from cautious.curves._staircase import Staircase
from cautious.curves._window import Window, chow_window, roc_slopes
from cautious.curves.bias import best_bias
from cautious.curves.cost_surface import AbstentionCostSurface
from cautious.curves.decision_curve import DecisionCurve
from cautious.curves.node_coverage import hierarchical_risk_coverage
from cautious.curves.response import ResponseCurve
from cautious.curves.roc import AbstentionROC, roc_readings
from cautious.curves.vacc import vacc_test
from cautious.metrics._risk_coverage import RiskCoverageCurve

__all__ = [
    "AbstentionCostSurface",
    "AbstentionROC",
    "CapacityCurve",
    "DecisionCurve",
    "DifferentialCostSurface",
    "ResponseCurve",
    "RiskCoverageCurve",
    "Staircase",
    "Window",
    "best_bias",
    "capacity_hull",
    "chow_window",
    "hierarchical_risk_coverage",
    "roc_readings",
    "roc_slopes",
    "vacc_test",
]
