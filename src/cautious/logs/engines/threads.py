"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import replace
from threading import Lock, Semaphore
from typing import Any

from cautious.errors import InputError
from cautious.logs.engines.open_table import OpenTable, suits
from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan
from cautious.logs.source import BATCH_CELLS, Part
from cautious.logs.summary import LogSummary
from cautious.logs.tallies import expect_rows

__all__ = ["Progress", "RunningTotal", "summarise_in_threads"]

# All threads together hold about so many cells that they have read. What is not plain takes
# several times its memory, so it is counted in pieces: of so many cells, though of no fewer than so
# many in each thread.
_CELLS_READ, _CELLS_COUNTED, _LEAST_CELLS = 1 << 22, 1 << 22, 1 << 17
# After so many batches that were not plain after all, a thread takes none for plain any more.
_PATIENCE = 8
# Until a grid is known, threads take so many rows at a time, and then see what others have found.
_ROWS_EXPLORED = 1 << 18
_FEW_THREADS = 4
_THREADS_BY_DEFAULT = 4

Progress = Callable[[int, int | None], object]
"""Called with the number of rows done, and of all rows if it is known."""


class RunningTotal:
    """A summary that one thread adds batches to.

    Parameters
    ----------
    plan : Plan
        What to count.
    whole : Whole, optional
        The total of several threads that this one belongs to.
    seen : LogSummary, optional
        Of other rows of the same log: what they need, all need.
    """

    def __init__(
        self, plan: Plan, whole: Whole | None = None, seen: LogSummary | None = None
    ) -> None:
        self.plan = plan
        self.whole = whole
        self.seen = seen
        self._closed = LogSummary.of_nothing(plan)
        self._table: OpenTable | None = None
        self._patience = _PATIENCE if suits(plan) else 0
        self._tried = False

    @property
    def summary(self) -> LogSummary:
        """The total so far."""
        if self._table is not None:
            self._closed, self._table = self._closed + self._table.summary(), None
        return self._closed

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        whole, names = self.whole, self.plan.columns.names()
        cells_read, cells_counted = (BATCH_CELLS, BATCH_CELLS) if whole is None else whole.cells
        step = max(1, cells_counted // len(names))
        try:
            for first, batch in part.batches(names, cells_read):
                if whole is not None and whole.stopped:
                    return
                n_rows = batch.num_rows
                self._count(batch, first, part, step)
                del batch  # it would otherwise be there while the next is read
                if whole is not None:
                    whole.tell(n_rows)
        except InputError as error:
            raise error.at(part.name) from None

    def _count(self, batch: Any, first: int, part: Part, step: int) -> None:
        """Count a batch in a table, or what comes before there can be one, or is not plain."""
        start, plain = 0, self._patience > 0
        while start < batch.num_rows or not start:
            if plain and self._table is not None:
                if self._table.add(batch.slice(start)):
                    return
                self._closed, self._patience, plain = self.summary, self._patience - 1, False
            with nullcontext() if self.whole is None else self.whole.few:
                if plain and self._open_table():
                    continue
                rows = min(step, _ROWS_EXPLORED) if plain else step
                self._add(batch.slice(start, rows), first + start, part)
                start += rows

    def _open_table(self) -> bool:
        """Open a table once it is known on what grid scores lie."""
        exponent, known = self._exponent(), self._closed
        if not known.labels:
            known = self.whole.summary if self.seen is None and self.whole else self.seen or known
        # Scores that have no decimal grid get none by reading on.
        if known.scores.pieces and (exponent is not None or not self._tried):
            self._tried = exponent is None
            self._table = OpenTable.beside(known, exponent)
        return self._table is not None

    def _add(self, batch: Any, first: int, part: Part) -> None:
        at_least = self._exponent()
        own = summarise_batch(batch, self.plan, at_least=at_least, first=first, where=part.where)
        self._closed += own
        if self.whole is not None:
            self._closed = self.whole.relieve(self._closed)

    def _exponent(self) -> int | None:
        """Give what is known by now to be needed; no finer cells are tried."""
        whole = None if self.whole is None else self.whole.summary
        known = [one.scores.exponent for one in (self._closed, whole, self.seen) if one is not None]
        return max((exponent for exponent in known if exponent is not None), default=None)


class Whole:
    """The total of several threads, which share the memory budget.

    Each thread adds up by itself, so that none waits for another. One that keeps more than its
    share of distinct scores hands them over.
    """

    def __init__(self, plan: Plan, n_threads: int, n_rows: int | None, progress: Any) -> None:
        self.summary: LogSummary = LogSummary.of_nothing(plan)
        self.n_rows = n_rows
        self.progress = progress
        self.room: int = plan.limits.limit // n_threads
        self.cells: tuple[int, int] = (
            min(BATCH_CELLS, _CELLS_READ // n_threads),
            max(_LEAST_CELLS, min(BATCH_CELLS, _CELLS_COUNTED // n_threads)),
        )
        self.n_done: int = 0
        self.stopped = False
        self.lock: Lock = Lock()
        # Outside a table Python's lock is held so often that more threads only hinder one another.
        self.few: Semaphore = Semaphore(_FEW_THREADS)

    def tell(self, n_rows: int) -> None:
        """Tell that so many rows more are done."""
        if self.progress is not None:
            with self.lock:
                self.n_done += n_rows
                if not self.stopped:
                    self.progress(self.n_done, self.n_rows)

    def relieve(self, own: LogSummary) -> LogSummary:
        """Take over what is too much for one thread, and give back what it goes on with."""
        if own.scores.exponent is not None or own.scores.n_kept <= self.room:
            return own
        if (known := self.summary.scores.exponent) is not None:
            return replace(own, scores=own.scores.coarsened(known).settled(1.0))
        self.take(own)
        return LogSummary.of_nothing(own.plan)

    def take(self, own: LogSummary) -> None:
        """Add what a thread has."""
        with self.lock:
            self.summary += own


def summarise_in_threads(
    parts: Iterable[Part],
    plan: Plan,
    *,
    n_rows: int | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> LogSummary:
    """Summarise the parts of a source in threads; each has one batch in memory.

    Parameters
    ----------
    parts : iterable of Part
        Parts of the source.
    plan : Plan
        What to count.
    n_rows : int, optional
        How many rows there are in all, for `progress`.
    n_threads : int, optional
        Number of threads; as many as processors by default, up to 4.
    progress : callable, optional
        Told the number of rows done and of all.

    Returns
    -------
    LogSummary
    """
    import pyarrow as pa

    if n_threads is None:
        n_threads = min(os.cpu_count() or 1, _THREADS_BY_DEFAULT)
    if isinstance(parts, Sequence):
        n_threads = max(1, min(n_threads, len(parts)))
    expect_rows(n_rows or 0)
    whole = Whole(plan, n_threads, n_rows, progress)
    waiting, lock = iter(parts), Lock()

    def work() -> None:
        own = RunningTotal(plan, whole)
        while not whole.stopped:
            with lock:
                part = next(waiting, None)
            if part is None:
                whole.take(own.summary)
                return
            own.add(part)
            if n_threads > _FEW_THREADS:
                # Arrow keeps for each thread what it has freed; of many threads that is a lot.
                pa.default_memory_pool().release_unused()

    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(work) for _ in range(n_threads)]
        try:
            for future in as_completed(futures):
                future.result()  # the first error ends it all
        except BaseException:
            whole.stopped = True
            raise
    return whole.summary
