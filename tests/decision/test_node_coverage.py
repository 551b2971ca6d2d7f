"""Risk and coverage of nodes, beside the climbing rule at every threshold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decision.test_class_tree import trees

from cautious.curves import RiskCoverageCurve
from cautious.decision import ClassTree, threshold_rule


@given(tree=trees(), seed=st.integers(0, 2**32 - 1), digits=st.sampled_from([1, 2, 9]))
@settings(max_examples=60, deadline=None)
def test_the_numbers_are_those_of_the_rule(tree, seed, digits):
    rng, k = np.random.default_rng(seed), tree.n_classes
    parts = rng.multinomial(10**digits, rng.dirichlet(np.ones(k)), size=12) / 10**digits
    scale = np.where(rng.random((12, 1)) < 0.3, 1 + 1e-7, 1.0)  # sums need not be exactly one
    p, y, weight = parts * scale, rng.integers(k, size=12), rng.integers(0, 3, 12) + 0.5
    curve = tree.risk_coverage(np.asarray(tree.classes)[y], p, sample_weight=weight)
    assert (np.diff(curve["threshold"]) > 0).all()
    assert curve["threshold"].iloc[-1] == 1
    for threshold in [*rng.random(3), *curve["threshold"]]:
        row = curve[curve["threshold"] >= threshold].iloc[0]
        sets = threshold_rule(p, threshold, tree=tree)
        size = sets.sum(axis=1)
        expected = {
            "coverage": np.average(1 - np.log(size) / np.log(max(k, 2)), weights=weight),
            "risk": np.average(~sets[np.arange(12), y], weights=weight),
            "mean_size": np.average(size, weights=weight),
        }
        np.testing.assert_allclose(row[list(expected)], list(expected.values()), atol=1e-12)


def test_probabilities_that_differ_by_rounding_are_one_threshold():
    tree = ClassTree.from_dict({"m": ["a", "b"], "n": ["c", "d"]})
    p = np.array([[0.6, 0.2, 0.1, 0.1], [0.4, 0.2, 0.3, 0.1]])  # 0.4 + 0.2 is more than 0.6
    curve = tree.risk_coverage(["b", "b"], p)
    assert curve["threshold"].tolist() == pytest.approx([0.4, 0.6, 0.8, 1.0])
    assert curve.iloc[1].tolist() == pytest.approx([0.6, 0.75, 0.5, 1.5])
    turned = tree.for_classes(["d", "c", "b", "a"]).risk_coverage(["b", "b"], p[:, ::-1])
    np.testing.assert_allclose(curve, turned)


def test_a_flat_tree_gives_the_curve_of_single_answers():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 40)
    truth = np.array(["a", "b", "c"])[rng.integers(3, size=40)]
    table = ClassTree.flat(["a", "b", "c"]).risk_coverage(truth, p)
    curve = RiskCoverageCurve.from_predictions(truth, p)
    np.testing.assert_allclose(table["coverage"][:-1], curve.coverage[::-1])
    np.testing.assert_allclose(table["risk"][:-1], curve.generalised_risk[::-1], atol=1e-12)


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
        ClassTree.flat(["a", "b"]).risk_coverage(truth, p, **how)
