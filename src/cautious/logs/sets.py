r"""Counts, exact in any order: their form, and those of prediction sets against truths.

Of scores (:mod:`cautious.logs.scores`) and of sets alike, a :class:`Piece` holds counts of codes
and values; :class:`Keys` are the names of what a code stands for. No name is touched while cases
are counted.

A row of sets is what :class:`cautious.metrics.SetCounts` calls a cell: the set as bits, its size,
the class answered, whether it holds the truth, and whether the forced answer was right. If there
are more distinct rows than allowed, the bits are forgotten, as :meth:`SetCounts.without_sets` does;
at most a few :math:`K^2` rows are then left. Rows never become fewer as data are added, so this too
comes out the same for every split.

Floating-point sums depend on the order of their terms, and nobody knows the order in which a
cluster finishes. So each weight is rounded once, to a multiple of :math:`2^{-64}` (about 5e-20),
and written as whole numbers to the base :math:`2^{32}`; integers add up exactly. Rows without
weights are counted by plain integers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._checks import is_new
from cautious._set_counts import distinct_sets, pack_sets, ranks
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.metrics import SetCounts

Array: TypeAlias = npt.NDArray[Any]
Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""Positions in a list, in the smallest type at hand."""

Counts: TypeAlias = npt.NDArray[np.int64]
"""Counts of shape (m,); or weights in fixed point, (m, 3): whole part and two 32-bit digits."""

# Of so few kinds each is sorted by itself, which is quicker.
_FEW_CODES = 8
_BASE_BITS = 32
_BASE = float(1 << _BASE_BITS)


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


def add_at(table: Counts, places: Ints, counts: Any) -> None:
    """Add counts at places of a table."""
    if table.ndim == 1:
        np.add.at(table, places, counts)
    else:
        for digit in range(table.shape[1]):  # one after the other: much quicker
            np.add.at(table[:, digit], places, counts[:, digit])


def floats(counts: Counts) -> Floats:
    """Give the nearest floating-point numbers."""
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


class Piece(NamedTuple):
    """Codes of what cases are, and their values: distinct and sorted, or in any order."""

    codes: Codes
    values: Array  # scores or cells, or positions of rows of sets
    counts: Any = None  # Counts; None: each counts once

    def distinct(self, n_codes: int) -> Piece:
        """Sort by code and value, and add up the counts of equal pairs."""
        codes, values, counts = self
        if counts is None and n_codes <= _FEW_CODES:
            parts = [np.sort(values[np.flatnonzero(codes == code)]) for code in range(n_codes)]
            codes = np.repeat(np.arange(n_codes, dtype=codes.dtype), [*map(len, parts)])
            values = np.concatenate([values[:0], *parts])
        else:
            order = _in_order(codes, values, n_codes)
            values, codes = values[order], codes[order]
            counts = None if counts is None else counts.take(order, axis=0)
        starts = np.flatnonzero(is_new(codes, values))
        if counts is None:
            counts = np.diff(starts, append=len(values))
        elif len(starts) < len(values):
            counts = carried(np.add.reduceat(counts, starts, axis=0))
        return Piece(codes[starts].astype(np.min_scalar_type(n_codes)), values[starts], counts)


def _in_order(codes: Codes, values: Array, n_codes: int) -> Ints:
    """Sort by code and value: by value first, and then numbers that hold the code and the place."""
    bits = len(codes).bit_length()
    if n_codes >> (62 - bits):
        return np.lexsort((values, codes))
    order = np.argsort(values)
    both = codes[order].astype(np.int64) << bits
    both |= np.arange(len(codes))
    both.sort()  # several times as quick as sorting twice
    both &= (1 << bits) - 1
    return np.asarray(order[both])


