"""Risk and coverage of answers with nodes of a tree of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import as_codes, check_classes, check_probabilities, check_truth, check_weight
from cautious._typing import Floats
from cautious.decision import ClassTree
from cautious.decision._class_tree import TreeLike, as_tree
from cautious.decision._structures import least_probability, path_probabilities


def hierarchical_risk_coverage(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_proba: npt.ArrayLike,
    tree: TreeLike,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> pd.DataFrame:
    r"""Follow the climbing rule over all thresholds: how often it errs, and how much it says.

    An answer with a node of k among K classes covers :math:`1 - \log k / \log K`: a class covers
    everything, the root nothing. In a tree without levels between, this is the share answered.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True class labels.
    y_proba : array-like of shape (n, K)
        Class probabilities.
    tree : ClassTree, mapping, str or None
        The tree; nested dictionaries; the separator of class names that are paths; None for a tree
        without levels.
    classes : sequence of length K, optional
        Class labels in column order; by default those of the tree, or the sorted labels of
        `y_true` where it has none of its own.
    sample_weight : array-like of shape (n,), optional
        How often each case counts.

    Returns
    -------
    DataFrame
        One row per threshold at which an answer changes, rising, and 1: ``threshold``;
        ``coverage``, its mean over the cases; ``risk``, the share of cases whose set misses the
        truth; ``mean_size`` of the sets. Each holds for
        :func:`cautious.decision.climbing_rule` at this threshold.

    See Also
    --------
    cautious.curves.RiskCoverageCurve : Answers of single classes, by their confidence.

    References
    ----------
    Goren, Galil & El-Yaniv (2024), *Hierarchical selective classification*.

    Examples
    --------
    >>> from cautious.decision import ClassTree
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
    >>> p = [[0.5, 0.4, 0.1, 0.0], [0.75, 0.0, 0.25, 0.0]]
    >>> hierarchical_risk_coverage(["dog", "cat"], p, tree)
       threshold  coverage  risk  mean_size
    0       0.50      1.00   0.5        1.0
    1       0.75      0.75   0.0        1.5
    2       0.90      0.25   0.0        3.0
    3       1.00      0.00   0.0        4.0
    """
    truth = check_truth(y_true)
    if classes is not None:
        labels = check_classes(classes)
    elif isinstance(tree, ClassTree):
        labels = check_classes(tree.classes)
    elif tree is None or isinstance(tree, str):
        labels = np.unique(truth)
    else:
        labels = check_classes(ClassTree.from_dict(tree).classes)
    own = as_tree(tree, labels)
    p = check_probabilities(y_proba, name="y_proba", n_classes=own.n_classes)
    codes = as_codes(truth, labels, name="y_true")
    if len(codes) != len(p):
        raise ValueError(f"y_true has {len(codes)} rows and y_proba has {len(p)}; give one each.")
    weight = check_weight(sample_weight, len(codes))
    if not weight.sum():
        raise ValueError("there is no case of positive weight; a curve needs at least one.")
    nodes, reached = path_probabilities(p, own)
    sizes = own.sizes.astype(np.float64)
    covered = 1 - np.log(sizes) / np.log(max(own.n_classes, 2))
    missed = ~own.masks[nodes, codes[:, None]]
    # Where the probability of a node below the root is not enough, the answer is the node next to
    # it. Sums may fall by rounding on the way up; the first node that is probable enough does not.
    below = own.sizes[nodes[:, :-1]] < own.n_classes
    levels, at = np.unique(
        np.maximum.accumulate(reached, axis=1)[:, :-1][below], return_inverse=True
    )
    # A threshold is reached as the rule says, so that some do not tell probabilities apart.
    thresholds = np.append(levels[levels < 1], 1.0)
    passed, first = np.unique(
        np.searchsorted(levels, least_probability(thresholds)), return_index=True
    )
    thresholds = np.append(thresholds[first[:-1]], 1.0)

    def mean(values: Floats) -> Floats:
        change = (weight[:, None] * np.diff(values, axis=1))[below]
        steps = np.append(0.0, np.bincount(at, change, len(levels)).cumsum())
        return np.asarray((weight @ values[:, 0] + steps[passed]) / weight.sum())

    return pd.DataFrame(
        {
            "threshold": thresholds,
            "coverage": mean(covered[nodes]),
            "risk": mean(missed.astype(np.float64)),
            "mean_size": mean(sizes[nodes]),
        }
    )
