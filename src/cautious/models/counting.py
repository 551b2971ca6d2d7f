"""Classifiers that learn by counting: whole data, batches, or counts made elsewhere."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Ints, Labels
from cautious.models.base import DiscreteClassifier
from cautious.models.category_counts import CategoryCounts

__all__ = ["CountingClassifier"]


class CountingClassifier(DiscreteClassifier):
    """Base of classifiers over discrete features that need nothing but counts.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    counts_ : CategoryCounts
        The counts; everything else is computed from them when a prediction is asked for.
    """

    classes_: Labels
    counts_: CategoryCounts

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Count the examples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Discrete features; nan, None and NA are missing. A frame with no columns leaves the
            classes' frequencies to decide.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Repetitions of each row.

        Returns
        -------
        self
        """
        self._check_parameters()
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

        Parameters
        ----------
        X, y, sample_weight
            As for :meth:`fit`.
        classes : array-like of shape (K,), optional
            All labels that may ever come; required on the first call.

        Returns
        -------
        self
        """
        self._check_parameters()
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
        columns, labels, weight = self._read_examples(X, y, sample_weight, reset=first)
        strange = ~np.isin(labels, known)
        if strange.any():
            row = int(np.argmax(strange))
            raise ValueError(
                f"y holds {labels[row : row + 1].tolist()[0]!r} (first in row {row} of those with "
                f"a weight), which is not among classes={known.tolist()}; name every class on the "
                "first call."
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
        self._check_parameters()  # they may have been changed since fit
        return self._read_coded(X, self.counts_.values)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise on parameters out of range."""
