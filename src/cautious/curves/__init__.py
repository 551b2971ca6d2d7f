"""Curves and surfaces: how a cautious classifier fares over every threshold and every cost.

Each is an object with data only, exact at its breakpoints; drawing is done elsewhere.
"""

from cautious.curves._capacity import CapacityCurve
from cautious.curves._staircase import Staircase
from cautious.curves.cost_surface import AbstentionCostSurface
from cautious.curves.decision_curve import DecisionCurve
from cautious.curves.response import ResponseCurve
from cautious.curves.roc import AbstentionROC
from cautious.metrics._risk_coverage import RiskCoverageCurve

__all__ = [
    "AbstentionCostSurface",
    "AbstentionROC",
    "CapacityCurve",
    "DecisionCurve",
    "ResponseCurve",
    "RiskCoverageCurve",
    "Staircase",
]
