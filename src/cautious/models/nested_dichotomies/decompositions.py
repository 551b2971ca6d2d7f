r"""Decompositions of a set of classes into nested dichotomies, and drawing them uniformly.

A decomposition is a rooted binary tree whose leaves are the classes; every inner node is a
dichotomy, the classes on its left against those on its right. Sides do not matter, so there are
:math:`(2K - 3)!! = 1 \cdot 3 \cdot 5 \cdots (2K - 3)` of them. If the classes are ordered and every
node must hold neighbouring ones, there are as many as binary trees with K leaves in a row, the
Catalan number :math:`\frac{1}{K}\binom{2K-2}{K-1}`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cautious._typing import Ints, Labels, Mask
from cautious.sets import set_names

__all__ = ["Decomposition", "sample_decomposition"]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A binary tree over classes.

    Nodes 0 to K - 1 are the classes. Dichotomy j is node K + j, after the nodes below it; the last
    one is the root. A dichotomy's left side holds its lowest class.

    Attributes
    ----------
    children : ndarray of shape (K - 1, 2)
        Left and right child of each dichotomy.

    Examples
    --------
    >>> import numpy as np
    >>> tree = Decomposition(np.array([[1, 2], [0, 3]]))
    >>> print(tree)
    {0} | {1, 2}
    {1} | {2}
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
        """Print the dichotomies, the root first.

        Parameters
        ----------
        classes : ndarray of shape (K,), optional
            Class labels; by default positions.

        Returns
        -------
        str
        """
        labels = np.arange(self.n_classes) if classes is None else classes
        return "\n".join(" | ".join(set_names(pair, labels)) for pair in self.sides()[::-1])

    def __str__(self) -> str:
        return self.export_text()


def sample_decomposition(
    n_classes: int, rng: np.random.Generator, *, ordinal: bool = False
) -> Decomposition:
    r"""Draw a decomposition, every one being equally likely.

    Leaves are grafted one after the other: leaf k joins a node chosen uniformly among the
    :math:`2k - 1` there are, on a side chosen by a coin. Each labelled tree comes about in exactly
    one way, which makes the :math:`(2K - 3)!!` decompositions equally likely. Forgetting the labels
    leaves a uniform plane tree (Rémy's algorithm), whose leaves from left to right are the
    ordered classes.

    Parameters
    ----------
    n_classes : int
        Number of classes K.
    rng : Generator
        Source of randomness.
    ordinal : bool, default=False
        Whether every node is to hold neighbouring classes.

    Returns
    -------
    Decomposition

    References
    ----------
    Rémy (1985), *Un procédé itératif de dénombrement d'arbres binaires*; Frank & Kramer (2004),
    *Ensembles of nested dichotomies for multi-class problems*, count the decompositions.

    Examples
    --------
    >>> import numpy as np
    >>> print(sample_decomposition(4, np.random.default_rng(1), ordinal=True))
    {0, 1, 2} | {3}
    {0} | {1, 2}
    {1} | {2}
    """
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
