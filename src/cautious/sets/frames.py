"""Frames whose columns are named after the classes, in whatever order they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Labels
from cautious.sets.checks import few_labels

__all__ = ["frame_in_class_order", "has_names"]


def has_names(table: Any) -> bool:
    """Tell a frame with named columns from one that merely numbers them, and from an array."""
    return isinstance(table, pd.DataFrame) and not (
        isinstance(table.columns, pd.RangeIndex)
        and table.columns.equals(pd.RangeIndex(table.shape[1]))
    )


def frame_in_class_order(
    table: npt.ArrayLike | pd.DataFrame, labels: Labels, name: str
) -> npt.NDArray[Any]:
    """Return the values of a table, the columns of a named frame put in class order.

    A column belongs to the class it is equal to or, failing that, to the class of the same text, as
    a frame read from a file has text for names. An array, or a frame that merely numbers its
    columns, is taken as it stands.

    Parameters
    ----------
    table : array-like or frame of shape (n, K)
        One column per class.
    labels : ndarray of shape (K,)
        Class labels, all different.
    name : str
        What to call the argument in an error.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> frame = pd.DataFrame({"b": [0.1, 0.9], "a": [0.9, 0.1]})
    >>> frame_in_class_order(frame, np.array(["a", "b"]), "y_score")
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    if not isinstance(table, pd.DataFrame) or not has_names(table):
        try:
            return np.asanyarray(table)  # a masked array keeps its mask, to be refused for it
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
