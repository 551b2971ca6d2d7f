"""Checks on scores, confidences and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Labels, as_floats
from cautious.predictions import binary_classes
from cautious.sets import (
    check_classes,
    check_probabilities,
    check_truth,
    first_row,
    frame_in_class_order,
    has_names,
    sorted_labels,
)

__all__ = ["class_scores", "finite_losses", "flat_numbers"]


def flat_numbers(values: npt.ArrayLike, name: str, like: npt.NDArray[Any] | None = None) -> Floats:
    """Check a flat array of numbers, none missing, as long as `like`."""
    array = as_floats(values, name)
    if array.ndim != 1 or (like is not None and len(array) != len(like)):
        expected = "(n,)" if like is None else f"({len(like)},)"
        raise ValueError(
            f"{name} has shape {array.shape}; expected {expected}, one number per case."
        )
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
    y_true: Sequence[Any] | npt.ArrayLike,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    pos_label: Any = None,
    *,
    name: str = "y_score",
) -> tuple[Floats, Labels]:
    """Bring scores to one column per class, whichever of the two forms they came in.

    The columns of a frame that is named after the classes are put in the order of `classes`, or of
    the sorted labels of `y_true`. Probabilities of low precision are divided by their sum, as
    :func:`cautious.sets.check_probabilities` does. A single column is about the second class, or
    `pos_label`, which is never guessed from the alphabet.

    Returns
    -------
    scores : ndarray of shape (n, K)
    classes : ndarray of shape (K,)
    """
    truth = check_truth(y_true)
    known = check_classes(classes) if classes is not None else None
    seen = sorted_labels(truth) if known is None else []
    if known is None and has_names(y_score):
        _check_width(seen, np.shape(y_score)[1], name)
        known = check_classes(seen, name="y_true")
    if known is not None:
        y_score = frame_in_class_order(y_score, known, name)
    scores = as_floats(y_score, name, "scores")
    if scores.ndim not in (1, 2) or (scores.ndim == 2 and scores.shape[1] == 0):
        raise ValueError(
            f"{name} has shape {scores.shape}; expected (n, K) class scores, or (n,) "
            "probabilities of the positive one of two classes."
        )
    missing = np.isnan(scores) if scores.ndim == 1 else np.isnan(scores).any(axis=1)
    if missing.any():
        raise ValueError(f"{name} is NaN in row {first_row(missing)}; drop or fill it.")
    if len(scores) != len(truth):
        raise ValueError(
            f"y_true has {len(truth)} rows and {name} has {len(scores)}; give one of each per case."
        )
    if known is None:
        _check_width(seen, 2 if scores.ndim == 1 else scores.shape[1], name)
    if scores.ndim == 1:
        outside = (scores < 0) | (scores > 1)
        if outside.any():
            row = first_row(outside)
            raise ValueError(
                f"{name} is {scores[row]} in row {row}; a single column holds probabilities of "
                "the positive class, between 0 and 1. For other scores give one column per class."
            )
        declared = None if known is None else known.tolist()
        pair = binary_classes(declared or seen, pos_label=pos_label, classes=declared)
        return np.column_stack([1 - scores, scores]), check_classes(pair)
    if known is None:
        known = check_classes(seen, name="y_true")
    return (scores if scores is y_score else _settled(scores, y_score)), known


def _check_width(seen: list[Any], n_classes: int, name: str) -> None:
    """Raise an error if the classes of the columns cannot be told from the truths."""
    if len(seen) != n_classes:
        raise ValueError(
            f"{name} is about {n_classes} classes but y_true holds {len(seen)} different labels; "
            "pass classes= with the class of each column, in order "
            "(for an estimator: classes=estimator.classes_)."
        )


def _settled(scores: Floats, given: npt.ArrayLike) -> Floats:
    """Settle rounded probabilities; scores of another kind stay as they are."""
    try:
        return check_probabilities(given)
    except ValueError:
        return scores
