"""Prediction sets: the one representation of a cautious answer.

A batch of ``n`` answers about ``K`` classes is a boolean matrix of shape ``(n, K)`` whose columns
follow ``classes_``. A row with one true cell is a determinate answer, a full row abstains, and
anything between is a partial answer. This package turns what people and other libraries write
into that matrix and back, names sets for people, and holds the checks that every measure relies on.
Names imported as themselves (``x as x``) are lent to the other packages and are not public.
"""

from cautious.sets.checked_sets import CheckedSets as CheckedSets
from cautious.sets.checked_sets import Words as Words
from cautious.sets.checked_sets import check_pairs as check_pairs
from cautious.sets.checked_sets import check_sets as check_sets
from cautious.sets.checked_sets import distinct_sets as distinct_sets
from cautious.sets.checked_sets import first_occurrences as first_occurrences
from cautious.sets.checked_sets import pack_sets as pack_sets
from cautious.sets.checked_sets import sorted_labels as sorted_labels
from cautious.sets.checked_sets import unpack_sets as unpack_sets
from cautious.sets.checks import as_codes as as_codes
from cautious.sets.checks import cells_at as cells_at
from cautious.sets.checks import check_classes as check_classes
from cautious.sets.checks import check_mask
from cautious.sets.checks import check_probabilities as check_probabilities
from cautious.sets.checks import check_scores as check_scores
from cautious.sets.checks import check_truth as check_truth
from cautious.sets.checks import check_weight as check_weight
from cautious.sets.checks import count_classes as count_classes
from cautious.sets.checks import few_labels as few_labels
from cautious.sets.checks import first_row as first_row
from cautious.sets.checks import flat_labels as flat_labels
from cautious.sets.checks import likeliest as likeliest
from cautious.sets.conversion import as_labels, as_mask, set_sizes
from cautious.sets.conversion import as_pandas as as_pandas
from cautious.sets.conversion import frame_in_class_order as frame_in_class_order
from cautious.sets.conversion import has_names as has_names
from cautious.sets.tensor_checks import tensor_classes as tensor_classes
from cautious.sets.tensor_checks import tensor_codes as tensor_codes
from cautious.sets.tensor_checks import tensor_likeliest as tensor_likeliest
from cautious.sets.tensor_checks import tensor_mask as tensor_mask
from cautious.sets.tensor_checks import tensor_scores as tensor_scores
from cautious.sets.tensor_checks import tensor_shares as tensor_shares
from cautious.sets.written import SET_REFUSALS as SET_REFUSALS
from cautious.sets.written import SET_WORDS as SET_WORDS
from cautious.sets.written import WrittenSet as WrittenSet
from cautious.sets.written import abstain_name as abstain_name
from cautious.sets.written import parse_set, set_names
from cautious.sets.written import write_set as write_set

__all__ = [
    "as_labels",
    "as_mask",
    "check_mask",
    "parse_set",
    "set_names",
    "set_sizes",
]
