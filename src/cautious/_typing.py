"""Names for the few array types that flow through the library, and the one way in for numbers."""

from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious.tensors import as_numpy

Floats: TypeAlias = npt.NDArray[np.float64]
"""Real numbers: probabilities, costs, utilities, weights."""

Ints: TypeAlias = npt.NDArray[np.intp]
"""Class codes and positions."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""Prediction sets, one row per case, one column per class in ``classes_`` order."""

Labels: TypeAlias = npt.NDArray[Any]
"""Class labels as the user wrote them."""

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""What scikit-learn takes as ``random_state``, and numpy's own generators."""

FINITE = float(np.finfo(np.float64).max)
"""The largest number that is not infinite."""

_NO_NUMBERS = {"c": "complex numbers", "M": "dates", "m": "lengths of time", "V": "records"}
_MOST_DIMENSIONS = 16  # with 32 numpy gives up, in its own words


def as_floats(
    values: Any,
    name: str,
    what: str = "values",
    low: float = 0.0,
    high: float = FINITE,
    *,
    words: str = "",
) -> Floats:
    """Read numbers, and refuse what numpy would quietly make numbers of.

    With `words` that say which numbers are allowed, refuse those beyond the bounds, too.
    """
    values = as_numpy(values)
    if hasattr(values, "toarray"):
        raise TypeError(f"{name} is a sparse matrix; call its .toarray() first.")
    if getattr(getattr(values, "dtype", None), "names", None):
        raise TypeError(f"{name} holds records; {what} are numbers.")
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} has masked entries; fill them or leave their rows out.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise TypeError(
            f"{name} has rows of different lengths; {what} are numbers of a regular shape."
        ) from None
    except OverflowError:  # Python's integers may be larger than any float
        array = np.asarray(values, dtype=object)
    if array.ndim > _MOST_DIMENSIONS:
        raise ValueError(f"{name} has {array.ndim} dimensions; {what} have fewer.")
    if array.dtype.kind in _NO_NUMBERS:
        raise TypeError(f"{name} holds {_NO_NUMBERS[array.dtype.kind]}; {what} are numbers.")
    if array.dtype.kind in "fiub":
        array = array.astype(np.float64, copy=False)
    else:
        cells = [_as_float(cell, name, what) for cell in array.ravel().tolist()]
        array = np.array(cells, dtype=np.float64).reshape(array.shape)
    if words and (wrong := ~((array >= low) & (array <= high))).any():
        at = tuple(np.argwhere(wrong)[0].tolist())
        place = f"[{', '.join(map(str, at))}]" if at else ""
        raise ValueError(f"{name}{place} is {array[at]:.10g}; {words}.")
    return array


def as_number(
    value: Any, name: str, low: float = -np.inf, high: float = np.inf, *, words: str = ""
) -> float:
    """Read one number between two bounds; `words` say which numbers are allowed."""
    try:
        number = as_floats(value, name)
    except TypeError:
        number = np.empty(1)
    if value is None or number.ndim:
        raise TypeError(f"{name} is {value!r:.60}; give one number.")
    if words and not low <= float(number) <= high:
        raise ValueError(f"{name} is {float(number):.6g}; {words}.")
    return float(number)


def _as_float(cell: Any, name: str, what: str) -> float:
    """Read one cell of an array that may hold anything."""
    if cell is None or cell is pd.NA:
        return np.nan
    if not isinstance(cell, Real | Decimal | np.bool_ | str):
        raise TypeError(f"{name} holds a {type(cell).__name__}; {what} are numbers.")
    try:
        return float(cell)
    except OverflowError:
        return -np.inf if str(cell).startswith("-") else np.inf
    except ValueError:
        raise TypeError(f"{name} holds the text {str(cell)[:40]!r}; {what} are numbers.") from None
