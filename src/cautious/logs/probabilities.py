"""Probabilities in columns, one a class: checked, and their likeliest class found, in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cautious._typing import Floats, Ints
from cautious.sets import check_probabilities

__all__ = ["likeliest"]

# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 13
# The tolerance of cautious.sets.check_probabilities.
_ATOL = 1e-6


def likeliest(p: Sequence[Floats]) -> tuple[Ints, Floats]:
    """Find the likeliest class of each row and its probability; ties go to the first class.

    Columns are gone through as they lie in an Arrow batch; they are never brought together.

    Parameters
    ----------
    p : sequence of ndarray of shape (n,)
        Probabilities of each class.

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
        best, which = confidence[rows], answer[rows]
        best[:] = p[0][rows]
        total, least = best.copy(), best.min()
        for k, column in enumerate(p[1:], 1):
            own = column[rows]
            # Later classes have greater numbers, so the greatest is that of the last one better.
            better = (own > best).astype(which.dtype, copy=False)
            np.maximum(which, better * which.dtype.type(k), out=which)
            np.maximum(best, own, out=best)
            least = min(least, own.min())
            total += own
        # Written so that a NaN fails, too.
        fine = (np.abs(total - 1) <= _ATOL) & (best <= 1 + _ATOL)
        if not least >= -_ATOL:
            fine &= np.min([column[rows] for column in p], axis=0) >= -_ATOL
        if not fine.all():
            at = start + int(np.argmin(fine))
            try:
                check_probabilities([[float(column[at]) for column in p]], name="probabilities")
            except ValueError as error:
                raise ValueError(str(error).replace("row 0", f"row {at}")) from None
    return answer.astype(np.intp), confidence
