"""Prediction sets: the one representation of a cautious answer.

A batch of ``n`` answers about ``K`` classes is a boolean matrix of shape ``(n, K)`` whose columns
follow ``classes_``. A row with one true cell is a determinate answer, a full row abstains, and
anything between is a partial answer. This package turns what people and other libraries write
into that matrix and back, and names sets for people.
"""

from cautious.sets._conversion import as_labels, as_mask
from cautious.sets._written import parse_set, set_names

__all__ = ["as_labels", "as_mask", "parse_set", "set_names"]
