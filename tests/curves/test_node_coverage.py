"""Risk and coverage of nodes, beside the climbing rule at every threshold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decision.test_class_tree import trees

from cautious.curves import RiskCoverageCurve, hierarchical_risk_coverage
from cautious.decision import ClassTree, climbing_rule


@settings(max_examples=25, deadline=None, derandomize=True)
@given(tree=trees(8), seed=st.integers(0, 2**32 - 1))
def test_the_numbers_are_those_of_the_rule(tree, seed):
    rng = np.random.default_rng(seed)
    k, n = tree.n_classes, 12
    p = rng.dirichlet(np.full(k, 0.7), n)
    truth, weight = rng.integers(k, size=n), rng.integers(0, 3, n) + 0.5
    table = hierarchical_risk_coverage(truth, p, tree, sample_weight=weight)
    assert table["threshold"].is_monotonic_increasing
    between = np.append(rng.random(3), table["threshold"])
    for threshold in between:
        row = table[table["threshold"] >= threshold].iloc[0]
        sets = climbing_rule(p, tree, threshold)
        size = sets.sum(axis=1)
        expected = {
            "coverage": np.average(1 - np.log(size) / np.log(k), weights=weight),
            "risk": np.average(~sets[np.arange(n), truth], weights=weight),
            "mean_size": np.average(size, weights=weight),
        }
        np.testing.assert_allclose(row[list(expected)], list(expected.values()), atol=1e-12)


@given(tree=trees(), seed=st.integers(0, 2**32 - 1), digits=st.sampled_from([1, 2]))
@settings(max_examples=60, deadline=None)
def test_rounded_probabilities_reach_thresholds_as_the_rule_says(tree, seed, digits):
    rng, k = np.random.default_rng(seed), tree.n_classes
    parts = rng.multinomial(10**digits, rng.dirichlet(np.ones(k)), size=12) / 10**digits
    scale = np.where(rng.random((12, 1)) < 0.3, 1 + 1e-7, 1.0)  # sums need not be exactly one
    p, y = parts * scale, rng.integers(k, size=12)
    curve = hierarchical_risk_coverage(np.asarray(tree.classes)[y], p, tree)
    assert (np.diff(curve["threshold"]) > 0).all()
    assert curve["threshold"].iloc[-1] == 1
    for threshold, coverage, risk, size in curve.itertuples(index=False):
        sets = climbing_rule(p, tree, threshold)
        sizes = sets.sum(axis=1)
        assert risk == pytest.approx((~sets[np.arange(12), y]).mean(), abs=1e-12)
        assert size == pytest.approx(sizes.mean())
        covered = 1 - np.log(sizes) / np.log(max(k, 2))
        assert coverage == pytest.approx(covered.mean(), abs=1e-12)


def test_probabilities_that_differ_by_rounding_are_one_threshold():
    tree = ClassTree.from_dict({"m": ["a", "b"], "n": ["c", "d"]})
    p = [[0.6, 0.2, 0.1, 0.1], [0.4, 0.2, 0.3, 0.1]]  # 0.4 + 0.2 is more than 0.6
    curve = hierarchical_risk_coverage(["b", "b"], p, tree)
    assert curve["threshold"].tolist() == pytest.approx([0.4, 0.6, 0.8, 1.0])
    assert curve.iloc[1].tolist() == pytest.approx([0.6, 0.75, 0.5, 1.5])


def test_a_flat_tree_gives_the_curve_of_single_answers():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 40)
    truth = np.array(["a", "b", "c"])[rng.integers(3, size=40)]
    table = hierarchical_risk_coverage(truth, p, None)
    curve = RiskCoverageCurve.from_predictions(truth, p)
    np.testing.assert_allclose(table["coverage"][:-1], curve.coverage[::-1])
    np.testing.assert_allclose(table["risk"][:-1], curve.generalised_risk[::-1], atol=1e-12)


def test_forms_of_trees_and_orders_of_classes():
    p = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]
    tree = {"x": ["a", "b"], "y": ["c"]}
    first = hierarchical_risk_coverage(["b", "c"], p, tree)
    turned = hierarchical_risk_coverage(
        ["b", "c"], np.array(p)[:, ::-1], ClassTree.from_dict(tree), classes=["c", "b", "a"]
    )
    named = hierarchical_risk_coverage(["x/b", "y"], p, "/", classes=["x/a", "x/b", "y"])
    for other in (turned, named):
        np.testing.assert_allclose(first, other)


@pytest.mark.parametrize(
    ("truth", "p", "how", "message"),
    [
        (["a"], [[0.5, 0.5], [0.5, 0.5]], {}, "1 rows and y_proba has 2"),
        (["z", "a"], [[0.5, 0.5], [0.5, 0.5]], {}, "'z'"),
        (["a", "b"], [[0.5, 0.5], [np.nan, 0.5]], {}, "row 1"),
        (["a", "b"], [[0.5, 0.5], [1, 0]], {"sample_weight": [0, 0]}, "positive weight"),
    ],
)
def test_wrong_arguments(truth, p, how, message):
    with pytest.raises(ValueError, match=message):
        hierarchical_risk_coverage(truth, p, ClassTree.flat(["a", "b"]), **how)
