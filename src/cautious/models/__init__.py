"""Classifiers that answer with sets of classes, as scikit-learn estimators.

``predict`` always names one class, so that everything made for scikit-learn keeps working; caution
is in ``predict_set``, a boolean mask with columns in ``classes_`` order. Credal models also bound
the class probabilities with ``predict_proba_bounds``. :func:`check_cautious_estimator` checks any
estimator against this contract.
"""

from cautious.models._base import CautiousClassifierMixin
from cautious.models.abstaining import (
    AbstainingClassifier,
    HierarchicalClassifier,
    NondeterministicClassifier,
    OrdinalClassifier,
)
from cautious.models.checks import check_cautious_estimator
from cautious.models.conformal import ConformalClassifier
from cautious.models.credal_tree import CredalTreeClassifier
from cautious.models.deferring import DeferringClassifier
from cautious.models.ensembles import CautiousEnsembleClassifier, DelegatingClassifier
from cautious.models.forests import CautiousForestClassifier
from cautious.models.naive_credal.classifier import NaiveCredalClassifier
from cautious.models.naive_credal.lazy import LazyNaiveCredalClassifier
from cautious.models.naive_credal.model_averaging import CredalModelAveragingClassifier
from cautious.models.nested_dichotomies import (
    NestedDichotomyClassifier,
    NestedDichotomyForestClassifier,
)
from cautious.models.novelty import NoveltyRefusingClassifier
from cautious.models.pipeline import CautiousPipeline, CautiousSearchCV, cross_val_predict_set
from cautious.models.score_calibration import ScoreCalibrator
from cautious.models.tuned_abstaining import (
    CertifiedAbstainingClassifier,
    TunedAbstainingClassifierCV,
)

__all__ = [
    "AbstainingClassifier",
    "CautiousClassifierMixin",
    "CautiousEnsembleClassifier",
    "CautiousForestClassifier",
    "CautiousPipeline",
    "CautiousSearchCV",
    "CertifiedAbstainingClassifier",
    "ConformalClassifier",
    "CredalModelAveragingClassifier",
    "CredalTreeClassifier",
    "DeferringClassifier",
    "DelegatingClassifier",
    "HierarchicalClassifier",
    "LazyNaiveCredalClassifier",
    "NaiveCredalClassifier",
    "NestedDichotomyClassifier",
    "NestedDichotomyForestClassifier",
    "NondeterministicClassifier",
    "NoveltyRefusingClassifier",
    "OrdinalClassifier",
    "ScoreCalibrator",
    "TunedAbstainingClassifierCV",
    "check_cautious_estimator",
    "cross_val_predict_set",
]
