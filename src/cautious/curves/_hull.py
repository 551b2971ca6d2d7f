r"""The hull of a staircase: the few cuts that can ever be optimal.

Plot, for every cut between neighbouring scores, the positives below it against the negatives below
it. Every cost of every threshold is linear in those two numbers, so only the corners of the lower
convex hull can be optimal, whatever the costs: it is the ROC convex hull seen from below. An edge
of the hull is a *bin* of neighbouring scores; along the hull the share of positives in a bin
increases. These bins are the blocks of isotonic regression (pool adjacent violators) of the class
on the score, and the shares are the calibrated probabilities it gives. The optimal window treats
each bin as a Bayes decision on its probability would.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy

from cautious._result import Shown
from cautious._typing import Floats, Ints
from cautious.curves._staircase import ClassScales, Staircase, block_counts
from cautious.curves._window import BinaryCosts, posterior_window, thresholds_at

_COUNTS = ClassScales(1.0, 1.0)
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class CostHull(Shown):
    """Corners and bins of the lower convex hull: all that optimal windows depend on.

    Attributes
    ----------
    lower, upper : ndarray of shape (h + 1,)
        Threshold at each corner, as the lower and as the upper end of a window. They differ only
        where no float lies between two neighbouring scores.
    positives, negatives : ndarray of shape (h,)
        Shares of all cases that are in each bin and in each class.
    probability : ndarray of shape (h,)
        Share of positives in each bin: its calibrated probability, increasing.
    """

    lower: Floats
    upper: Floats
    positives: Floats
    negatives: Floats
    probability: Floats

    @classmethod
    def of(cls, staircase: Staircase, scales: ClassScales = _COUNTS) -> CostHull:
        """Hull of a staircase whose classes are scaled to shares of all cases, or of its counts."""
        scores, starts, positives, negatives = staircase.corner_blocks()
        cuts, positives, negatives = merged_blocks(len(scores), starts, positives, negatives)
        positives, negatives = positives * scales.positive, negatives * scales.negative
        # The share of positives in a bin that is no normal number of cases is not to be had.
        felt = positives + negatives >= np.finfo(np.float64).tiny
        if not felt.all():
            cuts = np.append(cuts[:-1][felt], cuts[-1])
            cuts[0] = 0
            positives, negatives = positives[felt], negatives[felt]
        shares = positives, negatives, positives / (positives + negatives)
        return cls(*thresholds_at(scores, cuts), *shares)

    @cached_property
    def positives_below(self) -> Floats:
        """Share of all cases that are positives below each corner."""
        return np.concatenate([[0.0], np.cumsum(self.positives)])

    @cached_property
    def negatives_above(self) -> Floats:
        """Share of all cases that are negatives above each corner."""
        return np.concatenate([np.cumsum(self.negatives[::-1])[::-1], [0.0]])

    @cached_property
    def cases_below(self) -> Floats:
        """Share of all cases below each corner."""
        return np.concatenate([[0.0], np.cumsum(self.positives + self.negatives)])

    def corners(self, costs: BinaryCosts) -> tuple[Ints, Ints]:
        """Corners that bound the optimal window, lower and upper."""
        below, above = posterior_window(costs)
        # A share that equals a threshold but for rounding is answered: it costs the same.
        upper = np.searchsorted(self.probability, above * (1 - _ROUNDING), side="left")
        lower = np.searchsorted(self.probability, below * (1 + _ROUNDING), side="right")
        return np.minimum(lower, upper), upper

    def cost(self, costs: BinaryCosts, lower: Ints, upper: Ints) -> Floats:
        """Cost expected of the windows between given corners."""
        return costs.expected(*self.rates(lower, upper))

    def rates(self, lower: Ints, upper: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """Shares of missed positives, alarmed negatives, and abstained of either, in this order."""
        missed, alarmed = self.positives_below[lower], self.negatives_above[upper]
        abstained = self.positives_below[upper] - missed, self.negatives_above[lower] - alarmed
        return missed, alarmed, *abstained

    def frame(self) -> pd.DataFrame:
        """One row per bin: its scores, shares of both classes, and calibrated probability."""
        ends = {"lower": self.upper[:-1], "upper": self.upper[1:]}
        counts = {"negatives": self.negatives, "positives": self.positives}
        return pd.DataFrame(ends | counts | {"probability": self.probability})

    def _facts(self) -> dict[str, Any]:
        return {"n_bins": len(self.positives)}

    def thresholds(self, lower: Ints, upper: Ints) -> tuple[Floats, Floats]:
        """Thresholds of the windows between given corners."""
        top = self.upper[upper]
        return np.where(lower < upper, self.lower[lower], top), top


def kept_scores(staircase: Staircase) -> dict[str, Any]:
    """Describe the scores that a window was chosen on, for the data of its rule."""
    bins, scores = staircase.score_bins(), staircase.scores
    data: dict[str, Any] = {"scores": bins} if bins else {}
    if staircase.column is not None:
        data["score"] = staircase.column
    cuts, positives, negatives = hull_bins(staircase.positives, staircase.negatives)
    if positives.any() and negatives.any() and np.isfinite(scores).all():
        data["hull"] = {
            "low": scores[cuts[:-1]].tolist(),
            "high": scores[cuts[1:] - 1].tolist(),
            "negatives": negatives.tolist(),
            "positives": positives.tolist(),
        }
    return data


def hull_bins(positives: Floats, negatives: Floats) -> tuple[Ints, Floats, Floats]:
    """Merge neighbouring scores, with counts or without, into the bins of the lower convex hull."""
    return merged_blocks(len(positives), *block_counts(positives, negatives))


def merged_blocks(n: int, starts: Ints, pos: Floats, neg: Floats) -> tuple[Ints, Floats, Floats]:
    """Merge blocks of n scores, where each starts and what it counts, into the bins of the hull."""
    if not len(starts):
        return np.array([n]), pos, neg
    keep = scipy.optimize.isotonic_regression(pos / (pos + neg), weights=pos + neg).blocks[:-1]
    # Running means leave rounding errors behind, in which two collinear edges look different. The
    # shares of the bins themselves do not: equal fractions are equal numbers.
    while True:
        starts, pos, neg = starts[keep], np.add.reduceat(pos, keep), np.add.reduceat(neg, keep)
        share = pos / (pos + neg)
        rising = np.concatenate([[True], share[1:] > share[:-1]])
        if rising.all():
            return np.append(starts, n), pos, neg
        keep = np.flatnonzero(rising)
