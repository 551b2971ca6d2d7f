r"""Nested dichotomies: one tree, or a forest of trees, of binary credal classifiers.

A decomposition is a rooted binary tree whose leaves are the classes; every inner node is a
dichotomy, the classes on its left against those on its right. Sides do not matter, so there are
:math:`(2K - 3)!! = 1 \cdot 3 \cdot 5 \cdots (2K - 3)` of them. If the classes are ordered and every
node must hold neighbouring ones, there are as many as binary trees with K leaves in a row, the
Catalan number :math:`\frac{1}{K}\binom{2K-2}{K-1}`.

A credal nested dichotomy bounds, at every dichotomy, the probability of going left. It stands for
all distributions whose conditional probabilities obey these bounds, each dichotomy free of the
others. The smallest expectation over them follows by backward recursion: with the values of the two
children known, a node takes the bound that helps the smaller one,

.. math::

    \underline E_t = \min_{\underline p_t \le p \le \overline p_t}
    p\, \underline E_{left} + (1 - p)\, \underline E_{right},

and a leaf has the value of its class. This is exact (Yang, Destercke & Masson 2014; De Cooman &
Hermans 2008 on imprecise probability trees).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from itertools import count
from numbers import Integral
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
from cautious._random import as_generator
from cautious._typing import Floats, Ints, Labels, Mask, RandomState
from cautious.costs import p_discounted
from cautious.credal import contaminate
from cautious.decision import maximality
from cautious.errors import shown
from cautious.metrics import make_set_scorer
from cautious.models._base import (
    NOT_NEGATIVE,
    CredalClassifierMixin,
    Examples,
    Number,
    borrow_input_tags,
    check_examples,
    check_probabilistic,
    class_costs,
    fit_metadata,
    parameter,
    row_chunks,
)
from cautious.models.naive_credal.classifier import NaiveCredalClassifier
from cautious.sets import set_names

# Probabilities of so many (row, dichotomy) pairs are held at a time.
_CELLS_AT_ONCE = 4_000_000
# More decompositions than this are a mistake, and would take hours to draw.
_TREES = Number(Integral, 1, 100_000, closed="both")
# Rows are taken so many values at a time that the recursion stays in the processor's cache.
_VALUES_AT_ONCE = 50_000


@dataclass(eq=False, repr=False)
class NestedDichotomyBase(MetaEstimatorMixin, CredalClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What a single nested dichotomy and a forest of them share; a tree is a forest of one."""

    estimator: Any = None
    _: KW_ONLY
    costs: npt.ArrayLike | None = None
    ordinal: bool = False
    doubt: float = parameter(0.0, NOT_NEGATIVE)
    n_jobs: int | None = None
    random_state: RandomState = None

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
            answers = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
                delayed(_left_side)(
                    estimator, part, self.doubt / (size + self.doubt), precise=precise
                )
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

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Draw decompositions of the classes, and learn their dichotomies."""
        self._validate_params()
        examples = check_examples(self._table(X, reset=True), y, sample_weight).that_count()
        self.classes_, codes = np.unique(examples.labels, return_inverse=True)
        self._cost_matrix()
        # Labels become positions of classes.
        examples = replace(fit_metadata(self, self._base(), examples, {}), labels=codes)
        self._settle(examples, as_generator(self.random_state))
        return self

    @abstractmethod
    def _settle(self, examples: Examples, rng: np.random.Generator) -> None:
        """Draw trees and learn their dichotomies."""

    def _drawn(self, number: int, rng: np.random.Generator) -> list[Decomposition]:
        K = len(self.classes_)
        return [sample_decomposition(K, rng, ordinal=self.ordinal) for _ in range(number)]

    def _learn(
        self, trees: Sequence[Decomposition], examples: Examples, rng: np.random.Generator
    ) -> None:
        """Fit the dichotomies of some trees, each distinct one once."""
        sides, self.positions_ = distinct_dichotomies(trees)
        base = self._base()
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_dichotomy)(_seeded(clone(base), rng), left, right, examples)
            for left, right in sides
        )
        if not self.estimators_:  # a lone class; the estimator still has a say about X
            examples.fitted(base)
        mass = np.bincount(examples.labels, examples.weights, minlength=len(self.classes_))
        self.trees_ = list(trees)
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
        if not hasattr(base, "predict_proba_bounds"):
            check_probabilistic(base)
        elif self.doubt:
            raise ValueError(
                f"doubt is {shown(self.doubt)}, but {type(base).__name__} bounds its probabilities "
                "itself; set its own parameters and leave doubt at 0."
            )

    def __sklearn_tags__(self) -> Any:
        tags = borrow_input_tags(super().__sklearn_tags__(), self._base())
        tags.classifier_tags.multi_class = True
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Tell scikit-learn that weights are used here and go on to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self._base(), method_mapping=mapping)


@dataclass(eq=False, repr=False)
class NestedDichotomyClassifier(NestedDichotomyBase):
    r"""Nested dichotomy with imprecise probabilities, the best of several.

    A decomposition splits the classes in two, and each part again, until single classes are left. A
    binary classifier is learned for every split. If it bounds its probabilities, so does the tree;
    lower expectations of any cost follow exactly by backward recursion, and the answer holds the
    classes that are maximal: c is left out if for some c'

    .. math:: \underline E[c_{c} - c_{c'}] > 0.

    Decompositions are drawn uniformly among all :math:`(2K-3)!!`, and the one that does best on the
    learning set is kept ("2Tr" in Yang, Destercke & Masson 2017, section VII-D).

    Parameters
    ----------
    estimator : classifier, optional
        Any binary classifier. One with ``predict_proba_bounds`` bounds its probabilities itself;
        one with ``predict_proba`` only is taken at its word, or doubted (see `doubt`). None is the
        paper's, ``NaiveCredalClassifier(s=2.0, idm="local")``.
    n_candidates : int, default=50
        How many decompositions to draw.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). None means 0/1 costs.
    ordinal : bool, default=False
        Whether the classes are ordered (as sorted) and only neighbouring ones may be grouped. The
        decompositions are then drawn uniformly among the :math:`\frac1K\binom{2K-2}{K-1}`
        contiguous ones.
    scoring : str or callable, optional
        What is best on the learning set: name of a set scorer
        (:data:`cautious.metrics.MEASURES`) or a scorer made by
        :func:`cautious.metrics.make_set_scorer`. None is the smallest mean p-discounted cost with
        r = 0.5, as in the paper.
    doubt : float, default=0.0
        Only for an estimator without bounds: its probability p, learned from N examples, is read
        as the interval :math:`[Np/(N+s), (Np+s)/(N+s)]` with s the doubt, as if p were a
        frequency under an imprecise Dirichlet model.
    n_jobs : int, optional
        Processes that fit dichotomies, and threads that ask them.
    random_state : int, RandomState, Generator or None
        Seed of the decompositions, and of the estimator unless it is seeded itself.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    tree_ : Decomposition
        The decomposition kept, classes by position; ``export_text`` prints it with labels.
    estimators_ : list of classifiers
        One for each distinct dichotomy; label 0 is its left side.
    candidates_ : list of Decomposition
        What was drawn, without repeats.
    candidate_scores_ : ndarray
        Their scores on the learning set.

    See Also
    --------
    NestedDichotomyForestClassifier : Keeps all the trees.

    References
    ----------
    Yang, Destercke & Masson (2014), *Nested dichotomies with probability sets for multi-class
    classification*; Yang, Destercke & Masson (2017), section VII-D; Frank & Kramer (2004),
    *Ensembles of nested dichotomies for multi-class problems*.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import NestedDichotomyClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=40)
    >>> X = np.where(rng.random((40, 3)) < 0.6, y[:, None], rng.integers(4, size=(40, 3)))
    >>> model = NestedDichotomyClassifier(ordinal=True, random_state=0).fit(X, y)
    >>> len(model.candidates_)  # of five contiguous decompositions of four classes
    5
    >>> model.predict_set([[3, 3, 3], [0, 1, 2]])
    array([[False, False, False,  True],
           [ True,  True,  True,  True]])
    """

    _: KW_ONLY
    n_candidates: int = parameter(50, _TREES)
    scoring: str | Callable[..., Any] | None = parameter(None, str, callable)

    def _settle(self, examples: Examples, rng: np.random.Generator) -> None:
        """Draw decompositions, learn their dichotomies and keep the best."""
        drawn = self._drawn(self.n_candidates, rng)
        self.candidates_: list[Decomposition] = list({tree.key: tree for tree in drawn}.values())
        self._learn(self.candidates_, examples, rng)
        self.candidate_scores_: Floats = np.zeros(1)
        if len(self.candidates_) > 1:
            self.candidate_scores_ = self._scores(examples)
        self._keep(int(np.argmax(self.candidate_scores_)))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.scoring, str):
            make_set_scorer(self.scoring)

    @property
    def tree_(self) -> Decomposition:
        """The decomposition kept."""
        check_is_fitted(self)
        return self.trees_[0]

    def export_text(self) -> str:
        """Print the dichotomies, the root first, with the classes' labels.

        Returns
        -------
        str
        """
        return self.tree_.export_text(self.classes_)

    def _scores(self, examples: Examples) -> Floats:
        scorer: Any = self.scoring
        if scorer is None:
            costs = p_discounted(self._cost_matrix(), r=0.5)
            scorer = make_set_scorer("set_cost", costs=costs)
        elif isinstance(scorer, str):
            scorer = make_set_scorer(scorer)
        weights = {} if examples.weight is None else {"sample_weight": examples.weight}
        labels, scores = self.classes_[examples.labels], []
        for at in range(len(self.candidates_)):
            candidate = copy(self)
            candidate._keep(at)
            scores.append(float(scorer(candidate, examples.X, labels, **weights)))
        return np.array(scores)

    def _keep(self, at: int) -> None:
        """Keep one of the trees, and its dichotomies only."""
        own: Ints = self.positions_[at]
        self.trees_: list[Decomposition] = [self.trees_[at]]
        self.positions_: list[Ints] = [np.arange(len(own))]
        self.estimators_: list[Any] = [self.estimators_[i] for i in own]
        self.sizes_: Floats = self.sizes_[own]


@dataclass(eq=False, repr=False)
class NestedDichotomyForestClassifier(NestedDichotomyBase):
    r"""Forest of nested dichotomies with imprecise probabilities.

    Many decompositions of the classes, drawn uniformly, each a tree of binary credal classifiers
    ("Fo" in Yang, Destercke & Masson 2017, section VII-D). The trees' credal sets are mixed in
    equal parts, so that the lower expectation of any cost is the mean of the trees',

    .. math:: \underline E[f] = \frac1T \sum_t \underline E_t[f],

    and the answer holds the classes that are maximal under it. With a precise estimator this is
    the ensemble of Frank & Kramer (2004), who average the trees' probabilities.

    Parameters
    ----------
    estimator : classifier, optional
        Any binary classifier; see :class:`NestedDichotomyClassifier`.
    n_estimators : int, default=50
        Number of trees.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). None means 0/1 costs.
    ordinal : bool, default=False
        Whether the classes are ordered and only neighbouring ones may be grouped.
    doubt : float, default=0.0
        How far to doubt an estimator that does not bound its probabilities; see
        :class:`NestedDichotomyClassifier`.
    n_jobs : int, optional
        Processes that fit dichotomies, and threads that ask them.
    random_state : int, RandomState, Generator or None
        Seed of the decompositions, and of the estimator unless it is seeded itself.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    trees_ : list of Decomposition
        The trees, classes by position.
    estimators_ : list of classifiers
        One for each distinct dichotomy of the trees; label 0 is its left side.

    Notes
    -----
    A dichotomy that several trees share is learned, and asked, once.

    References
    ----------
    Those of :class:`NestedDichotomyClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from cautious.models import NestedDichotomyForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=40)
    >>> X = np.where(rng.random((40, 3)) < 0.6, y[:, None], rng.integers(4, size=(40, 3)))
    >>> forest = NestedDichotomyForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> forest.predict_set([[3, 3, 3], [0, 1, 2]])
    array([[False, False, False,  True],
           [ True,  True,  True,  True]])
    """

    _: KW_ONLY
    n_estimators: int = parameter(50, _TREES)

    def _settle(self, examples: Examples, rng: np.random.Generator) -> None:
        self._learn(self._drawn(self.n_estimators, rng), examples, rng)


def _seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Seed what chance there is in an estimator, unless it has been seeded."""
    for name, value in sorted(estimator.get_params().items(), key=lambda item: item[0]):
        if name.split("__")[-1] == "random_state" and value is None:
            estimator.set_params(**{name: int(rng.integers(2**31))})
    return estimator


def _fit_dichotomy(estimator: Any, left: Mask, right: Mask, examples: Examples) -> Any:
    """Fit a binary classifier of the right side (1) against the left (0)."""
    part = examples.take(np.flatnonzero((left | right)[examples.labels]))
    return estimator.fit(part.X, right[part.labels].astype(np.intp), **part.params)


def _left_side(estimator: Any, X: Any, share: float, *, precise: bool) -> tuple[Floats, Floats]:
    """Bound the probability of the left side; one without bounds is doubted by a share."""
    bounded = hasattr(estimator, "predict_proba_bounds")
    if not bounded or (precise and hasattr(estimator, "predict_proba")):
        name = f"{type(estimator).__name__}.predict_proba(X)"
        p = check_probabilities(estimator.predict_proba(X), name=name, n_classes=2)
        if precise:
            return p[:, 0], p[:, 0]
        intervals = contaminate(p, share)
        return intervals.lower[:, 0], intervals.upper[:, 0]
    lower, upper = estimator.predict_proba_bounds(X)
    # The two sides may be bounded loosely; what is not right is left.
    low, high = np.maximum(lower[:, 0], 1 - upper[:, 1]), np.minimum(upper[:, 0], 1 - lower[:, 1])
    return ((low + high) / 2, (low + high) / 2) if precise else (low, high)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A binary tree over classes.

    Nodes 0 to K - 1 are the classes. Dichotomy j is node K + j, after the nodes below it; the last
    one is the root. A dichotomy's left side holds its lowest class.
    """

    children: Ints  # left and right child of each dichotomy, (K - 1, 2)

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return len(self.children) + 1

    @property
    def members(self) -> Mask:
        """Classes below each node, shape (2K - 1, K)."""
        K = self.n_classes
        below = np.zeros((2 * K - 1, K), dtype=np.bool_)
        below[:K] = np.eye(K, dtype=np.bool_)
        for j, (left, right) in enumerate(self.children):
            below[K + j] = below[left] | below[right]
        return below

    def sides(self) -> Mask:
        """Classes left and right of each dichotomy, shape (K - 1, 2, K)."""
        return self.members[self.children]

    @property
    def key(self) -> bytes:
        """The same for equal decompositions, different for different ones."""
        groups = np.packbits(self.members[self.n_classes :], axis=1)
        return np.unique(groups, axis=0).tobytes()

    def export_text(self, classes: Labels | None = None) -> str:
        """Print the dichotomies, the root first."""
        labels = np.arange(self.n_classes) if classes is None else classes
        return "\n".join(" | ".join(set_names(pair, labels)) for pair in self.sides()[::-1])

    def __str__(self) -> str:
        return self.export_text()


def sample_decomposition(
    n_classes: int, rng: np.random.Generator, *, ordinal: bool = False
) -> Decomposition:
    """Draw a decomposition, every one being equally likely."""
    # A leaf holds its class, an inner node its two sides; a graft puts one in place of a node.
    root: list[Any] = [0]
    nodes, pairs, leaves = [root], list[list[int]](), count()
    for leaf in range(1, n_classes):
        at = rng.integers(len(nodes))
        inner, sibling, new = nodes[at], nodes[at][:], [leaf]
        inner[:] = [sibling, new] if rng.integers(2) else [new, sibling]
        nodes[at] = sibling
        nodes += [new, inner]

    def number(node: list[Any]) -> tuple[int, int]:
        """Give a node its number, after those below; tell it, and that of the lowest leaf below."""
        if len(node) == 1:
            leaf = next(leaves) if ordinal else node[0]
            return leaf, leaf
        sides = sorted(map(number, node), key=lambda side: side[1])
        pairs.append([side for side, _ in sides])
        return n_classes + len(pairs) - 1, sides[0][1]

    number(root)
    return Decomposition(np.array(pairs, dtype=np.intp).reshape(n_classes - 1, 2))


def lower_expectations(
    tree: Decomposition, lower: Floats, upper: Floats, functions: Floats
) -> Floats:
    """Lower expectations of functions of the class."""
    K, m = tree.n_classes, len(functions)
    expectations = np.empty((len(lower), m))
    for rows in row_chunks(len(lower), max(1, _VALUES_AT_ONCE // max(m, 1))):
        values = dict(enumerate(functions.T[:, None, :]))
        for j, (left, right) in enumerate(tree.children.tolist()):
            one, other = values.pop(left), values.pop(right)
            gap = one - other
            bound = np.where(gap < 0, upper[rows, j, None], lower[rows, j, None])
            values[K + j] = other + gap * bound
        expectations[rows] = values[2 * K - 2]
    return expectations


def class_products(tree: Decomposition, left: Floats, right: Floats) -> Floats:
    """Multiply the probabilities on the way from the root to each class."""
    K = tree.n_classes
    reached = np.ones((len(left), 2 * K - 1))
    for j in range(K - 2, -1, -1):
        here = reached[:, K + j]
        reached[:, tree.children[j, 0]] = here * left[:, j]
        reached[:, tree.children[j, 1]] = here * right[:, j]
    return reached[:, :K]


@dataclass(frozen=True)
class CredalForest:
    """Credal nested dichotomies for some rows, mixed in equal parts.

    The mixture holds the means of one distribution from each tree, so its lower expectation is the
    mean of theirs, exactly.
    """

    trees: Sequence[Decomposition]
    positions: Sequence[Ints]  # columns of the bounds that belong to each tree's dichotomies
    lower: Floats  # (n, D), of the probability of going left
    upper: Floats

    def lower_expectation(self, functions: Floats) -> Floats:
        """Lower expectations (n, m) of functions of the class, given as (m, K)."""
        total = np.zeros((len(self.lower), len(functions)))
        for tree, at in zip(self.trees, self.positions, strict=True):
            total += lower_expectations(tree, self.lower[:, at], self.upper[:, at], functions)
        return total / len(self.trees)

    def class_bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper probabilities (n, K) of the classes."""
        n_classes = self.trees[0].n_classes
        lower, upper = np.zeros((2, len(self.lower), n_classes))
        for tree, at in zip(self.trees, self.positions, strict=True):
            low, high = self.lower[:, at], self.upper[:, at]
            lower += class_products(tree, low, 1 - high)
            upper += class_products(tree, high, 1 - low)
        return lower / len(self.trees), upper / len(self.trees)


def distinct_dichotomies(trees: Sequence[Decomposition]) -> tuple[Mask, list[Ints]]:
    """List the dichotomies of several trees without repeats."""
    every = np.concatenate([tree.sides() for tree in trees])
    D, _, K = every.shape
    sides, position = np.unique(every.reshape(D, 2 * K), axis=0, return_inverse=True)
    return sides.reshape(-1, 2, K), np.split(position.ravel(), len(trees))
