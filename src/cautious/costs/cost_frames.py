"""Cost matrices from labelled frames and from CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.costs.matrices import (
    Classes,
    check_cost_matrix,
    check_labels,
    positions,
    resolve_classes,
)
from cautious.sets import check_classes, has_names

__all__ = ["cost_matrix_from_frame", "labelled", "read_cost_matrix", "resolve_matrix"]


def labelled(
    matrix: npt.ArrayLike, classes: Sequence[Any] | npt.NDArray[Any] | pd.Index
) -> pd.DataFrame:
    """Label a cost matrix, so that nobody has to guess what its rows are.

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
    >>> labelled([[0, 2], [4, 0]], ["h", "n"])
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


def cost_matrix_from_frame(
    frame: pd.DataFrame,
    classes: Classes = None,
    *,
    truths: Literal["columns", "rows"] = "columns",
    diagonal: Literal["any", "least", "zero"] = "least",
    name: str = "frame",
) -> pd.DataFrame:
    """Check a labelled cost matrix and put its rows and columns in the same order.

    Parameters
    ----------
    frame : DataFrame of shape (K, K)
        Costs; rows and columns carry the same class labels, in any order.
    classes : sequence of length K, optional
        The order wanted. A label that is not found is looked for by its text, so integer
        classes find the text labels of a CSV file. Default: the order of the truths.
    truths : {"columns", "rows"}
        Where the truths are in `frame`; a frame with truths as rows is transposed.
    diagonal : {"least", "zero", "any"}
        What is asked of right answers; see :func:`check_cost_matrix`.
    name : str
        What to call the argument in an error.

    Returns
    -------
    DataFrame of shape (K, K)
        Rows are predictions, columns are truths.

    Examples
    --------
    >>> frame = pd.DataFrame([[4, 0], [0, 2]], index=["n", "h"], columns=["h", "n"])
    >>> cost_matrix_from_frame(frame)
    truth         h    n
    prediction
    h           0.0  2.0
    n           4.0  0.0
    """
    if truths not in ("columns", "rows"):
        raise ValueError(f"truths is {truths!r}; choose 'columns' or 'rows'.")
    if truths == "rows":
        frame = frame.T
    if frame.shape[0] != frame.shape[1]:
        raise ValueError(
            f"{name} has shape {frame.shape}; a cost matrix is square: one row a prediction, one "
            "column a truth. Use SetCosts.from_table for a table that also costs sets."
        )
    columns = check_classes(frame.columns, name=f"{name}.columns").tolist()
    rows = check_classes(frame.index, name=f"{name}.index").tolist()
    wanted = columns if classes is None else check_classes(classes).tolist()
    values = frame.to_numpy()[positions(rows, wanted, f"{name}.index")]
    values = values[:, positions(columns, wanted, f"{name}.columns")]
    return labelled(check_cost_matrix(values, diagonal=diagonal, name=name), wanted)


def resolve_matrix(
    matrix: npt.ArrayLike | pd.DataFrame, classes: Classes = None, *, name: str = "matrix"
) -> tuple[Floats, tuple[Any, ...] | None]:
    """Check a cost matrix and find its class labels.

    Parameters
    ----------
    matrix : array-like or DataFrame of shape (K, K)
        A frame's labels are taken as classes, and its rows are put in the order of its columns.
    classes : sequence of length K, optional
        Class labels in column order. With a frame they choose the order of the classes.
    name : str
        What to call the argument in an error.

    Returns
    -------
    matrix : ndarray of shape (K, K)
    classes : tuple or None

    Examples
    --------
    >>> frame = pd.DataFrame([[4, 0], [0, 2]], index=["n", "h"], columns=["h", "n"])
    >>> resolve_matrix(frame)
    (array([[0., 2.],
           [4., 0.]]), ('h', 'n'))
    """
    if isinstance(matrix, pd.DataFrame) and (classes is None or not merely_numbered(matrix)):
        matrix = cost_matrix_from_frame(matrix, classes, diagonal="any", name=name)
        return matrix.to_numpy(dtype=np.float64), tuple(matrix.columns.tolist())
    array = check_cost_matrix(matrix, name=name)
    return array, resolve_classes(classes, len(array))


def merely_numbered(frame: pd.DataFrame) -> bool:
    """Tell a frame made of an array, whose labels say nothing, from a labelled one."""
    return not has_names(frame) and not has_names(frame.T)


def read_cost_matrix(
    file: str | PathLike[str] | IO[str],
    classes: Classes = None,
    *,
    truths: Literal["columns", "rows"] = "columns",
    diagonal: Literal["any", "least", "zero"] = "least",
    separator: str = ",",
) -> pd.DataFrame:
    r"""Read a labelled cost matrix from a CSV file.

    The first row and the first column hold class labels, all other cells numbers. Cells are read
    as text and turned into numbers here, so that a label such as ``NA`` or ``01`` stays what it
    is and a cell that is no number is named in the error.

    Parameters
    ----------
    file : path or text stream
        The CSV file, in UTF-8.
    classes, truths, diagonal
        As in :func:`cost_matrix_from_frame`.
    separator : str, default=","
        What separates the cells; one character.

    Returns
    -------
    DataFrame of shape (K, K)
        Rows are predictions, columns are truths.

    Examples
    --------
    >>> from io import StringIO
    >>> read_cost_matrix(StringIO("cost,ham,spam\nham,0,1\nspam,9,0\n"))
    truth       ham  spam
    prediction
    ham         0.0   1.0
    spam        9.0   0.0
    """
    frame = read_table(file, separator=separator)
    return cost_matrix_from_frame(frame, classes, truths=truths, diagonal=diagonal, name="file")


def read_table(
    file: str | PathLike[str] | IO[str], *, separator: str = ",", name: str = "file"
) -> pd.DataFrame:
    """Read a CSV table of costs: labels in the first row and column, numbers in all other cells."""
    if len(separator) != 1:
        raise ValueError(f"separator is {separator!r}; give one character.")
    try:
        cells = pd.read_csv(
            file,
            sep=separator,
            header=None,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            encoding="utf-8-sig",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{name} is no regular CSV table in UTF-8: {str(error).strip()}. Every row needs a "
            "label and one number per class."
        ) from None
    text = cells.to_numpy(dtype=object)
    numbers = np.empty((len(text) - 1, text.shape[1] - 1))
    for i, j in np.ndindex(numbers.shape):
        numbers[i, j] = _number(text[i + 1, j + 1], i, j, text, name)
    return pd.DataFrame(
        numbers, index=[t.strip() for t in text[1:, 0]], columns=[t.strip() for t in text[0, 1:]]
    )


def _number(cell: Any, i: int, j: int, text: npt.NDArray[Any], name: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ValueError(
            f"{name} has {cell!r} in the row of {text[i + 1, 0]!r}, column of {text[0, j + 1]!r}; "
            "a number with a decimal point is expected."
        ) from None
