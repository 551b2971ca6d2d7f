"""Cautious forests: ensembles of trees whose leaves know how few examples they have seen."""

from cautious.models.forests.chosen_strength import CautiousForestClassifierCV
from cautious.models.forests.classifier import CautiousForestClassifier

__all__ = ["CautiousForestClassifier", "CautiousForestClassifierCV"]
