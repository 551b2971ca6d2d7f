"""Scores of the positive class from fitted scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from cautious._typing import Floats, Ints
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
    *,
    pos_label: Any = None,
    response_method: str = "auto",
) -> tuple[Ints, Floats, Any]:
    """Pool the out-of-fold scores of a cross-validation.

    Parameters
    ----------
    cv_results : dict
        From ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X : array-like
        The examples that were cross-validated.
    pos_label, response_method
        As in :func:`estimator_scores`.

    Returns
    -------
    rows : ndarray of shape (m,), int
        Which example each score belongs to.
    y_score : ndarray of shape (m,)
    pos_label : label
    """
    for key, option in (("estimator", "return_estimator"), ("indices", "return_indices")):
        if key not in cv_results:
            raise ValueError(f"cv_results has no {key!r}; call cross_validate with {option}=True.")
    tests: Sequence[npt.ArrayLike] = cv_results["indices"]["test"]
    scores = []
    for estimator, test in zip(cv_results["estimator"], tests, strict=True):
        score, pos_label = estimator_scores(
            estimator, _safe_indexing(X, test), pos_label=pos_label, response_method=response_method
        )
        scores.append(score)
    return np.concatenate([np.asarray(t) for t in tests]), np.concatenate(scores), pos_label
