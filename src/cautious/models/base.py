"""What cautious estimators share: the contract, and metadata handed on as in scikit-learn.

:class:`CautiousClassifierMixin` is the contract: ``predict`` always names one class, so every
scikit-learn tool keeps working, and the caution is in ``predict_set``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    column_or_1d,
    has_fit_parameter,
    indexable,
)

from cautious._checks import check_weight
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs._forms import as_cost_matrix
from cautious.metrics import make_set_scorer

__all__ = [
    "CautiousClassifierMixin",
    "CredalClassifierMixin",
    "borrow_input_tags",
    "check_examples",
    "check_folds",
    "check_probabilistic",
    "class_costs",
    "drop_weightless",
    "fit_metadata",
    "is_number",
    "keep_common_input_tags",
    "row_chunks",
    "split_metadata",
    "take_over_features",
    "take_rows",
]

_ROWS_AT_ONCE = 4096


class CautiousClassifierMixin(ClassifierMixin):  # type: ignore[misc]
    """Contract of a cautious classifier.

    A subclass implements ``predict_proba`` and ``predict_set``. ``predict`` is total: it names the
    most probable class, the lowest in ``classes_`` order on ties. ``score`` judges the sets.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from cautious.models import CautiousClassifierMixin
    >>> class Shares(CautiousClassifierMixin, BaseEstimator):
    ...     def fit(self, X, y):
    ...         self.classes_, counts = np.unique(y, return_counts=True)
    ...         self.shares_ = counts / counts.sum()
    ...         return self
    ...     def predict_proba(self, X):
    ...         return np.tile(self.shares_, (len(X), 1))
    ...     def predict_set(self, X):
    ...         return self.predict_proba(X) >= 0.3
    >>> model = Shares().fit([[0]] * 5, ["a", "a", "b", "b", "c"])
    >>> model.predict([[0]]).tolist(), model.predict_set([[0]]).tolist()
    (['a'], [[True, True, False]])
    """

    classes_: Labels

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row, whatever the doubt."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""

    @abstractmethod
    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row, a mask with columns in ``classes_`` order."""

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Mean utility u65 of the sets; it is what ``GridSearchCV`` maximises without ``scoring``.

        Where every set holds one class, it is the accuracy of ``predict``. Otherwise it counts the
        caution, too: a set of two that holds the truth is worth .65, a larger one less, a wrong one
        nothing. Accuracy could not tell two degrees of caution apart.
        """
        return float(make_set_scorer("u65")(self, X, y, sample_weight))  # type: ignore[arg-type]


class CredalClassifierMixin(CautiousClassifierMixin):
    """Contract of a credal classifier: cautious, with bounds on the class probabilities.

    Examples
    --------
    >>> from cautious.models import CredalClassifierMixin, NaiveCredalClassifier
    >>> model = NaiveCredalClassifier().fit([["x"], ["x"], ["y"]], ["a", "a", "b"])
    >>> isinstance(model, CredalClassifierMixin)
    True
    >>> lower, upper = model.predict_proba_bounds([["x"]])
    >>> bool((lower <= upper).all())
    True
    """

    @abstractmethod
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities from below and above, columns in ``classes_`` order."""


def class_costs(costs: npt.ArrayLike | pd.DataFrame, classes: Labels) -> Floats:
    """Check a cost matrix against the classes."""
    return as_cost_matrix(costs, classes, right_is_least=False)


