"""Conformal sets from the real MAPIE, as an estimator among others."""

import math
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from cautious.metrics import MEASURES, make_set_scorer
from cautious.models import CautiousPipeline, ConformalClassifier
from cautious.models.wrapper import set_aside
from cautious.sets import as_mask

mapie = pytest.importorskip("mapie.classification")


def doubtful(n=600, seed=0):
    return make_classification(
        n, n_informative=4, n_classes=3, flip_y=0.2, class_sep=0.8, random_state=seed
    )


@pytest.mark.parametrize("score", ["lac", "aps", "top_k"])
def test_split_sets_are_mapies(score):
    X, y = doubtful()
    model = ConformalClassifier(GaussianNB(), conformity_score=score, random_state=0).fit(X, y)
    train, held = set_aside(len(y), 0.25, 0)
    base = GaussianNB().fit(X[train], y[train])
    theirs = mapie.SplitConformalClassifier(
        base, confidence_level=0.9, conformity_score=score, prefit=True, random_state=0
    ).conformalize(X[held], y[held])
    sets = theirs.predict_set(X)[1][:, :, 0]
    assert (model.predict_set(X) == sets).all()
    np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X))


@pytest.mark.parametrize("score", ["lac", "aps", "top_k", "raps"])
def test_a_class_that_was_not_shown_conforms_least(score):
    X, y = doubtful(800)
    y = np.where(np.arange(800) % 40 == 0, 3, y)  # one class more, of 20 cases
    base = FrozenEstimator(GaussianNB().fit(X[y < 3], y[y < 3]))
    made = {"conformity_score": score, "random_state": 0, "confidence_level": 0.8}
    model = ConformalClassifier(base, **made).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(model.predict_proba(X)[:, 3], 0)
    sets = model.predict_set(X)
    assert not sets[:, 3].any()
    held = sets[np.arange(800), y]
    # Without those cases, the same number of scores must be reached: 641 of 780, not of 800.
    if score == "lac":
        p = base.predict_proba(X)
        own = y < 3
        scores = np.append(1 - p[own, y[own]], np.full(20, np.inf))
        limit = np.sort(scores)[np.ceil(801 * 0.8).astype(int) - 1]
        np.testing.assert_array_equal(sets[:, :3], 1 - p <= limit)
    assert held.mean() >= (0.8 if score != "raps" else 0.78)
    # More such cases than may be missed leave nothing but the set of all classes.
    with pytest.warns(UserWarning, match="800 .* on, 20 of them of a class .* too few for conf"):
        strict = ConformalClassifier(base, **(made | {"confidence_level": 0.98})).fit(X, y)
    assert strict.predict_set(X).all()


def test_classes_that_were_not_shown_within_classes_and_groups():
    X, y = doubtful(800)
    y = np.where(np.arange(800) % 40 == 0, 3, y)
    base = FrozenEstimator(GaussianNB().fit(X[y < 3], y[y < 3]))
    with pytest.warns(UserWarning, match="class 3 has 20, 20 of them of a class that"):
        sets = ConformalClassifier(base, class_conditional=True).fit(X, y).predict_set(X)
    assert sets[:, 3].all()
    assert not sets[:, :3].all()
    by_sign = ConformalClassifier(
        base, confidence_level=0.8, groups=lambda rows: np.asarray(rows)[:, 0] > 0
    )
    sets = by_sign.fit(X, y).predict_set(X)
    for own in (X[:, 0] > 0, X[:, 0] <= 0):
        assert sets[own, y[own]].mean() >= 0.8


def test_labels_that_the_estimator_does_not_know_at_all_are_refused():
    X, y = doubtful(100)
    model = ConformalClassifier(FrozenEstimator(GaussianNB().fit(X, y)))
    with pytest.raises(ValueError, match="no label that the estimator knows"):
        model.fit(X, y.astype(str))


def test_a_part_of_one_class_is_said():
    X = np.arange(6.0)[:, None]
    model = ConformalClassifier(LogisticRegression(), calibration_size=0.8, random_state=0)
    with (
        pytest.warns(UserWarning, match="the 2 examples that .* are all of class 0, so it knows"),
        pytest.warns(UserWarning, match="too few for confidence_level"),
    ):
        model.fit(X, [0, 0, 0, 0, 0, 1])
    assert model.predict_set(X).all()


