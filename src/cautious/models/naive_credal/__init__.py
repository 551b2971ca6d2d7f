"""The naive credal classifier and its relatives, over discrete features."""

from cautious.models.naive_credal.classifier import NaiveCredalClassifier, NaiveCredalClassifierCV
from cautious.models.naive_credal.lazy import LazyNaiveCredalClassifier
from cautious.models.naive_credal.model_averaging import CredalModelAveragingClassifier

__all__ = [
    "CredalModelAveragingClassifier",
    "LazyNaiveCredalClassifier",
    "NaiveCredalClassifier",
    "NaiveCredalClassifierCV",
]
