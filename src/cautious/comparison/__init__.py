"""Comparison of classifiers over data sets: which is better, and whether it is more than luck.

All work on any measure, laid out as a frame with one row per data set and one column per
classifier; scipy does the statistics. Results that differ by no more than 10⁻¹² of the largest one
are equal everywhere here: only rounding tells them apart. Names imported as themselves (``x as x``)
are results, or lent to the other packages, and are not public.
"""

from cautious.comparison._friedman import critical_difference, friedman_nemenyi, mean_ranks
from cautious.comparison.pairs import (
    compare_results,
    holm,
    objective_winner,
    paired_t,
    wilcoxon,
    win_tie_loss,
)

__all__ = [
    "compare_results",
    "critical_difference",
    "friedman_nemenyi",
    "holm",
    "mean_ranks",
    "objective_winner",
    "paired_t",
    "wilcoxon",
    "win_tie_loss",
]
