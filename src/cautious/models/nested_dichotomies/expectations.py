r"""Probabilities and lower expectations in a tree of binary credal models.

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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints
from cautious.models.base import row_chunks
from cautious.models.nested_dichotomies.decompositions import Decomposition

__all__ = ["CredalForest", "class_products", "lower_expectations"]

# Rows are taken so many values at a time that the recursion stays in the processor's cache.
_VALUES_AT_ONCE = 50_000


def lower_expectations(
    tree: Decomposition, lower: Floats, upper: Floats, functions: Floats
) -> Floats:
    """Lower expectations of functions of the class.

    Parameters
    ----------
    tree : Decomposition
        The dichotomies.
    lower, upper : ndarray of shape (n, K - 1)
        Bounds on the probability of going left at each dichotomy.
    functions : ndarray of shape (m, K)
        Values for each class.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> tree = Decomposition(np.array([[1, 2], [0, 3]]))  # {0} | {1, 2}, {1} | {2}
    >>> low, high = np.array([[0.5, 0.2]]), np.array([[0.5, 0.4]])
    >>> lower_expectations(tree, low, high, np.eye(3))
    array([[0.2, 0.3, 0.3]])
    """
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
    """Multiply the probabilities on the way from the root to each class.

    With probabilities this gives those of the classes; with all lower (or all upper) ones it gives
    the classes' lower (upper) probabilities.

    Parameters
    ----------
    tree : Decomposition
        The dichotomies.
    left, right : ndarray of shape (n, K - 1)
        Of going left and right at each dichotomy.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> tree = Decomposition(np.array([[1, 2], [0, 3]]))
    >>> p = np.array([[0.5, 0.2]])
    >>> class_products(tree, p, 1 - p)
    array([[0.2, 0.4, 0.4]])
    """
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

    Attributes
    ----------
    trees : sequence of Decomposition
        The trees; one is a forest too.
    positions : sequence of ndarray of shape (K - 1,)
        Columns of ``lower`` and ``upper`` that belong to the dichotomies of each tree.
    lower, upper : ndarray of shape (n, D)
        Bounds on the probability of going left at each dichotomy.
    """

    trees: Sequence[Decomposition]
    positions: Sequence[Ints]
    lower: Floats
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
