"""How often the checks are repeated, and a classifier that is told what to say."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

LONG = 2000
"""Trials of every row of the honesty page."""


def runs(few, *, parts=1):
    """Give numbers of trials to run a check with: a few, and slowly all of them.

    A check that takes minutes is divided into parts, which run beside each other; the ledger puts
    their trials together.
    """
    each = [LONG // parts] * parts
    each[0] += LONG - sum(each)
    ids = [str(LONG)] if parts == 1 else [f"{LONG}.{part}" for part in range(1, parts + 1)]
    slow = (
        pytest.param(n, marks=pytest.mark.slow, id=name) for n, name in zip(each, ids, strict=True)
    )
    return [few, *slow]


class Told(ClassifierMixin, BaseEstimator):
    """Its first features are the class probabilities that it tells."""

    def __init__(self, n_classes, n_features):
        self.n_classes, self.n_features = n_classes, n_features

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.arange(self.n_classes), self.n_features
        return self

    def predict_proba(self, X):
        return np.asarray(X)[:, : self.n_classes]

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


def told(n_classes, n_features=None):
    """Give a fitted classifier whose probabilities are its first features."""
    return FrozenEstimator(Told(n_classes, n_features or n_classes).fit(None, None))
