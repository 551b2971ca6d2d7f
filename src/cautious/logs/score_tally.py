r"""Counts at each distinct score: exact while they fit, on the finest dyadic grid that fits after.

Scores are counted apart for every *kind* of case (its true class, whether the answer was wrong, its
model and group). While there are at most `limit` pairs of a distinct score and a kind, all are
kept. Beyond that, scores are rounded down to multiples of :math:`2^e`, with the smallest exponent
:math:`e` that leaves at most `cells` pairs.

Both conditions look at *all* the data: pairs never become fewer as data are added, and never more
as :math:`e` grows, since every cell of one grid is two of the grid below. So whatever a part of the
data needs, the whole needs too, and any split merged in any order gives the same tally. It also
makes `at_least` safe, a hint that lets later batches skip what earlier ones have proved useless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats
from cautious.logs.arrow_columns import Codes
from cautious.logs.exact_sums import Counts
from cautious.logs.rasters import (
    Piece,
    add_up,
    cells_of,
    coarser,
    gathered,
    raster,
    sorted_by_kind,
)

__all__ = ["Kind", "Limits", "ScoreTally", "sort_key"]


class Kind(NamedTuple):
    """What a case is, apart from its score."""

    model: Any
    group: Any
    truth: Any
    wrong: bool = False


class Limits(NamedTuple):
    """How many pairs of a score and a kind to keep: distinct ones, or cells if these are more."""

    limit: int
    cells: int


class Raw(NamedTuple):
    """Scores that are not yet sorted and added up, and the kind of each, as a position."""

    scores: Floats
    codes: Codes
    kinds: list[Kind]


# Cells of 1e-60 are fine enough for any score; in the coarsest all of a kind share a few cells.
_FINEST, _COARSEST = -200, 801
# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class ScoreTally:
    """Counts at scores, or in cells of a grid, for each kind of case.

    Attributes
    ----------
    limits : Limits
        How much may be kept.
    exponent : int or None
        Cells are ``2**exponent`` wide, cell ``i`` beginning at ``i * 2**exponent``; ``None`` while
        the scores themselves are kept.
    pieces : dict
        For each kind, sorted distinct scores or cells, and their counts.
    raw : tuple of Raw
        Scores still to be added: sorting waits until it is known to be worth while.
    """

    limits: Limits
    exponent: int | None = None
    pieces: dict[Kind, Piece] = field(default_factory=dict)
    raw: tuple[Raw, ...] = ()

    @classmethod
    def of_cases(
        cls,
        scores: Floats,
        codes: Codes,
        kinds: list[Kind],
        counts: Counts | None,
        limits: Limits,
        at_least: int | None = None,
    ) -> ScoreTally:
        """Count a batch.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores, none of them NaN.
        codes : ndarray of shape (n,), int
            Position of each case's kind in `kinds`.
        kinds : list of Kind
            The kinds that may occur.
        counts : ndarray or None
            Weights in fixed point, or ``None`` to count every case once.
        limits : Limits
            How much may be kept.
        at_least : int, optional
            An exponent that other data are known to need.
        """
        found: Iterator[tuple[int, Piece]] | None
        if at_least is not None:
            found = raster(scores, codes, len(kinds), counts, at_least)
        elif counts is not None:
            found = sorted_by_kind(scores, codes, len(kinds), counts)
        else:
            found = gathered(scores, codes, len(kinds))
        if found is None:
            codes = codes.astype(np.min_scalar_type(len(kinds)), copy=False)
            return cls(limits, raw=(Raw(scores, codes, kinds),))._within_limits()
        return cls(limits, at_least, {kinds[code]: piece for code, piece in found}).settled()

    def merge(self, other: ScoreTally) -> ScoreTally:
        """Add two tallies up."""
        a, b = self, other
        known = [tally.exponent for tally in (a, b) if tally.exponent is not None]
        if known:
            a, b = a.coarsened(max(known)), b.coarsened(max(known))
        pieces = _joined(a, b.pieces).pieces
        return ScoreTally(self.limits, a.exponent, pieces, a.raw + b.raw)._within_limits()

    def settled(self) -> ScoreTally:
        """Canonical form: nothing left to add, and as fine as the limits allow."""
        if self.exponent is not None:
            return self._fitted()
        if self.n_kept > self.limits.limit and self._surely_too_many():
            return self._on_finest_grid()
        tally = self
        for part in self.raw:
            found = sorted_by_kind(part.scores, part.codes, len(part.kinds), None)
            pieces = {part.kinds[code]: piece for code, piece in found}
            tally = _joined(tally, pieces)
        tally = ScoreTally(self.limits, None, tally.pieces)
        return tally if tally.n_kept <= self.limits.limit else tally._on_finest_grid()

    def coarsened(self, exponent: int) -> ScoreTally:
        """Round down to multiples of ``2**exponent``, no finer than they are now."""
        if self.exponent == exponent:
            return self
        pieces = {
            kind: coarser(cells_of(values, exponent), counts, 0)
            if self.exponent is None
            else coarser(values, counts, exponent - self.exponent)
            for kind, (values, counts) in self.pieces.items()
        }
        tally = ScoreTally(self.limits, exponent, pieces)
        for part in self.raw:
            found = raster(part.scores, part.codes, len(part.kinds), None, exponent)
            tally = _joined(tally, {part.kinds[code]: piece for code, piece in found})
        return tally

    def canonical(self) -> Iterator[tuple[Kind, Floats, Counts]]:
        """Kinds in a fixed order, with sorted scores or cells and their counts."""
        settled = self.settled().pieces
        for kind in sorted(settled, key=lambda kind: tuple(map(sort_key, kind))):
            yield kind, *settled[kind]

    @property
    def n_kept(self) -> int:
        """Number of pairs kept at the moment, repeated scores included."""
        added = sum(len(values) for values, _ in self.pieces.values())
        return added + sum(len(part.scores) for part in self.raw)

    def _within_limits(self) -> ScoreTally:
        """Settle only once clearly more is kept than allowed: doing it all the time is dear."""
        if self.exponent is None and self.n_kept <= 1.5 * self.limits.limit:
            return self
        return self.settled()

    def _fitted(self) -> ScoreTally:
        """Coarsen a tally on a grid until it fits."""
        tally = self
        while tally.n_kept > self.limits.cells:
            assert tally.exponent is not None
            if tally.exponent >= _COARSEST:
                raise ValueError(
                    f"there are {len(tally.pieces):,} kinds of cases (models × groups × classes), "
                    f"and memory_budget= leaves room for {self.limits.cells:,} cells in all; "
                    "give a larger memory_budget, or fewer groups."
                )
            tally = tally.coarsened(tally.exponent + 1)
        return tally

    def _blocks(self, stride: int = 1) -> Iterator[tuple[Floats, npt.NDArray[np.uint64]]]:
        """All that is kept, or every so manieth of it, block by block, with numbers for kinds."""
        number: dict[Kind, int] = {}
        kept: list[tuple[Floats, Codes, list[Kind]]] = [
            (values, np.broadcast_to(np.uint8(0), len(values)), [kind])
            for kind, (values, _) in self.pieces.items()
        ]
        for scores, codes, kinds in (*kept, *self.raw):
            numbers = [number.setdefault(kind, len(number)) for kind in kinds]
            table = np.array(numbers, dtype=np.uint64)
            for start in range(0, len(scores), stride * _BLOCK):
                block = slice(start, start + stride * _BLOCK, stride)
                yield scores[block] + 0.0, table[codes[block]]

    def _surely_too_many(self) -> bool:
        """Whether there are more distinct pairs than allowed, shown without sorting them.

        Values are thrown into a table by a hash. Equal ones meet in one place, so there are at
        least as many distinct values as places taken.
        """
        bits = int(2 * self.limits.limit - 1).bit_length()
        taken = np.zeros(1 << bits, dtype=np.bool_)
        for at, (values, kinds) in enumerate(self._blocks(), 1):
            hashed = values.view(np.uint64)
            hashed += kinds
            hashed *= np.uint64(0x9E3779B97F4A7C15)
            hashed >>= np.uint64(64 - bits)
            taken[hashed.view(np.int64)] = True
            if at % 8 == 0 and np.count_nonzero(taken) > self.limits.limit:
                return True
        return int(np.count_nonzero(taken)) > self.limits.limit

    def _on_finest_grid(self) -> ScoreTally:
        """Leave exact scores for the finest grid that fits."""
        # What part of the scores needs, all of them need: a sample finds nearly the exponent.
        stride = max(1, self.n_kept // (2 * self.limits.cells))
        values, kinds = map(np.concatenate, zip(*self._blocks(stride), strict=True))
        sample = [np.sort(values[kinds == kind]) for kind in np.unique(kinds)]
        fits, too_fine = _COARSEST, _FINEST - 1
        while fits - too_fine > 1:
            middle = (fits + too_fine) // 2
            n_cells = len(sample)
            for cells in (cells_of(values, middle) for values in sample):
                n_cells += int(np.count_nonzero(cells[1:] != cells[:-1]))
            fits, too_fine = (middle, too_fine) if n_cells <= self.limits.cells else (fits, middle)
        return self.coarsened(fits)._fitted()


def _joined(tally: ScoreTally, pieces: dict[Kind, Piece]) -> ScoreTally:
    """Add sorted pieces to those of a tally, of whatever size."""
    joined = dict(tally.pieces)
    for kind, piece in pieces.items():
        own = joined.get(kind)
        on_grid = tally.exponent is not None
        joined[kind] = piece if own is None else add_up(own, piece, on_grid=on_grid)
    return ScoreTally(tally.limits, tally.exponent, joined)


def sort_key(label: Any) -> tuple[str, Any]:
    """Order for labels of different types, and for none."""
    return type(label).__name__, "" if label is None else label
