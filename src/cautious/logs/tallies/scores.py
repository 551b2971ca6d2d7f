r"""Counts at each distinct score: exact while they fit, on the finest dyadic grid that fits after.

Scores are counted apart for every *kind* of case (its true class, whether the answer was wrong, its
model and group). While there are at most `limit` pairs of a distinct score and a kind, all are
kept. Beyond that, scores are rounded down to multiples of :math:`2^e`, with the smallest exponent
:math:`e` that leaves at most `cells` pairs.

Both conditions look at *all* the data: pairs never become fewer as data are added, and never more
as :math:`e` grows, since every cell of one grid is two of the grid below. So whatever a part of the
data needs, the whole needs too, and any split added up in any order gives the same tally. It also
makes `at_least` safe, a hint that lets later batches skip what earlier ones have proved useless.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints
from cautious.errors import shown
from cautious.logs.tallies.grid import COARSEST, FINEST, HUGE, Limits, cells_of, least_exponent
from cautious.logs.tallies.loops import count_on_grid, mark
from cautious.logs.tallies.sums import Counts, carried, check_counts

__all__ = ["Codes", "Kind", "Limits", "Piece", "ScoreTally", "decimal_scale", "pieces_of"]

Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""Positions in a list, in the smallest type at hand."""

Piece: TypeAlias = tuple[Floats, Counts | None]
"""Values and how often each occurs: sorted and distinct; or, with None, each once in any order."""

# A table of so many cells (times kinds) is still cheaper to go through than a sort of a batch.
_TABLE = 1 << 21
# Intermediate results of so many rows stay in the processor's cache.
_BLOCK = 1 << 16
# On a grid, so many times the cells allowed may wait to be added up.
_LOOSE_CELLS = 4
# People round to so many digits behind the point, if they round.
_MOST_DIGITS = 6
# How many scores are looked at to find out whether all are rounded.
_SAMPLE = 4096


