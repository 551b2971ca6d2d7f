"""The same values in other containers, and other things in the place of values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

Disguise = Callable[[np.ndarray], Any]


def _strided(a: np.ndarray) -> np.ndarray:
    room = np.repeat(np.repeat(a, 2, axis=0), 2, axis=-1) if a.ndim == 2 else np.repeat(a, 2)
    return room[::2, ::2] if a.ndim == 2 else room[::2]


def _backwards(a: np.ndarray) -> np.ndarray:
    return a[::-1].copy()[::-1]


def _read_only(a: np.ndarray) -> np.ndarray:
    copy = a.copy()
    copy.setflags(write=False)
    return copy


def _memmap(a: np.ndarray) -> np.ndarray:
    with tempfile.TemporaryFile() as file:
        file.write(a.tobytes())
        file.flush()
        return np.memmap(file, dtype=a.dtype, mode="r", shape=a.shape)


def _pandas(a: np.ndarray, **how: Any) -> pd.Series | pd.DataFrame:
    return pd.Series(a, **how) if a.ndim == 1 else pd.DataFrame(a, **how)


def _other_index(a: np.ndarray) -> pd.Series | pd.DataFrame:
    """Rows are matched by position: an index of its own must not reorder them."""
    return _pandas(a).set_axis(np.arange(len(a))[::-1], axis=0)


def _as(dtype: Any) -> Disguise:
    return lambda a: a.astype(dtype)


def _pandas_as(dtype: Any) -> Disguise:
    return lambda a: _pandas(a).astype(dtype)


SHAPES: dict[str, Disguise] = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(map(tuple, a.tolist())) if a.ndim == 2 else tuple(a.tolist()),
    "list of arrays": list,
    "Fortran order": np.asfortranarray,
    "strided": _strided,
    "backwards": _backwards,
    "read-only": _read_only,
    "object": _as(object),
    "pandas": _pandas,
    "pandas, another index": _other_index,
    "masked array, nothing masked": np.ma.masked_array,
}
NUMBERS: dict[str, Disguise] = {
    **SHAPES,
    "memmap": _memmap,
    "float16": _as(np.float16),
    "float32": _as(np.float32),
    "long double": _as(np.longdouble),
    "big-endian": _as(">f8"),
    "nullable Float64": _pandas_as("Float64"),
    "Arrow double": _pandas_as(pd.ArrowDtype(pa.float64())),
}
DISGUISES: dict[str, dict[str, Disguise]] = {
    "numbers": NUMBERS,
    "probabilities": NUMBERS,
    "features": {
        name: NUMBERS[name]
        for name in ("list", "Fortran order", "strided", "backwards", "read-only", "pandas")
    },
    "booleans": {
        **SHAPES,
        "memmap": _memmap,
        "uint8": _as(np.uint8),
        "int64": _as(np.int64),
        "nullable boolean": _pandas_as("boolean"),
        "nullable Int64": lambda a: _pandas(a.astype(np.int64)).astype("Int64"),
        "Arrow bool": _pandas_as(pd.ArrowDtype(pa.bool_())),
    },
    "labels": {
        **SHAPES,
        "Categorical": pd.Categorical,
        "categorical Series": _pandas_as("category"),
        "Index": pd.Index,
        "pandas string": _pandas_as("string"),
        "Arrow string": _pandas_as(pd.ArrowDtype(pa.string())),
    },
}
INTEGER_LABELS: dict[str, Disguise] = {
    **{name: d for name, d in DISGUISES["labels"].items() if "string" not in name},
    "int8": _as(np.int8),
    "uint64": _as(np.uint64),
    "float64": _as(np.float64),
    "bool": _as(np.bool_),
    "nullable Int64": _pandas_as("Int64"),
    "Arrow int64": _pandas_as(pd.ArrowDtype(pa.int64())),
}


def disguises(kind: str, values: np.ndarray) -> dict[str, Disguise]:
    """The containers that hold such values."""
    if kind == "labels" and values.dtype.kind in "iu":
        return INTEGER_LABELS
    return DISGUISES[kind]


def _spoil(values: np.ndarray, cell: Any, dtype: Any) -> np.ndarray:
    """Put one cell into a copy."""
    spoilt = values.astype(dtype)
    spoilt.flat[values.size // 2] = cell
    return spoilt


def _masked(values: np.ndarray) -> np.ma.MaskedArray:
    hidden = np.zeros(values.shape, dtype=bool)
    hidden.flat[values.size // 2] = True
    return np.ma.masked_array(values, hidden)


def _with_na(values: np.ndarray, dtype: str) -> pd.Series | pd.DataFrame:
    frame = _pandas(values).astype(dtype)
    frame.iloc[(len(frame) // 2, 0) if values.ndim == 2 else len(frame) // 2] = pd.NA
    return frame


_NUMERIC_LIARS: dict[str, Disguise] = {
    "complex": _as(np.complex128),
    "datetime": lambda a: np.full(a.shape, np.datetime64("2020-01-01")),
    "timedelta": lambda a: np.full(a.shape, np.timedelta64(1, "s")),
    "words": lambda a: np.full(a.shape, "many"),
    "one word": lambda a: _spoil(a, "many", object),
    "nan": lambda a: _spoil(a, np.nan, np.float64),
    "inf": lambda a: _spoil(a, np.inf, np.float64),
    "None": lambda a: _spoil(a, None, object),
    "nullable NA": lambda a: _with_na(a, "Float64"),
    "masked": _masked,
    "generator": lambda a: (cell for cell in a.tolist()),
    "dict": lambda a: {"values": a.tolist()},
    "text": lambda a: "half",
    "ragged": lambda a: [[0.5], [0.25, 0.25]] * len(a),
    "sparse": lambda a: sparse.csr_matrix(np.atleast_2d(a)),
    "too deep": lambda a: a[..., None, None],
    "object": lambda a: object(),
}
LIARS: dict[str, dict[str, Disguise]] = {
    "numbers": _NUMERIC_LIARS,
    "probabilities": {**_NUMERIC_LIARS, "negative": lambda a: _spoil(a, -0.5, np.float64)},
    "features": {},
    "booleans": {
        "complex": _as(np.complex128),
        "datetime": _NUMERIC_LIARS["datetime"],
        "halves": lambda a: a / 2,
        "twos": lambda a: a.astype(np.int64) * 2,
        "nullable NA": lambda a: _with_na(a, "boolean"),
        "masked": _masked,
        "generator": _NUMERIC_LIARS["generator"],
        "text": lambda a: "yes",
        "object": lambda a: object(),
        "too deep": lambda a: np.repeat(a[..., None], 2, axis=-1),
    },
    "labels": {
        "missing": lambda a: _spoil(a, None, object),
        "masked": _masked,
        "nullable NA": lambda a: _with_na(a.astype(object), "category"),
        "generator": _NUMERIC_LIARS["generator"],
        "text": lambda a: "ash",
        "number": lambda a: 3,
        "object": lambda a: object(),
        "too deep": lambda a: np.stack([a, a]),
    },
}


def plain(result: Any) -> Any:
    """Take a result apart into lists, mappings, numbers and text that can be compared."""
    if isinstance(result, pd.DataFrame):
        return {
            "index": plain(result.index),
            **{str(column): plain(result[column]) for column in result.columns},
        }
    if isinstance(result, pd.Series | pd.Index):
        return plain(result.to_numpy(dtype=object).tolist())
    if isinstance(result, np.ndarray | np.generic):
        return plain(result.tolist())
    if isinstance(result, Mapping):
        return {str(key): plain(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [plain(value) for value in result]
    if is_dataclass(result):
        return {field.name: plain(getattr(result, field.name)) for field in fields(result)}
    if isinstance(result, bool | int | float | str | type(None)):
        return result
    return {key: plain(value) for key, value in vars(result).items()}
