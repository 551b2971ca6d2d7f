"""Prediction sets: the one representation of a cautious answer.

A batch of ``n`` answers about ``K`` classes is a boolean matrix of shape ``(n, K)`` whose columns
follow ``classes_``. A row with one true cell is a determinate answer, a full row abstains, and
anything between is a partial answer. This package turns what people and other libraries write
into that matrix and back, names sets for people, and holds the checks that every measure relies on.
"""

from cautious.sets.checks import (
    check_classes,
    check_mask,
    check_probabilities,
    check_scores,
    check_truth,
    check_weight,
    first_row,
)
from cautious.sets.conversion import as_labels, as_mask, set_sizes
from cautious.sets.frames import frame_in_class_order
from cautious.sets.naming import abstain_name, set_names
from cautious.sets.pairing import CheckedSets, check_sets

__all__ = [
    "CheckedSets",
    "abstain_name",
    "as_labels",
    "as_mask",
    "check_classes",
    "check_mask",
    "check_probabilities",
    "check_scores",
    "check_sets",
    "check_truth",
    "check_weight",
    "first_row",
    "frame_in_class_order",
    "set_names",
    "set_sizes",
]
