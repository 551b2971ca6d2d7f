"""Discrete features: reading their columns, numbering their values, and classifiers over them.

A column is numbered by its *values* (what it was seen, or declared, to take). Codes run from 0;
``MISSING`` (-1) stands for a missing cell and ``len(values)`` for a value that was never seen.
"""

from __future__ import annotations

import warnings
from abc import ABCMeta
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from cautious._typing import Floats, Ints, Labels
from cautious.errors import ContinuousFeaturesWarning, shown
from cautious.models._base import check_examples

MISSING = -1

Column: TypeAlias = Labels | pd.Categorical

# Whole numbers with more values than these, and fewer examples of each, look like measurements.
_FEW_VALUES, _FEW_EACH = 20, 20
_FRACTIONS = "has fractions"
_MANY = f"has more than {_FEW_VALUES} whole numbers, with few examples each,"


def columns_of(X: Any) -> list[Column]:
    """Read the columns of a frame or a two-dimensional array, keeping declared categories."""
    if isinstance(X, pd.DataFrame):
        check_array(np.broadcast_to(0.0, X.shape), ensure_min_features=0)  # some rows
        return [_column_of_series(X.iloc[:, i]) for i in range(X.shape[1])]
    if sparse.issparse(X):
        raise TypeError(
            "X is a sparse matrix; discrete features must be dense, since zero is a category like "
            "any other. Pass X.toarray()."
        )
    array = check_array(X, dtype=None, ensure_all_finite="allow-nan")
    return [_plain(column) for column in np.ascontiguousarray(array.T)]


def _column_of_series(series: pd.Series[Any]) -> Column:
    """Turn one column of a frame into a plain array, or leave it categorical."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        return pd.Categorical(series)
    if pd.api.types.is_complex_dtype(series.dtype):
        raise ValueError(f"Complex data not supported: column {shown(series.name)}.")
    if pd.api.types.is_numeric_dtype(series.dtype) and series.isna().any():
        column: Labels = series.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        column = series.to_numpy()
    if column.dtype.kind == "f" and np.isinf(column).any():
        raise ValueError(f"Input X contains infinity: column {shown(series.name)}.")
    return _plain(column)


def _plain(column: Labels) -> Labels:
    """Booleans become integers; text and anything else become objects."""
    if column.dtype.kind == "b":
        return column.astype(np.int8)
    return column if column.dtype.kind in "iuf" else column.astype(object)


def factorise(column: Column) -> tuple[Ints, Labels]:
    """Give each value of a column a number."""
    if isinstance(column, pd.Categorical):
        return column.codes.astype(np.intp), _natural(np.asarray(column.categories))
    codes, uniques = pd.factorize(column)
    values = _natural(np.asarray(uniques))
    try:
        order = np.argsort(values, kind="stable")
    except TypeError:  # values of several kinds have no order; first come, first numbered
        return codes.astype(np.intp), values
    rank = np.empty(len(order) + 1, dtype=np.intp)
    rank[order], rank[-1] = np.arange(len(order)), MISSING
    return rank[codes], values[order]


def _natural(values: Labels) -> Labels:
    """Make numbers of objects, and integers of whole numbers: 1, 1.0 and True are one value."""
    if values.dtype.kind in "iu":
        return values
    natural = _plain(np.asarray(pd.Series(values).infer_objects()))
    if natural.dtype.kind == "f" and np.all((np.abs(natural) < 2.0**53) & (natural % 1 == 0)):
        return natural.astype(np.int64)
    return natural


def kind_of(column: Column) -> str | None:
    """Tell whether the cells of a column are numbers or text; None if both, neither or no cell."""
    if isinstance(column, pd.Categorical):
        column = np.asarray(column.remove_unused_categories().categories)
    if column.dtype.kind in "iu":
        return "numbers" if len(column) else None
    present = column[~np.asarray(pd.isna(column))]
    if not len(present):
        return None
    inferred = "floating" if present.dtype.kind in "iuf" else pd.api.types.infer_dtype(present)
    if inferred in ("floating", "integer", "mixed-integer-float", "boolean", "decimal"):
        return "numbers"
    return "text" if inferred == "string" else None


def encode(column: Column, values: Labels) -> Ints:
    """Code the cells of a column by known values; ``len(values)`` is the code of an unseen one."""
    if isinstance(column, pd.Categorical):
        found, uniques = column.codes, _plain(np.asarray(column.categories))
    else:
        whole = column.dtype.kind == "i" and len(column) > 0
        low, high = (int(column.min()), int(column.max())) if whole else (0, len(column))
        if high - low < len(column):
            found, uniques = column.astype(np.intp) - low, np.arange(low, high + 1)
        else:
            found, uniques = pd.factorize(column)
    codes = pd.Index(values).get_indexer(pd.Index(_natural(np.asarray(uniques)))).astype(np.intp)
    codes[codes < 0] = len(values)
    return np.asarray(np.append(codes, MISSING)[found])


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
                    stacklevel=4,
                )
        if not columns:
            return np.empty((0, len(X)), dtype=np.intp)
        return np.array([encode(c, v) for c, v in zip(columns, values, strict=True)])

    def _read_examples(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None,
        *,
        reset: bool = True,
        batch: bool = False,
    ) -> tuple[list[Column], Labels, Floats | None]:
        """Check examples and drop rows of weight zero; a batch may be too small to judge by."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        columns = self._read(X, reset=reset)
        self._warn_if_continuous(columns, batch=batch)
        examples = check_examples(X, y, sample_weight)
        if examples.weight is None:
            return columns, examples.labels, None
        there = examples.weight > 0
        return (
            [column[there] for column in columns],
            examples.labels[there],
            examples.weight[there],
        )

    def _warn_if_continuous(self, columns: list[Column], *, batch: bool) -> None:
        names = getattr(self, "feature_names_in_", range(len(columns)))
        oddities = [_oddity(column) for column in columns]
        for what in (_FRACTIONS,) if batch else (_FRACTIONS, _MANY):
            found = [str(name) for name, odd in zip(names, oddities, strict=True) if odd == what]
            if found:
                shown = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
                warnings.warn(
                    f"{type(self).__name__} treats every distinct number as a category of its own, "
                    f"but X {what} in {len(found)} feature(s): {shown}. Discretise them first, "
                    "e.g. with cautious.preparation.MDLDiscretizer, or give them a categorical "
                    "dtype if the levels are meant.",
                    ContinuousFeaturesWarning,
                    stacklevel=4,
                )


def _oddity(column: Column) -> str | None:
    """Say what makes numbers look like measurements, unless they were declared categorical."""
    if not isinstance(column, np.ndarray) or not len(column):
        return None
    if column.dtype.kind in "iu" and int(column.max()) - int(column.min()) < _FEW_VALUES:
        return None
    codes, values = factorise(column)
    if values.dtype.kind == "f" and (values != np.rint(values)).any():
        return _FRACTIONS
    few_each = int((codes != MISSING).sum()) < _FEW_EACH * len(values)
    return _MANY if column.dtype.kind in "iuf" and few_each and len(values) > _FEW_VALUES else None
