r"""Neighbourhoods that grow, and what is counted in them, read through the global IDM.

The overlap distance of two rows is the number of features in which they differ; a missing cell
differs from everything. A neighbourhood always takes in all rows at its largest distance, so it is
a ball, and a row has at most m + 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks
from cautious.models.discrete import MISSING
from cautious.models.naive_credal.counts import probabilities
from cautious.models.naive_credal.dominance import (
    Infimum,
    Pairs,
    bounds_from_infima,
    log_infimum,
    pairwise_infima,
    undominated,
)

__all__ = ["Neighbours", "RowCounts", "overlap_distances"]

# A missing test cell must not match a missing training cell.
_MISSING_IN_TEST = -2
# Pairs are solved this many (pair, feature) cells at a time.
_CELLS_AT_ONCE = 400_000
# Where all pairs of classes are compared, a block of rows holds about this many (row, pair) cells.
_PAIRS_AT_ONCE = 2_000_000


def overlap_distances(train: Ints, test: Ints) -> Ints:
    """Count the features in which each test row differs from each training row.

    Parameters
    ----------
    train, test : ndarray of shape (m, n) and (m, b)
        Codes; missing cells differ from everything.

    Returns
    -------
    ndarray of shape (b, n)

    Examples
    --------
    >>> import numpy as np
    >>> overlap_distances(np.array([[0, 1, -1], [0, 0, 2]]), np.array([[0, -1], [0, 2]]))
    array([[0, 1, 2],
           [2, 2, 1]], dtype=uint8)
    """
    m, n = train.shape
    distances = np.zeros((test.shape[1], n), dtype=np.min_scalar_type(max(m, 1)))
    for known, asked in zip(train, np.where(test == MISSING, _MISSING_IN_TEST, test), strict=True):
        distances += (known != asked[:, None].astype(known.dtype)).view(np.uint8)
    return distances


@dataclass(frozen=True)
class Neighbours:
    """Training rows ready to be searched.

    Attributes
    ----------
    codes : ndarray of shape (m, n)
        Codes of the training rows, in the smallest type that holds them.
    y : ndarray of shape (n,)
        Class codes.
    n_classes : int
        Number of classes.
    weight : ndarray of shape (n,) or None
        Repetitions of the training rows.
    """

    codes: Ints
    y: Ints
    n_classes: int
    weight: Floats | None

    def ball_sizes(self, distances: Ints) -> Floats:
        """(Weighted) number of training rows within each distance 0, …, m of each test row."""
        width = len(self.codes) + 1
        rings = [np.bincount(row, self.weight, minlength=width) for row in distances]
        return np.cumsum(rings, axis=1, dtype=np.float64).reshape(-1, width)

    def count_ring(self, test: Ints, distances: Ints, inner: Ints, outer: Ints) -> RowCounts:
        """Count the training rows farther than ``inner`` and no farther than ``outer``.

        Parameters
        ----------
        test : ndarray of shape (m, b)
            Codes of the test rows.
        distances : ndarray of shape (b, n)
            Their distances to the training rows.
        inner, outer : ndarray of shape (b,)
            The ring of each test row; ``inner`` is -1 for a ball.
        """
        m, b = test.shape
        K = self.n_classes
        ring = distances <= outer[:, None]
        ring &= distances > inner[:, None]
        at, neighbour = np.nonzero(ring)
        weight = None if self.weight is None else self.weight[neighbour]
        cell = at * K + self.y[neighbour]
        counted = RowCounts.empty((test != MISSING).T, K)
        counted.class_counts[:] = np.bincount(cell, weight, minlength=b * K).reshape(b, K)
        for i in range(m):
            codes = self.codes[i, neighbour]
            for place, kept in (
                (counted.counts, codes == test[i, at]),
                (counted.totals, codes != MISSING),
            ):
                kept_weight = None if weight is None else weight[kept]
                place[:, i] = np.bincount(cell[kept], kept_weight, minlength=b * K).reshape(b, K)
        return counted


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
