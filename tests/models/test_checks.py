"""``check_cautious_estimator`` must catch each way of breaking the contract, and say which."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted, validate_data

from cautious.models import CautiousClassifierMixin, check_cautious_estimator


class Honest(CautiousClassifierMixin, BaseEstimator):
    """Names every class at least half as probable as the best one."""

    def fit(self, X, y):
        X = validate_data(self, X)
        self.base_ = GaussianNB().fit(X, y)
        self.classes_ = self.base_.classes_
        return self

    def _check(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False)

    def predict_proba(self, X):
        X = self._check(X)
        return self.base_.predict_proba(X)

    def predict_set(self, X):
        p = self.predict_proba(X)
        return p >= p.max(axis=1, keepdims=True) / 2

    def predict_proba_bounds(self, X):
        p = self.predict_proba(X)
        return 0.9 * p, 0.9 * p + 0.1


def everything(self, X):
    return np.ones((len(self._check(X)), 3), dtype=bool)


def honest_but(**methods):
    """Break the contract by some methods."""
    return type("Breaking", (Honest,), methods)()


def bounded(bounds):
    """Bound probabilities in a way of one's own."""
    return honest_but(predict_proba_bounds=lambda self, X: bounds(self.predict_proba(X)))


def set_to(sets):
    """Change honest sets."""
    return honest_but(predict_set=lambda self, X: sets(Honest.predict_set(self, X)))


def answering(predict):
    """Change honest answers."""
    return honest_but(predict=lambda self, X: predict(Honest.predict(self, X)))


def estimating(proba, **methods):
    """Change honest probabilities."""
    return honest_but(predict_proba=lambda self, X: proba(Honest.predict_proba(self, X)), **methods)


class Binary(Honest):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X, y):
        assert len(np.unique(y)) == 2
        return super().fit(X, y)


class Random(Honest):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        super().fit(X, y)
        self.shift_ = np.random.default_rng(self.random_state).random(len(self.classes_))
        return self

    def predict_set(self, X):
        p = self.predict_proba(X) + 0.1 * self.shift_
        return p >= p.max(axis=1, keepdims=True) / 2


class NotItself(Honest):
    def fit(self, X, y):
        super().fit(X, y)
        return None


class StrangeClasses(Honest):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self


class Forgetful(Honest):
    def predict_set(self, X):
        sets = super().predict_set(X)
        self.asked_ = getattr(self, "asked_", 0) + 1
        return sets | (self.asked_ % 2 == 0)


class Unsteady(Honest):
    runs = 0

    def fit(self, X, y):
        super().fit(X, y)
        Unsteady.runs += 1
        self.full_ = Unsteady.runs % 2 == 0
        return self

    def predict_set(self, X):
        return super().predict_set(X) | self.full_


class LostInPickling(Honest):
    def __getstate__(self):
        return {**super().__getstate__(), "wary_": True}

    def predict_set(self, X):
        return super().predict_set(X) | getattr(self, "wary_", False)


class Together(Honest):
    def predict_set(self, X):
        p = self.predict_proba(X)
        return p >= np.minimum(p.mean(axis=0), p.max(axis=1, keepdims=True))


class Meddler(Honest):
    def predict_set(self, X):
        sets = super().predict_set(X)
        X *= 1
        X[0, 0] += 1
        return sets


class FrameHater(Honest):
    def fit(self, X, y):
        self.full_ = self._is_odd(X, y)
        return super().fit(X, y)

    def _is_odd(self, X, y):
        return not isinstance(X, np.ndarray)

    def predict_set(self, X):
        return super().predict_set(X) | self.full_


class NumbersOnly(FrameHater):
    def _is_odd(self, X, y):
        return np.asarray(y).dtype.kind in "OU"


class CodesBack(Honest):
    def predict(self, X):
        answer = super().predict(X)
        if answer.dtype.kind in "OU":
            return np.searchsorted(self.classes_, answer)
        return answer


