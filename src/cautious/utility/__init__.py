"""Utilities of discounted accuracy: what caution is worth to you.

A correct set of k classes earns the discounted accuracy x = 1/k, a wrong one nothing. A concave
utility u(x) says how much you value sure earnings over risky ones, and with it what a cautious
classifier is worth beside a bold one: over one bet, over the next m, and as your aversion to risk
varies.
"""

from cautious.utility._forms import (
    Utility,
    as_utility,
    exponential,
    f_beta,
    logarithmic,
    quadratic,
    u65,
    u80,
)
from cautious.utility._risk_aversion import RiskAversionCurve, crossover

__all__ = [
    "RiskAversionCurve",
    "Utility",
    "as_utility",
    "crossover",
    "exponential",
    "f_beta",
    "logarithmic",
    "quadratic",
    "u65",
    "u80",
]
