"""Prediction sets for every example, each from a model that has not seen it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import cross_validate

from cautious._typing import Mask
from cautious.predictions import can_answer, pooled_outputs

__all__ = ["cross_val_predict_set"]


def cross_val_predict_set(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
) -> Mask:
    """Answer every example with the set of a model trained on the other folds.

    What scikit-learn's ``cross_val_predict`` is for ``predict``; that one does not take
    ``predict_set``.

    Parameters
    ----------
    estimator : classifier with ``predict_set``
        Not fitted; a clone is fitted in every fold. It may be in a pipeline or in a search such as
        ``GridSearchCV``.
    X, y : array-like
        Examples and labels.
    cv : int, splitter or iterable, optional
        As scikit-learn takes it; by default five stratified folds. Every example must be tested
        exactly once.
    groups : array-like of shape (n,), optional
        For splitters that keep groups together.
    n_jobs : int, optional
        Processes.
    params : dict, optional
        Passed on to ``fit`` and the splitter, as by ``cross_validate``.

    Returns
    -------
    ndarray of shape (n, K), bool
        Prediction sets in the order of the examples, columns in the sorted order of the labels. A
        class that a fold's training part lacked is in none of that fold's sets.

    Raises
    ------
    ValueError
        If `cv` leaves an example out or tests it twice.

    Examples
    --------
    >>> from cautious.datasets import load_dataset
    >>> from cautious.metrics import utility_score
    >>> from cautious.models import NaiveCredalClassifier, cross_val_predict_set
    >>> X, y = load_dataset("vote", return_X_y=True)
    >>> sets = cross_val_predict_set(NaiveCredalClassifier(), X, y)
    >>> sets.shape
    (435, 2)
    >>> round(utility_score(y, sets, utility="u80"), 3)
    0.9
    """
    if not can_answer(estimator, "predict_set"):
        raise TypeError(
            f"estimator is {estimator!r}, which has no predict_set; wrap it, as in "
            "AbstainingClassifier(estimator)."
        )
    folds = cross_validate(
        *(estimator, X, y),
        cv=cv,
        groups=groups,
        scoring=_unscored,
        n_jobs=n_jobs,
        params=None if params is None else dict(params),
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    tested = np.concatenate(folds["indices"]["test"])
    order = np.argsort(tested, kind="stable")
    times = np.bincount(tested, minlength=len(y))
    if (times != 1).any():
        row = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"cv tests row {row} {times[row]} times; every row must be tested once, as by KFold or "
            "StratifiedKFold."
        )
    _, sets, _, _ = pooled_outputs(folds, X, y, "predict_set")
    return np.asarray(sets[order])


def _unscored(estimator: Any, X: Any, y: Any) -> float:
    """Measure nothing: the sets are wanted, not a score."""
    return 0.0
