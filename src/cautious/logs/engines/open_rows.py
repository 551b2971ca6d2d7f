"""Rows of one thread that stay open: kept in a list, then counted in a table in one compiled loop.

They are kept one by one as long as it is not known on what grid scores lie. Beside what makes rows
plain at all (:mod:`cautious.logs.engines.plain_rows`), probabilities must add up, and scores lie
within reach of the table. It makes logs of many rows quicker, most of all in many threads, since
hardly any of it holds the interpreter's lock; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats
from cautious.logs.engines.plain_rows import Coded, PlainRows
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary
from cautious.logs.tallies import (
    HUGE,
    NUMBER,
    Codes,
    GridSearch,
    Kind,
    Piece,
    ScoreTally,
    compiled_loop,
    decimal_scale,
    pieces_of,
)

__all__ = ["OpenList", "OpenTable"]

# A table has no more places than so many: two megabytes, for each thread.
_MOST_PLACES = 1 << 18
# Cells beyond this are no exact numbers any more.
_FAR = 2.0**50


class OpenList(PlainRows):
    """Scores and kinds of cases of one thread, while it is not known on what grid they lie.

    Parameters
    ----------
    plan, labels
        As of :class:`PlainRows`.
    search : GridSearch
        Is shown every row.
    """

    n_rows: int

    def __init__(self, plan: Plan, labels: frozenset[Any], search: GridSearch) -> None:
        super().__init__(plan, labels)
        self.search = search
        self.rows: list[tuple[Floats, Codes]] = []

    @property
    def complete(self) -> bool:
        """Whether no kind of case can come up that is not known: numbers of kinds then last."""
        return len(self.kinds) > 1

    def add(self, batch: Any) -> bool:
        """Keep a batch, or nothing of it: then False, and the plain way is to be taken."""
        found = self.columns_of(batch)
        if found is None:
            return False
        base, _, coded = found
        n = batch.num_rows
        own = self._scores(base[:n], coded) if self.plan.binary else self._answers(*found, n)
        if own is None:
            return False
        for array in own:
            array.flags.writeable = False  # as those of batches are, for which loops are compiled
        self.search.look(*own)
        self.rows.append(own)
        self.n_rows += n
        return True

    def summary(self) -> LogSummary:
        """Give what is kept as a summary."""
        plan, tally = self.plan, ScoreTally(self.plan.limits, self.plan.resolution)
        if self.rows:
            scores, codes = map(np.concatenate, zip(*self.rows, strict=True))
            kinds = [Kind(None, None, *kind) for kind in self.kinds]
            known = [e for e in (plan.resolution, self.search.exponent) if e is not None]
            rest = (None, plan.limits, max(known, default=None))
            tally = ScoreTally.of_cases(scores, codes, kinds, *rest)
        return LogSummary(plan, self.n_rows, self.labels_counted, tally, self.sets())

    def _scores(self, scores: Floats, coded: Coded) -> tuple[Floats, Codes] | None:
        """Copy scores; there are two zeros, but they are one score."""
        codes, first, last, kinds = coded
        least, most = max(self.bounds[0], -HUGE), min(self.bounds[1], HUGE)
        if not (least <= scores.min() and scores.max() <= most):  # nor if one is NaN
            return None
        if codes.min() < first or codes.max() > last:
            return None
        return scores + 0.0, kinds.astype(self.kind_type)[codes - first]

    def _answers(
        self, base: Floats, begins: Any, coded: Coded, n: int
    ) -> tuple[Floats, Codes] | None:
        """Find confidences of the most probable classes, and whether they are right."""
        answers = compiled_loop("answers", 0)
        if answers is None:
            return None
        scores, kinds = np.empty(n), np.empty(n, dtype=self.kind_type)
        which = np.arange(len(begins), dtype=NUMBER)
        no_table = (1.0, False, np.empty(0, dtype=np.int64), self.pairs.reshape(-1))
        done = answers(base, begins, which, *coded, n, 1, *no_table, scores, kinds)
        if done < n:
            answers(base, begins, which, *coded, done, -1, *no_table, scores, kinds)
            return None
        return scores, kinds


class OpenTable(PlainRows):
    """Counts of one thread in the cells of a grid.

    Parameters
    ----------
    plan, labels
        As of :class:`PlainRows`.
    exponent : int, optional
        Cells are ``2**exponent`` wide; with None, scores are multiples of one over `scale`.
    scale : float
        Cells per unit.
    ends : tuple of float
        The least and the greatest score known; other scores make the table larger.
    """

    labels: frozenset[Any]
    n_rows: int
    pairs: npt.NDArray[np.int64]

    def __init__(
        self,
        plan: Plan,
        labels: frozenset[Any],
        exponent: int | None,
        scale: float,
        ends: tuple[float, float],
    ) -> None:
        super().__init__(plan, labels)
        self.exponent = exponent
        self.scale = scale
        self.decimal: bool = exponent is None
        self.low: float = 0.0
        self.table: npt.NDArray[np.int64] = np.zeros((0, len(self.kinds)), dtype=np.int64)
        self.count: Callable[..., int] | None = None
        if self.kind_of and self._reach(*(ends if plan.binary else self.bounds)):
            self.count = compiled_loop("count", 0)

    @classmethod
    def of_list(cls, rows: OpenList, exponent: int | None) -> OpenTable | None:
        """Count the rows of a list in a table; None if there is no grid for them."""
        scale = decimal_scale(rows.rows[0][0]) if exponent is None else 2.0**-exponent
        if scale is None:
            return None
        least, most = (min(s.min() for s, _ in rows.rows), max(s.max() for s, _ in rows.rows))
        table = cls(rows.plan, rows.labels, exponent, scale, (float(least), float(most)))
        if table.count is None:
            return None
        every = (rows.kind_type(0), rows.kind_type(len(rows.kinds) - 1), np.arange(len(rows.kinds)))
        if not all(table._add_scores(scores, (kinds, *every)) for scores, kinds in rows.rows):
            return None
        table.pairs, table.n_rows = rows.pairs, rows.n_rows
        return table

    def add(self, batch: Any) -> bool:
        """Count a batch, or nothing of it: then False, and the plain way is to be taken."""
        found = self.columns_of(batch)
        if found is None:
            return False
        base, begins, coded = found
        n = batch.num_rows
        if self.plan.binary:
            done = self._add_scores(base[:n], coded)
        else:
            done = self._add_answers(base, begins, coded, n)
        self.n_rows += n if done else 0
        return done

    def join(self, other: OpenTable) -> bool:
        """Add the counts of another table; False, and nothing is added, if it has another grid."""
        if (self.exponent, self.scale, self.kinds) != (other.exponent, other.scale, other.kinds):
            return False
        high = max(self.low + len(self.table), other.low + len(other.table)) - 1
        if not self._extend(min(self.low, other.low), high):
            return False
        start = int(other.low - self.low)
        self.table[start : start + len(other.table)] += other.table
        self.pairs += other.pairs
        self.labels, self.n_rows = self.labels | other.labels_counted, self.n_rows + other.n_rows
        return True

    def summary(self) -> LogSummary:
        """Give what is counted as a summary."""
        found = pieces_of(self.table, self.low, self.scale if self.decimal else None)
        pieces: dict[Kind, tuple[Piece, ...]] = {
            Kind(None, None, *self.kinds[at]): (piece,) for at, piece in found.items()
        }
        scores = ScoreTally(self.plan.limits, self.exponent, pieces).settled(1.5)
        return LogSummary(self.plan, self.n_rows, self.labels_counted, scores, self.sets())

    def _add_scores(self, scores: Floats, coded: Coded) -> bool:
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

    def _add_answers(self, base: Floats, begins: Any, coded: Coded, n: int) -> bool:
        answers = compiled_loop("answers", 0)
        if answers is None:
            return False
        which = np.arange(len(begins), dtype=NUMBER)
        grid = (self.scale, self.decimal, self.table.reshape(-1), self.pairs.reshape(-1))
        rest = (*grid, np.empty(0), np.empty(0, dtype=self.kind_type))
        done: int = answers(base, begins, which, *coded, n, 1, *rest)
        if done < n:
            answers(base, begins, which, *coded, done, -1, *rest)
        return done == n

    def _reach(self, least: float, most: float) -> bool:
        """Make the table reach to these scores; False if it does already, or it cannot."""
        if not (self.bounds[0] <= least <= most <= self.bounds[1]):  # nor if one is NaN
            return False
        near = np.rint if self.decimal else np.floor
        low, high = near(np.array([least, most]) * self.scale)
        if len(self.table):
            low, high = min(low, self.low), max(high, self.low + len(self.table) - 1)
        return high - low + 1 > len(self.table) and self._extend(low, high)

    def _extend(self, low: float, high: float) -> bool:
        """Make the table reach from one cell, no later than its first, to another; False if not."""
        span = high - low + 1
        if not (span * len(self.kinds) <= _MOST_PLACES and max(-low, high) < _FAR):
            return False
        table = np.zeros((int(span), len(self.kinds)), dtype=np.int64)
        start = int(self.low - low) if len(self.table) else 0
        table[start : start + len(self.table)] = self.table
        self.low, self.table = float(low), table
        return True
