"""Displays: every curve and result as a picture.

As in scikit-learn, a display holds data, ``plot`` draws them on matplotlib axes, and class methods
``from_predictions``, ``from_estimator`` and ``from_cv_results`` compute and draw in one go;
``frame`` gives the numbers that are drawn. Lines differ in dashes and markers as well as in colour,
so that pictures can be read in grey, and displays drawn on the same axes continue the colours of
those before them. matplotlib (``pip install ".[plots]"``) is imported
when something is drawn, not before.
"""

from cautious.displays._calibration import CalibrationDisplay
from cautious.displays._cost_surface import CostSurfaceDisplay
from cautious.displays.benefit import DecisionCurveDisplay, PriceDisplay
from cautious.displays.capacity import CapacityDisplay
from cautious.displays.comparison import CriticalDifferenceDisplay, ScatterPairsDisplay
from cautious.displays.differential import DifferentialDisplay
from cautious.displays.prior_strength import PriorStrengthDisplay
from cautious.displays.response import ResponseDisplay, RiskCoverageDisplay
from cautious.displays.roc import AbstentionROCDisplay
from cautious.displays.simplex import CredalTriangleDisplay, DecisionStripDisplay
from cautious.displays.utility import RiskAversionDisplay, UtilityDisplay
from cautious.displays.window import PeopleDisplay, ScoreHistogramDisplay
from cautious.displays.winner_map import WinnerMapDisplay

__all__ = [
    "AbstentionROCDisplay",
    "CalibrationDisplay",
    "CapacityDisplay",
    "CostSurfaceDisplay",
    "CredalTriangleDisplay",
    "CriticalDifferenceDisplay",
    "DecisionCurveDisplay",
    "DecisionStripDisplay",
    "DifferentialDisplay",
    "PeopleDisplay",
    "PriceDisplay",
    "PriorStrengthDisplay",
    "ResponseDisplay",
    "RiskAversionDisplay",
    "RiskCoverageDisplay",
    "ScatterPairsDisplay",
    "ScoreHistogramDisplay",
    "UtilityDisplay",
    "WinnerMapDisplay",
]
