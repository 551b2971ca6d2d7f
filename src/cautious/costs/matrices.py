"""Cost matrices: predictions are rows, truths are columns."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, as_floats
from cautious.sets import check_classes

__all__ = [
    "check_cost_matrix",
    "check_cost_vector",
    "check_costs",
    "check_count",
    "check_labels",
    "check_number",
    "ordinal",
    "positions",
    "resolve_classes",
    "zero_one",
]

Classes: TypeAlias = Sequence[Any] | npt.NDArray[Any] | pd.Index | None
"""Class labels in column order, or None when classes are known by position only."""


def zero_one(n_classes: int) -> Floats:
    r"""0/1 costs: every wrong answer costs 1, every right one nothing.

    .. math:: c_{\hat y}(y) = [\hat y \neq y]

    Yang, Destercke & Masson (2017), section II, call them accuracy.

    Parameters
    ----------
    n_classes : int
        The number of classes K.

    Returns
    -------
    ndarray of shape (K, K)

    Examples
    --------
    >>> zero_one(2)
    array([[0., 1.],
           [1., 0.]])
    """
    return 1.0 - np.eye(check_count(n_classes, "n_classes"))


def ordinal(n_classes: int, power: float = 1) -> Floats:
    r"""Costs of ordered classes, growing with the distance between ranks.

    .. math:: c_{y_i}(y_j) = |i - j|^{power}

    Yang, Destercke & Masson (2017), section VII-A, with `power` 1.

    Parameters
    ----------
    n_classes : int
        The number of classes K.
    power : float, default=1
        Must be positive; 2 gives squared distances.

    Returns
    -------
    ndarray of shape (K, K)

    Examples
    --------
    >>> ordinal(3)
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    exponent = check_number(power, "power")
    if not (np.isfinite(exponent) and exponent > 0):
        raise ValueError(f"power is {power}; give a positive number (1 for absolute distances).")
    rank = np.arange(check_count(n_classes, "n_classes"), dtype=np.float64)
    distance: Floats = np.abs(rank[:, None] - rank) ** exponent
    return distance


def check_cost_matrix(
    matrix: npt.ArrayLike,
    *,
    n_classes: int | None = None,
    diagonal: Literal["any", "least", "zero"] = "any",
    name: str = "matrix",
) -> Floats:
    """Check a cost matrix: square, finite and non-negative.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Rows are predictions, columns are truths.
    n_classes : int, optional
        The number of classes expected.
    diagonal : {"any", "least", "zero"}
        What is asked of right answers: nothing; that for no truth a wrong answer is cheaper
        (a violation often means that the matrix is transposed or holds rewards); or that they
        cost nothing.
    name : str
        What to call the argument in an error.

    Returns
    -------
    ndarray of shape (K, K), float64

    Examples
    --------
    >>> check_cost_matrix([[0, 2], [4, 0]], diagonal="zero")
    array([[0., 2.],
           [4., 0.]])
    """
    if diagonal not in ("any", "least", "zero"):
        raise ValueError(f"diagonal is {diagonal!r}; choose 'any', 'least' or 'zero'.")
    array = check_costs(matrix, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(
            f"{name} has shape {array.shape}; a cost matrix is square: "
            "one row a prediction, one column a truth."
        )
    if n_classes is not None and len(array) != n_classes:
        raise ValueError(f"{name} is for {len(array)} classes but there are {n_classes}.")
    if len(array) < 2:
        raise ValueError(f"{name} has {len(array)} classes; costs need at least two.")
    right = array.diagonal()
    if diagonal == "zero" and right.any():
        y = int(np.argmax(right != 0))
        raise ValueError(
            f"{name}[{y}, {y}] is {right[y]:g}; right answers must cost 0 here. Subtract each "
            "column's diagonal cost: that changes no decision."
        )
    if diagonal != "any" and (array < right).any():
        i, y = np.argwhere(array < right)[0]
        raise ValueError(
            f"{name}[{i}, {y}] = {array[i, y]:g} is less than the right answer's "
            f"{name}[{y}, {y}] = {right[y]:g}; rows are predictions and columns are truths, and "
            "costs are to be small. Transpose the matrix, turn rewards into costs, or pass "
            "diagonal='any' if this is meant."
        )
    return array


def check_costs(values: npt.ArrayLike, name: str) -> Floats:
    """Check that costs are finite, non-negative numbers, naming the first that is not."""
    array = np.array(as_floats(values, name, "costs"))  # our own copy
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name}[{', '.join(map(str, at))}] is {array[at]:g}; costs must be finite and not "
            "negative. Add a constant to each column if some are negative: no decision changes."
        )
    return array


def check_cost_vector(values: npt.ArrayLike, name: str) -> Floats:
    """Check one non-negative number a class."""
    array = check_costs(values, name)
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(f"{name} has shape {array.shape}; give one number for each of K >= 2.")
    return array


def resolve_classes(classes: Classes, n_classes: int) -> tuple[Any, ...] | None:
    """Check class labels, if any were given."""
    return None if classes is None else check_labels(classes, n_classes)


def check_labels(
    classes: Sequence[Any] | npt.NDArray[Any] | pd.Index, n_classes: int
) -> tuple[Any, ...]:
    """Check that there is one label a class."""
    labels = tuple(check_classes(classes).tolist())
    if len(labels) != n_classes:
        raise ValueError(f"classes has {len(labels)} labels but there are {n_classes} classes.")
    return labels


def check_count(count: Any, name: str, *, least: int = 2) -> int:
    """Check a number of classes, sets or the like."""
    if not isinstance(count, Integral) or isinstance(count, bool):
        raise TypeError(f"{name} is {count!r}; give a whole number.")
    if count < least:
        raise ValueError(f"{name} is {count}; give at least {least}.")
    return int(count)


def check_number(value: Any, name: str) -> float:
    """Check that a value is one number; which numbers will do is the caller's business."""
    try:
        number = as_floats(value, name)
    except TypeError:
        number = np.empty(1)
    if value is None or number.ndim:
        raise TypeError(f"{name} is {value!r:.60}; give one number.")
    return float(number)


def positions(labels: list[Any], wanted: list[Any], name: str, *, more: bool = False) -> list[int]:
    """Positions of the wanted labels, found as they are or by their text."""
    if len(wanted) != len(labels) and not more:
        raise ValueError(f"classes has {len(wanted)} labels but {name} has {len(labels)}.")
    place = {label: k for k, label in enumerate(labels)}
    by_text = {str(label): k for k, label in enumerate(labels)}
    found = [place.get(label, by_text.get(str(label))) for label in wanted]
    if None in found:
        missing = wanted[found.index(None)]
        raise ValueError(
            f"{name} has no class {missing!r}; it holds {', '.join(map(repr, labels))}. Rows and "
            "columns must carry the same class labels."
        )
    return [k for k in found if k is not None]
