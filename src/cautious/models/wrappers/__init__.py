"""Wrappers that make any probabilistic classifier cautious."""

from cautious.models.wrappers.abstaining import (
    AbstainingClassifier,
    NondeterministicClassifier,
    RandomMemberClassifier,
)
from cautious.models.wrappers.certified import CertifiedAbstainingClassifier
from cautious.models.wrappers.conformal import ConformalClassifier
from cautious.models.wrappers.deferring import DeferringClassifier
from cautious.models.wrappers.delegating import DelegatingClassifier
from cautious.models.wrappers.ensemble import CautiousEnsembleClassifier
from cautious.models.wrappers.novelty import NoveltyRefusingClassifier
from cautious.models.wrappers.structures import HierarchicalClassifier, OrdinalClassifier
from cautious.models.wrappers.tuned_abstaining import TunedAbstainingClassifierCV
from cautious.models.wrappers.unknown import UnknownClassClassifier

__all__ = [
    "AbstainingClassifier",
    "CautiousEnsembleClassifier",
    "CertifiedAbstainingClassifier",
    "ConformalClassifier",
    "DeferringClassifier",
    "DelegatingClassifier",
    "HierarchicalClassifier",
    "NondeterministicClassifier",
    "NoveltyRefusingClassifier",
    "OrdinalClassifier",
    "RandomMemberClassifier",
    "TunedAbstainingClassifierCV",
    "UnknownClassClassifier",
]
