"""From batches of a prediction log to a summary: what every engine maps, and threads that do it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from itertools import islice
from threading import Lock, Semaphore
from typing import Any

import numpy as np
import pandas as pd

from cautious._labels import binary_classes, label_text, match_label
from cautious._typing import Floats, Ints, Mask
from cautious.errors import InputError
from cautious.logs._source import BATCH_CELLS, Part, batch_rows
from cautious.logs.plan import ARGMAX, SETS, Plan
from cautious.logs.scores import Codes, Kind, ScoreTally
from cautious.logs.sets import Counts, SetTally, Stratum, fixed_point
from cautious.logs.summary import WEIGHTLESS, LogSummary
from cautious.predictions._cells import plain_labels
from cautious.predictions._columns import odd_sets
from cautious.predictions._rows import (
    NO_NAME,
    Rows,
    logged_sets,
    positions_of_truths,
    read_rows,
    scores_of,
)
from cautious.predictions._table import table_of_batch

# Python's lock is held so often that more threads, counting at a time, only hinder one another.
_FEW_THREADS = 4
# More threads than so many gain less than they lose in waiting for Python's lock: of 200 million
# scores 16 threads took 0.62 s, and 8 took 0.40.
_MOST_THREADS = 8
_THREADS_BY_DEFAULT = 4
RowsDone = Callable[[int, int | None], object]
"""Called with the number of rows done, and of all rows if it is known."""


def summarise_batch(
    batch: Any,
    plan: Plan,
    at_least: int | None = None,
    *,
    first: int = 0,
    where: Callable[[int], str] = "row {}".format,
) -> LogSummary:
    """Summarise one Arrow record batch; summaries of several add up, in any order.

    Parameters
    ----------
    batch : pyarrow.RecordBatch or Table
        Rows of a prediction log.
    plan : Plan
        What to count.
    at_least : int, optional
        The exponent that other batches are known to need, of the cells that scores are rounded to
        (``summary.scores.exponent``). It spares work and changes no result.
    first : int
        Number of the batch's first row in the log.
    where : callable
        Says where a row of the log is, for errors.
    """
    table = table_of_batch(batch, first, where)
    rows = read_rows(table, plan.columns, plan, whole=False)
    if not rows.n:
        return replace(LogSummary.of_nothing(plan), n_rows=batch.num_rows, odd=rows.odd)
    known = [exponent for exponent in (plan.resolution, at_least) if exponent is not None]
    counting = _Counting(rows, plan, max(known, default=None))
    scores, sets = counting.scores(), counting.sets()
    return LogSummary(plan, batch.num_rows, frozenset(rows.truths), scores, sets, rows.odd)


class _Counting:
    """Counts the rows of a batch: what they are, and how often each counts."""

    def __init__(self, rows: Rows, plan: Plan, exponent: int | None) -> None:
        self.rows, self.plan, self.exponent = rows, plan, exponent
        self.used: Mask | None = None
        self.counts: Counts | None = None
        if (weight := rows.weight) is not None:
            self.used = None if (weight > 0).all() else weight > 0
            if self.used is not None:
                self._note(WEIGHTLESS, ~self.used)
            self.counts = fixed_point(self._counted(weight))
        self.part, self.parts = self._models_and_groups()
        self.answer: Ints | None = None
        self.confidence: Floats = np.empty(0)
        if len(plan.columns.proba) > 1:
            self.proba = rows.proba_of(plan.classes)
            if plan.missing == "abstain":
                self._note("missing", np.isnan(self.proba[:, 0]))
            self.confidence = self.proba.max(axis=1)
            self.answer = (self.proba == self.confidence[:, None]).argmax(axis=1)  # nan: the first

    @cached_property
    def truth(self) -> Ints:
        """Position of each true class."""
        assert self.rows.truth is not None
        return positions_of_truths(self.rows, self.plan.classes)[self.rows.truth.codes]

    def scores(self) -> ScoreTally:
        """Count scores of two classes, or the confidences of answers."""
        tally = ScoreTally(self.plan.limits, self.plan.resolution)
        if self.plan.binary:
            truth, names = self._truths_of_scores()
            for model, scores in scores_of(self.rows, self.plan.settled).items():
                gone = np.isnan(scores)
                if gone.any():
                    scores = np.where(gone, 0.0, scores)
                    if len(self.plan.columns.proba) < 2:
                        self._note("missing", gone)
                tally += self._tally(scores, truth, gone, names, model)
        elif self.answer is not None:
            names = range(len(self.plan.classes))
            tally += self._tally(self.confidence, self.truth, self.answer != self.truth, names)
        return tally

    def _truths_of_scores(self) -> tuple[Codes, Sequence[Any]]:
        """Tell which case each row is, positive or not or of which label, and what these are."""
        plan, rows = self.plan, self.rows
        assert rows.truth is not None
        names: list[Any] = list(plan.classes) or rows.truth.values
        among = positions_of_truths(rows, names) if plan.classes else np.arange(len(names))
        if plan.pos_label is not None:
            among, names = among == match_label(plan.pos_label, names), [False, True]
        elif len(names) > 2:
            binary_classes(names)  # says that there are too many
        return among.astype(np.uint8)[rows.truth.codes], names

    def _tally(
        self, scores: Floats, truth: Codes, apart: Mask, names: Sequence[Any], model: str = ""
    ) -> ScoreTally:
        """Count scores for each kind of case in each part of the batch; nan is left out."""
        kinds = [(name, is_apart) for name in names for is_apart in (False, True)]
        # The smallest type sorts quickest, where cases must be sorted by kind.
        code = truth.astype(np.min_scalar_type(len(kinds)))
        code *= 2
        code += apart
        if self.part is not None:
            code = self.part * len(kinds) + code
        every = [
            Kind(", ".join(filter(None, (own, model))) or None, group, *kind)
            for own, group in self.parts
            for kind in kinds
        ]
        scores, code = map(self._counted, (scores, code))
        there: Any = ~np.isnan(scores) if "missing" in self.rows.odd else slice(None)
        counts = None if self.counts is None else self.counts[there]
        scores, code = scores[there], code[there]
        return ScoreTally.of_cases(scores, code, every, counts, self.plan.limits, self.exponent)

    def sets(self) -> SetTally:
        """Count the sets of every decision."""
        limit = self.plan.limits.limit
        tally, part = SetTally(limit), self._counted(self.part)
        for decision in self.plan.decisions:
            sets, which = self._logged() if decision == SETS else self._decided(decision)
            sets, which = (self._counted(sets), None) if which is None else (sets, which)
            truth, answer, which = map(self._counted, (self.truth, self.answer, which))
            right = None if answer is None else answer == truth
            strata = [Stratum(decision, *names) for names in self.parts]
            tally += SetTally.of_sets(sets, which, truth, right, part, strata, self.counts, limit)
        return tally

    def _logged(self) -> tuple[Mask, Ints | None]:
        """Give logged sets: a mask of all rows, or of distinct sets and which of them each has."""
        self.rows.parse({label_text(label) for label in self.plan.classes})
        _ = self.truth  # a truth that is no class is said before an empty set
        mask, which = logged_sets(self.rows, self.plan.classes)
        if which is not None:
            for key, odd in odd_sets(self.rows.sets).items():
                self._note(key, odd[which])
        return mask, which

    def _decided(self, decision: str) -> tuple[Mask, Ints | None]:
        """Give the sets that a rule chooses, or the most probable class."""
        classes = self.plan.classes
        if decision != ARGMAX:
            values = np.ascontiguousarray(self.proba)
            return self.plan.rules[decision].predict_set(values, classes=classes), None
        assert self.answer is not None
        singles = np.vstack([np.eye(len(classes)), np.ones(len(classes))]) > 0
        return singles, np.where(np.isnan(self.confidence), len(classes), self.answer)

    def _models_and_groups(self) -> tuple[Ints | None, list[tuple[Any, Any]]]:
        """Model and group of each row, as a position among the pairs that occur."""
        found = []
        for role, column in (("model", self.rows.model), ("groups", self.rows.groups)):
            codes, labels = np.zeros(1, dtype=np.intp), list[Any]([None])
            if column is not None:
                codes, values = plain_labels(column, text=True)
                labels = [*values, NO_NAME[role]]
            found.append((codes.astype(np.intp) % len(labels), labels))  # of no name: the last
        (model, models), (group, groups) = found
        if self.rows.model is None and self.rows.groups is None:
            return None, [(None, None)]
        pair, distinct = pd.factorize(model * len(groups) + group)
        every = [(models[at // len(groups)], groups[at % len(groups)]) for at in distinct.tolist()]
        return pair, every

    def _counted(self, values: Any) -> Any:
        """Leave out rows without weight."""
        return values if self.used is None or values is None else values[self.used]

    def _note(self, what: str, rows: Mask) -> None:
        """Count rows that are said to be odd."""
        if rows.any():
            self.rows.odd[what] = self.rows.odd.get(what, 0) + int(rows.sum())


class RunningTotal:
    """A summary that parts of a source are added to, by one thread or by several.

    Parameters
    ----------
    plan : Plan
        What to count.
    n_threads : int
        How many add parts at a time: all together hold about as many cells as one would.
    n_rows : int, optional
        Number of all rows, for `progress`, which is called after each batch.
    """

    def __init__(
        self,
        plan: Plan,
        n_threads: int = 1,
        n_rows: int | None = None,
        progress: RowsDone | None = None,
    ) -> None:
        self.plan, self.stopped = plan, False
        self.summary: LogSummary = LogSummary.of_nothing(plan)
        self._names, self._cells = plan.columns.names(), BATCH_CELLS // n_threads
        self._n_done, self._n_rows, self._progress = 0, n_rows, progress
        self._lock, self._few = Lock(), Semaphore(_FEW_THREADS)

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        place, step = part.name, batch_rows(self._names, self._cells)
        try:
            for first, batch in part.batches(self._names, self._cells):
                for start in range(0, batch.num_rows, step):  # what is in memory may be large
                    rows, at = batch.slice(start, step), first + start
                    with self._few:
                        # What other batches are known to need, all need: no finer cells are tried.
                        known = self.summary.scores.exponent
                        own = summarise_batch(rows, self.plan, known, first=at, where=part.where)
                    with self._lock:
                        place = self.plan.place  # what does not add up is wrong with no part alone
                        self.summary += own
                        place = part.name
                with self._lock:
                    if self.stopped:
                        return
                    self._n_done += batch.num_rows
                    if self._progress is not None:
                        self._progress(self._n_done, self._n_rows)
                del batch  # it would otherwise be there while the next is read
        except InputError as error:
            raise error.at(place) from None


def summarise_in_threads(
    parts: Iterable[Part],
    plan: Plan,
    *,
    n_rows: int | None = None,
    n_threads: int | None = None,
    progress: RowsDone | None = None,
) -> LogSummary:
    """Summarise the parts of a source in threads; of several that are refused the first is said."""
    import pyarrow as pa

    if n_threads is None:
        n_threads = min(os.cpu_count() or 1, _THREADS_BY_DEFAULT)
    most = len(parts) if isinstance(parts, Sequence) else _MOST_THREADS
    n_threads = max(1, min(n_threads, _MOST_THREADS, most))
    at_once = max(most, 1) if isinstance(parts, Sequence) else 2 * n_threads
    total, waiting = RunningTotal(plan, n_threads, n_rows, progress), iter(parts)
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            while window := list(islice(waiting, at_once)):
                deque(pool.map(total.add, window), 0)
        except BaseException:
            total.stopped = True
            raise
    pa.default_memory_pool().release_unused()
    return total.summary
