"""Decompositions drawn uniformly, and exact lower expectations in them."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import comb
from scipy.stats import chisquare

from cautious.models.nested_dichotomies import (
    CredalForest,
    Decomposition,
    class_products,
    distinct_dichotomies,
    lower_expectations,
    sample_decomposition,
)


def groups_of_all_trees(classes, contiguous):
    """Every decomposition, as the set of the groups of classes at its inner nodes."""
    if len(classes) == 1:
        return [frozenset()]
    trees = []
    first, rest = classes[0], classes[1:]
    for size in range(len(rest)):
        for more in combinations(rest, size):
            left = (first, *more)
            right = tuple(c for c in rest if c not in more)
            if contiguous and max(left) > min(right):
                continue
            sides = [groups_of_all_trees(side, contiguous) for side in (left, right)]
            trees += [frozenset().union(*below, [frozenset(classes)]) for below in product(*sides)]
    return trees


def groups(tree):
    return frozenset(
        frozenset(np.flatnonzero(node).tolist()) for node in tree.members[tree.n_classes :]
    )


@pytest.mark.parametrize(
    ("K", "contiguous", "number"),
    [
        *((3, False, 3), (4, False, 15), (4, True, 5), (5, True, 14)),
        pytest.param(5, False, 105, marks=pytest.mark.slow),
        pytest.param(6, True, 42, marks=pytest.mark.slow),
    ],
)
def test_every_decomposition_is_equally_likely(K, contiguous, number):
    every = groups_of_all_trees(tuple(range(K)), contiguous)
    assert len(set(every)) == len(every) == number
    double_factorial = np.prod(np.arange(1, 2 * K - 2, 2))
    assert number == (comb(2 * K - 2, K - 1) / K if contiguous else double_factorial)
    rng = np.random.default_rng(0)
    drawn = [groups(sample_decomposition(K, rng, ordinal=contiguous)) for _ in range(100 * number)]
    counts = [drawn.count(tree) for tree in every]
    assert sum(counts) == len(drawn)  # nothing else was drawn
    assert chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("K", [1, 2, 3, 7, 40])
def test_a_decomposition_is_a_tree_over_all_classes(K):
    tree = sample_decomposition(K, np.random.default_rng(K))
    assert tree.n_classes == K
    assert tree.children.shape == (K - 1, 2)
    assert sorted(tree.children.ravel()) == list(range(2 * K - 2))  # each node but the root once
    assert tree.members[-1].all()
    left, right = tree.sides().transpose(1, 0, 2)
    assert not (left & right).any()
    assert (left.argmax(axis=1) < right.argmax(axis=1)).all()


def test_equal_decompositions_have_equal_keys():
    rng = np.random.default_rng(0)
    keys: dict[frozenset, set] = {}
    for _ in range(400):
        tree = sample_decomposition(4, rng)
        keys.setdefault(groups(tree), set()).add(tree.key)
    assert len(keys) == 15
    assert all(len(same) == 1 for same in keys.values())
    assert len(set.union(*keys.values())) == 15


def test_shared_dichotomies_are_listed_once():
    rng = np.random.default_rng(3)
    trees = [sample_decomposition(5, rng) for _ in range(20)]
    sides, positions = distinct_dichotomies(trees)
    assert len(np.unique(sides, axis=0)) == len(sides) < 80
    for tree, position in zip(trees, positions, strict=True):
        assert (sides[position] == tree.sides()).all()


def test_prints_the_root_first():
    tree = Decomposition(np.array([[1, 2], [0, 3]]))
    assert tree.export_text(np.array(["ash", "birch", "cedar"])).splitlines() == [
        "{ash} | {birch, cedar}",
        "{birch} | {cedar}",
    ]


# Expectations


@st.composite
def credal_trees(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    K, n = int(rng.integers(2, 6)), 3
    tree = sample_decomposition(K, rng)
    bounds = np.sort(rng.random((2, n, K - 1)), axis=0)
    bounds = np.where(rng.random(bounds.shape) < 0.2, np.round(bounds), bounds)
    return tree, *np.sort(bounds, axis=0), rng


def vertices(tree, low, high):
    """All distributions with every dichotomy at one end of its interval."""
    ends = np.array(list(product(*zip(low, high, strict=True))))
    return class_products(tree, ends, 1 - ends)


@given(credal_trees())
def test_recursion_finds_the_least_vertex(case):
    tree, lower, upper, rng = case
    functions = rng.normal(size=(6, tree.n_classes))
    functions[0] = rng.integers(3, size=tree.n_classes)  # ties
    found = lower_expectations(tree, lower, upper, functions)
    for low, high, row in zip(lower, upper, found, strict=True):
        points = vertices(tree, low, high)
        np.testing.assert_allclose(points.sum(axis=1), 1)
        np.testing.assert_allclose(row, (points @ functions.T).min(axis=0), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(credal_trees())
def test_class_bounds_are_lower_and_upper_probabilities(case):
    tree, lower, upper, _ = case
    forest = CredalForest([tree], [np.arange(tree.n_classes - 1)], lower, upper)
    low, high = forest.class_bounds()
    eye = np.eye(tree.n_classes)
    np.testing.assert_allclose(low, forest.lower_expectation(eye), atol=1e-12)
    np.testing.assert_allclose(high, -forest.lower_expectation(-eye), atol=1e-12)


def test_a_forest_mixes_its_trees_in_equal_parts():
    rng = np.random.default_rng(5)
    trees = [sample_decomposition(4, rng) for _ in range(3)]
    positions = [np.array([0, 3, 1]), np.array([2, 4, 0]), np.array([1, 2, 3])]
    lower, upper = np.sort(rng.random((2, 6, 5)), axis=0)
    functions = rng.normal(size=(4, 4))
    forest = CredalForest(trees, positions, lower, upper)
    alone = [
        lower_expectations(tree, lower[:, at], upper[:, at], functions)
        for tree, at in zip(trees, positions, strict=True)
    ]
    np.testing.assert_allclose(forest.lower_expectation(functions), np.mean(alone, axis=0))
    # The mean of one vertex from each tree is a distribution of the mixture.
    picked = [
        vertices(tree, lower[0, at], upper[0, at])
        for tree, at in zip(trees, positions, strict=True)
    ]
    brute = min(
        np.mean(points, axis=0) @ functions[0] for points in product(*[p.tolist() for p in picked])
    )
    assert forest.lower_expectation(functions)[0, 0] == pytest.approx(brute)
