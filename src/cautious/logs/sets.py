r"""Counts of prediction sets against truths, exact in any order.

A row is what :class:`cautious.metrics.SetCounts` calls a cell: the set as bits, its size, the class
answered, whether it holds the truth, and whether the forced answer was right. If there are more
distinct rows than allowed, the bits are forgotten, as :meth:`SetCounts.without_sets` does; at most
a few :math:`K^2` rows are then left. Rows never become fewer as data are added, so this too comes
out the same for every split.

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

from cautious._set_counts import distinct_sets, pack_sets
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.metrics import SetCounts

Array: TypeAlias = npt.NDArray[Any]
Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""Positions in a list, in the smallest type at hand."""

Counts: TypeAlias = npt.NDArray[np.int64]
"""Counts of shape (m,); or weights in fixed point, (m, 3): whole part and two 32-bit digits."""

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


def starts_of(*columns: npt.NDArray[Any]) -> Ints:
    """Positions at which a new value of any of some columns begins."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


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
        """Names of both."""
        if self == other or not self.kinds:
            return other
        return Keys.of(*map(tuple.__add__, self, other)) if other.kinds else self

    def places(self, columns: Iterable[Sequence[Any]]) -> tuple[Ints, ...]:
        """Find the positions of other groups, models and kinds."""
        known = [dict(zip(names, range(len(names)), strict=True)) for names in self]
        pairs = zip(known, columns, strict=True)
        return tuple(np.array([at[name] for name in own], dtype=np.intp) for at, own in pairs)

    def recoded(self, codes: Codes, others: Keys) -> Codes:
        """Give the codes that the same combinations have among other names."""
        if self == others:
            return codes
        few = self.n < len(codes)
        digits = np.unravel_index(np.arange(self.n) if few else codes, self.shape)
        tables = zip(others.places(self), digits, strict=True)
        new = np.ravel_multi_index(tuple(table[digit] for table, digit in tables), others.shape)
        new = new.astype(np.min_scalar_type(others.n))
        return new[codes] if few else new

    def split(self, codes: Codes, *columns: Array) -> tuple[list[tuple[Any, ...]], list[Array]]:
        """Names of combinations that occur, and what columns hold of each; codes are in order."""
        if not len(codes):
            return [], []
        starts = starts_of(codes)
        digits = zip(self, np.unravel_index(codes[starts], self.shape), strict=True)
        names = zip(*([own[at] for at in digit] for own, digit in digits), strict=True)
        parts = zip(*(np.split(column, starts[1:]) for column in columns), strict=True)
        return list(names), [array for own in parts for array in own]

    @classmethod
    def of_parts(
        cls, names: Sequence[tuple[Any, ...]], arrays: Sequence[Array]
    ) -> tuple[Keys, Codes, Array, Counts]:
        """Undo :meth:`split`: values and their counts, with the codes of what they are of."""
        values, counts = np.concatenate(arrays[::2]), np.concatenate(arrays[1::2])
        sizes = [*map(len, arrays[::2])]
        if len(set(names)) < len(names) or sizes != [*map(len, arrays[1::2])]:
            raise ValueError("counts are missing, or there twice")
        check_counts(counts, len(values))
        columns = list(zip(*names, strict=True))
        keys = cls.of(*columns)
        codes = np.ravel_multi_index(keys.places(columns), keys.shape)
        return keys, np.repeat(codes, sizes), values, counts

    def rows(self, codes: Codes, group: Any, model: Any, kind: Any = None) -> Any:
        """Find the rows of a group, a model and a kind, of all by default; codes are in order."""
        n_models, n_kinds = len(self.models), len(self.kinds)
        rows: Any = slice(None)
        if group is not None:
            places = [
                find(self.groups, repr(group), key=repr) for find in (bisect_left, bisect_right)
            ]
            ends = np.array(places) * n_models * n_kinds
            rows = slice(*np.searchsorted(codes, ends.astype(codes.dtype)))
        for names, name, step in ((self.models, model, n_kinds), (self.kinds, kind, 1)):
            if name is not None:
                own = np.array([other == name for other in names], dtype=np.bool_)
                rows = np.arange(len(codes))[rows]
                rows = rows[own[codes[rows] // step % max(1, len(names))]]
        return rows


NO_KEYS = Keys()

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
    codes, at : ndarray of shape (m,)
        Of each count, in order: the code of the group, model and decision, and which row it is of.
    counts : ndarray of shape (m,) or (m, 3)
        The counts.
    """

    limit: int
    keys: Keys = NO_KEYS
    rows: SetRows = field(default_factory=lambda: np.empty((0, _KNOWN), dtype=np.uint64))
    codes: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    at: Ints = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    counts: Counts = field(default_factory=lambda: np.empty(0, dtype=np.int64))

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
        # What is counted, the set, the truth and whether the forced answer is right.
        row = (which * n_classes + truth) * 3 + (0 if forced is None else forced + 1)
        n_rows = len(sets) * n_classes * 3
        cell = row if codes is None else codes.astype(np.intp) * n_rows + row
        n_cells = keys.n * n_rows
        kept = np.arange(n_cells)
        if n_cells > max(len(cell), 1 << 16):
            kept, cell = np.unique(cell, return_inverse=True)
        if counts is None:
            total = np.bincount(cell, minlength=len(kept)).astype(np.int64, copy=False)
        else:
            total = np.zeros((len(kept), counts.shape[1]), dtype=np.int64)
            for digit in range(counts.shape[1]):  # one after the other: much quicker
                np.add.at(total[:, digit], cell, counts[:, digit])
        occurs = np.bincount(cell, minlength=len(kept)) > 0
        cell, total = kept[occurs], carried(total[occurs])
        row, at = np.unique(cell % n_rows, return_inverse=True)
        which, truth, right = np.unravel_index(row, (len(sets), n_classes, 3))
        size = sets.sum(axis=1, dtype=np.intp)
        answer = np.where(size == 1, sets.argmax(axis=1) + 1, 0)
        head = (truth, right, size[which], answer[which], sets[which, truth])
        rows = np.column_stack([*(column.astype(np.uint64) for column in head)])
        rows = np.hstack([rows, pack_sets(sets)[which]])
        return cls(limit, keys, rows, cell // n_rows, at, total)._added_up()

    def __add__(self, other: SetTally) -> SetTally:
        a, b = self, other
        if not len(a.counts) or not len(b.counts):
            return a if len(a.counts) else b
        if a.knows_sets != b.knows_sets:
            a, b = a.without_sets(), b.without_sets()
        keys = a.keys.joined(b.keys)
        return SetTally(
            self.limit,
            keys,
            np.concatenate([a.rows, b.rows]),
            np.concatenate([tally.keys.recoded(tally.codes, keys) for tally in (a, b)]),
            np.concatenate([a.at, b.at + len(a.rows)]),
            np.concatenate([a.counts, b.counts]),
        )._added_up()

    def _added_up(self) -> SetTally:
        """Put rows and counts in order, each once; of too many, the sets are forgotten."""
        order = np.lexsort(self.rows.T[::-1])
        starts = starts_of(*self.rows[order].T)
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
        rows = self.rows[order[starts]]
        cell = self.codes.astype(np.intp) * len(rows) + place[self.at]
        order = np.argsort(cell)
        starts = starts_of(cell[order])
        counts = carried(np.add.reduceat(self.counts.take(order, axis=0), starts, axis=0))
        codes, at = np.divmod(cell[order[starts]], max(1, len(rows)))
        tally = SetTally(self.limit, self.keys, rows, codes, at, counts)
        return tally.without_sets() if tally.knows_sets and len(at) > self.limit else tally

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
        chosen = self.keys.rows(self.codes, group, model, decision)
        rows = self.rows[self.at[chosen]]
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
            weight=floats(self.counts[chosen]),
            set_index=np.arange(len(rows)) if known else np.full(len(rows), -1, dtype=np.intp),
            words=rows[:, _KNOWN:] if known else np.empty((0, n_words), dtype=np.uint64),
        )
        return counts, self.codes[chosen]

    def to_arrays(self) -> tuple[list[list[Any]], list[Array]]:
        """Decisions, models and groups, and the rows and counts of each, one after the other."""
        names, arrays = self.keys.split(self.codes, self.rows[self.at], self.counts)
        return [[decision, model, group] for group, model, decision in names], arrays

    @classmethod
    def from_arrays(
        cls, limit: int, strata: list[Any], arrays: Sequence[Array], n_classes: int
    ) -> SetTally:
        """Undo :meth:`to_arrays`, refusing what no sets can give."""
        if not strata:
            return cls(limit)
        names = [(group, model, decision) for decision, model, group in strata]
        keys, codes, rows, counts = Keys.of_parts(names, arrays)
        widths = (_KNOWN, _KNOWN - (-n_classes // 64))
        if rows.ndim != 2 or rows.dtype != np.uint64 or rows.shape[1] not in widths:
            raise ValueError(f"rows of sets have the shape {rows.shape}")
        most = np.array([n_classes - 1, 2, n_classes, n_classes, 1], dtype=np.uint64)
        tally = cls(limit, keys, rows, codes, np.arange(len(rows)), counts)._added_up()
        if (rows[:, :_KNOWN] > most).any() or len(tally.at) < len(rows):
            raise ValueError("rows of sets hold what no set can be, or are too many")
        return tally
