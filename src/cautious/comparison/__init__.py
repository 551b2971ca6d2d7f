"""Comparison of classifiers over data sets: which is better, and whether it is more than luck.

All work on any measure, laid out as a frame with one row a data set and one column a classifier.
scipy does the statistics.
"""

from cautious.comparison.friedman import FriedmanNemenyi, friedman_nemenyi, similar_groups
from cautious.comparison.holm import holm
from cautious.comparison.objective import ObjectiveWinner, objective_winner
from cautious.comparison.paired import PairedTest, paired_t, wilcoxon
from cautious.comparison.pairs import compare_results
from cautious.comparison.ranks import critical_difference, mean_ranks
from cautious.comparison.wins import win_tie_loss

__all__ = [
    "FriedmanNemenyi",
    "ObjectiveWinner",
    "PairedTest",
    "compare_results",
    "critical_difference",
    "friedman_nemenyi",
    "holm",
    "mean_ranks",
    "objective_winner",
    "paired_t",
    "similar_groups",
    "wilcoxon",
    "win_tie_loss",
]
