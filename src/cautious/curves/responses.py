"""Scores of the positive class from fitted scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Labels
from cautious.curves.folds import ask_folds
from cautious.sets.checks import few_labels

__all__ = ["estimator_scores", "pooled_scores"]

_METHODS = ("predict_proba", "decision_function")


def estimator_scores(
    estimator: Any, X: Any, *, pos_label: Any = None, response_method: str = "auto"
) -> tuple[Floats, Any]:
    """Score examples for the positive class with a fitted classifier.

    Parameters
    ----------
    estimator : fitted classifier
        With ``classes_`` and ``predict_proba`` or ``decision_function``.
    X : array-like
        Examples.
    pos_label : label, optional
        The positive class; by default the second of two.
    response_method : {"auto", "predict_proba", "decision_function"}
        What to ask the classifier; "auto" takes the first of the two that it has.

    Returns
    -------
    y_score : ndarray of shape (n,)
    pos_label : label
    """
    classes = np.asarray(estimator.classes_)
    if pos_label is None:
        if len(classes) != 2:
            raise ValueError(
                f"{type(estimator).__name__} knows {len(classes)} classes {few_labels(classes)}; "
                "say with pos_label= which one stands against the rest."
            )
        pos_label = classes[1:].tolist()[0]
    if pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label is {pos_label!r}, which is not among the classes {few_labels(classes)} of "
            f"{type(estimator).__name__}."
        )
    column = classes.tolist().index(pos_label)
    response = np.asarray(_method(estimator, response_method)(X), dtype=np.float64)
    if response.ndim == 2:
        return response[:, column], pos_label
    # A lone decision function speaks for the second class.
    return (response if column == 1 else -response), pos_label


def _method(estimator: Any, response_method: str) -> Any:
    if response_method not in ("auto", *_METHODS):
        raise ValueError(
            f"response_method is {response_method!r}; choose 'auto', 'predict_proba' or "
            "'decision_function'."
        )
    names = _METHODS if response_method == "auto" else (response_method,)
    for name in names:
        if hasattr(estimator, name):
            return getattr(estimator, name)
    raise TypeError(
        f"{type(estimator).__name__} has no {' or '.join(names)}; a score for the positive class "
        "is needed."
    )


def pooled_scores(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Sequence[Any] | npt.ArrayLike,
    *,
    pos_label: Any = None,
    response_method: str = "auto",
    sample_weight: npt.ArrayLike | None = None,
) -> tuple[Labels, Floats, Any, Floats]:
    """Pool the out-of-fold scores of a cross-validation.

    Parameters
    ----------
    cv_results : dict
        From ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X, y : array-like
        The data that were cross-validated.
    pos_label, response_method
        As in :func:`estimator_scores`.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    y_true, y_score, pos_label, sample_weight
        One row a test example a fold.
    """

    def ask(estimator: Any, rows: Any) -> Floats:
        nonlocal pos_label  # what the first fold takes for positive is so in the others
        score, pos_label = estimator_scores(
            estimator, rows, pos_label=pos_label, response_method=response_method
        )
        return score

    truth, scores, weight = ask_folds(cv_results, X, y, ask, sample_weight=sample_weight)
    return truth, np.concatenate(scores), pos_label, weight
