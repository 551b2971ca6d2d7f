"""The cautious forest: six ways to a set of classes from the leaves of many trees.

scikit-learn keeps shares of the classes in the nodes of a tree since its version 1.3; times the
weight of a node they are counts again. What is wanted of a leaf, such as the classes that are not
dominated in it, is computed once per leaf or once per row, whichever is fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from cautious._random import as_generator
from cautious._typing import Floats, Ints, Mask, RandomState
from cautious.decision.optimal._candidates import first_in_order, largest_first
from cautious.models._base import (
    NOT_NEGATIVE,
    CredalClassifierMixin,
    Examples,
    Number,
    OneOf,
    parameter,
    row_chunks,
)
from cautious.models.wrapper import ProbabilisticWrapper
from cautious.utility._forms import UtilityLike, as_utility

ForestRule: TypeAlias = Literal["cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr"]

_RULE = OneOf("cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr")
_RISK = Number(Real, 0, 1, closed="left")

# Counts are shares times weights; what is equal but for this share of the leaf is a tie.
_ROUNDING = 1e-9
# Bytes of leaves and votes held at once.
_CELLS_AT_ONCE = 1 << 25


@dataclass(eq=False, repr=False)
class CautiousForestClassifier(CredalClassifierMixin, ProbabilisticWrapper):
    r"""Random forest that answers with a set of classes where its leaves have seen too little.

    A leaf that holds :math:`n_c` of its :math:`N` examples from class c bounds the probability of c
    by the imprecise Dirichlet model of strength s,

    .. math:: \frac{n_c}{N + s} \le p_c \le \frac{n_c + s}{N + s}.

    A class is dominated in a leaf if its upper bound is below the lower bound of another class, and
    the tree votes for the others. What the trees say is put together by a rule:

    - "cdm-vote": the set A of the largest :math:`u(1/|A|)\,\mathrm{bel}(A)`, where the belief
      :math:`\mathrm{bel}(A)` is the share of trees that vote for a subset of A. Exact for any
      number of classes.
    - "cdm-ave": likewise, where the belief in a set is the sum of the mean lower bounds of its
      classes, and 1 for all classes.
    - "ave": the classes that are not dominated by the mean bounds.
    - "mva": the classes against which the fewest trees vote.
    - "ndc": the set of the largest expected utility by the forest's mean probabilities.
    - "cr": the most probable classes, until their mean probabilities reach :math:`1 - risk`.

    Parameters
    ----------
    estimator : classifier, optional
        A random forest, extra trees, bagged decision trees or one decision tree; None is
        ``RandomForestClassifier()``. One that is already fitted is kept as it is inside
        scikit-learn's ``FrozenEstimator``. Boosted trees (``GradientBoostingClassifier``,
        ``HistGradientBoostingClassifier``, AdaBoost, XGBoost and the like) are refused: their
        leaves hold corrections to a score, not counts of classes. Put them into
        :class:`NondeterministicClassifier` or :class:`ConformalClassifier`.
    rule : {"cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr"}, default="cdm-vote"
        How a set is made of what the trees say.
    s : float, default=2.0
        Strength of the prior in each leaf; the rules "ndc" and "cr" have no use for it.
    utility : str, Utility or callable, default="u65"
        What a right set is worth, for the rules "cdm-vote", "cdm-ave" and "ndc"; see
        :func:`cautious.utility.as_utility`.
    risk : float, default=0.2
        Probability that may be left out, for the rule "cr".
    random_state : int, RandomState, Generator or None
        Seed of the forest, unless it is seeded itself.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    estimator_ : classifier
        The fitted forest.

    See Also
    --------
    CautiousSearchCV : Chooses s, or the risk, by cross-validation.
    CredalTreeClassifier : One tree that also splits by imprecise probabilities.

    Notes
    -----
    The rule, s, utility and risk take effect at prediction, so they may be changed after
    :meth:`fit` without growing the forest again. Counts are those of each tree's own bootstrap
    sample, weighted if ``class_weight`` or ``sample_weight`` is given; s is compared with them, so
    that weights of 100 make s a hundredth of a case, while "balanced" weights add up to the number
    of examples. In fully grown trees a leaf
    has one class and votes for it or, when it has seen no more than s examples, for all classes.

    References
    ----------
    Zhang, Quost & Masson (2023), *Cautious decision-making for tree ensembles*; Zhang, Quost &
    Masson (2023), *Cautious weighted random forests*; for "ndc" Del Coz & Bahamonde (2009), for
    "cr" Ha (1997), *The optimum class-selective rejection rule*.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cautious.models import CautiousForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = CautiousForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> forest.predict_set(X[[1, 77, 133]])
    array([[ True, False, False],
           [False, False,  True],
           [False,  True,  True]])
    >>> forest.set_params(rule="mva").predict_set(X[[77]])
    array([[False, False,  True]])
    """

    estimator: Any = None
    rule: ForestRule = parameter("cdm-vote", _RULE)
    _: KW_ONLY
    s: float = parameter(2.0, NOT_NEGATIVE)
    utility: UtilityLike = "u65"
    risk: float = parameter(0.2, _RISK)
    random_state: RandomState = None

    def _check_parameters(self) -> None:
        as_utility(self.utility)

    def _check_estimator(self) -> None:
        """Refuse, before anything is fitted, what is no ensemble of classification trees."""
        inner = _thawed(self._wrapped())
        bagged = isinstance(inner, BaggingClassifier)
        tree = getattr(inner, "estimator", None) if bagged else inner
        single = isinstance(tree, DecisionTreeClassifier) or (bagged and tree is None)
        if not (single or isinstance(inner, RandomForestClassifier | ExtraTreesClassifier)):
            raise TypeError(
                f"estimator is a {type(inner).__name__}, whose leaves hold no class counts; give a "
                "RandomForestClassifier, an ExtraTreesClassifier, a DecisionTreeClassifier or a "
                "BaggingClassifier of such trees. Scaling and encoding go before the whole "
                "classifier, with CautiousPipeline."
            )

    def _wrapped(self) -> Any:
        return RandomForestClassifier() if self.estimator is None else self.estimator

    def _learn(self, examples: Examples, plan: Any) -> None:
        forest = clone(self._wrapped())
        if self.random_state is not None and forest.get_params().get("random_state", 0) is None:
            forest.set_params(random_state=int(as_generator(self.random_state).integers(2**31)))
        self.estimator_ = forest.fit(examples.X, examples.labels, **examples.params)
        outputs = getattr(_thawed(self.estimator_), "n_outputs_", 1)
        if outputs != 1:
            raise ValueError(
                f"estimator was fitted on {outputs} columns of labels; fit one forest per column."
            )

    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row."""
        check_is_fitted(self)
        self._validate_params()  # they may have been changed since fit
        if self.rule in ("ndc", "cr"):
            return self._decide(X, self.predict_proba(X))
        return self._decide(X, np.empty((0, 0)))

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities by the mean bounds of the leaves."""
        check_is_fitted(self)
        self._validate_params()
        return self._bounds(LeafCounts(self.estimator_), X)

    def _decide(self, X: Any, p: Floats) -> Mask:
        if self.rule == "ndc":
            return best_nested_sets(p, 1.0, self._worth())
        if self.rule == "cr":
            # The most probable classes, until their probabilities add up to what is wanted.
            order, falling = largest_first(p)
            before = np.cumsum(falling, axis=1)[:, :-1]
            return first_in_order(order, (before < 1 - self.risk - _ROUNDING).sum(axis=1))
        leaves = LeafCounts(self.estimator_)
        (X,) = indexable(X)
        n, T, K = _num_samples(X), len(leaves.trees), leaves.n_classes
        chunks = list(row_chunks(n, max(1, _CELLS_AT_ONCE // (T * max(K, 8)))))
        if len(chunks) < 2:
            return self._by_leaves(leaves, X)
        parts = [self._by_leaves(leaves, _safe_indexing(X, rows)) for rows in chunks]
        return np.concatenate(parts)

    def _by_leaves(self, leaves: LeafCounts, X: Any) -> Mask:
        """Decide by what the leaves say on average, or by the votes of the trees."""
        if self.rule in ("ave", "cdm-ave"):
            lower, upper = self._bounds(leaves, X)
            if self.rule == "cdm-ave":
                return best_nested_sets(lower, 1.0, self._worth())
            return np.asarray(upper >= lower.max(axis=1, keepdims=True) - _ROUNDING)
        if self.rule == "mva":
            none = np.zeros((_num_samples(X), leaves.n_classes), dtype=np.int32)
            against = sum(leaves.each(X, self._undominated), start=none)
            return np.asarray(against == against.max(axis=1, keepdims=True))
        if leaves.n_classes <= MOST_CODED:
            codes = np.stack(list(leaves.each(X, self._undominated_code)))
            return best_sets_of_codes(codes.T, self._worth())
        votes = np.stack(list(leaves.each(X, self._undominated)), axis=1)
        return best_sets_of_votes(votes, self._worth())

    def _undominated(self, counts: Floats) -> Mask:
        """Classes of each leaf that no other dominates: a tie does not."""
        most = counts.max(axis=1, keepdims=True)
        return np.asarray(counts + (self.s + _ROUNDING * (most + self.s)) >= most)

    def _undominated_code(self, counts: Floats) -> Ints:
        """Put the undominated classes of each leaf into one number, the first class highest."""
        kept = self._undominated(counts)
        return np.asarray(kept @ (1 << np.arange(kept.shape[1])[::-1]), dtype=np.int16)

    def _bounds(self, leaves: LeafCounts, X: Any) -> tuple[Floats, Floats]:
        lower = sum(leaves.each(X, self._lower)) / len(leaves.trees)
        gap = np.maximum(1 - lower.sum(axis=1, keepdims=True), 0.0)  # all of s, in any class
        return lower, np.minimum(lower + gap, 1.0)

    def _lower(self, counts: Floats) -> Floats:
        return np.asarray(counts / (counts.sum(axis=1, keepdims=True) + self.s))

    def _worth(self) -> Floats:
        return np.asarray(as_utility(self.utility)(1 / np.arange(1, len(self.classes_) + 1)))


def _thawed(estimator: Any) -> Any:
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    return estimator


class LeafCounts:
    """The leaves of a fitted ensemble of classification trees."""

    def __init__(self, estimator: Any) -> None:
        estimator = _thawed(estimator)
        self.ensemble = estimator
        self.n_classes: int = len(estimator.classes_)
        lone = isinstance(estimator, DecisionTreeClassifier)
        self.trees: list[Any] = [estimator] if lone else list(estimator.estimators_)

    def each(self, X: Any, of: Callable[[Floats], Any]) -> Iterator[Any]:
        """Give, for each tree, what a function makes of the counts in the rows' leaves."""
        for tree, leaf in zip(self.trees, self._reached(X), strict=True):
            inner = tree.tree_
            few = inner.node_count <= len(leaf)
            at = slice(None) if few else leaf
            shares, weight = inner.value[at, 0], inner.weighted_n_node_samples[at]
            counts = np.zeros((len(weight), self.n_classes))
            # Trees of an ensemble know the classes by their positions.
            known = slice(None) if tree is self.ensemble else tree.classes_.astype(np.intp)
            counts[:, known] = shares * weight[:, None]
            found = of(counts)
            yield np.take(found, leaf, axis=0) if few else found

    def _reached(self, X: Any) -> Iterator[Ints]:
        """Say, for each tree, which leaf each row falls into."""
        if isinstance(self.ensemble, DecisionTreeClassifier):
            yield self.ensemble.apply(X)
        elif hasattr(self.ensemble, "apply"):
            yield from np.ascontiguousarray(self.ensemble.apply(X).T)
        else:  # bagged trees may look at some of the features each
            self.ensemble.predict_proba(_safe_indexing(X, np.arange(1)))  # checks X
            for tree, columns in zip(self.trees, self.ensemble.estimators_features_, strict=True):
                yield tree.apply(np.asarray(X)[:, columns])


