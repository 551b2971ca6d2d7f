"""Stand-ins from scikit-learn for the learners of Friedel, Rückert & Kramer (2006)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from cautious._typing import Floats, Labels
from cautious.experiments.laplace_tree import pruned_by_cross_validation
from cautious.models import NaiveCredalClassifier

__all__ = ["MixedNaiveBayes", "learners"]


def learners() -> dict[str, Any]:
    """Make the four learners that scikit-learn has something like; it has nothing like PART."""
    return {
        "J48": make_pipeline(
            _numbers(),
            pruned_by_cross_validation(
                DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
            ),
        ),
        "NB": MixedNaiveBayes(),
        "RF": make_pipeline(_numbers(), RandomForestClassifier(n_estimators=10)),
        "SVM": make_pipeline(
            _numbers(),
            MinMaxScaler(),
            CalibratedClassifierCV(SVC(kernel="linear"), ensemble=False, cv=3),
        ),
    }


def _numbers() -> Any:
    """Turn categories into indicators and fill gaps in numbers with the median."""
    category = make_column_selector(dtype_include="category")
    number = make_column_selector(dtype_include="number")
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), category),
        (SimpleImputer(strategy="median"), number),
    )


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Naive Bayes over numbers (normal densities) and categories at once, as WEKA's.

    .. math:: p(c | x, a) \propto p(c | x)\, p(c | a) / p(c)

    Missing categories are skipped; missing numbers are filled with the median.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"n": [1.0, 2, 8, 9], "c": pd.Categorical(["u", "u", "v", "u"])})
    >>> MixedNaiveBayes().fit(X, ["a", "a", "b", "b"]).predict(X).tolist()
    ['a', 'a', 'b', 'b']
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Fit both parts to a frame."""
        self.categories_ = X.select_dtypes("category").columns
        self.numbers_ = X.select_dtypes("number").columns
        self.classes_, counts = np.unique(np.asarray(y), return_counts=True)
        self.log_prior_ = np.log(counts / counts.sum())
        if len(self.numbers_):
            self.normal_ = make_pipeline(SimpleImputer(strategy="median"), GaussianNB())
            self.normal_.fit(X[self.numbers_], y)
        if len(self.categories_):
            self.discrete_ = NaiveCredalClassifier(s=2.0).fit(X[self.categories_], y)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Estimate class probabilities, columns in ``classes_`` order."""
        log_joint = np.tile(self.log_prior_, (len(X), 1))
        if len(self.numbers_):
            log_joint += self.normal_.predict_log_proba(X[self.numbers_]) - self.log_prior_
        if len(self.categories_):
            tiny = np.finfo(np.float64).tiny
            p = np.maximum(self.discrete_.predict_proba(X[self.categories_]), tiny)
            log_joint += np.log(p) - self.log_prior_
        joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Labels:
        """Name the most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