def row_chunks(n_rows: int, size: int = _ROWS_AT_ONCE) -> Iterator[slice]:
    """Cut rows into pieces small enough for the intermediate arrays to stay in cache."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def check_examples(
    X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
) -> tuple[Any, Labels, Floats | None]:
    """Make rows of X selectable and check labels and weights; X is for the estimator to check."""
    # A mapping has a length and takes an index, but holds no rows; scipy's dok arrays do.
    if isinstance(X, Mapping) and not issparse(X):
        raise TypeError(
            f"X is a {type(X).__name__}; give one row per example, as in an array or a DataFrame."
        )
    (X,) = indexable(X)
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    if sample_weight is None:
        return X, labels, None
    weight = check_weight(sample_weight, len(labels))
    if len(weight) and not weight.any():
        raise ValueError("sample_weight is zero for every row; some must be above zero.")
    return X, labels, weight


def drop_weightless(
    X: Any, labels: Labels, weight: Floats, params: Mapping[str, Any]
) -> tuple[Any, Labels, Floats, dict[str, Any]]:
    """Drop rows of weight zero, and what belongs to them."""
    if weight.all():
        return X, labels, weight, dict(params)
    rows = np.flatnonzero(weight)
    own = take_rows(params, rows, len(labels))
    return _safe_indexing(X, rows), labels[rows], weight[rows], own


def take_rows(params: Mapping[str, Any], rows: Ints, n: int) -> dict[str, Any]:
    """Take some of the n rows of metadata; what has another length is about the whole."""

    def taken(value: Any) -> Any:
        per_row = hasattr(value, "__len__") or hasattr(value, "shape")
        per_row &= not isinstance(value, str | bytes | Mapping)
        return _safe_indexing(value, rows) if per_row and _num_samples(value) == n else value

    return {name: taken(value) for name, value in params.items()}


def is_number(value: Any) -> bool:
    """Tell whether a parameter is a real number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def check_folds(cv: Any) -> None:
    """Refuse fewer than two folds, and bytes and text: they have a method ``split``, too."""
    if isinstance(cv, Integral) and cv < 2:
        raise ValueError(f"cv is {cv!r}; give a number of folds, 2 or more, or a splitter.")
    if hasattr(cv, "split") and not hasattr(cv, "get_n_splits"):
        raise ValueError(f"cv is {cv!r:.60}; give a number of folds or a splitter.")


def check_probabilistic(estimator: Any, name: str = "estimator") -> None:
    """Refuse an estimator that gives no class probabilities."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} is a {type(estimator).__name__}, which has no predict_proba; calibrate it "
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
    """Find what to hand on to an estimator's ``fit``."""
    if get_config().get("enable_metadata_routing", False):
        given = {**fit_params, "sample_weight": sample_weight}
        routed = process_routing(owner, "fit", **given)
        return dict(routed[name]["fit"])
    if sample_weight is None:
        return dict(fit_params)
    return {**dict.fromkeys(_names_of_weights(estimator), sample_weight), **fit_params}


def split_metadata(
    owner: Any, sample_weight: npt.ArrayLike | None, fit_params: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find what goes to the splitter that the owner's router calls "splitter"."""
    if get_config().get("enable_metadata_routing", False):
        given = {**fit_params, "sample_weight": sample_weight}
        return dict(process_routing(owner, "fit", **given)["splitter"]["split"]), dict(fit_params)
    rest = {name: value for name, value in fit_params.items() if name != "groups"}
    groups = fit_params.get("groups")
    return {} if groups is None else {"groups": groups}, rest


def _names_of_weights(estimator: Any) -> list[str]:
    """Say by which names weights reach ``fit``, also of the steps of a pipeline."""
    if isinstance(estimator, FrozenEstimator):
        return []
    if isinstance(estimator, BaseSearchCV):
        return _names_of_weights(estimator.estimator)
    if not isinstance(estimator, Pipeline):
        if not has_fit_parameter(estimator, "sample_weight"):
            raise TypeError(
                f"{type(estimator).__name__}.fit takes no sample_weight; leave the weights out, or "
                "choose an estimator that takes them."
            )
        return ["sample_weight"]
    *before, (last, classifier) = [
        (name, step)
        for name, step in estimator.steps
        if not (step is None or isinstance(step, str))
    ]
    names = [f"{last}__{name}" for name in _names_of_weights(classifier)]
    for step_name, step in before:
        try:
            names += [f"{step_name}__{name}" for name in _names_of_weights(step)]
        except TypeError:  # a transformer that knows of no weights does without
            continue
    return names


def take_over_features(owner: Any, fitted: Any) -> None:
    """Remember the number and names of the features that a wrapped estimator saw."""
    for attribute in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, attribute):
            setattr(owner, attribute, getattr(fitted, attribute))
        elif hasattr(owner, attribute):  # left over from an earlier fit
            delattr(owner, attribute)


def keep_common_input_tags(tags: Any, estimators: Iterable[Any]) -> Any:
    """Let a composition accept what all of its estimators accept."""
    inner = [get_tags(estimator).input_tags for estimator in estimators]
    for name in ("allow_nan", "categorical", "sparse", "string"):
        setattr(tags.input_tags, name, all(getattr(one, name) for one in inner))
    return tags


def borrow_input_tags(tags: Any, estimator: Any) -> Any:
    """Let a wrapper accept what the estimator it wraps accepts."""
    inner = get_tags(estimator)
    for name in ("allow_nan", "categorical", "pairwise", "sparse", "string", "positive_only"):
        setattr(tags.input_tags, name, getattr(inner.input_tags, name))
    if inner.classifier_tags is not None:
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
    return tags