MOST_CODED = 10
"""The most classes whose sets are all tried without leaving classes out first."""

# Values that differ by no more than this share are equal: the smaller set wins, then the one whose
# sorted class indices come first.
_TIE = 1e-12
# All sets of up to so many classes are tried.
_CLASSES_IN_TABLE = 12
_VOTES_AT_ONCE = 1 << 21


def best_nested_sets(belief: Floats, whole: Floats | float, worth: Floats) -> Mask:
    """Choose the most useful of the sets of the k classes of the largest belief."""
    order, falling = largest_first(belief)
    total = np.cumsum(falling, axis=1)
    total[:, -1] = whole
    value = total * worth
    size = (value >= value.max(axis=1, keepdims=True) * (1 - _TIE)).argmax(axis=1)
    return first_in_order(order, size)


def best_sets_of_codes(codes: Ints, worth: Floats, usable: Mask | None = None) -> Mask:
    """Choose the most useful of all sets of few classes, for each row, by votes that are usable."""
    K = len(worth)
    best = np.zeros((len(codes), K), dtype=np.bool_)
    every = np.arange(1, 1 << K)  # the empty set is no answer
    members = (every[:, None] >> np.arange(K)[::-1]) & 1 > 0
    # The first class has the highest bit: of sets of one size the first has the largest code.
    order = np.lexsort((-every, members.sum(axis=1)))
    every, members = every[order], members[order]
    starts = np.searchsorted(members.sum(axis=1), np.arange(1, K + 2))
    for rows in row_chunks(len(codes) if K else 0, max(1, _VOTES_AT_ONCE >> K)):
        here, chosen = codes[rows], best[rows]
        n = len(here)
        cell = here.astype(np.intp) * n + np.arange(n)[:, None]
        cells = cell.ravel() if usable is None else cell[usable[rows]]
        # Sets in rows, so that each step is over whole rows of the table.
        belief = np.bincount(cells, minlength=n << K).astype(np.int32).reshape(1 << K, n)
        for bit in range(K):
            halves = belief.reshape(-1, 2, 1 << bit, n)
            halves[:, 1] += halves[:, 0]
        belief = belief[every]
        most = np.array([belief[i:j].max(axis=0) for i, j in pairwise(starts)])
        value = most * worth[:, None]
        size = (value >= value.max(axis=0) * (1 - _TIE)).argmax(axis=0)
        for k in np.unique(size):
            own = np.flatnonzero(size == k)
            first = (belief[starts[k] : starts[k + 1], own] == most[k, own]).argmax(axis=0)
            chosen[own] = members[starts[k] + first]
    return best


