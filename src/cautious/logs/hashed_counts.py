"""Counting values that repeat by throwing them into a table, several times faster than a sort."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints
from cautious.logs.arrow_columns import Codes
from cautious.logs.exact_sums import Counts

__all__ = ["count_by_hash"]

# A table of places that stays in the processor's cache, and the rows from which it is filled.
_BITS = 16
_HEAD = 1 << 16
# Intermediate results of so many rows stay there, too.
_BLOCK = 1 << 14
# Odd numbers without a pattern: each throws values into a different order.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)


def count_by_hash(values: Floats, codes: Codes, n_kinds: int) -> tuple[Floats, Counts]:
    """Count distinct values by kind.

    The first rows settle which value has which place of the table, the last that a hash throws
    there. All rows that find their own value at their place are counted. The rest, those whose
    place is another's and those that the first rows did not show, are thrown again by another
    hash; what is left in the end is sorted.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers, none of them NaN.
    codes : ndarray of shape (n,), int
        Kind of each.
    n_kinds : int
        How many kinds there are.

    Returns
    -------
    distinct : ndarray of shape (m,)
        Sorted distinct values.
    table : ndarray of shape (m, n_kinds), int64

    Examples
    --------
    >>> count_by_hash(np.array([0.5, 0.25, 0.5]), np.array([0, 1, 1]), 2)
    (array([0.25, 0.5 ]), array([[0, 1],
           [1, 1]]))
    """
    found, tables = [np.empty(0)], [np.empty((0, n_kinds), dtype=np.int64)]
    for factor in _FACTORS:
        if len(values) <= _BLOCK:
            break
        distinct, table, values, codes = _thrown(values, codes, n_kinds, np.uint64(factor))
        found.append(distinct)
        tables.append(table)
    distinct, number = np.unique(values + 0.0, return_inverse=True)
    place = number.astype(np.intp) * n_kinds + codes
    rest = np.bincount(place, minlength=len(distinct) * n_kinds).reshape(-1, n_kinds)
    distinct = np.concatenate([*found, distinct])
    order = np.argsort(distinct)
    return distinct[order], np.concatenate([*tables, rest.astype(np.int64, copy=False)])[order]


def _thrown(
    values: Floats, codes: Codes, n_kinds: int, factor: np.uint64
) -> tuple[Floats, Counts, Floats, Codes]:
    """Count what finds its own value in a table; give that, and the rows that do not."""
    head = values[:_HEAD] + 0.0
    owner = np.full(1 << _BITS, np.nan)  # equal to nothing
    owner[_places(head, factor)] = head
    taken = np.flatnonzero(~np.isnan(owner))
    number = np.zeros(1 << _BITS, dtype=np.intp)
    number[taken] = np.arange(0, len(taken) * n_kinds, n_kinds)
    nowhere, one = len(taken) * n_kinds, np.int64(1)
    table = np.zeros(nowhere + n_kinds, dtype=np.int64)
    others, kinds = [np.empty(0)], [codes[:0]]
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        own, kind = values[block] + 0.0, codes[block]  # there are two zeros, but they are one value
        place = _places(own, factor)
        stranger = owner[place] != own
        cell = number[place]
        if stranger.any():
            cell[stranger] = nowhere
            others.append(own[stranger])
            kinds.append(kind[stranger])
        cell += kind
        np.add.at(table, cell, one)
    counted = table[:nowhere].reshape(-1, n_kinds)
    return owner[taken], counted, np.concatenate(others), np.concatenate(kinds)


def _places(values: Floats, factor: np.uint64) -> Ints:
    """Where a hash throws each value."""
    bits: npt.NDArray[np.uint64] = values.view(np.uint64) * factor
    bits >>= np.uint64(64 - _BITS)
    return bits.view(np.int64)
