"""Calibrated probabilities: by definition, by venn-abers and by scikit-learn."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import expit, logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from cautious.models import ScoreCalibrator


def isotonic_probabilities(y, known, asked, **given):
    return ScoreCalibrator().fit(y, known, **given).predict_proba(asked)[:, 1]


def venn_abers(y, known, asked, **given):
    return ScoreCalibrator().fit(y, known, **given).predict_proba_bounds(asked)


def find_temperature(y, score, *, logits=False, **given):
    return ScoreCalibrator("temperature", logits=logits).fit(y, score, **given).temperature


def at_temperature(score, temperature, *, logits=False):
    known = ScoreCalibrator("temperature", logits=logits, temperature=temperature)
    return known.predict_proba(score)


@st.composite
def calibrations(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 25) | st.just(400))
    known = rng.integers(draw(st.sampled_from([3, 8, 40, 10**6])), size=n) / 4
    truth = (rng.random(n) < (known - known.min() + 0.5) / (np.ptp(known) + 1)).astype(int)
    elsewhere = rng.uniform(known.min() - 1, known.max() + 1, size=4)
    return truth, known, np.append(rng.choice(known, size=4), elsewhere)


@given(calibrations())
def test_bounds_by_one_regression_per_case(case):
    truth, known, asked = case
    found = venn_abers(truth, known, asked)
    np.testing.assert_allclose(found.lower[:, 0], 1 - found.upper[:, 1])
    for label, ours in ((0, found.lower[:, 1]), (1, found.upper[:, 1])):
        model = IsotonicRegression()
        expected = [
            model.fit(np.append(known, s), np.append(truth, label)).predict([s])[0] for s in asked
        ]
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


def test_equal_to_venn_abers():
    package = pytest.importorskip("venn_abers")
    rng = np.random.default_rng(0)
    p = rng.random(400).round(2)
    truth = (rng.random(400) < p**2).astype(int)
    asked = rng.random(200).round(3)
    theirs = package.VennAbers()
    theirs.fit(np.column_stack([1 - p, p]), truth)
    _, p0_p1 = theirs.predict_proba(np.column_stack([1 - asked, asked]))
    ours = venn_abers(truth, p, asked)
    np.testing.assert_allclose(np.column_stack([ours.lower[:, 1], ours.upper[:, 1]]), p0_p1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (([0, 2], [0.1, 0.2], [0.1]), "pos_label"),
        (([0, 1], [0.1], [0.1]), "y_true has 2 cases and y_score 1"),
        (([0, 1], [0.1, np.nan], [0.1]), "y_score is NaN in row 1"),
        (([], [], [0.1]), "y_true is empty; give at least one"),
        (([0], [0.1], [[0.1]]), "y_score has shape"),
    ],
)
def test_refusals(given, told):
    for ask in (isotonic_probabilities, venn_abers):
        with pytest.raises(ValueError, match=told):
            ask(*given)


def test_what_does_not_go_together():
    for params, told in (
        ({"method": "sigmoid"}, "method is 'sigmoid'; it must be one of 'isotonic', 'temperature'"),
        ({"logits": True}, "logits is given, which only method='temperature' takes"),
        ({"temperature": 2.0}, "temperature is given, which only method='temperature' takes"),
    ):
        with pytest.raises(ValueError, match=told):
            ScoreCalibrator(**params)
    with pytest.raises(NotFittedError, match="call fit"):
        ScoreCalibrator().predict_proba([0.5])
    with pytest.raises(ValueError, match="which bounds nothing"):
        ScoreCalibrator("temperature", temperature=2).predict_proba_bounds([0.5])
    for weight, told in (([1, 2], "take no weights"), ([0, 0], "sample_weight is zero in all")):
        with pytest.raises(ValueError, match=told):
            venn_abers([0, 1], [0.1, 0.2], [0.1], sample_weight=weight)


@given(calibrations())
def test_probabilities_lie_within_the_bounds(case):
    truth, known, asked = case
    bounds, p = venn_abers(truth, known, asked), isotonic_probabilities(truth, known, asked)
    assert (bounds.lower[:, 1] <= p + 1e-12).all()
    assert (p <= bounds.upper[:, 1] + 1e-12).all()


def test_only_the_order_of_scores_counts():
    truth, scores = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    endless = [-np.inf, 0.2, 0.3, 0.4, 0.7, np.inf]
    for ask in (isotonic_probabilities, lambda *given: venn_abers(*given).lower):
        np.testing.assert_array_equal(ask(truth, endless, [0.35]), ask(truth, scores, [0.35]))


def test_truths_may_be_any_labels():
    truth, scores = np.array([0, 0, 1, 0, 1, 1]), [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    named = np.array(["ill", "healthy"])[1 - truth]
    found = venn_abers(named, scores, [0.35], pos_label="ill")
    np.testing.assert_array_equal(found.upper, venn_abers(truth, scores, [0.35]).upper)
    with pytest.raises(ValueError, match="pos_label"):
        venn_abers(named, scores, [0.35])


@given(calibrations(), st.booleans())
def test_isotonic_probabilities_are_scikit_learns(case, weighted):
    truth, known, asked = case
    weight = np.random.default_rng(len(truth)).integers(1, 4, len(truth)) if weighted else None
    theirs = IsotonicRegression().fit(known, truth, sample_weight=weight)
    ours = isotonic_probabilities(truth, known, known, sample_weight=weight)
    np.testing.assert_allclose(ours, theirs.predict(known), atol=1e-12)
    found = isotonic_probabilities(truth, known, np.sort(asked), sample_weight=weight)
    assert (np.diff(found) >= 0).all()
    assert set(found) <= set(ours)


def test_isotonic_probabilities_jump_midway_and_take_labels():
    truth, scores = np.array([0, 1]), [0.0, 1.0]
    assert isotonic_probabilities(truth, scores, [0.4, 0.6, -9, 9]).tolist() == [0, 1, 0, 1]
    named = isotonic_probabilities(["ill", "well"], scores, [0.4], pos_label="ill")
    assert named.tolist() == [0.5]


def test_calibration_cases_of_one_class():
    for truth, pos_label, expected in (
        ([0, 0], 1, 0),
        ([0, 0], None, 0),
        (["no", "no"], "yes", 0),
        ([1, 1], 1, 1),
        ([0, 0], 0, 1),
        (["ill", "ill"], "ill", 1),
    ):
        found = isotonic_probabilities(truth, [0.1, 0.4], [0.2], pos_label=pos_label)
        assert found.tolist() == [expected]
    assert venn_abers([0, 0], [0.1, 0.4], [0.2], pos_label=1).lower[0, 1] == 0
    with pytest.raises(ValueError, match="every row has the truth 'well'; rows of two"):
        isotonic_probabilities(["well", "well"], [0.1, 0.4], [0.2], pos_label="ill")
    with pytest.raises(ValueError, match="pos_label is 'ill', but the classes are '0', '1'"):
        isotonic_probabilities([0, 0], [0.1, 0.4], [0.2], pos_label="ill")


def overconfident(n=400, k=3, seed=0, by=2.0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, k))
    p = softmax(z, axis=1)
    return (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=k - 1), by * z


def log_loss(y, z, t, weight):
    return weight @ (logsumexp(z / t, axis=1) - z[np.arange(len(y)), y] / t)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("by", [0.3, 2.0, 40.0])
def test_temperature_minimises_the_loss(k, by):
    y, z = overconfident(k=k, by=by)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    found = find_temperature(y, z, logits=True, sample_weight=weight)
    search = optimize.minimize_scalar(
        lambda log_t: log_loss(y, z, np.exp(log_t), weight), bounds=(-5, 6), method="bounded"
    )
    assert log_loss(y, z, found, weight) <= search.fun + 1e-9
    assert found == pytest.approx(np.exp(search.x), rel=1e-4)
    often = np.repeat(np.arange(len(y)), weight.astype(int))
    again = find_temperature(y[often], softmax(z, axis=1)[often], classes=range(k))
    assert again == pytest.approx(found, rel=1e-9)
    # Another temperature before, and the best one is found all the same.
    warm = at_temperature(z, 3.0, logits=True)
    assert find_temperature(y, warm, sample_weight=weight) == pytest.approx(found / 3, rel=1e-6)


def test_temperature_of_scikit_learn():
    y, z = overconfident()
    given = {"X": z, "y": y}
    try:
        scaled = CalibratedClassifierCV(
            FrozenEstimator(Logits().fit(**given)), method="temperature"
        )
        theirs = scaled.fit(**given).predict_proba(z)
    except ValueError:
        pytest.skip("scikit-learn has it from 1.8 on")
    ours = at_temperature(z, find_temperature(y, z, logits=True), logits=True)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


class Logits(ClassifierMixin, BaseEstimator):
    """Its rows are its logits."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def decision_function(self, X):
        return X

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]


