"""Displays: every curve and result as a picture.

As in scikit-learn, a display holds data, ``plot`` draws them on matplotlib axes, and class methods
``from_predictions``, ``from_estimator`` and ``from_cv_results`` compute and draw in one go;
``frame`` gives the numbers that are drawn. Lines differ in dashes and markers as well as in colour,
so that pictures can be read in grey, and displays drawn on the same axes continue the colours of
those before them. matplotlib (``pip install ".[plots]"``) is imported
when something is drawn, not before.
"""

from cautious.displays.abstention import (
    AbstentionROCDisplay,
    CapacityDisplay,
    ResponseDisplay,
    RiskCoverageDisplay,
)
from cautious.displays.comparison import ComparisonDisplay
from cautious.displays.cost_maps import CostSurfaceDisplay
from cautious.displays.scores import CalibrationDisplay, DecisionCurveDisplay, WindowDisplay
from cautious.displays.sets import (
    CredalTriangleDisplay,
    PriorStrengthDisplay,
    RiskAversionDisplay,
    UtilityDisplay,
)

__all__ = [
    "AbstentionROCDisplay",
    "CalibrationDisplay",
    "CapacityDisplay",
    "ComparisonDisplay",
    "CostSurfaceDisplay",
    "CredalTriangleDisplay",
    "DecisionCurveDisplay",
    "PriorStrengthDisplay",
    "ResponseDisplay",
    "RiskAversionDisplay",
    "RiskCoverageDisplay",
    "UtilityDisplay",
    "WindowDisplay",
]
