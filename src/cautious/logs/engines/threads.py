"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from threading import Lock
from typing import Any

from cautious.errors import InputError
from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan
from cautious.logs.source import BATCH_CELLS, Part
from cautious.logs.summary import LogSummary

__all__ = ["Progress", "RunningTotal", "summarise_in_threads"]

# All threads together have about so many cells in memory, and none has fewer than so many.
_CELLS_AT_ONCE, _LEAST_CELLS = 1 << 22, 1 << 17
_FEW_THREADS = 4
# More threads than this make the batches so small that Python's share of each is felt: of 16 on 16
# processors, 200 million scores took 5.7 s, of 4 of them 1.2 s.
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

    Attributes
    ----------
    summary : LogSummary
        The total so far. What it knows by now to be too fine for all the data is not tried again.
    """

    def __init__(self, plan: Plan, whole: Whole | None = None) -> None:
        self.summary, self.whole = LogSummary.of_nothing(plan), whole

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        plan, where, whole = self.summary.plan, part.where, self.whole
        columns, most_cells = plan.columns.names(), whole.batch_cells if whole else BATCH_CELLS
        try:
            for first, batch in part.batches(columns, most_cells):
                if whole is not None and whole.stopped:
                    return
                known = (self, whole) if whole else (self,)
                hints = [one.summary.scores.exponent for one in known]
                at_least = max((e for e in hints if e is not None), default=None)
                self.summary += summarise_batch(
                    batch, plan, at_least=at_least, first=first, where=where
                )
                n_rows = batch.num_rows
                del batch  # it would otherwise be there while the next is read
                if whole is not None:
                    self.summary = whole.relieve(self.summary, n_rows)
        except InputError as error:
            raise error.at(part.name) from None


class Whole:
    """The total of several threads, which share the memory budget.

    Each thread adds up by itself, so that none waits for another. One that keeps more than its
    share of distinct scores hands them over.
    """

    def __init__(self, plan: Plan, n_threads: int, n_rows: int | None, progress: Any) -> None:
        self.summary = LogSummary.of_nothing(plan)
        self.n_rows, self.progress = n_rows, progress
        self.room = plan.limits.limit // n_threads
        self.batch_cells = max(_LEAST_CELLS, min(BATCH_CELLS, _CELLS_AT_ONCE // n_threads))
        self.n_done = 0
        self.stopped = False
        self.lock = Lock()

    def relieve(self, own: LogSummary, n_rows: int) -> LogSummary:
        """Take over what is too much for one thread, and give back what it goes on with."""
        if self.progress is not None:
            with self.lock:
                self.n_done += n_rows
                if not self.stopped:
                    self.progress(self.n_done, self.n_rows)
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
