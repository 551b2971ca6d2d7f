r"""Answers that respect how classes hang together: nodes of a tree, neighbours in an order.

Under costs by size the best union of a few nodes that has k classes is the most probable one, so
that a table settles the matter: the largest probability of a union of exactly k classes below a
node, made of at most c nodes. The table of a node follows from those of its children, two at a
time, and from taking the node whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._checks import check_probabilities
from cautious._typing import Floats, Ints, Mask, as_number
from cautious.costs import SetCosts, as_costs, ordinal
from cautious.costs._extensions import SizeCosts
from cautious.costs._forms import CostsLike, as_cost_matrix
from cautious.costs._tables import AnswerCosts, TableCosts
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.decision._class_tree import ClassTree, TreeLike, as_tree, least_probability
from cautious.decision.criteria import (
    e_admissibility,
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximality,
)
from cautious.decision.optimal import optimal_sets
from cautious.decision.optimal._candidates import cheapest, contiguous_candidates, slack
from cautious.decision.optimal._solver import one_of, utility_as_costs
from cautious.errors import counted, shown
from cautious.tensors import by_copy
from cautious.utility._forms import UtilityLike

# Numbers in the tables of the rows, or of sets, that are worked on together: 64 MB.
_CELLS_AT_ONCE = 1 << 23

OrdinalCriterion: TypeAlias = Literal[
    "maximality",
    "e_admissibility",
    "interval_dominance",
    "gamma_maximin",
    "gamma_maximax",
    "hurwicz",
]

_OF_CLASSES: dict[str, Callable[..., Mask]] = {
    "maximality": maximality,
    "e_admissibility": e_admissibility,
    "interval_dominance": interval_dominance,
}
_OF_SETS: dict[str, Callable[..., Mask]] = {
    "gamma_maximin": gamma_maximin,
    "gamma_maximax": gamma_maximax,
    "hurwicz": hurwicz,
}


@by_copy
def hierarchical_sets(
    p: npt.ArrayLike,
    tree: TreeLike,
    costs: CostsLike | UtilityLike | None = None,
    *,
    utility: UtilityLike | None = None,
    n_nodes: int = 1,
) -> Mask:
    """Answer each row of class probabilities with the best node of a tree of classes.

    As :func:`optimal_sets`, but among the sets of classes below every node, the classes themselves
    and all of them: "a bird, I do not know which" is easier to act on than five birds and a bat.
    The answer is exact. Mortier, Hüllermeier, Dembczyński & Waegeman (2022), *Set-valued prediction
    in hierarchical classification with constrained representation complexity*.

    Parameters
    ----------
    p : array-like of shape (n, K)
        Class probabilities, in the order of the tree's classes; rows add up to one within 1e-6.
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
    given = one_of(costs, utility)
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
        is_listed = np.array(at) >= 0
        return cheapest(rows, [(sets[is_listed], read.costs[np.array(at)[is_listed]])])
    return cheapest(rows, [(sets, read.of(sets))])


@by_copy
def climbing_rule(p: npt.ArrayLike, tree: TreeLike, threshold: float) -> Mask:
    r"""Start at the likeliest class and climb until a node is probable enough.

    .. math:: \hat Y = \min\{v \ni \arg\max_y p(y) : \textstyle\sum_{y \in v} p(y) \ge τ\}

    over the nodes v above the likeliest class. A higher threshold gives a larger node, never
    another one aside. Goren, Galil & El-Yaniv (2024), *Hierarchical selective classification*.

    Parameters
    ----------
    p, tree
        As in :func:`hierarchical_sets`.
    threshold : float
        The probability τ that a node must reach; the root is always enough.

    Examples
    --------
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
    >>> p = [[0.5, 0.4, 0.1, 0.0], [0.8, 0.1, 0.1, 0.0], [0.4, 0.1, 0.4, 0.1]]
    >>> tree.names(climbing_rule(p, tree, 0.8))
    ['mammal', 'cat', 'all classes']
    """
    own = _tree_of(tree)
    words = "a probability lies between 0 and 1"
    level = as_number(threshold, "threshold", 0, 1, words=words)
    rows = check_probabilities(p, n_classes=own.n_classes)
    nodes, reached = own.path_probabilities(rows)
    reached[:, -1] = np.inf  # the root holds everything, rounding aside
    first = (reached >= least_probability(level)).argmax(axis=1)
    return np.asarray(own.masks[nodes[np.arange(len(nodes)), first]])


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


# Neighbours in an order.


