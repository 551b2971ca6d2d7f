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


class Unchecked(Honest):
    def predict_set(self, X):
        return np.ones((len(X), 3), dtype=bool)


class NeverFitted(Honest):
    def predict_set(self, X):
        return self.base_.predict_proba(X) > 0


class NoSets(Honest):
    predict_set = property()


class NotItself(Honest):
    def fit(self, X, y):
        super().fit(X, y)
        return None


class AsList(Honest):
    def predict_set(self, X):
        return super().predict_set(X).tolist()


class AsNumbers(Honest):
    def predict_set(self, X):
        return super().predict_set(X).astype(int)


class TooNarrow(Honest):
    def predict_set(self, X):
        return super().predict_set(X)[:, :2] | True


class Empty(Honest):
    def predict_set(self, X):
        return self.predict_proba(X) > 0.6


class AnyWidth(Honest):
    def predict_set(self, X):
        return np.ones((len(X), len(self.classes_)), dtype=bool) if self._fits(X) else None

    def _fits(self, X):
        check_is_fitted(self)
        return True


class StrangeClasses(Honest):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self


class Abstainer(Honest):
    def predict(self, X):
        return np.full(len(self.predict_proba(X)), -1)


class Column(Honest):
    def predict(self, X):
        return super().predict(X)[:, None]


class NarrowProba(Honest):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, :2]

    def predict_set(self, X):
        return np.ones((len(self._check(X)), 3), dtype=bool)


class NegativeProba(Honest):
    def predict_proba(self, X):
        return super().predict_proba(X) + np.array([0.5, -0.5, 0.0])

    def predict_set(self, X):
        return np.ones((len(self._check(X)), 3), dtype=bool)


class Unnormalised(Honest):
    def predict_proba(self, X):
        return 2 * super().predict_proba(X)


class OneBound(Honest):
    def predict_proba_bounds(self, X):
        return self.predict_proba(X)


class ShortBounds(Honest):
    def predict_proba_bounds(self, X):
        p = self.predict_proba(X)
        return p[:, :1], p


class LooseBounds(Honest):
    def predict_proba_bounds(self, X):
        p = self.predict_proba(X)
        return p - 1.5, p


class CrossedBounds(Honest):
    def predict_proba_bounds(self, X):
        lower, upper = super().predict_proba_bounds(X)
        return upper, lower


class UnreachedLower(Honest):
    def predict_proba_bounds(self, X):
        p = self.predict_proba(X)
        return np.zeros_like(p), p


class UnreachedUpper(Honest):
    def predict_proba_bounds(self, X):
        p = self.predict_proba(X)
        return p, np.ones_like(p)


class MissedBounds(Honest):
    def predict_proba_bounds(self, X):
        p = np.roll(self.predict_proba(X), 1, axis=1)
        return p, p


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
        self.full_ = not isinstance(X, np.ndarray)
        return super().fit(X, y)

    def predict_set(self, X):
        return super().predict_set(X) | self.full_


class NumbersOnly(Honest):
    def fit(self, X, y):
        self.full_ = np.asarray(y).dtype.kind in "OU"
        return super().fit(X, y)

    def predict_set(self, X):
        return super().predict_set(X) | self.full_


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
        (NoSets(), "has no predict_set"),
        (Unchecked(), "must raise NotFittedError before fit; it answered"),
        (NeverFitted(), "must raise NotFittedError before fit; it raised AttributeError"),
        (NotItself(), "fit must return"),
        (AsList(), "gave a list"),
        (AsNumbers(), "dtype int64"),
        (TooNarrow(), r"shape \(120, 2\), not \(n, K\) = \(120, 3\)"),
        (Empty(), "is empty"),
        (AnyWidth(), "a column too few"),
        (StrangeClasses(), r"classes_ is \[2, 1, 0\]"),
        (Abstainer(), "names .*-1"),
        (Column(), r"predict has shape \(120, 1\)"),
        (NarrowProba(), "predict_proba has shape"),
        (NegativeProba(), "below 0"),
        (Unnormalised(), "sum to 1"),
        (OneBound(), r"must give \(lower, upper\)"),
        (ShortBounds(), "lower has shape"),
        (LooseBounds(), r"lower is not in \[0, 1\] in row 0"),
        (CrossedBounds(), "lower exceeds upper"),
        (UnreachedLower(), "a lower bound is not reached"),
        (UnreachedUpper(), "an upper bound is not reached"),
        (MissedBounds(), "predict_proba lies outside"),
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
