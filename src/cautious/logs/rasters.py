"""Adding up equal scores: on a grid without sorting, elsewhere with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints
from cautious.logs.arrow_columns import Codes
from cautious.logs.exact_sums import Counts, carried

__all__ = ["Piece", "add_up", "cells_of", "coarser", "raster", "repeats", "sorted_by_kind"]

Piece: TypeAlias = tuple[Floats, Counts]
"""Sorted distinct values, and how often each occurs."""

# A table of so many cells (times kinds) is still cheaper to go through than a sort of a batch.
_TABLE = 1 << 21
# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 14
# No sensible score lies beyond; up to here a power of two from the range of exponents is exact.
_HUGE = 2.0**800


def raster(
    scores: Floats, codes: Codes, n_kinds: int, counts: Counts | None, exponent: int
) -> Iterator[tuple[int, Piece]]:
    """Count scores in cells of width ``2**exponent``, apart for each kind.

    Yields
    ------
    kind : int
    (cells, counts) : tuple
        Cells that occur, sorted, and their counts.
    """
    if not len(scores):
        return
    scale = 2.0**-exponent
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.floor(scores.min() * scale)
        span = np.floor(scores.max() * scale) - low + 1
    if counts is not None or not span * n_kinds <= _TABLE:
        yield from sorted_by_kind(cells_of(scores, exponent), codes, n_kinds, counts)
        return
    # Short integers are quicker, if they are long enough.
    whole: Any = np.int32 if max(-low, low + span) * n_kinds < 2**31 else np.int64
    offset = whole(low * n_kinds)
    place = np.empty(len(scores), dtype=np.intp)
    cell_buffer, own_buffer = np.empty(_BLOCK), np.empty(_BLOCK, dtype=whole)
    for start in range(0, len(scores), _BLOCK):
        block = slice(start, min(start + _BLOCK, len(scores)))
        cell, own = (buffer[: block.stop - start] for buffer in (cell_buffer, own_buffer))
        np.multiply(scores[block], scale, out=cell)
        if low < 0:
            np.floor(cell, out=cell)
        np.copyto(own, cell, casting="unsafe")  # cuts off what is behind the point
        own *= whole(n_kinds)
        own += codes[block]
        if offset:
            own -= offset
        place[block] = own
    table = np.bincount(place, minlength=int(span) * n_kinds).reshape(-1, n_kinds)
    for code in range(n_kinds):
        column = table[:, code]
        taken = np.flatnonzero(column)
        if len(taken):
            yield code, (taken + low, column[taken].astype(np.int64, copy=False))


def sorted_by_kind(
    values: Floats, codes: Codes, n_kinds: int, counts: Counts | None
) -> Iterator[tuple[int, Piece]]:
    """Sort values apart for each kind, and add up equal ones.

    Yields
    ------
    kind : int
    (values, counts) : tuple
        Sorted distinct values and their counts.
    """
    if counts is None and repeats(values):
        code, distinct = pd.factorize(values)
        table = np.bincount(code * n_kinds + codes, minlength=len(distinct) * n_kinds)
        for kind, column in enumerate(table.reshape(-1, n_kinds).T):
            taken = np.flatnonzero(column)
            if len(taken):
                order = taken[np.argsort(distinct[taken])]
                counted = column[order].astype(np.int64, copy=False)
                yield kind, (distinct[order] + 0.0, counted)
        return
    for kind, rows in _rows_of(codes, n_kinds):
        if counts is None:
            own = np.sort(values[rows]) + 0.0  # there are two zeros, but they are one score
            starts = _starts(own)
            yield kind, (own[starts], np.diff(np.append(starts, len(own))).astype(np.int64))
        else:
            yield kind, _sorted(values[rows] + 0.0, counts[rows])


def repeats(scores: Floats) -> bool:
    """Whether a sample of the scores holds many of them more than once."""
    sample = np.sort(scores[:: max(1, len(scores) // 4096)])
    return bool(np.count_nonzero(sample[1:] == sample[:-1]) * 8 > len(sample))


def add_up(a: Piece, b: Piece, *, on_grid: bool) -> Piece:
    """Bring two sorted pieces together.

    Parameters
    ----------
    a, b : (values, counts)
        Sorted distinct values and their counts.
    on_grid : bool
        Whether values are whole numbers of cells.
    """
    if on_grid:
        low = min(a[0][0], b[0][0])
        with np.errstate(invalid="ignore"):
            span = max(a[0][-1], b[0][-1]) - low + 1
        if span <= _TABLE:
            table = np.zeros((int(span), *a[1].shape[1:]), dtype=np.int64)
            table[(a[0] - low).astype(np.intp)] = a[1]
            table[(b[0] - low).astype(np.intp)] += b[1]
            taken = np.flatnonzero(table if table.ndim == 1 else table.any(axis=1))
            return taken + low, carried(table[taken])
    return _sorted(np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]))


def cells_of(scores: Floats, exponent: int) -> Floats:
    """Cells of width ``2**exponent`` that scores lie in; huge scores count as infinite."""
    ordinary = np.where(np.abs(scores) > _HUGE, np.copysign(np.inf, scores), scores)
    return np.floor(ordinary * 2.0**-exponent) + 0.0  # there is only one zero


def coarser(cells: Floats, counts: Counts, step: int) -> tuple[Floats, Counts]:
    """Move sorted cells to a grid `step` powers of two coarser."""
    return _collapsed(np.floor(cells * 2.0**-step) + 0.0, counts)


def _sorted(values: Floats, counts: Counts) -> tuple[Floats, Counts]:
    """Sort values and add up the counts of equal ones; linear where they come in sorted runs."""
    order = np.argsort(values, kind="stable")
    return _collapsed(values[order], counts[order])


def _collapsed(values: Floats, counts: Counts) -> tuple[Floats, Counts]:
    """Add up the counts of equal neighbours."""
    starts = _starts(values)
    if len(starts) == len(values):
        return values, counts
    return values[starts], carried(np.add.reduceat(counts, starts, axis=0))


def _rows_of(codes: Codes, n_kinds: int) -> Iterator[tuple[int, Ints]]:
    """Rows of each kind that occurs."""
    if n_kinds <= 4:
        parts = [np.flatnonzero(codes == kind) for kind in range(n_kinds)]
    else:
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.searchsorted(codes[order], np.arange(1, n_kinds)))
    for kind, rows in enumerate(parts):
        if len(rows):
            yield kind, rows


def _starts(values: Floats) -> Ints:
    """Positions at which a new value begins."""
    new = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)
