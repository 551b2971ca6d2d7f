"""Adding up equal scores: on a grid or by a hash without sorting, elsewhere with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from cautious._typing import Floats, Ints
from cautious.logs.arrow_columns import Codes
from cautious.logs.exact_sums import Counts, carried
from cautious.logs.hashed_counts import count_by_hash

__all__ = ["Piece", "add_up", "cells_of", "coarser", "gathered", "raster", "sorted_by_kind"]

Piece: TypeAlias = tuple[Floats, Counts]
"""Sorted distinct values, and how often each occurs."""

# A table of so many cells (times kinds) is still cheaper to go through than a sort of a batch.
_TABLE = 1 << 21
# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 16
# No sensible score lies beyond; up to here a power of two from the range of exponents is exact.
_HUGE = 2.0**800
# People round to so many digits behind the point, if they round.
_MOST_DIGITS = 6
# Kinds beyond so many make a table of all values and kinds mostly empty.
_MOST_HASHED_KINDS = 64
# How many scores are looked at to find out what all of them are like.
_SAMPLE = 4096


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
    if counts is not None or not _fits(low, span, n_kinds, _TABLE):
        yield from sorted_by_kind(cells_of(scores, exponent), codes, n_kinds, counts)
        return
    table = _on_grid(scores, codes, n_kinds, scale, (low, span))
    assert table is not None
    yield from _pieces(np.arange(len(table)) + low, table)


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
    found = gathered(values, codes, n_kinds) if counts is None else None
    if found is not None:
        yield from found
        return
    for kind, rows in _rows_of(codes, n_kinds):
        if counts is None:
            own = np.sort(values[rows]) + 0.0  # there are two zeros, but they are one score
            starts = _starts(own)
            yield kind, (own[starts], np.diff(np.append(starts, len(own))).astype(np.int64))
        else:
            yield kind, _sorted(values[rows] + 0.0, counts[rows])


def gathered(values: Floats, codes: Codes, n_kinds: int) -> Iterator[tuple[int, Piece]] | None:
    """Count values that occur again and again, apart for each kind, without sorting all of them.

    Numbers of a few decimal digits need only be multiplied to be places in a table; every one of
    them is tried, for what is off that grid would be counted wrongly. Others are hashed.

    Returns
    -------
    iterator or None
        What :func:`sorted_by_kind` yields; None if the values are too different for this.
    """
    if not len(values):
        return None
    sample = values[:: max(1, len(values) // _SAMPLE)]
    with np.errstate(over="ignore", invalid="ignore"):
        scales = (10.0**digits for digits in range(_MOST_DIGITS + 1))
        scale = next((s for s in scales if (np.rint(sample * s) / s == sample).all()), None)
        if scale is not None:
            low = np.rint(values.min() * scale)
            span = np.rint(values.max() * scale) - low + 1
    # A table larger than the batch would be no gain.
    if scale is not None and _fits(low, span, n_kinds, len(values)):
        table = _on_grid(values, codes, n_kinds, scale, (low, span), decimal=True)
        if table is not None:
            return _pieces((np.arange(len(table)) + low) / scale, table)
    if n_kinds > _MOST_HASHED_KINDS or not _repeats(sample):
        return None
    return _pieces(*count_by_hash(values, codes, n_kinds))


def _fits(low: float, span: float, n_kinds: int, most: int) -> bool:
    """Whether a table has a place for every cell and kind, and places are numbers one can count."""
    return bool(span * n_kinds <= most and max(-low, low + span) * n_kinds < 2.0**53)


def _on_grid(
    values: Floats,
    codes: Codes,
    n_kinds: int,
    scale: float,
    ends: tuple[float, float],
    *,
    decimal: bool = False,
) -> Counts | None:
    """Count values by cell and kind, on a grid of `scale` cells a unit.

    Parameters
    ----------
    values, codes, n_kinds
        As in :func:`sorted_by_kind`.
    scale : float
        Cells a unit.
    ends : (low, span)
        The first cell, and the number of cells.
    decimal : bool
        Whether values must lie on the grid itself, rather than in its cells.

    Returns
    -------
    ndarray of shape (span, n_kinds) or None
        None if a value that should be on the grid is not.
    """
    low, span = ends
    # Short integers are quicker, if they are long enough.
    short: Any = np.int32 if max(-low, low + span) * n_kinds < 2**31 else np.int64
    offset, one = short(low * n_kinds), np.int64(1)
    table = np.zeros(int(span) * n_kinds, dtype=np.int64)
    # What is written over again and again need not be asked of the system again and again.
    buffers = [np.empty(_BLOCK, dtype=kind) for kind in (np.float64, short, np.intp)]
    for start in range(0, len(values), _BLOCK):
        own = values[start : start + _BLOCK]
        cell, number, place = (buffer[: len(own)] for buffer in buffers)
        np.multiply(own, scale, out=cell)
        if decimal:
            np.rint(cell, out=cell)
            if not np.array_equal(cell / scale, own):
                return None
        elif low < 0:
            np.floor(cell, out=cell)
        np.copyto(number, cell, casting="unsafe")  # cuts off what is behind the point
        number *= short(n_kinds)
        number += codes[start : start + _BLOCK]
        if offset:
            number -= offset
        np.copyto(place, number)
        np.add.at(table, place, one)
    return table.reshape(-1, n_kinds)


def _pieces(values: Floats, table: Counts) -> Iterator[tuple[int, Piece]]:
    """Take each kind's own values out of a table of all: a row a value, a column a kind."""
    for kind, column in enumerate(np.ascontiguousarray(table.T)):
        taken = np.flatnonzero(column)
        if len(taken):
            yield kind, (values[taken] + 0.0, column[taken])


def _repeats(sample: Floats) -> bool:
    """Whether many of the values occur more than once."""
    ordered = np.sort(sample)
    return bool(np.count_nonzero(ordered[1:] == ordered[:-1]) * 8 > len(ordered))


def add_up(a: Piece, b: Piece, *, on_grid: bool) -> Piece:
    """Bring two sorted pieces together.

    Parameters
    ----------
    a, b : (values, counts)
        Sorted distinct values and their counts.
    on_grid : bool
        Whether values are whole numbers of cells.
    """
    if np.array_equal(a[0], b[0]):
        return a[0], carried(a[1] + b[1])
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
