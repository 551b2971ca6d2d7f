"""The credal decision tree: splits and leaves that know how few examples they have seen."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.credal import ProbabilityIntervals, imprecise_dirichlet
from cautious.decision import interval_dominance, maximality
from cautious.models.base import CredalClassifierMixin, class_costs
from cautious.models.credal_tree.growth import Examples, grow
from cautious.models.credal_tree.nodes import CredalTree
from cautious.models.discrete import DiscreteClassifier, factorise
from cautious.sets import set_names

__all__ = ["CredalTreeClassifier"]


class CredalTreeClassifier(CredalClassifierMixin, DiscreteClassifier):
    r"""Credal decision tree over discrete features.

    A classification tree in which the imprecise Dirichlet model (IDM) of strength s reads every
    count. A node splits on the feature of the largest imprecise information gain,

    .. math::

        \mathrm{IIG}(X) = S^*(K(C)) - \sum_v \frac{n_v}{n}\, S^*(K(C \mid X = v)),

    with one branch for each value, where :math:`S^*` is the largest entropy over a credal set. It
    stays a leaf if no gain is positive, so the tree needs no pruning. A leaf answers with the
    classes that are not interval-dominated: c is left out if some class has
    :math:`n(c') > n(c) + s`.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the prior: the larger, the smaller the tree and the more cautious its leaves. 0
        is a classical tree grown by information gain.
    costs : array-like or DataFrame of shape (K, K), optional
        Cost of each prediction (row) for each truth (column). Leaves then answer with the maximal
        classes under these costs.
    max_depth : int, optional
        The most splits on the way to a leaf.
    missing : {"skip", "conservative"}, default="skip"
        What happens to a row whose value is missing where a node splits. Skipped, it stays in the
        node, whose own counts answer. Conservatively it goes down every branch; the answer holds
        all classes that some leaf reached answers with, and the bounds cover all of theirs. In
        training it always stays in the node.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    tree_ : CredalTree
        The nodes.
    values_ : list of ndarray
        Values of each feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Their names, if X was a frame.

    Notes
    -----
    A value that was never seen in a node, or at all, is an empty branch: the row is answered from
    the counts of the node. ``predict_proba`` is the mean of the uniform prior's posterior in the
    leaf, :math:`(n(c) + s / K) / (n + s)`.

    References
    ----------
    Abellán & Moral (2003), *Building classification trees using the total uncertainty criterion*;
    Abellán & Moral (2005), *Upper entropy of credal sets. Applications to credal classification*;
    Zaffalon, Corani & Mauá (2012), section 9.2.

    Examples
    --------
    >>> from cautious.models import CredalTreeClassifier
    >>> X = [["sun", "calm"]] * 4 + [["rain", "calm"]] * 3 + [["rain", "windy"]] * 4
    >>> y = ["out"] * 4 + ["out", "in", "out"] + ["in"] * 4
    >>> tree = CredalTreeClassifier().fit(X, y)
    >>> print(tree.export_text(["sky", "wind"]))
    wind = calm: {out} (1, 6)
    wind = windy: {in} (4, 0)
    >>> tree.predict_set([["rain", "calm"], ["snow", None]])
    array([[False,  True],
           [ True,  True]])
    """

    def __init__(
        self,
        s: float = 1.0,
        *,
        costs: npt.ArrayLike | None = None,
        max_depth: int | None = None,
        missing: Literal["skip", "conservative"] = "skip",
    ) -> None:
        self.s = s
        self.costs = costs
        self.max_depth = max_depth
        self.missing = missing

    classes_: Labels
    tree_: CredalTree
    values_: list[Labels]

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Discrete features; nan, None and NA are missing. A frame with no columns leaves the
            root alone.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Repetitions of each row.

        Returns
        -------
        self
        """
        self._check_parameters()
        columns, labels, weight = self._read_examples(X, y, sample_weight)
        self.classes_, classes = np.unique(labels, return_inverse=True)
        if self.costs is not None:
            class_costs(self.costs, self.classes_)
        coded = [factorise(column) for column in columns]
        self.values_ = [values for _, values in coded]
        examples = Examples(
            codes=np.array([codes for codes, _ in coded], dtype=np.intp).reshape(-1, len(labels)),
            y=classes,
            weight=weight,
            n_values=np.array([len(values) for values in self.values_], dtype=np.intp),
            n_classes=len(self.classes_),
        )
        self.tree_ = grow(examples, self.s, max_depth=self.max_depth)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities by the uniform prior's posterior mean in the leaf.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K)
            Columns in ``classes_`` order. Where a row reaches several leaves, their mean, each
            weighted by its examples.
        """
        first, nodes = self._reach(X)
        counts = self.tree_.counts[nodes]
        size = counts.sum(axis=1, keepdims=True)
        p = (counts + self.s / len(self.classes_)) / (size + self.s)
        total = np.add.reduceat(size, first)
        return np.asarray(np.add.reduceat(size * p, first) / total)

    def predict_proba_bounds(self, X: Any) -> tuple[Floats, Floats]:
        """Bound the class probabilities by the IDM in the leaf.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        lower, upper : ndarray of shape (n, K)
            Reachable bounds; ``predict_proba`` lies between them.
        """
        first, nodes = self._reach(X)
        leaves, at = np.unique(nodes, return_inverse=True)
        intervals = self._intervals(leaves)
        lower = np.minimum.reduceat(intervals.lower[at], first)
        upper = np.maximum.reduceat(intervals.upper[at], first)
        return lower, upper

    def predict_set(self, X: Any) -> Mask:
        """Answer with the classes that remain in the leaf.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n, K), bool
            One row an example, one column a class in ``classes_`` order.
        """
        first, nodes = self._reach(X)
        leaves, at = np.unique(nodes, return_inverse=True)
        return np.asarray(np.logical_or.reduceat(self._answers(leaves)[at], first))

    def export_text(self, feature_names: Sequence[str] | None = None) -> str:
        """Print the tree, one line a branch.

        A leaf shows its answer and how many examples of each class it holds, in ``classes_``
        order. Where some known values of a feature have no branch, a line "otherwise" says what the
        node answers to them.

        Parameters
        ----------
        feature_names : sequence of str, optional
            Names of the features; by default those seen in fit, or ``feature_0`` and so on.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        known = getattr(
            self, "feature_names_in_", [f"feature_{i}" for i in range(self.n_features_in_)]
        )
        names = [str(name) for name in (known if feature_names is None else feature_names)]
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(names)} names for {self.n_features_in_} features."
            )
        answers = set_names(self._answers(np.arange(len(self.tree_))), self.classes_)

        def describe(node: int) -> str:
            return f"{answers[node]} ({', '.join(f'{n:g}' for n in self.tree_.counts[node])})"

        return "\n".join(self.tree_.lines(names, self.values_, describe))

    def _intervals(self, nodes: Ints) -> ProbabilityIntervals:
        return imprecise_dirichlet(self.tree_.counts[nodes], self.s)

    def _answers(self, nodes: Ints) -> Mask:
        if self.costs is None:
            return interval_dominance(self._intervals(nodes))
        return maximality(self._intervals(nodes), class_costs(self.costs, self.classes_))

    def _reach(self, X: Any) -> tuple[Ints, Ints]:
        """Nodes that the rows reach, in the order of the rows, and where each row's begin."""
        check_is_fitted(self)
        codes = self._read_coded(X, self.values_)
        rows, nodes = self.tree_.reach(codes, explore=self.missing == "conservative")
        return np.searchsorted(rows, np.arange(codes.shape[1])), nodes

    def _check_parameters(self) -> None:
        if not (isinstance(self.s, Real) and 0 <= self.s < np.inf):
            raise ValueError(
                f"s is {self.s!r}; the strength of the prior is a number that is not negative."
            )
        depth = self.max_depth
        if depth is not None and not (isinstance(depth, Integral) and depth >= 0):
            raise ValueError(
                f"max_depth is {depth!r}; give a whole number that is not negative, or None."
            )
        if self.missing not in ("skip", "conservative"):
            raise ValueError(f"missing is {self.missing!r}; choose 'skip' or 'conservative'.")
