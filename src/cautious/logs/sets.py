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

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._set_counts import distinct_sets, pack_sets
from cautious._typing import Floats, Ints, Labels, Mask
from cautious.metrics import SetCounts

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


class Stratum(NamedTuple):
    """Which counts a row belongs to."""

    decision: str
    model: Any
    group: Any


SetRows = npt.NDArray[np.uint64]
"""Columns: truth, forced + 1, size, answer + 1, hit, and the words of the set unless forgotten."""

_KNOWN = 5


@dataclass(frozen=True, eq=False)
class SetTally:
    """Distinct rows with counts, for every decision, model and group.

    Attributes
    ----------
    limit : int
        How many distinct rows may be kept with their sets.
    rows : dict
        For each stratum, its distinct rows in order, and their counts.
    """

    limit: int
    rows: dict[Stratum, tuple[SetRows, Counts]] = field(default_factory=dict)

    @classmethod
    def of_sets(
        cls,
        sets: Mask,
        which: Ints | None,
        truth: Ints,
        forced: Mask | None,
        part: Ints | None,
        strata: list[Stratum],
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
        # The part, the set, the truth and whether the forced answer is right, in this order.
        code = (which if part is None else which + part * len(sets)) * n_classes + truth
        code = code * 3 + (0 if forced is None else forced + 1)
        n_codes = len(strata) * len(sets) * n_classes * 3
        kept = np.arange(n_codes)
        if n_codes > max(len(code), 1 << 16):
            kept, code = np.unique(code, return_inverse=True)
        if counts is None:
            total = np.bincount(code, minlength=len(kept)).astype(np.int64, copy=False)
        else:
            total = np.zeros((len(kept), counts.shape[1]), dtype=np.int64)
            for digit in range(counts.shape[1]):  # one after the other: much quicker
                np.add.at(total[:, digit], code, counts[:, digit])
        occurs = np.bincount(code, minlength=len(kept)) > 0
        kept, total = kept[occurs], carried(total[occurs])
        rest, right = np.divmod(kept, 3)
        rest, truth = np.divmod(rest, n_classes)
        at, which = np.divmod(rest, len(sets))
        size = sets.sum(axis=1, dtype=np.intp)
        answer = np.where(size == 1, sets.argmax(axis=1) + 1, 0)
        head = (truth, right, size[which], answer[which], sets[which, truth])
        rows = np.column_stack([*(column.astype(np.uint64) for column in head)])
        rows = np.hstack([rows, pack_sets(sets)[which]])
        # Codes are sorted and begin with the part, so each stratum is a run of them.
        ends = np.searchsorted(at, np.arange(len(strata) + 1)).tolist()
        found = {
            stratum: _distinct(rows[start:end], total[start:end])
            for stratum, (start, end) in zip(strata, pairwise(ends), strict=True)
            if end > start
        }
        return cls(limit, found)._within_limit()

    def __add__(self, other: SetTally) -> SetTally:
        a, b = self, other
        if a.rows and b.rows and a.knows_sets != b.knows_sets:
            a, b = a.without_sets(), b.without_sets()
        rows = {**a.rows, **b.rows}
        for stratum in a.rows.keys() & b.rows.keys():
            (one, n), (two, m) = a.rows[stratum], b.rows[stratum]
            rows[stratum] = _distinct(np.concatenate([one, two]), np.concatenate([n, m]))
        return SetTally(self.limit, rows)._within_limit()

    @property
    def knows_sets(self) -> bool:
        """Whether the classes in each set are still known."""
        return all(rows.shape[1] > _KNOWN for rows, _ in self.rows.values())

    def without_sets(self) -> SetTally:
        """Forget which classes the sets hold, keeping sizes, answers and hits."""
        rows = {s: _distinct(own[:, :_KNOWN], counts) for s, (own, counts) in self.rows.items()}
        return SetTally(self.limit, rows)

    def counts(self, strata: Sequence[Stratum], classes: Labels) -> SetCounts:
        """Give the counts of some strata, one after the other, as if made from arrays in memory."""
        n_words = -(-len(classes) // 64)
        rows = np.empty((0, _KNOWN + n_words), dtype=np.uint64)
        total: Counts = np.empty(0, dtype=np.int64)
        if strata:
            rows, total = map(np.concatenate, zip(*map(self.rows.get, strata), strict=True))
        truth, forced, size, answer, hit = rows[:, :_KNOWN].astype(np.intp).T
        known = rows.shape[1] > _KNOWN
        return SetCounts(
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

    def counts_of(self, decision: str | None = None) -> list[Counts]:
        """Give the counts of all rows, or of those of a decision."""
        return [counts for s, (_, counts) in self.rows.items() if decision in (None, s.decision)]

    def to_arrays(self) -> tuple[list[list[Any]], list[npt.NDArray[Any]]]:
        """Strata in a fixed order, and the rows and counts of each, one array after the other."""
        strata = sorted(self.rows, key=repr)
        return [list(s) for s in strata], [array for s in strata for array in self.rows[s]]

    @classmethod
    def from_arrays(
        cls, limit: int, strata: list[Any], arrays: Sequence[npt.NDArray[Any]], n_classes: int
    ) -> SetTally:
        """Undo :meth:`to_arrays`, refusing what no sets can give."""
        found = {}
        n_words = -(-n_classes // 64)
        for stratum, rows, counts in zip(strata, arrays[::2], arrays[1::2], strict=True):
            widths = (_KNOWN, _KNOWN + n_words)
            if rows.ndim != 2 or rows.dtype != np.uint64 or rows.shape[1] not in widths:
                raise ValueError(f"rows of sets have the shape {rows.shape}")
            most = np.array([n_classes - 1, 2, n_classes, n_classes, 1], dtype=np.uint64)
            if (rows[:, :_KNOWN] > most).any() or len(_distinct(rows, counts)[0]) < len(rows):
                raise ValueError("rows of sets hold what no set can be")
            check_counts(counts, len(rows))
            found[Stratum(*stratum)] = (rows, counts)
        tally = cls(limit, found)
        if len(found) < len(strata) or tally._within_limit() is not tally:
            raise ValueError("there are more rows of sets than the plan allows")
        if found and len({rows.shape[1] for rows, _ in found.values()}) > 1:
            raise ValueError("some sets are known and some are not")
        return tally

    def _within_limit(self) -> SetTally:
        n_rows = sum(len(rows) for rows, _ in self.rows.values())
        return self.without_sets() if self.knows_sets and n_rows > self.limit else self


def _distinct(rows: SetRows, counts: Counts) -> tuple[SetRows, Counts]:
    """Sort rows and add up equal ones."""
    order = np.lexsort(rows.T[::-1])
    rows, counts = rows[order], counts[order]
    starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return rows[starts], carried(np.add.reduceat(counts, starts, axis=0))