class FirstClassFirst(Honest):
    def predict_set(self, X):
        sets = super().predict_set(X)
        sets[:, 0] = True
        return sets


class SmallSamples(Honest):
    def fit(self, X, y):
        if len(X) < 100:
            raise ValueError("too few")
        return super().fit(X, y)


class NoBounds(Honest):
    predict_proba_bounds = property()


class NoClasses(Honest):
    @property
    def classes_(self):
        return self.base_.classes_

    @classes_.setter
    def classes_(self, value):
        pass


@pytest.mark.parametrize("model", [Honest(), Binary(), NoBounds(), NoClasses()])
def test_a_contract_kept_is_not_complained_about(model):
    check_cautious_estimator(model)


def test_an_estimator_may_depend_on_the_order_of_labels_if_it_says_so():
    check_cautious_estimator(Random(), label_order_matters=True)
    check_cautious_estimator(FirstClassFirst(), label_order_matters=True)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BaseEstimator(), "is not a classifier"),
        (honest_but(predict_set=property()), "has no predict_set"),
        (
            honest_but(predict_set=lambda self, X: np.ones((len(X), 3), dtype=bool)),
            "must raise NotFittedError before fit; it answered",
        ),
        (
            honest_but(predict_set=lambda self, X: self.base_.predict_proba(X) > 0),
            "must raise NotFittedError before fit; it raised AttributeError",
        ),
        (NotItself(), "fit must return"),
        (set_to(np.ndarray.tolist), "gave a list"),
        (set_to(lambda sets: sets.astype(int)), "dtype int64"),
        (set_to(lambda sets: sets[:, :2] | True), r"shape \(120, 2\), not \(n, K\) = \(120, 3\)"),
        (set_to(lambda sets: sets & (sets.sum(axis=1) > 1)[:, None]), "is empty"),
        (
            honest_but(predict_set=everything, _check=lambda self, X: check_is_fitted(self) or X),
            "a column too few",
        ),
        (StrangeClasses(), r"classes_ is \[2, 1, 0\]"),
        (answering(lambda answers: 0 * answers - 1), "names .*-1"),
        (answering(lambda answers: answers[:, None]), r"predict has shape \(120, 1\)"),
        (
            estimating(lambda p: p[:, :2], predict_set=everything),
            "predict_proba has shape",
        ),
        (estimating(lambda p: p + np.array([0.5, -0.5, 0]), predict_set=everything), "below 0"),
        (estimating(lambda p: 2 * p), "sum to 1"),
        (bounded(lambda p: p), r"must give \(lower, upper\)"),
        (bounded(lambda p: (p[:, :1], p)), "lower has shape"),
        (bounded(lambda p: (p - 1.5, p)), r"lower is not in \[0, 1\] in row 0"),
        (bounded(lambda p: (0.9 * p + 0.1, 0.9 * p)), "lower exceeds upper"),
        (bounded(lambda p: (0 * p, p)), "a lower bound is not reached"),
        (bounded(lambda p: (p, p**0)), "an upper bound is not reached"),
        (bounded(lambda p: (np.roll(p, 1, axis=1),) * 2), "predict_proba lies outside"),
        (Forgetful(), "when asked twice"),
        (Unsteady(), "when fitted again"),
        (LostInPickling(), "after pickling"),
        (Together(), "other rows are left out"),
        (Meddler(), "changed X"),
        (FrameHater(), "to a DataFrame"),
        (NumbersOnly(), "labels are strings"),
        (CodesBack(), "string labels back"),
        (FirstClassFirst(), "renamed in another order"),
        (SmallSamples(), "fails in cross_validate"),
    ],
    ids=lambda part: type(part).__name__ if isinstance(part, Honest) else "",
)
def test_each_breach_is_caught_and_named(model, message):
    with pytest.raises(AssertionError, match=message):
        check_cautious_estimator(model)
