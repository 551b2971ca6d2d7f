"""Classifiers that answer with sets of classes, as scikit-learn estimators.

``predict`` always names one class, so that everything made for scikit-learn keeps working; caution
is in ``predict_set``, a boolean mask with columns in ``classes_`` order. Credal models also bound
the class probabilities with ``predict_proba_bounds``. :func:`check_cautious_estimator` checks any
estimator against this contract.
"""

from cautious.models.abstaining import AbstainingClassifier
from cautious.models.base import (
    CautiousClassifierMixin,
    ContinuousFeaturesWarning,
    CredalClassifierMixin,
)
from cautious.models.checks import check_cautious_estimator
from cautious.models.conformal import ConformalClassifier
from cautious.models.credal_model_averaging import CredalModelAveragingClassifier
from cautious.models.credal_tree import CredalTreeClassifier
from cautious.models.cross_validation import cross_val_predict_set
from cautious.models.delegating import DelegatingClassifier
from cautious.models.lazy_naive_credal import LazyNaiveCredalClassifier
from cautious.models.naive_credal import NaiveCredalClassifier
from cautious.models.naive_credal_cv import NaiveCredalClassifierCV
from cautious.models.nested_dichotomy import NestedDichotomyClassifier
from cautious.models.nested_dichotomy_forest import NestedDichotomyForestClassifier
from cautious.models.nondeterministic import NondeterministicClassifier
from cautious.models.tuned_abstaining import TunedAbstainingClassifierCV

__all__ = [
    "AbstainingClassifier",
    "CautiousClassifierMixin",
    "ConformalClassifier",
    "ContinuousFeaturesWarning",
    "CredalClassifierMixin",
    "CredalModelAveragingClassifier",
    "CredalTreeClassifier",
    "DelegatingClassifier",
    "LazyNaiveCredalClassifier",
    "NaiveCredalClassifier",
    "NaiveCredalClassifierCV",
    "NestedDichotomyClassifier",
    "NestedDichotomyForestClassifier",
    "NondeterministicClassifier",
    "TunedAbstainingClassifierCV",
    "check_cautious_estimator",
    "cross_val_predict_set",
]
