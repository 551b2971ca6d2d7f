"""Predictions: the one way in.

Whatever predictions come from (a file, a frame, arrays, an estimator), this package settles which
column holds what, which classes there are and which one is positive, and checks every number and
every set. Everybody else takes its :class:`Predictions`.
"""

from cautious.predictions.columns import Columns, guess_columns
from cautious.predictions.data import ModelPredictions, Predictions
from cautious.predictions.estimators import (
    ask_folds,
    estimator_scores,
    outputs_of,
    pooled_outputs,
    pooled_scores,
)
from cautious.predictions.labels import (
    binary_classes,
    binary_truth,
    label_text,
    match_label,
    match_labels,
    plain_label,
    sorted_labels,
)
from cautious.predictions.probabilities import CheckedProbabilities, check_proba
from cautious.predictions.reader import read_predictions
from cautious.predictions.rules import page_rules

__all__ = [
    "CheckedProbabilities",
    "Columns",
    "ModelPredictions",
    "Predictions",
    "ask_folds",
    "binary_classes",
    "binary_truth",
    "check_proba",
    "estimator_scores",
    "guess_columns",
    "label_text",
    "match_label",
    "match_labels",
    "outputs_of",
    "page_rules",
    "plain_label",
    "pooled_outputs",
    "pooled_scores",
    "read_predictions",
    "sorted_labels",
]
