"""What wrappers share: they fit another classifier and decide on its probabilities.

Those that may refuse a case share what is at the end: sets, labels to compare with, shares.
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import check_cv, cross_val_predict
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted, column_or_1d

from cautious._checks import as_codes, check_mask, check_probabilities, first_row
from cautious._random import as_generator, binomial_ends
from cautious._typing import Floats, Ints, Labels, Mask, RandomState
from cautious.decision import threshold_rule
from cautious.errors import shown
from cautious.models.base import (
    CautiousClassifierMixin,
    borrow_input_tags,
    check_probabilistic,
    fit_metadata,
    keep_common_input_tags,
    take_over_features,
    take_rows,
)

__all__ = [
    "NamedEstimators",
    "ProbabilisticWrapper",
    "check_labels",
    "folds_by_class",
    "folds_of",
    "hold_out",
    "kind_of",
    "out_of_fold",
    "over_classes",
    "own_sets",
    "set_aside",
    "shares_of",
]

_ALLOWED = "give a list of (name, classifier), such as [('bayes', GaussianNB())]"


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
        """Fit the estimator."""
        self._check_estimator()
        self._check_parameters()
        params = fit_metadata(self, self.estimator, sample_weight, fit_params)
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        self.classes_: Labels = np.asarray(self.estimator_.classes_)
        take_over_features(self, self.estimator_)
        self._check_decision()
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities with the fitted estimator."""
        check_is_fitted(self)
        own = np.asarray(self.estimator_.classes_)
        p = self.estimator_.predict_proba(X)
        p = check_probabilities(p, name="predict_proba(X)", n_classes=len(own))
        return p if len(own) == len(self.classes_) else over_classes(p, own, self.classes_)

    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row."""
        return self._judge(X)[1]

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each set."""
        p, sets = self._judge(X)
        sets |= ~sets.any(axis=1, keepdims=True)
        return np.asarray(self.classes_[np.where(sets, p, -1.0).argmax(axis=1)])

    def _judge(self, X: Any) -> tuple[Floats, Mask]:
        """Ask the estimator once, for probabilities and the sets that follow from them."""
        p = self.predict_proba(X)
        return p, self._sets(X, p)

    def _sets(self, X: Any, p: Floats) -> Mask:
        if p.shape[1] == 1:  # a lone class leaves nothing to decide
            return np.ones(p.shape, dtype=np.bool_)
        return self._decide(X, p)

    @abstractmethod
    def _decide(self, X: Any, p: Floats) -> Mask:
        """Turn probabilities of at least two classes into sets."""

    def _know_classes(self, labels: Labels) -> None:
        """Know the estimator's classes, and those of labels that it was not shown."""
        own: Labels = np.asarray(self.estimator_.classes_)
        known = pd.Index(labels).isin(own)
        if not known.any():
            raise ValueError(
                f"y holds {shown(labels.tolist()[0])} and no label that the estimator knows; it "
                f"was fitted on {shown(own.tolist())}. Give labels of these classes."
            )
        self.classes_ = own if known.all() else np.unique(np.concatenate([own, labels]))

    def _fit_part(self, X: Any, labels: Labels, part: Ints, params: dict[str, Any]) -> None:
        """Fit the estimator on a part that was drawn without a look at the labels."""
        rows, truth = _safe_indexing(X, part), labels[part]
        if len(np.unique(truth)) == 1 and len(np.unique(labels)) > 1:
            warnings.warn(
                f"the {len(part)} examples that the estimator is fitted on are all of class "
                f"{shown(truth.tolist()[0])}, so it knows no other; give more examples, or a "
                "smaller calibration_size.",
                stacklevel=3,
            )
            self.estimator_ = DummyClassifier().fit(rows, truth)
        else:
            own = take_rows(params, part, len(labels))
            self.estimator_ = clone(self.estimator).fit(rows, truth, **own)

    def _check_estimator(self) -> None:
        """Raise on an estimator that gives no probabilities, before it is fitted."""
        check_probabilistic(self.estimator)

    def _check_parameters(self) -> None:
        """Raise on parameters that no classes could be right for, before anything is fitted."""

    def _check_decision(self) -> None:
        """Raise on parameters that do not fit the classes."""

    def __sklearn_tags__(self) -> Any:
        return borrow_input_tags(super().__sklearn_tags__(), self.estimator)

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that metadata of ``fit`` goes on to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)


