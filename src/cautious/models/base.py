"""What every cautious classifier shares, and what models over discrete features share besides.

:class:`CautiousClassifierMixin` is the contract: ``predict`` always names one class, so every
scikit-learn tool keeps working, and the caution is in ``predict_set``. :class:`DiscreteClassifier`
reads categorical input.
"""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.models.categories import Column, columns_of, encode, factorise, kind_of

__all__ = [
    "CautiousClassifierMixin",
    "ContinuousFeaturesWarning",
    "CredalClassifierMixin",
    "DiscreteClassifier",
    "row_chunks",
]

_ROWS_AT_ONCE = 4096


class ContinuousFeaturesWarning(UserWarning):
    """Numbers with fractions were given to a model of discrete features."""


class CautiousClassifierMixin(ClassifierMixin):  # type: ignore[misc]
    """Contract of a cautious classifier.

    A subclass implements ``predict_proba`` and ``predict_set``. ``predict`` is total: it names the
    most probable class, the lowest in ``classes_`` order on ties.
    """

    classes_: Labels

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row, whatever the doubt.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            Class labels.
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""

    @abstractmethod
    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row, a mask with columns in ``classes_`` order."""


class CredalClassifierMixin(CautiousClassifierMixin):
    """Contract of a credal classifier: cautious, with bounds on the class probabilities."""

    @abstractmethod
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities from below and above, columns in ``classes_`` order."""


class DiscreteClassifier(BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of classifiers over discrete features: strings, integers, categoricals, with gaps."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    def _read(self, X: Any, *, reset: bool) -> list[Column]:
        """Check X against what was fitted (or take its shape and names as new) and split it."""
        if not reset:
            check_is_fitted(self)
        columns = columns_of(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return columns

    def _read_coded(self, X: Any, values: Sequence[Labels]) -> Ints:
        """Check test rows and code them by the values known from training, shape (m, n)."""
        columns = self._read(X, reset=False)
        names = getattr(self, "feature_names_in_", range(len(columns)))
        for name, column, known in zip(names, columns, values, strict=True):
            kind, learned = kind_of(column), kind_of(known)
            if kind and learned and kind != learned:
                warnings.warn(
                    f"feature {name!s} holds {kind} here but held {learned} in training, so none "
                    "of its values is known. Give it the type that it had.",
                    UserWarning,
                    stacklevel=4,
                )
        if not columns:
            return np.empty((0, len(X)), dtype=np.intp)
        return np.array([encode(c, v) for c, v in zip(columns, values, strict=True)])

    def _read_examples(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, *, reset: bool = True
    ) -> tuple[list[Column], Labels, Floats | None]:
        """Check examples; rows of weight zero are examples that are not there, and are dropped."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        columns = self._read(X, reset=reset)
        self._warn_if_continuous(columns)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        if sample_weight is None:
            return columns, labels, None
        weight = check_array(
            sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
        )
        if weight.shape != labels.shape:
            raise ValueError(
                f"sample_weight has shape {weight.shape}; give one weight a row, {labels.shape}."
            )
        if (weight < 0).any():
            raise ValueError(f"sample_weight is negative in row {np.argmax(weight < 0)}.")
        there = weight > 0
        if not there.any():
            raise ValueError("sample_weight is zero for every row; give at least one row a weight.")
        return [column[there] for column in columns], labels[there], weight[there]

    def _warn_if_continuous(self, columns: list[Column]) -> None:
        names = getattr(self, "feature_names_in_", range(len(columns)))
        odd = [str(name) for name, column in zip(names, columns, strict=True) if _broken(column)]
        if odd:
            shown = ", ".join(odd[:5]) + (", …" if len(odd) > 5 else "")
            warnings.warn(
                f"{type(self).__name__} treats every distinct number as a category of its own, but "
                f"X has fractions in {len(odd)} feature(s): {shown}. Discretise them first, e.g. "
                "with cautious.preparation.MDLDiscretizer, or give them a categorical dtype if "
                "the levels are meant.",
                ContinuousFeaturesWarning,
                stacklevel=4,
            )


def _broken(column: Column) -> bool:
    """Say whether a column holds numbers with fractions (and was not declared categorical)."""
    if not isinstance(column, np.ndarray) or column.dtype.kind in "iu":
        return False
    numbers = column if column.dtype.kind == "f" else factorise(column)[1]
    if numbers.dtype.kind != "f":
        return False
    present = numbers[~np.isnan(numbers)]
    return bool(np.any(present != np.rint(present)))


def row_chunks(n_rows: int, size: int = _ROWS_AT_ONCE) -> Iterator[slice]:
    """Cut rows into pieces small enough for the intermediate arrays to stay in cache."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
