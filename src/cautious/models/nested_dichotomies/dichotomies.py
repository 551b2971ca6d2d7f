"""Learning the dichotomies of one or many decompositions, and deciding with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable, validate_data

from cautious._checks import check_probabilities
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.credal import contaminate
from cautious.decision import maximality
from cautious.errors import shown
from cautious.models.base import (
    CredalClassifierMixin,
    borrow_input_tags,
    check_examples,
    check_probabilistic,
    class_costs,
    drop_weightless,
    fit_metadata,
    row_chunks,
    take_rows,
)
from cautious.models.naive_credal.classifier import NaiveCredalClassifier
from cautious.models.nested_dichotomies.decompositions import (
    CredalForest,
    Decomposition,
    sample_decomposition,
)

__all__ = ["NestedDichotomyBase", "distinct_dichotomies"]

# Probabilities of so many (row, dichotomy) pairs are held at a time.
_CELLS_AT_ONCE = 4_000_000
# More decompositions than this are a mistake, and would take hours to draw.
_MOST_TREES = 100_000


def distinct_dichotomies(trees: Sequence[Decomposition]) -> tuple[Mask, list[Ints]]:
    """List the dichotomies of several trees without repeats."""
    every = np.concatenate([tree.sides() for tree in trees])
    D, _, K = every.shape
    sides, position = np.unique(every.reshape(D, 2 * K), axis=0, return_inverse=True)
    return sides.reshape(-1, 2, K), np.split(position.ravel(), len(trees))


class NestedDichotomyBase(MetaEstimatorMixin, CredalClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What a single nested dichotomy and a forest of them share; a tree is a forest of one."""

    estimator: Any
    costs: npt.ArrayLike | None
    ordinal: bool
    doubt: float
    n_jobs: int | None

    classes_: Labels
    trees_: list[Decomposition]
    estimators_: list[Any]
    sizes_: Floats
    positions_: list[Ints]

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities by multiplying those of the dichotomies."""
        return np.concatenate([f.class_bounds()[0] for f in self._forests(X, precise=True)])

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities by multiplying the bounds of the dichotomies."""
        bounds = [forest.class_bounds() for forest in self._forests(X)]
        lower, upper = map(np.concatenate, zip(*bounds, strict=True))
        return lower, upper

    def predict_set(self, X: Any) -> Mask:
        """Answer with the maximal classes: those that no other is sure to beat at the costs."""
        check_is_fitted(self)
        costs = self._cost_matrix()
        sets = [maximality(f.lower_expectation, costs) for f in self._forests(X)]
        return np.concatenate(sets)

    def _forests(self, X: Any, *, precise: bool = False) -> Iterator[CredalForest]:
        """Ask the dichotomies about the rows, some rows at a time."""
        check_is_fitted(self)
        X = self._table(X, reset=False)
        n, D = _num_samples(X), len(self.estimators_)
        at_once = max(1, _CELLS_AT_ONCE // max(D, 1))
        for rows in row_chunks(n, at_once):
            part = X if n <= at_once else _safe_indexing(X, np.arange(rows.start, rows.stop))
            low, high = np.empty((2, rows.stop - rows.start, D))
            ask = _left_probability if precise else _left_bounds
            answers = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
                delayed(ask)(estimator, part, self.doubt / (size + self.doubt))
                for estimator, size in zip(self.estimators_, self.sizes_, strict=True)
            )
            for j, (lower, upper) in enumerate(answers):
                low[:, j], high[:, j] = lower, upper
            yield CredalForest(self.trees_, self.positions_, low, high)

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Make rows of X selectable; what is in them is for the estimator to check."""
        (X,) = indexable(X)
        if isinstance(X, pd.DataFrame):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        return validate_data(
            self, X, reset=reset, accept_sparse=True, dtype=None, ensure_all_finite=False
        )

    # Learning

    def _read_examples(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None
    ) -> tuple[Any, Ints, Floats | None]:
        """Check examples and drop those of weight zero; the estimator checks X itself."""
        self._check_parameters()
        X, labels, weight = check_examples(self._table(X, reset=True), y, sample_weight)
        if weight is not None:
            X, labels, weight, _ = drop_weightless(X, labels, weight, {})
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._cost_matrix()
        return X, codes, weight

    def _check_number(self, name: str) -> None:
        """Check how many decompositions to draw."""
        number = getattr(self, name)
        if not (isinstance(number, Integral) and 1 <= int(number) <= _MOST_TREES):
            raise ValueError(
                f"{name} is {shown(number)}; give a whole number from 1 to {_MOST_TREES:,}."
            )

    def _draw(self, number: int, rng: np.random.Generator) -> list[Decomposition]:
        """Draw decompositions of the classes that were read."""
        K = len(self.classes_)
        return [sample_decomposition(K, rng, ordinal=self.ordinal) for _ in range(number)]

    def _learn(
        self,
        trees: Sequence[Decomposition],
        X: Any,
        codes: Ints,
        weight: Floats | None,
        rng: np.random.Generator,
    ) -> None:
        """Fit the dichotomies of some trees, each distinct one once."""
        sides, positions = distinct_dichotomies(trees)
        base = self._base()
        metadata = fit_metadata(self, base, weight, {})
        learned = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_dichotomy)(_seeded(clone(base), rng), left, right, X, codes, metadata)
            for left, right in sides
        )
        if not learned:  # a lone class; the estimator still has a say about X
            clone(base).fit(X, codes, **metadata)
        total = np.ones(len(codes)) if weight is None else weight
        mass = np.bincount(codes, total, minlength=len(self.classes_))
        self.trees_, self.positions_ = list(trees), positions
        self.estimators_ = learned
        self.sizes_ = (sides.any(axis=1) * mass).sum(axis=1)

    def _base(self) -> Any:
        if self.estimator is None:
            return NaiveCredalClassifier(s=2.0, idm="local")
        return self.estimator

    def _cost_matrix(self) -> Floats:
        K = len(self.classes_)
        return 1.0 - np.eye(K) if self.costs is None else class_costs(self.costs, self.classes_)

    def _check_parameters(self) -> None:
        base = self._base()
        if not (isinstance(self.doubt, Real) and 0 <= self.doubt < np.inf):
            raise ValueError(f"doubt is {shown(self.doubt)}; give a number that is not negative.")
        if hasattr(base, "predict_proba_bounds"):
            if self.doubt:
                raise ValueError(
                    f"doubt is {shown(self.doubt)}, but {type(base).__name__} bounds its "
                    "probabilities itself; set its own parameters and leave doubt at 0."
                )
        else:
            check_probabilistic(base)

    def __sklearn_tags__(self) -> Any:
        tags = borrow_input_tags(super().__sklearn_tags__(), self._base())
        tags.classifier_tags.multi_class = True
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights are used here and go on to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self._base(), method_mapping=mapping)


def _seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Seed what chance there is in an estimator, unless it has been seeded."""
    for name, value in sorted(estimator.get_params().items(), key=lambda item: item[0]):
        if name.split("__")[-1] == "random_state" and value is None:
            estimator.set_params(**{name: int(rng.integers(2**31))})
    return estimator


