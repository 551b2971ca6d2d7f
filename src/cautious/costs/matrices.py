"""Cost matrices of single classes, made, read and checked: predictions are rows, truths columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_count, check_classes
from cautious._labels import match_labels
from cautious._typing import FINITE, Floats, as_floats, as_number
from cautious.errors import shown
from cautious.sets._conversion import has_names

Classes: TypeAlias = Sequence[Any] | npt.NDArray[Any] | pd.Index | None
"""Class labels in column order, or None when classes are known by position only."""


def zero_one(n_classes: int) -> Floats:
    r"""0/1 costs (K, K): every wrong answer costs 1, every right one nothing.

    .. math:: c_{\hat y}(y) = [\hat y \neq y]

    Yang, Destercke & Masson (2017), section II, call them accuracy.

    Examples
    --------
    >>> zero_one(2)
    array([[0., 1.],
           [1., 0.]])
    """
    return 1.0 - np.eye(as_count(n_classes, "n_classes", least=2))


def ordinal(n_classes: int, power: float = 1) -> Floats:
    """Costs (K, K) of ordered classes, growing with the distance between ranks.

    .. math:: c_{y_i}(y_j) = |i - j|^{power}

    Yang, Destercke & Masson (2017), section VII-A, with `power` 1; 2 gives squared distances.

    Examples
    --------
    >>> ordinal(3)
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    words = "give a positive number (1 for absolute distances)"
    exponent = as_number(power, "power", np.nextafter(0, 1), FINITE, words=words)
    rank = np.arange(as_count(n_classes, "n_classes", least=2), dtype=np.float64)
    distance: Floats = np.abs(rank[:, None] - rank) ** exponent
    return distance


def resolve_matrix(
    matrix: npt.ArrayLike | pd.DataFrame,
    classes: Classes = None,
    *,
    right_is_least: bool = False,
    name: str = "matrix",
) -> tuple[Floats, tuple[Any, ...] | None]:
    """Check a cost matrix and find its class labels, if it has any or `classes` gives them."""
    if isinstance(matrix, pd.DataFrame) and (classes is None or not merely_numbered(matrix)):
        columns = check_classes(matrix.columns, name=f"{name}.columns").tolist()
        rows = check_classes(matrix.index, name=f"{name}.index").tolist()
        if len(rows) != len(columns):
            raise ValueError(
                f"{name} has shape {matrix.shape}; a cost matrix is square: one row per "
                "prediction, one column per truth. as_costs reads tables that also cost "
                "abstaining or sets."
            )
        labels = columns if classes is None else check_classes(classes).tolist()
        rows_of_classes = positions(rows, labels, f"{name}.index")
        columns_of_classes = positions(columns, labels, f"{name}.columns")
        matrix = matrix.to_numpy()[np.ix_(rows_of_classes, columns_of_classes)]
        classes = labels
    array = check_cost_matrix(matrix, right_is_least=right_is_least, name=name)
    return array, resolve_classes(classes, len(array))


def merely_numbered(frame: pd.DataFrame) -> bool:
    """Tell a frame made of an array, whose labels say nothing, from a labelled one."""
    return not has_names(frame) and not has_names(frame.T)


def check_cost_matrix(
    matrix: npt.ArrayLike, *, right_is_least: bool = False, name: str = "matrix"
) -> Floats:
    """Check a cost matrix: square, finite and non-negative; right answers may have to be least."""
    array = check_not_negative(matrix, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(
            f"{name} has shape {array.shape}; a cost matrix is square: "
            "one row per prediction, one column per truth."
        )
    if len(array) < 2:
        raise ValueError(f"{name} has {len(array)} classes; costs need at least two.")
    right = array.diagonal()
    if right_is_least and (array < right).any():
        i, y = np.argwhere(array < right)[0]
        raise ValueError(
            f"{name}[{i}, {y}] = {array[i, y]:g} is less than the right answer's "
            f"{name}[{y}, {y}] = {right[y]:g}; rows are predictions and columns are truths, and "
            "costs are to be small. Transpose the matrix, or turn rewards into costs."
        )
    return array


def check_not_negative(values: npt.ArrayLike, name: str) -> Floats:
    """Check that costs are finite, non-negative numbers, naming the first that is not."""
    words = (
        "costs must be finite and not negative. Add a constant to each column if some are "
        "negative: no decision changes"
    )
    return np.array(as_floats(values, name, "costs", words=words))  # our own copy


def check_cost_vector(values: npt.ArrayLike, name: str) -> Floats:
    """Check one non-negative number per class."""
    array = check_not_negative(values, name)
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(f"{name} has shape {array.shape}; give one number for each of K >= 2.")
    return array


def resolve_classes(classes: Classes, n_classes: int) -> tuple[Any, ...] | None:
    """Check that there is one label per class, if labels were given."""
    if classes is None:
        return None
    labels = tuple(check_classes(classes).tolist())
    if len(labels) != n_classes:
        raise ValueError(f"classes has {len(labels)} labels but there are {n_classes} classes.")
    return labels


def positions(labels: list[Any], classes: list[Any], name: str) -> list[int]:
    """Positions of the classes among the labels, found as they are or by their text."""
    place = {label: k for k, label in enumerate(labels)}
    by_text = match_labels(classes, labels)
    found = [place.get(label, at) for label, at in zip(classes, by_text, strict=True)]
    if -1 in found:
        raise ValueError(
            f"{name} has no class {shown(classes[found.index(-1)])}; it holds "
            f"{', '.join(map(repr, labels))}. Rows and columns must carry the same class labels."
        )
    if len(set(found)) < len(found):
        raise ValueError(
            f"classes is {shown(classes)}, of which two mean the same class of {name}."
        )
    return found