def test_two_classes_by_one_column_and_by_name():
    y, z = overconfident(k=2)
    found = find_temperature(y, z, logits=True)
    odds = z[:, 1] - z[:, 0]
    names = np.array(["no", "yes"])
    p = expit(odds)
    assert find_temperature(y, odds, logits=True) == pytest.approx(found)
    assert find_temperature(1 - y, odds, logits=True, pos_label=0) == pytest.approx(found)
    assert find_temperature(names[y], p) == pytest.approx(found)
    frame = pd.DataFrame({"yes": z[:, 1], "no": z[:, 0]})
    assert find_temperature(names[y], frame, logits=True) == pytest.approx(found)
    two = at_temperature(odds, 1.0, logits=True)
    np.testing.assert_allclose(two, np.column_stack([1 - p, p]))


def test_what_is_impossible_stays_so():
    p = np.array([[0.6, 0.4, 0.0], [0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.7, 0.3, 0.0]])
    np.testing.assert_allclose(at_temperature(p, 2.0)[:, 2], 0)
    found = find_temperature([0, 0, 1, 1], p, classes=[0, 1, 2])
    assert found == pytest.approx(find_temperature([0, 0, 1, 1], p[:, :2]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([0, 1], [[0.9, 0.1], [0.2, 0.8]]), "prefers the true class in every case"),
        (([1, 0], [[0.9, 0.1], [0.2, 0.8]]), "no more about y_true than equal"),
        (([0, 1], [[1, 0], [1, 0]]), "true class probability 0 in row 1"),
        (([0, 1], [[0.9, 0.2], [0.2, 0.8]]), "y_score adds up to 1.1"),
        (([0, 1], [0.9, 1.2]), "y_score is 1.2 in row 1"),
    ],
)
def test_temperatures_that_are_none(given, message):
    with pytest.raises(ValueError, match=message):
        find_temperature(*given)


