"""Columns of an Arrow batch as arrays, with errors that name the column and the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Mask
from cautious.sets import first_row

__all__ = ["Codes", "booleans", "column", "encoded", "numbers", "plain", "precision", "weights"]

Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""Positions in a list, in the smallest type at hand."""

# So many different truths, models or groups in one batch are a mistake: no column of classes.
_MOST_LABELS = 100_000
# A batch of such weights cannot overflow, and none is rounded by more than 1e-10 of itself.
_LEAST_WEIGHT, _MOST_WEIGHT = 2.0**-32, 2.0**32


def column(batch: Any, name: str) -> Any:
    """Take a column; batches of one source may differ, so each is asked."""
    at = batch.schema.get_field_index(name)
    if at < 0:
        raise ValueError(f"there is no column {name!r} here; the columns are {batch.schema.names}.")
    array = batch.column(at)
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


def numbers(batch: Any, name: str) -> Floats:
    """Numbers of a column, none missing; NaN is left to the caller to find."""
    import pyarrow as pa
    import pyarrow.types as types

    array = column(batch, name)
    if types.is_decimal(array.type):
        array = array.cast(pa.float64())
    if not (types.is_floating(array.type) or types.is_integer(array.type)):
        raise TypeError(f"column {name!r} holds {array.type}, not numbers.")
    _none_missing(array, name)
    return np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.float64, copy=False)


def precision(batch: Any, names: Sequence[str]) -> np.dtype[Any]:
    """Type that the numbers of some columns have in common, as they were given."""
    return np.result_type(*(batch.schema.field(name).type.to_pandas_dtype() for name in names))


def weights(batch: Any, name: str) -> Floats:
    """Weights of a column: none negative, none beyond what fixed point can hold."""
    weight = numbers(batch, name)
    bad = ~((weight >= 0) & (weight < _MOST_WEIGHT))
    small = (weight > 0) & (weight < _LEAST_WEIGHT)
    if small.any():
        bad |= small & (np.rint(weight * 2.0**64) != weight * 2.0**64)  # some are exact even so
    if bad.any():
        row = first_row(bad)
        raise ValueError(
            f"column {name!r} is {weight[row]} in row {row}; weights are 0 or from 2**-32 to "
            "2**32. Multiply all weights by the same number if they are too small or too large."
        )
    return weight


def booleans(batch: Any, name: str) -> Mask:
    """Booleans of a column, or numbers that are all 0 or 1."""
    import pyarrow.types as types

    array = column(batch, name)
    _none_missing(array, name)
    values = np.asarray(array.to_numpy(zero_copy_only=False))
    if types.is_boolean(array.type):
        return values.astype(np.bool_, copy=False)
    strange = (
        np.asarray((values != 0) & (values != 1))
        if types.is_integer(array.type) or types.is_floating(array.type)
        else np.ones(1, dtype=np.bool_)
    )
    if strange.any():
        row = first_row(strange)
        raise ValueError(
            f"column {name!r} holds {array[row].as_py()!r} in row {row}; whether a class is in a "
            "set is said by true or false, or by 1 or 0."
        )
    return values.astype(np.bool_)


def encoded(batch: Any, name: str, *, missing: bool = False) -> tuple[Codes, list[Any]]:
    """Labels of a column as positions among its distinct values.

    Parameters
    ----------
    batch : RecordBatch
        The data.
    name : str
        Column.
    missing : bool
        Whether missing values are allowed; they are then a value of their own, ``None``.

    Returns
    -------
    codes : ndarray of shape (n,), int
    values : list
        Plain Python values; some may not occur.
    """
    import pyarrow as pa
    import pyarrow.types as types

    array = column(batch, name)
    if types.is_floating(array.type):  # NaN is a missing label
        array = pa.array(array.to_numpy(zero_copy_only=False), from_pandas=True)
    if types.is_boolean(array.type) and not array.null_count:
        return array.to_numpy(zero_copy_only=False).astype(np.uint8), [False, True]
    if types.is_integer(array.type) and not array.null_count and len(array):
        values = array.to_numpy(zero_copy_only=False)
        low, high = int(values.min()), int(values.max())
        if high - low < 256:
            # One byte a row is all that the common case needs; nothing is hashed.
            codes = (values if low == 0 else values - values.dtype.type(low)).astype(np.uint8)
            return codes, list(range(low, high + 1))
    if not types.is_dictionary(array.type):
        array = array.dictionary_encode(null_encoding="encode")
    labels = [plain(value) for value in array.dictionary.to_pylist()]
    if len(labels) > _MOST_LABELS:
        raise ValueError(
            f"column {name!r} holds {len(labels):,} different values in one batch; it cannot be a "
            "column of labels."
        )
    indices = array.indices
    if indices.null_count:
        indices = indices.fill_null(len(labels))
        labels.append(None)
    codes = indices.to_numpy(zero_copy_only=False).astype(np.intp)
    # A dictionary may hold a value twice, or values that are one label; None may be in it, too.
    position = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    if len(position) < len(labels):
        codes = np.array([position[label] for label in labels], dtype=np.intp)[codes]
    if not missing and None in position:
        _refuse_missing(codes == position[None], name)
    return codes, list(position)


def plain(value: Any) -> Any:
    """Keep what JSON can carry: one zero, and no NaN; dates and the like become text.

    Examples
    --------
    >>> plain(np.int64(3)), plain(-0.0), plain(float("nan"))
    (3, 0.0, None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if value != value else value + 0.0
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _none_missing(array: Any, name: str) -> None:
    if array.null_count:
        _refuse_missing(array.is_null().to_numpy(zero_copy_only=False), name)


def _refuse_missing(missing: Mask, name: str) -> None:
    if missing.any():
        raise ValueError(
            f"column {name!r} is missing in row {first_row(missing)} ({int(missing.sum())} in "
            "all); drop or fill these rows."
        )
