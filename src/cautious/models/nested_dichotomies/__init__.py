"""Nested dichotomies: trees of binary credal classifiers over many classes."""

from cautious.models.nested_dichotomies.classifiers import (
    NestedDichotomyClassifier,
    NestedDichotomyForestClassifier,
)

__all__ = ["NestedDichotomyClassifier", "NestedDichotomyForestClassifier"]
