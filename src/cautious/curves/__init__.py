"""Curves and surfaces: how a cautious classifier fares over every threshold and every cost.

Each is an object with data only, exact at its breakpoints; drawing is done elsewhere.
"""

from cautious.curves.bias_search import BestBias, best_bias
from cautious.curves.capacity import CapacityCurve
from cautious.curves.class_thresholds import ClassThresholdCurve
from cautious.curves.cost_surface import AbstentionCostSurface
from cautious.curves.differential import DifferentialCostSurface, DifferentialGrid
from cautious.curves.hull import CostHull
from cautious.curves.mixtures import CapacityHull, capacity_hull
from cautious.curves.one_vs_rest import one_vs_rest
from cautious.curves.readings import roc_readings
from cautious.curves.regions import Region
from cautious.curves.response import BestWindow, ResponseCurve
from cautious.curves.risk_coverage import RiskCoverageCurve, WorkingPoint
from cautious.curves.roc import AbstentionROC
from cautious.curves.staircase import Staircase
from cautious.curves.surface_grid import SurfaceGrid
from cautious.curves.vacc_inference import VaccTest, vacc_test
from cautious.curves.window import Window, chow_window, roc_slopes

__all__ = [
    "AbstentionCostSurface",
    "AbstentionROC",
    "BestBias",
    "BestWindow",
    "CapacityCurve",
    "CapacityHull",
    "ClassThresholdCurve",
    "CostHull",
    "DifferentialCostSurface",
    "DifferentialGrid",
    "Region",
    "ResponseCurve",
    "RiskCoverageCurve",
    "Staircase",
    "SurfaceGrid",
    "VaccTest",
    "Window",
    "WorkingPoint",
    "best_bias",
    "capacity_hull",
    "chow_window",
    "one_vs_rest",
    "roc_readings",
    "roc_slopes",
    "vacc_test",
]
