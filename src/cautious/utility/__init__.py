"""Utilities of discounted accuracy: what caution is worth to you.

A correct set of k classes earns the discounted accuracy x = 1/k, a wrong one nothing. A concave
utility u(x) says how much you value sure earnings over risky ones, and with it what a cautious
classifier is worth beside a bold one: over one bet, over the next m, and as your aversion to risk
varies.
"""

from cautious.utility.bets import (
    caution_premium,
    inversion_point,
    random_expected_utility,
    vacuous_expected_utility,
)
from cautious.utility.certainty import certainty_equivalent, expected_utility
from cautious.utility.checking import UtilityLike, as_utility, read_utility
from cautious.utility.families import exponential, f_beta, logarithmic, quadratic, u65, u80
from cautious.utility.function import Utility
from cautious.utility.mean_variance import MeanVariance, mean_variance
from cautious.utility.risk_aversion import Crossover, RiskAversionCurve, crossover

__all__ = [
    "Crossover",
    "MeanVariance",
    "RiskAversionCurve",
    "Utility",
    "UtilityLike",
    "as_utility",
    "caution_premium",
    "certainty_equivalent",
    "crossover",
    "expected_utility",
    "exponential",
    "f_beta",
    "inversion_point",
    "logarithmic",
    "mean_variance",
    "quadratic",
    "random_expected_utility",
    "read_utility",
    "u65",
    "u80",
    "vacuous_expected_utility",
]
