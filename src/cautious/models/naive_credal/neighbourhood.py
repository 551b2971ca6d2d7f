"""Training rows around a test row, and what is counted among them.

The overlap distance of two rows is the number of features in which they differ; a missing cell
differs from everything. A neighbourhood always takes in all rows at its largest distance, so it is
a ball, and a row has at most m + 1 of them. A ball grows by a ring, and only the ring is counted.

Both steps are written twice: in numpy, and as loops that numba compiles. What they give are whole
numbers, so they give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Mask
from cautious.decision.optimal._candidates import compiled, have_numba
from cautious.models.discrete import MISSING

Whole: TypeAlias = npt.NDArray[np.integer[Any]]
"""Whole numbers of any length."""

# A missing test cell must not match a missing training cell.
_MISSING_IN_TEST = -2
# Bytes in a word, and the most that one byte can hold.
_WORD, _MOST_IN_BYTE = 8, 255
# Importing numba takes longer than comparing so many cells.
_CELLS_WORTH_COMPILING = 1 << 28
# One in so many training rows is sorted by its distance at once.
_NEAREST = 8
# Distances of so many rows stay in the processor's cache while feature after feature is compared.
_BLOCK = 1 << 12
# In every byte of a word: the lowest bit, and all bits but the highest.
_LOWEST, _LOWER = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)
_SEVEN = np.uint64(7)


def overlap_distances(train: Ints, test: Ints) -> Whole:
    """Count the features in which each test row differs from each training row."""
    m, n = train.shape
    distances = np.empty((test.shape[1], n), dtype=np.min_scalar_type(max(m, 1)))
    # Row by row, so that all comparisons of a row stay in the processor's cache.
    differs = np.empty(train.shape, dtype=np.bool_)
    for row, own in zip(_asked(train, test).T, distances, strict=True):
        np.not_equal(train, row[:, None], out=differs)
        np.add.reduce(differs.view(np.uint8), axis=0, dtype=own.dtype, out=own)
    return distances


def _asked(train: Ints, test: Ints) -> Ints:
    """Codes of test rows in the type of the training rows, none equal where cells are missing."""
    return np.where(test == MISSING, _MISSING_IN_TEST, test).astype(train.dtype)


@dataclass(frozen=True)
class RowCounts:
    r"""What was counted in the neighbourhood of each row.

    Attributes
    ----------
    class_counts : ndarray of shape (n, K)
        :math:`n(c)`.
    counts : ndarray of shape (n, m, K)
        :math:`n(a_i, c)` for the row's own values.
    present : ndarray of shape (n, m, K)
        Neighbours of each class whose feature is not missing; of shape (0, 0, 0) if no cell of the
        training rows is, which makes them all the neighbours of the class.
    observed : ndarray of shape (n, m)
        Which cells of the row are not missing.
    """

    class_counts: Floats
    counts: Floats
    present: Floats
    observed: Mask

    @property
    def totals(self) -> Floats:
        r""":math:`\tilde n_i(c)`, of shape (n, m, K)."""
        if self.present.size:
            return self.present
        return np.broadcast_to(self.class_counts[:, None, :], self.counts.shape)

    def __getitem__(self, rows: Ints) -> RowCounts:
        present = self.present[rows] if self.present.size else self.present
        return RowCounts(self.class_counts[rows], self.counts[rows], present, self.observed[rows])


@dataclass(frozen=True)
class Found:
    """What is known of the neighbours of some test rows."""

    asked: Ints  # (b, w): codes of the test rows, filled up to whole words
    distances: Whole  # (b, n)
    sizes: Floats  # (b, m + 1): (weighted) training rows within each distance
    # For the compiled loops: rows sorted by distance, up to which distance, sizes as integers.
    nearest: tuple[Whole, Whole, Whole] | None


@dataclass(frozen=True)
class Neighbours:
    """Training rows ready to be searched."""

    codes: Ints  # (m, n), in the smallest type that holds them
    y: Ints  # class codes, sorted
    n_classes: int
    weight: Floats | None

    def worth_compiling(self, n_rows: int) -> bool:
        """Whether so many test rows are looked for by compiled loops."""
        bytes_do = self.codes.dtype == np.int8 and len(self.codes) <= _MOST_IN_BYTE
        many = self.codes.size * n_rows >= _CELLS_WORTH_COMPILING
        return many and bytes_do and self.weight is None and have_numba()

    def search(self, test: Ints, *, accelerate: bool = False) -> Found:
        """Measure how far the training rows are from test rows, given as codes of shape (m, b)."""
        m, b = test.shape
        asked = np.zeros((b, self._by_row.shape[1]), dtype=self.codes.dtype)
        asked[:, :m] = test.T
        if accelerate:
            distances: Whole = np.empty((b, len(self.y)), dtype=np.uint8)
            order, reach = np.empty((b, len(self.y)), dtype=np.int32), np.empty(b, dtype=np.intp)
            sizes = np.empty((b, m + 1), dtype=np.int64)
            apart = np.ascontiguousarray(_asked(self.codes, test).T)
            compiled(_making_measure, ())(self.codes, apart, distances, sizes, order, reach)
            return Found(asked, distances, sizes.astype(np.float64), (order, reach, sizes))
        distances = overlap_distances(self.codes, test)
        rings = [np.bincount(row, self.weight, minlength=m + 1) for row in distances]
        sizes = np.cumsum(rings, axis=1, dtype=np.float64).reshape(b, m + 1)
        return Found(asked, distances, sizes, None)

    def no_counts(self, test: Ints) -> RowCounts:
        """Begin to count: no neighbours of test rows, given as codes of shape (m, b)."""
        m, b = test.shape
        shape = (b, m, self.n_classes)
        present = np.zeros(shape if self._any_missing else (0, 0, 0))
        observed = np.ascontiguousarray((test != MISSING).T)
        return RowCounts(np.zeros((b, self.n_classes)), np.zeros(shape), present, observed)

    def count_ring(
        self, found: Found, rows: Ints, inner: Ints, outer: Ints, counts: RowCounts
    ) -> None:
        """Count the training rows farther than ``inner`` and no farther than ``outer``."""
        if found.nearest is not None:
            words = self._by_row.view(np.uint64), found.asked.view(np.uint64)
            ring = (rows, inner, outer, counts.class_counts, counts.counts, counts.present)
            count = compiled(_making_count, (equal_bytes,))
            count(found.distances, *found.nearest, self.y, *words, *ring)
            return
        b, m, K = len(rows), len(self.codes), self.n_classes
        near = found.distances[rows]
        # One comparison in the smallest type: what is too near becomes very large.
        nearest, kind = inner + 1, near.dtype
        beyond = near - nearest[:, None].astype(kind)
        flat = np.flatnonzero(beyond <= (outer - nearest)[:, None].astype(kind))
        each = np.diff(np.searchsorted(flat, np.arange(b + 1) * len(self.y)))
        neighbour = flat - np.repeat(np.arange(b) * len(self.y), each)
        weight = None if self.weight is None else self.weight[neighbour]
        # Sorted, as the training rows are.
        cell = np.repeat(np.arange(b) * K, each) + self.y.take(neighbour)
        counts.class_counts[rows] += np.bincount(cell, weight, minlength=b * K).reshape(b, K)
        known = self._by_row.take(neighbour, axis=0)

        def by_cell(told: Mask) -> Floats:
            sums = _sums_by_cell(told, cell, weight, b * K)
            return sums[:, :m].reshape(b, K, m).transpose(0, 2, 1)

        counts.counts[rows] += by_cell(known == np.repeat(found.asked[rows], each, axis=0))
        if self._any_missing:
            counts.present[rows] += by_cell(known != MISSING)

    @cached_property
    def _by_row(self) -> Ints:
        """Codes of one training row after the other, the rows filled up to whole words."""
        m, n = self.codes.shape
        rows = np.zeros((n, -(-m // _WORD) * _WORD), dtype=self.codes.dtype)
        rows[:, :m] = self.codes.T
        return rows

    @cached_property
    def _any_missing(self) -> bool:
        return bool((self.codes == MISSING).any())


def _sums_by_cell(told: Mask, cell: Ints, weight: Floats | None, n_cells: int) -> Floats:
    """Add up the rows of a mask for each cell; cells are sorted."""
    sums = np.zeros((n_cells, told.shape[1]))
    if not told.size:  # no rows, or no features
        return sums
    starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
    if weight is not None:
        sums[cell[starts]] = np.add.reduceat(told * weight[:, None], starts, axis=0)
        return sums
    cuts = -(-np.diff(starts, append=len(cell)) // _MOST_IN_BYTE)
    first = np.cumsum(cuts) - cuts
    within = np.arange(cuts.sum()) - np.repeat(first, cuts)
    pieces = np.repeat(starts, cuts) + _MOST_IN_BYTE * within
    words = np.ascontiguousarray(told.view(np.uint64).T)
    added = np.stack([np.add.reduceat(word, pieces) for word in words], axis=1).view(np.uint8)
    sums[cell[starts]] = np.add.reduceat(added, first, axis=0, dtype=np.float64)
    return sums


def _making_measure(sources: str) -> Callable[..., None]:
    def measure(
        codes: Whole, asked: Whole, distances: Whole, sizes: Whole, order: Whole, reach: Whole
    ) -> None:
        _ = sources
        m, n = codes.shape
        # Neighbouring rows are often equally far; several tables do not wait for one another.
        tables = np.empty((4, m + 1), dtype=np.int64)
        found, place = np.empty(n + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int64)
        for row in range(asked.shape[0]):
            for start in range(0, n, _BLOCK):
                own = distances[row, start : min(start + _BLOCK, n)]
                for j in range(own.size):
                    own[j] = 0
                for i in range(m):
                    known, value = codes[i, start : start + own.size], asked[row, i]
                    for j in range(own.size):
                        own[j] += known[j] != value
            far = distances[row]
            tables[:] = 0
            for j in range(0, n - 3, 4):
                tables[0, far[j]] += 1
                tables[1, far[j + 1]] += 1
                tables[2, far[j + 2]] += 1
                tables[3, far[j + 3]] += 1
            for j in range(n // 4 * 4, n):
                tables[0, far[j]] += 1
            size, reach[row] = 0, -1
            for i in range(m + 1):
                place[i] = size
                if size * _NEAREST < n:
                    reach[row] = i
                size += tables[0, i] + tables[1, i] + tables[2, i] + tables[3, i]
                sizes[row, i] = size
            # The nearest rows are soon asked for, ring by ring: sort them while they are at hand.
            length, most = 0, np.uint8(reach[row])
            for j in range(n):
                found[length] = j
                length += far[j] <= most
            for j in found[:length]:
                order[row, place[far[j]]] = j
                place[far[j]] += 1

    return measure


def equal_bytes(word: Any) -> Any:
    """Put a one into each byte that is zero, and a zero into the others."""
    return (~(((word & _LOWER) + _LOWER) | word) >> _SEVEN) & _LOWEST


def _making_count(sources: str) -> Callable[..., None]:
    def count(
        distances: Whole,
        order: Whole,
        reach: Whole,
        sizes: Whole,
        y: Whole,
        known: Any,
        asked: Any,
        rows: Whole,
        inner: Whole,
        outer: Whole,
        class_counts: Floats,
        counts: Floats,
        present: Floats,
    ) -> None:
        _ = sources
        n, m, words, zero = y.size, counts.shape[1], known.shape[1], np.uint64(0)
        scanned = np.empty(n + 1, dtype=np.int32)
        same, missing = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.uint64)
        same_bytes, missing_bytes = same.view(np.uint8), missing.view(np.uint8)
        for i in range(rows.size):
            row, length = rows[i], 0
            first = sizes[row, inner[i]] if inner[i] >= 0 else 0
            found = order[row, first : sizes[row, outer[i]]]
            if outer[i] > reach[row]:
                own, least, most = distances[row], np.uint8(inner[i] + 1), np.uint8(outer[i])
                for j in range(n):
                    scanned[length] = j
                    length += (own[j] >= least) & (own[j] <= most)
                found = scanned[:length]
            begin, length = 0, found.size
            while begin < length:
                # A run of one class, as long as bytes can count it.
                label, end = y[found[begin]], begin
                while end < length and end - begin < _MOST_IN_BYTE and y[found[end]] == label:
                    end += 1
                for w in range(words):
                    sums, value = zero, asked[row, w]
                    for e in range(begin, end):
                        sums += equal_bytes(known[found[e], w] ^ value)
                    same[w] = sums
                class_counts[row, label] += end - begin
                for f in range(m):
                    counts[row, f, label] += same_bytes[f]
                if present.size:
                    for w in range(words):
                        sums = zero
                        for e in range(begin, end):
                            sums += equal_bytes(~known[found[e], w])  # all bits are set
                        missing[w] = sums
                    for f in range(m):
                        present[row, f, label] += end - begin - missing_bytes[f]
                begin = end

    return count
