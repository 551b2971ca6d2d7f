"""A grown credal tree: its nodes, the way rows take through it, and how it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.models.discrete import MISSING

__all__ = ["CredalTree"]


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
        """Follow rows down the tree until they can go no further.

        A row ends in a leaf, or in the node whose split it cannot follow: its value there is
        missing, or its branch is empty, because no example in this node had the value.

        Parameters
        ----------
        codes : ndarray of shape (m, n)
            Codes of the rows' values.
        explore : bool, default=False
            Whether a row whose value is missing goes down every branch instead.
        empty_nodes : bool, default=False
            Whether a row with an empty branch ends in an extra node without examples, number
            ``len(self)``, instead of in the node above it.

        Returns
        -------
        rows, nodes : ndarray
            Pairs of a row and a node that it reaches, in the order of the rows. Without `explore`
            there is one for each row.
        """
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
        """Print the tree, one line per branch.

        Parameters
        ----------
        names : sequence of str
            Names of the features.
        values : sequence of ndarray
            Values of each feature.
        describe : callable
            Says what a node answers.
        empty : int, optional
            The node that answers where a branch is empty; by default the one above it.

        Yields
        ------
        str
        """
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
