"""What cautious estimators share: the contract, and metadata handed on as in scikit-learn.

:class:`CautiousClassifierMixin` is the contract: ``predict`` always names one class, so every
scikit-learn tool keeps working, and the caution is in ``predict_set``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    StrOptions,
    _Constraint,
    _CVObjects,
    make_constraint,
)
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
from cautious.errors import shown
from cautious.metrics import make_set_scorer

_ROWS_AT_ONCE = 4096


class Number(Interval):  # type: ignore[misc]
    """A number in an interval; True and False are none."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Tell whether a value is such a number."""
        if isinstance(val, bool | np.bool_) or not isinstance(val, self.type):
            return False
        try:
            return (val if self.type is Integral else float(val)) in self
        except OverflowError:
            return False


class OneOf(StrOptions):  # type: ignore[misc]
    """One of several words, told in the order given."""

    def __init__(self, *words: str) -> None:
        super().__init__(set(words))
        self.words = words

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.words))}"


def parameter(default: Any, *allowed: Any) -> Any:
    """Declare a parameter of a model: its default and what is allowed, with None if it is that."""
    given = (*allowed, None) if default is None else allowed
    return field(default=default, metadata={"allowed": _constraints(given)})


def _constraints(given: Iterable[Any]) -> list[Any]:
    """Read constraints; scikit-learn knows its own only."""
    return [each if isinstance(each, _Constraint) else make_constraint(each) for each in given]


class ListOf(_Constraint):  # type: ignore[misc]
    """A sequence of things that each obey one of some constraints, at least one of them."""

    def __init__(self, *allowed: Any) -> None:
        super().__init__()
        self.constraints = _constraints(allowed)

    def is_satisfied_by(self, val: Any) -> bool:
        """Tell whether a value is such a sequence."""
        if not isinstance(val, Sequence | np.ndarray) or isinstance(val, str | bytes):
            return False
        each = (any(one.is_satisfied_by(item) for one in self.constraints) for item in val)
        return len(val) > 0 and all(each)

    def __str__(self) -> str:
        return f"a sequence, each item {' or '.join(map(str, self.constraints))}"


class _Folds(_CVObjects):  # type: ignore[misc]
    """Folds as scikit-learn takes them; bytes and text have a method ``split``, too."""

    def is_satisfied_by(self, val: Any) -> bool:
        return not isinstance(val, bytes | bytearray) and bool(super().is_satisfied_by(val))

    def __str__(self) -> str:
        return "a number of folds, 2 or more, a splitter, an iterable of splits"


COUNT = Number(Integral, 1, None, closed="left")
NOT_NEGATIVE = Number(Real, 0, None, closed="left")
POSITIVE = Number(Real, 0, None, closed="neither")
PROBABILITY = Number(Real, 0, 1, closed="both")
SHARE = Number(Real, 0, 1, closed="neither")
FOLDS = _Folds()


class Declared:
    """Base of what has declared parameters."""

    def _validate_params(self) -> None:
        """Refuse parameters that are not as declared, in the words of this library."""
        for declared in fields(self):  # type: ignore[arg-type]  # its classes are dataclasses
            value, allowed = getattr(self, declared.name), declared.metadata.get("allowed", ())
            if allowed and not any(constraint.is_satisfied_by(value) for constraint in allowed):
                raise InvalidParameterError(
                    f"{declared.name} is {shown(value)}; it must be "
                    f"{' or '.join(map(str, allowed))}."
                )
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Refuse parameters that do not go together; nothing is fitted yet."""


class CautiousClassifierMixin(Declared, ClassifierMixin):  # type: ignore[misc]
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
    """Contract of a credal classifier: cautious, with bounds on the class probabilities."""

    @abstractmethod
    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities from below and above, columns in ``classes_`` order."""


