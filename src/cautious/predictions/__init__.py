"""Predictions: the one way in.

Whatever predictions come from (a file, a frame, arrays, an estimator), this package settles which
column holds what, which classes there are and which one is positive, and checks every number and
every set. Everybody else takes its :class:`Predictions`.

:func:`read_predictions` reads everything that fits in memory. For what comes in pieces,
:mod:`cautious.logs` uses the same parts: :func:`guess_columns` for the roles of columns,
:class:`DelimitedText` for text files in blocks, and the functions of
:mod:`cautious.predictions.cells` for labels, numbers, weights, memberships and written sets of one
record batch. Word lists and refusals are data (:mod:`cautious.predictions.rules`), which the page
gets as JSON from :func:`page_rules`.
"""

from cautious.predictions.alignment import align
from cautious.predictions.cells import (
    Encoded,
    Numbers,
    check_numbers,
    check_weights,
    encode_labels,
    memberships,
    parse_sets,
    plain_labels,
    read_numbers,
    set_mask,
)
from cautious.predictions.columns import Columns, guess_columns, prefixed
from cautious.predictions.data import ModelPredictions, Predictions
from cautious.predictions.delimited import DelimitedText, open_text
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
from cautious.predictions.rules import page_rules, refusal

__all__ = [
    "CheckedProbabilities",
    "Columns",
    "DelimitedText",
    "Encoded",
    "ModelPredictions",
    "Numbers",
    "Predictions",
    "align",
    "ask_folds",
    "binary_classes",
    "binary_truth",
    "check_numbers",
    "check_proba",
    "check_weights",
    "encode_labels",
    "estimator_scores",
    "guess_columns",
    "label_text",
    "match_label",
    "match_labels",
    "memberships",
    "open_text",
    "outputs_of",
    "page_rules",
    "parse_sets",
    "plain_label",
    "plain_labels",
    "pooled_outputs",
    "pooled_scores",
    "prefixed",
    "read_numbers",
    "read_predictions",
    "refusal",
    "set_mask",
    "sorted_labels",
]
