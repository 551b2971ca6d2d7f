"""From what people and libraries write to the boolean mask, and back; columns in class order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.stable.v2.dependencies import is_into_dataframe
from scipy import sparse

from cautious._checks import as_codes, check_classes, check_mask, check_table, few_labels
from cautious._typing import Ints, Labels, Mask, as_number
from cautious.errors import shown
from cautious.tensors import as_numpy


def as_pandas(table: Any) -> Any:
    """Give a frame of another library as one of pandas; anything else is returned as it is."""
    if isinstance(table, pd.DataFrame | np.ndarray) or not is_into_dataframe(table):
        return table
    frame = nw.from_native(table, eager_only=True)
    found = pd.DataFrame({name: frame[name].to_numpy() for name in frame.columns})
    if frame.columns == [f"column_{at}" for at in range(len(frame.columns))]:
        found.columns = pd.RangeIndex(len(frame.columns))
    return found


def has_names(table: Any) -> bool:
    """Tell a frame with named columns from one that merely numbers them, and from an array."""
    return isinstance(table, pd.DataFrame) and not (
        isinstance(table.columns, pd.RangeIndex)
        and table.columns.equals(pd.RangeIndex(table.shape[1]))
    )


def frame_in_class_order(
    table: npt.ArrayLike | pd.DataFrame, labels: Labels, name: str
) -> npt.NDArray[Any]:
    """Return the values of a table, the columns of a named frame put in class order."""
    table = as_pandas(table)
    if not isinstance(table, pd.DataFrame) or not has_names(table):
        try:
            # A masked array keeps its mask, to be refused for it.
            return np.asanyarray(as_numpy(table))
        except ValueError:
            raise ValueError(
                f"{name} has rows of different lengths; give one column per class."
            ) from None
    columns, wanted = table.columns.tolist(), labels.tolist()
    by_label = {column: at for at, column in enumerate(columns)}
    left = set(columns).difference(wanted)
    by_text = {str(column): at for column, at in by_label.items() if column in left}
    order = [by_label.get(label, by_text.get(str(label), -1)) for label in wanted]
    if sorted(order) != list(range(len(columns))):
        shown = few_labels(np.array([*columns, None], dtype=object)[:-1])
        raise ValueError(
            f"{name} has columns {shown} but the classes are {few_labels(labels)}; "
            "name the columns after the classes."
        )
    return np.asarray(table.iloc[:, order].to_numpy())


_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


def as_mask(
    y_set: Any,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    *,
    abstain: Any = -1,
    empty: str = "error",
    level: int | None = None,
    name: str = "y_set",
) -> Mask:
    """Turn prediction sets of any common form into a boolean mask.

    Parameters
    ----------
    y_set : object
        One of

        - a matrix (n, K) of booleans or of 0s and 1s (array, frame, sparse matrix, nested lists;
          crepes with ``labels=False``); a frame's columns are put in the order of the classes;
        - an array (n, K, levels), or the pair whose second part it is, as MAPIE's ``predict_set``
          returns;
        - a sequence of label collections (crepes' lists, tuples, sets). Nested lists of 0s and 1s
          are a matrix if some row repeats a value, or if there is a column for each class and 0 or
          1 is no class. What could be either, such as ``[[1, 0], [0, 1]]`` for the classes 0 and 1,
          is an error unless its rows are tuples or sets: these hold labels;
        - a sequence of single labels, where ``None``, NaN, a masked entry or `abstain` means
          "don't know" (scikit-fallback's arrays, masked arrays, nullable pandas columns).
    classes : sequence of length K, optional
        Class labels in column order; needed unless `y_set` is a matrix.
    abstain : object, default=-1
        A label that stands for "don't know". It is an ordinary label if it is among the classes.
    empty : {"error", "abstain", "wrong"}
        What an empty set means, such as conformal prediction can give: a mistake in the data, an
        abstention (the full set), or a wrong answer (it stays empty).
    level : int, optional
        Which confidence level to take from an array (n, K, levels) with several.
    name : str
        What to call the argument in an error.

    Returns
    -------
    ndarray of shape (n, K), bool

    Examples
    --------
    >>> as_mask([["cat"], ["cat", "dog"], None], ["cat", "dog"])
    array([[ True, False],
           [ True,  True],
           [ True,  True]])
    >>> as_mask([0, -1, 1], [0, 1])
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    """
    labels = None if classes is None else check_classes(classes)
    n_classes = None if labels is None else len(labels)
    y_set = as_pandas(as_numpy(y_set))
    matrix = _as_matrix(y_set, labels, level=level, name=name)
    if matrix is not None:
        return check_mask(matrix, n_classes=n_classes, name=name, empty=empty)
    if labels is None:
        raise ValueError(
            f"{name} holds class labels; pass classes= with all class labels, in column order."
        )
    given = _members(y_set, None if abstain in labels.tolist() else abstain, name)
    codes = as_codes(given.label, labels, name=name, rows=given.row)
    mask = np.zeros((given.n, len(labels)), dtype=np.bool_)
    mask.reshape(-1)[given.row * len(labels) + codes] = True
    mask[given.abstained] = True
    return check_mask(mask, name=name, empty=empty)


def as_labels(
    mask: npt.ArrayLike, classes: Sequence[Any] | npt.ArrayLike, *, empty: str = "error"
) -> list[tuple[Any, ...]]:
    """List the classes of each prediction set.

    Parameters
    ----------
    mask : array-like of shape (n, K), bool
        Prediction sets.
    classes : sequence of length K
        Class labels in column order.
    empty : {"error", "abstain", "wrong"}
        What an empty set means; see :func:`as_mask`.

    Returns
    -------
    list of tuple
        The labels in each set, in column order.

    Examples
    --------
    >>> as_labels([[True, False], [True, True]], ["cat", "dog"])
    [('cat',), ('cat', 'dog')]
    """
    labels = check_classes(classes)
    checked = check_mask(mask, n_classes=len(labels), empty=empty)
    rows, columns = np.nonzero(checked)
    names = labels[columns].tolist()
    ends = np.searchsorted(rows, np.arange(len(checked) + 1))
    return [tuple(names[a:b]) for a, b in pairwise(ends)]


def seen_labels(y_set: Any, truths: Labels) -> tuple[list[Any], int | None]:
    """Return the labels that occur in `y_set` and, if it is a matrix, its number of columns."""
    if has_names(y_set):
        return y_set.columns.tolist(), y_set.shape[1]
    matrix = _as_matrix(y_set, truths, level=0, name="y_set")
    if matrix is None:
        label = _members(y_set, -1, "y_set").label
        return (label if label.dtype == object else pd.unique(label)).tolist(), None
    return [], matrix.shape[1]


def _as_matrix(
    y_set: Any, labels: Labels | None, *, level: int | None, name: str
) -> npt.NDArray[Any] | None:
    """Return the matrix behind `y_set`, or None if it is a sequence of labels."""
    if isinstance(y_set, tuple) and len(y_set) == 2 and np.ndim(y_set[1]) == 3:
        y_set = y_set[1]  # MAPIE returns (point predictions, sets)
    if isinstance(y_set, pd.DataFrame):
        return y_set.to_numpy() if labels is None else frame_in_class_order(y_set, labels, name)
    if sparse.issparse(y_set):
        check_table(y_set.shape, name)
        return np.asarray(y_set.toarray())
    if isinstance(y_set, list | tuple) and _is_nested_mask(y_set, labels, name):
        return np.array(y_set)
    shape = getattr(y_set, "shape", ())
    if len(shape) == 3:
        return _at_level(np.asanyarray(y_set), level, name)
    if len(shape) != 2:
        return None
    matrix = np.asanyarray(y_set)  # a masked array keeps its mask, to be refused for it
    # Rows of equally many labels also make a two-dimensional array; only text can look like that.
    return None if matrix.dtype.kind in "US" else matrix


def _at_level(array: npt.NDArray[Any], level: int | None, name: str) -> npt.NDArray[Any]:
    """Take one confidence level from an (n, K, levels) array."""
    n_levels = array.shape[2]
    if level is None and n_levels != 1:
        raise ValueError(
            f"{name} holds sets for {n_levels} confidence levels; give those of one, "
            f"sets[:, :, 0] to sets[:, :, {n_levels - 1}]; as_mask also takes level=0."
        )
    at = 0.0 if level is None else as_number(level, "level")
    if at not in range(n_levels):
        raise ValueError(f"level is {shown(level)}; {name} has levels 0 to {n_levels - 1}.")
    chosen: npt.NDArray[Any] = array[:, :, int(at)]
    return chosen


def _is_nested_mask(rows: Sequence[Any], labels: Labels | None, name: str) -> bool:
    """Tell a mask written as nested lists from lists of labels that are booleans, or 0 and 1."""
    if not rows or not all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        return False
    width = len(rows[0])
    if width == 0 or any(len(row) != width for row in rows):
        return False
    if all(isinstance(cell, bool | np.bool_) for row in rows for cell in row):
        if labels is None or labels.dtype != np.bool_:
            return True
    elif not all(
        isinstance(cell, int | np.integer) and not isinstance(cell, bool) and cell in (0, 1)
        for row in rows
        for cell in row
    ):
        return False
    if any(len(set(row)) < width for row in rows):  # no set repeats a label
        return True
    if labels is None or width == 1 or width != len(labels):
        return labels is None and width > 1
    if not {0, 1} <= set(labels.tolist()):
        return True
    if all(isinstance(row, tuple) for row in rows):  # as_labels writes label sets so
        return False
    raise ValueError(
        f"{name} begins with {shown(list(rows[0]))}, which may be a row of a mask or a set of two "
        f"labels; pass np.asarray({name}, dtype=bool) if it is a mask, or make each row a set or a "
        "tuple if it holds labels."
    )


class _Members(NamedTuple):
    """Label sets as flat pairs: ``label[i]`` belongs to the set of row ``row[i]``."""

    n: int
    row: Ints
    label: Labels
    abstained: Mask


def _members(y_set: Any, abstain: Any, name: str) -> _Members:
    """Read a sequence whose elements are labels, abstentions or collections of labels."""
    if isinstance(y_set, str) or not hasattr(y_set, "__len__"):
        raise TypeError(
            f"{name} is {shown(y_set)}; give a boolean matrix (n, K), or one label or set of "
            "labels for each case."
        )
    abstained = np.zeros(len(y_set), dtype=np.bool_)
    if hasattr(y_set, "get_dense_fallback_mask"):  # scikit-fallback stores its rejections aside
        abstained |= np.asarray(y_set.get_dense_fallback_mask(), dtype=np.bool_)
    if isinstance(y_set, np.ma.MaskedArray):
        abstained |= np.ma.getmaskarray(y_set)
        y_set = y_set.data
    values = y_set.to_numpy(dtype=object) if isinstance(y_set, pd.Series | pd.Index) else y_set
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype != object:
        return _single_labels(np.asarray(values), abstain, abstained)
    row: list[int] = []
    label: list[Any] = []
    for i, item in enumerate(values):
        if isinstance(item, _COLLECTIONS):
            row.extend([i] * len(item))
            label.extend(item.tolist() if isinstance(item, np.ndarray) else item)
        elif pd.isna(item) or (abstain is not None and type(item) is not bool and item == abstain):
            abstained[i] = True
        elif not abstained[i]:
            row.append(i)
            label.append(item)
    flat = np.empty(len(label), dtype=object)
    flat[:] = label
    return _Members(len(abstained), np.asarray(row, dtype=np.intp), flat, abstained)


def _single_labels(values: Labels, abstain: Any, abstained: Mask) -> _Members:
    """Read a plain array with one label per row."""
    if values.dtype.kind not in "iub":
        abstained |= pd.isna(values)
    comparable = values.dtype.kind in ("US" if isinstance(abstain, str) else "iuf")
    if abstain is not None and comparable:
        abstained |= values == abstain
    row = np.flatnonzero(~abstained)
    return _Members(len(values), row, values[row], abstained)