class Keys(NamedTuple):
    """Names of groups, models and kinds of cases, in order; every combination of them has a code.

    A kind of scores is a true class and whether its cases are kept apart; one of sets, a decision.
    """

    groups: tuple[Any, ...] = ()
    models: tuple[Any, ...] = ()
    kinds: tuple[Any, ...] = ()

    @classmethod
    def of(cls, *columns: Iterable[Any]) -> Keys:
        """Put the names of groups, models and kinds in order, each once."""
        return cls(*(tuple(sorted(dict.fromkeys(names), key=repr)) for names in columns))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of groups, models and kinds."""
        return tuple(map(len, self))

    @property
    def n(self) -> int:
        """Number of combinations."""
        return math.prod(map(len, self))

    def joined(self, other: Keys) -> Keys:
        """Merge the names with those of other keys, in order."""
        joined = []
        for own, others in zip(self, other, strict=True):
            every = dict.fromkeys(own + others)
            new = len(every) > len(own)  # most names have been seen: they are in order
            joined.append(tuple(sorted(every, key=repr)) if new else own)
        return Keys(*joined)

    def places(self, columns: Iterable[Sequence[Any]]) -> tuple[Ints, ...]:
        """Find the positions of groups, models and kinds among these names."""
        found = []
        for names, own in zip(self, columns, strict=True):
            at: Sequence[int] = range(len(names))
            if names is not own:
                place = dict(zip(names, at, strict=True))
                at = [place[name] for name in own]
            found.append(np.array(at, dtype=np.intp))
        return tuple(found)

    def recoded(self, codes: Codes, others: Keys) -> Codes:
        """Give the codes that the same combinations have among the names of other keys."""
        if self == others:
            return codes
        few = self.n < len(codes)
        digits = np.unravel_index(np.arange(self.n) if few else codes, self.shape)
        tables = zip(others.places(self), digits, strict=True)
        new = np.ravel_multi_index(tuple(table[digit] for table, digit in tables), others.shape)
        new = new.astype(np.min_scalar_type(others.n))
        return new[codes] if few else new

    def split(self, piece: Piece) -> tuple[list[tuple[Any, ...]], list[Array]]:
        """Give the names of combinations that occur, and the values and counts of each."""
        if not len(piece.codes):
            return [], []
        starts = np.flatnonzero(is_new(piece.codes))
        digits = zip(self, np.unravel_index(piece.codes[starts], self.shape), strict=True)
        names = zip(*([own[at] for at in digit] for own, digit in digits), strict=True)
        parts = zip(*(np.split(column, starts[1:]) for column in piece[1:]), strict=True)
        return list(names), [array for own in parts for array in own]

    @classmethod
    def of_parts(
        cls, names: Sequence[tuple[Any, ...]], arrays: Sequence[Array]
    ) -> tuple[Keys, Piece]:
        """Undo :meth:`split`."""
        values, counts = np.concatenate(arrays[::2]), np.concatenate(arrays[1::2])
        sizes = [*map(len, arrays[::2])]
        if len(set(names)) < len(names) or sizes != [*map(len, arrays[1::2])]:
            raise ValueError("counts are missing, or there twice")
        check_counts(counts, len(values))
        columns = list(zip(*names, strict=True))
        keys = cls.of(*columns)
        codes = np.ravel_multi_index(keys.places(columns), keys.shape)
        return keys, Piece(np.repeat(codes, sizes), values, counts)

    def take(self, piece: Piece, group: Any, model: Any, kind: Any = None) -> Piece:
        """Take the counts of a group, a model and a kind; of all of them where None is given."""
        n_models, n_kinds = len(self.models), len(self.kinds)
        rows: Any = slice(None)
        if group is not None:
            first = bisect_left(self.groups, repr(group), key=repr)
            last = bisect_right(self.groups, repr(group), key=repr)
            ends = np.array([first, last]) * n_models * n_kinds
            rows = slice(*np.searchsorted(piece.codes, ends.astype(piece.codes.dtype)))
        for names, name, step in ((self.models, model, n_kinds), (self.kinds, kind, 1)):
            if name is not None:
                own = np.array([other == name for other in names], dtype=np.bool_)
                rows = np.arange(len(piece.codes))[rows]
                rows = rows[own[piece.codes[rows] // step % max(1, len(names))]]
        return Piece(*(column[rows] for column in piece))


NO_KEYS = Keys()
NOTHING = Piece(*(np.empty(0, dtype=np.intp),) * 3)

SetRows = npt.NDArray[np.uint64]
"""Columns: truth, forced + 1, size, answer + 1, hit, and the words of the set unless forgotten."""

_KNOWN = 5


@dataclass(frozen=True, eq=False)
class SetTally:
    """How often each distinct row occurs for every group, model and decision.

    Attributes
    ----------
    limit : int
        How many counts may be kept with the sets they are of.
    keys : Keys
        The groups, models and decisions.
    rows : ndarray of shape (r, w)
        The distinct rows, in order.
    cells : Piece
        The counts: of the codes of groups, models and decisions, and of positions of rows.
    """

    limit: int
    keys: Keys = NO_KEYS
    rows: SetRows = field(default_factory=lambda: np.empty((0, _KNOWN), dtype=np.uint64))
    cells: Piece = NOTHING

    @classmethod
    def of_sets(
        cls,
        sets: Mask,
        which: Ints | None,
        truth: Ints,
        forced: Mask | None,
        codes: Codes | None,
        keys: Keys,
        counts: Counts | None,
        limit: int,
    ) -> SetTally:
        """Count a batch: the set of each case, or distinct sets and `which` of them it has."""
        if which is None:
            words, which = distinct_sets(pack_sets(sets), sets.sum(axis=1, dtype=np.intp))
            first = np.zeros(len(words), dtype=np.intp)
            first[which] = np.arange(len(which))
            sets = sets[first]
        n_classes = sets.shape[1]
        right = np.zeros_like(truth) if forced is None else forced + 1
        row = (which * n_classes + truth) * 3 + right
        if codes is None:
            codes = np.zeros(len(row), dtype=np.intp)
        # What is counted, the set, the truth and whether the forced answer is right.
        cell, first = ranks(codes.astype(np.intp) * (len(sets) * n_classes * 3) + row)
        if counts is None:
            total = np.bincount(cell).astype(np.int64, copy=False)
        else:
            total = np.zeros((len(first), counts.shape[1]), dtype=np.int64)
            add_at(total, cell, counts)
        at, distinct = ranks(row[first])
        which, truth, right = (column[first[distinct]] for column in (which, truth, right))
        size = sets.sum(axis=1, dtype=np.intp)
        answer = np.where(size == 1, sets.argmax(axis=1) + 1, 0)
        head = (truth, right, size[which], answer[which], sets[which, truth])
        rows = np.column_stack([*(column.astype(np.uint64) for column in head)])
        rows = np.hstack([rows, pack_sets(sets)[which]])
        return cls(limit, keys, rows, Piece(codes[first], at, carried(total)))._added_up()

    def __add__(self, other: SetTally) -> SetTally:
        a, b = self, other
        if not len(a.rows) or not len(b.rows):
            return a if len(a.rows) else b
        if a.knows_sets != b.knows_sets:
            a, b = a.without_sets(), b.without_sets()
        keys, rows = a.keys.joined(b.keys), np.concatenate([a.rows, b.rows])
        codes = [tally.keys.recoded(tally.cells.codes, keys) for tally in (a, b)]
        values = [a.cells.values, b.cells.values + len(a.rows)]
        counts = [a.cells.counts, b.cells.counts]
        cells = Piece(*map(np.concatenate, (codes, values, counts)))
        return SetTally(self.limit, keys, rows, cells)._added_up()

    def _added_up(self) -> SetTally:
        """Put rows and counts in order, each once; if they are too many, the sets are forgotten."""
        order = np.lexsort(self.rows.T[::-1])
        starts = np.flatnonzero(is_new(*self.rows[order].T))
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
        cells = self.cells._replace(values=place[self.cells.values]).distinct(self.keys.n)
        tally = SetTally(self.limit, self.keys, self.rows[order[starts]], cells)
        many = tally.knows_sets and len(cells.codes) > self.limit
        return tally.without_sets() if many else tally

    @property
    def knows_sets(self) -> bool:
        """Whether the classes in each set are still known."""
        return self.rows.shape[1] > _KNOWN or not len(self.rows)

    def without_sets(self) -> SetTally:
        """Forget which classes the sets hold, keeping sizes, answers and hits."""
        return replace(self, rows=self.rows[:, :_KNOWN])._added_up()

    def set_counts(
        self, classes: Labels, decision: str, model: Any, group: Any
    ) -> tuple[SetCounts, Codes]:
        """Give counts as if made from arrays in memory, and the codes of what they are of."""
        codes, at, total = self.keys.take(self.cells, group, model, decision)
        rows = self.rows[at]
        truth, forced, size, answer, hit = rows[:, :_KNOWN].astype(np.intp).T
        known = rows.shape[1] > _KNOWN
        n_words = -(-len(classes) // 64)
        counts = SetCounts(
            classes=classes,
            truth=truth,
            size=size,
            answer=answer - 1,
            hit=hit.astype(np.bool_),
            forced=forced - 1,
            weight=floats(total),
            set_index=np.arange(len(rows)) if known else np.full(len(rows), -1, dtype=np.intp),
            words=rows[:, _KNOWN:] if known else np.empty((0, n_words), dtype=np.uint64),
        )
        return counts, codes

    def to_arrays(self) -> tuple[list[list[Any]], list[Array]]:
        """Give decisions, models and groups, and the rows and counts of each, end to end."""
        rows = self.rows[self.cells.values]
        names, arrays = self.keys.split(self.cells._replace(values=rows))
        return [[decision, model, group] for group, model, decision in names], arrays

    @classmethod
    def from_arrays(
        cls, limit: int, strata: list[Any], arrays: Sequence[Array], n_classes: int
    ) -> SetTally:
        """Undo :meth:`to_arrays`, refusing what no sets can give."""
        if not strata:
            return cls(limit)
        names = [(group, model, decision) for decision, model, group in strata]
        keys, (codes, rows, counts) = Keys.of_parts(names, arrays)
        widths = (_KNOWN, _KNOWN - (-n_classes // 64))
        if rows.ndim != 2 or rows.dtype != np.uint64 or rows.shape[1] not in widths:
            raise ValueError(f"rows of sets have the shape {rows.shape}")
        most = np.array([n_classes - 1, 2, n_classes, n_classes, 1], dtype=np.uint64)
        tally = cls(limit, keys, rows, Piece(codes, np.arange(len(rows)), counts))._added_up()
        if (rows[:, :_KNOWN] > most).any() or len(tally.cells.codes) < len(rows):
            raise ValueError("rows of sets hold what no set can be, or are too many")
        return tally
