"""Comparison of classifiers over data sets: which is better, and whether it is more than luck.

All work on any measure, laid out as a frame with one row per data set and one column per
classifier; scipy does the statistics. Results that differ by no more than 10⁻¹² of the largest one
are equal everywhere here: only rounding tells them apart.
"""

from cautious.comparison._significance import (
    compare_results,
    friedman_nemenyi,
    objective_winner,
    wilcoxon,
)

__all__ = [
    "compare_results",
    "friedman_nemenyi",
    "objective_winner",
    "wilcoxon",
]
