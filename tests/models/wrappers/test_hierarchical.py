"""Answers with nodes: every way to decide, the promise, and the contract."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from cautious.costs import ordinal, p_discounted
from cautious.decision import ClassTree, optimal_sets, threshold_rule
from cautious.models import HierarchicalClassifier

pytestmark = [
    pytest.mark.filterwarnings("ignore:Nothing can be promised"),
    pytest.mark.filterwarnings("ignore:.* calibration rows also occur"),
]

TREE = ClassTree.from_dict({"low": [0, 1], "high": [2, 3]})


def blobs(n=1200, seed=0):
    """Four classes in two pairs, of which the members are hard to tell apart."""
    centers = [[-4, 0], [-4, 1.5], [4, 0], [4, 1.5]]
    return make_blobs(n, centers=centers, random_state=seed)


def test_every_way_to_decide():
    X, y = blobs()
    bayes = GaussianNB()
    p = bayes.fit(X, y).predict_proba(X)
    costs = p_discounted(ordinal(4), 0.7)
    for how, expected in [
        ({}, optimal_sets(p, tree=TREE, utility="u65")),
        ({"utility": "u80"}, optimal_sets(p, tree=TREE, utility="u80")),
        ({"utility": "u80", "n_nodes": 2}, optimal_sets(p, tree=TREE, utility="u80", n_nodes=2)),
        ({"costs": costs}, optimal_sets(p, costs, tree=TREE)),
        ({"threshold": 0.9}, threshold_rule(p, 0.9, tree=TREE)),
    ]:
        model = HierarchicalClassifier(bayes, TREE, **how).fit(X, y)
        assert (model.predict_set(X) == expected).all()
        assert (model.predict(X) == np.where(expected, p, -1).argmax(axis=1)).all()
    assert set(model.predict_nodes(X)) == {0, 1, 2, 3, "low", "high"}


def test_labels_in_their_own_order():
    X, y = blobs()
    names = np.array(["z/1", "z/2", "a/1", "a/2"])
    by_name = HierarchicalClassifier(GaussianNB(), "/", threshold=0.9).fit(X, names[y])
    by_tree = HierarchicalClassifier(GaussianNB(), TREE, threshold=0.9).fit(X, y)
    order = np.argsort(names)
    assert (by_name.predict_set(X) == by_tree.predict_set(X)[:, order]).all()
    assert set(by_name.predict_nodes(X)) == {*names, "a", "z"}


def test_the_promise_is_kept():
    X, y = blobs(10_000, seed=99)
    broken, sizes = [], []
    for seed in range(15):
        model = HierarchicalClassifier(
            GaussianNB(), TREE, max_error=0.1, confidence_level=0.9, random_state=seed
        ).fit(*blobs(600, seed=seed))
        sets = model.predict_set(X)
        broken.append((~sets[np.arange(len(y)), y]).mean() > 0.1)
        sizes.append(sets.sum(axis=1).mean())
    assert np.mean(broken) <= 0.1 + 2 * np.sqrt(0.09 / 15)
    assert np.mean(sizes) < 2
    assert "at most 10 % of the sets miss the truth" in str(model.certificate_)
    assert model.certificate_.n == 300


def test_a_frozen_model_is_calibrated_on_all_that_is_given():
    fitted = GaussianNB().fit(*blobs(300, seed=1))
    X, y = blobs(500)
    model = HierarchicalClassifier(FrozenEstimator(fitted), TREE, max_error=0.1).fit(X, y)
    assert model.certificate_.n == 500
    wrong = ~model.predict_set(X)[np.arange(500), y]
    assert model.certificate_.tests[0].wrong == wrong.sum()
    with pytest.raises(ValueError, match="no label that the estimator knows"):
        model.set_params(tree={"a": [0, 1, 2, 3], "b": ["x"]}).fit(X, np.where(y, y, 9).astype(str))


def test_a_class_that_was_not_shown_is_held_by_the_nodes_above_it():
    X, y = make_blobs(600, centers=4, cluster_std=0.5, random_state=0)
    y = np.where((y == 3) & (np.arange(600) % 5 > 0), 0, y)  # a class of 30 cases
    base = FrozenEstimator(GaussianNB().fit(X[y < 3], y[y < 3]))
    model = HierarchicalClassifier(base, TREE, max_error=0.2).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(model.predict_proba(X)[:, 3], 0)
    missed = ~model.predict_set(X)[np.arange(600), y]
    assert missed[y == 3].any()
    assert model.certificate_.tests[0].wrong == missed.sum()


def test_calibration_cases_are_drawn_whatever_their_class():
    y = np.arange(40) % 20  # two examples of each class, of which one would have to stay
    X = np.column_stack([y, np.random.default_rng(0).normal(0, 0.01, 40)])
    model = HierarchicalClassifier(GaussianNB(), max_error=0.5, random_state=0).fit(X, y)
    assert model.certificate_.n == 20
    assert len(model.estimator_.classes_) < len(model.classes_) == 20


def test_nothing_to_promise():
    X, y = blobs(60)
    model = HierarchicalClassifier(GaussianNB(), TREE, max_error=0.01)
    with pytest.warns(UserWarning, match="Nothing can be promised from .* abstains always"):
        model.fit(X, y)
    assert model.predict_set(X).all()
    assert model.threshold_ == np.inf
    assert set(model.predict_nodes(X)) == {"all classes"}
    # Another decision leaves nothing of it behind.
    model.set_params(max_error=None, utility="u80").fit(X, y)
    assert not hasattr(model, "certificate_")
    assert not model.predict_set(X).all()


def test_a_promise_takes_no_weights():
    X, y = blobs(80)
    model = HierarchicalClassifier(GaussianNB(), TREE, max_error=0.2)
    with pytest.raises(ValueError, match="counts cases, not weights"):
        model.fit(X, y, sample_weight=np.ones(80))
    with pytest.raises(ValueError, match="minimum of 2"):
        model.fit(X[:1], y[:1])