class Kind(NamedTuple):
    """What a case is, apart from its score.

    ``apart`` keeps some cases of a class apart: of several classes, those that are answered
    wrongly; of two, those without a score, which count at zero.
    """

    model: Any
    group: Any
    truth: Any
    apart: bool = False


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
        For each kind, scores or cells and their counts, in one or more pieces: exact scores are
        sorted and added up only when there are many, or when :meth:`settled` is asked for.
    """

    limits: Limits
    exponent: int | None = None
    pieces: dict[Kind, tuple[Piece, ...]] = field(default_factory=dict)

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
        """Count a batch."""
        found = None if counts is not None else _counted(scores, codes, len(kinds), at_least)
        if found is None:
            # There are two zeros, but they are one score.
            values = scores + 0.0 if at_least is None else cells_of(scores, at_least)
            found = {}
            for code, rows in _rows_of(codes, len(kinds)):
                if counts is not None:
                    found[code] = _sorted(values[rows], counts[rows])
                else:
                    piece = (values[rows], None)
                    found[code] = piece if at_least is None else _added_up([piece])
        return cls(limits, at_least, {kinds[k]: (piece,) for k, piece in found.items()}).settled(
            1.5
        )

    def __add__(self, other: ScoreTally) -> ScoreTally:
        a, b = self, other
        known = [tally.exponent for tally in (a, b) if tally.exponent is not None]
        if known:
            a, b = a.coarsened(max(known)), b.coarsened(max(known))
        pieces = dict(a.pieces)
        for kind, own in b.pieces.items():
            pieces[kind] = pieces.get(kind, ()) + own
        return ScoreTally(self.limits, a.exponent, pieces).settled(1.5)

    def settled(self, slack: float = 0.0) -> ScoreTally:
        """Canonical form: one sorted piece for each kind, as fine as the limits allow."""
        tally = self
        if self.exponent is not None and any(len(own) > 1 for own in self.pieces.values()):
            if slack and self.n_kept <= _LOOSE_CELLS * self.limits.cells:
                return self
            tally = ScoreTally(
                self.limits,
                self.exponent,
                {kind: (_added_up(own, grid=True),) for kind, own in self.pieces.items()},
            )
        if self.exponent is None:
            n_kept = self.n_kept
            if n_kept <= slack * self.limits.limit:
                return self
            if n_kept > self.limits.limit and self._surely_too_many():
                return self._on_finest_grid()
            tally = ScoreTally(
                self.limits, None, {k: (_added_up(own),) for k, own in self.pieces.items()}
            )
            return tally if tally.n_kept <= self.limits.limit else tally._on_finest_grid()
        while tally.n_kept > self.limits.cells:
            assert tally.exponent is not None
            if tally.exponent >= COARSEST:
                raise ValueError(
                    f"there are {len(tally.pieces):,} kinds of cases (models × groups × classes), "
                    f"and memory_budget= leaves room for {self.limits.cells:,} cells in all; "
                    "give a larger memory_budget, or fewer groups."
                )
            tally = tally.coarsened(tally.exponent + 1)
        return tally

    def coarsened(self, exponent: int) -> ScoreTally:
        """Round down to multiples of ``2**exponent``, no finer than they are now."""
        if self.exponent == exponent:
            return self
        pieces: dict[Kind, tuple[Piece, ...]] = {}
        for kind, own in self.pieces.items():
            rounded: list[Piece] = []
            for values, counts in own:
                if self.exponent is not None:
                    cells = np.floor(values * 2.0 ** (self.exponent - exponent)) + 0.0
                    rounded.append(_collapsed(cells, counts))
                elif counts is None:
                    zeros = np.zeros(len(values), dtype=np.uint8)
                    found = _counted(values, zeros, 1, exponent)
                    rounded.append(
                        _added_up([(cells_of(values, exponent), None)])
                        if found is None
                        else found[0]
                    )
                else:
                    rounded.append(_collapsed(cells_of(values, exponent), counts))
            pieces[kind] = (_added_up(rounded, grid=True),)
        return ScoreTally(self.limits, exponent, pieces)

    def canonical(self) -> Iterator[tuple[Kind, Floats, Counts]]:
        """Kinds in a fixed order, with sorted scores or cells and their counts."""
        settled = self.settled().pieces
        for kind in sorted(settled, key=repr):
            ((values, counts),) = settled[kind]
            assert counts is not None
            yield kind, values, counts

    def counts(self) -> Iterator[Counts]:
        """Give all counts."""
        return (counts for _, _, counts in self.canonical())

    def to_arrays(self) -> tuple[list[list[Any]], list[npt.NDArray[Any]]]:
        """Kinds, and the values and counts of each, one array after the other."""
        found = list(self.canonical())
        arrays = [array for _, values, counts in found for array in (values, counts)]
        return [list(kind) for kind, *_ in found], arrays

    @classmethod
    def from_arrays(
        cls, limits: Limits, exponent: Any, kinds: list[Any], arrays: Sequence[npt.NDArray[Any]]
    ) -> ScoreTally:
        """Undo :meth:`to_arrays`, refusing what no scores can give."""
        if exponent is not None and type(exponent) is not int:
            raise ValueError(f"the exponent is {shown(exponent)}")
        if exponent is not None and not FINEST <= exponent <= COARSEST:
            raise ValueError(f"the exponent is {exponent}")
        pieces: dict[Kind, tuple[Piece, ...]] = {}
        for kind, values, counts in zip(kinds, arrays[::2], arrays[1::2], strict=True):
            if (
                values.ndim != 1
                or values.dtype != np.float64
                or np.isnan(values).any()
                or (values[1:] <= values[:-1]).any()
            ):
                raise ValueError("scores are no sorted numbers")
            if exponent is not None and (np.floor(values) != values).any():
                raise ValueError("scores are not on their grid")
            check_counts(counts, len(values))
            pieces[Kind(*kind)] = ((values, counts),)
        tally = cls(limits, exponent, pieces)
        if len(pieces) < len(kinds) or tally.settled().n_kept != tally.n_kept:
            raise ValueError("there are more scores than the plan allows")
        return tally

    @property
    def n_kept(self) -> int:
        """Number of pairs kept at the moment, repeated scores included."""
        return sum(len(values) for own in self.pieces.values() for values, _ in own)

    def _surely_too_many(self) -> bool:
        """Whether there are more distinct pairs than allowed, shown without sorting them."""
        bits = int(2 * self.limits.limit - 1).bit_length()
        taken = np.zeros(1 << bits, dtype=np.uint8)
        looked_at = 0
        for number, own in enumerate(self.pieces.values()):
            for values, _ in own:
                mark(values, np.broadcast_to(np.int64(number), len(values)), bits, taken)
                looked_at += len(values)
                if looked_at > 1.25 * self.limits.limit:
                    if np.count_nonzero(taken) > self.limits.limit:
                        return True
                    looked_at = self.limits.limit  # some more before it is asked again
        return int(np.count_nonzero(taken)) > self.limits.limit

    def _on_finest_grid(self) -> ScoreTally:
        """Leave exact scores for the finest grid that fits."""
        # What part of the scores needs, all of them need: a sample finds nearly the exponent.
        stride = max(1, self.n_kept // (2 * self.limits.cells))
        sample = [
            np.sort(np.concatenate([values[::stride] for values, _ in own]))
            for own in self.pieces.values()
        ]
        fits = least_exponent(sample, self.limits.cells)
        return self.coarsened(fits).settled()


def _counted(
    scores: Floats, codes: Codes, n_kinds: int, exponent: int | None
) -> dict[int, Piece] | None:
    """Count scores in a table of a grid, each once: quicker than a sort, where there is a grid."""
    if not len(scores):
        return {}
    decimal = exponent is None
    with np.errstate(over="ignore", invalid="ignore"):
        if exponent is None:
            if (found := decimal_scale(scores)) is None:
                return None
            scale = found
        else:
            scale = 2.0**-exponent
        ends = np.array([scores.min(), scores.max()]) * scale
        low, high = np.rint(ends) if decimal else np.floor(ends)
        span = high - low + 1
        # A table larger than the batch would be no gain, and places must be exact numbers.
        fits = span * n_kinds <= (len(scores) if decimal else _TABLE)
        if not (fits and max(-low, high + 1) * n_kinds < min(2.0**53, HUGE * scale)):
            return None
    table = count_on_grid(scores, codes, n_kinds, scale, low, int(span), decimal=decimal)
    if table is None:
        return None
    return pieces_of(table, low, scale if decimal else None)


def decimal_scale(scores: Floats) -> float | None:
    """Guess from a sample what makes whole numbers of all scores: a power of ten, or None."""
    sample = scores[:: max(1, len(scores) // _SAMPLE)]
    scales = (10.0**digits for digits in range(_MOST_DIGITS + 1))
    with np.errstate(over="ignore", invalid="ignore"):
        return next((s for s in scales if (np.rint(sample * s) / s == sample).all()), None)


def pieces_of(table: Counts, low: float, scale: float | None) -> dict[int, Piece]:
    """Pieces of a table of cells and kinds; with a `scale`, cells are scores times it."""
    found = {}
    for kind, column in enumerate(np.ascontiguousarray(table.T)):
        taken = np.flatnonzero(column)
        if len(taken):
            values = taken + np.float64(low)
            found[kind] = ((values if scale is None else values / scale) + 0.0, column[taken])
    return found


def _added_up(pieces: Sequence[Piece], *, grid: bool = False) -> Piece:
    """Make one sorted piece of one or more; on a `grid`, values are whole numbers."""
    parts: list[tuple[Floats, Counts]] = []
    loose = [values for values, counts in pieces if counts is None]
    if loose:
        values = np.sort(loose[0] if len(loose) == 1 else np.concatenate(loose))
        starts = _starts(values)
        parts.append((values[starts], np.diff(np.append(starts, len(values)))))
    parts += [(values, counts) for values, counts in pieces if counts is not None]
    first, *others = parts
    if not others:
        return first
    if all(np.array_equal(first[0], values) for values, _ in others):
        return first[0], carried(sum((counts for _, counts in others), first[1]))
    low, high = min(values[0] for values, _ in parts), max(values[-1] for values, _ in parts)
    if grid and np.isfinite([low, high]).all() and high - low < 4 * sum(len(v) for v, _ in parts):
        return _on_table(parts, low, int(high - low) + 1)
    return _sorted(
        np.concatenate([values for values, _ in parts]),
        np.concatenate([counts for _, counts in parts]),
    )


def _on_table(parts: Sequence[tuple[Floats, Counts]], low: float, span: int) -> Piece:
    """Add up cells in a table that has a place for every cell in between."""
    table = np.zeros((span, *parts[0][1].shape[1:]), dtype=np.int64)
    for values, counts in parts:
        table[(values - low).astype(np.intp)] += counts  # no cell is there twice
    taken = np.flatnonzero(table if table.ndim == 1 else table.any(axis=1))
    return taken + np.float64(low), carried(table[taken])


def _sorted(values: Floats, counts: Counts) -> tuple[Floats, Counts]:
    """Sort values and add up the counts of equal ones; linear where they come in sorted runs."""
    order = np.argsort(values, kind="stable")
    return _collapsed(values[order], counts[order])


def _collapsed(values: Floats, counts: Counts | None) -> tuple[Floats, Counts]:
    """Add up the counts of equal neighbours."""
    assert counts is not None
    starts = _starts(values)
    if len(starts) == len(values):
        return values, counts
    return values[starts], carried(np.add.reduceat(counts, starts, axis=0))


def _starts(values: Floats) -> Ints:
    """Positions at which a new value begins."""
    new = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)


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