class NamedEstimators(CautiousClassifierMixin, _BaseComposition):  # type: ignore[misc]
    """Base of classifiers made of several, which are known by their names."""

    estimators: Sequence[tuple[str, Any]]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, with those of the estimators by name."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Any:
        """Set parameters, also ``<name>`` and ``<name>__<parameter>`` of the estimators."""
        self._set_params("estimators", **params)
        return self

    def _check_members(self) -> None:
        """Refuse estimators that are no list of names and classifiers."""
        if not isinstance(self.estimators, list | tuple):
            raise TypeError(
                f"estimators is {shown(self.estimators)}, a {type(self.estimators).__name__}; "
                f"{_ALLOWED}."
            )
        if not self.estimators:
            raise ValueError(f"estimators is empty; {_ALLOWED}, at least one of them.")
        for pair in self.estimators:
            if not (isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)):
                raise TypeError(f"estimators holds {shown(pair)}; {_ALLOWED}.")
            name, member = pair
            if isinstance(member, type) or not hasattr(member, "fit"):
                raise TypeError(
                    f"estimators holds {shown(member)} under the name {name!r}; {_ALLOWED}. "
                    "Leave out of the list what is to be dropped."
                )
            check_probabilistic(member, f"{name!r} of estimators")
        try:
            self._validate_names([name for name, _ in self.estimators])
        except ValueError as error:
            raise ValueError(
                f"estimators has names that do not serve ({error}); {_ALLOWED}, each with a name "
                f"of its own that holds no '__' and is no parameter of {type(self).__name__}."
            ) from None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            self._check_members()
        except (TypeError, ValueError):  # to be said by fit; an object can be shown without it
            return tags
        return keep_common_input_tags(tags, (estimator for _, estimator in self.estimators))

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights given to ``fit`` go on to the estimators."""
        self._check_members()
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self)
        for name, estimator in self.estimators:
            router.add(**{name: estimator}, method_mapping=mapping)
        return router


def over_classes(values: npt.NDArray[Any], own: Labels, classes: Labels) -> npt.NDArray[Any]:
    """Lay columns for some classes out over all of them; the others get zeros."""
    whole = np.zeros((len(values), len(classes)), dtype=values.dtype)
    whole[:, as_codes(np.asarray(own), classes, name="classes_")] = values
    return whole


def set_aside(n: int, share: float, random_state: RandomState = None) -> tuple[Ints, Ints]:
    """Split cases at random, whatever their labels, to fit and to calibrate on."""
    order = as_generator(random_state).permutation(n)
    held = min(max(math.floor(n * float(share)), 1), n - 1)
    return np.sort(order[held:]), np.sort(order[:held])


def hold_out(y: Ints, share: float, random_state: RandomState = None) -> tuple[Ints, Ints]:
    """Split examples so that each class is held out in the same share, but never all of it."""
    if not 0 < share < 1:
        raise ValueError(f"the share to hold out is {share}; it lies strictly between 0 and 1.")
    order = as_generator(random_state).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    # Every so many examples along the classes, one is taken: each class gets its share within one.
    step = np.floor(np.arange(1, len(y) + 1) * share) > np.floor(np.arange(len(y)) * share)
    first = np.append(True, np.diff(y[order]) > 0)
    step[first] = False
    return np.sort(order[~step]), np.sort(order[step])


def folds_of(cv: Any, X: Any, y: Labels) -> Iterator[tuple[Ints, Ints]]:
    """Split examples by class into a number of folds, or as a splitter does."""
    if isinstance(cv, Integral):
        yield from folds_by_class(y, int(cv))
    else:
        yield from check_cv(cv, y, classifier=True).split(X, y)


def folds_by_class(y: Labels, n_folds: int) -> Iterator[tuple[Ints, Ints]]:
    """Split examples so that no class is lost: a lone example of a class is never held out."""
    codes = np.unique(y, return_inverse=True)[1]
    size = np.bincount(codes)
    by_class = np.argsort(codes, kind="stable")
    rank = np.empty(len(y), dtype=np.intp)
    rank[by_class] = np.arange(len(y)) - np.repeat(np.cumsum(size) - size, size)
    fold = np.where((size > 1)[codes], rank % n_folds, -1)
    for test in range(n_folds):
        if (fold == test).any() and len(size) > 1:
            yield np.flatnonzero(fold != test), np.flatnonzero(fold == test)


def out_of_fold(estimator: Any, X: Any, y: Labels, cv: Any, params: dict[str, Any]) -> Floats:
    """Give probabilities of training cases from models that had not seen them."""
    least = int(np.unique(y, return_counts=True)[1].min())
    folds = min(cv, max(2, least)) if isinstance(cv, int) else cv
    with warnings.catch_warnings():
        # A class that a fold could not learn gets probability zero, which is harmless here.
        warnings.filterwarnings("ignore", "Number of classes in", RuntimeWarning)
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        p = cross_val_predict(estimator, X, y, cv=folds, method="predict_proba", params=params)
    return np.asarray(p, dtype=np.float64)


def own_sets(estimator: Any, X: Any, p: Floats) -> Mask:
    """Ask a cautious classifier for sets, and a plain one for its most probable class."""
    if not hasattr(estimator, "predict_set"):
        return threshold_rule(p, 0.0)
    # An empty set, as of conformal prediction, is no answer either.
    sets = estimator.predict_set(X)
    return check_mask(sets, n_classes=p.shape[1], name="predict_set(X)", empty="abstain")


def shares_of(counts: dict[str, int], totals: list[int], level: float) -> pd.DataFrame:
    """Give counts as shares of their totals, with exact intervals."""
    n, of = np.array(list(counts.values())), np.array(totals)
    low, high = binomial_ends(n, of, level)
    with np.errstate(invalid="ignore"):
        share = n / of
    return pd.DataFrame({"n": n, "share": share, "low": low, "high": high}, list(counts))


def check_labels(y: Any, n: int, classes: Labels, unknown: Any = None) -> Labels:
    """Check true labels: one per row, none missing, and of the kind that was learned."""
    labels = np.asarray(column_or_1d(np.asarray(y, dtype=object)))
    if len(labels) != n:
        raise ValueError(f"y has {len(labels)} labels and X {n} rows; give one label per row.")
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(
            f"y has no label in row {first_row(missing)}; leave out rows without one, or give "
            "them a label."
        )
    learned, given = kind_of(classes), kind_of([label for label in labels if label != unknown])
    if learned and given and learned != given:
        raise ValueError(
            f"y holds {given}, and the model has learned {learned}, such as "
            f"{shown(classes.tolist()[0])}; give labels as they were learned."
        )
    return labels


def kind_of(labels: Iterable[Any]) -> str:
    """Tell text from numbers; empty for what is neither, or both."""
    kinds = {
        "text" if isinstance(one, str) else "numbers" if isinstance(one, Real | np.bool_) else ""
        for one in labels
    }
    return kinds.pop() if len(kinds) == 1 else ""
