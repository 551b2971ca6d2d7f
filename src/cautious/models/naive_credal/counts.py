"""Counts of feature values by class, their layout in tables, and classifiers made of nothing else.

Counts add up: batches can be counted apart and merged. Every naive model here adds up, for each
row, one line of numbers per feature: the line that belongs to the row's value of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.errors import shown
from cautious.models._base import row_chunks
from cautious.models.discrete import MISSING, Column, DiscreteClassifier, encode, factorise


@dataclass(frozen=True)
class CategoryCounts:
    """How often each value of each feature came with each class."""

    classes: Labels  # (K,), sorted
    class_counts: Floats  # n(c), the (weighted) number of examples of each class
    values: tuple[Labels, ...]  # of each feature
    tables: tuple[Floats, ...]  # n(a_i, c), (a_i, K); missing cells are counted nowhere

    @classmethod
    def of(
        cls, columns: Sequence[Column], y: Ints, classes: Labels, weight: Floats | None = None
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
        sums = [table.sum(axis=0) for table in self.tables]
        return np.array(sums).reshape(-1, len(self.classes))

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


class ValueTables:
    """Where each value of each feature stands in the stacked tables.

    The lines of all features are stacked in one table. Each feature has two lines more than values,
    for a value never seen and for a missing cell.
    """

    def __init__(self, n_values: Ints) -> None:
        self.n_values = n_values
        self.first: Ints = np.concatenate([[0], np.cumsum(n_values + 2)]).astype(np.intp)[:-1]
        self.feature: Ints = np.repeat(np.arange(len(n_values)), n_values + 2)
        position = np.arange(len(self.feature)) - self.first[self.feature]
        self.unseen: Mask = position == n_values[self.feature]
        self.missing: Mask = position == n_values[self.feature] + 1

    def stack(self, tables: Sequence[Floats], n_columns: int) -> Floats:
        """Stack one table per feature; the lines for unseen values and missing cells are zero."""
        stacked = np.zeros((len(self.feature), n_columns))
        for start, table in zip(self.first, tables, strict=True):
            stacked[start : start + len(table)] = table
        return stacked

    def let_missing_be(self, table: Floats, extreme: np.ufunc) -> Floats:
        """Let a missing cell count as the least or the greatest value of its feature."""
        for start, n_values in zip(self.first, self.n_values, strict=True):
            if n_values:
                values = table[start : start + n_values]
                table[start + n_values + 1] = extreme.reduce(values, axis=0)
        return table

    def lines(self, codes: Ints) -> Ints:
        """Find the line of each code, shape (m, n)."""
        last = self.n_values[:, None] + 1
        return np.where(codes == MISSING, last, codes) + self.first[:, None]

    def sums(self, table: Floats, lines: Ints) -> Floats:
        """Add up, for each row, the lines of its values, shape (n, columns)."""
        m, n = lines.shape
        total = np.zeros((n, table.shape[1]))
        for rows in row_chunks(n):
            part = total[rows]
            line = np.empty_like(part)
            for i in range(m):
                np.take(table, lines[i, rows], axis=0, out=line, mode="clip")
                part += line
        return total


def probabilities(log_joint: Floats) -> Floats:
    """Normalise logarithms of joint probabilities over the classes, in place."""
    log_joint -= log_joint.max(axis=1, keepdims=True)
    np.exp(log_joint, out=log_joint)
    log_joint /= log_joint.sum(axis=1, keepdims=True)
    return log_joint


class CountingClassifier(DiscreteClassifier):
    """Base of classifiers over discrete features that need nothing but counts."""

    classes_: Labels
    counts_: CategoryCounts

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Count the examples."""
        self._validate_params()
        columns, labels, weight = self._read_examples(X, y, sample_weight)
        classes, codes = np.unique(labels, return_inverse=True)
        return self._learn(CategoryCounts.of(columns, codes, classes, weight))

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Any:
        """Count a further batch; new values of a feature are welcome at any time.

        The first call needs `classes`, all labels that may ever come.
        """
        self._validate_params()
        first = not hasattr(self, "counts_")
        if first and classes is None:
            raise ValueError(
                "classes is None; the first call to partial_fit must name all classes there can be."
            )
        known = self.classes_ if classes is None else np.unique(np.asarray(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise ValueError(
                f"classes is {known.tolist()}, but earlier calls named {self.classes_.tolist()}; "
                "leave it out after the first call."
            )
        columns, labels, weight = self._read_examples(X, y, sample_weight, reset=first, batch=True)
        strange = ~np.isin(labels, known)
        if strange.any():
            row = int(np.argmax(strange))
            raise ValueError(
                f"y holds {shown(labels[row : row + 1].tolist()[0])} (first in row {row} of those "
                f"with a weight), which is not among classes={known.tolist()}; name every class on "
                "the first call."
            )
        batch = CategoryCounts.of(columns, np.searchsorted(known, labels), known, weight)
        return self._learn(batch if first else self.counts_ + batch)

    def merge(self, other: Any) -> Any:
        """Make a classifier that has seen the examples of both, from their counts alone.

        Parameters
        ----------
        other : classifier of the same kind
            Fitted on the same features.

        Returns
        -------
        classifier
            A new one, with the parameters of this one.
        """
        check_is_fitted(self)
        if not isinstance(other, type(self)):
            raise TypeError(
                f"other is a {type(other).__name__}; only a fitted {type(self).__name__} can be "
                "merged with this one."
            )
        check_is_fitted(other)
        names, others = (getattr(e, "feature_names_in_", None) for e in (self, other))
        if names is not None and others is not None and not np.array_equal(names, others):
            raise ValueError(
                f"other was fitted on features {list(others)}, this one on {list(names)}; counts "
                "can be merged only over the same features in the same order."
            )
        merged = clone(self)
        if names is not None or others is not None:
            merged.feature_names_in_ = names if names is not None else others
        merged.n_features_in_ = self.n_features_in_
        return merged._learn(self.counts_ + other.counts_)

    def _learn(self, counts: CategoryCounts) -> Any:
        self.counts_ = counts
        self.classes_ = counts.classes
        return self

    def _encode(self, X: Any) -> Ints:
        """Code test rows by the values counted in training, shape (m, n)."""
        check_is_fitted(self)
        self._validate_params()  # they may have been changed since fit
        return self._read_coded(X, self.counts_.values)
