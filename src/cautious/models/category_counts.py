"""Counts of feature values by class, which add up: batches can be counted apart and merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Labels
from cautious.models.categories import Column, encode, factorise

__all__ = ["CategoryCounts"]


@dataclass(frozen=True)
class CategoryCounts:
    """How often each value of each feature came with each class.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Class labels, sorted.
    class_counts : ndarray of shape (K,)
        :math:`n(c)`, the (weighted) number of examples of each class.
    values : tuple of ndarray
        The values of each feature.
    tables : tuple of ndarray of shape (a_i, K)
        :math:`n(a_i, c)`; cells where the feature is missing are counted nowhere.

    Examples
    --------
    >>> import numpy as np
    >>> one = CategoryCounts.of([np.array([0, 1, 1])], np.array([0, 0, 1]), np.array(["n", "p"]))
    >>> two = CategoryCounts.of([np.array([2])], np.array([0]), np.array(["n"]))
    >>> both = one + two
    >>> both.values[0], both.tables[0].tolist(), both.class_counts.tolist()
    (array([0, 1, 2]), [[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]], [3.0, 1.0])
    """

    classes: Labels
    class_counts: Floats
    values: tuple[Labels, ...]
    tables: tuple[Floats, ...]

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        y: Ints,
        classes: Labels,
        weight: Floats | None = None,
    ) -> CategoryCounts:
        """Count columns against class codes ``y`` (positions in ``classes``)."""
        K = len(classes)
        values, tables = [], []
        for column in columns:
            codes, seen = factorise(column)
            # The first row of the flat table collects the missing cells and is dropped.
            cells = np.bincount((codes + 1) * K + y, weights=weight, minlength=(len(seen) + 1) * K)
            values.append(seen)
            tables.append(cells.reshape(-1, K)[1:].astype(np.float64))
        class_counts = np.bincount(y, weights=weight, minlength=K).astype(np.float64)
        return cls(classes, class_counts, tuple(values), tuple(tables))

    @property
    def totals(self) -> Floats:
        """The class counts over rows where each feature is observed, shape (m, K)."""
        if not self.tables:
            return np.zeros((0, len(self.classes)))
        return np.array([table.sum(axis=0) for table in self.tables])

    @property
    def n_values(self) -> Ints:
        """Number of values of each feature, shape (m,)."""
        return np.array([len(values) for values in self.values], dtype=np.intp)

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        """Add counts of other examples; values and classes known to either are known to the sum."""
        if len(self.values) != len(other.values):
            raise ValueError(
                f"cannot add counts over {len(self.values)} features to counts over "
                f"{len(other.values)}; both must come from the same features."
            )
        classes = _union(self.classes, other.classes)
        values, tables = [], []
        for mine, theirs, a, b in zip(
            self.values, other.values, self.tables, other.tables, strict=True
        ):
            both = _union(mine, theirs)
            table = np.zeros((len(both), len(classes)))
            for known, known_classes, part in ((mine, self.classes, a), (theirs, other.classes, b)):
                table[np.ix_(encode(known, both), encode(known_classes, classes))] += part
            values.append(both)
            tables.append(table)
        class_counts = np.zeros(len(classes))
        class_counts[encode(self.classes, classes)] += self.class_counts
        class_counts[encode(other.classes, classes)] += other.class_counts
        return CategoryCounts(classes, class_counts, tuple(values), tuple(tables))


def _union(mine: Labels, theirs: Labels) -> Labels:
    """Return the values of both, sorted where they can be; the same array if nothing is new."""
    if len(mine) == len(theirs) and np.array_equal(mine, theirs):
        return mine
    try:
        return np.union1d(mine, theirs)
    except TypeError:  # values of several kinds have no order
        return factorise(np.concatenate([mine.astype(object), theirs.astype(object)]))[1]
