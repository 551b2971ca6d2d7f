"""The loops over the rows of a batch: scores to cells, columns to answers, cases to codes.

Each is written twice. The plain way is numpy, block by block. The other is a loop that numba
compiles, which goes through memory once and does not hold the interpreter's lock, so that threads
do not wait for one another; it is taken where numba is installed and a process has rows enough
for importing it to pay. Both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from cautious._typing import Floats, Ints, Mask
from cautious.decision.optimal._candidates import compiled, have_numba

__all__ = [
    "NUMBER",
    "codes_of",
    "compiled_loop",
    "count_codes",
    "count_on_grid",
    "expect_rows",
    "mark",
    "most_probable",
    "side_by_side",
]

# Importing numba takes as long as counting so many rows.
_ROWS_WORTH_COMPILING = 1 << 25
# Intermediate results of so many rows stay in the processor's cache.
_GRID_BLOCK, _COLUMN_BLOCK = 1 << 16, 1 << 13
# Compiled, fewer arrays share it.
_COMPILED_BLOCK = 1 << 12
# Rows that are off by no more than this are exact, in whatever order they are added up.
_SURE = 4.9e-7

# The golden ratio spreads numbers that are near one another.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

NUMBER = np.uint16
"""Class numbers in two bytes are four times quicker to write."""

_rows_seen = 0
_making = Lock()
_made: dict[str, Callable[..., Any]] = {}


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
    count = compiled_loop("count", len(scores))
    short = codes.dtype.itemsize == 1 and n_kinds < 128
    small = codes.view(np.int8) if short else codes.astype(np.int64, copy=False)
    rest = (n_kinds, float(scale), float(low), decimal, table)
    if count is None:
        done = _count_by_blocks(scores, small, *rest)
    else:
        ends = small.dtype.type(0), small.dtype.type(n_kinds - 1)
        every = (*ends, np.arange(n_kinds), 0, 1, -np.inf, np.inf)
        done = count(scores, small, *every, *rest) == len(scores)
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


def _making_count(sources: str) -> Callable[..., int]:
    def count(
        scores: Floats,
        codes: Any,
        first: Any,
        last: Any,
        kinds: Ints,
        start: int,
        step: int,
        least: float,
        most: float,
        n_kinds: int,
        scale: float,
        low: float,
        decimal: bool,
        table: npt.NDArray[np.int64],
    ) -> int:
        _ = sources
        for begin in range(start, scores.size, _COMPILED_BLOCK):
            own, code = scores[begin : begin + _COMPILED_BLOCK], codes[begin:]
            # Nothing of a block is counted before all of it is known to be in order. One loop
            # for one question: so that vector instructions can be used.
            wrong = 0
            for i in range(own.size):
                if not own[i] >= least:  # so that a NaN is wrong, too
                    wrong += 1
                if not own[i] <= most:
                    wrong += 1
            for i in range(own.size):
                if code[i] < first:
                    wrong += 1
                if code[i] > last:
                    wrong += 1
            if decimal:
                for i in range(own.size):
                    if np.rint(own[i] * scale) / scale != own[i]:
                        wrong += 1
            if wrong:
                return begin
            for i in range(own.size):
                cell = np.rint(own[i] * scale) if decimal else np.floor(own[i] * scale)
                kind = kinds[np.uint64(code[i] - first)]
                table[np.uint64(np.int64(cell - low) * n_kinds + kind)] += step
        return scores.size

    return count


def most_probable(p: list[Floats]) -> tuple[Ints, Floats] | None:
    """Find the most probable class of each row and its probability; ties go to the first class."""
    n = len(p[0])
    answer = np.zeros(n, dtype=NUMBER)
    confidence = np.empty(n)
    follow = compiled_loop("follow", n)
    together = None if follow is None else side_by_side(p)
    if follow is not None and together is not None:
        sure = follow(*together, np.arange(len(p), dtype=NUMBER), answer, confidence)
        return (answer.astype(np.intp), confidence) if sure else None
    for start in range(0, n, _COLUMN_BLOCK):
        rows = slice(start, start + _COLUMN_BLOCK)
        if not _look_through([column[rows] for column in p], answer[rows], confidence[rows]):
            return None
    return answer.astype(np.intp), confidence


def side_by_side(columns: list[Floats]) -> tuple[Floats, Ints] | None:
    """See several columns as one array, and give where in it each begins."""
    size, n = 8, len(columns[0])
    places = [column.__array_interface__["data"][0] for column in columns]
    first = min(places)
    if any((place - first) % size for place in places) or any(
        column.dtype != np.float64 or column.strides != (size,) for column in columns
    ):
        return None
    begins = np.array([(place - first) // size for place in places])
    base = columns[places.index(first)]
    return as_strided(base, (int(begins.max()) + n,), writeable=False), begins


def _look_through(p: list[Floats], which: npt.NDArray[Any], best: Floats) -> bool:
    """Note answers and confidences of a block; say whether all rows surely add up to one."""
    best[:] = p[0]
    total, least = best.copy(), best.min()
    for k, own in enumerate(p[1:], 1):
        # Later classes have greater numbers, so the greatest is that of the last one better.
        better = (own > best).astype(which.dtype, copy=False)
        np.maximum(which, better * which.dtype.type(k), out=which)
        np.maximum(best, own, out=best)
        least = min(least, own.min())
        with np.errstate(invalid="ignore"):  # infinities may meet
            total += own
    # Written so that a NaN fails, too.
    close = bool((np.abs(total - 1) <= _SURE).all())
    return close and bool(least >= 0 and best.max() <= 1)


def follow_block(
    base: Floats,
    begins: Ints,
    numbers: npt.NDArray[Any],
    start: int,
    which: npt.NDArray[Any],
    best: Floats,
    total: Floats,
) -> bool:
    """Do as :func:`_look_through` does, with the rows from `start` on, as many as `best` holds."""
    wrong = 0
    for i in range(best.size):
        best[i], total[i], which[i] = -1.0, 0.0, numbers[0]
    for column in range(begins.size):
        begin, k = begins[column] + start, numbers[column]
        own = base[begin : begin + best.size]
        # Numbers of one type all along, and plain ifs: so that vector instructions can be used.
        for i in range(own.size):
            value, most, at = own[i], best[i], which[i]
            total[i] += value
            if value > most:
                most, at = value, k
            best[i], which[i] = most, at
            if not value >= 0.0:
                wrong += 1
    for i in range(best.size):
        if not (abs(total[i] - 1.0) <= _SURE and best[i] <= 1.0):
            wrong += 1
    return wrong == 0


def _making_follow(sources: str) -> Callable[..., bool]:
    def follow(
        base: Floats,
        begins: Ints,
        numbers: npt.NDArray[Any],
        which: npt.NDArray[Any],
        best: Floats,
    ) -> bool:
        _ = sources
        total = np.empty(_COMPILED_BLOCK)
        for start in range(0, best.size, _COMPILED_BLOCK):
            stop = min(start + _COMPILED_BLOCK, best.size)
            rest = (which[start:stop], best[start:stop], total[: stop - start])
            if not follow_block(base, begins, numbers, start, *rest):
                return False
        return True

    return follow


def _making_answers(sources: str) -> Callable[..., int]:
    def answers(
        base: Floats,
        begins: Ints,
        numbers: npt.NDArray[Any],
        codes: Any,
        first: Any,
        last: Any,
        classes: Ints,
        stop: int,
        step: int,
        scale: float,
        decimal: bool,
        table: npt.NDArray[np.int64],
        pairs: npt.NDArray[np.int64],
        scores: Floats,
        kinds: npt.NDArray[Any],
    ) -> int:
        _ = sources
        n_classes = begins.size
        best, total = np.empty(_COMPILED_BLOCK), np.empty(_COMPILED_BLOCK)
        which = np.empty(_COMPILED_BLOCK, dtype=numbers.dtype)
        for start in range(0, stop, _COMPILED_BLOCK):
            code = codes[start : min(start + _COMPILED_BLOCK, stop)]
            rest = (which[: code.size], best[: code.size], total[: code.size])
            wrong = 0
            for i in range(code.size):
                if code[i] < first:
                    wrong += 1
                if code[i] > last:
                    wrong += 1
            if wrong or not follow_block(base, begins, numbers, start, *rest):
                return start
            if decimal:
                for i in range(code.size):
                    if np.rint(best[i] * scale) / scale != best[i]:
                        wrong += 1
                if wrong:
                    return start
            # Without a table, confidences and kinds of cases are written down.
            listed = table.size == 0
            for i in range(code.size):
                truth, answer = classes[np.uint64(code[i] - first)], np.int64(which[i])
                kind = 2 * truth + (answer != truth)
                pairs[np.uint64(answer * n_classes + truth)] += step
                if listed:
                    scores[np.uint64(start + i)] = best[i]
                    kinds[np.uint64(start + i)] = kind
                else:
                    cell = np.rint(best[i] * scale) if decimal else np.floor(best[i] * scale)
                    table[np.uint64(np.int64(cell) * 2 * n_classes + kind)] += step
        return stop

    return answers


def count_codes(
    n_codes: int, which: Ints, truth: Ints, n_classes: int, forced: Mask | None, part: Ints | None
) -> npt.NDArray[np.int64]:
    """Count cases by part, set, truth and whether the forced answer is right, in this order."""
    tabulate = compiled_loop("tabulate", len(which))
    if tabulate is None:
        code = codes_of(which, truth, n_classes, forced, part)
        return np.bincount(code, minlength=n_codes).astype(np.int64, copy=False)
    table = np.zeros(n_codes, dtype=np.int64)
    known = np.empty(0, dtype=np.bool_) if forced is None else forced
    parts = np.empty(0, dtype=np.intp) if part is None else part
    tabulate(which, truth, n_classes, known, parts, table)
    return table


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


def _making_tabulate(sources: str) -> Callable[..., None]:
    def tabulate(
        which: Ints,
        truth: Ints,
        n_classes: int,
        forced: Mask,
        part: Ints,
        table: npt.NDArray[np.int64],
    ) -> None:
        _ = sources
        for i in range(which.size):
            code = which[i]
            if part.size:
                code += part[i]
            code = (code * n_classes + truth[i]) * 3
            if forced.size:
                code += np.intp(forced[i]) + 1
            table[np.uint64(code)] += 1

    return tabulate


def mark(
    scores: Floats, kinds: npt.NDArray[np.integer[Any]], bits: int, taken: npt.NDArray[np.uint8]
) -> None:
    """Set a mark for every pair of a score and a kind, at a place that a hash gives it."""
    marking = compiled_loop("mark", 0)
    if marking is not None:
        marking(scores.view(np.uint64), kinds, np.uint64(64 - bits), _GOLDEN, taken)
        return
    for start in range(0, len(scores), _GRID_BLOCK):
        rows = slice(start, start + _GRID_BLOCK)
        hashed = scores[rows].view(np.uint64) + kinds[rows].astype(np.uint64)
        hashed *= _GOLDEN
        hashed >>= np.uint64(64 - bits)
        taken[hashed.view(np.int64)] = 1


def _making_mark(sources: str) -> Callable[..., None]:
    def marking(scores: Any, kinds: Any, shift: Any, golden: Any, taken: Any) -> None:
        _ = sources
        for i in range(scores.size):
            taken[((scores[i] + np.uint64(kinds[i])) * golden) >> shift] = 1

    return marking


_MAKING: dict[str, tuple[Callable[[str], Callable[..., Any]], tuple[Callable[..., Any], ...]]] = {
    "count": (_making_count, ()),
    "follow": (_making_follow, (follow_block,)),
    "answers": (_making_answers, (follow_block,)),
    "tabulate": (_making_tabulate, ()),
    "mark": (_making_mark, ()),
}


def expect_rows(n_rows: int) -> None:
    """Tell that so many rows are to come: if they are worth it, compile before the first."""
    if n_rows >= _ROWS_WORTH_COMPILING:
        compiled_loop("count", n_rows)


def compiled_loop(name: str, n_rows: int) -> Callable[..., Any] | None:
    """Give a compiled loop, or None while the plain way is quicker or the only one."""
    global _rows_seen
    _rows_seen += n_rows  # threads may lose a few rows here; it is only a hint
    if _rows_seen < _ROWS_WORTH_COMPILING or not have_numba():
        return None
    if name not in _made:
        # While one thread compiles, the others go on in the plain way.
        if not _making.acquire(blocking=False):
            return None
        try:
            _made[name] = compiled(*_MAKING[name])
        finally:
            _making.release()
    return _made[name]
