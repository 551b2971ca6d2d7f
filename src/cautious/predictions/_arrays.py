"""Predictions in arrays: pairs, and mappings from the names of arguments to arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import cases_of_sets, sorted_classes
from cautious._checks import check_classes, flat_labels
from cautious._messages import refusal
from cautious._typing import Floats, Labels, as_floats
from cautious.errors import listed
from cautious.predictions._cells import (
    Numbers,
    Place,
    check_costs,
    check_labels,
    check_numbers,
    check_weights,
    encode_labels,
    plain_labels,
    read_numbers,
)
from cautious.predictions._columns import Columns
from cautious.predictions._rows import Options, Rows
from cautious.predictions._table import is_frame, table_of_frame
from cautious.sets import as_mask
from cautious.sets._conversion import has_names

_PREDICTIONS = ("y_score", "y_proba", "y_set")
_ROWS = ("y_true", *_PREDICTIONS, "sample_weight", "groups", "case")
_OTHERS = ("classes", "pos_label", "sample_weight", "groups", "case", "costs")


def rows_of_arrays(given: Any, options: Options) -> Rows:
    """Read one model's arrays."""
    arrays = _mapping(given)
    classes = arrays.get("classes")
    options = replace(
        options,
        classes=options.classes if classes is None else check_classes(classes).tolist(),
        pos_label=options.pos_label if arrays.get("pos_label") is None else arrays["pos_label"],
    )
    y_score, y_proba, y_set = (arrays.get(key) for key in _PREDICTIONS)
    if y_score is None and y_proba is None and y_set is None:
        raise refusal("no answers")
    if y_score is not None and len(_shape(y_score)) == 2 and _shape(y_score)[1] > 1:
        y_score, y_proba = None, y_score
    n = _length(arrays)
    labels = None if arrays.get("y_true") is None else flat_labels(arrays["y_true"], "y_true")
    rows = Rows(n, _place, Columns("y_true", sets="y_set"), options)
    kept: Any = slice(None)
    if labels is not None:
        truth = check_labels(plain_labels(encode_labels(labels)), "y_true", _place("y_true"))
        kept = rows.add_truth(truth)

    def numbers(values: Any, name: str, title: str | None = None) -> Floats:
        found = _numbers(values, title or name, (n,)).take(kept)
        missing = options.missing if name == "y_score" else None
        return check_numbers(found, rows.place(name), missing=missing)

    if y_score is not None:
        rows.scores = {"": numbers(y_score, "y_score")}
        rows.columns = replace(rows.columns, scores=("",))
    if y_proba is not None:
        _add_probabilities(rows, y_proba, kept, labels)
    if y_set is not None:
        _add_sets(rows, y_set, kept, labels)
    if arrays.get("sample_weight") is not None:
        weight = numbers(arrays["sample_weight"], "sample_weight")
        rows.weight = check_weights(weight, rows.place("sample_weight"))
    for key in ("groups", "case"):
        if arrays.get(key) is not None:
            own = flat_labels(arrays[key], key)
            _check_length(key, len(own), n)
            setattr(rows, key, encode_labels(own).take(kept))
    if arrays.get("costs") is not None:
        costs = {
            key: numbers(values, key, f"costs[{key!r}]") for key, values in arrays["costs"].items()
        }
        rows.costs = check_costs(costs, rows.place)
    return rows


def _place(column: Any) -> Place:
    return lambda row: f"{'y_proba' if column is None else column}, row {row}"


def _mapping(given: Any) -> Mapping[str, Any]:
    """Name the parts of a pair, and check the names of a mapping."""
    if isinstance(given, tuple) and len(given) == 2:
        return {"y_true": given[0], "y_set" if _holds_sets(given[1]) else "y_score": given[1]}
    if not isinstance(given, Mapping):
        raise TypeError(refusal("model kind", kind=type(given).__name__).words())
    allowed = (*_PREDICTIONS, *_OTHERS)
    if set(given) - {"y_true", *allowed} or "y_true" not in given:
        there = listed([key for key in given if given[key] is not None])
        raise refusal("array names", given=there, allowed=", ".join(allowed))
    return given


def _holds_sets(answers: Any) -> bool:
    """Tell sets from scores: booleans, or a collection of labels per case."""
    try:
        array = np.asarray(answers)
    except ValueError:  # rows of different lengths
        return True
    if array.dtype == object and array.ndim == 1:
        return any(isinstance(one, list | tuple | set | frozenset) for one in array.tolist())
    return bool(array.dtype == np.bool_)


