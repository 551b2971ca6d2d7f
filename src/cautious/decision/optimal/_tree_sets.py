r"""Sets of the smallest expected cost among the nodes of a tree of classes, and their unions.

Under costs by size the best union of a few nodes that has k classes is the most probable one, so
that a table settles the matter: the largest probability of a union of exactly k classes below a
node, made of at most c nodes. The table of a node follows from those of its children, two at a
time, and from taking the node whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.costs import SetCosts
from cautious.costs._extensions import SizeCosts
from cautious.costs._tables import TableCosts
from cautious.decision._class_tree import ClassTree
from cautious.decision.optimal._candidates import cheapest, slack
from cautious.errors import counted

# Numbers in the tables of the rows that are worked on together: 64 MB.
_CELLS_AT_ONCE = 1 << 23


def best_nodes(p: Floats, tree: ClassTree, costs: SetCosts, n_nodes: int) -> Mask:
    """Choose for each row the node, or the union of at most so many nodes, that costs least."""
    if isinstance(costs, SizeCosts):
        if n_nodes > 1:
            return _cheapest_unions(p, tree, costs, n_nodes)
        return _by_size(p, tree, costs)
    if n_nodes > 1:
        raise ValueError(
            f"n_nodes is {n_nodes}, but the costs are no costs by size; unions of nodes need a "
            "utility or such costs. Take n_nodes=1, or optimal_sets for all sets."
        )
    sets = tree.masks[tree.preference]
    # Preferred ones come first; nodes of the same classes follow one another.
    sets = sets[np.append(True, (sets[1:] != sets[:-1]).any(axis=1))]
    if isinstance(costs, TableCosts):
        listed = {row.tobytes(): at for at, row in enumerate(costs.mask)}
        at = np.array([listed.get(row.tobytes(), -1) for row in sets])
        if max(at) < 0:
            raise ValueError("the cost table lists no node of the tree; add rows for its nodes.")
        return cheapest(p, [(sets[at >= 0], costs.costs[at[at >= 0]])])
    return cheapest(p, [(sets, costs.of(sets))])


def _by_size(p: Floats, tree: ClassTree, costs: SizeCosts) -> Mask:
    """Choose the node of the least expected cost from the probabilities of the nodes."""
    order = tree.preference
    hit, miss = (part[tree.sizes[order] - 1] for part in (costs.hit, costs.miss))
    held = tree.sums(p)[:, order]
    total = held[:, -1:]  # one, up to the rounding of the input
    expected = hit * held + miss * (total - held)
    least = expected.min(axis=1, keepdims=True)
    scale = max(costs.hit.max(), costs.miss[:-1].max(initial=0.0))
    first = (expected <= least + slack(least, scale)).argmax(axis=1)
    return np.asarray(tree.masks[order[first]])


def _cheapest_unions(p: Floats, tree: ClassTree, costs: SizeCosts, n_nodes: int) -> Mask:
    """Choose for each row the union of at most `n_nodes` nodes of the smallest expected cost."""
    k = tree.n_classes
    gain = (costs.miss - costs.hit)[: k - 1]
    if (gain < 0).any():
        raise ValueError(
            f"a right set of {counted(int(np.argmax(gain < 0)) + 1, 'class', 'classes')} costs "
            "more than a wrong one; unions of nodes need costs by which to be right is no worse."
        )
    scale = max(costs.hit.max(), costs.miss[:-1].max())
    mask = np.zeros(p.shape, dtype=np.bool_)
    cells = (k + 1) * (n_nodes + 1) * tree.paths.shape[1]
    at_once = max(1, _CELLS_AT_ONCE // cells)
    for start in range(0, len(p), at_once):
        rows = slice(start, start + at_once)
        root = _Table.of(p[rows], tree, n_nodes)
        held = root.whole[n_nodes][:, 1:]
        total = held[:, -1:]
        with np.errstate(invalid="ignore"):
            expected = costs.hit * held + costs.miss * (total - held)
        expected = np.where(np.isfinite(held), expected, np.inf)
        least = expected.min(axis=1, keepdims=True)
        size = 1 + (expected <= least + slack(least, scale)).argmax(axis=1)
        for row, classes in enumerate(size.tolist()):
            root.mark(mask[start + row], row, n_nodes, classes)
    return mask


@dataclass(frozen=True)
class _Table:
    """Probabilities of the best unions of the classes below a node, and what it was joined from.

    ``whole[c][:, k]`` is for at most c nodes and exactly k classes, -inf where impossible.
    """

    members: Ints
    whole: list[Floats]
    parts: tuple[_Table, ...] = ()
    is_node: bool = True

    @classmethod
    def of(cls, p: Floats, tree: ClassTree, n_nodes: int) -> _Table:
        """Fill in the tables from the classes up to the root."""
        held = tree.sums(p)
        tables: dict[int, _Table] = {}
        # A child has fewer classes than its parent, or as many where it is an only child.
        for node in tree.preference.tolist():
            below = [tables.pop(child) for child in tree.children.get(node, [])]
            if len(below) == 1:
                tables[node] = below[0]
                continue
            members = np.flatnonzero(tree.masks[node])
            if not below:
                none = np.column_stack([np.zeros(len(p)), np.full(len(p), -np.inf)])
                one = np.column_stack([np.zeros(len(p)), held[:, node]])
                tables[node] = cls(members, [none] + [one] * n_nodes)
                continue
            table = below[0]
            for other in below[1:]:
                table = table._joined(other)
            # One node that is taken whole does what any number of parts could do.
            for allowed in table.whole[1:]:
                allowed[:, -1] = held[:, node]
            tables[node] = cls(members, table.whole, table.parts)
        (root,) = tables.values()
        return root

    def _joined(self, other: _Table) -> _Table:
        n, first = self.whole[0].shape
        second = other.whole[0].shape[1]
        joined = []
        for allowed in range(len(self.whole)):
            best = np.full((n, first + second - 1), -np.inf)
            for here in range(allowed + 1):
                one, two = self.whole[here], other.whole[allowed - here]
                if first > second:
                    one, two = two, one
                for size in range(one.shape[1]):
                    into = best[:, size : size + two.shape[1]]
                    np.maximum(into, one[:, size, None] + two, out=into)
            joined.append(best)
        members = np.concatenate([self.members, other.members])
        return _Table(members, joined, (self, other), is_node=False)

    def mark(self, chosen: Mask, row: int, allowed: int, size: int) -> None:
        """Mark the classes of the best union, found again from the sums that led to it."""
        todo = [(self, allowed, size)]
        while todo:
            table, allowed, size = todo.pop()
            if size == 0:
                continue
            if table.is_node and size == len(table.members):
                chosen[table.members] = True
                continue
            value = table.whole[allowed][row, size]
            first, second = table.parts
            todo += next(
                [(first, here, own), (second, allowed - here, size - own)]
                for here in range(allowed + 1)
                for own in range(
                    max(0, size - len(second.members)), min(size, len(first.members)) + 1
                )
                if first.whole[here][row, own] + second.whole[allowed - here][row, size - own]
                == value
            )
