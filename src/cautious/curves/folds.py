"""Out-of-fold answers of a cross-validation, pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from cautious._typing import Floats, Labels
from cautious.sets import check_truth, check_weight

__all__ = ["ask_folds"]

Answer = TypeVar("Answer")


def ask_folds(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Sequence[Any] | npt.ArrayLike,
    ask: Callable[[Any, Any], Answer],
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> tuple[Labels, list[Answer], Floats]:
    """Ask each model of a cross-validation about the examples that it had not seen.

    Parameters
    ----------
    cv_results : dict
        From ``cross_validate(..., return_estimator=True, return_indices=True)``.
    X, y : array-like
        The data that were cross-validated.
    ask : callable
        Takes a fitted estimator and rows of `X`, and gives the answer.
    sample_weight : array-like of shape (n,), optional
        How often each example counts.

    Returns
    -------
    y_true : ndarray of shape (m,)
        True labels of the test examples, fold by fold.
    answers : list
        One a fold.
    sample_weight : ndarray of shape (m,)
    """
    for key, option in (("estimator", "return_estimator"), ("indices", "return_indices")):
        if key not in cv_results:
            raise ValueError(f"cv_results has no {key!r}; call cross_validate with {option}=True.")
    truth = check_truth(y, name="y")
    weight = check_weight(sample_weight, len(truth))
    folds = [np.asarray(fold) for fold in cv_results["indices"]["test"]]
    answers = [
        ask(estimator, _safe_indexing(X, fold))
        for estimator, fold in zip(cv_results["estimator"], folds, strict=True)
    ]
    rows = np.concatenate(folds)
    return truth[rows], answers, weight[rows]
