"""The cautious forest whose strength of the prior, or risk, is chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from cautious._random import as_generator
from cautious._typing import Floats, Labels, Mask, RandomState
from cautious.errors import shown
from cautious.metrics import make_set_scorer
from cautious.models.base import (
    CredalClassifierMixin,
    borrow_input_tags,
    check_examples,
    check_folds,
    check_probabilistic,
    drop_weightless,
    take_over_features,
)
from cautious.models.forests.classifier import CautiousForestClassifier, ForestRule
from cautious.utility._forms import UtilityLike

__all__ = ["CautiousForestClassifierCV"]


class CautiousForestClassifierCV(MetaEstimatorMixin, CredalClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Cautious forest whose strength s, or risk, is chosen by cross-validation.

    One forest is grown per fold and asked with every setting, so the search costs no more forests
    than there are folds, and one for all examples.

    Parameters
    ----------
    estimator : classifier, optional
        The forest; see :class:`CautiousForestClassifier`.
    rule : {"cdm-vote", "cdm-ave", "ave", "mva", "cr"}, default="cdm-vote"
        How a set is made of what the trees say. "cr" chooses its risk, the others s; "ndc" has
        nothing to choose.
    s : sequence of floats, default=(0.5, 1.0, 1.5, 2.0, 2.5)
        Strengths to try.
    risk : sequence of floats, default=(0.05, 0.1, …, 0.5)
        Risks to try with the rule "cr".
    utility : str, Utility or callable, default="u65"
        What a right set is worth to the rule.
    scoring : str or callable, default="u65"
        Name of a set scorer (:data:`cautious.metrics.MEASURES`) or a scorer made by
        :func:`cautious.metrics.make_set_scorer`.
    cv : int, splitter or iterable, optional
        What scikit-learn's ``check_cv`` takes; None is stratified 5-fold.
    random_state : int, RandomState, Generator or None
        Seed of the forests, unless they are seeded themselves.

    Attributes
    ----------
    best_params_ : dict
        The chosen setting, ``{"s": …}`` or ``{"risk": …}``; the first of those that tie.
    best_score_ : float
        Its mean score over the folds.
    best_estimator_ : CautiousForestClassifier
        Grown on all examples.
    scores_ : ndarray of shape (settings, folds)
        All scores.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.

    References
    ----------
    Zhang, Quost & Masson (2023), *Cautious decision-making for tree ensembles*, whose grids these
    are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from cautious.models import CautiousForestClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = RandomForestClassifier(n_estimators=10, random_state=0)
    >>> forest = CautiousForestClassifierCV(trees, s=(1.0, 4.0), scoring="u80", cv=3).fit(X, y)
    >>> sorted(forest.best_params_), forest.scores_.shape
    (['s'], (2, 3))
    """

    best_estimator_: CautiousForestClassifier

    def __init__(
        self,
        estimator: Any = None,
        rule: ForestRule = "cdm-vote",
        *,
        s: Sequence[float] = (0.5, 1.0, 1.5, 2.0, 2.5),
        risk: Sequence[float] = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
        utility: UtilityLike = "u65",
        scoring: str | Callable[..., Any] = "u65",
        cv: Any = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.s = s
        self.risk = risk
        self.utility = utility
        self.scoring = scoring
        self.cv = cv
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, groups: Any = None
    ) -> Any:
        """Choose s, or the risk, and grow the forest on all examples."""
        name, settings = self._settings()
        check_folds(self.cv)
        if self.estimator is not None:
            check_probabilistic(self.estimator)  # before copies are made
        scoring: Any = self.scoring
        if isinstance(scoring, str):
            scoring = make_set_scorer(scoring)
        X, labels, weight = check_examples(X, y, sample_weight)
        if weight is not None:
            X, labels, weight, rest = drop_weightless(X, labels, weight, {"groups": groups})
            groups = rest["groups"]
        seed = int(as_generator(self.random_state).integers(2**31))
        model = CautiousForestClassifier(
            self.estimator, self.rule, utility=self.utility, random_state=seed
        )
        self.best_estimator_ = clone(model).fit(X, labels, sample_weight=weight)
        scores = []
        for train, test in check_cv(self.cv, labels, classifier=True).split(X, labels, groups):
            own = None if weight is None else weight[train]
            grown = clone(model).fit(_safe_indexing(X, train), labels[train], sample_weight=own)
            asked = {} if weight is None else {"sample_weight": weight[test]}
            rows, truth = _safe_indexing(X, test), labels[test]
            scores.append(
                [
                    float(scoring(grown.set_params(**{name: setting}), rows, truth, **asked))
                    for setting in settings
                ]
            )
        self.scores_: Floats = np.array(scores).T
        means = self.scores_.mean(axis=1)
        best = int(np.argmax(means))
        self.best_params_: dict[str, Any] = {name: settings[best]}
        self.best_score_: float = float(means[best])
        self.best_estimator_.set_params(**self.best_params_)
        self.classes_: Labels = self.best_estimator_.classes_
        take_over_features(self, self.best_estimator_)
        return self

    def predict(self, X: Any) -> Any:
        """Name the most probable class of each set; see :class:`CautiousForestClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities with the forest."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound class probabilities with the chosen s; see :class:`CautiousForestClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba_bounds(X)

    def predict_set(self, X: Any) -> Mask:
        """Answer with sets by the chosen setting; see :class:`CautiousForestClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.predict_set(X)

    def _settings(self) -> tuple[str, list[float]]:
        """Name of what is chosen, and what it is chosen from."""
        if self.rule == "ndc":
            raise ValueError(
                "rule is 'ndc', which has nothing to choose; use CautiousForestClassifier."
            )
        name = "risk" if self.rule == "cr" else "s"
        for each in ("s", "risk"):
            given = getattr(self, each)
            known = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
            if not known or not len(given) or not all(isinstance(v, Real) for v in given):
                raise ValueError(
                    f"{each} is {shown(given)}; give a sequence of the numbers to try."
                )
            for value in given:
                CautiousForestClassifier(
                    rule=self.rule, utility=self.utility, **{each: value}
                )._check_parameters()
        return name, list(getattr(self, name))

    def __sklearn_tags__(self) -> Any:
        forest = CautiousForestClassifier(self.estimator)
        return borrow_input_tags(super().__sklearn_tags__(), forest)
