"""Counts that differ from row to row, as a lazy learner makes them, read through the global IDM."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks
from cautious.models.credal_dominance import (
    Infimum,
    bounds_from_infima,
    pairwise_infima,
    undominated,
)
from cautious.models.infimum import Pairs, log_infimum
from cautious.models.value_tables import probabilities

__all__ = ["RowCounts"]

# Pairs are solved this many (pair, feature) cells at a time.
_CELLS_AT_ONCE = 400_000
# Where all pairs of classes are compared, a block of rows holds about this many (row, pair) cells.
_PAIRS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class RowCounts:
    r"""What was counted in the neighbourhood of each row.

    Attributes
    ----------
    class_counts : ndarray of shape (n, K)
        :math:`n(c)`.
    counts, totals : ndarray of shape (n, m, K)
        :math:`n(a_i, c)` for the row's own values, and :math:`\tilde n_i(c)`.
    observed : ndarray of shape (n, m)
        Which cells of the row are not missing.
    """

    class_counts: Floats
    counts: Floats
    totals: Floats
    observed: Mask

    @classmethod
    def empty(cls, observed: Mask, n_classes: int) -> RowCounts:
        """Start with nothing counted."""
        n, m = observed.shape
        cells = np.zeros((2, n, m, n_classes))
        return cls(np.zeros((n, n_classes)), cells[0], cells[1], observed)

    def __getitem__(self, rows: Ints | slice) -> RowCounts:
        return RowCounts(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def add(self, rows: Ints, other: RowCounts) -> None:
        """Count more examples for some of the rows."""
        self.class_counts[rows] += other.class_counts
        self.counts[rows] += other.counts
        self.totals[rows] += other.totals

    def predict_set(self, s: float) -> Mask:
        """Answer with the undominated classes."""
        seen = self.observed[:, :, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            class_s = np.log(self.class_counts + s)
            log_totals_s = np.log(self.totals + s)
            f_s, g_s = np.log(self.counts) - log_totals_s, np.log(self.counts + s) - log_totals_s
            log_f_s = class_s + np.where(seen, f_s, 0.0).sum(axis=1)
            log_g_s = class_s + np.where(seen, g_s, 0.0).sum(axis=1)
            # 0/0 belongs to a class never seen with the feature, where f is 0 at both ends.
            ratio = np.nan_to_num(np.log(self.counts / self.totals), nan=-np.inf, neginf=-np.inf)
            log_f_0 = np.where(seen, ratio, 0).sum(axis=1) + np.log(self.class_counts)
        bare = ~self.observed.any(axis=1)
        log_f_s[bare] = log_f_0[bare]
        return undominated(log_f_s, log_f_0, log_g_s, self._infimum(s))

    def predict_proba(self, s: float, n_values: Ints) -> Floats:
        """Estimate class probabilities by naive Bayes under the uniform prior of strength s."""
        K = self.class_counts.shape[1]
        share = s / K / np.maximum(n_values, 1)[None, :, None]
        terms = np.log((self.counts + share) / (self.totals + s / K))
        log_joint = np.where(self.observed[:, :, None], terms, 0.0).sum(axis=1)
        return probabilities(log_joint + np.log(self.class_counts + s / K))

    def predict_proba_bounds(self, s: float) -> tuple[Floats, Floats]:
        """Bound the class probabilities by the smallest ratios between pairs of classes."""
        n, K = self.class_counts.shape
        lower, upper = np.empty((n, K)), np.empty((n, K))
        for rows in row_chunks(n, max(1, _PAIRS_AT_ONCE // K**2)):
            part = self[rows]
            possible = ((part.counts > 0) | ~part.observed[:, :, None]).all(axis=1)
            infima = pairwise_infima(np.asarray(possible), part._infimum(s))
            lower[rows], upper[rows] = bounds_from_infima(infima)
        return lower, upper

    def _infimum(self, s: float) -> Infimum:
        return partial(self._solve, s)

    def _solve(self, s: float, rows: Ints, first: Ints, second: Ints) -> Floats:
        result = np.empty(len(rows))
        for part in row_chunks(len(rows), max(1, _CELLS_AT_ONCE // max(1, self.counts.shape[1]))):
            pairs = self._pairs(rows[part], first[part], second[part])
            result[part] = log_infimum(pairs, s)
        return result

    def _pairs(self, rows: Ints, first: Ints, second: Ints) -> Pairs:
        return Pairs(
            first=self.class_counts[rows, first],
            second=self.class_counts[rows, second],
            first_totals=self.totals[rows, :, first],
            second_totals=self.totals[rows, :, second],
            first_counts=self.counts[rows, :, first],
            second_counts=self.counts[rows, :, second],
            observed=self.observed[rows],
        )
