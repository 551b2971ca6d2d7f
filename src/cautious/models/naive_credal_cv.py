"""The naive credal classifier with its caution chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Mask
from cautious.metrics import get_set_scorer
from cautious.models.base import CredalClassifierMixin, DiscreteClassifier
from cautious.models.class_costs import class_costs
from cautious.models.naive_credal import NaiveCredalClassifier

__all__ = ["NaiveCredalClassifierCV"]


class NaiveCredalClassifierCV(CredalClassifierMixin, DiscreteClassifier):
    """Naive credal classifier whose strength s is chosen by cross-validation.

    How much caution pays depends on the data and on what a set of classes is worth, so s is tuned
    against a measure of sets (Yang, Destercke & Masson 2017, section VII-C). This is
    ``GridSearchCV`` over s and nothing more; to tune other parameters too, or to use sample
    weights, use ``GridSearchCV`` itself with a scorer from
    :func:`cautious.metrics.make_set_scorer`.

    Parameters
    ----------
    s : sequence of floats, default=(0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10)
        Strengths to try.
    scoring : str or callable, default="u65"
        Name of a set scorer (:func:`cautious.metrics.get_set_scorer_names`) or a scorer made by
        :func:`cautious.metrics.make_set_scorer`.
    cv : int, splitter or iterable, optional
        What ``GridSearchCV`` takes; None is stratified 5-fold.
    idm, costs, epsilon, missing
        As for :class:`NaiveCredalClassifier`.
    n_jobs : int, optional
        Processes for the search.

    Attributes
    ----------
    best_s_ : float
        The chosen strength; the first of those that tie.
    best_score_ : float
        Its mean score over the folds.
    best_estimator_ : NaiveCredalClassifier
        Fitted with it on all examples.
    cv_results_ : dict
        What ``GridSearchCV`` recorded.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import NaiveCredalClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=90)
    >>> X = np.where(rng.random((90, 4)) < 0.5, y[:, None], rng.integers(3, size=(90, 4)))
    >>> model = NaiveCredalClassifierCV(s=[0.1, 1, 10], scoring="u80").fit(X, y)
    >>> model.best_s_ in (0.1, 1, 10), model.cv_results_["mean_test_score"].shape
    (True, (3,))
    """

    best_estimator_: NaiveCredalClassifier

    def __init__(
        self,
        s: Sequence[float] = (0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0),
        *,
        scoring: str | Callable[..., Any] = "u65",
        cv: Any = None,
        idm: Literal["global", "local"] = "global",
        costs: npt.ArrayLike | pd.DataFrame | None = None,
        epsilon: float = 0.0,
        missing: Literal["skip", "conservative"] = "skip",
        n_jobs: int | None = None,
    ) -> None:
        self.s = s
        self.scoring = scoring
        self.cv = cv
        self.idm = idm
        self.costs = costs
        self.epsilon = epsilon
        self.missing = missing
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Any:
        """Choose s and fit with it on all examples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Discrete features; nan, None and NA are missing.
        y : array-like of shape (n,)
            Class labels.

        Returns
        -------
        self
        """
        strengths = list(self.s) if isinstance(self.s, Sequence | np.ndarray) else [None]
        if not all(isinstance(s, Real) and 0 < s < np.inf for s in strengths):
            raise ValueError(f"s is {self.s!r}; give the strengths to try, all of them positive.")
        if not strengths:
            raise ValueError("s is empty; give at least one strength to try.")
        _, labels, _ = self._read_examples(X, y, None)
        costs = None
        if self.costs is not None:
            # By label: a fold that lacks a class still finds the costs of those it has.
            classes = np.unique(labels)
            costs = pd.DataFrame(class_costs(self.costs, classes), classes, classes)
        model = NaiveCredalClassifier(
            idm=self.idm, costs=costs, epsilon=self.epsilon, missing=self.missing
        )
        scoring = get_set_scorer(self.scoring) if isinstance(self.scoring, str) else self.scoring
        search = GridSearchCV(
            model,
            {"s": strengths},
            scoring=scoring,
            cv=self.cv,
            n_jobs=self.n_jobs,
            error_score="raise",
        ).fit(X, labels)
        self.best_estimator_ = search.best_estimator_
        self.best_s_, self.best_score_ = search.best_params_["s"], float(search.best_score_)
        self.cv_results_ = search.cv_results_
        self.classes_ = search.best_estimator_.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities with the chosen s; see :class:`NaiveCredalClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound class probabilities with the chosen s; see :class:`NaiveCredalClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba_bounds(X)

    def predict_set(self, X: Any) -> Mask:
        """Answer with sets of classes, with the chosen s; see :class:`NaiveCredalClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.predict_set(X)
