"""Trees of classes: read in three ways, refused if they are none, saved, cut and put in order."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.decision import ClassTree

ANIMALS = {"mammal": {"cat": None, "dog": None}, "bird": ["owl", "wren"], "fish": None}


def random_tree(k, seed):
    """A tree of k classes, with a chain of only children now and then."""
    rng = np.random.default_rng(seed)
    open_nodes, parents = list(range(k)), {}
    while len(open_nodes) > 1:
        node = k + len({*parents.values()})
        size = 1 if rng.random() < 0.15 else int(rng.integers(2, len(open_nodes) + 1))
        taken = rng.permutation(open_nodes)[:size].tolist()
        parents |= dict.fromkeys(taken, node)
        open_nodes = [other for other in open_nodes if other not in taken] + [node]
    parents[open_nodes[0]] = -1
    return ClassTree.from_parents([parents[node] for node in range(len(parents))])


def trees(most=12):
    """Trees of 2 to `most` classes."""
    return st.builds(random_tree, st.integers(2, most), st.integers(0, 2**32 - 1))


def test_three_ways_to_say_the_same():
    nested = ClassTree.from_dict(ANIMALS)
    assert nested.classes == ("cat", "dog", "owl", "wren", "fish")
    assert nested.inner == ("all classes", "mammal", "bird")
    links = {"cat": "mammal", "dog": "mammal", "owl": "bird", "wren": "bird", "fish": "animal"}
    links |= {"mammal": "animal", "bird": "animal"}
    by_name = ClassTree.from_parents(links)
    by_place = ClassTree.from_parents(
        [5, 5, 6, 6, 7, 7, 7, -1], names=["cat", "dog", "owl", "wren", "fish", "m", "b", "top"]
    )
    paths = ClassTree.from_names([".".join(p) for p in ("mc", "md", "bo", "bw", "f")], ".")
    for tree in (by_name, by_place, paths):
        assert {row.tobytes() for row in tree.masks} == {row.tobytes() for row in nested.masks}
    assert by_name.for_classes(nested.classes).names(nested.masks[:5]) == list(nested.classes)
    assert ClassTree.from_dict({"animal": ANIMALS}).nodes[5:] == ("animal", "mammal", "bird")
    assert str(by_name).splitlines()[:3] == ["animal", "  fish", "  mammal"]


def test_paths_with_one_beginning_have_their_own_root():
    tree = ClassTree.from_names(["life/cat", "life/bird/owl"])
    assert tree.inner == ("life", "life/bird")
    # A lone path is a chain of nodes over one class.
    assert ClassTree.from_names(["life/cat"]).n_classes == 1


@settings(deadline=None, derandomize=True)
@given(trees(), st.integers(0, 2**32 - 1))
def test_nodes_are_what_lies_below(tree, seed):
    below = {node: {node} if node < tree.n_classes else set() for node in range(len(tree.nodes))}
    for leaf in range(tree.n_classes):
        node = leaf
        while node >= 0:
            below[node].add(leaf)
            node = tree.parents[node]
    k = tree.n_classes
    assert [set(np.flatnonzero(row)) for row in tree.masks] == [
        {leaf for leaf in below[node] if leaf < k} for node in range(len(tree.nodes))
    ]
    rng = np.random.default_rng(seed)
    values = rng.random((4, k))
    np.testing.assert_allclose(tree.sums(values), values @ tree.masks.T, rtol=1e-14)
    sets = rng.random((8, k)) < 0.4
    sets[:, 0] |= ~sets.any(axis=1)
    for row, covered in zip(sets, tree.cover(sets), strict=True):
        over = [mask for mask in tree.masks if (row <= mask).all()]
        assert covered.sum() == min(mask.sum() for mask in over)
        assert (row <= covered).all()
    assert ClassTree.from_json(tree.to_json()) == tree
    order = rng.permutation(k)
    turned = tree.for_classes([tree.classes[i] for i in order])
    assert {row.tobytes() for row in turned.masks} == {
        row.tobytes() for row in tree.masks[:, order]
    }


def test_classes_that_are_not_asked_for_are_cut_off():
    tree = ClassTree.from_dict(ANIMALS).for_classes(["wren", "cat", "dog"])
    assert tree.classes == ("wren", "cat", "dog")
    assert set(tree.inner) == {"all classes", "mammal", "bird"}
    alone = tree.for_classes(["cat"])
    assert alone.masks.all()
    assert alone.names([[True]]) == ["cat"]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ClassTree.from_dict({}), ValueError, "give nested dictionaries"),
        (lambda: ClassTree.from_dict({"a": {}}), ValueError, "no class lies below 'a'"),
        (lambda: ClassTree.from_dict({"a": []}), ValueError, "no class lies below 'a'"),
        (lambda: ClassTree.from_dict({"a": "cat"}), TypeError, "below 'a' stands 'cat'"),
        (lambda: ClassTree.from_dict({"a": 3.5}), TypeError, "below 'a' stands 3.5"),
        (lambda: ClassTree.from_dict({"a": ["x"], "b": ["x"]}), ValueError, "'x' occurs twice"),
        (lambda: ClassTree.from_dict({"a": ["x", None]}), ValueError, "is missing"),
        (
            lambda: ClassTree.from_dict({"a": ["x", {"b": ["y", "z"]}]}),
            TypeError,
            r"list below 'a' holds \{'b': \['y', 'z'\]\}; a list names classes only.*dictionary",
        ),
        (
            lambda: ClassTree.from_dict({"a": {"b": ["x", ["y", "z"]]}}),
            TypeError,
            r"list below 'b' holds \['y', 'z'\]; a list names classes only",
        ),
        (lambda: ClassTree.from_parents({"a": "b", "b": "a"}), ValueError, "circle"),
        (
            lambda: ClassTree.from_parents({"x": "a", "a": "b", "b": "a", "r": None, "y": "r"}),
            ValueError,
            "cycle: 'a' below 'b' below 'a'",
        ),
        (
            lambda: ClassTree.from_parents({"x": "a", "y": "b", "a": None}),
            ValueError,
            "names 'b' as parents",
        ),
        (lambda: ClassTree.from_parents({"x": "a", "y": "b"}), ValueError, "'a', 'b'"),
        (lambda: ClassTree.from_parents([1, 2, 5]), ValueError, r"parents\[2\] is 5"),
        (lambda: ClassTree.from_parents([2, -1, -1]), ValueError, "2 roots"),
        (lambda: ClassTree.from_parents([0, 2, -1]), ValueError, "is 0|circle|cycle|another node"),
        (lambda: ClassTree.from_parents([2.0, 2.0, -1.0]), ValueError, "whole number"),
        (lambda: ClassTree.from_parents([]), ValueError, "whole number"),
        (lambda: ClassTree.from_parents([2, 2, -1], names=["a"]), ValueError, "1 names for 3"),
        (lambda: ClassTree.from_names(["a/b", "a"]), ValueError, "'a' is part of the path"),
        (lambda: ClassTree.from_names(["a//b", "c"]), ValueError, "empty part"),
        (lambda: ClassTree.from_names(["a", 3]), TypeError, "no text"),
        (lambda: ClassTree.from_names(["a", "b"], ""), ValueError, "separator is ''"),
        (lambda: ClassTree(("a", "b"), ("r",), (2, 0, -1)), ValueError, "below the class 'a'"),
        (lambda: ClassTree(("a", "b"), ("r", "r"), (2, 2, -1, 2)), ValueError, "two nodes called"),
        (lambda: ClassTree(("a", "b"), ("r",), (2, 2)), ValueError, "2 entries for 3 nodes"),
        (lambda: ClassTree(("a", "b"), ("r", "s"), (2, 2, -1, 2)), ValueError, "below 's'"),
        (lambda: ClassTree.flat(["a"]).for_classes(["b"]), ValueError, "'b' is not in the tree"),
        (lambda: ClassTree.flat(["a", "b"]).sums([[1.0]]), ValueError, "one column per class"),
        (lambda: ClassTree.from_json("[]"), ValueError, "no tree of the schema"),
    ],
)
def test_what_is_no_tree(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_damaged_json_is_refused():
    state = json.loads(ClassTree.flat(["a", "b"]).to_json())
    for change in ({"more": 1}, {"parents": "x"}, {"parents": [2, 2, "r"]}, {"parents": [2, 2, 9]}):
        with pytest.raises(ValueError):
            ClassTree.from_json(json.dumps({**state, **change}))
