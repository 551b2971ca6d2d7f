"""Trees that stand in for C4.5: Laplace-corrected leaves, many branches, pruning that is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from cautious._typing import Floats, Labels
from cautious.models import CredalTreeClassifier

__all__ = ["LaplaceTreeClassifier", "MultiwayTreeClassifier", "pruned_by_cross_validation"]

STRENGTHS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


class LaplaceTreeClassifier(DecisionTreeClassifier):  # type: ignore[misc]
    r"""scikit-learn's tree with :math:`(n_c + 1) / (n + K)` in the leaves.

    The nearest stand-in that scikit-learn has for an unpruned C4.5 tree with Laplace correction,
    where features are numbers.

    Examples
    --------
    >>> tree = LaplaceTreeClassifier(max_depth=1).fit([[0], [0], [1]], ["a", "a", "b"])
    >>> tree.predict_proba([[0], [1]]).round(3)
    array([[0.75 , 0.25 ],
           [0.333, 0.667]])
    """

    def predict_proba(self, X: Any, check_input: bool = True) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        shares: Floats = super().predict_proba(X, check_input)
        if self.n_outputs_ > 1:  # several targets at once: scikit-learn's own estimates
            return shares
        leaves = self.apply(X, check_input)
        n = self.tree_.weighted_n_node_samples[leaves][:, None]
        corrected: Floats = np.asarray((shares * n + 1) / (n + shares.shape[1]))
        return corrected


class MultiwayTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A tree with one branch per category and Laplace-corrected leaves, for discrete features.

    Grown by information gain as C4.5's ancestors are; a stand-in where features are categories,
    which scikit-learn's trees can only split in two.

    Parameters
    ----------
    s : float, default=0.0
        0 grows the whole tree. With more, gains are imprecise ones, which stop the growth early
        (:class:`cautious.models.CredalTreeClassifier`).

    Examples
    --------
    >>> tree = MultiwayTreeClassifier().fit([["x"], ["x"], ["y"]], ["a", "a", "b"])
    >>> tree.predict_proba([["x"], ["y"]]).round(3)
    array([[0.75 , 0.25 ],
           [0.333, 0.667]])
    """

    def __init__(self, s: float = 0.0) -> None:
        self.s = s

    def fit(self, X: Any, y: Any) -> Any:
        """Grow the tree."""
        tree = CredalTreeClassifier(s=self.s).fit(X, y)
        self.classes_ = tree.classes_
        # The mean of an IDM of strength K is Laplace's estimate.
        self.tree_ = tree.set_params(s=float(len(tree.classes_)))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        p: Floats = self.tree_.predict_proba(X)
        return p

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def pruned_by_cross_validation(tree: DecisionTreeClassifier) -> GridSearchCV:
    """Let a tree choose, on the data it is given, how strongly to prune itself.

    Cost-complexity from a fixed grid, by five-fold cross-validated accuracy.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        scikit-learn's, or one like it.

    Returns
    -------
    GridSearchCV

    Examples
    --------
    >>> chosen = pruned_by_cross_validation(DecisionTreeClassifier(random_state=0))
    >>> chosen.fit(np.arange(40).reshape(-1, 1), [0, 1] * 10 + [1, 1] * 10).best_params_
    {'ccp_alpha': 0.05}
    """
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    return GridSearchCV(tree, {"ccp_alpha": list(STRENGTHS)}, cv=folds)
