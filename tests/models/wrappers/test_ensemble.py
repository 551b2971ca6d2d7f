"""Ensembles that abstain: by spread and by votes, against plain loops."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cautious.models import (
    AbstainingClassifier,
    CautiousEnsembleClassifier,
)

PLAIN = [
    ("line", LogisticRegression()),
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
]
CAREFUL = [(name, AbstainingClassifier(one)) for name, one in PLAIN]


class Told(ClassifierMixin, BaseEstimator):
    """A member whose probabilities, and sets if it has any, are told beforehand."""

    def __init__(self, p, classes=None):
        self.p, self.classes = p, classes

    def fit(self, X, y):
        self.classes_ = np.arange(self.p.shape[1]) if self.classes is None else self.classes
        return self

    def predict_proba(self, X):
        return self.p[np.asarray(X)[:, 0].astype(int)]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class ToldSets(Told):
    def __init__(self, p, sets, classes=None):
        super().__init__(p, classes)
        self.sets = sets

    def predict_set(self, X):
        return self.sets[np.asarray(X)[:, 0].astype(int)]


def together(members, **params):
    n = len(members[0].p)
    X, y = np.arange(n)[:, None], np.arange(n) % members[0].p.shape[1]
    frozen = [(f"m{i}", FrozenEstimator(one.fit(X, y))) for i, one in enumerate(members)]
    return CautiousEnsembleClassifier(frozen, **params).fit(X, y), X


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 2.5]))
def test_spread_by_a_loop(seed, caution):
    rng = np.random.default_rng(seed)
    n, k, m = 12, int(rng.integers(2, 5)), int(rng.integers(1, 5))
    each = rng.dirichlet(np.ones(k), (m, n))
    model, X = together([Told(p) for p in each], caution=caution, threshold=0.4)
    sets, confidence = model.predict_set(X), model.confidence(X)
    for row in range(n):
        p = each[:, row].mean(axis=0)
        best = int(p.argmax())
        sure = p[best] - caution * np.sqrt(np.mean((each[:, row, best] - p[best]) ** 2))
        assert confidence[row] == pytest.approx(sure)
        assert sets[row].tolist() == [sure < 0.4 or j == best for j in range(k)]
        assert model.predict(X)[row] == best
    np.testing.assert_allclose(model.predict_proba(X), each.mean(axis=0))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([Fraction(n, 12) for n in (0, 4, 6, 9)]))
def test_votes_by_a_loop(seed, threshold):
    rng = np.random.default_rng(seed)
    n, k, m = 10, int(rng.integers(2, 5)), int(rng.integers(1, 7))
    p = rng.dirichlet(np.ones(k), (m, n))
    masks = rng.random((m, n, k)) < 0.5
    masks |= ~masks.any(axis=2, keepdims=True) & (np.arange(k) == 0)
    model, X = together(
        [ToldSets(*one) for one in zip(p, masks, strict=True)],
        rule="votes",
        threshold=float(threshold),
    )
    sets, shares = model.predict_set(X), model.vote_shares(X)
    for row in range(n):
        votes, silent = [Fraction(0)] * k, Fraction(0)
        for mask in masks[:, row]:
            if mask.all():
                silent += Fraction(1, m)
            else:
                for j in np.flatnonzero(mask):
                    votes[j] += Fraction(1, int(mask.sum()) * m)
        ahead = [j for j in range(k) if votes[j] == max(votes)]
        best, answered = ahead[0], len(ahead) == 1 and votes[ahead[0]] >= threshold
        assert model.predict(X)[row] == best
        even = [float(v + silent / k) for v in votes]
        np.testing.assert_allclose(model.predict_proba(X)[row], even, atol=1e-12)
        assert sets[row].tolist() == [not answered or j == best for j in range(k)]
        told = [float(v) for v in [*votes, silent]]
        np.testing.assert_allclose(shares.iloc[row], told, atol=1e-12)
    assert shares.columns.tolist() == [*range(k), None]


def test_abstentions_count_against_every_answer():
    p = np.array([[0.9, 0.1]])
    sure, silent = np.array([[True, False]]), np.array([[True, True]])
    for n_silent, answered in ((0, True), (2, True), (3, False)):
        members = [ToldSets(p, sure)] * 2 + [ToldSets(p, silent)] * n_silent
        model, X = together(members, rule="votes")
        assert (model.predict_set(X).sum(axis=1) == 1).tolist() == [answered]
        assert model.predict(X).tolist() == [0]


def test_a_tie_is_no_answer_whatever_the_threshold():
    p = np.array([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5], [0.9, 0.1]])
    left, right, both = [True, False], [False, True], [True, True]
    first = ToldSets(p, np.array([left, left, both, left]))
    second = ToldSets(p, np.array([right, left, both, both]))
    model, X = together([first, second], rule="votes", threshold=0)
    assert model.confidence(X).tolist() == [0, 1, 0, 0.5]
    assert model.predict_set(X).tolist() == [both, left, both, left]
    # Nor does a goal count ties as answers: of these four, two can be answered at most.
    with pytest.warns(UserWarning, match="keeps max_abstention=0.4 .* abstains on a share of 0.5"):
        hasty, _ = together([first, second], rule="votes", max_abstention=0.4)
    assert hasty.tuning_[:2] == (0.5, 0.5)
    # Truths 0, 1, 0, 1: guessing the ties would be right, and the answers are wrong.
    with pytest.warns(UserWarning, match=r"no threshold keeps max_error=0.5 .* abstains always"):
        assert together([first, second], rule="votes", max_error=0.5)[0].predict_set(X).all()
    with pytest.warns(UserWarning, match="keeps max_abstention=0 .* abstains always"):
        torn, _ = together([ToldSets(p, np.full((4, 2), True))], rule="votes", max_abstention=0)
    assert torn.predict_set(X).all()


def test_plain_members_vote_and_empty_sets_do_not():
    p = np.array([[0.9, 0.1], [0.3, 0.7]])
    nothing = np.zeros((2, 2), dtype=bool)
    model, X = together([Told(p), ToldSets(p, nothing)], rule="votes", threshold=0.5)
    assert model.vote_shares(X).to_numpy().tolist() == [[0.5, 0, 0.5], [0, 0.5, 0.5]]
    assert model.predict_set(X).tolist() == [[True, False], [False, True]]


def test_the_empty_set_of_a_member_with_one_class_is_no_vote():
    p = np.array([[0.9, 0.1], [0.9, 0.1]])
    lone = ToldSets(np.ones((2, 1)), np.array([[True], [False]]), np.array([1]))
    model, X = together([Told(p), lone], rule="votes")
    assert model.vote_shares(X).to_numpy().tolist() == [[0.5, 0.5, 0], [0.5, 0, 0.5]]
    assert model.predict_set(X).tolist() == [[True, True], [True, False]]


def test_a_member_may_lack_a_class():
    p2, p3 = np.full((3, 2), 0.5), np.array([[0.2, 0.2, 0.6]] * 3)
    model, X = together([Told(p3), Told(p2, np.array([0, 1]))])
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.predict_proba(X), [[0.35, 0.35, 0.3]] * 3)


def doubtful(n=500, seed=0):
    return make_classification(n, n_informative=4, n_classes=3, flip_y=0.2, random_state=seed)


@pytest.mark.parametrize("rule", ["spread", "votes"])
def test_goals_are_kept_on_out_of_fold_answers(rule):
    X, y = doubtful()
    members = CAREFUL if rule == "votes" else PLAIN
    goal = 0.6 if rule == "votes" else 0.3  # of half the cases all careful members abstain
    model = CautiousEnsembleClassifier(members, rule=rule, max_abstention=goal, cv=4).fit(X, y)
    assert model.tuning_.coverage >= 1 - goal
    if rule == "spread":  # votes come in few steps
        assert model.tuning_.coverage < 0.705
    held = np.empty(len(y))
    folds = StratifiedKFold(4)
    own = CautiousEnsembleClassifier(members, rule=rule, max_error=0.3, cv=folds).fit(X, y)
    right = np.empty(len(y), dtype=bool)
    for train, test in folds.split(X, y):
        part = CautiousEnsembleClassifier(members, rule=rule).fit(X[train], y[train])
        held[test], right[test] = part.confidence(X[test]), part.predict(X[test]) == y[test]
    answered = held >= own.threshold_ - 1e-12
    assert own.tuning_.coverage == pytest.approx(answered.mean())
    assert 1 - right[answered].mean() <= 0.3 + 1e-12
    # The next lower confidence would break the limit.
    for lower in np.unique(held[held < own.threshold_]):
        assert 1 - right[held >= lower].mean() > 0.3
    sets = own.predict_set(X)
    assert ((sets.sum(axis=1) == 1) == (own.confidence(X) >= own.threshold_ - 1e-12)).all()


def test_members_are_parameters():
    X, y = doubtful(120)
    search = GridSearchCV(
        CautiousEnsembleClassifier(PLAIN), {"caution": [0, 2], "tree__max_depth": [1, 3]}, cv=2
    ).fit(X, y)
    assert search.best_estimator_.get_params()["tree__max_depth"] in (1, 3)
    swapped = CautiousEnsembleClassifier(PLAIN).set_params(line=GaussianNB())
    assert isinstance(swapped.estimators[0][1], GaussianNB)


def test_lone_examples():
    lone = CautiousEnsembleClassifier([("line", LogisticRegression())], max_error=0.1)
    with pytest.raises(ValueError, match="no class has two examples"):
        lone.fit([[0.0], [1.0]], ["x", "y"])


def test_a_limit_that_cannot_be_kept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(3, size=90)
    model = CautiousEnsembleClassifier(CAREFUL, rule="votes", max_error=0.0)
    with pytest.warns(UserWarning, match="no threshold keeps max_error=0 "):
        model.fit(X, y)
    assert model.predict_set(X).all()
    constant = CautiousEnsembleClassifier(PLAIN[:1]).fit(np.ones((90, 1)), y)
    assert constant.predict_set([[1.0]]).all()


ALLOWED = r"give a list of \(name, classifier\)"


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"estimators": []}, ValueError, f"estimators is empty; {ALLOWED}"),
        ({"estimators": None}, TypeError, f"estimators is None, a NoneType; {ALLOWED}"),
        ({"estimators": dict(PLAIN)}, TypeError, f"estimators is {{'line': .*, a dict; {ALLOWED}"),
        ({"estimators": [GaussianNB()]}, TypeError, rf"holds GaussianNB\(\); {ALLOWED}"),
        ({"estimators": [(1, GaussianNB())]}, TypeError, rf"holds \(1, .*; {ALLOWED}"),
        (
            {"estimators": [("a", "drop")]},
            TypeError,
            f"estimators holds 'drop' under the name 'a'; {ALLOWED}.* Leave out",
        ),
        ({"estimators": [("a", GaussianNB)]}, TypeError, f"under the name 'a'; {ALLOWED}"),
        (
            {"estimators": [("svm", LinearSVC())]},
            TypeError,
            "'svm' of estimators is a LinearSVC, which has no predict_proba",
        ),
        (
            {"estimators": [("a", GaussianNB()), ("a", GaussianNB())]},
            ValueError,
            f"estimators has names .*not unique: .*'a'.*; {ALLOWED}.*, each with a name of its own",
        ),
        ({"threshold": 0.5, "max_error": 0.1}, ValueError, "threshold and max_error are given"),
    ],
)
def test_refusals(params, error, message):
    X, y = doubtful(60)
    with pytest.raises(error, match=message):
        CautiousEnsembleClassifier(**{"estimators": PLAIN} | params).fit(X, y)


@pytest.mark.parametrize("members", [None, [GaussianNB()], [("a", "drop")]])
def test_an_ensemble_that_cannot_be_fitted_can_be_shown(members):
    model = CautiousEnsembleClassifier(members)
    assert is_classifier(model)
    assert "CautiousEnsembleClassifier" in repr(model)
    assert "CautiousEnsembleClassifier" in model._repr_html_()
    with pytest.raises(TypeError, match=ALLOWED):
        model.get_metadata_routing()
