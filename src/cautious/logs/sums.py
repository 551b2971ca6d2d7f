r"""Counts that are the same on every machine: weights in fixed point, scores in cells of a grid.

Floating-point sums depend on the order of their terms, and nobody knows the order in which a
cluster finishes. So each weight is rounded once, to a multiple of :math:`2^{-64}` (about 5e-20),
and written as whole numbers to the base :math:`2^{32}`; integers add up exactly. Rows without
weights are counted by plain integers.

Scores are counted in two ways, which give the same bits: by numpy, block by block, or by a loop
that numba compiles. That does not hold the interpreter's lock, so that threads do not wait for one
another; it is taken where numba is installed and a process has rows enough for importing it to pay.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats
from cautious.decision.optimal._candidates import compiled, have_numba

Counts: TypeAlias = npt.NDArray[np.int64]
"""Counts of shape (m,); or weights in fixed point, (m, 3): whole part and two 32-bit digits."""

_BASE_BITS = 32
_BASE = float(1 << _BASE_BITS)
# Importing numba takes as long as counting so many rows.
_ROWS_WORTH_COMPILING = 1 << 25
# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 16
# The golden ratio spreads numbers that are near one another.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

_rows_seen = 0
_making = Lock()
_count: Callable[..., bool] | None = None


def fixed_point(weight: Floats) -> Counts:
    """Write weights in fixed point."""
    whole = np.floor(weight)
    digits = (weight - whole) * _BASE  # exact: so many leading bits are taken away, none moved
    high = np.floor(digits)
    low = np.rint((digits - high) * _BASE)
    return carried(np.stack([whole, high, low], axis=-1).astype(np.int64))


def carried(counts: Counts) -> Counts:
    """Carry digits beyond the base over to the next place; plain counts stay as they are."""
    if counts.ndim > 1:
        for place in (2, 1):
            counts[:, place - 1] += counts[:, place] >> _BASE_BITS
            counts[:, place] &= (1 << _BASE_BITS) - 1
        if (counts[:, 0] < 0).any():  # no weight is negative: this sum has overflowed
            raise ValueError("weights add up to 2**63 or more; divide all by the same number.")
    return counts


def floats(counts: Counts) -> Floats:
    """Nearest floating-point numbers."""
    if counts.ndim == 1:
        return counts.astype(np.float64)
    # The two digits hold 64 bits, more than a float does: adding from the small end rounds once.
    small = counts[:, 2] / _BASE + counts[:, 1]
    return np.asarray(small / _BASE + counts[:, 0])


def check_counts(counts: Counts, n: int) -> None:
    """Refuse counts that nothing can add up to: of a wrong shape, negative, or zero."""
    if counts.dtype != np.int64 or counts.shape not in ((n,), (n, 3)):
        raise ValueError(f"{n} counts have the shape {counts.shape}")
    digits = counts[:, 1:] if counts.ndim > 1 else counts[:0]
    none = counts <= 0 if counts.ndim == 1 else ~counts.any(axis=1)
    if (counts < 0).any() or none.any() or (digits >> _BASE_BITS).any():
        raise ValueError("counts are negative, zero or too large")


def count_on_grid(
    scores: Floats,
    codes: npt.NDArray[np.integer[Any]],
    n_kinds: int,
    scale: float,
    low: float,
    span: int,
    *,
    decimal: bool,
) -> Counts | None:
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
    table: Counts,
) -> bool:
    # Short integers are quicker, if they are long enough.
    most = max(-low, low + len(table) / n_kinds) * n_kinds
    short: Any = np.int32 if most < 2**31 else np.int64
    offset, one = short(low * n_kinds), np.int64(1)
    # Memory that is written over again and again need not be allocated again and again.
    buffers = [np.empty(_BLOCK, dtype=kind) for kind in (np.float64, short, np.intp)]
    for start in range(0, len(scores), _BLOCK):
        own = scores[start : start + _BLOCK]
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
        np.add(number, codes[start : start + _BLOCK], out=number, casting="unsafe")
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
        table: Counts,
    ) -> bool:
        _ = sources
        for i in range(scores.size):
            cell = np.rint(scores[i] * scale) if decimal else np.floor(scores[i] * scale)
            if decimal and cell / scale != scores[i]:
                return False
            table[np.uint64(np.int64(cell - low) * n_kinds + codes[i])] += 1
        return True

    return count


def mark(
    scores: Floats, kinds: npt.NDArray[np.integer[Any]], bits: int, taken: npt.NDArray[np.uint8]
) -> None:
    """Set a mark for every pair of a score and a kind, at a place that a hash gives it."""
    for start in range(0, len(scores), _BLOCK):
        rows = slice(start, start + _BLOCK)
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
