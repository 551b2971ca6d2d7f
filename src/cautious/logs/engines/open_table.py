"""A table of counts that stays open: a plain batch goes into it in one compiled loop.

What is not plain (rows without a truth or a score, probabilities that do not add up, a label not
seen before, weights, groups, rules) is left to :func:`cautious.logs.kernel.summarise_batch`, which
both checks it and gives the same counts. So the table makes logs of many rows quicker, most of all
in many threads, since hardly any of it holds the interpreter's lock; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints
from cautious.errors import InputError
from cautious.logs.kernel import answer_kinds, column_of, labels_of, score_kinds
from cautious.logs.plan import ARGMAX, Plan
from cautious.logs.summary import LogSummary
from cautious.logs.tallies import (
    NUMBER,
    Codes,
    Kind,
    Piece,
    ScoreTally,
    SetTally,
    Stratum,
    compiled_loop,
    decimal_scale,
    pieces_of,
    side_by_side,
)

__all__ = ["OpenTable", "suits"]

# A table has no more places than so many: two megabytes, for each thread.
_MOST_PLACES = 1 << 18
# Cells beyond this are no exact numbers any more.
_FAR = 2.0**50

Coded = tuple[Codes, Any, Any, Ints]
"""Codes of true labels, the least and the greatest that are known, and the kind of each."""


def suits(plan: Plan) -> bool:
    """Whether batches may be plain: one column of scores, or probabilities and their argmax."""
    columns = plan.columns
    if plan.turned or any((columns.weight, columns.model, columns.groups)):
        return False
    if plan.binary:
        return len(plan.score_columns) == 1 and len(columns.proba) < 2 and not plan.decisions
    return plan.decisions == (ARGMAX,)


class OpenTable:
    """Counts of one thread in the cells of a grid.

    Parameters
    ----------
    plan : Plan
        What to count; it must be one that :func:`suits`.
    labels : iterable
        True labels that may occur.
    exponent : int, optional
        Cells are ``2**exponent`` wide; with None, scores are multiples of one over `scale`.
    scale : float
        Cells per unit.
    ends : tuple of float
        The least and the greatest score known; other scores make the table larger.
    """

    def __init__(
        self,
        plan: Plan,
        labels: frozenset[Any],
        exponent: int | None,
        scale: float,
        ends: tuple[float, float],
    ) -> None:
        self.plan = plan
        self.exponent = exponent
        self.scale = scale
        self.labels = labels
        self.decimal: bool = exponent is None
        self.n_rows: int = 0
        known = list(labels)
        self.kinds: list[Any]
        kinds, self.kinds = (score_kinds if plan.binary else answer_kinds)(plan, known)
        self.kind_of: dict[tuple[type, Any], int] = {
            (type(label), label): int(kind)
            for label, kind in zip(known, kinds, strict=True)
            if kind >= 0
        }
        self.run: Any = _run(self.kind_of)
        self.bounds: tuple[float, float] = (0.0, 1.0) if plan.columns.proba else (-np.inf, np.inf)
        self.low: float = 0.0
        self.table: npt.NDArray[np.int64] = np.zeros((0, len(self.kinds)), dtype=np.int64)
        self.pairs: npt.NDArray[np.int64] = np.zeros((len(plan.classes),) * 2, dtype=np.int64)
        self.count: Callable[..., int] | None = None
        if self.kind_of and self._reach(*(ends if plan.binary else self.bounds)):
            self.count = compiled_loop("count" if plan.binary else "answers", 0)

    @classmethod
    def beside(cls, summary: LogSummary, exponent: int | None) -> OpenTable | None:
        """Open a table for scores like those of a summary; None if there is no grid for them.

        Parameters
        ----------
        summary : LogSummary
            Of some rows of the same log.
        exponent : int, optional
            The exponent that is known to be needed.
        """
        if compiled_loop("count", 0) is None:
            return None
        tally = summary.scores
        values = [values for pieces in tally.pieces.values() for values, _ in pieces]
        scale: float | None
        if exponent is None:
            scales = {decimal_scale(own) for own in values}
            scale = None if None in scales else max(filter(None, scales), default=None)
        else:
            scale = 2.0**-exponent
        if scale is None:
            return None
        unit = 1.0 if tally.exponent is None else 2.0**tally.exponent
        ends = [end for own in values for end in (own.min() * unit, own.max() * unit)]
        both = (min(ends, default=0.0), max(ends, default=0.0))
        table = cls(summary.plan, summary.labels, exponent, scale, both)
        return None if table.count is None else table

    def add(self, batch: Any) -> bool:
        """Count a batch, or nothing of it: then False, and the plain way is to be taken."""
        coded = self._codes(column_of(batch, str(self.plan.columns.truth)))
        names = self.plan.columns.proba.values()
        columns = [column_of(batch, n) for n in (self.plan.score_columns or names)]
        if coded is None or any(
            column.null_count or str(column.type) not in ("double", "float") for column in columns
        ):
            return False
        numbers = [column.to_numpy().astype(np.float64, copy=False) for column in columns]
        done = (self._add_scores if self.plan.binary else self._add_answers)(numbers, coded)
        self.n_rows += batch.num_rows if done else 0
        return done

    def summary(self) -> LogSummary:
        """Give what is counted as a summary; its labels are all that it was opened with."""
        plan, limit = self.plan, self.plan.limits.limit
        found = pieces_of(self.table, self.low, self.scale if self.decimal else None)
        pieces: dict[Kind, tuple[Piece, ...]] = {
            Kind(None, None, *self.kinds[at]): (piece,) for at, piece in found.items()
        }
        scores = ScoreTally(plan.limits, self.exponent, pieces).settled(1.5)
        sets = SetTally(limit)
        if not plan.binary:
            stratum = Stratum(ARGMAX, None, None)
            sets = SetTally.of_single_answers(self.pairs, stratum, limit)
        return LogSummary(plan, self.n_rows, self.labels, scores, sets)

    def _add_scores(self, numbers: list[Floats], coded: Coded) -> bool:
        (scores,) = numbers
        done = 0
        while (done := self._count_scores(scores, coded, done, 1)) < len(scores):
            if not self._reach(float(scores.min()), float(scores.max())):
                self._count_scores(scores[:done], coded, 0, -1)
                return False
        return True

    def _count_scores(self, scores: Floats, coded: Coded, start: int, step: int) -> int:
        assert self.count is not None
        least, most = self.bounds
        if self.decimal:
            ends = self.low / self.scale, (self.low + len(self.table) - 1) / self.scale
        else:
            beyond = (self.low + len(self.table)) / self.scale
            ends = self.low / self.scale, float(np.nextafter(beyond, -np.inf))
        inside = max(least, ends[0]), min(most, ends[1])
        grid = (len(self.kinds), self.scale, self.low, self.decimal, self.table.reshape(-1))
        return self.count(scores, *coded, start, step, *inside, *grid)

    def _add_answers(self, numbers: list[Floats], coded: Coded) -> bool:
        together = side_by_side(numbers)
        if together is None:
            return False
        n, which = len(numbers[0]), np.arange(len(numbers), dtype=NUMBER)
        grid = (self.scale, self.decimal, self.table.reshape(-1), self.pairs.reshape(-1))
        assert self.count is not None
        done = self.count(*together, which, *coded, n, 1, *grid)
        if done < n:
            self.count(*together, which, *coded, done, -1, *grid)
        return done == n

    def _reach(self, least: float, most: float) -> bool:
        """Make the table reach to these scores; False if it does already, or it cannot."""
        if not (self.bounds[0] <= least <= most <= self.bounds[1]):  # nor if one is NaN
            return False
        near = np.rint if self.decimal else np.floor
        low, high = near(np.array([least, most]) * self.scale)
        if len(self.table):
            low, high = min(low, self.low), max(high, self.low + len(self.table) - 1)
        span = high - low + 1
        if not (span * len(self.kinds) <= _MOST_PLACES and max(-low, high) < _FAR):
            return False
        if span == len(self.table):
            return False
        table = np.zeros((int(span), len(self.kinds)), dtype=np.int64)
        start = int(self.low - low) if len(self.table) else 0
        table[start : start + len(self.table)] = self.table
        self.low, self.table = float(low), table
        return True

    def _codes(self, array: Any) -> Coded | None:
        """Codes of true labels, of whole numbers the numbers themselves."""
        import pyarrow.types as types

        if array.null_count:
            return None
        boolean = types.is_boolean(array.type)
        if self.run is not None and (boolean or types.is_integer(array.type)):
            kind, first, kinds = self.run
            last = first + len(kinds) - 1
            if (kind is bool) == boolean and first >= -128 and last < 128:
                values = array.to_numpy(zero_copy_only=False)
                # One byte, if it is one; a greater number is none of the labels either way.
                short = np.int8 if values.dtype.itemsize == 1 and first >= 0 else np.int64
                values = (
                    values.view(np.int8)
                    if short is np.int8
                    else values.astype(np.int64, copy=False)
                )
                return values, short(first), short(last), kinds
        try:
            codes, labels = labels_of(array, str(self.plan.columns.truth))
        except InputError:
            return None
        kinds = np.array([self.kind_of.get((type(label), label), -1) for label in labels])
        if (kinds < 0).any():
            return None
        return codes.astype(np.int64), np.int64(0), np.int64(len(labels) - 1), kinds


def _run(kind_of: dict[tuple[type, Any], int]) -> tuple[type, int, Ints] | None:
    """Labels that are consecutive whole numbers or truth values: type, the first, their kinds."""
    types = {kind for kind, _ in kind_of}
    if types not in ({int}, {bool}):
        return None
    (kind,), numbers = types, sorted(int(label) for _, label in kind_of)
    if numbers != list(range(numbers[0], numbers[-1] + 1)):
        return None
    return kind, numbers[0], np.array([kind_of[kind, kind(n)] for n in numbers])
