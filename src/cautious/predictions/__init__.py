"""Predictions: the one way in.

Whatever predictions come from (a file, a frame, arrays, an estimator), this package settles which
column holds what, which classes there are and which one is positive, and checks every number and
every set. Everybody else takes its :class:`Predictions`.

:func:`read_predictions` reads everything that fits in memory. For what comes in pieces,
:mod:`cautious.logs` uses the same parts: ``guess_columns`` for the roles of columns,
``DelimitedText`` for text files in blocks, and the functions of
:mod:`cautious.predictions.cells` and :mod:`cautious.predictions.columns` for labels, numbers,
weights and sets of one record batch. Word lists and refusals are data
(:mod:`cautious.predictions.rules`), which the page gets as JSON from ``page_rules``.
"""

from cautious.predictions.cells import Encoded as Encoded
from cautious.predictions.cells import Numbers as Numbers
from cautious.predictions.cells import check_labels as check_labels
from cautious.predictions.cells import check_numbers as check_numbers
from cautious.predictions.cells import check_weights as check_weights
from cautious.predictions.cells import encode_labels as encode_labels
from cautious.predictions.cells import plain_labels as plain_labels
from cautious.predictions.cells import read_numbers as read_numbers
from cautious.predictions.columns import Columns as Columns
from cautious.predictions.columns import check_class_count as check_class_count
from cautious.predictions.columns import check_empty as check_empty
from cautious.predictions.columns import check_named_classes as check_named_classes
from cautious.predictions.columns import check_names as check_names
from cautious.predictions.columns import check_sets_beside as check_sets_beside
from cautious.predictions.columns import described as described
from cautious.predictions.columns import guess_columns as guess_columns
from cautious.predictions.columns import memberships as memberships
from cautious.predictions.columns import parse_sets as parse_sets
from cautious.predictions.columns import prefixed as prefixed
from cautious.predictions.columns import set_mask as set_mask
from cautious.predictions.data import ModelPredictions, Predictions
from cautious.predictions.data import align as align
from cautious.predictions.draft import labels_like as labels_like
from cautious.predictions.draft import weight_notes as weight_notes
from cautious.predictions.labels import binary_classes as binary_classes
from cautious.predictions.labels import binary_truth as binary_truth
from cautious.predictions.labels import label_notes as label_notes
from cautious.predictions.labels import label_text as label_text
from cautious.predictions.labels import match_label as match_label
from cautious.predictions.labels import match_labels as match_labels
from cautious.predictions.labels import named_classes as named_classes
from cautious.predictions.labels import plain_label as plain_label
from cautious.predictions.labels import positive_of_sets as positive_of_sets
from cautious.predictions.labels import sorted_labels as sorted_labels
from cautious.predictions.labels import whole_labels as whole_labels
from cautious.predictions.probabilities import CheckedProbabilities as CheckedProbabilities
from cautious.predictions.probabilities import check_columns as check_columns
from cautious.predictions.probabilities import check_proba as check_proba
from cautious.predictions.probabilities import class_scores as class_scores
from cautious.predictions.probabilities import per_cent_hint as per_cent_hint
from cautious.predictions.probabilities import per_cent_notes as per_cent_notes
from cautious.predictions.reader import copy_notes as copy_notes
from cautious.predictions.reader import file_stem as file_stem
from cautious.predictions.reader import read_predictions
from cautious.predictions.rules import ROUNDING as ROUNDING
from cautious.predictions.rules import note as note
from cautious.predictions.rules import page_rules as page_rules
from cautious.predictions.rules import refusal as refusal
from cautious.predictions.sources.delimited import DelimitedText as DelimitedText
from cautious.predictions.sources.delimited import open_text as open_text
from cautious.predictions.sources.estimators import FromEstimator as FromEstimator
from cautious.predictions.sources.estimators import ask_folds as ask_folds
from cautious.predictions.sources.estimators import can_answer as can_answer
from cautious.predictions.sources.estimators import empty_sets as empty_sets
from cautious.predictions.sources.estimators import estimator_scores as estimator_scores
from cautious.predictions.sources.estimators import outputs_of as outputs_of
from cautious.predictions.sources.estimators import pooled_outputs as pooled_outputs
from cautious.predictions.sources.estimators import pooled_scores as pooled_scores
from cautious.predictions.sources.tables import check_row_groups as check_row_groups
from cautious.predictions.sources.tables import is_frame as is_frame
from cautious.predictions.sources.tables import open_table as open_table
from cautious.predictions.sources.tables import readable as readable

__all__ = [
    "ModelPredictions",
    "Predictions",
    "read_predictions",
]
