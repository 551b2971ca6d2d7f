"""The cautious forest: six ways to a set of classes from the leaves of many trees."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from cautious._random import as_generator
from cautious._typing import Floats, Ints, Labels, Mask, RandomState
from cautious.errors import shown
from cautious.models.base import (
    CredalClassifierMixin,
    borrow_input_tags,
    check_examples,
    fit_metadata,
    row_chunks,
    take_over_features,
)
from cautious.models.forests.leaves import LeafCounts, check_countable, check_one_output
from cautious.models.forests.votes import (
    MOST_CODED,
    best_nested_sets,
    best_sets_of_codes,
    best_sets_of_votes,
)
from cautious.models.wrappers.wrapper import ProbabilisticWrapper
from cautious.utility import as_utility
from cautious.utility._forms import UtilityLike

__all__ = ["CautiousForestClassifier", "ForestRule"]

ForestRule: TypeAlias = Literal["cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr"]
RULES = ("cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr")

# Counts are shares times weights; what is equal but for this share of the leaf is a tie.
_ROUNDING = 1e-9
# Bytes of leaves and votes held at once.
_CELLS_AT_ONCE = 1 << 25


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
    CautiousForestClassifierCV : Chooses s, or the risk, by cross-validation.
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

    def __init__(
        self,
        estimator: Any = None,
        rule: ForestRule = "cdm-vote",
        *,
        s: float = 2.0,
        utility: UtilityLike = "u65",
        risk: float = 0.2,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.s = s
        self.utility = utility
        self.risk = risk
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, **fit_params: Any
    ) -> Any:
        """Grow the forest."""
        self._check_parameters()
        estimator = self._forest()
        check_countable(estimator)
        X, labels, weight = check_examples(X, y, sample_weight)
        params = fit_metadata(self, estimator, weight, fit_params)
        estimator = clone(estimator)
        if self.random_state is not None:
            own = estimator.get_params().get("random_state", 0)
            if own is None:
                seed = int(as_generator(self.random_state).integers(2**31))
                estimator.set_params(random_state=seed)
        self.estimator_: Any = estimator.fit(X, labels, **params)
        check_one_output(self.estimator_)
        self.classes_: Labels = np.asarray(self.estimator_.classes_)
        take_over_features(self, self.estimator_)
        return self

    def predict_set(self, X: Any) -> Mask:
        """Answer with a set of classes for each row."""
        check_is_fitted(self)
        self._check_parameters()
        if self.rule in ("ndc", "cr"):
            return self._sets(X, self.predict_proba(X))
        return self._decide(X, np.empty((0, 0)))

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities by the mean bounds of the leaves."""
        check_is_fitted(self)
        self._check_parameters()
        return self._bounds(LeafCounts(self.estimator_), X)

    def _sets(self, X: Any, p: Floats) -> Mask:
        if self.rule == "ndc":
            return best_nested_sets(p, 1.0, self._worth())
        if self.rule == "cr":
            return _reach(p, 1 - self.risk)
        return self._decide(X, p)

    def _decide(self, X: Any, p: Floats) -> Mask:
        leaves = LeafCounts(self.estimator_)
        (X,) = indexable(X)
        n, T, K = _num_samples(X), len(leaves.trees), leaves.n_classes
        decide = {
            "ave": self._undominated_on_average,
            "mva": self._least_voted_against,
            "cdm-ave": self._most_useful_on_average,
            "cdm-vote": self._most_useful_of_votes,
        }[self.rule]
        chunks = list(row_chunks(n, max(1, _CELLS_AT_ONCE // (T * max(K, 8)))))
        if len(chunks) < 2:
            return decide(leaves, X)
        parts = [decide(leaves, _safe_indexing(X, rows)) for rows in chunks]
        return np.concatenate(parts)

    def _undominated_on_average(self, leaves: LeafCounts, X: Any) -> Mask:
        lower, upper = self._bounds(leaves, X)
        kept: Mask = upper >= lower.max(axis=1, keepdims=True) - _ROUNDING
        return kept

    def _most_useful_on_average(self, leaves: LeafCounts, X: Any) -> Mask:
        return best_nested_sets(self._bounds(leaves, X)[0], 1.0, self._worth())

    def _least_voted_against(self, leaves: LeafCounts, X: Any) -> Mask:
        votes = np.zeros((_num_samples(X), leaves.n_classes), dtype=np.int32)
        for vote in leaves.each(X, self._undominated):
            votes += vote
        least: Mask = votes == votes.max(axis=1, keepdims=True)
        return least

    def _most_useful_of_votes(self, leaves: LeafCounts, X: Any) -> Mask:
        n, T, K = _num_samples(X), len(leaves.trees), leaves.n_classes
        if K <= MOST_CODED:
            codes = np.empty((T, n), dtype=np.int16)
            for t, code in enumerate(leaves.each(X, self._undominated_code)):
                codes[t] = code
            return best_sets_of_codes(codes.T, self._worth())
        votes = np.empty((n, T, K), dtype=np.bool_)
        for t, vote in enumerate(leaves.each(X, self._undominated)):
            votes[:, t] = vote
        return best_sets_of_votes(votes, self._worth())

    def _undominated(self, counts: Floats) -> Mask:
        """Classes of each leaf that no other dominates: a tie does not."""
        most = counts.max(axis=1, keepdims=True)
        kept: Mask = counts + (self.s + _ROUNDING * (most + self.s)) >= most
        return kept

    def _undominated_code(self, counts: Floats) -> Ints:
        """Put the undominated classes of each leaf into one number, the first class highest."""
        kept = self._undominated(counts)
        code: Ints = kept @ (1 << np.arange(kept.shape[1])[::-1])
        return code.astype(np.int16)

    def _bounds(self, leaves: LeafCounts, X: Any) -> tuple[Floats, Floats]:
        lower: Any = 0.0
        for part in leaves.each(X, self._lower):
            lower += part
        lower /= len(leaves.trees)
        gap = np.maximum(1 - lower.sum(axis=1, keepdims=True), 0.0)  # all of s, in any class
        return lower, np.minimum(lower + gap, 1.0)

    def _lower(self, counts: Floats) -> Floats:
        lower: Floats = counts / (counts.sum(axis=1, keepdims=True) + self.s)
        return lower

    def _worth(self) -> Floats:
        return np.asarray(as_utility(self.utility)(1 / np.arange(1, len(self.classes_) + 1)))

    def _forest(self) -> Any:
        return RandomForestClassifier() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        if self.rule not in RULES:
            raise ValueError(
                f"rule is {shown(self.rule)}; choose one of {', '.join(map(repr, RULES))}."
            )
        if not (isinstance(self.s, Real) and 0 <= self.s < np.inf):
            raise ValueError(
                f"s is {shown(self.s)}; the strength of the prior is a number that is not negative."
            )
        if not (isinstance(self.risk, Real) and 0 <= self.risk < 1):
            raise ValueError(
                f"risk is {shown(self.risk)}; it is a probability, 0 or more and below 1."
            )
        as_utility(self.utility)

    def __sklearn_tags__(self) -> Any:
        tags = super(ProbabilisticWrapper, self).__sklearn_tags__()
        return borrow_input_tags(tags, self._forest())


def _reach(p: Floats, wanted: float) -> Mask:
    """Take the most probable classes until their probabilities add up to what is wanted."""
    order = np.argsort(-np.round(p, 12), axis=1, kind="stable")
    before = np.cumsum(np.take_along_axis(p, order, axis=1), axis=1)[:, :-1]
    needed = np.ones(p.shape, dtype=np.bool_)
    needed[:, 1:] = before < wanted - _ROUNDING
    sets = np.empty(p.shape, dtype=np.bool_)
    np.put_along_axis(sets, order, needed, axis=1)
    return sets