def best_sets_of_votes(votes: Mask, worth: Floats) -> Mask:
    """Choose the most useful of all sets of classes, for each row."""
    _, T, K = votes.shape
    size = votes.sum(axis=2, dtype=np.int32)
    single = np.einsum("ntk,nt->nk", votes, (size == 1).astype(np.float64), optimize=True)
    chosen = best_nested_sets(single, float(T), worth)
    hard = np.flatnonzero(((size > 1) & (size < K)).any(axis=1))
    for rows in row_chunks(len(hard), max(1, _VOTES_AT_ONCE // (T * K))):
        at = hard[rows]
        chosen[at] = _best_unions(votes[at], size[at], worth)
    return chosen


def _best_unions(votes: Mask, size: Ints, worth: Floats) -> Mask:
    """Choose sets where votes for several classes make sets other than the nested ones best."""
    n, T, K = votes.shape
    partial = size < K  # votes for all classes tell sets apart only from the set of all
    floor = np.full(n, T * worth[-1])
    # The least rise of 1/u from one size to the next; the first is that of a single class.
    rise = max(0.0, float(np.diff(1 / worth, prepend=0.0).min()))
    alive = np.ones((n, K), dtype=np.bool_)
    usable = partial
    while True:
        support = np.einsum("ntk,nt->nk", votes, usable.astype(np.float64), optimize=True)
        floor = np.maximum(floor, _nested_value(votes, usable, support, worth))
        kept = alive & (support >= (floor * rise * (1 - 1e-9))[:, None])
        if (kept == alive).all():
            break
        alive = kept
        usable = partial & ~(votes & ~alive[:, None, :]).any(axis=2)
    chosen = np.zeros((n, K), dtype=np.bool_)
    n_alive = alive.sum(axis=1)
    for a in np.unique(n_alive):
        rows = np.flatnonzero(n_alive == a)
        classes = np.argsort(~alive[rows], axis=1, kind="stable")[:, :a]
        if a <= _CLASSES_IN_TABLE:
            inner = np.take_along_axis(votes[rows], classes[:, None, :], axis=2)
            code = inner @ (1 << np.arange(a)[::-1])
            best = best_sets_of_codes(code, worth[:a], usable[rows])
        else:
            found = zip(rows, classes, strict=True)
            best = np.array(
                [_best_by_branches(votes[i][usable[i]][:, own], worth) for i, own in found]
            )
        np.put_along_axis(inside := np.zeros((len(rows), K), dtype=np.bool_), classes, best, axis=1)
        chosen[rows] = inside
    held = partial & ~(votes & ~chosen[:, None, :]).any(axis=2)
    sizes = chosen.sum(axis=1)
    value = held.sum(axis=1) * worth[np.maximum(sizes, 1) - 1]
    chosen[T * worth[-1] * (1 - _TIE) > value] = True
    return chosen


def _nested_value(votes: Mask, usable: Mask, support: Floats, worth: Floats) -> Floats:
    """Value, in votes, of the best set of the classes of most support: less than any best."""
    n, _, K = votes.shape
    rank = np.argsort(np.argsort(-support, axis=1, kind="stable"), axis=1, kind="stable")
    last = np.where(votes, rank[:, None, :], 0).max(axis=2)
    cell = (np.arange(n)[:, None] * K + last)[usable]
    within = np.cumsum(np.bincount(cell, minlength=n * K).reshape(n, K), axis=1)
    return np.asarray((within * worth).max(axis=1))


def _best_by_branches(votes: Mask, worth: Floats) -> Mask:
    """Find the best set of many classes for one row, with classes in or out one after the other."""
    sets, times = np.unique(votes, axis=0, return_counts=True)
    n_classes = votes.shape[1]
    best_value, best = -1.0, np.zeros(n_classes, dtype=np.bool_)
    best_key: tuple[int, tuple[int, ...]] = (n_classes + 1, ())
    stack = [(np.zeros(n_classes, dtype=np.bool_), np.zeros(n_classes, dtype=np.bool_))]
    while stack:
        inside, outside = stack.pop()
        possible = ~(sets & outside).any(axis=1)
        rest = (sets & ~inside)[possible]
        weight = times[possible]
        needed = rest.sum(axis=1)
        n_in = int(inside.sum())
        if n_in:
            value = float(weight[needed == 0].sum() * worth[n_in - 1])
            key = (n_in, tuple(np.flatnonzero(inside).tolist()))
            ahead = value > best_value * (1 + _TIE)
            if ahead or (value >= best_value * (1 - _TIE) and key < best_key):
                best_value, best_key, best = max(value, best_value), key, inside
        support = weight @ rest
        free = ~(inside | outside) & (support > 0)
        if not free.any():
            continue
        most = np.cumsum(np.sort(support[free])[::-1])
        fit = np.cumsum(np.bincount(needed, weight, minlength=n_classes + 1))
        more = np.arange(1, len(most) + 1)
        bound = np.minimum(fit[more], fit[0] + most) * worth[n_in + more - 1]
        if bound.max() < best_value * (1 - _TIE):
            continue
        c = int(np.argmax(np.where(free, support, -1.0)))
        for mask in (outside, inside):  # the branch with the class comes first off the stack
            grown = mask.copy()
            grown[c] = True
            stack.append((grown, outside) if mask is inside else (inside, grown))
    return best
