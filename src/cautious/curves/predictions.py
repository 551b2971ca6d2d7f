"""Truths and class probabilities, brought together and checked once for every curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Labels
from cautious.curves.folds import ask_folds
from cautious.sets.checks import (
    as_codes,
    check_classes,
    check_probabilities,
    check_truth,
    check_weight,
    few_labels,
)
from cautious.sets.frames import frame_in_class_order, has_names

__all__ = ["Predictions", "check_predictions", "outputs_of", "pooled_outputs"]


@dataclass(frozen=True)
class Predictions:
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


def check_predictions(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_proba: npt.ArrayLike,
    *,
    labels: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> Predictions:
    """Check truths against class probabilities and drop the examples of weight zero.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_proba : array-like of shape (n, K)
        Class probabilities, columns in the order of `labels`; those of a frame may have any
        order if they are named after the classes.
    labels : sequence of length K, optional
        Class labels in column order; by default the sorted labels of `y_true`.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    Predictions

    Raises
    ------
    ValueError
        If the shapes disagree, a row is no probability distribution, or no example counts.

    Examples
    --------
    >>> check_predictions(["no", "yes"], [[0.7, 0.3], [0.4, 0.6]], sample_weight=[2, 0])
    Predictions(truth=array([0]), proba=array([[0.7, 0.3]]), ... weight=array([2.]))
    """
    truth = check_truth(y_true)
    classes = _sorted_classes(truth) if labels is None else check_classes(labels, name="labels")
    # A wrong width has a better error below.
    if has_names(y_proba) and np.shape(y_proba)[1] == len(classes):
        y_proba = frame_in_class_order(y_proba, classes, "y_proba")
    proba = check_probabilities(y_proba, name="y_proba")
    if proba.shape[1] != len(classes):
        origin = "y_true holds" if labels is None else "labels holds"
        raise ValueError(
            f"y_proba has {proba.shape[1]} columns but {origin} {len(classes)} classes "
            f"{few_labels(classes)}; pass labels= with the class of each column, in order "
            "(for an estimator: labels=estimator.classes_)."
        )
    if len(classes) < 2:
        raise ValueError(
            f"there is only the class {few_labels(classes)}; abstaining needs at least two to "
            "choose from. Pass labels= if others are merely absent from y_true."
        )
    if len(proba) != len(truth):
        raise ValueError(
            f"y_true has {len(truth)} rows and y_proba has {len(proba)}; "
            "give one of each an example."
        )
    weight = check_weight(sample_weight, len(truth))
    codes = as_codes(truth, classes, name="y_true")
    counts = weight > 0
    if not counts.any():
        raise ValueError(
            "there is no example of positive weight; a curve needs at least one prediction."
        )
    if counts.all():
        return Predictions(codes, proba, classes, weight)
    return Predictions(codes[counts], proba[counts], classes, weight[counts])


def _sorted_classes(truth: Labels) -> Labels:
    try:
        return check_classes(np.unique(truth), name="labels")
    except TypeError:
        raise ValueError(
            "y_true mixes labels of different kinds, which have no order; pass labels= with the "
            "class of each column."
        ) from None


def outputs_of(estimator: Any, X: Any, method: str) -> tuple[npt.NDArray[Any], Labels]:
    """Answers of a fitted estimator and the classes of their columns.

    Parameters
    ----------
    estimator : fitted classifier
        With the method asked for and with ``classes_``.
    X : array-like
        Examples.
    method : {"predict_proba", "predict_set"}
        What to ask.

    Returns
    -------
    outputs : ndarray of shape (n, K)
    classes : ndarray of shape (K,)
    """
    ask = getattr(estimator, method, None)
    if ask is None:
        raise TypeError(
            f"{type(estimator).__name__} has no {method}; "
            + (
                "calibrate it first, for example with CalibratedClassifierCV."
                if method == "predict_proba"
                else "wrap it first, for example in cautious.models.AbstainingClassifier."
            )
        )
    return np.asarray(ask(X)), np.asarray(estimator.classes_)


def pooled_outputs(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Sequence[Any] | npt.ArrayLike,
    method: str,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> tuple[Labels, npt.NDArray[Any], Labels, Floats]:
    """Pool the answers of a cross-validation, each given by a model that had not seen the example.

    Parameters
    ----------
    cv_results : dict
        From ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X, y : array-like
        The data that were cross-validated.
    method : {"predict_proba", "predict_set"}
        What to ask the estimators.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    y_true, outputs, classes, sample_weight
        One row a test example a fold. A class that a fold's training part lacked gets
        probability zero, or stays out of the sets, in that fold.
    """
    truth, answers, weight = ask_folds(
        cv_results,
        X,
        y,
        lambda estimator, rows: outputs_of(estimator, rows, method),
        sample_weight=sample_weight,
    )
    every = [check_truth(y, name="y"), *(known for _, known in answers)]
    classes = _sorted_classes(np.concatenate(every))
    aligned = []
    for outputs, known in answers:
        full = np.zeros((len(outputs), len(classes)), dtype=outputs.dtype)
        full[:, as_codes(known, classes, name="classes_")] = outputs
        aligned.append(full)
    return truth, np.concatenate(aligned), classes, weight
