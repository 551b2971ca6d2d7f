"""Class counts in the leaves that rows fall into, tree by tree.

scikit-learn keeps shares of the classes in the nodes of a tree since its version 1.3; times the
weight of a node they are counts again. What is wanted of a leaf, such as the classes that are not
dominated in it, is computed once per leaf or once per row, whichever is fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing

from cautious._typing import Floats, Ints

__all__ = ["LeafCounts", "check_countable", "check_one_output"]


def check_countable(estimator: Any) -> None:
    """Refuse, before anything is fitted, what is no ensemble of classification trees."""
    inner = _thawed(estimator)
    bagged = isinstance(inner, BaggingClassifier)
    tree = getattr(inner, "estimator", None) if bagged else inner
    single = isinstance(tree, DecisionTreeClassifier) or (bagged and tree is None)
    if not (single or isinstance(inner, RandomForestClassifier | ExtraTreesClassifier)):
        raise TypeError(
            f"estimator is a {type(inner).__name__}, whose leaves hold no class counts; give a "
            "RandomForestClassifier, an ExtraTreesClassifier, a DecisionTreeClassifier or a "
            "BaggingClassifier of such trees. Scaling and encoding go before the whole classifier, "
            "with make_cautious_pipeline."
        )


def check_one_output(fitted: Any) -> None:
    """Refuse a frozen ensemble that was fitted on several columns of labels."""
    outputs = getattr(_thawed(fitted), "n_outputs_", 1)
    if outputs != 1:
        raise ValueError(
            f"estimator was fitted on {outputs} columns of labels; fit one forest per column."
        )


def _thawed(estimator: Any) -> Any:
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    return estimator


class LeafCounts:
    """The leaves of a fitted ensemble of classification trees.

    Parameters
    ----------
    estimator : classifier
        A fitted forest, extra trees, bagged trees or a single tree, possibly frozen.
    """

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
            counts[:, self._columns(tree)] = shares * weight[:, None]
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

    def _columns(self, tree: Any) -> Ints:
        """Which classes of the ensemble the classes of a tree are."""
        if tree is self.ensemble:
            return np.arange(self.n_classes)
        return np.asarray(tree.classes_).astype(np.intp)
