"""Truths and prediction sets, checked once; sets as rows of bits, quick to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._checks import (
    as_codes,
    check_classes,
    check_mask,
    check_truth,
    check_weight,
    few_labels,
)
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.errors import InputError, counted, shown
from cautious.sets._conversion import as_mask, as_pandas, seen_labels
from cautious.sets._written import parse_set
from cautious.tensors import as_numpy

__all__ = [
    "CheckedSets",
    "Words",
    "check_pairs",
    "check_sets",
    "distinct_sets",
    "first_occurrences",
    "pack_sets",
    "sorted_labels",
    "unpack_sets",
]

Words: TypeAlias = npt.NDArray[np.uint64]
"""Sets of shape (n_sets, ceil(K / 64)); the first class is the highest bit of the first word."""


def pack_sets(mask: Mask) -> Words:
    """Pack a mask into an eighth of its size."""
    bits = np.packbits(mask, axis=1)
    octets = np.zeros((len(mask), 8 * -(-mask.shape[1] // 64)), dtype=np.uint8)
    octets[:, : bits.shape[1]] = bits
    return octets.view(">u8").astype(np.uint64)


def unpack_sets(words: Words, n_classes: int) -> Mask:
    """Undo :func:`pack_sets`."""
    octets = words.astype(">u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_classes).astype(np.bool_)


def distinct_sets(words: Words, size: Ints) -> tuple[Words, Ints]:
    """Sort out equal sets."""
    # Hashing one word after the other is linear in the bits, where sorting whole rows is not.
    code = np.zeros(len(words), dtype=np.int64)
    for word in words.T:
        low, seen = pd.factorize(word)
        code, distinct = pd.factorize(code * len(seen) + low)
        if len(distinct) == len(words):
            break
    first = first_occurrences(code)
    order = np.lexsort((*~words[first].T[::-1], size[first]))
    rank = np.empty(len(first), dtype=np.intp)
    rank[order] = np.arange(len(first))
    return words[first[order]], rank[code]


def first_occurrences(code: npt.NDArray[np.integer]) -> Ints:
    """Position at which each of the codes 0, 1, … occurs first; none may be left out."""
    first = np.empty(code.max(initial=-1) + 1, dtype=np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]  # the last to be written is the first to occur
    return first


@dataclass(frozen=True)
class CheckedSets:
    """Truths and prediction sets that belong together.

    Attributes
    ----------
    truth : ndarray of shape (n,), int
        True class of each case as a position in ``classes``.
    mask : ndarray of shape (n, K), bool
        Prediction sets; one is empty only if that was said to be wrong.
    classes : ndarray of shape (K,)
        Class labels in column order.
    weight : ndarray of shape (n,), float
        How often each case counts.
    """

    truth: Ints
    mask: Mask
    classes: Labels
    weight: Floats


def check_sets(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    *,
    classes: Sequence[Any] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    empty: str = "error",
) -> CheckedSets:
    """Bring truths and prediction sets of any accepted form together."""
    codes, mask, known = check_pairs(y_true, y_set, classes, empty)
    return CheckedSets(codes, mask, known, check_weight(sample_weight, len(codes)))


def check_pairs(
    y_true: Sequence[Any] | npt.ArrayLike,
    y_set: Any,
    classes: Sequence[Any] | npt.ArrayLike | None,
    empty: str,
) -> tuple[Ints, Mask, Labels]:
    """Bring truths and prediction sets together as codes, mask and classes, without weights."""
    y_set = as_pandas(as_numpy(y_set))
    truth = check_truth(y_true)
    if truth.dtype.kind == "U":  # as objects, text is told apart much faster
        truth = truth.astype(object)
    is_mask = type(y_set) is np.ndarray and y_set.ndim == 2 and y_set.dtype == np.bool_
    if classes is None:
        occurring = pd.unique(truth)
        seen, width = ([], y_set.shape[1]) if is_mask else seen_labels(y_set, occurring)
        both = list(dict.fromkeys([*occurring.tolist(), *seen]))
        _refuse_written_sets(both, len(occurring))
        if not both:
            raise ValueError(
                "y_true is empty, so it does not tell the classes; pass classes= with all class "
                "labels, in column order."
            )
        known = check_classes(sorted_labels(both))
        if width is not None and width != len(known):
            raise ValueError(
                f"y_set has {counted(width, 'column')} but y_true holds "
                f"{counted(len(known), 'different label')} "
                f"{few_labels(known)}; pass classes= with the class of each column, in order "
                "(for an estimator: classes=estimator.classes_)."
            )
    else:
        known = check_classes(classes)
    if is_mask:
        mask = check_mask(y_set, n_classes=len(known), name="y_set", empty=empty)
    else:
        mask = as_mask(y_set, known, empty=empty, name="y_set")
    if len(mask) != len(truth):
        raise ValueError(
            f"y_true has {len(truth)} rows and y_set has {len(mask)}; give one of each per case."
        )
    return as_codes(truth, known, name="y_true"), mask, known


def _refuse_written_sets(labels: list[Any], n_truths: int) -> None:
    """Refuse text among answers that is no label but means known ones: 'a|b', '1' for 1."""
    texts = {str(label): label for label in reversed(labels)}
    for label in labels[n_truths:]:
        if not isinstance(label, str):
            continue
        if texts[label] is not label:
            raise ValueError(
                f"y_set holds the text {shown(label)} and y_true {shown(texts[label])}, which "
                "Python takes for different labels; give both as text, or neither."
            )
        try:
            members = parse_set(label).labels
        except InputError:  # neither a set nor a plain word, so it is a label
            continue
        if members is None or (len(members) > 1 and texts.keys() >= set(members)):
            meant = "an abstention" if members is None else f"the set {shown(list(members))}"
            raise ValueError(
                f"y_set holds {shown(label)}, which is no label of y_true and reads as {meant}. "
                "Give sets, not their text: [cautious.sets.parse_set(one).labels for one in y_set] "
                "makes them. If it is a class of its own, pass classes= with all class labels."
            )


def sorted_labels(values: Labels | list[Any]) -> list[Any]:
    """Distinct labels in a stable order: sorted where they can be compared, by text otherwise."""
    if isinstance(values, np.ndarray):
        values = pd.unique(values.astype(object) if values.dtype.kind == "U" else values).tolist()
    distinct = list(dict.fromkeys(values))
    try:
        return sorted(distinct)
    except TypeError:
        return sorted(distinct, key=lambda label: (type(label).__name__, str(label)))
