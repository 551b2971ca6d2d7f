"""The cautious forest: its six rules by hand, what it takes and what it refuses."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight

from cautious.models import CautiousForestClassifier

RULES = ["cdm-vote", "cdm-ave", "ave", "mva", "ndc", "cr"]


def trees(**params):
    return RandomForestClassifier(**{"n_estimators": 7, "random_state": 0} | params)


def doubtful(n=200, K=4, seed=0):
    return make_classification(
        n, 8, n_informative=5, n_classes=K, flip_y=0.3, class_sep=0.6, random_state=seed
    )


def by_hand(forest, X, rule, s, risk=0.2):
    """The rules as they are written down, one row and one tree at a time."""
    K = len(forest.classes_)
    u = [1.6 / k - 0.6 / k**2 for k in range(1, K + 1)]
    answers = np.zeros((len(X), K), dtype=bool)
    for i, row in enumerate(X):
        lower, upper, shares = [], [], []
        for tree in forest.estimators_:
            leaf = tree.apply(row[None].astype(np.float32))[0]
            n = tree.tree_.value[leaf, 0] * tree.tree_.weighted_n_node_samples[leaf]
            n = np.round(n, 9)
            lower.append(n / (n.sum() + s))
            upper.append((n + s) / (n.sum() + s))
            shares.append(n / n.sum())
        lower, upper, p = np.array(lower), np.array(upper), np.mean(shares, axis=0)
        votes = upper >= lower.max(axis=1, keepdims=True) - 1e-12
        if rule == "ave":
            answers[i] = upper.mean(axis=0) >= lower.mean(axis=0).max() - 1e-12
        elif rule == "mva":
            answers[i] = votes.sum(axis=0) == votes.sum(axis=0).max()
        elif rule == "cdm-vote":
            best = -1.0
            for code in sorted(range(1, 2**K), key=lambda c: (bin(c).count("1"), -c)):
                inside = np.array([code >> (K - 1 - c) & 1 for c in range(K)], dtype=bool)
                value = u[inside.sum() - 1] * np.mean([not v[~inside].any() for v in votes])
                if value > best + 1e-12:
                    best, answers[i] = value, inside
        else:
            belief = p if rule in ("ndc", "cr") else lower.mean(axis=0)
            order = np.argsort(-np.round(belief, 12), kind="stable")
            total = [belief[order[: k + 1]].sum() for k in range(K)]
            total[-1] = 1.0
            if rule == "cr":
                k = next(k for k in range(K) if total[k] >= 1 - risk - 1e-12)
            else:
                k = int(np.argmax([round(u[k] * total[k], 12) for k in range(K)]))
            answers[i, order[: k + 1]] = True
    return answers


@pytest.mark.parametrize("leaf", [1, 8])
@pytest.mark.parametrize("rule", RULES)
def test_rules_by_hand(rule, leaf):
    X, y = doubtful()
    model = CautiousForestClassifier(trees(min_samples_leaf=leaf), rule, s=1.5).fit(X, y)
    asked = doubtful(seed=1)[0][:60]
    sets = model.predict_set(asked)
    np.testing.assert_array_equal(sets, by_hand(model.estimator_, asked, rule, 1.5))
    assert len(np.unique(sets.sum(axis=1))) > 1


def test_more_classes_than_fit_into_codes():
    X, y = make_classification(
        200, 12, n_informative=9, n_classes=12, n_clusters_per_class=1, flip_y=0.3, random_state=0
    )
    model = CautiousForestClassifier(trees(min_samples_leaf=6), s=1.0).fit(X, y)
    expected = by_hand(model.estimator_, X[:3], "cdm-vote", 1.0)
    np.testing.assert_array_equal(model.predict_set(X[:3]), expected)


def test_counts_are_counts():
    """Three examples of one class and one of another in a single leaf."""
    X, y = [[0.0]] * 4, ["p", "p", "p", "q"]
    stump = DecisionTreeClassifier(max_depth=1)
    model = CautiousForestClassifier(stump, "ave", s=1.0).fit(X, y)
    lower, upper = model.predict_proba_bounds([[0.0]])
    np.testing.assert_allclose(lower, [[0.6, 0.2]])
    np.testing.assert_allclose(upper, [[0.8, 0.4]])
    assert model.predict_set([[0.0]]).tolist() == [[True, False]]
    # A tie does not dominate: 3/(4 + 2) = (1 + 2)/(4 + 2).
    assert model.set_params(s=2.0).predict_set([[0.0]]).tolist() == [[True, True]]


@pytest.mark.parametrize(
    "ensemble",
    [
        ExtraTreesClassifier(5, min_samples_leaf=4, random_state=0),
        BaggingClassifier(n_estimators=5, max_features=0.5, max_samples=0.1, random_state=0),
        DecisionTreeClassifier(min_samples_leaf=4),
    ],
)
def test_other_ensembles(ensemble):
    X, y = doubtful()
    model = CautiousForestClassifier(ensemble, "ave", s=1e-9).fit(X, y)
    np.testing.assert_allclose(model.predict_proba_bounds(X)[0], model.predict_proba(X), atol=1e-6)
    sets = model.set_params(rule="cdm-vote", s=2.0).predict_set(X)
    assert sets.any(axis=1).all()


def test_a_fitted_forest_is_kept():
    X, y = doubtful()
    forest = trees().fit(X, y)
    model = CautiousForestClassifier(FrozenEstimator(forest)).fit(X[:5], y[:5])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(model.predict_proba(X), forest.predict_proba(X))
    again = CautiousForestClassifier(trees()).fit(X, y)
    np.testing.assert_array_equal(model.predict_set(X), again.predict_set(X))


def test_parts_of_the_rows_are_answered_as_all(monkeypatch):
    X, y = doubtful()
    model = CautiousForestClassifier(trees()).fit(X, y)
    whole = model.predict_set(X)
    monkeypatch.setattr("cautious.models.forests._CELLS_AT_ONCE", 1000)
    np.testing.assert_array_equal(model.predict_set(X), whole)


def test_seeds():
    X, y = doubtful()
    forest = RandomForestClassifier(5)
    first, second = (CautiousForestClassifier(forest, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.predict_set(X), second.predict_set(X))
    assert forest.random_state is None


def test_counts_are_those_of_the_bootstrap_samples():
    X, y = doubtful(80)
    forest = RandomForestClassifier(30, min_samples_leaf=5, oob_score=True, random_state=0)
    model = CautiousForestClassifier(forest, "ave", s=1.5).fit(X, y)
    drawn = model.estimator_.estimators_samples_
    lower = np.zeros((len(X), len(model.classes_)))
    for tree, rows in zip(model.estimator_.estimators_, drawn, strict=True):
        home, grown = tree.apply(X), tree.apply(X[rows])
        for i, leaf in enumerate(home):
            counts = np.bincount(y[rows][grown == leaf], minlength=len(model.classes_))
            lower[i] += counts / (counts.sum() + 1.5) / 30
    np.testing.assert_allclose(model.predict_proba_bounds(X)[0], lower, atol=1e-12)


def test_weights_of_classes_are_weights_of_their_examples():
    X, y = doubtful(90)
    given = {0: 3.0, 1: 1.0, 2: 0.5}
    tree = {"max_depth": 3, "random_state": 0}
    for weights in (given, "balanced"):
        by_class = DecisionTreeClassifier(class_weight=weights, **tree)
        weighed = CautiousForestClassifier(by_class, "ave").fit(X, y)
        each = compute_sample_weight(weights, y)
        plain = CautiousForestClassifier(DecisionTreeClassifier(**tree), "ave")
        plain.fit(X, y, sample_weight=each)
        for ours, theirs in zip(
            weighed.predict_proba_bounds(X), plain.predict_proba_bounds(X), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        p = weighed.predict_proba(X)
        lower, upper = weighed.predict_proba_bounds(X)
        assert (lower <= p + 1e-12).all()
        assert (p <= upper + 1e-12).all()


def test_several_columns_of_labels():
    X, y = doubtful(60)
    both = np.column_stack([y, y[::-1]])
    with pytest.raises(ValueError, match="1d array"):
        CautiousForestClassifier(trees()).fit(X, both)
    grown = FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(X, both))
    with pytest.raises(ValueError, match="fitted on 2 columns of labels; fit one forest per"):
        CautiousForestClassifier(grown).fit(X, y)


@pytest.mark.parametrize(
    "boosted",
    [
        GradientBoostingClassifier(),
        HistGradientBoostingClassifier(),
        AdaBoostClassifier(),
        LogisticRegression(),
        BaggingClassifier(LogisticRegression()),
        FrozenEstimator(GradientBoostingClassifier()),
    ],
)
def test_without_counts(boosted):
    with pytest.raises(TypeError, match=r"estimator is a .*hold no class counts; give a"):
        CautiousForestClassifier(boosted).fit([[0.0]], [0])


def test_gaps():
    X, y = doubtful()
    X[::5, 0] = np.nan
    sets = CautiousForestClassifier(trees()).fit(X, y).predict_set(X)
    assert sets.any(axis=1).all()
    with pytest.raises(ValueError, match="infinity"):
        CautiousForestClassifier(trees()).fit(np.full((4, 1), np.inf), [0, 1, 0, 1])
