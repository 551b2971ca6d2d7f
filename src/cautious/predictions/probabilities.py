"""Truths and class probabilities, brought together and checked once for every curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Labels
from cautious.sets import (
    as_codes,
    check_classes,
    check_probabilities,
    check_truth,
    check_weight,
    few_labels,
    frame_in_class_order,
    has_names,
)

__all__ = ["CheckedProbabilities", "check_proba", "sorted_classes"]


@dataclass(frozen=True)
class CheckedProbabilities:
    """Examples of positive weight with their truths and class probabilities.

    Attributes
    ----------
    truth : ndarray of shape (n,), int
        True class of each example as a position in ``classes``.
    proba : ndarray of shape (n, K)
        Class probabilities.
    classes : ndarray of shape (K,)
        Class labels in column order.
    weight : ndarray of shape (n,)
        How often each example counts.
    """

    truth: Ints
    proba: Floats
    classes: Labels
    weight: Floats


def check_proba(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_proba: npt.ArrayLike,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> CheckedProbabilities:
    """Check truths against class probabilities and drop the examples of weight zero.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_proba : array-like of shape (n, K)
        Class probabilities, columns in the order of `classes`; those of a frame may have any
        order if they are named after the classes.
    classes : sequence of length K, optional
        Class labels in column order; by default the sorted labels of `y_true`.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    CheckedProbabilities

    Raises
    ------
    ValueError
        If the shapes disagree, a row is no probability distribution, or no example counts.

    Examples
    --------
    >>> check_proba(["no", "yes"], [[0.7, 0.3], [0.4, 0.6]], sample_weight=[2, 0])
    CheckedProbabilities(truth=array([0]), proba=array([[0.7, 0.3]]), ... weight=array([2.]))
    """
    truth = check_truth(y_true)
    named = classes is not None
    labels = sorted_classes(truth) if classes is None else check_classes(classes)
    # A wrong width has a better error below.
    if has_names(y_proba) and np.shape(y_proba)[1] == len(labels):
        y_proba = frame_in_class_order(y_proba, labels, "y_proba")
    proba = check_probabilities(y_proba, name="y_proba")
    if proba.shape[1] != len(labels):
        origin = "classes holds" if named else "y_true holds"
        raise ValueError(
            f"y_proba has {proba.shape[1]} columns but {origin} {len(labels)} classes "
            f"{few_labels(labels)}; pass classes= with the class of each column, in order "
            "(for an estimator: classes=estimator.classes_)."
        )
    if len(labels) < 2:
        raise ValueError(
            f"there is only the class {few_labels(labels)}; abstaining needs at least two to "
            "choose from. Pass classes= if others are merely absent from y_true."
        )
    if len(proba) != len(truth):
        raise ValueError(
            f"y_true has {len(truth)} rows and y_proba has {len(proba)}; "
            "give one of each an example."
        )
    weight = check_weight(sample_weight, len(truth))
    codes = as_codes(truth, labels, name="y_true")
    counts = weight > 0
    if not counts.any():
        raise ValueError(
            "there is no example of positive weight; a curve needs at least one prediction."
        )
    if counts.all():
        return CheckedProbabilities(codes, proba, labels, weight)
    return CheckedProbabilities(codes[counts], proba[counts], labels, weight[counts])


def sorted_classes(truth: Labels) -> Labels:
    """Classes in the order of scikit-learn, from the labels that occur."""
    try:
        return check_classes(np.unique(truth), name="classes")
    except TypeError:
        raise ValueError(
            "y_true mixes labels of different kinds, which have no order; pass classes= with the "
            "class of each column."
        ) from None
