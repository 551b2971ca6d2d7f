"""Arrays of eight cases, the same values in other containers, and what is no such array.

Numbers are dyadic, so that half precision holds them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

CLASSES = ["ash", "elm", "oak"]
TRUTH = np.array(["ash", "elm", "oak", "ash", "elm", "oak", "ash", "elm"])
MASK = np.array(["100", "110", "111", "010", "011", "001", "101", "111"]).view("U1") == "1"
MASK = MASK.reshape(8, 3)
PROBABILITY = np.array([*"521", *"251", *"116", *"341", *"152", *"206", *"710", *"413"], float)
PROBABILITY = PROBABILITY.reshape(8, 3) / 8
BINARY = np.array([0, 1, 0, 1, 1, 0, 0, 1])
SCORE = np.array([1, 13, 5, 7, 15, 9, 3, 11]) / 16
WEIGHT = np.array([1.0, 2, 1, 0, 3, 1, 1, 2])
COSTS = np.array([[0, 1, 2], [1, 0, 2], [4, 4, 0.0]])
COUNTS = np.array([[4, 2, 1], [0, 3, 5], [7, 0, 0.0]])
LOWER = np.array([[1, 2, 1], [0, 4, 2], [2, 2, 2]]) / 8
UPPER = np.array([[4, 5, 4], [2, 6, 4], [4, 4, 4]]) / 8
FEATURES = np.array([[0, 1], [1, 0], [2, 2], [0, 0], [1, 1], [2, 1], [0, 2], [1, 2]] * 3)
TARGET = np.tile(TRUTH, 3)

Change = Callable[[np.ndarray], Any]


def _strided(a: np.ndarray) -> np.ndarray:
    room = np.repeat(np.repeat(a, 2, axis=0), 2, axis=-1) if a.ndim == 2 else np.repeat(a, 2)
    return room[::2, ::2] if a.ndim == 2 else room[::2]


def _pandas(a: np.ndarray) -> pd.Series | pd.DataFrame:
    return pd.Series(a) if a.ndim == 1 else pd.DataFrame(a)


def _other_index(a: np.ndarray) -> pd.Series | pd.DataFrame:
    """Rows are matched by position: an index of its own must not reorder them."""
    return _pandas(a).set_axis(np.arange(len(a))[::-1], axis=0)


def _as(dtype: Any) -> Change:
    return lambda a: a.astype(dtype)


def _pandas_as(dtype: Any) -> Change:
    return lambda a: _pandas(a).astype(dtype)


_PLAIN: dict[str, Change] = {
    "list": lambda a: a.tolist(),
    "Fortran order": np.asfortranarray,
    "strided": _strided,
    "pandas": _pandas,
}
_SHAPES: dict[str, Change] = {
    **_PLAIN,
    "tuple": lambda a: tuple(map(tuple, a.tolist())) if a.ndim == 2 else tuple(a.tolist()),
    "object": _as(object),
    "pandas, another index": _other_index,
    "masked array, nothing masked": np.ma.masked_array,
}
_NUMBERS: dict[str, Change] = {
    **_SHAPES,
    "float16": _as(np.float16),
    "big-endian": _as(">f8"),
    "nullable Float64": _pandas_as("Float64"),
    "Arrow double": _pandas_as(pd.ArrowDtype(pa.float64())),
}
_LABELS: dict[str, Change] = {
    **_SHAPES,
    "Categorical": pd.Categorical,
    "categorical Series": _pandas_as("category"),
    "Index": pd.Index,
}
CONTAINERS: dict[str, dict[str, Change]] = {
    "numbers": _NUMBERS,
    "probabilities": _NUMBERS,
    "features": _PLAIN,
    "booleans": {
        **_SHAPES,
        "uint8": _as(np.uint8),
        "nullable boolean": _pandas_as("boolean"),
        "Arrow bool": _pandas_as(pd.ArrowDtype(pa.bool_())),
    },
    "labels": {
        **_LABELS,
        "pandas string": _pandas_as("string"),
        "Arrow string": _pandas_as(pd.ArrowDtype(pa.string())),
    },
    "integers": {
        **_LABELS,
        "int8": _as(np.int8),
        "float64": _as(np.float64),
        "nullable Int64": _pandas_as("Int64"),
        "Arrow int64": _pandas_as(pd.ArrowDtype(pa.int64())),
    },
}


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


_NO_ARRAYS: dict[str, Change] = {
    "masked": _masked,
    "generator": lambda a: (cell for cell in a.tolist()),
    "text": lambda a: "half",
    "object": lambda a: object(),
}
_NO_NUMBERS: dict[str, Change] = {
    **_NO_ARRAYS,
    "complex": _as(np.complex128),
    "datetime": lambda a: np.full(a.shape, np.datetime64("2020-01-01")),
    "one word": lambda a: _spoil(a, "many", object),
    "nan": lambda a: _spoil(a, np.nan, np.float64),
    "inf": lambda a: _spoil(a, np.inf, np.float64),
    "nullable NA": lambda a: _with_na(a, "Float64"),
    "dict": lambda a: {"values": a.tolist()},
    "ragged": lambda a: [[0.5], [0.25, 0.25]] * len(a),
    "sparse": lambda a: sparse.csr_matrix(np.atleast_2d(a)),
    "too deep": lambda a: a[..., None, None],
}
_NO_LABELS: dict[str, Change] = {
    **_NO_ARRAYS,
    "missing": lambda a: _spoil(a, None, object),
    "nullable NA": lambda a: _with_na(a.astype(object), "category"),
    "number": lambda a: 3,
    "too deep": lambda a: np.stack([a, a]),
}
LIES: dict[str, dict[str, Change]] = {
    "numbers": _NO_NUMBERS,
    "probabilities": {**_NO_NUMBERS, "negative": lambda a: _spoil(a, -0.5, np.float64)},
    "features": {},
    "booleans": {
        **_NO_ARRAYS,
        "datetime": _NO_NUMBERS["datetime"],
        "halves": lambda a: a / 2,
        "nullable NA": lambda a: _with_na(a, "boolean"),
        "too deep": lambda a: np.repeat(a[..., None], 2, axis=-1),
    },
    "labels": _NO_LABELS,
    "integers": _NO_LABELS,
}


def plain(result: Any) -> Any:
    """Take a result apart into lists, mappings, numbers and text that can be compared."""
    if isinstance(result, pd.DataFrame):
        columns = {str(column): plain(result[column]) for column in result.columns}
        return {"index": plain(result.index), **columns}
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
    return result