@by_copy
def ordinal_sets(
    intervals: IntervalsLike | npt.ArrayLike,
    costs: CostsLike | None = None,
    *,
    criterion: OrdinalCriterion | None = None,
) -> Mask:
    """Answer with neighbouring classes, for ordered classes in column order.

    It takes what any model gives, probabilities or bounds of them, and costs of two kinds:

    - **costs of single classes**: the classes that the evidence cannot rule out, by maximality or
      another criterion, and whatever lies between them. Under distances :math:`|i - j|` these are
      the classes that may be the median, which leave no gap by themselves under E-admissibility;
    - **costs of sets**: of all contiguous sets the one whose worst expected cost is the least
      (Γ-maximin), or by another criterion that chooses one.

    Precise probabilities give the class, or the contiguous set, of the least expected cost.
    Destercke & Yang (2014), *Cautious ordinal classification by binary decomposition*.

    Parameters
    ----------
    intervals : ProbabilityIntervals, tuple (lower, upper), or array-like of shape (n, K)
        Credal sets, or precise probabilities.
    costs : array-like of shape (K, K) or SetCosts, optional
        Costs of single classes (rows are predictions, columns truths), or of sets, such as
        :meth:`cautious.costs.SetCosts.from_positions`. Distances between ranks if left out.
    criterion : str, optional
        For costs of classes "maximality" (default), "e_admissibility" or "interval_dominance"; for
        costs of sets "gamma_maximin" (default), "gamma_maximax" or "hurwicz".

    Returns
    -------
    ndarray of shape (n, K), bool
        Contiguous sets. Among sets of equal worth the smallest, then the lowest.

    Examples
    --------
    >>> ordinal_sets(([[0.1, 0.1, 0.3, 0.1]], [[0.4, 0.4, 0.6, 0.4]]))
    array([[False,  True,  True, False]])
    >>> from cautious.costs import SetCosts
    >>> ordinal_sets([[0.1, 0.2, 0.5, 0.2]], SetCosts.from_positions(4, width=0.15))
    array([[False,  True,  True,  True]])
    """
    of_sets = isinstance(costs, SetCosts)
    criteria = _OF_SETS if of_sets else _OF_CLASSES
    decide = criteria.get(next(iter(criteria)) if criterion is None else criterion)
    if decide is None:
        raise ValueError(
            f"criterion is {shown(criterion)}; for costs of "
            f"{'sets' if of_sets else 'single classes'} choose one of "
            f"{', '.join(map(repr, criteria))}."
        )
    if isinstance(intervals, tuple | ProbabilityIntervals):
        bounds = as_intervals(intervals)
        precise = False
    else:
        p = check_probabilities(intervals, name="intervals")
        bounds, precise = ProbabilityIntervals(p, p), True
    k = bounds.n_classes
    if isinstance(costs, SetCosts):
        if costs.n_classes != k:
            raise ValueError(f"costs is about {costs.n_classes} classes and there are {k}.")
        if precise:
            return optimal_sets(bounds.lower, costs, contiguous=True)
        return _one_contiguous_set(bounds, costs, decide)
    matrix = ordinal(k) if costs is None else _matrix(costs, k)
    if precise:  # a tie is no doubt; it goes to the lowest class
        return gamma_maximin(bounds, matrix)
    return _without_gaps(decide(bounds, matrix))


def _one_contiguous_set(
    bounds: ProbabilityIntervals, costs: SetCosts, decide: Callable[..., Mask]
) -> Mask:
    """Choose one of all contiguous sets; the smallest come first."""
    blocks = list(contiguous_candidates(costs))
    sets = np.concatenate([each for each, _ in blocks])
    table = np.concatenate([values for _, values in blocks])
    chosen = np.empty((len(bounds), bounds.n_classes), dtype=np.bool_)
    at_once = max(1, _CELLS_AT_ONCE // table.size)
    for start in range(0, len(bounds), at_once):
        rows = slice(start, start + at_once)
        chosen[rows] = sets[decide(bounds[rows], table).argmax(axis=1)]
    return chosen


def _without_gaps(sets: Mask) -> Mask:
    """Add what lies between the members of a set."""
    return np.asarray(
        np.logical_or.accumulate(sets, axis=1)
        & np.logical_or.accumulate(sets[:, ::-1], axis=1)[:, ::-1]
    )


def _matrix(costs: CostsLike, k: int) -> Floats:
    matrix = as_cost_matrix(costs, right_is_least=False)
    if len(matrix) != k:
        raise ValueError(f"costs is about {len(matrix)} classes and there are {k}.")
    return matrix
