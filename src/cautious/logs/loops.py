"""The loops over the rows of a batch: scores to cells, columns to answers, cases to codes.

Scores are counted in two ways, which give the same bits: by numpy, block by block, or by a loop
that numba compiles. That does not hold the interpreter's lock, so that threads do not wait for one
another; it is taken where numba is installed and a process has rows enough for importing it to pay.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Mask
from cautious.decision.optimal._candidates import compiled, have_numba

# Importing numba takes as long as counting so many rows.
_ROWS_WORTH_COMPILING = 1 << 25
# Intermediate results of so many rows stay in the processor's cache.
_GRID_BLOCK, _COLUMN_BLOCK = 1 << 16, 1 << 13

# The golden ratio spreads numbers that are near one another.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# Class numbers in two bytes are four times quicker to write.
_NUMBER = np.uint16

_rows_seen = 0
_making = Lock()
_count: Callable[..., bool] | None = None


def count_on_grid(
    scores: Floats,
    codes: npt.NDArray[np.integer[Any]],
    n_kinds: int,
    scale: float,
    low: float,
    span: int,
    *,
    decimal: bool,
) -> npt.NDArray[np.int64] | None:
    """Count scores in a table of cells and kinds."""
    table = np.zeros(span * n_kinds, dtype=np.int64)
    short = codes.dtype.itemsize == 1 and n_kinds < 128
    small = codes.view(np.int8) if short else codes.astype(np.int64, copy=False)
    count = _compiled_count(len(scores)) or _count_by_blocks
    done = count(scores, small, n_kinds, float(scale), float(low), decimal, table)
    return table.reshape(span, n_kinds) if done else None


def _count_by_blocks(
    scores: Floats,
    codes: npt.NDArray[np.integer[Any]],
    n_kinds: int,
    scale: float,
    low: float,
    decimal: bool,
    table: npt.NDArray[np.int64],
) -> bool:
    # Short integers are quicker, if they are long enough.
    most = max(-low, low + len(table) / n_kinds) * n_kinds
    short: Any = np.int32 if most < 2**31 else np.int64
    offset, one = short(low * n_kinds), np.int64(1)
    # Memory that is written over again and again need not be allocated again and again.
    buffers = [np.empty(_GRID_BLOCK, dtype=kind) for kind in (np.float64, short, np.intp)]
    for start in range(0, len(scores), _GRID_BLOCK):
        own = scores[start : start + _GRID_BLOCK]
        cell, number, place = (buffer[: len(own)] for buffer in buffers)
        np.multiply(own, scale, out=cell)
        if decimal:
            np.rint(cell, out=cell)
            if not np.array_equal(cell / scale, own):
                return False
        elif low < 0:
            np.floor(cell, out=cell)
        np.copyto(number, cell, casting="unsafe")  # cuts off what is behind the point
        number *= short(n_kinds)
        np.add(number, codes[start : start + _GRID_BLOCK], out=number, casting="unsafe")
        number -= offset
        np.copyto(place, number)
        np.add.at(table, place, one)
    return True


def _making_count(sources: str) -> Callable[..., bool]:
    def count(
        scores: Floats,
        codes: Any,
        n_kinds: int,
        scale: float,
        low: float,
        decimal: bool,
        table: npt.NDArray[np.int64],
    ) -> bool:
        _ = sources
        for i in range(scores.size):
            cell = np.rint(scores[i] * scale) if decimal else np.floor(scores[i] * scale)
            if decimal and cell / scale != scores[i]:
                return False
            table[np.uint64(np.int64(cell - low) * n_kinds + codes[i])] += 1
        return True

    return count


def most_probable(proba: Floats) -> tuple[Ints, Floats]:
    """Find the most probable class of each row and its probability; ties go to the first class.

    Rows of nan answer the first class, with confidence nan.
    """
    n, k = proba.shape
    answer, confidence = np.zeros(n, dtype=_NUMBER), np.empty(n)
    for start in range(0, n, _COLUMN_BLOCK):
        rows = slice(start, start + _COLUMN_BLOCK)
        which, best = answer[rows], confidence[rows]
        best[:] = proba[rows, 0]
        for at in range(1, k):
            own = proba[rows, at]
            # Later classes have greater numbers, so the greatest is that of the last one better.
            better = (own > best).astype(_NUMBER, copy=False)
            np.maximum(which, better * _NUMBER(at), out=which)
            np.maximum(best, own, out=best)
    return answer.astype(np.intp), confidence


def count_codes(
    n_codes: int, which: Ints, truth: Ints, n_classes: int, forced: Mask | None, part: Ints | None
) -> npt.NDArray[np.int64]:
    """Count cases by part, set, truth and whether the forced answer is right, in this order."""
    code = codes_of(which, truth, n_classes, forced, part)
    return np.bincount(code, minlength=n_codes).astype(np.int64, copy=False)


def codes_of(
    which: Ints, truth: Ints, n_classes: int, forced: Mask | None, part: Ints | None
) -> Ints:
    """Code of each case; see :func:`count_codes`."""
    code = (which if part is None else which + part) * n_classes
    code += truth
    code *= 3
    if forced is not None:
        code += forced
        code += 1
    return code


def mark(
    scores: Floats, kinds: npt.NDArray[np.integer[Any]], bits: int, taken: npt.NDArray[np.uint8]
) -> None:
    """Set a mark for every pair of a score and a kind, at a place that a hash gives it."""
    for start in range(0, len(scores), _GRID_BLOCK):
        rows = slice(start, start + _GRID_BLOCK)
        hashed = scores[rows].view(np.uint64) + kinds[rows].astype(np.uint64)
        hashed *= _GOLDEN
        hashed >>= np.uint64(64 - bits)
        taken[hashed.view(np.int64)] = 1


def expect_rows(n_rows: int) -> None:
    """Tell that so many rows are to come: if they are worth it, compile before the first."""
    if n_rows >= _ROWS_WORTH_COMPILING:
        _compiled_count(n_rows)


def _compiled_count(n_rows: int) -> Callable[..., bool] | None:
    """Give the compiled loop, or None while the plain way is quicker or the only one."""
    global _rows_seen, _count
    _rows_seen += n_rows  # threads may lose a few rows here; it is only a hint
    if _rows_seen < _ROWS_WORTH_COMPILING or not have_numba():
        return None
    # While one thread compiles, the others go on in the plain way.
    if _count is None and _making.acquire(blocking=False):
        try:
            _count = compiled(_making_count, ())
        finally:
            _making.release()
    return _count
