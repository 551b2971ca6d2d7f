"""Classes in a tree: species in genera in families, each node a set of classes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import (
    as_codes,
    check_classes,
    check_mask,
    check_probabilities,
    check_rows,
    check_some_weight,
    check_table,
    check_truth,
    check_weight,
    few_labels,
)
from cautious._typing import Floats, Ints, Mask, as_floats
from cautious.errors import listed, shown

# Sums of probabilities are equal up to rounding.
_ROUNDING = 1e-12

TREE_SCHEMA = "cautious.tree/1"


@dataclass(frozen=True)
class ClassTree:
    """A tree whose leaves are the classes.

    Made by :meth:`from_dict`, :meth:`from_parents`, :meth:`from_names` or :meth:`flat`. Every node
    stands for the set of classes below it, so that an answer with a node is a prediction set like
    any other.

    Attributes
    ----------
    classes : tuple
        Class labels, in the order of the columns of probabilities.
    inner : tuple
        Names of the other nodes.
    parents : tuple of int
        For each class, then for each inner node, the position of its parent in ``nodes``; -1 for
        the root.

    Examples
    --------
    >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl"]})
    >>> tree.masks[tree.nodes.index("mammal")]
    array([ True,  True, False])
    """

    classes: tuple[Any, ...]
    inner: tuple[Any, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        classes = tuple(check_classes(self.classes).tolist())
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "inner", tuple(self.inner))
        if len(self.parents) != len(self.nodes):
            raise ValueError(
                f"parents has {len(self.parents)} entries for {len(self.nodes)} nodes "
                f"({len(classes)} classes and {len(self.inner)} others); give one for each."
            )
        twice = [name for name, number in Counter(self.nodes).items() if number > 1]
        if twice:
            raise ValueError(
                f"the tree has two nodes called {shown(twice[0])}; each node needs a name of its "
                "own, for example its path, as in from_names."
            )
        self._check_parents()

    def _check_parents(self) -> None:
        """Refuse what is no tree: strangers, classes as parents, cycles, dead ends."""
        k, n = len(self.classes), len(self.nodes)
        parents = tuple(int(parent) for parent in self.parents)
        object.__setattr__(self, "parents", parents)
        for node, parent in enumerate(parents):
            if parent >= n or parent < -1 or parent == node:
                raise ValueError(
                    f"parents[{node}], of {shown(self.nodes[node])}, is {parent}; give the "
                    f"position of another node, 0 to {n - 1}, or -1 for the root."
                )
            if 0 <= parent < k:
                raise ValueError(
                    f"{shown(self.nodes[node])} lies below the class {shown(self.nodes[parent])}; "
                    "classes are leaves, and nothing lies below them."
                )
        roots = [node for node, parent in enumerate(parents) if parent == -1]
        if len(roots) > 1:
            raise ValueError(
                f"the tree has {len(roots)} roots: {', '.join(repr(self.nodes[r]) for r in roots)};"
                " join them under one node."
            )
        above = set(parents)
        barren = [node for node in range(k, n) if node not in above]
        if barren:
            raise ValueError(
                f"no class lies below {shown(self.nodes[barren[0]])}; leave the node out, or name "
                "the classes below it."
            )
        try:
            TopologicalSorter({node: [parent] for node, parent in enumerate(parents)}).prepare()
        except CycleError as error:
            names = [repr(self.nodes[node]) for node in reversed(error.args[1])]
            raise ValueError(
                f"the tree has a cycle: {' below '.join(names)}; a node cannot lie below itself."
            ) from None

    @classmethod
    def from_dict(cls, tree: Mapping[Any, Any], *, root: str = "all classes") -> ClassTree:
        """Read nested dictionaries: names of nodes to what lies below them.

        That is a mapping of the same kind, a list of classes, or None for a class. A single name on
        top is the root; where there are several, the root is called `root`.

        Examples
        --------
        >>> ClassTree.from_dict({"animal": {"cat": None, "bird": ["owl", "wren"]}}).classes
        ('cat', 'owl', 'wren')
        """
        if not isinstance(tree, Mapping) or not tree:
            raise ValueError(
                f"tree is {tree!r:.80}; give nested dictionaries, for example "
                "{'mammal': ['cat', 'dog'], 'bird': ['owl']}."
            )
        top: Any = tree
        if len(tree) == 1:
            root, top = next(iter(tree.items()))
        links: dict[Any, Any] = {}
        open_nodes: list[tuple[Any, Any, Any]] = [(root, None, top)]
        while open_nodes:
            name, parent, below = open_nodes.pop()
            if name in links:
                raise ValueError(
                    f"{shown(name)} occurs twice in the tree; each node needs a name of its own."
                )
            links[name] = parent
            children = [(child, name, content) for child, content in _children(name, below)]
            open_nodes += reversed(children)
        return cls._from_links(links)

    @classmethod
    def from_parents(
        cls,
        parents: Mapping[Any, Any] | Sequence[int] | npt.NDArray[Any],
        names: Sequence[Any] | None = None,
    ) -> ClassTree:
        """Read the parent of every node; those that are nobody's parent are the classes.

        Give a mapping from the name of a node to that of its parent, with None for the root; or
        for each node the position of its parent, with -1 for the root, and `names` if wanted.

        Examples
        --------
        >>> ClassTree.from_parents({"cat": "mammal", "dog": "mammal", "owl": "bird",
        ...                         "mammal": "animal", "bird": "animal"}).inner
        ('mammal', 'bird', 'animal')
        >>> ClassTree.from_parents([2, 2, -1], names=["no", "yes", "any"]).classes
        ('no', 'yes')
        """
        if isinstance(parents, Mapping):
            above = list(parents.values())
            strangers = list(dict.fromkeys(p for p in above if p is not None and p not in parents))
            if len(strangers) > 1 or (strangers and None in above):
                raise ValueError(
                    f"parents names {listed(strangers)} as parents, but does not say "
                    "what lies above them; give an entry for each of them, None for the root."
                )
            return cls._from_links({**parents, **dict.fromkeys(strangers)})
        places = np.asarray(parents)
        if places.ndim != 1 or not len(places) or not np.issubdtype(places.dtype, np.integer):
            raise ValueError(
                f"parents has shape {places.shape} and type {places.dtype}; give one whole number "
                "per node, the position of its parent, and -1 for the root."
            )
        labels = list(range(len(places))) if names is None else list(names)
        if len(labels) != len(places):
            raise ValueError(
                f"names has {len(labels)} names for {len(places)} nodes; give one for each."
            )
        last = len(places) - 1
        words = f"give the position of a node, 0 to {last}, or -1 for the root"
        as_floats(places, "parents", "positions", -1, last, words=words)
        return cls._from_places(labels, places.tolist())

    @classmethod
    def from_names(
        cls, classes: Sequence[str], separator: str = "/", *, root: str = "all classes"
    ) -> ClassTree:
        """Read the tree from names of classes that are paths, such as ``"bird/owl"``.

        The classes keep their whole names; inner nodes are called by their paths. Where the paths
        begin with different names, the node above them is called `root`.

        Examples
        --------
        >>> tree = ClassTree.from_names(["bird/owl", "bird/wren", "cat"])
        >>> tree.inner
        ('bird', 'all classes')
        """
        labels = check_classes(classes).tolist()
        if not (isinstance(separator, str) and separator):
            raise ValueError(f"separator is {shown(separator)}; give some text, for example '/'.")
        strange = [label for label in labels if not isinstance(label, str)]
        if strange:
            raise TypeError(
                f"classes holds {shown(strange[0])}, which is no text and so no path; give the "
                "tree by from_dict or from_parents."
            )
        tops = {label.split(separator)[0] for label in labels}
        above_all = len(tops) > 1 or any(label in tops for label in labels)
        links: dict[Any, Any] = dict.fromkeys(labels)
        for label in labels:
            parts = label.split(separator)
            if not all(part.strip() for part in parts):
                raise ValueError(
                    f"class {shown(label)} has an empty part between separators "
                    f"{shown(separator)}; every node of its path needs a name."
                )
            path = [separator.join(parts[: i + 1]) for i in range(len(parts))]
            links |= zip(path, [root if above_all else None, *path], strict=False)
        if above_all:
            links[root] = None
        own = set(labels)
        within = next((c for c, parent in links.items() if parent in own), None)
        if within is not None:
            raise ValueError(
                f"class {shown(links[within])} is part of the path of {shown(within)}; classes are "
                "leaves, and nothing lies below them."
            )
        return cls._from_links(links)

    @classmethod
    def flat(cls, classes: Sequence[Any] | npt.NDArray[Any]) -> ClassTree:
        """Make the tree with nothing between the classes and the root: answer, or abstain.

        Examples
        --------
        >>> ClassTree.flat(["a", "b"]).parents
        (2, 2, -1)
        """
        labels = check_classes(classes).tolist()
        name = "all classes"
        while name in labels:
            name += "*"
        return cls(tuple(labels), (name,), (len(labels),) * len(labels) + (-1,))

    @classmethod
    def _from_links(cls, links: Mapping[Any, Any]) -> ClassTree:
        """Make a tree of nodes and their parents, None being above the root."""
        place = {name: at for at, name in enumerate(links)}
        above = [-1 if parent is None else place[parent] for parent in links.values()]
        return cls._from_places(list(links), above)

    @classmethod
    def _from_places(cls, names: list[Any], parents: list[int]) -> ClassTree:
        """Make a tree of nodes in any order: those that are nobody's parents are the classes."""
        order = sorted(range(len(names)), key=set(parents).__contains__)
        n_classes = len(names) - len({*parents} - {-1})
        if not n_classes:
            raise ValueError(
                "the tree has no leaves, so it goes in a circle; name the classes, which are "
                "nobody's parents."
            )
        place = {old: new for new, old in enumerate(order)} | {-1: -1}
        nodes = tuple(names[node] for node in order)
        above = tuple(place[parents[node]] for node in order)
        return cls(nodes[:n_classes], nodes[n_classes:], above)

    @property
    def nodes(self) -> tuple[Any, ...]:
        """Names of all nodes: the classes, then the others."""
        return self.classes + self.inner

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def masks(self) -> Mask:
        """The set of classes of every node, shape (nodes, K)."""
        below = self.sums(np.eye(self.n_classes)).T > 0
        return np.ascontiguousarray(below)

    @cached_property
    def sizes(self) -> Ints:
        """How many classes lie below every node."""
        return np.asarray(self.masks.sum(axis=1))

    @cached_property
    def preference(self) -> Ints:
        """Nodes in the order in which ties are decided: small ones first, then by their classes.

        Of nodes with the same classes, one above the other, the lowest comes first.
        """
        first = self.masks.argmax(axis=1)
        depth = np.array([len(self._path(node)) for node in range(len(self.nodes))])
        return np.lexsort((-depth, first, self.sizes))

    @cached_property
    def paths(self) -> Ints:
        """Nodes from each class up to the root, shape (K, depth), the root repeated at the end."""
        paths = [self._path(leaf) for leaf in range(self.n_classes)]
        depth = max(map(len, paths))
        return np.array([[*path, *([path[-1]] * (depth - len(path)))] for path in paths])

    def _path(self, node: int) -> list[int]:
        path = [node]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """Children of every node that has any."""
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(self.parents):
            children.setdefault(parent, []).append(node)
        return children

    @cached_property
    def _upward(self) -> list[int]:
        """Inner nodes, children before their parents."""
        inner = range(self.n_classes, len(self.nodes))
        return sorted(inner, key=lambda node: -len(self._path(node)))

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Add up numbers (n, K) over the classes below every node, in the order of ``nodes``.

        Examples
        --------
        >>> ClassTree.from_dict({"x": ["a", "b"], "y": ["c"]}).sums([[0.5, 0.25, 0.25]])
        array([[0.5 , 0.25, 0.25, 1.  , 0.75, 0.25]])
        """
        own = np.asarray(values, dtype=np.float64)
        check_table(own.shape, "values", self.n_classes)
        total = np.empty((len(own), len(self.nodes)))
        total[:, : self.n_classes] = own
        for node in self._upward:
            total[:, node] = np.add.reduceat(total[:, self.children[node]], [0], axis=1)[:, 0]
        return total

    def path_probabilities(self, p: Floats) -> tuple[Ints, Floats]:
        """Nodes from the likeliest class up to the root, and how probable: (n, depth) each."""
        nodes = self.paths[p.argmax(axis=1)] if len(p) else self.paths[:0]
        return nodes, np.take_along_axis(self.sums(p), nodes, axis=1)

    def risk_coverage(
        self,
        y_true: Sequence[Any] | npt.ArrayLike,
        y_proba: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
    ) -> pd.DataFrame:
        r"""Climb at all thresholds: how often it errs, and how much it says.

        An answer with a node of k among K classes covers :math:`1 - \log k / \log K`: a class
        covers everything, the root nothing. In a flat tree this is the share answered.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            True class labels.
        y_proba : array-like of shape (n, K)
            Class probabilities, in the order of the tree's classes; :meth:`for_classes` puts them
            in another.
        sample_weight : array-like of shape (n,), optional
            How often each case counts.

        Returns
        -------
        DataFrame
            One row per threshold at which an answer changes, rising, and 1: ``threshold``;
            ``coverage``, its mean over the cases; ``risk``, the share of cases whose set misses the
            truth; ``mean_size`` of the sets. Each holds for
            :func:`cautious.decision.threshold_rule` at this threshold.

        See Also
        --------
        cautious.curves.RiskCoverageCurve : Answers of single classes, by their confidence.

        References
        ----------
        Goren, Galil & El-Yaniv (2024), *Hierarchical selective classification*.

        Examples
        --------
        >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"]})
        >>> tree.risk_coverage(["dog", "cat"], [[0.5, 0.4, 0.1, 0.0], [0.75, 0.0, 0.25, 0.0]])
           threshold  coverage  risk  mean_size
        0       0.50      1.00   0.5        1.0
        1       0.75      0.75   0.0        1.5
        2       0.90      0.25   0.0        3.0
        3       1.00      0.00   0.0        4.0
        """
        codes = as_codes(check_truth(y_true), check_classes(self.classes), name="y_true")
        p = check_probabilities(y_proba, name="y_proba", n_classes=self.n_classes)
        check_rows(len(codes), len(p), "y_proba")
        weight = check_weight(sample_weight, len(codes))
        check_some_weight(weight.sum())
        nodes, reached = self.path_probabilities(p)
        # Where the probability of a node below the root is not enough, the answer is the node next
        # to it. Sums may fall by rounding on the way up; the first that is probable enough counts.
        below = self.sizes[nodes[:, :-1]] < self.n_classes
        rising = np.maximum.accumulate(reached, axis=1)[:, :-1]
        levels, at = np.unique(rising[below], return_inverse=True)
        # A threshold is reached as the rule says, so that some do not tell probabilities apart.
        thresholds = np.append(levels[levels < 1], 1.0)
        reaching = np.searchsorted(levels, least_probability(thresholds))
        passed, first = np.unique(reaching, return_index=True)

        def mean(values: Floats) -> Floats:
            change = (weight[:, None] * np.diff(values, axis=1))[below]
            steps = np.append(0.0, np.bincount(at, change, len(levels)).cumsum())
            return np.asarray((weight @ values[:, 0] + steps[passed]) / weight.sum())

        sizes = self.sizes[nodes].astype(np.float64)
        missed = ~self.masks[nodes, codes[:, None]]
        return pd.DataFrame(
            {
                "threshold": np.append(thresholds[first[:-1]], 1.0),
                "coverage": mean(1 - np.log(sizes) / np.log(max(self.n_classes, 2))),
                "risk": mean(missed.astype(np.float64)),
                "mean_size": mean(sizes),
            }
        )

    def cover(self, mask: npt.ArrayLike) -> Mask:
        """Enlarge sets (n, K) to nodes: each to the smallest node that holds it.

        Examples
        --------
        >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl"]})
        >>> tree.cover([[True, False, False], [True, False, True]])
        array([[ True, False, False],
               [ True,  True,  True]])
        """
        return self.masks[self._nodes_over(mask)]

    def names(self, mask: npt.ArrayLike) -> list[Any]:
        """Name for each set (n, K) the smallest node that holds it.

        Examples
        --------
        >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl"]})
        >>> tree.names([[True, True, False], [False, False, True], [True, False, True]])
        ['mammal', 'owl', 'all classes']
        """
        return [self.nodes[node] for node in self._nodes_over(mask).tolist()]

    def _nodes_over(self, mask: npt.ArrayLike) -> Ints:
        sets = check_mask(mask, n_classes=self.n_classes)
        held = self.sums(sets)[:, self.preference] == sets.sum(axis=1, keepdims=True)
        return np.asarray(self.preference[held.argmax(axis=1)])

    def for_classes(self, classes: Sequence[Any] | npt.NDArray[Any]) -> ClassTree:
        """Put the classes in another order, and leave out those that are not asked for.

        Nodes that lose all their classes are left out as well.

        Examples
        --------
        >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl"]})
        >>> tree.for_classes(["owl", "cat"]).classes
        ('owl', 'cat')
        """
        wanted = check_classes(classes)
        place = {name: at for at, name in enumerate(self.classes)}
        strangers = [name for name in wanted.tolist() if name not in place]
        if strangers:
            raise ValueError(
                f"class {shown(strangers[0])} is not in the tree; its classes are "
                f"{few_labels(check_classes(self.classes))}. Give a tree that holds every class."
            )
        leaves = [place[name] for name in wanted.tolist()]
        held = np.asarray(self.masks[:, leaves].any(axis=1))
        inner = [node for node in range(self.n_classes, len(self.nodes)) if held[node]]
        new = {node: at for at, node in enumerate([*leaves, *inner])} | {-1: -1}
        return ClassTree(
            tuple(wanted.tolist()),
            tuple(self.nodes[node] for node in inner),
            tuple(new[self.parents[node]] for node in [*leaves, *inner]),
        )

    def to_json(self) -> str:
        """Write the tree as JSON, which :meth:`from_json` reads.

        Examples
        --------
        >>> tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl"]})
        >>> ClassTree.from_json(tree.to_json()) == tree
        True
        """
        state = {
            "schema": TREE_SCHEMA,
            "classes": list(self.classes),
            "inner": list(self.inner),
            "parents": list(self.parents),
        }
        return json.dumps(state, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> ClassTree:
        """Read JSON that :meth:`to_json` wrote; anything else is refused.

        Examples
        --------
        >>> tree = ClassTree.flat(["a", "b"])
        >>> ClassTree.from_json(tree.to_json()) == tree
        True
        """
        state = json.loads(text)
        if not isinstance(state, dict) or state.get("schema") != TREE_SCHEMA:
            raise ValueError(f"this is no tree of the schema {shown(TREE_SCHEMA)}.")
        parts = ("classes", "inner", "parents")
        if set(state) != {"schema", *parts} or not all(isinstance(state[p], list) for p in parts):
            raise ValueError(f"a tree in JSON has the lists {', '.join(parts)}, and nothing else.")
        if not all(isinstance(parent, int) for parent in state["parents"]):
            raise ValueError("parents holds something that is no position of a node.")
        return cls(*(tuple(state[part]) for part in parts))

    def __str__(self) -> str:
        lines, open_nodes = [], [(self.parents.index(-1), 0)]
        while open_nodes:
            node, depth = open_nodes.pop()
            lines.append("  " * depth + str(self.nodes[node]))
            open_nodes += [(child, depth + 1) for child in reversed(self.children.get(node, []))]
        return "\n".join(lines)


TreeLike: TypeAlias = ClassTree | Mapping[Any, Any] | str | None
"""A tree, nested dictionaries, the separator of class names that are paths, or None: no levels."""


def least_probability(threshold: Any) -> Any:
    """Say from which probability on a node reaches a threshold: a sum may miss it by rounding."""
    return threshold * (1 - _ROUNDING)


def as_tree(tree: TreeLike, classes: Sequence[Any] | npt.NDArray[Any]) -> ClassTree:
    """Read a tree in any form, for these classes in this order."""
    if tree is None:
        return ClassTree.flat(classes)
    if isinstance(tree, str):
        return ClassTree.from_names(list(check_classes(classes).tolist()), tree)
    if isinstance(tree, Mapping):
        tree = ClassTree.from_dict(tree)
    if not isinstance(tree, ClassTree):
        raise TypeError(
            f"tree is {tree!r:.60}; give a ClassTree, nested dictionaries, the separator of class "
            "names that are paths, or None."
        )
    return tree.for_classes(classes)


def tree_of(tree: TreeLike) -> ClassTree:
    """Read a tree whose classes are the columns."""
    if isinstance(tree, ClassTree):
        return tree
    if tree is None or isinstance(tree, str):
        raise TypeError(
            f"tree is {shown(tree)}; give a ClassTree or nested dictionaries, which say what the "
            "columns of p are."
        )
    return as_tree(tree, ClassTree.from_dict(tree).classes)


def _children(name: Any, below: Any) -> Iterator[tuple[Any, Any]]:
    """List what lies below a node, with what lies below that."""
    if below is None:
        return
    if isinstance(below, Sized) and not len(below):
        raise ValueError(f"no class lies below {shown(name)}; leave it out, or write None.")
    if isinstance(below, Mapping):
        yield from below.items()
        return
    if isinstance(below, str) or not isinstance(below, Sequence | set | frozenset | np.ndarray):
        raise TypeError(
            f"below {shown(name)} stands {below!r:.60}; give a dictionary, a list of classes, or "
            "None for a class."
        )
    nested = [child for child in below if isinstance(child, Mapping | list | tuple | np.ndarray)]
    if nested:
        raise TypeError(
            f"the list below {shown(name)} holds {shown(nested[0], 60)}; a list names classes "
            "only. Where other nodes lie below as well, give a dictionary with None for each "
            "class, for example {'cat': None, 'bird': ['owl', 'wren']}."
        )
    classes = sorted(below) if isinstance(below, set | frozenset) else below
    for child in check_classes(classes, name=f"what lies below {name!r}").tolist():
        yield child, None