def _shape(array: Any) -> tuple[int, ...]:
    """Tell the shape of whatever holds numbers; ragged rows have none but their number."""
    try:
        return tuple(np.shape(array)) if not hasattr(array, "shape") else tuple(array.shape)
    except ValueError:
        return (len(array),)


def _length(arrays: Mapping[str, Any]) -> int:
    """Count the cases; all arrays must agree."""
    shapes = {key: _shape(one) for key, one in arrays.items() if key in _ROWS and one is not None}
    found = {key: shape[0] for key, shape in shapes.items() if shape}
    key, n = next(iter(found.items()), ("y_true", 0))
    for other, length in found.items():
        if length != n:
            raise refusal("rows", first=key, n=n, name=other, found=length)
    if n == 0:
        raise refusal("no rows")
    return n


def _check_length(name: str, found: int, n: int) -> None:
    if found != n:
        raise refusal("rows", first="y_true", n=n, name=name, found=found)


def _numbers(values: Any, name: str, shape: tuple[int, ...]) -> Numbers:
    """Read an array of numbers of a shape; text is read as strictly as in files."""
    ragged = len(_shape(values)) < len(shape)
    array = values if hasattr(values, "toarray") or ragged else np.asanyarray(values)
    if getattr(array, "ndim", 0) == 1 and array.dtype.kind in "OU":
        numbers = read_numbers(list(array))
    else:
        floats = as_floats(values, name, "scores" if name == "y_score" else "values")
        given = getattr(array, "dtype", floats.dtype)
        eps = float(np.finfo(given if given.kind == "f" else np.float64).eps)
        numbers = Numbers(floats, eps=eps)
    if numbers.values.shape != shape:
        raise refusal("shape", name=name, found=numbers.values.shape, expected=shape)
    return numbers


def _add_probabilities(rows: Rows, y_proba: Any, kept: Any, labels: Labels | None) -> None:
    """Read class probabilities; columns of a frame are named after the classes."""
    if is_frame(y_proba) and not isinstance(y_proba, pd.DataFrame):
        table = table_of_frame(y_proba)
        found = table.read([], table.names).numbers
        y_proba = pd.DataFrame({name: one.values for name, one in found.items()})
    if isinstance(y_proba, pd.DataFrame) and has_names(y_proba):
        names = y_proba.columns.tolist()
    elif rows.options.classes is not None:
        names = list(rows.options.classes)
    elif labels is not None:
        names = sorted_classes(labels[kept]).tolist()
    else:
        raise refusal("no classes")
    if hasattr(y_proba, "toarray"):
        as_floats(y_proba, "y_proba")  # says what to do with a sparse matrix
    matrix = np.asanyarray(y_proba)
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        width = matrix.shape[1] if matrix.ndim == 2 else 1
        raise refusal("width", found=width, count=len(names))
    numbers = _numbers(y_proba, "y_proba", matrix.shape)
    floats = numbers.values[kept]
    if rows.options.missing == "error":
        absent = np.isnan(floats).any(axis=1)
        check_numbers(Numbers(np.where(absent, np.nan, 0.0)), rows.place("y_proba"))
    columns = {name: f"y_proba[:, {at}]" for at, name in enumerate(names)}
    rows.columns = replace(rows.columns, proba=columns)
    by_class = {
        name: Numbers(own, eps=numbers.eps)
        for name, own in zip(columns.values(), floats.T, strict=True)
    }
    rows.add_probabilities(by_class)


def _add_sets(rows: Rows, y_set: Any, kept: Any, labels: Labels | None) -> None:
    """Read prediction sets of any form that is known to :func:`cautious.sets.as_mask`."""
    classes = rows.options.classes or list(rows.columns.proba) or None
    if classes is None and labels is not None:
        checked = cases_of_sets(labels, y_set, empty="wrong")
        mask, names = checked.mask, checked.labels.tolist()
    elif classes is not None:
        mask, names = as_mask(y_set, list(classes), empty="wrong"), list(classes)
    else:
        raise refusal("no classes")
    _check_length("y_set", len(mask), len(mask) if labels is None else len(labels))
    rows.members = mask[kept]
    rows.columns = replace(rows.columns, members=dict.fromkeys(names, "y_set"))
