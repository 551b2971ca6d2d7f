r"""Growing a credal tree by imprecise information gain, and what its nodes hold.

The gain of feature :math:`X` in a node is the upper entropy :math:`S^*` that knowing it removes,

.. math::

    \mathrm{IIG}(X) = S^*(K(C)) - \sum_v \frac{n_v}{n}\, S^*(K(C \mid X = v)),

where :math:`K` are the credal sets of the imprecise Dirichlet model on the class counts (Abellán &
Moral 2003, 2005). Unlike a plain information gain it can be negative: branches with few examples
have large upper entropies. Growth stops by itself when no gain is positive.

Rows in which the feature is missing are left out of both terms, and the gain is multiplied by the
share of the others, as in C4.5. Nodes of one depth are grown together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.credal import imprecise_dirichlet, upper_entropy
from cautious.models.discrete import MISSING

__all__ = ["CredalTree", "Examples", "entropy_of_counts", "grow", "imprecise_gains"]


@dataclass(frozen=True)
class CredalTree:
    """Nodes of a tree with one branch for each value of the feature it splits on.

    Attributes
    ----------
    counts : ndarray of shape (nodes, K)
        Examples of each class that came to each node; node 0 is the root.
    feature : ndarray of shape (nodes,)
        Feature on which each node splits, -1 for a leaf.
    start : ndarray of shape (nodes,)
        Position in ``branches`` of the branch for the first value of that feature.
    branches : ndarray
        Node at the end of each branch, -1 where no example came along it.
    n_values : ndarray of shape (m,)
        Number of values of each feature.
    """

    counts: Floats
    feature: Ints
    start: Ints
    branches: Ints
    n_values: Ints

    def __len__(self) -> int:
        return len(self.counts)

    def reach(
        self, codes: Ints, *, explore: bool = False, empty_nodes: bool = False
    ) -> tuple[Ints, Ints]:
        """Follow rows down the tree until they can go no further."""
        row, node = np.arange(codes.shape[1]), np.zeros(codes.shape[1], dtype=np.intp)
        ended = []
        while len(row):
            split = self.feature[node] >= 0
            code = np.full(len(row), MISSING)
            code[split] = codes[self.feature[node[split]], row[split]]
            known = split & (code >= 0)
            known[known] = code[known] < self.n_values[self.feature[node[known]]]
            child = np.full(len(row), -1, dtype=np.intp)
            child[known] = self.branches[self.start[node[known]] + code[known]]
            if explore:
                gap = np.flatnonzero(split & (code == MISSING))
                more_rows, more_nodes, stay = self._all_branches(row[gap], node[gap])
                child[gap[~stay]] = -2  # goes on below, and does not end here as well
                code[gap] = 0  # may hide any value, also that of an empty branch
            at = np.where(split & (code >= 0), len(self), node) if empty_nodes else node
            ended.append((row[child == -1], at[child == -1]))
            on = child >= 0
            row, node = row[on], child[on]
            if explore:
                row, node = np.append(row, more_rows), np.append(node, more_nodes)
        rows, nodes = (np.concatenate(part) for part in zip(*ended, strict=True))
        order = np.argsort(rows, kind="stable")
        return rows[order], nodes[order]

    def _all_branches(self, row: Ints, node: Ints) -> tuple[Ints, Ints, Mask]:
        """Send rows down all branches; say which also stay, because some branch is empty."""
        width = self.n_values[self.feature[node]]
        first = np.repeat(self.start[node] - np.cumsum(width) + width, width)
        child = self.branches[first + np.arange(width.sum())]
        of = np.repeat(np.arange(len(row)), width)
        stay = np.zeros(len(row), dtype=np.bool_)
        stay[of[child < 0]] = True
        return row[of[child >= 0]], child[child >= 0], stay

    def lines(
        self,
        names: Sequence[str],
        values: Sequence[Labels],
        describe: Callable[[int], str],
        empty: int | None = None,
    ) -> Iterator[str]:
        """Print the tree, one line per branch."""
        if self.feature[0] < 0:
            yield describe(0)
        else:
            yield from self._branch_lines(0, "", names, values, describe, empty)

    def _branch_lines(
        self,
        node: int,
        indent: str,
        names: Sequence[str],
        values: Sequence[Labels],
        describe: Callable[[int], str],
        empty: int | None,
    ) -> Iterator[str]:
        feature, start = int(self.feature[node]), int(self.start[node])
        children = self.branches[start : start + int(self.n_values[feature])].tolist()
        for value, child in zip(values[feature].tolist(), children, strict=True):
            if child < 0:
                continue
            branch = f"{indent}{names[feature]} = {value}"
            if self.feature[child] < 0:
                yield f"{branch}: {describe(child)}"
            else:
                yield branch
                below = indent + "|   "
                yield from self._branch_lines(child, below, names, values, describe, empty)
        if -1 in children:
            otherwise = describe(node if empty is None else empty)
            yield f"{indent}{names[feature]} otherwise: {otherwise}"


# Gains this small come from rounding.
_NOTHING = 1e-12


@dataclass(frozen=True)
class Examples:
    """What a tree is grown from.

    Attributes
    ----------
    codes : ndarray of shape (m, n)
        Values of the features as codes; negative where missing.
    y : ndarray of shape (n,)
        Class codes.
    weight : ndarray of shape (n,) or None
        Repetitions of each row.
    n_values : ndarray of shape (m,)
        Number of values of each feature.
    n_classes : int
        Number of classes K.
    """

    codes: Ints
    y: Ints
    weight: Floats | None
    n_values: Ints
    n_classes: int

    def counts(self, rows: Ints, cell: Ints, n_cells: int) -> Floats:
        """Count the classes of some rows in each cell, shape (n_cells, K)."""
        weight = None if self.weight is None else self.weight[rows]
        where = cell * self.n_classes + self.y[rows]
        table = np.bincount(where, weight, minlength=n_cells * self.n_classes)
        return table.reshape(n_cells, self.n_classes).astype(np.float64)


def entropy_of_counts(counts: Floats, s: float) -> Floats:
    """Upper entropy, in bits, of the imprecise Dirichlet model on class counts."""
    least = counts.min(axis=1, keepdims=True)
    lowest = counts == least
    share = s / lowest.sum(axis=1, keepdims=True)
    filled = counts + np.where(lowest, share, 0.0)
    total = counts.sum(axis=1) + s
    entropy: Floats = np.log2(total) - xlogy(filled, filled).sum(axis=1) / (total * np.log(2))
    following = np.where(lowest, np.inf, counts).min(axis=1, keepdims=True)
    lifted = np.flatnonzero((least + share > following).any(axis=1))
    if len(lifted):
        entropy[lifted] = upper_entropy(imprecise_dirichlet(counts[lifted], s))
    return entropy


def imprecise_gains(
    examples: Examples, feature: int, rows: Ints, at: Ints, counts: Floats, s: float
) -> Floats:
    """Imprecise information gain of one feature in each of several nodes."""
    nodes, width = len(counts), int(examples.n_values[feature])
    code = examples.codes[feature, rows]
    present = code >= 0
    complete = bool(present.all())
    if not complete:
        rows, at, code = rows[present], at[present], code[present]
    cell = at * width + code
    if nodes * width <= 4 * len(rows):
        used, position = np.arange(nodes * width), cell
    else:  # most values do not occur in most nodes
        used, position = np.unique(cell, return_inverse=True)
    table = examples.counts(rows, position, len(used))
    taken = table.any(axis=1)
    table, owner = table[taken], used[taken] // max(width, 1)
    left = np.bincount(
        owner, weights=table.sum(axis=1) * entropy_of_counts(table, s), minlength=nodes
    )
    seen = counts if complete else examples.counts(rows, at, nodes)
    gains = np.zeros(nodes)
    some = np.flatnonzero(seen.any(axis=1))
    before = seen[some].sum(axis=1) * entropy_of_counts(seen[some], s)
    gains[some] = (before - left[some]) / counts[some].sum(axis=1)
    return gains


def grow(examples: Examples, s: float, *, max_depth: int | None = None) -> CredalTree:
    """Grow a tree until no imprecise gain is positive."""
    levels: list[tuple[Floats, Ints, Ints, Ints]] = []
    n_nodes, n_branches, here = 0, 0, 1
    rows, at = np.arange(len(examples.y)), np.zeros(len(examples.y), dtype=np.intp)
    while here:
        counts = examples.counts(rows, at, here)
        feature = np.full(here, -1, dtype=np.intp)
        if max_depth is None or len(levels) < max_depth:
            feature = _best_features(examples, rows, at, counts, s)
        width = np.where(feature >= 0, np.append(examples.n_values, 0)[feature], 0)
        first = np.cumsum(width) - width
        rows, branch = _follow(examples, rows, at, feature, first)
        taken, at = np.unique(branch, return_inverse=True)
        n_nodes += here
        branches = np.full(int(width.sum()), -1, dtype=np.intp)
        branches[taken] = n_nodes + np.arange(len(taken))
        levels.append((counts, feature, n_branches + first, branches))
        n_branches += len(branches)
        here = len(taken)
    counts, feature, start, branches = map(np.concatenate, zip(*levels, strict=True))
    return CredalTree(counts, feature, start, branches, examples.n_values)


def _best_features(examples: Examples, rows: Ints, at: Ints, counts: Floats, s: float) -> Ints:
    """Feature of the largest positive gain in each node, the first of several; -1 if none."""
    best = np.full(len(counts), -1, dtype=np.intp)
    # Splitting a node of one class only raises its upper entropy.
    mixed = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    if not len(mixed) or not len(examples.codes):
        return best
    number = np.full(len(counts), -1, dtype=np.intp)
    number[mixed] = np.arange(len(mixed))
    rows, at = rows[number[at] >= 0], number[at[number[at] >= 0]]
    gains = np.array(
        [
            imprecise_gains(examples, feature, rows, at, counts[mixed], s)
            for feature in range(len(examples.codes))
        ]
    )
    largest = gains.max(axis=0)
    # Equal gains may differ by rounding, which must not depend on the order of the classes.
    first = (gains >= largest - _NOTHING).argmax(axis=0)
    best[mixed] = np.where(largest > _NOTHING, first, -1)
    return best


def _follow(
    examples: Examples, rows: Ints, at: Ints, feature: Ints, first: Ints
) -> tuple[Ints, Ints]:
    """Send rows down the branches; those in leaves, or without a value, go no further."""
    split = feature[at] >= 0
    rows, at = rows[split], at[split]
    code = examples.codes[feature[at], rows]
    present = code >= 0
    return rows[present], (first[at] + code)[present]
