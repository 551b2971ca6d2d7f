"""Checks of truths, prediction sets and probabilities that lie on a device.

They ask the same as the checks of numpy arrays do. A fault is rare, so the words are theirs: what
fails here is copied and given to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cautious._checks import as_codes, check_mask, check_probabilities, check_scores, check_truth
from cautious._typing import Labels
from cautious.tensors import Tensor, as_numpy, floats_of, is_tensor, like, namespace

__all__ = ["tensor_classes", "tensor_codes", "tensor_likeliest", "tensor_mask",
           "tensor_probabilities", "tensor_scores", "tensor_shares"]  # fmt: skip

# Up to so many integers are looked for one by one.
_FEW_LABELS = 32


def tensor_probabilities(
    p: Tensor, *, name: str = "p", n_classes: int | None = None, atol: float = 1e-6
) -> tuple[Tensor, Tensor]:
    """Check class probabilities where they lie."""
    rows, _ = _sound_rows(p, name, n_classes, atol)
    xp = namespace(rows)
    total = xp.sum(xp.astype(rows, xp.float64), axis=1)
    return rows, xp.where(xp.abs(total - 1) > atol, total, xp.ones_like(total))


def tensor_likeliest(p: Tensor) -> tuple[Tensor, Tensor]:
    """Likeliest class of each row of probabilities and its probability, where the rows lie."""
    rows, total = tensor_probabilities(p)
    xp = namespace(rows)
    return xp.argmax(rows, axis=1), xp.astype(xp.max(rows, axis=1), xp.float64) / total


def tensor_shares(
    p: Tensor, *, name: str = "p", n_classes: int | None = None, atol: float = 1e-6
) -> Tensor:
    """Check class probabilities of which only the proportions within a row matter."""
    rows, any_negative = _sound_rows(p, name, n_classes, atol)
    if any_negative:
        xp = namespace(rows)
        rows = xp.maximum(rows, xp.zeros_like(rows))
    return rows


def _sound_rows(p: Tensor, name: str, n_classes: int | None, atol: float) -> tuple[Tensor, bool]:
    """Check rows in as few passes as can be, and say whether any number is negative."""
    xp = namespace(p)
    real, tolerance = _is_real(p), atol
    if real and not xp.isdtype(p.dtype, ("bool", "integral")):
        tolerance = max(atol, min(8 * float(xp.finfo(p.dtype).eps) * p.shape[-1], 1e-3))
    fits = real and len(p.shape) == 2 and (n_classes or p.shape[1]) == p.shape[1]
    if not fits or 0 in p.shape:
        check_probabilities(p, name=name, n_classes=n_classes, atol=tolerance)
        return floats_of(p), False
    rows = floats_of(p)
    # Sums of the given precision may be off themselves; what is near the limit is added up again.
    # No number is larger than such a sum unless others are negative.
    distance = float(xp.max(xp.abs(xp.sum(rows, axis=1) - 1)))
    low = float(xp.min(rows))
    high = 1.0 if low >= 0 else float(xp.max(rows))
    if not (distance <= tolerance / 2 and low >= -tolerance and high <= 1 + tolerance):
        check_probabilities(p, name=name, n_classes=n_classes, atol=tolerance)
    return rows, low < 0


def tensor_scores(scores: Tensor, *, name: str, n: int | None = None) -> Tensor:
    """Check that scores are one number per example, none of them NaN."""
    xp = namespace(scores)
    shaped = len(scores.shape) == 1 and (n is None or scores.shape[0] == n) and _is_real(scores)
    array = floats_of(scores) if shaped else scores
    if not shaped or bool(xp.any(xp.isnan(array))):
        check_scores(scores, name=name, n=n)
    return array


def tensor_mask(
    mask: Tensor, *, n_classes: int | None = None, name: str = "mask", empty: str = "error"
) -> tuple[Tensor, Tensor]:
    """Check prediction sets where they lie; returns them and the number of classes in each."""
    xp = namespace(mask)
    shaped = len(mask.shape) == 2 and (n_classes or mask.shape[1]) == mask.shape[1]
    if shaped and xp.isdtype(mask.dtype, "integral"):
        strange = xp.any((mask != 0) & (mask != 1))
        mask = mask if bool(strange) else xp.astype(mask, xp.bool)
    if not shaped or mask.dtype != xp.bool or empty not in ("error", "abstain", "wrong"):
        check_mask(mask, n_classes=n_classes, name=name, empty=empty)
    # Bytes add up several times faster than booleans, and 255 of them fit a byte.
    narrow = xp.uint8 if mask.shape[1] < 256 else xp.int32
    size = xp.sum(xp.astype(mask, xp.uint8), axis=1, dtype=narrow)
    if empty != "wrong":
        is_empty = size == 0
        if bool(xp.any(is_empty)):
            if empty == "error":
                check_mask(mask, n_classes=n_classes, name=name, empty=empty)
            mask = mask | is_empty[:, None]
            size = xp.where(is_empty, xp.full_like(size, mask.shape[1]), size)
    return mask, size


def tensor_classes(y_true: Tensor) -> Labels:
    """Distinct labels among truths, sorted; none of them NaN."""
    xp = namespace(y_true)
    if len(y_true.shape) != 1:
        check_truth(y_true)
    if xp.isdtype(y_true.dtype, "integral") and y_true.shape[0]:
        # A sort takes many times as long as to ask for each of a few labels.
        low, high = int(xp.min(y_true)), int(xp.max(y_true))
        if high - low < _FEW_LABELS:
            between = [v for v in range(low + 1, high) if bool(xp.any(y_true == v))]
            return np.array([low, *between, high] if high > low else [low])
    occurring = as_numpy(xp.unique_values(y_true))
    if occurring.dtype.kind not in "iub" and np.isnan(occurring).any():
        check_truth(y_true)  # names the row
    return np.sort(occurring)


def tensor_codes(
    y_true: Any,
    classes: Labels,
    place: Tensor,
    *,
    name: str = "y_true",
) -> Tensor:
    """Position of each truth in the classes, as integers where the tensor `place` lies."""
    if not is_tensor(y_true):
        return like(as_codes(check_truth(y_true, name=name), classes, name=name), place)
    xp, k = namespace(y_true), len(classes)
    plain = classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(k))
    if plain and len(y_true.shape) == 1 and _is_small(y_true, k):
        return y_true
    occurring = tensor_classes(y_true)
    try:
        position = as_codes(occurring, classes, name=name)
    except ValueError:
        as_codes(check_truth(y_true, name=name), classes, name=name)  # names the row
        raise
    if xp.isdtype(y_true.dtype, "bool"):  # which torch does not search
        y_true = xp.astype(y_true, xp.uint8)
    sought = like(occurring.astype(as_numpy(y_true[:0]).dtype), y_true)
    return xp.take(like(position, y_true), xp.searchsorted(sought, y_true))


def _is_small(labels: Tensor, below: int) -> bool:
    """Whether labels are integers from 0 to less than a bound."""
    xp = namespace(labels)
    if not xp.isdtype(labels.dtype, "integral") or not labels.shape[0]:
        return False
    return bool(xp.min(labels) >= 0) and bool(xp.max(labels) < below)


def _is_real(array: Tensor) -> bool:
    xp = namespace(array)
    return xp.isdtype(array.dtype, ("bool", "integral", "real floating")) or (
        "bfloat16" in str(array.dtype)
    )
