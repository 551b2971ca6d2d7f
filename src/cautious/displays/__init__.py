"""Displays: every curve and result as a picture.

As in scikit-learn, a display holds data, ``plot`` draws them on matplotlib axes, and class methods
``from_predictions``, ``from_estimator`` and ``from_cv_results`` compute and draw in one go;
``frame`` gives the numbers that are drawn. Lines differ in dashes and markers as well as in colour,
so that pictures can be read in grey. matplotlib (``pip install 'cautious[plots]'``) is imported
when something is drawn, not before.
"""

from cautious.displays.abstention_map import AbstentionMapDisplay
from cautious.displays.capacity import CapacityDisplay
from cautious.displays.cost_surface import CostSurfaceDisplay
from cautious.displays.cost_surface_3d import CostSurface3DDisplay
from cautious.displays.critical_difference import CriticalDifferenceDisplay
from cautious.displays.decision_strip import DecisionStripDisplay
from cautious.displays.differential import DifferentialDisplay
from cautious.displays.prior_strength import PriorStrengthDisplay
from cautious.displays.reproduced import ReproducedFigureDisplay
from cautious.displays.response import ResponseDisplay
from cautious.displays.risk_aversion import RiskAversionDisplay
from cautious.displays.risk_coverage import RiskCoverageDisplay
from cautious.displays.roc import AbstentionROCDisplay
from cautious.displays.roc_readings import ROCReadingsDisplay
from cautious.displays.roc_surface import ROCSurfaceDisplay
from cautious.displays.scatter_pairs import ScatterPairsDisplay
from cautious.displays.threshold_map import ThresholdMapDisplay
from cautious.displays.triangle import CredalTriangleDisplay
from cautious.displays.utility import UtilityDisplay

__all__ = [
    "AbstentionMapDisplay",
    "AbstentionROCDisplay",
    "CapacityDisplay",
    "CostSurface3DDisplay",
    "CostSurfaceDisplay",
    "CredalTriangleDisplay",
    "CriticalDifferenceDisplay",
    "DecisionStripDisplay",
    "DifferentialDisplay",
    "PriorStrengthDisplay",
    "ROCReadingsDisplay",
    "ROCSurfaceDisplay",
    "ReproducedFigureDisplay",
    "ResponseDisplay",
    "RiskAversionDisplay",
    "RiskCoverageDisplay",
    "ScatterPairsDisplay",
    "ThresholdMapDisplay",
    "UtilityDisplay",
]
