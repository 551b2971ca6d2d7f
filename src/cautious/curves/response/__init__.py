"""Response curves: measures of a classifier as the caution window of Ferri's rule grows."""

from cautious.curves.response.bias import BestBias, best_bias
from cautious.curves.response.curve import BestWindow, ResponseCurve

__all__ = ["BestBias", "BestWindow", "ResponseCurve", "best_bias"]