def test_temperatures_and_logits_that_are_none():
    for none in (0, -1, np.inf, np.nan, "hot", True, 10**400, Fraction(1, 10**400)):
        with pytest.raises(ValueError, match="temperature is"):
            at_temperature([[0.5, 0.5]], none)
    with pytest.raises(ValueError, match="give one finite logit"):
        at_temperature([[np.inf, 1.0]], 1.0, logits=True)
    with pytest.raises(ValueError, match="give one finite logit"):
        at_temperature(np.zeros((2, 0)), 2, logits=True)
    with pytest.raises(ValueError, match="there are no cases"):
        find_temperature([0, 1], [0.4, 0.6], sample_weight=[0, 0])
    for scores in ([0.4, 0.6], [[0.4, 0.6], [0.6, 0.4]]):
        with pytest.raises(ValueError, match="logits is 'no'; it must be an instance of 'bool'"):
            find_temperature([0, 1], scores, logits="no")


def test_extreme_temperatures_and_logits():
    assert at_temperature([[0.5, 0.3, 0.2]], 1e-309).tolist() == [[1, 0, 0]]
    assert at_temperature([[1e300, 0.0]], 1e-300, logits=True).tolist() == [[1, 0]]
    assert at_temperature([[-1e308, 1e308]], 1.0, logits=True).tolist() == [[0, 1]]
    # Right in two of three: the best probability is 2/3.
    for size in (1e-9, 1.0, 1e7, 1e200):
        z = size * np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        found = find_temperature([0, 1, 1], z, logits=True)
        assert found == pytest.approx(size / np.log(2), rel=1e-9)
    # One logit is far larger than all others.
    y, z = overconfident()
    y, z = np.append(y, 0), np.vstack([z, [1e12, 0, 0]])
    found = find_temperature(y, z, logits=True)
    assert found == pytest.approx(find_temperature(y[:-1], z[:-1], logits=True))
