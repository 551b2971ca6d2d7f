r"""Trees of nested dichotomies: drawing them uniformly, and expectations in them.

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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.models.base import row_chunks
from cautious.sets import set_names

__all__ = [
    "CredalForest",
    "Decomposition",
    "class_products",
    "lower_expectations",
    "sample_decomposition",
]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A binary tree over classes.

    Nodes 0 to K - 1 are the classes. Dichotomy j is node K + j, after the nodes below it; the last
    one is the root. A dichotomy's left side holds its lowest class.

    Attributes
    ----------
    children : ndarray of shape (K - 1, 2)
        Left and right child of each dichotomy.
    """

    children: Ints

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
    # Leaves are 0, ..., K - 1; the graft of leaf k makes inner node -k.
    children: dict[int, list[int]] = {}
    parent: dict[int, int] = {}
    nodes, root = [0], 0
    for leaf in range(1, n_classes):
        sibling = nodes[rng.integers(len(nodes))]
        pair = [sibling, leaf] if rng.integers(2) else [leaf, sibling]
        if sibling == root:
            root = -leaf
        else:
            above = parent[sibling]
            parent[-leaf] = above
            children[above][children[above].index(sibling)] = -leaf
        children[-leaf] = pair
        parent[sibling] = parent[leaf] = -leaf
        nodes += [leaf, -leaf]
    return _numbered(root, children, in_a_row=ordinal)


def _numbered(root: int, children: dict[int, list[int]], *, in_a_row: bool) -> Decomposition:
    """Give inner nodes numbers after those below, and leaves theirs from left to right if asked."""
    K = len(children) + 1
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    pairs: list[list[int]] = []
    leaves = 0
    pending = [(root, False)]
    while pending:
        node, below_done = pending.pop()
        if node not in children:
            number[node] = lowest[node] = leaves if in_a_row else node
            leaves += 1
        elif not below_done:
            left, right = children[node]
            pending += [(node, True), (right, False), (left, False)]
        else:
            pair = sorted(children[node], key=lowest.__getitem__)
            number[node], lowest[node] = K + len(pairs), lowest[pair[0]]
            pairs.append([number[side] for side in pair])
    return Decomposition(np.array(pairs, dtype=np.intp).reshape(K - 1, 2))


# Rows are taken so many values at a time that the recursion stays in the processor's cache.
_VALUES_AT_ONCE = 50_000


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
