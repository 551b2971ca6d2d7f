r"""Answers with nodes of a tree of classes: the best node, or the first that is sure enough.

Under costs by size the best union of a few nodes that has k classes is the most probable one, so
that a table settles the matter: the largest probability of a union of exactly k classes below a
node, made of at most c nodes. The table of a node follows from those of its children, two at a
time, and from taking the node whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import numpy.typing as npt

from cautious._checks import check_probabilities
from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.costs import SetCosts, as_costs
from cautious.costs._extensions import SizeCosts
from cautious.costs._forms import CostsLike
from cautious.costs._tables import AnswerCosts, TableCosts
from cautious.decision._class_tree import ClassTree, TreeLike, as_tree
from cautious.decision.optimal import cheapest, optimal_sets, slack, utility_as_costs
from cautious.errors import counted, shown
from cautious.tensors import by_copy
from cautious.utility._forms import UtilityLike

# Numbers in the tables of the rows that are worked on together: 64 MB.
_CELLS_AT_ONCE = 1 << 23

# Sums of probabilities are equal up to rounding.
_ROUNDING = 1e-12


@by_copy
def hierarchical_sets(
    p: npt.ArrayLike,
    tree: TreeLike,
    costs: CostsLike | UtilityLike | None = None,
    *,
    utility: UtilityLike | None = None,
    n_nodes: int = 1,
) -> Mask:
    r"""Answer each row of class probabilities with the best node of a tree of classes.

    .. math::

        \hat Y^* = \arg\min_{\hat Y \in \mathcal T} \sum_y p(y) c_{\hat Y}(y)
        \qquad\text{or}\qquad
        \hat Y^* = \arg\max_{\hat Y \in \mathcal T} u(1 / |\hat Y|) \sum_{y \in \hat Y} p(y) +
        u(0) \sum_{y \notin \hat Y} p(y),

    where :math:`\mathcal T` holds the set of classes below every node, the classes themselves and
    all of them. "A bird, I do not know which" is easier to act on than five birds and a bat.

    The answer is exact. Under a utility, or costs that depend on the size of the set and on whether
    it holds the truth, the probabilities of all nodes are summed up along the tree, in a time
    proportional to their number. Other costs take a product with the table of their costs.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities, in the order of the tree's classes. Each row must add up to one within
        1e-6.
    tree : ClassTree or mapping
        The tree, or nested dictionaries as for :meth:`ClassTree.from_dict`.
    costs : SetCosts or utility
        What a set costs, or a utility in the sense of `utility`; labelled costs are put in the
        order of the classes. Costs of answers and of abstaining know no sets between, so that only
        classes and the root come into question.
    utility : Utility, str or callable, optional
        In place of `costs`: a utility of discounted accuracy ("u65", "u80", "F1", …).
    n_nodes : int, default=1
        Of how many nodes, at most, an answer may be the union. More than one needs a utility or
        costs by size, and a time that grows with the square of the number of classes.

    Returns
    -------
    ndarray of shape (n, K), bool
        Among answers of equal expected cost (up to rounding) the smallest; among nodes of equal
        size the one whose classes come first (of unions of several nodes, any of them).
        ``tree.names`` names them.

    See Also
    --------
    optimal_sets : The best of all sets.
    climbing_rule : The first node that is probable enough.

    References
    ----------
    Mortier, Hüllermeier, Dembczyński & Waegeman (2022), *Set-valued prediction in hierarchical
    classification with constrained representation complexity*: nodes as answers, and unions of
    them.

    Examples
    --------
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
    >>> p = [[0.5, 0.4, 0.1, 0.0], [0.8, 0.1, 0.1, 0.0], [0.4, 0.1, 0.4, 0.1]]
    >>> tree.names(hierarchical_sets(p, tree, utility="u80"))
    ['mammal', 'cat', 'all classes']
    >>> hierarchical_sets(p[2:], tree, utility="u80", n_nodes=2)
    array([[ True, False,  True, False]])
    """
    own = _tree_of(tree)
    if (costs is None) == (utility is None):
        raise TypeError("give either costs or utility: what is a set worth?")
    given = utility if costs is None else costs
    if not (isinstance(n_nodes, Integral) and n_nodes >= 1) or isinstance(n_nodes, bool):
        raise ValueError(f"n_nodes is {shown(n_nodes)}; give a whole number, at least 1.")
    rows = np.maximum(check_probabilities(p, n_classes=own.n_classes), 0.0)
    if own.n_classes == 1:
        return np.ones(rows.shape, dtype=np.bool_)
    if isinstance(given, str) or (callable(given) and not isinstance(given, SetCosts)):
        read: SetCosts = utility_as_costs(given, own.n_classes)
    else:
        read = as_costs(given, needs_abstention=not isinstance(given, SetCosts))
        read = read.in_order(own.classes) if read.classes is not None else read
        if read.n_classes != own.n_classes:
            raise ValueError(
                f"costs is about {read.n_classes} classes and the tree has {own.n_classes}; give "
                "costs for all classes and no others."
            )
    if isinstance(read, SizeCosts):
        if n_nodes > 1:
            return _cheapest_unions(rows, own, read, int(n_nodes))
        return _by_size(rows, own, read)
    if n_nodes > 1:
        raise ValueError(
            f"n_nodes is {n_nodes}, but the costs are no costs by size; unions of nodes need a "
            "utility or such costs. Take n_nodes=1, or optimal_sets for all sets."
        )
    if isinstance(read, AnswerCosts):
        return optimal_sets(rows, read)
    sets = _distinct(own)
    if isinstance(read, TableCosts):
        listed = {row.tobytes(): at for at, row in enumerate(read.mask)}
        at = [listed.get(row.tobytes(), -1) for row in sets]
        if max(at) < 0:
            raise ValueError("the cost table lists no node of the tree; add rows for its nodes.")
        known = np.array(at) >= 0
        return cheapest(rows, [(sets[known], read.costs[np.array(at)[known]])])
    return cheapest(rows, [(sets, read.of(sets))])


@by_copy
def climbing_rule(p: npt.ArrayLike, tree: TreeLike, threshold: float) -> Mask:
    r"""Start at the likeliest class and climb until a node is probable enough.

    .. math:: \hat Y = \min\{v \ni \arg\max_y p(y) : \textstyle\sum_{y \in v} p(y) \ge τ\}

    over the nodes v above the likeliest class. A higher threshold gives a larger node, never
    another one aside.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities, in the order of the tree's classes.
    tree : ClassTree or mapping
        The tree, or nested dictionaries as for :meth:`ClassTree.from_dict`.
    threshold : float
        The probability τ that a node must reach; the root is always enough.

    Returns
    -------
    ndarray of shape (n, K), bool
        Nodes of the tree; a full row abstains.

    References
    ----------
    Goren, Galil & El-Yaniv (2024), *Hierarchical selective classification*.

    Examples
    --------
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
    >>> p = [[0.5, 0.4, 0.1, 0.0], [0.8, 0.1, 0.1, 0.0], [0.4, 0.1, 0.4, 0.1]]
    >>> tree.names(climbing_rule(p, tree, 0.8))
    ['mammal', 'cat', 'all classes']
    """
    own = _tree_of(tree)
    level = as_floats(threshold, "threshold")
    if level.ndim or not 0 <= level <= 1:
        raise ValueError(f"threshold is {shown(threshold)}; a probability lies between 0 and 1.")
    rows = check_probabilities(p, n_classes=own.n_classes)
    nodes, reached = path_probabilities(rows, own)
    reached[:, -1] = np.inf  # the root holds everything, rounding aside
    first = (reached >= least_probability(level)).argmax(axis=1)
    return np.asarray(own.masks[nodes[np.arange(len(nodes)), first]])


def least_probability(threshold: Floats) -> Floats:
    """Say from which probability on a node reaches a threshold: a sum may miss it by rounding."""
    return threshold * (1 - _ROUNDING)


def path_probabilities(p: Floats, tree: ClassTree) -> tuple[Ints, Floats]:
    """Nodes from the likeliest class up to the root, and their probabilities: (n, depth) each."""
    nodes = tree.paths[p.argmax(axis=1)] if len(p) else tree.paths[:0]
    return nodes, np.take_along_axis(tree.sums(p), nodes, axis=1)


def _tree_of(tree: TreeLike) -> ClassTree:
    """Read a tree whose classes are the columns."""
    if isinstance(tree, ClassTree):
        return tree
    if tree is None or isinstance(tree, str):
        raise TypeError(
            f"tree is {shown(tree)}; give a ClassTree or nested dictionaries, which say what the "
            "columns of p are."
        )
    return as_tree(tree, ClassTree.from_dict(tree).classes)


def _distinct(tree: ClassTree) -> Mask:
    """List the sets of the nodes, preferred ones first, each once."""
    sets = tree.masks[tree.preference]
    # Nodes of the same classes follow one another.
    new = np.append(True, (sets[1:] != sets[:-1]).any(axis=1))
    return np.asarray(sets[new])


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
    """Probabilities of the best unions below a node, and how they came about.

    Attributes
    ----------
    members : ndarray
        Classes below the node.
    whole : list of ndarray of shape (n, size + 1)
        By the number of nodes allowed and the number of classes wanted; -inf where impossible.
    parts : tuple of _Table
        The two tables that it was joined from, none for a class.
    is_node : bool
        Whether all these classes together are one node.
    """

    members: Ints
    whole: list[Floats]
    parts: tuple[_Table, ...] = ()
    is_node: bool = True

    @classmethod
    def of(cls, p: Floats, tree: ClassTree, n_nodes: int) -> _Table:
        """Fill in the tables from the classes up to the root."""
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(tree.parents):
            children.setdefault(parent, []).append(node)
        held = tree.sums(p)
        tables: dict[int, _Table] = {}
        # A child has fewer classes than its parent, or as many where it is an only child.
        for node in tree.preference.tolist():
            below = [tables.pop(child) for child in children.get(node, [])]
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
