"""What wrappers share: they fit another classifier and decide on its probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    indexable,
)

from cautious._typing import Floats, Labels, Mask
from cautious.models.base import CautiousClassifierMixin
from cautious.sets import check_probabilities, check_weight

__all__ = [
    "ProbabilisticWrapper",
    "borrow_input_tags",
    "check_examples",
    "check_probabilistic",
    "drop_weightless",
    "fit_metadata",
    "take_over_features",
]


class ProbabilisticWrapper(MetaEstimatorMixin, CautiousClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of classifiers that turn the probabilities of another one into sets.

    A subclass says what it decides (``_decide``). Wrap an estimator that is already fitted in
    scikit-learn's ``FrozenEstimator`` to keep it as it is.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    """

    estimator: Any
    estimator_: Any

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, **fit_params: Any
    ) -> Any:
        """Fit the estimator.

        Parameters
        ----------
        X, y : array-like
            Examples and their labels, as the estimator takes them.
        sample_weight : array-like of shape (n,), optional
            Repetitions of each row, for the estimator.
        **fit_params
            Anything else for the estimator's ``fit``.

        Returns
        -------
        self
        """
        check_probabilistic(self.estimator)
        params = fit_metadata(self, self.estimator, sample_weight, fit_params)
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        self.classes_ = np.asarray(self.estimator_.classes_)
        take_over_features(self, self.estimator_)
        self._check_decision()
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities with the fitted estimator.

        Parameters
        ----------
        X : array-like
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in ``classes_`` order.
        """
        check_is_fitted(self)
        p = self.estimator_.predict_proba(X)
        return check_probabilities(p, name="predict_proba(X)", n_classes=len(self.classes_))

    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row.

        Parameters
        ----------
        X : array-like
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K), bool
            One row an example, one column a class in ``classes_`` order; a full row abstains.
        """
        return self._sets(X, self.predict_proba(X))

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each set.

        Parameters
        ----------
        X : array-like
            Rows to classify.

        Returns
        -------
        ndarray of shape (n,)
            The answer where there is one; where there is doubt, the likeliest of what remains.
        """
        p = self.predict_proba(X)
        best = np.where(self._sets(X, p), p, -1.0).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _sets(self, X: Any, p: Floats) -> Mask:
        if p.shape[1] == 1:  # a lone class leaves nothing to decide
            return np.ones(p.shape, dtype=np.bool_)
        return self._decide(X, p)

    @abstractmethod
    def _decide(self, X: Any, p: Floats) -> Mask:
        """Turn probabilities of at least two classes into sets."""

    def _check_decision(self) -> None:
        """Raise on parameters that do not fit the classes."""

    def __sklearn_tags__(self) -> Any:
        return borrow_input_tags(super().__sklearn_tags__(), self.estimator)

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that metadata of ``fit`` goes on to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)


def check_examples(
    X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
) -> tuple[Any, Labels, Floats | None]:
    """Make rows of X selectable and check labels and weights; X is for the estimator to check.

    Parameters
    ----------
    X, y : array-like
        Examples and their labels.
    sample_weight : array-like of shape (n,), optional
        Weights, not all zero.

    Returns
    -------
    X, labels, weight
    """
    (X,) = indexable(X)
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    if sample_weight is None:
        return X, labels, None
    weight = check_weight(sample_weight, len(labels))
    if len(weight) and not weight.any():
        raise ValueError("sample_weight is zero for every row; give at least one row a weight.")
    return X, labels, weight


def drop_weightless(
    X: Any, labels: Labels, weight: Floats, params: Mapping[str, Any]
) -> tuple[Any, Labels, Floats, dict[str, Any]]:
    """Drop rows of weight zero, which are not there, from all that goes with the rows."""
    if weight.all():
        return X, labels, weight, dict(params)
    rows = np.flatnonzero(weight)
    own = {name: _safe_indexing(value, rows) for name, value in params.items()}
    return _safe_indexing(X, rows), labels[rows], weight[rows], own


def check_probabilistic(estimator: Any) -> None:
    """Refuse an estimator that gives no class probabilities."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}, which has no predict_proba; calibrate it "
            "first, for example with sklearn.calibration.CalibratedClassifierCV."
        )


def fit_metadata(
    owner: Any,
    estimator: Any,
    sample_weight: npt.ArrayLike | None,
    fit_params: Mapping[str, Any],
    *,
    name: str = "estimator",
) -> dict[str, Any]:
    """Find what to hand on to an estimator's ``fit``.

    Parameters
    ----------
    owner : estimator
        The wrapper.
    estimator : estimator
        What it wraps.
    sample_weight : array-like or None
        Weights given to the wrapper.
    fit_params : mapping
        Other metadata given to the wrapper.
    name : str
        What the wrapper's router calls the estimator.

    Returns
    -------
    dict
        Where scikit-learn's metadata routing is enabled, what the estimator requested; otherwise
        everything.
    """
    if get_config().get("enable_metadata_routing", False):
        given = {**fit_params, "sample_weight": sample_weight}
        routed = process_routing(owner, "fit", **given)
        return dict(routed[name]["fit"])
    if sample_weight is None or isinstance(estimator, FrozenEstimator):
        return dict(fit_params)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"{type(estimator).__name__}.fit takes no sample_weight; leave the weights out, or, "
            "for a pipeline, pass them as <step>__sample_weight."
        )
    return {**fit_params, "sample_weight": sample_weight}


def take_over_features(owner: Any, fitted: Any) -> None:
    """Remember the number and names of the features that a wrapped estimator saw."""
    for attribute in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, attribute):
            setattr(owner, attribute, getattr(fitted, attribute))
        elif hasattr(owner, attribute):  # left over from an earlier fit
            delattr(owner, attribute)


def borrow_input_tags(tags: Any, estimator: Any) -> Any:
    """Let a wrapper accept what the estimator it wraps accepts."""
    inner = get_tags(estimator)
    for name in ("allow_nan", "categorical", "pairwise", "sparse", "string", "positive_only"):
        setattr(tags.input_tags, name, getattr(inner.input_tags, name))
    if inner.classifier_tags is not None:
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
    return tags
