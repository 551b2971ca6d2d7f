"""A classifier with its preparation, learned together on the training fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Labels, Mask
from cautious.models import CautiousClassifierMixin

__all__ = ["PreparedClassifier"]


def _classifier_has(method: str) -> Any:
    def check(self: PreparedClassifier) -> bool:
        return hasattr(getattr(self, "classifier_", self.classifier), method)

    return check


class PreparedClassifier(MetaEstimatorMixin, CautiousClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A cautious classifier with transformers in front of it.

    scikit-learn's ``Pipeline`` does not pass ``predict_set`` through; this does. A classifier that
    has none answers with sets of one class, so that bold and cautious ones can be compared.

    Parameters
    ----------
    classifier : classifier
        Any classifier, cautious or not.
    preparation : transformer, optional
        What is done to the features first, for example an ``MDLDiscretizer`` or a pipeline of
        transformers. It is fitted on the training examples only.

    Attributes
    ----------
    classifier_, preparation_ : estimators
        What was fitted; ``preparation_`` is None without a preparation.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.

    Examples
    --------
    >>> from cautious.datasets import load_dataset
    >>> from cautious.experiments import PreparedClassifier
    >>> from cautious.models import NaiveCredalClassifier
    >>> from cautious.preparation import MDLDiscretizer
    >>> X, y = load_dataset("iris", return_X_y=True)
    >>> model = PreparedClassifier(NaiveCredalClassifier(), MDLDiscretizer()).fit(X, y)
    >>> model.predict_set(X.iloc[[0, 70]])
    array([[ True, False, False],
           [False, False,  True]])
    """

    def __init__(self, classifier: Any, preparation: Any = None) -> None:
        self.classifier = classifier
        self.preparation = preparation

    def fit(self, X: Any, y: Any) -> Any:
        """Fit the preparation, then the classifier on what it makes of the examples.

        Parameters
        ----------
        X, y : array-like
            Examples and their labels.

        Returns
        -------
        self
        """
        self.preparation_ = None
        prepared = X
        if self.preparation is not None:
            self.preparation_ = clone(self.preparation)
            prepared = self.preparation_.fit(X, y).transform(X)
        self.classifier_ = clone(self.classifier).fit(prepared, y)
        self.classes_ = np.asarray(self.classifier_.classes_)
        first = self.classifier_ if self.preparation_ is None else self.preparation_
        for attribute in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, attribute):
                setattr(self, attribute, getattr(first, attribute))
        return self

    def predict(self, X: Any) -> Labels:
        """Name one class for each row, as the classifier does."""
        return np.asarray(self.classifier_.predict(self._prepared(X)))

    def predict_set(self, X: Any) -> Mask:
        """Answer with the classifier's sets, or with its single answers if it has no sets."""
        prepared = self._prepared(X)
        if hasattr(self.classifier_, "predict_set"):
            return np.asarray(self.classifier_.predict_set(prepared))
        answers = np.asarray(self.classifier_.predict(prepared))
        return np.asarray(answers[:, None] == self.classes_[None, :])

    @available_if(_classifier_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, as the classifier does."""
        return np.asarray(self.classifier_.predict_proba(self._prepared(X)))

    @available_if(_classifier_has("predict_proba_bounds"))  # type: ignore[untyped-decorator]
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities, as the classifier does."""
        lower, upper = self.classifier_.predict_proba_bounds(self._prepared(X))
        return lower, upper

    def _prepared(self, X: Any) -> Any:
        check_is_fitted(self)
        return X if self.preparation_ is None else self.preparation_.transform(X)

    def __sklearn_tags__(self) -> Any:
        """Accept what the first of the two accepts."""
        tags = super().__sklearn_tags__()
        first = self.classifier if self.preparation is None else self.preparation
        tags.input_tags = get_tags(first).input_tags
        return tags
