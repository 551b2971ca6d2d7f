"""Classifiers that answer with sets of classes, as scikit-learn estimators.

``predict`` always names one class, so that everything made for scikit-learn keeps working; caution
is in ``predict_set``, a boolean mask with columns in ``classes_`` order. Credal models also bound
the class probabilities with ``predict_proba_bounds``. :func:`check_cautious_estimator` checks any
estimator against this contract.
"""

from cautious.models.base import CautiousClassifierMixin, CredalClassifierMixin
from cautious.models.calibrated_intervals import venn_abers
from cautious.models.checks import check_cautious_estimator
from cautious.models.credal_tree import CredalTreeClassifier
from cautious.models.discrete import ContinuousFeaturesWarning
from cautious.models.forests import CautiousForestClassifier, CautiousForestClassifierCV
from cautious.models.naive_credal import (
    CredalModelAveragingClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
    NaiveCredalClassifierCV,
)
from cautious.models.nested_dichotomies import (
    NestedDichotomyClassifier,
    NestedDichotomyForestClassifier,
)
from cautious.models.pipeline import CautiousPipeline, cross_val_predict_set, make_cautious_pipeline
from cautious.models.score_calibration import (
    at_temperature,
    find_temperature,
    isotonic_probabilities,
)
from cautious.models.wrappers import (
    AbstainingClassifier,
    CautiousEnsembleClassifier,
    CertifiedAbstainingClassifier,
    ConformalClassifier,
    DeferringClassifier,
    DelegatingClassifier,
    HierarchicalClassifier,
    NondeterministicClassifier,
    NoveltyRefusingClassifier,
    OrdinalClassifier,
    RandomMemberClassifier,
    TunedAbstainingClassifierCV,
    UnknownClassClassifier,
)

__all__ = [
    "AbstainingClassifier",
    "CautiousClassifierMixin",
    "CautiousEnsembleClassifier",
    "CautiousForestClassifier",
    "CautiousForestClassifierCV",
    "CautiousPipeline",
    "CertifiedAbstainingClassifier",
    "ConformalClassifier",
    "ContinuousFeaturesWarning",
    "CredalClassifierMixin",
    "CredalModelAveragingClassifier",
    "CredalTreeClassifier",
    "DeferringClassifier",
    "DelegatingClassifier",
    "HierarchicalClassifier",
    "LazyNaiveCredalClassifier",
    "NaiveCredalClassifier",
    "NaiveCredalClassifierCV",
    "NestedDichotomyClassifier",
    "NestedDichotomyForestClassifier",
    "NondeterministicClassifier",
    "NoveltyRefusingClassifier",
    "OrdinalClassifier",
    "RandomMemberClassifier",
    "TunedAbstainingClassifierCV",
    "UnknownClassClassifier",
    "at_temperature",
    "check_cautious_estimator",
    "cross_val_predict_set",
    "find_temperature",
    "isotonic_probabilities",
    "make_cautious_pipeline",
    "venn_abers",
]
