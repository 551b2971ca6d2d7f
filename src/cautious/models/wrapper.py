"""What wrappers share: they fit another classifier and decide on its probabilities.

Those that may refuse a case share what is at the end: sets, labels to compare with, shares.
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv, cross_val_predict
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from cautious._checks import as_codes, check_probabilities
from cautious._random import as_generator
from cautious._typing import Floats, Ints, Labels, Mask, RandomState, as_floats
from cautious.errors import NeverAbstainsWarning, shown
from cautious.models._base import (
    CautiousClassifierMixin,
    Examples,
    borrow_input_tags,
    check_examples,
    check_probabilistic,
    fit_metadata,
    take_over_features,
)
from cautious.predictions._probabilities import class_scores

# Models whose sets were asked for, or whose users were told that `predict` never abstains.
_KNOWN_TO_ABSTAIN: WeakSet[Any] = WeakSet()


@dataclass(eq=False, repr=False)
class ProbabilisticWrapper(MetaEstimatorMixin, CautiousClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of classifiers that turn the probabilities of another one into sets.

    A subclass declares its parameters and says how it decides (``_decide``). Where that has to be
    learned it says what it takes (``_prepare``, ``_learn``, ``_settle``); the way through ``fit``
    is the same for all.
    """

    estimator: Any

    # Why weights are refused, where they are.
    _no_weights: ClassVar[str | None] = None
    # Whether a part of the examples is kept from the estimator.
    _calibrates: ClassVar[bool] = False
    # Whether a splitter holds out all examples, part by part; it may be told their groups.
    _splits_all: ClassVar[bool] = False
    # Whether the model was asked to abstain, so that `predict` alone is not what was asked for.
    _abstains: ClassVar[bool] = False
    # Whether rows of weight zero are left out.
    _only_that_count: ClassVar[bool] = False

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, **fit_params: Any
    ) -> Any:
        """Fit the estimator, and learn how to decide; other metadata go to its ``fit``."""
        return self._fit(X, y, sample_weight, fit_params)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None,
        fit_params: dict[str, Any],
        extra: Any = None,
    ) -> Any:
        """Check, fit the estimator, take over what it saw, settle the decision."""
        self._check_estimator()
        self._validate_params()
        if self._no_weights and sample_weight is not None:
            raise ValueError(
                f"sample_weight is given, but {self._no_weights} cases, not weights; fit the "
                "estimator with weights first and wrap it in FrozenEstimator."
            )
        examples = Examples(X, np.empty(0, dtype=np.intp), None, {})
        learns = self._calibrates or self._splits_all or not self._is_frozen
        if learns or y is not None:
            examples = check_examples(X, y, sample_weight)
            splits = self._splits_all
            examples = fit_metadata(self, self._wrapped(), examples, fit_params, splits=splits)
            examples = examples.that_count() if self._only_that_count else examples
        plan = self._prepare(examples, extra)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # what an earlier fit has learned
        _KNOWN_TO_ABSTAIN.discard(self)
        evidence = self._learn(examples, plan)
        take_over_features(self, self.estimator_)
        self._know_classes(examples)
        self._settle(examples, evidence, plan)
        return self

    def _wrapped(self) -> Any:
        """Give the estimator, also where one is meant by None."""
        return self.estimator

    def _check_estimator(self) -> None:
        """Refuse an estimator that cannot say what is needed of it."""
        check_probabilistic(self.estimator)

    def _prepare(self, examples: Examples, extra: Any) -> Any:
        """Refuse what does not fit the examples, before anything is fitted; give what is asked."""
        classes = self._expected_classes(examples)
        if len(classes) > 1:
            self._check_decision(classes)

    def _learn(self, examples: Examples, plan: Any) -> Any:
        """Fit the estimator; give the rows it was fitted on, and those to calibrate on."""
        training, calibration = self._parts(examples)
        self._fit_part(examples, training)
        return training, calibration

    def _settle(self, examples: Examples, evidence: Any, plan: Any) -> None:
        """Learn how to decide, once the classes are known."""

    def _check_decision(self, classes: Labels) -> None:
        """Refuse parameters that do not fit the classes."""

    @abstractmethod
    def _decide(self, X: Any, p: Floats) -> Mask:
        """Turn probabilities of at least two classes into sets."""

    @property
    def _is_frozen(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator)

    def _expected_classes(self, examples: Examples) -> Labels:
        """Classes that the fitted estimator will know."""
        if not self._is_frozen:
            return examples.classes
        check_is_fitted(self.estimator)
        return np.asarray(self.estimator.classes_)

    def _parts(self, examples: Examples) -> tuple[Ints, Ints]:
        """Rows to fit and to calibrate on; all are new to an estimator that is fitted already."""
        everything = np.arange(len(examples))
        if not self._calibrates:
            return everything, everything[:0]
        if self._is_frozen:
            return everything[:0], everything
        share, seed = self.calibration_size, self.random_state
        training, calibration = set_aside(len(examples), share, seed)
        warn_of_twins(examples.X, training, calibration)
        return training, calibration

    def _fit_part(self, examples: Examples, rows: Ints) -> None:
        """Fit the estimator on a part that was drawn without a look at the labels."""
        part = examples if self._is_frozen else examples.take(rows)
        others = examples.labels != part.labels[:1]
        if part is examples or others[rows].any() or not others.any():
            self.estimator_ = part.fitted(self.estimator)
            return
        warnings.warn(
            f"the {len(part)} examples that the estimator is fitted on are all of class "
            f"{shown(part.labels.tolist()[0])}, so it knows no other; give more examples, or a "
            "smaller calibration_size.",
            stacklevel=5,
        )
        self.estimator_ = DummyClassifier().fit(part.X, part.labels)

    def _know_classes(self, examples: Examples) -> None:
        """Know the estimator's classes and, where some were kept from it, those of the labels."""
        own: Labels = np.asarray(self.estimator_.classes_)
        self.classes_: Labels = own
        if not self._calibrates:
            return
        known = pd.Index(examples.classes).isin(own)
        if not known.any():
            raise ValueError(
                f"y holds {shown(examples.labels.tolist()[0])} and no label that the estimator "
                f"knows; it was fitted on {shown(own.tolist())}. Give labels of these classes."
            )
        if not known.all():
            self.classes_ = np.unique(np.concatenate([own, examples.classes]))

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities; 0 for a class that the estimator was not shown."""
        check_is_fitted(self)
        return probabilities_of(self.estimator_, X, self.classes_)

    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row; a full row abstains."""
        sets = self._judge(X)[1]
        _KNOWN_TO_ABSTAIN.add(self)
        return sets

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each set, or of all where the set is empty."""
        p, sets = self._judge(X)
        if self._abstains and self not in _KNOWN_TO_ABSTAIN and p.shape[1] > 1:
            _KNOWN_TO_ABSTAIN.add(self)
            warnings.warn(
                f"predict names a class in every case, and never abstains; predict_set of this "
                f"{type(self).__name__} would abstain on {int(sets.all(axis=1).sum()):,} of these "
                f"{len(sets):,} cases. Ask predict_set, or filter NeverAbstainsWarning.",
                NeverAbstainsWarning,
                stacklevel=2,
            )
        sets |= ~sets.any(axis=1, keepdims=True)
        return np.asarray(self.classes_[np.where(sets, p, -1.0).argmax(axis=1)])

    def _judge(self, X: Any) -> tuple[Floats, Mask]:
        """Ask the estimator once, for probabilities and the sets that follow from them."""
        p = self.predict_proba(X)
        # A lone class leaves nothing to decide.
        sets = self._decide(X, p) if p.shape[1] > 1 else np.ones(p.shape, dtype=np.bool_)
        return p, sets

    def __sklearn_tags__(self) -> Any:
        return borrow_input_tags(super().__sklearn_tags__(), self._wrapped())

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that metadata of ``fit`` goes on to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)


class GivenProbabilities(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose examples are its probabilities, or its logits, themselves."""

    def fit(self, X: Floats, y: Labels) -> Any:
        """Take over the classes of the columns."""
        self.classes_, self.n_features_in_ = y, X.shape[1]
        return self

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Give the examples back."""
        return as_floats(X, "X", "probabilities")

    def predict(self, X: npt.ArrayLike) -> Labels:
        """Name the most probable class."""
        return np.asarray(self.classes_[np.argmax(X, axis=1)])

    @classmethod
    def of(cls, y_true: Any, y_proba: Any, classes: Any) -> tuple[FrozenEstimator, Floats]:
        """Make the classifier that has said what is given, and the examples it has said it of."""
        if np.ndim(y_proba) != 2:
            raise ValueError(
                f"y_proba has shape {np.shape(y_proba)}; give one column per class, (n, K)."
            )
        scores, labels = class_scores(y_proba, y_true, classes, name="y_proba")
        return FrozenEstimator(cls().fit(scores, labels)), scores


def probabilities_of(fitted: Any, X: Any, classes: Labels) -> Floats:
    """Ask for probabilities of all classes; one that was not learned is impossible."""
    own = np.asarray(fitted.classes_)
    p = check_probabilities(fitted.predict_proba(X), name="predict_proba(X)", n_classes=len(own))
    return p if np.array_equal(own, classes) else over_classes(p, own, classes)


def over_classes(values: npt.NDArray[Any], own: Labels, classes: Labels) -> npt.NDArray[Any]:
    """Lay columns for some classes out over all of them; the others get zeros."""
    whole = np.zeros((len(values), len(classes)), dtype=values.dtype)
    whole[:, as_codes(np.asarray(own), classes, name="classes_")] = values
    return whole


def set_aside(n: int, share: float, random_state: RandomState = None) -> tuple[Ints, Ints]:
    """Split cases at random, whatever their labels, to fit and to calibrate on."""
    if n < 2:
        raise ValueError(
            f"n_samples = {n}; a minimum of 2 is required, one to fit and one to calibrate."
        )
    order = as_generator(random_state).permutation(n)
    held = min(max(math.floor(n * float(share)), 1), n - 1)
    return np.sort(order[held:]), np.sort(order[:held])


def folds_of(cv: Any, examples: Examples) -> Iterator[tuple[Ints, Ints]]:
    """Split examples as a splitter does or, into a number of folds, so that no class is lost.

    A lone example of a class is never held out then.
    """
    y = examples.labels
    if not isinstance(cv, Integral):
        yield from check_cv(cv, y, classifier=True).split(examples.X, y)
        return
    codes = np.unique(y, return_inverse=True)[1]
    size = np.bincount(codes)
    rank = pd.Series(codes).groupby(codes).cumcount().to_numpy()
    fold = np.where((size > 1)[codes], rank % int(cv), -1)
    for test in range(int(cv)):
        if (fold == test).any() and len(size) > 1:
            yield np.flatnonzero(fold != test), np.flatnonzero(fold == test)


def out_of_fold(estimator: Any, examples: Examples, cv: Any, n_jobs: int | None) -> Floats:
    """Give probabilities of training cases from models that had not seen them."""
    X, y = examples.X, examples.labels
    least = int(np.unique(y, return_counts=True)[1].min())
    asked = {"cv": min(cv, max(2, least)) if isinstance(cv, int) else cv, "n_jobs": n_jobs}
    asked |= {"method": "predict_proba", "params": dict(examples.params)}
    with warnings.catch_warnings():
        # A class that a fold could not learn gets probability zero, which is harmless here.
        warnings.filterwarnings("ignore", "Number of classes in", RuntimeWarning)
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        return np.asarray(cross_val_predict(estimator, X, y, **asked), dtype=np.float64)


def warn_of_twins(X: Any, training: Ints, calibration: Ints) -> None:
    """Warn of calibration rows that the estimator has seen."""
    try:
        table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X), copy=False)
        twins = _twins(table, training, calibration)
    except (TypeError, ValueError):  # rows that have no digest
        return
    if twins:
        warnings.warn(
            f"{twins} of {len(calibration)} calibration rows also occur among the training rows; "
            "the promise takes them for new cases. Drop repeated rows, or split by hand.",
            stacklevel=6,
        )


def _twins(table: pd.DataFrame, training: Ints, calibration: Ints) -> int:
    """Count calibration rows that are also training rows; none where few rows are measured."""
    measured, numeric = np.zeros(len(table), dtype=np.bool_), table.select_dtypes("number")
    for at in range(numeric.shape[1]):
        numbers = numeric.iloc[:, at].to_numpy(dtype=np.float64)
        measured |= np.rint(numbers) != numbers
        if measured.mean() > 0.5:
            break
    else:
        return 0
    # Equal rows have equal numbers, and mostly no number is in both parts: with the lowest bit for
    # the part, such a one lies beside its equal.
    bits = np.ascontiguousarray(numbers).view(np.int64) | 1
    bits[training] -= 1
    bits.sort()
    if not (bits[1:] ^ bits[:-1] == 1).any():
        return 0
    digest = pd.util.hash_pandas_object(table, index=False).to_numpy()
    return int(np.isin(digest[calibration], digest[training]).sum())
