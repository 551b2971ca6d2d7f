"""Nodes of a tree and neighbours in an order, against trying all of them."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.decision.test_class_tree import trees

from cautious.costs import (
    SetCosts,
    class_selective,
    discounted,
    f_beta_costs,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
)
from cautious.costs._extensions import SizeCosts
from cautious.costs._set_costs import all_sets
from cautious.credal import ProbabilityIntervals
from cautious.decision import (
    ClassTree,
    e_admissibility,
    maximality,
    optimal_sets,
    ordinal_sets,
    threshold_rule,
)
from cautious.utility import as_utility, u80

ANIMALS = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl", "wren"], "fish": None})
COSTS = {
    "u80": lambda k: utility_costs(k, u80),
    "F2": lambda k: f_beta_costs(k, 2),
    "p-discounted": lambda k: p_discounted(ordinal(k), 0.6),
    "owa": lambda k: owa(ordinal(k), 0.8),
    "class-selective": lambda k: class_selective(np.arange(1, k + 1), 0.3),
    "perverse": lambda k: SizeCosts(np.arange(k, 0, -1.0), np.full(k, 1.5)),
}


def rows(seed, k, n=6):
    """Probabilities, rough ones among them so that ties occur."""
    rng = np.random.default_rng(seed)
    p = np.vstack([rng.dirichlet(np.full(k, 0.5), n), rng.integers(1, 4, (n, k))])
    return p / p.sum(axis=1, keepdims=True)


def brute_force(p, sets, costs):
    """Cheapest of the sets, the smallest and first of those that cost as much."""
    order = sorted(
        range(len(sets)), key=lambda i: (sets[i].sum(), np.flatnonzero(sets[i]).tolist())
    )
    sets = sets[order]
    expected = p @ costs.of(sets).T
    near = expected <= expected.min(axis=1, keepdims=True) + 1e-11
    return sets[near.argmax(axis=1)], expected.min(axis=1)


@pytest.mark.parametrize("kind", COSTS)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(tree=trees(12), seed=st.integers(0, 2**32 - 1))
def test_the_best_node_is_that_of_brute_force(kind, tree, seed):
    costs, p = COSTS[kind](tree.n_classes), rows(seed, tree.n_classes)
    expected, _ = brute_force(p, tree.masks, costs)
    assert (optimal_sets(p, costs, tree=tree) == expected).all()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    tree=trees(12),
    seed=st.integers(0, 2**32 - 1),
    n_nodes=st.integers(2, 3),
    utility=st.sampled_from(["u65", "u80", "F1"]),
)
def test_the_best_union_is_that_of_brute_force(tree, seed, n_nodes, utility):
    k = tree.n_classes
    p = rows(seed, k, 4)
    costs = utility_costs(k, as_utility(utility))
    nodes = np.unique(tree.masks, axis=0)
    unions = np.unique(
        [
            np.any(chosen, axis=0)
            for c in range(1, n_nodes + 1)
            for chosen in combinations(nodes, c)
        ],
        axis=0,
    )
    _, least = brute_force(p, unions, costs)
    found = optimal_sets(p, tree=tree, utility=utility, n_nodes=n_nodes)
    known = {row.tobytes() for row in unions}
    assert all(row.tobytes() in known for row in found)
    np.testing.assert_allclose((costs.of(found) * p).sum(axis=1), least, atol=1e-12)
    everything = optimal_sets(p, tree=tree, utility=utility, n_nodes=k)
    np.testing.assert_allclose(
        (costs.of(everything) * p).sum(axis=1),
        (costs.of(optimal_sets(p, utility=utility)) * p).sum(axis=1),
        atol=1e-12,
    )


@settings(deadline=None, derandomize=True)
@given(tree=trees(12), seed=st.integers(0, 2**32 - 1), threshold=st.floats(0, 1))
def test_climbing_one_step_at_a_time(tree, seed, threshold):
    p = rows(seed, tree.n_classes)
    found = threshold_rule(p, threshold, tree=tree)
    for row, answer in zip(p, found, strict=True):
        node = int(row.argmax())
        while tree.parents[node] >= 0 and row[tree.masks[node]].sum() < threshold - 1e-12:
            node = tree.parents[node]
        if abs(row[tree.masks[node]].sum() - threshold) > 1e-9:
            assert (answer == tree.masks[node]).all()
    looser = threshold_rule(p, threshold / 2, tree=tree)
    assert (looser <= found).all()


def test_a_node_that_misses_the_threshold_by_rounding_reaches_it():
    tree = ClassTree.from_dict({"mammal": ["cat", "dog"], "bird": ["owl"]})
    assert 0.7 + 0.1 < 0.8
    assert tree.names(threshold_rule([[0.7, 0.1, 0.2]], 0.8, tree=tree)) == ["mammal"]


def test_the_flat_tree_answers_or_abstains():
    p = rows(0, 5, 30)
    flat = ClassTree.flat(range(5))
    sets = optimal_sets(p, tree=flat, utility="u80")
    assert set(sets.sum(axis=1)) == {1, 5}
    table = np.vstack([ordinal(5), np.full(5, 0.6)])
    assert (optimal_sets(p, table, tree=ANIMALS) == optimal_sets(p, table)).all()


def test_an_experts_table_need_not_list_all_nodes():
    full = discounted(ordinal(5), classes=ANIMALS.classes).table()
    p = rows(1, 5)
    whole = optimal_sets(p, SetCosts.from_table(full), tree=ANIMALS)
    assert (whole == optimal_sets(p, discounted(ordinal(5)), tree=ANIMALS)).all()
    few = SetCosts.from_table(full.loc[["{cat, dog}", "{owl}", "{cat, owl}"]])
    answers = set(ANIMALS.names(optimal_sets(p, few, tree=ANIMALS)))
    assert answers <= {"mammal", "owl"}
    with pytest.raises(ValueError, match="lists no node of the tree"):
        optimal_sets(p, SetCosts.from_table(full.loc[["{cat, owl}"]]), tree=ANIMALS)


def test_labelled_costs_are_put_in_order():
    order = ["wren", "owl", "fish", "dog", "cat"]
    costs = p_discounted(ordinal(5), 0.7, classes=order)
    p = rows(2, 5)
    expected, _ = brute_force(p, ANIMALS.masks, costs.in_order(ANIMALS.classes))
    assert (optimal_sets(p, costs, tree=ANIMALS) == expected).all()


def test_one_class_and_no_rows():
    alone = ClassTree.from_dict({"all": ["a"]})
    assert optimal_sets([[1.0], [1.0]], tree=alone, utility="u65").tolist() == [[True], [True]]
    assert threshold_rule([[1.0]], 0.5, tree=alone).tolist() == [[True]]
    assert optimal_sets(np.empty((0, 5)), tree=ANIMALS, utility="u65").shape == (0, 5)
    assert optimal_sets(np.empty((0, 5)), tree=ANIMALS, utility="u65", n_nodes=2).shape == (0, 5)
    assert threshold_rule(np.empty((0, 5)), 0.5, tree=ANIMALS).shape == (0, 5)


P = [[0.4, 0.3, 0.1, 0.1, 0.1]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: optimal_sets(P, tree=ANIMALS), TypeError, "either costs or utility"),
        (lambda: optimal_sets(P, "u65", tree=ANIMALS, utility="u65"), TypeError, "either costs"),
        (lambda: optimal_sets(P, "u65", n_nodes=2), ValueError, "n_nodes is for a tree"),
        (lambda: optimal_sets(P, "u65", tree="/"), TypeError, "tree is '/'"),
        (lambda: optimal_sets([[0.5, 0.5]], "u65", tree=ANIMALS), ValueError, "2 columns"),
        (lambda: optimal_sets(P, discounted(ordinal(4)), tree=ANIMALS), ValueError, "4 classes"),
        (lambda: optimal_sets(P, "u65", tree=ANIMALS, n_nodes=1.5), TypeError, "n_nodes is 1.5"),
        (
            lambda: optimal_sets(P, owa(ordinal(5), 0.8), tree=ANIMALS, n_nodes=2),
            ValueError,
            "no costs by size",
        ),
        (
            lambda: optimal_sets(P, COSTS["perverse"](5), tree=ANIMALS, n_nodes=2),
            ValueError,
            "a right set of 1 class costs more",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_nested_dictionaries_will_do():
    nested = {"mammal": ["cat", "dog"], "bird": ["owl", "wren"], "fish": None}
    p = rows(3, 5)
    assert (threshold_rule(p, 0.7, tree=nested) == threshold_rule(p, 0.7, tree=ANIMALS)).all()


ANIMALS_BY_PATH = ClassTree.from_names(
    ["r;m;cat", "r;m;dog", "r;b;hunter;owl", "r;b;hunter;hawk", "r;b;wren", "r;fish"], ";"
)


@pytest.mark.parametrize("n_nodes", [1, 2, 3])
@pytest.mark.parametrize("utility", ["F1", "u65", "u80"])
def test_as_setvaluedprediction_answered(utility, n_nodes):
    # What version 0.0.6 said of these probabilities.
    path = Path(__file__).parents[1] / "data" / "setvaluedprediction.csv"
    table = pd.read_csv(path, dtype=str)
    p = table[list(ANIMALS_BY_PATH.classes)].to_numpy(float)
    expected = np.array([list(row) for row in table[f"{utility}, {n_nodes}"]]) == "1"
    found = optimal_sets(p, tree=ANIMALS_BY_PATH, utility=utility, n_nodes=n_nodes)
    assert (found == expected).all()


def contiguous(k):
    """All contiguous sets, small and low ones first."""
    return np.array(
        [[a <= i < a + size for i in range(k)] for size in range(1, k + 1)
         for a in range(k - size + 1)]
    )  # fmt: skip


def credal_set(seed, k):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k))
    room = rng.random(2) * 0.5
    return p * (1 - room[0]), p + (1 - p) * room[1]


def worst(lower, upper, costs):
    """Largest expected cost over the credal set, by a linear programme."""
    found = linprog(-costs, A_eq=np.ones((1, len(costs))), b_eq=[1],
                    bounds=np.column_stack([lower, upper]))  # fmt: skip
    return -found.fun


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 5), kind=st.sampled_from(range(3)))
def test_no_contiguous_set_has_a_smaller_worst_cost(seed, k, kind):
    lower, upper = credal_set(seed, k)
    costs = [
        SetCosts.from_positions(k, 0.2),
        p_discounted(ordinal(k), 0.6),
        owa(ordinal(k, 2), 0.8),
    ][kind]
    sets = contiguous(k)
    values = np.array([worst(lower, upper, row) for row in costs.of(sets)])
    (chosen,) = ordinal_sets((lower[None], upper[None]), costs)
    at = next(i for i, row in enumerate(sets) if (row == chosen).all())
    assert values[at] <= values.min() + 1e-7
    earlier = values[:at]
    assert (earlier > values[at] + 1e-9).all() or (earlier > values.min() - 1e-7).all()


@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 7))
def test_classes_that_may_be_the_median(seed, k):
    lower, upper = credal_set(seed, k)
    bounds = ProbabilityIntervals(lower[None], upper[None])
    (admissible,) = e_admissibility(bounds, ordinal(k))
    (found,) = ordinal_sets(bounds, criterion="e_admissibility")
    assert (found == admissible).all()  # no gap by itself
    # Class i may be the median if some distribution has F(i - 1) <= 1/2 <= F(i).
    for i in range(k):
        below = -np.append(np.zeros(0), np.arange(k) <= i).astype(float)
        feasible = linprog(
            np.zeros(k),
            A_ub=np.array([(np.arange(k) < i).astype(float), below]),
            b_ub=[0.5, -0.5],
            A_eq=np.ones((1, k)),
            b_eq=[1],
            bounds=np.column_stack([lower, upper]),
        ).success
        assert found[i] == feasible
    (kept,) = maximality(bounds, ordinal(k))
    (filled,) = ordinal_sets(bounds)
    first, last = np.flatnonzero(kept)[[0, -1]]
    assert filled.tolist() == [first <= i <= last for i in range(k)]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 6),
    width=st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.5, 0.8]),
)
def test_interval_costs_have_the_quantiles_as_ends(seed, k, width):
    rng = np.random.default_rng(seed)
    p = np.vstack([rng.dirichlet(np.full(k, 0.6), 5), rng.integers(1, 4, (5, k))]).astype(float)
    p /= p.sum(axis=1, keepdims=True)
    x = np.cumsum(rng.integers(1, 4, k)).astype(float)
    costs, sets = SetCosts.from_positions(x, width), all_sets(k)
    expected = p @ costs.of(sets).T
    near = expected <= expected.min(axis=1, keepdims=True) + 1e-9
    best = sets[near.argmax(axis=1)]  # the smallest and lowest of those that cost the least
    assert (optimal_sets(p, costs) == best).all()
    assert (ordinal_sets(p, costs) == best).all()
    assert (optimal_sets(p, costs, contiguous=True) == best).all()


def test_precise_probabilities():
    p = np.random.default_rng(0).dirichlet(np.ones(5), 40)
    costs = p_discounted(ordinal(5), 0.7)
    assert (ordinal_sets(p, costs) == optimal_sets(p, costs, contiguous=True)).all()
    median = (p.cumsum(axis=1) >= 0.5).argmax(axis=1)
    assert (ordinal_sets(p).argmax(axis=1) == median).all()
    assert (ordinal_sets(p).sum(axis=1) == 1).all()
    assert ordinal_sets([[0.5, 0.0, 0.5]]).tolist() == [[True, False, False]]
    by_squares = ordinal_sets(p, ordinal(5, 2)).argmax(axis=1)
    assert (np.abs(by_squares - p @ np.arange(5)) <= 0.5 + 1e-9).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ordinal_sets([[0.5, 0.5]], criterion="luck"), "criterion is 'luck'"),
        (lambda: ordinal_sets([[0.5, 0.5]], criterion="hurwicz"), "costs of single classes"),
        (
            lambda: ordinal_sets(
                [[0.5, 0.5]], SetCosts.from_positions(2, 0.1), criterion="maximality"
            ),
            "costs of sets",
        ),
        (
            lambda: ordinal_sets([[0.5, 0.5]], SetCosts.from_positions(3, 0.1)),
            "3 classes and there are 2",
        ),
        (lambda: ordinal_sets([[0.5, np.nan]]), "intervals has a value that is no probability"),
        (lambda: ordinal_sets([[0.5, 0.5]], discounted(ordinal(4))), "4 classes"),
    ],
)
def test_wrong_arguments_of_neighbours(call, message):
    with pytest.raises(ValueError, match=message):
        call()