def _fit_dichotomy(
    estimator: Any, left: Mask, right: Mask, X: Any, codes: Ints, metadata: dict[str, Any]
) -> Any:
    """Fit a binary classifier of the right side (1) against the left (0)."""
    inside = (left | right)[codes]
    if inside.all():
        return estimator.fit(X, right[codes].astype(np.intp), **metadata)
    rows = np.flatnonzero(inside)
    own = take_rows(metadata, rows, len(codes))
    return estimator.fit(_safe_indexing(X, rows), right[codes[rows]].astype(np.intp), **own)


def _left_probability(estimator: Any, X: Any, share: float) -> tuple[Floats, Floats]:
    """Probability of the left side, twice."""
    if hasattr(estimator, "predict_proba"):
        p = _probabilities(estimator, X)[:, 0]
        return p, p
    lower, upper = _left_bounds(estimator, X, share)
    return (lower + upper) / 2, (lower + upper) / 2


def _left_bounds(estimator: Any, X: Any, share: float) -> tuple[Floats, Floats]:
    """Bounds on the probability of the left side; a precise one is doubted by a share."""
    if hasattr(estimator, "predict_proba_bounds"):
        lower, upper = estimator.predict_proba_bounds(X)
        # The two sides may be bounded loosely; what is not right is left.
        return np.maximum(lower[:, 0], 1 - upper[:, 1]), np.minimum(upper[:, 0], 1 - lower[:, 1])
    intervals = contaminate(_probabilities(estimator, X), share)
    return intervals.lower[:, 0], intervals.upper[:, 0]


def _probabilities(estimator: Any, X: Any) -> Floats:
    """Ask for class probabilities, and refuse missing ones."""
    p = estimator.predict_proba(X)
    return check_probabilities(p, name=f"{type(estimator).__name__}.predict_proba(X)", n_classes=2)
