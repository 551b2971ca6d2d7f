"""The cascade: who answers what, who learns from what, and the odd cases."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_digits, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    PredefinedSplit,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cautious.decision import Rule, class_threshold_rule, threshold_rule
from cautious.metrics import selective_accuracy_score
from cautious.models import (
    CredalTreeClassifier,
    DelegatingClassifier,
    NaiveCredalClassifier,
)
from cautious.models.ensembles import best_thresholds


def doubtful(n=400, seed=0):
    return make_classification(
        n, n_informative=4, n_classes=3, flip_y=0.2, class_sep=0.8, random_state=seed
    )


def test_the_first_that_is_sure_answers():
    X, y = doubtful()
    model = DelegatingClassifier(
        [
            ("a", GaussianNB()),
            ("b", LogisticRegression()),
            ("c", DecisionTreeClassifier(max_depth=2)),
        ],
        rules=[0.9, 0.7, 0.6],
        train_on="all",
        last="abstain",
    ).fit(X, y)
    p = [estimator.predict_proba(X) for estimator in model.estimators_]
    decider = np.select(
        [q.max(axis=1) >= t for q, t in zip(p, [0.9, 0.7, 0.6], strict=True)], [0, 1, 2], -1
    )
    assert (model.decided_by(X) == decider).all()
    assert set(decider) == {-1, 0, 1, 2}
    sets = model.predict_set(X)
    for at in range(3):
        mine = decider == at
        assert (sets[mine] == threshold_rule(p[at][mine], 0)).all()
        np.testing.assert_array_equal(model.predict_proba(X)[mine], p[at][mine])
    assert sets[decider == -1].all()
    assert (model.predict(X)[decider == -1] == p[2][decider == -1].argmax(axis=1)).all()


def test_each_learns_from_what_was_delegated():
    X, y = doubtful()
    model = DelegatingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], rules=0.8)
    model.fit(X, y)
    # Fold by fold, the examples of each class in turn.
    rank = np.array([np.sum(y[:i] == y[i]) for i in range(400)])
    p = cross_val_predict(GaussianNB(), X, y, cv=PredefinedSplit(rank % 5), method="predict_proba")
    unsure = p.max(axis=1) < 0.8
    assert model.trained_on_ == [400, unsure.sum()]
    alone = LogisticRegression().fit(X[unsure], y[unsure])
    handed_on = model.decided_by(X) == 1
    np.testing.assert_allclose(model.predict_proba(X)[handed_on], alone.predict_proba(X[handed_on]))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    p = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    assert model.set_params(cv=folds).fit(X, y).trained_on_[1] == (p.max(axis=1) < 0.8).sum()
    seen = GaussianNB().fit(X, y).predict_proba(X)
    assert model.set_params(cv=None).fit(X, y).trained_on_[1] == (seen.max(axis=1) < 0.8).sum()
    everyone = DelegatingClassifier(model.estimators, rules=0.8, train_on="all").fit(X, y)
    assert everyone.trained_on_ == [400, 400]


def test_a_cascade_is_no_worse_than_its_members():
    # Logistic regression is sure of nearly all digits that it has learned from. A forest that
    # learned from the few others made the cascade worse than either (.933 of .972 and .969).
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    line = make_pipeline(StandardScaler(), LogisticRegression())
    forest = RandomForestClassifier(50, random_state=0)
    cascade = DelegatingClassifier([("line", line), ("forest", forest)])
    with pytest.warns(UserWarning, match=r"only \d+ of 1257 examples came down to 'forest'"):
        score = cascade.fit(X, y).score(X_test, y_test)
    assert cascade.trained_on_ == [1257, 1257]
    assert score >= max(m.fit(X, y).score(X_test, y_test) for m in (line, forest))


def test_few_examples_may_be_learned_from_if_that_is_said():
    X, y = doubtful()
    few = DelegatingClassifier([("a", GaussianNB()), ("b", GaussianNB())], rules=0.4)
    with pytest.warns(UserWarning, match="too few to learn from"):
        assert few.fit(X, y).trained_on_ == [400, 400]
    _, learned_from = few.set_params(min_delegated=5).fit(X, y).trained_on_
    assert 5 <= learned_from < 60


def test_an_empty_conformal_set_is_handed_on():
    class Shy(GaussianNB):
        def predict_set(self, X):
            return np.zeros((len(X), 3), dtype=bool)

    X, y = doubtful()
    model = DelegatingClassifier([("shy", Shy()), ("line", LogisticRegression())]).fit(X, y)
    assert model.trained_on_ == [400, 400]
    assert (model.decided_by(X) == 1).all()
    one = Shy().fit(X[y == 0], y[y == 0])  # knows one class, and does not name it
    one.predict_set = lambda rows: np.zeros((len(rows), 1), dtype=bool)
    frozen = [("one", FrozenEstimator(one)), ("line", LogisticRegression())]
    assert (DelegatingClassifier(frozen).fit(X, y).decided_by(X) == 1).all()


def test_cautious_stages_decide_by_themselves():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=150)
    X = np.where(rng.random((150, 4)) < 0.4, y[:, None], rng.integers(3, size=(150, 4)))
    model = DelegatingClassifier(
        [("tree", CredalTreeClassifier(s=4)), ("ncc", NaiveCredalClassifier())], train_on="all"
    ).fit(X, y)
    tree, ncc = (estimator.predict_set(X) for estimator in model.estimators_)
    sure = tree.sum(axis=1) == 1
    assert 0 < sure.sum() < 150
    assert (model.predict_set(X) == np.where(sure[:, None], tree, ncc)).all()
    undecided = ~sure & (ncc.sum(axis=1) > 1)
    assert (model.decided_by(X) == np.select([sure, undecided], [0, -1], 1)).all()
    assert selective_accuracy_score(y, model.predict_set(X), classes=[0, 1, 2]) > 0.5


def test_a_rule_of_ones_own():
    X, y = doubtful()
    rule = partial(class_threshold_rule, thresholds=[0.5, 0.9, 0.9])
    model = DelegatingClassifier(
        [("a", GaussianNB()), ("b", LogisticRegression())], rules=rule, train_on="all"
    ).fit(X, y)
    sure = rule(GaussianNB().fit(X, y).predict_proba(X)).sum(axis=1) == 1
    assert ((model.decided_by(X) == 0) == sure).all()


def test_stages_that_never_saw_a_class():
    # The first is sure of class "a", so that the second never learns of it.
    X = np.array([[0.0]] * 20 + [[5.0], [6.0]] * 10)
    y = np.array(["a"] * 20 + ["b", "c"] * 10)
    stump = DecisionTreeClassifier(max_depth=1)
    settings = {"rules": 0.9, "min_delegated": 20}
    model = DelegatingClassifier([("stump", stump), ("nb", GaussianNB())], **settings).fit(X, y)
    assert model.trained_on_ == [40, 20]
    assert model.estimators_[1].classes_.tolist() == ["b", "c"]
    assert model.predict([[0.0], [5.0], [6.0]]).tolist() == ["a", "b", "c"]
    assert model.predict_proba([[5.0]])[0, 0] == 0
    shy = DelegatingClassifier(
        [("stump", stump), ("dummy", DummyClassifier())], **settings, last="abstain"
    )
    assert shy.fit(X, y).predict_set([[5.0]]).tolist() == [[True, True, True]]


def test_frames_and_weights():
    X, y = doubtful(120)
    frame = pd.DataFrame(X).add_prefix("f")
    weight = np.random.default_rng(0).integers(1, 4, size=120)
    # Folds are cut by position, so that repetitions would fall into several.
    model = DelegatingClassifier([("a", GaussianNB()), ("b", GaussianNB())], rules=0.9, cv=None)
    weighted = model.fit(frame, y, sample_weight=weight).predict_proba(frame)
    repeated = model.fit(frame.loc[frame.index.repeat(weight)], np.repeat(y, weight))
    np.testing.assert_allclose(weighted, repeated.predict_proba(frame), atol=1e-9)
    assert model.feature_names_in_[0] == "f0"
    with sklearn.config_context(enable_metadata_routing=True):
        asking = GaussianNB().set_fit_request(sample_weight=True)
        model = DelegatingClassifier([("a", asking), ("b", asking)], rules=0.9, cv=None)
        routed = model.fit(frame, y, sample_weight=weight).predict_proba(frame)
    np.testing.assert_allclose(weighted, routed)


def test_rules_may_be_rules():
    X, y = doubtful()
    stages = [("a", GaussianNB()), ("b", LogisticRegression())]
    by_number = DelegatingClassifier(stages, rules=0.8, train_on="all").fit(X, y)
    rule = Rule.confidence(0.8, classes=[0, 1, 2])
    by_rule = DelegatingClassifier(stages, rules=rule, train_on="all").fit(X, y)
    assert (by_rule.decided_by(X) == by_number.decided_by(X)).all()


def cascade_cost(confidence, wrong, prices, weight, thresholds):
    """Mistakes and prices per case, case by case."""
    total = 0.0
    for c, w, often in zip(confidence, wrong, weight, strict=True):
        stage = next((i for i, t in enumerate(thresholds) if c[i] >= t), len(c) - 1)
        total += often * (w[stage] + prices[: stage + 1].sum())
    return total / weight.sum()


@pytest.mark.parametrize("seed", range(8))
def test_two_stages_are_tuned_exactly(seed):
    rng = np.random.default_rng(seed)
    confidence = rng.integers(1, 8, (30, 2)) / 8
    wrong = (rng.random((30, 2)) > confidence).astype(float)
    prices, weight = np.array([0.0, rng.random() / 2]), rng.integers(0, 3, 30) + 0.5
    (threshold,), cost = best_thresholds(confidence, wrong, prices, weight)
    every = [cascade_cost(confidence, wrong, prices, weight, [t]) for t in [*confidence[:, 0], 2.0]]
    assert cost == pytest.approx(min(every))
    assert cascade_cost(confidence, wrong, prices, weight, [threshold]) == pytest.approx(cost)


def test_no_threshold_of_three_stages_can_be_improved_alone():
    rng = np.random.default_rng(0)
    confidence = rng.random((60, 3))
    wrong = (rng.random((60, 3)) > confidence).astype(float)
    prices, weight = np.array([0.0, 0.05, 0.1]), np.ones(60)
    found, cost = best_thresholds(confidence, wrong, prices, weight)
    assert cascade_cost(confidence, wrong, prices, weight, found) == pytest.approx(cost)
    for at in range(2):
        for t in [*confidence[:, at], 2.0]:
            other = [*found[:at], t, *found[at + 1 :]]
            assert cascade_cost(confidence, wrong, prices, weight, other) >= cost - 1e-12


def test_a_tuned_cascade_asks_as_little_as_it_pays():
    X, y = doubtful(600)
    deep = DecisionTreeClassifier(max_depth=6, min_samples_leaf=5, random_state=0)
    stages = [("bayes", GaussianNB()), ("tree", deep)]
    cascade = DelegatingClassifier(stages, rules="tuned", train_on="all", cv=3)
    cheap = cascade.set_params(prices=[0, 0.02]).fit(X, y)
    asked, cost = np.mean(cheap.decided_by(X) == 1), cheap.tuned_cost_
    assert cheap.trained_on_ == [600, 600]
    dear = cascade.set_params(prices=[0, 0.3]).fit(X, y)
    assert np.mean(dear.decided_by(X) == 1) < asked
    assert dear.tuned_cost_ >= cost
    fixed = cascade.set_params(rules=0.8, prices=None).fit(X, y)
    assert not hasattr(fixed, "thresholds_")
    again = cascade.set_params(rules="tuned", prices=[0, 0.02])
    assert again.fit(X, y, sample_weight=np.ones(600)).tuned_cost_ == pytest.approx(cost)


def test_a_tuned_cascade_takes_splits_of_ones_own_and_weights_of_zero():
    X, y = doubtful(90)
    weight = np.random.default_rng(0).integers(0, 3, 90).astype(float)
    kept = np.flatnonzero(weight)
    fold = np.arange(90) % 3
    splits = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(3)]
    own = fold[kept]
    own_splits = [(np.flatnonzero(own != i), np.flatnonzero(own == i)) for i in range(3)]
    stages = [("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=2, random_state=0))]
    model = DelegatingClassifier(stages, rules="tuned", train_on="all", cv=splits)
    whole = model.fit(X, y, sample_weight=weight).tuned_cost_
    part = model.set_params(cv=own_splits).fit(X[kept], y[kept], sample_weight=weight[kept])
    assert part.tuned_cost_ == pytest.approx(whole)
    seen = model.set_params(cv=None).fit(X, y)
    assert seen.tuned_cost_ < 0.5


def test_a_rule_gives_sets():
    X, y = doubtful(60)
    model = DelegatingClassifier([("a", GaussianNB())], rules=lambda p: p, last="abstain")
    with pytest.raises(TypeError, match="the rule's answer"):
        model.fit(X, y).predict_set(X)