def test_cross_sets_are_mapies():
    X, y = doubtful(300)
    model = ConformalClassifier(GaussianNB(), method="cross", cv=4, random_state=0).fit(X, y)
    theirs = mapie.CrossConformalClassifier(
        GaussianNB(), confidence_level=0.9, cv=4, random_state=0
    ).fit_conformalize(X, y)
    sets = theirs.predict_set(X)[1][:, :, 0]
    assert (model.predict_set(X) == sets).all()
    np.testing.assert_allclose(model.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


class Flat(ClassifierMixin, BaseEstimator):
    """Hesitates about the rows that it knows to be hard."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        hard = np.asarray(X)[:, :1] > 0
        sure = np.array([0.98, 0.01, 0.01])
        return np.where(hard, np.array([0.34, 0.33, 0.33]), sure)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.parametrize(
    ("empty", "expected"),
    [("wrong", [False] * 3), ("abstain", [True] * 3), ("best", [True, False, False])],
)
def test_empty_sets_mean_what_was_said(empty, expected):
    # Held out, every row is easy and right, so that nothing conforms in a hard one.
    X, y = np.zeros((100, 1)), np.append(np.zeros(98), [1, 2]).astype(int)
    model = ConformalClassifier(Flat(), empty=empty, random_state=0).fit(X, y)
    assert not model.mapie_.predict_set(model.predict_proba(np.ones((1, 1))))[1].any()
    assert model.predict_set(np.ones((1, 1))).tolist() == [expected]
    assert model.predict(np.ones((1, 1))).tolist() == [0]


def test_an_empty_set_is_a_miss_unless_said_otherwise():
    # As MAPIE counts: on easy data many sets at a low level are empty, and the promise needs them.
    X, y = load_digits(return_X_y=True)
    model = ConformalClassifier(GaussianNB(), confidence_level=0.8, random_state=0)
    sets = model.fit(X[:1000], y[:1000]).predict_set(X[1000:])
    assert not sets.any(axis=1).all()
    contained = MEASURES["containment"].score(y[1000:], sets, empty="wrong")
    assert contained == sets[np.arange(len(sets)), y[1000:]].mean()
    assert make_set_scorer("containment")(model, X[1000:], y[1000:]) == contained
    pipeline = CautiousPipeline.from_steps(StandardScaler(), model)
    scores = cross_val_score(pipeline, X, y, scoring=make_set_scorer("containment"), cv=3)
    assert (scores < 0.95).all()
    with pytest.raises(ValueError, match="empty prediction set"):
        MEASURES["containment"].score(y[1000:], sets)
    abstaining = model.set_params(empty="abstain").fit(X[:1000], y[:1000])
    assert MEASURES["containment"].score(y[1000:], abstaining.predict_set(X[1000:])) > contained


@pytest.mark.parametrize("score", ["lac", "aps", "top_k"])
@pytest.mark.parametrize(
    ("n", "level", "possible"),
    [(8, 0.9, False), (9, 0.9, True), (10, 0.9, True), (19, 0.95, True), (18, 0.95, False)],
)
def test_levels_are_exact(n, level, possible, score):
    # Nine scores and a tenth: nine times out of ten the last is not the largest.
    X, y = doubtful(300)
    base = FrozenEstimator(GaussianNB().fit(X[n:], y[n:]))
    model = ConformalClassifier(base, confidence_level=level, conformity_score=score)
    if possible:
        assert model.fit(X[:n], y[:n]).mapie_ is not None
        # Of three ranks the largest that occurs is usually the third.
        assert score == "top_k" or not model.predict_set(X).all()
    else:
        with pytest.warns(UserWarning, match=f"too few for confidence_level {level}"):
            model.fit(X[:n], y[:n])
        assert model.predict_set(X).all()


@pytest.mark.parametrize(("n", "k"), [(9, 9), (10, 10), (29, 27), (39, 36), (40, 37)])
def test_the_kth_smallest_score_decides(n, k):
    X, y = doubtful(300)
    fitted = GaussianNB().fit(X[n:], y[n:])
    model = ConformalClassifier(FrozenEstimator(fitted), confidence_level=0.9).fit(X[:n], y[:n])
    scores = np.sort(1 - fitted.predict_proba(X[:n])[np.arange(n), y[:n]])
    assert k == math.ceil(Fraction(9, 10) * (n + 1))
    expected = 1 - fitted.predict_proba(X) <= scores[k - 1] + 1e-8
    assert (model.predict_set(X) == expected).all()


def test_raps_needs_more():
    X, y = doubtful(300)
    base = FrozenEstimator(GaussianNB().fit(X[150:], y[150:]))
    model = ConformalClassifier(base, conformity_score="raps", random_state=0)
    with pytest.warns(UserWarning, match="too few for confidence_level 0.9"):
        assert model.fit(X[:60], y[:60]).predict_set(X).all()
    assert not model.fit(X[:150], y[:150]).predict_set(X).all()


def test_probabilities_that_are_missing_are_refused():
    class Broken(Flat):
        def predict_proba(self, X):
            return np.full((len(X), 3), np.nan)

    X, y = doubtful(60)
    with pytest.raises(ValueError, match=r"predict_proba\(X\)"):
        ConformalClassifier(Broken()).fit(X, y)


def test_weights_reach_the_estimator():
    X, y = doubtful(200)
    weight = np.linspace(0.1, 3, 200)
    for method in ("split", "cross"):
        model = ConformalClassifier(GaussianNB(), method=method, random_state=0)
        plain = model.fit(X, y).predict_proba(X)
        weighted = model.fit(X, y, sample_weight=weight).predict_proba(X)
        assert np.abs(plain - weighted).max() > 1e-3


def test_without_mapie_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mapie", None)
    monkeypatch.delitem(sys.modules, "mapie.classification", raising=False)
    X, y = doubtful(60)
    with pytest.raises(ImportError, match=r"cautious\[conformal\]"):
        ConformalClassifier(GaussianNB()).fit(X, y)


def test_a_generator_as_seed():
    X, y = doubtful(120)
    sets = [
        ConformalClassifier(GaussianNB(), random_state=np.random.default_rng(3))
        .fit(X, y)
        .predict_set(X)
        for _ in range(2)
    ]
    assert (sets[0] == sets[1]).all()


# Promises within classes and groups.


def by_hand(p, truth, rows, level):
    """A class belongs to a set where its score is among the k smallest of its cell."""
    k = math.ceil(Fraction(str(level)) * (len(truth) + 1))
    if k > len(truth):
        return np.ones(rows.shape, dtype=bool)
    scores = np.sort(1 - p[np.arange(len(truth)), truth])
    return 1 - rows <= scores[k - 1] + 1e-8


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_every_class_is_conformalised_on_its_own(level):
    X, y = doubtful(600)
    base = GaussianNB().fit(X[:200], y[:200])
    model = ConformalClassifier(
        FrozenEstimator(base), class_conditional=True, confidence_level=level
    ).fit(X[200:500], y[200:500])
    p, rows = base.predict_proba(X[200:500]), base.predict_proba(X)
    sets = model.predict_set(X)
    for k in range(3):
        own = y[200:500] == k
        expected = by_hand(p[own], y[200:500][own], rows, level)
        assert (sets[:, k] == expected[:, k]).all()


def test_classes_and_groups_are_those_of_crepes():
    # Where (n + 1) times the level is whole, crepes takes one score more than the promise needs.
    crepes = pytest.importorskip("crepes")
    X, y = doubtful(900)
    base, fit, new = GaussianNB().fit(X[:300], y[:300]), slice(300, 700), slice(700, 900)
    theirs = crepes.WrapClassifier(base)

    def side(rows):
        return (np.asarray(rows)[:, 0] > 0).astype(int)

    for ours, other in (
        ({"class_conditional": True}, {"class_cond": True}),
        ({"groups": side}, {"mc": side}),
    ):
        theirs.calibrate(X[fit], y[fit], **other)
        expected = theirs.predict_set(X[new], confidence=0.873, smoothing=False)
        model = ConformalClassifier(FrozenEstimator(base), confidence_level=0.873, **ours)
        sets = model.fit(X[fit], y[fit]).predict_set(X[new])
        assert (sets == as_mask(expected, [0, 1, 2], empty="wrong")).all()


@pytest.mark.parametrize("score", ["lac", "aps", "top_k"])
def test_groups_are_columns(score):
    X, y = doubtful(600)
    frame = pd.DataFrame(X).assign(region=np.where(X[:, 0] > 0, "east", "west"))
    base = FrozenEstimator(OnNumbers().fit(frame[:200], y[:200]))
    model = ConformalClassifier(base, groups="region", conformity_score=score, random_state=0)
    sets = model.fit(frame[200:500], y[200:500]).predict_set(frame)
    for region, rows in frame.groupby("region").groups.items():
        own = [row for row in rows if 200 <= row < 500]
        alone = ConformalClassifier(base, conformity_score=score, random_state=0)
        expected = alone.fit(frame.loc[own], y[own]).predict_set(frame.loc[rows])
        assert (sets[rows] == expected).all(), region
    # Nothing is known of a group that was not seen.
    assert model.predict_set(frame[:5].assign(region="north")).all()
    for no_column in ("country", [["region"]]):
        with pytest.raises(ValueError, match="no column of X"):
            model.set_params(groups=no_column).fit(frame, y)
    with pytest.raises(ValueError, match="one group per row"):
        model.set_params(groups=lambda rows: [1]).fit(frame, y)


class OnNumbers(GaussianNB):
    """Looks at the columns that are numbers."""

    def fit(self, X, y):
        return super().fit(X.select_dtypes("number").to_numpy(), y)

    def predict_proba(self, X):
        return super().predict_proba(X.select_dtypes("number").to_numpy())


def test_too_few_examples_of_a_class_leave_it_in_every_set():
    X, y = doubtful(600)
    rare = np.flatnonzero(y == 2)[5:]
    X, y = np.delete(X, rare, axis=0), np.delete(y, rare)
    model = ConformalClassifier(GaussianNB(), class_conditional=True, random_state=0)
    with pytest.warns(UserWarning, match="class 2 has 2"):
        sets = model.fit(X, y).predict_set(X)
    assert sets[:, 2].all()
    assert not sets[:, :2].all()
    both = model.set_params(groups=lambda rows: np.asarray(rows)[:, 0] > 0)
    with pytest.warns(UserWarning, match="class 2 of group"):
        assert both.fit(X, y).predict_set(X)[:, 2].all()


def test_logits_and_temperature():
    X, y = doubtful(400)
    plain = ConformalClassifier(LogisticRegression(), random_state=0).fit(X, y)
    by_logits = ConformalClassifier(LogisticRegression(), logits=True, random_state=0).fit(X, y)
    np.testing.assert_allclose(by_logits.predict_proba(X), plain.predict_proba(X))
    assert (by_logits.predict_set(X) == plain.predict_set(X)).all()
    warm = ConformalClassifier(LogisticRegression(), temperature=2, random_state=0).fit(X, y)
    warm_logits = clone(warm).set_params(logits=True).fit(X, y)
    np.testing.assert_allclose(warm.predict_proba(X), warm_logits.predict_proba(X))
    assert warm.predict_proba(X).max() < plain.predict_proba(X).max()
    two = y < 2
    margins = ConformalClassifier(LinearSVC(), logits=True, random_state=0).fit(X[two], y[two])
    assert margins.predict_proba(X).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("params", [{}, {"class_conditional": True}, {"conformity_score": "aps"}])
def test_sets_of_probabilities_are_those_of_their_estimator(params):
    X, y = doubtful()
    base = GaussianNB().fit(X[:200], y[:200])
    p, names = base.predict_proba(X), np.array(["ash", "elm", "oak"])
    params = {"random_state": 0, **params}
    own = ConformalClassifier(FrozenEstimator(base), **params).fit(X[200:], y[200:])
    given = ConformalClassifier.from_predictions(names[y[200:]], p[200:], classes=names, **params)
    np.testing.assert_array_equal(given.predict_set(p), own.predict_set(X))
    np.testing.assert_array_equal(given.predict(p), names[own.predict(X)])
    logits = ConformalClassifier.from_predictions(y[200:], np.log(p[200:]), logits=True, **params)
    np.testing.assert_array_equal(logits.predict_set(np.log(p)), own.predict_set(X))


def test_refused_logits_are_told_how_to_be_taken():
    z = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match=r"no probability.* say so with logits=True"):
        ConformalClassifier.from_predictions(np.arange(60) % 2, z)
    with pytest.raises(ValueError, match="y_proba has shape"):
        ConformalClassifier.from_predictions([0, 1], [0.2, 0.9])
