"""Reading frames and arrays that mix numbers and categories, one column at a time.

scikit-learn's own validation turns a mixed frame into one array of objects. Here a frame stays a
frame: numeric columns are read as floats, everything else is a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from cautious._typing import Floats, Ints, Labels
from cautious.errors import shown

__all__ = ["MixedTable", "read_table", "read_training"]

_NUMBERS = {"floating", "integer", "mixed-integer-float", "decimal", "empty"}
_CATEGORIES = {"string", "boolean"}


@dataclass(frozen=True)
class MixedTable:
    """A table that a transformer was given, after validation.

    Attributes
    ----------
    table : DataFrame or ndarray
        The frame as given, or a two-dimensional array.
    """

    table: Any

    def __len__(self) -> int:
        return int(self.table.shape[1])

    @property
    def is_frame(self) -> bool:
        """Whether a pandas frame was given."""
        return isinstance(self.table, pd.DataFrame)

    def column(self, position: int) -> Any:
        """Return one column as it is."""
        return self.table.iloc[:, position] if self.is_frame else self.table[:, position]

    def name(self, position: int) -> str:
        """Name a column in a message."""
        return repr(self.table.columns[position]) if self.is_frame else str(position)

    def is_numeric(self, position: int) -> bool:
        """Tell whether a column holds numbers, not categories; all missing counts as numbers."""
        column = self.column(position)
        dtype = column.dtype
        if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
            return False
        if pd.api.types.is_complex_dtype(dtype):
            raise ValueError(f"Complex data not supported: column {self.name(position)} of X.")
        if not pd.api.types.is_object_dtype(dtype):
            return bool(pd.api.types.is_numeric_dtype(dtype))
        kind = pd.api.types.infer_dtype(column, skipna=True)
        if kind not in _NUMBERS | _CATEGORIES:
            self._check_cells(position)
        return kind in _NUMBERS

    def numbers(self, position: int) -> Floats:
        """Return a numeric column as floats, nan where missing."""
        try:
            column = pd.Series(self.column(position))
            values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"X: column {self.name(position)} should hold numbers, as in fit, and cannot be "
                f"read as such ({error})."
            ) from error
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise ValueError(
                f"X: column {self.name(position)} contains infinity, first in row {row}; "
                "give finite numbers, or nan where the value is missing."
            )
        return values

    def categories(self, position: int) -> tuple[Ints, int]:
        """Return the categories of a column as integers from 0, -1 if missing, and how many."""
        codes, kinds = pd.factorize(pd.Series(self.column(position)))
        return codes.astype(np.intp), len(kinds)

    def _check_cells(self, position: int) -> None:
        """Refuse what cannot be a category, such as a dict; scikit-learn expects these words."""
        for row, cell in enumerate(self.column(position)):
            try:
                hash(cell)
            except TypeError as error:
                raise TypeError(
                    f"X: row {row} of column {self.name(position)} holds {shown(cell)}; each "
                    "argument must be a string or a number, or anything else that can be hashed."
                ) from error


def read_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> MixedTable:
    """Validate ``X`` as scikit-learn does, but leave a frame a frame."""
    if not isinstance(X, pd.DataFrame):
        table = validate_data(estimator, X, dtype=None, ensure_all_finite="allow-nan", reset=reset)
        if table.dtype.kind == "U" and not hasattr(X, "dtype"):
            # numpy turns the numbers of a mixed list into text; read them again, as they were.
            table = check_array(X, dtype=object, ensure_all_finite="allow-nan")
        return MixedTable(table)
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    for found, what in zip(X.shape, ("sample", "feature"), strict=True):
        if found == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required "
                f"by {type(estimator).__name__}."
            )
    return MixedTable(X)


def read_training(estimator: BaseEstimator, X: Any, y: Any) -> tuple[MixedTable, Labels, Ints]:
    """Validate ``X`` and ``y``; return the columns, the classes and each row's class."""
    labels = validate_data(estimator, y=y)  # first: it forgets the feature names of an earlier fit
    columns = read_table(estimator, X, reset=True)
    check_consistent_length(columns.table, labels)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return columns, classes, codes.astype(np.intp)
