"""Cost matrices of single classes, made, read and checked: predictions are rows, truths columns."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import check_classes
from cautious._labels import match_labels
from cautious._typing import Floats, as_floats, as_number
from cautious.errors import shown
from cautious.sets._conversion import has_names

__all__ = [
    "Classes",
    "balanced_costs",
    "check_cost_matrix",
    "check_cost_vector",
    "check_costs",
    "check_count",
    "check_labels",
    "class_weighted",
    "cost_frame",
    "matrix_from_frame",
    "merely_numbered",
    "ordinal",
    "positions",
    "resolve_classes",
    "resolve_matrix",
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
    exponent = as_number(power, "power")
    if not (np.isfinite(exponent) and exponent > 0):
        raise ValueError(f"power is {power}; give a positive number (1 for absolute distances).")
    rank = np.arange(check_count(n_classes, "n_classes"), dtype=np.float64)
    distance: Floats = np.abs(rank[:, None] - rank) ** exponent
    return distance


def class_weighted(weights: npt.ArrayLike | pd.Series) -> Floats | pd.DataFrame:
    r"""Costs of missing each class, whatever was answered instead.

    .. math:: c_{\hat y}(y) = w_y [\hat y \neq y]

    Parameters
    ----------
    weights : array-like of shape (K,)
        Cost of missing each class; non-negative. The labels of a Series are taken as classes.

    Returns
    -------
    ndarray of shape (K, K), or DataFrame
        Labelled, if `weights` is.

    See Also
    --------
    balanced_costs : weights from class counts.

    Examples
    --------
    >>> class_weighted([1, 5])
    array([[0., 5.],
           [1., 0.]])
    """
    missing = check_cost_vector(weights, "weights")
    matrix = zero_one(len(missing)) * missing
    return cost_frame(matrix, weights.index) if isinstance(weights, pd.Series) else matrix


def balanced_costs(counts: npt.ArrayLike | pd.Series) -> Floats | pd.DataFrame:
    r"""Costs that make up for unequal class frequencies.

    .. math:: c_{\hat y}(y) = \frac{n}{K n_y} [\hat y \neq y]

    Missing every case of a class then costs the same for every class, and the mean weight over
    the cases is one; scikit-learn calls these weights "balanced".

    Parameters
    ----------
    counts : array-like of shape (K,)
        How often each class occurs (or its prior probability); positive. The labels of a Series,
        such as ``value_counts()`` gives, are taken as classes.

    Returns
    -------
    ndarray of shape (K, K), or DataFrame
        Labelled, if `counts` is.

    Examples
    --------
    >>> balanced_costs([90, 10])
    array([[0.        , 5.        ],
           [0.55555556, 0.        ]])
    >>> balanced_costs(pd.Series(["no"] * 4 + ["yes"]).value_counts())
    truth          no  yes
    prediction
    no          0.000  2.5
    yes         0.625  0.0
    """
    n = check_cost_vector(counts, "counts")
    if (n == 0).any():
        raise ValueError(
            f"counts[{int(np.argmin(n))}] is 0; a class that never occurs has no balancing weight. "
            "Leave it out, or give the cost of missing it to class_weighted."
        )
    weights = n.sum() / (len(n) * n)
    return class_weighted(
        pd.Series(weights, index=counts.index) if isinstance(counts, pd.Series) else weights
    )


def cost_frame(
    matrix: npt.ArrayLike, classes: Sequence[Any] | npt.NDArray[Any] | pd.Index
) -> pd.DataFrame:
    """Label a cost matrix: predictions are rows, truths are columns.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Rows are predictions, columns are truths.
    classes : sequence of length K
        Class labels.

    Returns
    -------
    DataFrame of shape (K, K)

    Examples
    --------
    >>> cost_frame([[0, 2], [4, 0]], ["h", "n"])
    truth         h    n
    prediction
    h           0.0  2.0
    n           4.0  0.0
    """
    array = check_cost_matrix(matrix)
    labels = check_labels(classes, len(array))
    return pd.DataFrame(
        array,
        index=pd.Index(check_classes(labels), name="prediction"),
        columns=pd.Index(check_classes(labels), name="truth"),
    )


def matrix_from_frame(
    frame: pd.DataFrame,
    classes: Classes = None,
    *,
    diagonal: Literal["any", "least", "zero"] = "any",
    name: str = "matrix",
) -> pd.DataFrame:
    """Put the rows and columns of a labelled cost matrix in the order of the classes."""
    columns = check_classes(frame.columns, name=f"{name}.columns").tolist()
    rows = check_classes(frame.index, name=f"{name}.index").tolist()
    if frame.shape[0] != frame.shape[1]:
        raise ValueError(
            f"{name} has shape {frame.shape}; a cost matrix is square: one row per prediction, one "
            "column per truth. as_costs reads tables that also cost abstaining or sets."
        )
    wanted = columns if classes is None else check_classes(classes).tolist()
    values = frame.to_numpy()[positions(rows, wanted, f"{name}.index")]
    values = values[:, positions(columns, wanted, f"{name}.columns")]
    return cost_frame(check_cost_matrix(values, diagonal=diagonal, name=name), wanted)


def resolve_matrix(
    matrix: npt.ArrayLike | pd.DataFrame, classes: Classes = None, *, name: str = "matrix"
) -> tuple[Floats, tuple[Any, ...] | None]:
    """Check a cost matrix and find its class labels, if it has any or `classes` gives them."""
    if isinstance(matrix, pd.DataFrame) and (classes is None or not merely_numbered(matrix)):
        frame = matrix_from_frame(matrix, classes, name=name)
        return frame.to_numpy(dtype=np.float64), tuple(frame.columns.tolist())
    array = check_cost_matrix(matrix, name=name)
    return array, resolve_classes(classes, len(array))


def merely_numbered(frame: pd.DataFrame) -> bool:
    """Tell a frame made of an array, whose labels say nothing, from a labelled one."""
    return not has_names(frame) and not has_names(frame.T)


def check_cost_matrix(
    matrix: npt.ArrayLike,
    *,
    n_classes: int | None = None,
    diagonal: Literal["any", "least", "zero"] = "any",
    name: str = "matrix",
) -> Floats:
    """Check a cost matrix: square, finite and non-negative."""
    if diagonal not in ("any", "least", "zero"):
        raise ValueError(f"diagonal is {shown(diagonal)}; choose 'any', 'least' or 'zero'.")
    array = check_costs(matrix, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(
            f"{name} has shape {array.shape}; a cost matrix is square: "
            "one row per prediction, one column per truth."
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
    """Check one non-negative number per class."""
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
    """Check that there is one label per class."""
    labels = tuple(check_classes(classes).tolist())
    if len(labels) != n_classes:
        raise ValueError(f"classes has {len(labels)} labels but there are {n_classes} classes.")
    return labels


def check_count(count: Any, name: str, *, least: int = 2) -> int:
    """Check a number of classes, sets or the like."""
    if not isinstance(count, Integral) or isinstance(count, bool):
        raise TypeError(f"{name} is {shown(count)}; give a whole number.")
    if count < least:
        raise ValueError(f"{name} is {count}; give at least {least}.")
    return int(count)


def positions(labels: list[Any], wanted: list[Any], name: str) -> list[int]:
    """Positions of the wanted labels, found as they are or by their text."""
    place = {label: k for k, label in enumerate(labels)}
    by_text = match_labels(wanted, labels)
    found = [place.get(label, at) for label, at in zip(wanted, by_text, strict=True)]
    if -1 in found:
        raise ValueError(
            f"{name} has no class {shown(wanted[found.index(-1)])}; it holds "
            f"{', '.join(map(repr, labels))}. Rows and columns must carry the same class labels."
        )
    if len(set(found)) < len(found):
        raise ValueError(f"classes is {shown(wanted)}, of which two mean the same class of {name}.")
    return found
