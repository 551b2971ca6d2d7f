r"""Neighbourhoods that grow: all training rows within a distance, counted ring by ring.

The overlap distance of two rows is the number of features in which they differ; a missing cell
differs from everything. A neighbourhood always takes in all rows at its largest distance, so it is
a ball, and a row has at most m + 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints
from cautious.models.categories import MISSING
from cautious.models.row_counts import RowCounts

__all__ = ["Neighbours", "overlap_distances"]

# A missing test cell must not match a missing training cell.
_MISSING_IN_TEST = -2


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
