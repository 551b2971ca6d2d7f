"""Checks on scores, confidences and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, as_floats
from cautious.sets import (
    check_classes,
    check_probabilities,
    check_truth,
    first_row,
    frame_in_class_order,
    has_names,
    sorted_labels,
)

__all__ = ["check_length", "check_width", "class_scores", "finite_losses", "flat_numbers"]


def flat_numbers(values: npt.ArrayLike, name: str, like: npt.NDArray[Any] | None = None) -> Floats:
    """Check a flat array of numbers, none missing, as long as `like`."""
    array = as_floats(values, name)
    if array.ndim != 1 or (like is not None and len(array) != len(like)):
        expected = "(n,)" if like is None else f"({len(like)},)"
        raise ValueError(f"{name} has shape {array.shape}; expected {expected}, one number a case.")
    if np.isnan(array).any():
        raise ValueError(f"{name} is NaN in row {first_row(np.isnan(array))}; drop or fill it.")
    return array


def finite_losses(loss: npt.ArrayLike, like: npt.NDArray[Any]) -> Floats:
    """Check losses: flat, as long as `like`, none missing or infinite."""
    losses = flat_numbers(loss, "loss", like)
    if np.isinf(losses).any():
        row = first_row(np.isinf(losses))
        raise ValueError(f"loss is {losses[row]} in row {row}; losses must be finite.")
    return losses


def class_scores(
    y_score: npt.ArrayLike,
    y_true: Sequence[Any] | npt.ArrayLike | None = None,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    *,
    name: str = "y_score",
) -> Floats:
    """Bring scores to one column a class, whichever of the two forms they came in.

    The columns of a frame that is named after the classes are put in the order of `classes`, or of
    the sorted labels of `y_true`. Probabilities of low precision are divided by their sum, as
    :func:`cautious.sets.check_probabilities` does.
    """
    if classes is not None:
        y_score = frame_in_class_order(y_score, check_classes(classes), name)
    elif y_true is not None and has_names(y_score):
        seen = check_classes(sorted_labels(check_truth(y_true).tolist()), name="y_true")
        check_width(y_true, np.shape(y_score)[1], name)
        y_score = frame_in_class_order(y_score, seen, name)
    scores = as_floats(y_score, name, "scores")
    if scores.ndim not in (1, 2) or (scores.ndim == 2 and scores.shape[1] == 0):
        raise ValueError(
            f"{name} has shape {scores.shape}; expected (n, K) class scores, or (n,) "
            "probabilities of the second of two classes."
        )
    missing = np.isnan(scores) if scores.ndim == 1 else np.isnan(scores).any(axis=1)
    if missing.any():
        raise ValueError(f"{name} is NaN in row {first_row(missing)}; drop or fill it.")
    if scores.ndim == 1:
        outside = (scores < 0) | (scores > 1)
        if outside.any():
            row = first_row(outside)
            raise ValueError(
                f"{name} is {scores[row]} in row {row}; a single column holds probabilities of "
                "the second class, between 0 and 1. For other scores give one column a class."
            )
        return np.column_stack([1 - scores, scores])
    return scores if scores is y_score else _settled(scores, y_score)


def _settled(scores: Floats, given: npt.ArrayLike) -> Floats:
    """Settle rounded probabilities; scores of another kind stay as they are."""
    try:
        return check_probabilities(given)
    except ValueError:
        return scores


def check_length(y_true: Sequence[Any] | npt.ArrayLike, rows: npt.NDArray[Any], name: str) -> None:
    """Raise an error if there is not one row a truth."""
    n = len(check_truth(y_true))
    if len(rows) != n:
        raise ValueError(
            f"y_true has {n} rows and {name} has {len(rows)}; give one of each an example."
        )


def check_width(
    y_true: Sequence[Any] | npt.ArrayLike, n_classes: int, name: str = "y_score"
) -> None:
    """Raise an error if the classes of the columns cannot be told from the truths."""
    seen = len(set(check_truth(y_true).tolist()))
    if seen != n_classes:
        raise ValueError(
            f"{name} is about {n_classes} classes but y_true holds {seen} different labels; "
            "pass classes= with the class of each column, in order "
            "(for an estimator: classes=estimator.classes_)."
        )
