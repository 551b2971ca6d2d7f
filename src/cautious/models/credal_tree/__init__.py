"""The credal decision tree, over discrete features."""

from cautious.models.credal_tree.classifier import CredalTreeClassifier

__all__ = ["CredalTreeClassifier"]