@dataclass(frozen=True)
class Examples:
    """Checked examples, and what goes on to the ``fit`` of estimators with them."""

    X: Any
    labels: Labels
    weight: Floats | None
    params: Mapping[str, Any]
    split_params: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def classes(self) -> Labels:
        """The labels that occur, sorted."""
        return np.unique(self.labels)

    @property
    def weights(self) -> Floats:
        """How often each example counts."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def take(self, rows: Ints) -> Examples:
        """Take some of the examples, with what belongs to them."""
        n = len(self)
        if len(rows) == n and np.array_equal(rows, np.arange(n)):
            return self

        def taken(value: Any) -> Any:
            """Take rows of metadata; what has another length is about the whole."""
            per_row = hasattr(value, "__len__") or hasattr(value, "shape")
            per_row &= not isinstance(value, str | bytes | Mapping)
            return _safe_indexing(value, rows) if per_row and _num_samples(value) == n else value

        return Examples(
            _safe_indexing(self.X, rows),
            self.labels[rows],
            None if self.weight is None else self.weight[rows],
            {name: taken(value) for name, value in self.params.items()},
            {name: taken(value) for name, value in self.split_params.items()},
        )

    def that_count(self) -> Examples:
        """Leave out rows of weight zero."""
        return self if self.weight is None else self.take(np.flatnonzero(self.weight))

    def fitted(self, estimator: Any) -> Any:
        """Fit a copy of an estimator."""
        return clone(estimator).fit(self.X, self.labels, **self.params)


def class_costs(costs: npt.ArrayLike | pd.DataFrame, classes: Labels) -> Floats:
    """Check a cost matrix against the classes."""
    return as_cost_matrix(costs, classes, right_is_least=False)


def row_chunks(n_rows: int, size: int = _ROWS_AT_ONCE) -> Iterator[slice]:
    """Cut rows into pieces small enough for the intermediate arrays to stay in cache."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def check_examples(X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Examples:
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
    weight = None if sample_weight is None else check_weight(sample_weight, len(labels))
    if weight is not None and len(weight) and not weight.any():
        raise ValueError("sample_weight is zero for every row; some must be above zero.")
    return Examples(X, labels, weight, {})


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
    examples: Examples,
    fit_params: Mapping[str, Any],
    *,
    name: str = "estimator",
    splits: bool = False,
) -> Examples:
    """Find what goes on to an estimator's ``fit`` and, of several splits, to the splitter."""
    weight = examples.weight
    if get_config().get("enable_metadata_routing", False):
        routed = process_routing(owner, "fit", **{**fit_params, "sample_weight": weight})
        split = dict(routed["splitter"]["split"]) if splits else {}
        return replace(examples, params=dict(routed[name]["fit"]), split_params=split)
    params, split = dict(fit_params), {}
    if splits and "groups" in params:
        groups = params.pop("groups")
        split = {} if groups is None else {"groups": groups}
    if weight is not None:
        params = {**dict.fromkeys(_names_of_weights(estimator), weight), **params}
    return replace(examples, params=params, split_params=split)


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


def one_given(owner: Any, names: Sequence[str]) -> str | None:
    """Tell which of several parameters is given, and refuse two of them."""
    given = [name for name in names if getattr(owner, name) is not None]
    if len(given) > 1:
        raise ValueError(
            f"{' and '.join(given)} are given; give one of {', '.join(names)}, or none."
        )
    return given[0] if given else None


def take_over_features(owner: Any, fitted: Any) -> None:
    """Remember the number and names of the features that a wrapped estimator saw."""
    for attribute in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, attribute):
            setattr(owner, attribute, getattr(fitted, attribute))


def keep_common_input_tags(tags: Any, estimators: Iterable[Any], *more: str) -> Any:
    """Let a composition accept what all of its estimators accept."""
    inner = [get_tags(estimator).input_tags for estimator in estimators]
    for name in ("allow_nan", "categorical", "sparse", "string", *more):
        setattr(tags.input_tags, name, all(getattr(one, name) for one in inner))
    return tags


def borrow_input_tags(tags: Any, estimator: Any) -> Any:
    """Let a wrapper accept what the estimator it wraps accepts."""
    inner = get_tags(estimator).classifier_tags
    if inner is not None:
        tags.classifier_tags.multi_class = inner.multi_class
        tags.classifier_tags.poor_score = inner.poor_score
    return keep_common_input_tags(tags, [estimator], "pairwise", "positive_only")
