"""Refusing what resembles no training case, apart from doubt."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.covariance import EllipticEnvelope
from sklearn.datasets import load_iris, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from cautious.models import (
    AbstainingClassifier,
    ConformalClassifier,
    NoveltyRefusingClassifier,
)


class Told(OutlierMixin, BaseEstimator):
    """Its score is the first column, whatever it was fitted on."""

    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def score_samples(self, X):
        return np.asarray(X, dtype=float)[:, 0]


def refusing(estimator=None, detector=None, **params):
    given = {"max_false_refusals": 0.2, "random_state": 0} | params
    return NoveltyRefusingClassifier(
        GaussianNB() if estimator is None else estimator,
        Told() if detector is None else detector,
        **given,
    )


scores = st.lists(st.integers(0, 6), min_size=1, max_size=20)


@given(scores, scores, st.sampled_from(["0.05", "0.1", "0.25", "0.5", "0.9"]))
def test_p_values_are_counts_with_ties_against_refusal(known, asked, share):
    X, y = np.array(known, dtype=float)[:, None], np.arange(len(known)) % 2
    detector, new = FrozenEstimator(Told().fit(X)), np.array(asked, dtype=float)[:, None]
    model = refusing(DummyClassifier(), detector, max_false_refusals=float(share))
    expected = [Fraction(1 + sum(s <= new for s in known), 1 + len(known)) for new in asked]
    if Fraction(1, 1 + len(known)) > Fraction(share):
        with pytest.raises(ValueError, match="too few to refuse anything"):
            model.fit(X, y)
        return
    model.fit(X, y)
    np.testing.assert_allclose(model.novelty_p_values(new), [float(p) for p in expected])
    assert model.is_novel(new).tolist() == [p <= Fraction(share) for p in expected]


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(12)), st.sampled_from([0.25, 0.4]))
def test_leave_one_out_false_refusals_never_exceed_the_limit(order, limit):
    # Of any cases, each in turn the new one: what exchangeability promises, counted in full.
    X, refused = np.array(order, dtype=float)[:, None] // 2, 0
    for row in range(12):
        rest = np.delete(X, row, axis=0)
        model = refusing(
            DummyClassifier(), FrozenEstimator(Told().fit(X)), max_false_refusals=limit
        )
        refused += int(model.fit(rest, np.arange(11) % 2).is_novel(X[[row]])[0])
    assert refused <= limit * 12


def test_per_class_a_case_must_be_strange_to_every_class():
    X = np.array([[0.0], [1], [2], [3], [10], [11], [12], [13]])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    detector = FrozenEstimator(Told().fit(X))
    together = refusing(detector=detector, max_false_refusals=0.2).fit(X, y)
    apart = refusing(detector=detector, max_false_refusals=0.2, per_class=True).fit(X, y)
    new = np.array([[-1.0], [0.5], [5.0]])
    np.testing.assert_allclose(together.novelty_p_values(new), [1 / 9, 2 / 9, 5 / 9])
    np.testing.assert_allclose(apart.novelty_p_values(new), [1 / 5, 2 / 5, 1])
    assert apart.is_novel(new).tolist() == [True, False, False]


def test_per_class_a_strange_class_is_not_refused_as_a_whole():
    X = np.append(np.arange(10.0), np.arange(100.0, 190.0))[:, None]
    y, new = np.arange(100) >= 10, np.arange(10)[:, None] - 0.5
    detector = FrozenEstimator(Told().fit(X))
    for per_class, refused in ((False, 10), (True, 1)):
        model = refusing(detector=detector, max_false_refusals=0.1, per_class=per_class)
        assert model.fit(X, y).is_novel(new).sum() == refused


@pytest.mark.parametrize(
    "detector",
    [
        IsolationForest(n_estimators=20, random_state=0),
        LocalOutlierFactor(novelty=True),
        OneClassSVM(gamma="scale"),
        EllipticEnvelope(random_state=0),
        KernelDensity(),
        GaussianMixture(3, random_state=0),
        make_pipeline(StandardScaler(), OneClassSVM()),
    ],
    ids=lambda detector: type(detector).__name__,
)
def test_any_detector_refuses_what_is_far_and_little_else(detector):
    X, y = make_blobs(600, centers=3, random_state=0)
    model = refusing(detector=detector, max_false_refusals=0.05).fit(X[:400], y[:400])
    far = X[:50] + 40
    assert model.is_novel(far).all()
    assert model.predict_set(far).all()
    assert model.is_novel(X[400:]).mean() < 0.15
    # The scores are the detector's own.
    own = model.detector_.score_samples(X[400:])
    assert (np.diff(model.novelty_p_values(X[400:])[np.argsort(own)]) >= 0).all()
    # Without novelty, the answers are the classifier's.
    seen = X[400:][~model.is_novel(X[400:])]
    expected = GaussianNB().fit(X[:400], y[:400])
    assert (model.predict_set(seen).argmax(axis=1) == expected.predict(seen)).all()
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_refusals_are_apart_from_doubt():
    X, y = load_iris(return_X_y=True)
    inner = AbstainingClassifier(GaussianNB(), "ratio", {"thresholds": [0.2] * 3})
    model = refusing(inner, IsolationForest(random_state=0), max_false_refusals=0.1).fit(X, y)
    new = np.vstack([X, X + 30])
    table = model.answer_shares(new, np.append(y, y), confidence_level=0.9)
    novel, sets = model.is_novel(new), model.predict_set(new)
    own = inner.fit(X, y).predict_set(new)
    assert (sets[~novel] == own[~novel]).all()
    size = np.where(novel, 0, own.sum(axis=1))
    expected = [(size == 1).sum(), (size == 2).sum(), (size == 3).sum(), novel.sum()]
    assert table["n"].tolist()[:4] == expected
    assert table["share"][:4].sum() == pytest.approx(1)
    wrong = (size == 1) & (own.argmax(axis=1) != np.append(y, y))
    assert table.loc["wrong", "n"] == wrong.sum()
    assert table.loc["wrong", "share"] == wrong.sum() / (size == 1).sum()
    exact = binomtest(int(novel.sum()), 300).proportion_ci(0.9)
    assert table.loc["refused as novel", ["low", "high"]].tolist() == pytest.approx(list(exact))


def test_labels_that_were_not_learned_are_mistakes_if_answered():
    X, y = make_blobs(300, centers=2, random_state=0)
    names = np.array(["ash", "elm"])
    model = refusing(detector=KernelDensity()).fit(X, names[y])
    table = model.answer_shares(X[:20], ["oak"] * 20)
    assert table.loc["wrong", "n"] == table.loc["answered", "n"] > 0
    mixed = model.answer_shares(X[:20], [7, "oak"] * 10)
    assert mixed.loc["wrong", "n"] == table.loc["answered", "n"]
    assert "wrong" not in model.answer_shares(X[:20]).index
    none = model.answer_shares(X[:5] + 90, ["oak"] * 5)
    assert np.isnan(none.loc["wrong", "share"])
    with pytest.raises(ValueError, match="y has 2 labels and X 20 rows"):
        model.answer_shares(X[:20], ["oak"] * 2)
    with pytest.raises(ValueError, match="confidence_level is 2"):
        model.answer_shares(X[:20], confidence_level=2)


@pytest.mark.parametrize(
    ("learned", "given", "message"),
    [
        (str, int, "y holds numbers, and the model has learned text, such as '0'; give labels as"),
        (int, str, "y holds text, and the model has learned numbers, such as 0; give labels as"),
    ],
)
def test_labels_of_another_kind_are_refused(learned, given, message):
    X, y = make_blobs(100, centers=2, random_state=0)
    model = refusing(detector=KernelDensity()).fit(X, y.astype(learned))
    assert model.answer_shares(X, y.astype(learned)).loc["wrong", "n"] < 20
    with pytest.raises(ValueError, match=message):
        model.answer_shares(X, y.astype(given))
    with pytest.raises(ValueError, match=r"y is missing \(None or NaN\) in row 1; leave out"):
        model.answer_shares(X[:3], [learned(0), None, learned(1)])


def test_the_classifier_learns_from_all_and_the_detector_from_a_part():
    X, y = make_blobs(100, centers=2, random_state=0)
    model = refusing(detector=LocalOutlierFactor(novelty=True), calibration_size=0.3).fit(X, y)
    assert model.detector_.n_samples_fit_ == 70
    assert len(model.calibration_scores_[0]) == 30
    fitted = GaussianNB().fit(X, y)
    np.testing.assert_array_equal(model.estimator_.theta_, fitted.theta_)
    kept = refusing(FrozenEstimator(fitted), calibration_size=0.3).fit(X, y)
    assert kept.estimator_.estimator is fitted


def test_rows_given_twice_are_no_new_cases():
    X, y = make_blobs(60, centers=2, random_state=0)
    with pytest.warns(UserWarning, match="calibration rows also occur among the training rows"):
        refusing(detector=KernelDensity()).fit(np.vstack([X, X]), np.append(y, y))


def test_weights_are_for_the_classifier():
    X, y = make_blobs(100, centers=2, cluster_std=4, random_state=0)
    weight = np.linspace(0, 3, 100)
    model = refusing(detector=KernelDensity()).fit(X, y, sample_weight=weight)
    expected = GaussianNB().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X))


def test_an_empty_conformal_set_is_no_answer():
    pytest.importorskip("mapie")
    X, y = make_blobs(400, centers=3, random_state=0)
    inner = ConformalClassifier(GaussianNB(), confidence_level=0.6, random_state=0)
    model = refusing(inner, KernelDensity()).fit(X, y)
    nothing = ~model.estimator_.predict_set(X).any(axis=1)
    assert nothing.any()
    assert model.predict_set(X)[nothing].all()


def test_gaps_go_to_the_detector():
    X, y = make_blobs(200, centers=2, random_state=0)
    X[np.random.default_rng(0).random(200) < 0.1, 0] = np.nan
    inner = HistGradientBoostingClassifier(max_iter=5)
    model = refusing(inner, IsolationForest(n_estimators=10, random_state=0)).fit(X, y)
    assert model.is_novel(X).shape == (200,)
    with pytest.raises(ValueError, match="NaN"):
        refusing(inner, OneClassSVM()).fit(X, y)
    filled = make_pipeline(HistGradientBoostingClassifier(max_iter=5))
    assert refusing(filled, IsolationForest(n_estimators=10, random_state=0)).fit(
        pd.DataFrame(X), y
    )


def test_constant_features():
    # Scores that are all alike tell nothing, and refuse nothing.
    same = refusing(LogisticRegression(), IsolationForest(n_estimators=5, random_state=0))
    assert not same.fit(np.ones((60, 2)), np.arange(60) % 2).is_novel([[9.0, 9.0]]).any()


def test_too_few_cases_say_how_many_are_needed():
    X, y = make_blobs(60, centers=3, random_state=0)
    with pytest.raises(
        ValueError, match=r"15 examples are .* max_false_refusals=0.05: at least 19"
    ):
        refusing(max_false_refusals=0.05).fit(X, y)
    refusing(max_false_refusals=0.05, calibration_size=0.32).fit(X, y)
    with pytest.raises(ValueError, match=r"0 examples of class 7 are there .* at least 4 "):
        refusing(per_class=True, calibration_size=0.5).fit(X, np.append(y[:-1], 7))


class Silent(Told):
    def score_samples(self, X):
        return np.full(len(X), np.nan)


class Square(Told):
    def score_samples(self, X):
        return np.zeros((len(X), 2))


def test_same_order_as_the_fallback_of_scikit_fallback():
    # Theirs refuses by the detector's own cut, which promises nothing; both go by one score.
    estimators = pytest.importorskip("skfb.estimators")
    X, y = make_blobs(400, centers=2, random_state=1)
    detector = IsolationForest(n_estimators=20, contamination=0.1, random_state=0)
    model = refusing(detector=detector, max_false_refusals=0.1).fit(X, y)
    theirs = estimators.AnomalyFallbackClassifier(model.estimator_, model.detector_)
    refused = theirs.predict(X).get_dense_fallback_mask()
    novel = model.is_novel(X)
    assert novel.any() and refused.any()  # noqa: PT018
    assert not (novel & ~refused).any() or not (refused & ~novel).any()


@pytest.mark.parametrize("detector", [Silent(), Square()])
def test_scores_are_one_number_per_row(detector):
    X, y = make_blobs(60, random_state=0)
    with pytest.raises(ValueError, match=r"shape \(15,.* for 15 rows, or are not all numbers"):
        refusing(detector=detector).fit(X, y)
