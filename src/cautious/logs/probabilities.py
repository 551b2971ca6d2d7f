"""Probabilities in columns, one a class: checked, and their likeliest class found, in one pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Mask
from cautious.sets import check_probabilities

__all__ = ["likeliest"]

# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 13
# Rows that are off by no more than this pass check_probabilities, in whatever order they are added.
_SURE = 0.99e-6


def likeliest(p: Sequence[Floats], given: npt.DTypeLike = np.float64) -> tuple[Ints, Floats]:
    """Find the likeliest class of each row and its probability; ties go to the first class.

    Columns are gone through as they lie in an Arrow batch; they are never brought together. Only
    rows that a glance does not settle go through :func:`cautious.sets.check_probabilities`, so that
    a log is judged as an array in memory is.

    Parameters
    ----------
    p : sequence of ndarray of shape (n,), float64
        Probabilities of each class. Rows that are divided by their sum, as low precision makes
        necessary, are changed in place.
    given : dtype
        What the probabilities were before they were made float64; it says how exact they can be.

    Returns
    -------
    answer : ndarray of shape (n,), int
    confidence : ndarray of shape (n,)

    Raises
    ------
    ValueError
        If a row is no probability distribution.

    Examples
    --------
    >>> likeliest([np.array([0.2, 0.5]), np.array([0.8, 0.5])])
    (array([1, 0]), array([0.8, 0.5]))
    """
    n = len(p[0])
    # Class numbers in one byte are eight times quicker to write.
    answer, confidence = np.zeros(n, dtype=np.min_scalar_type(len(p))), np.empty(n)
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        sure = _greatest(p, rows, answer[rows], confidence[rows])
        if not sure.all():
            _settle(p, start + np.flatnonzero(~sure), np.dtype(given))
            _greatest(p, rows, answer[rows], confidence[rows])
    return answer.astype(np.intp), confidence


def _greatest(p: Sequence[Floats], rows: slice, which: npt.NDArray[Any], best: Floats) -> Mask:
    """Write class and probability into `which` and `best`; say which rows are surely fine."""
    which[:] = 0
    best[:] = p[0][rows]
    total, least = best.copy(), best.min()
    for k, column in enumerate(p[1:], 1):
        own = column[rows]
        # Later classes have greater numbers, so the greatest is that of the last one better.
        better = (own > best).astype(which.dtype, copy=False)
        np.maximum(which, better * which.dtype.type(k), out=which)
        np.maximum(best, own, out=best)
        least = min(least, own.min())
        with np.errstate(invalid="ignore"):  # infinities may meet; the check below will say so
            total += own
    # Written so that a NaN fails, too.
    sure: Mask = (np.abs(total - 1) <= _SURE) & (best <= 1 + _SURE)
    if not least >= -_SURE:
        sure &= np.min([column[rows] for column in p], axis=0) >= -_SURE
    return sure


def _settle(p: Sequence[Floats], rows: Ints, given: np.dtype[Any]) -> None:
    """Check some rows as they were given, and keep what the check makes of them."""
    doubtful = np.column_stack([column[rows] for column in p]).astype(given, copy=False)
    try:
        settled = check_probabilities(doubtful, name="probabilities")
    except ValueError as error:
        message = re.sub(r"row (\d+)", lambda at: f"row {rows[int(at[1])]}", str(error), count=1)
        raise ValueError(message) from None
    if given != np.float64:  # double precision is never divided, and may be only for reading
        for column, own in zip(p, settled.T, strict=True):
            column[rows] = own
