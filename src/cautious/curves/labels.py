"""Which label is the positive one: said by the user, or plain from the labels themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Labels, Mask
from cautious.sets import check_truth
from cautious.sets.checks import as_codes, few_labels

__all__ = ["binary_truth"]


def binary_truth(
    y_true: Sequence[Any] | npt.ArrayLike,
    *,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
) -> tuple[Mask, tuple[Any, Any]]:
    """Read true labels as "is it the positive class?".

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    pos_label : label, optional
        The positive class; every other label is negative. Not needed for labels 0 and 1, -1 and 1,
        or booleans.
    classes : (negative, positive), optional
        Both labels. Then either of them may be missing from `y_true`.

    Returns
    -------
    is_positive : ndarray of shape (n,), bool
    classes : tuple (negative, positive)
        What the two classes are called; ``"not <label>"`` where the negative class is "the rest".

    Examples
    --------
    >>> binary_truth(["spam", "ham"], pos_label="spam")
    (array([ True, False]), ('ham', 'spam'))
    >>> binary_truth(["cat", "dog", "emu"], pos_label="emu")
    (array([False, False,  True]), ('not emu', 'emu'))
    """
    labels = check_truth(y_true)
    if classes is not None:
        pair = _ordered_pair(classes, pos_label)
        names = np.empty(2, dtype=object)
        names[:] = pair
        return as_codes(labels, names, name="y_true") == 1, pair
    if labels.dtype != object:
        pair = _find_pair(pd.unique(labels), pos_label)
        return np.asarray(labels == pair[1]), pair
    # Both libraries cut NULs off the end of a text somewhere, and numpy takes a tuple for an array.
    values = labels.tolist()
    distinct = dict.fromkeys(values)
    seen = np.empty(len(distinct), dtype=object)
    seen[:] = list(distinct)
    pair = _find_pair(seen, pos_label)
    equal = [label == pair[1] for label in values]
    return np.array(equal, dtype=np.bool_), pair


def _ordered_pair(classes: Sequence[Any], pos_label: Any) -> tuple[Any, Any]:
    """Order two declared classes as (negative, positive)."""
    if isinstance(classes, str) or len(classes) != 2 or classes[0] == classes[1]:
        raise ValueError(
            f"classes is {classes!r}; give two different labels, (negative, positive)."
        )
    negative, positive = classes
    if pos_label is None or pos_label == positive:
        return negative, positive
    if pos_label == negative:
        return positive, negative
    raise ValueError(f"pos_label is {pos_label!r}, which is not among classes {classes!r}.")


def _find_pair(seen: Labels, pos_label: Any) -> tuple[Any, Any]:
    """Name the classes (negative, positive) from the labels that occur."""
    values = seen.tolist()
    if pos_label is not None:
        rest = [value for value in values if value != pos_label]
        if len(rest) == len(values):
            raise ValueError(
                f"pos_label is {pos_label!r}, which does not occur in y_true "
                f"{few_labels(seen)}. If it may be missing, declare both labels with "
                "Staircase.from_predictions(..., classes=(negative, positive))."
            )
        return (rest[0] if len(rest) == 1 else f"not {pos_label}"), pos_label
    if not values:
        raise ValueError("y_true is empty; give at least one example.")
    if len(values) > 2:
        raise ValueError(
            f"y_true holds {len(values)} classes {few_labels(seen)}, but a score speaks for one "
            "class against the rest. Say which with pos_label=, or use "
            "cautious.curves.one_vs_rest for every class in turn."
        )
    for negative, positive in ((False, True), (0, 1), (-1, 1)):
        alike = all(isinstance(v, bool) == isinstance(negative, bool) for v in values)
        if alike and set(values) <= {negative, positive}:
            return negative, positive
    raise ValueError(
        f"pos_label is needed: y_true holds {few_labels(seen)}, and neither label is plainly the "
        f"positive one. Pass pos_label={values[-1]!r} or whichever class the score grows with."
    )
