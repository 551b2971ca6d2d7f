"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import replace
from queue import SimpleQueue
from threading import Lock, Semaphore
from typing import Any

from cautious.errors import InputError
from cautious.logs.batch import summarise_batch
from cautious.logs.loops import expect_rows
from cautious.logs.parts import BATCH_CELLS, Part, count_batches
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary

# All threads together hold about so many cells that they have read. What is not plain takes
# several times its memory, so it is counted in pieces: of so many cells, though of no fewer than so
# many in each thread.
_CELLS_READ, _CELLS_COUNTED, _LEAST_CELLS = 1 << 21, 1 << 22, 1 << 17
_FEW_THREADS = 4
# So many columns are read at a time, though by no fewer threads than so many.
_COLUMNS_OPEN, _LEAST_READERS = 14, 5
# More threads than so many gain less than they lose in waiting for Python's lock: of 200 million
# scores 16 threads took 0.62 s, and 8 took 0.40.
_MOST_THREADS = 8
_THREADS_BY_DEFAULT = 4

RowsDone = Callable[[int, int | None], object]
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
        self.summary: LogSummary = LogSummary.of_nothing(plan)
        cells = BATCH_CELLS if whole is None else whole.cells_counted
        self._step = max(1, cells // len(plan.columns.names()))

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        for first, batch in batches_of(part, self.plan.columns.names(), BATCH_CELLS):
            self.count(part, first, batch)
            del batch  # it would otherwise be there while the next is read

    def count(self, part: Part, first: int, batch: Any) -> None:
        """Add a batch of a part, whose first row has a number."""
        for start in range(0, batch.num_rows, self._step):
            rows = batch.slice(start, self._step)
            with nullcontext() if self.whole is None else self.whole.few:
                self._add(rows, first + start, part)
        if self.whole is not None:
            self.whole.tell(batch.num_rows)

    def _add(self, batch: Any, first: int, part: Part) -> None:
        try:
            own = summarise_batch(
                batch, self.plan, at_least=self._exponent(), first=first, where=part.where
            )
            self.summary += own
        except InputError as error:
            raise error.at(part.name) from None
        if self.whole is not None:
            self.summary = self.whole.relieve(self.summary)

    def _exponent(self) -> int | None:
        """Give what is known by now to be needed; no finer cells are tried."""
        whole = None if self.whole is None else self.whole.summary
        known = [one.scores.exponent for one in (self.summary, whole, self.seen) if one is not None]
        return max((exponent for exponent in known if exponent is not None), default=None)


class Whole:
    """The total of several threads, which share the memory budget.

    Each thread adds up by itself, so that none waits for another. One that keeps more than its
    share of distinct scores hands them over.
    """

    def __init__(
        self, plan: Plan, n_threads: int, n_rows: int | None, progress: RowsDone | None
    ) -> None:
        self.summary: LogSummary = LogSummary.of_nothing(plan)
        self.n_rows = n_rows
        self.progress = progress
        self.room: int = plan.limits.limit // n_threads
        fair = min(BATCH_CELLS, _CELLS_COUNTED // n_threads)
        self.cells_counted: int = max(_LEAST_CELLS, fair)
        self.n_done: int = 0
        self.stopped = False
        self.lock: Lock = Lock()
        # Python's lock is held so often that more threads only hinder one another.
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
        with self.lock:
            self.summary += own
        return LogSummary.of_nothing(own.plan)

    def take(self, own: LogSummary) -> None:
        """Add what a thread has."""
        with self.lock:
            self.summary += own


class Reading:
    """Batches on their way from the parts of a source to the threads that count them.

    A thread that reads a part counts its batches itself, unless another thread has nothing to do.
    Arrow keeps for every thread and column what it has used for reading, so where there are many
    columns only some of the threads read.

    Of several batches that are refused the first is said, whichever thread was quicker: what comes
    before a refused batch is still read and counted, what comes after it is not.
    """

    def __init__(self, parts: Iterable[Part], plan: Plan, n_threads: int, cells: int) -> None:
        self.stopped: bool = False
        self.refused: InputError | None = None
        self._last: tuple[float, int] = (math.inf, 0)
        self._waiting, self._lock, self._n_threads = enumerate(parts), Lock(), n_threads
        self._names, self._cells = plan.columns.names(), cells
        self._idle, self._ready = 0, SimpleQueue[tuple[int, Part, int, Any] | None]()
        many = max(_LEAST_READERS, _COLUMNS_OPEN // len(self._names))
        self._readers = min(n_threads, many)
        self._to_start = self._readers

    def run(self, count: Callable[[Part, int, Any], None]) -> None:
        """Read or count in a thread until nothing is left."""

        def count_wanted(order: int, part: Part, first: int, batch: Any) -> None:
            if (order, first) < self._last:
                try:
                    count(part, first, batch)
                except InputError as error:
                    self._refuse((order, first), error)

        try:
            with self._lock:
                reads, self._to_start = self._to_start > 0, self._to_start - 1
            if reads:
                self._read(count_wanted)
            while True:
                with self._lock:
                    self._idle += 1
                found = self._ready.get()
                with self._lock:
                    self._idle -= 1
                if found is None or self.stopped:
                    return
                count_wanted(*found)
                del found  # it would otherwise be there while this waits
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Let all threads end."""
        self.stopped = True
        self._end()

    def _refuse(self, place: tuple[int, int], error: InputError) -> None:
        with self._lock:
            if place < self._last:
                self._last, self.refused = place, error

    def _read(self, count: Callable[[int, Part, int, Any], None]) -> None:
        while True:
            with self._lock:
                over = self.stopped or self.refused is not None
                order, part = (0, None) if over else next(self._waiting, (0, None))
            if part is None:
                break
            following = 0
            try:
                for first, batch in batches_of(part, self._names, self._cells):
                    if self.stopped:
                        return
                    if (order, first) > self._last:
                        break
                    following = first + batch.num_rows
                    if self._idle > self._ready.qsize():
                        self._ready.put((order, part, first, batch))
                    else:
                        count(order, part, first, batch)
                    del batch  # it would otherwise be there while the next is read
            except InputError as error:
                self._refuse((order, following), error)
        with self._lock:
            self._readers -= 1
            last = not self._readers
        if last:
            self._end()

    def _end(self) -> None:
        for _ in range(self._n_threads):
            self._ready.put(None)


def batches_of(part: Part, names: Sequence[str], cells: int) -> Iterator[tuple[int, Any]]:
    """Read a part batch by batch; what is wrong is said with its name."""
    try:
        yield from part.batches(names, cells)
    except InputError as error:
        raise error.at(part.name) from None


def summarise_in_threads(
    parts: Iterable[Part],
    plan: Plan,
    *,
    n_rows: int | None = None,
    n_threads: int | None = None,
    progress: RowsDone | None = None,
) -> LogSummary:
    """Summarise the parts of a source in threads; each has one batch in memory."""
    import pyarrow as pa

    if n_threads is None:
        n_threads = min(os.cpu_count() or 1, _THREADS_BY_DEFAULT)
    names, n_threads = plan.columns.names(), min(n_threads, _MOST_THREADS)
    cells = min(BATCH_CELLS, _CELLS_READ // n_threads)
    if isinstance(parts, Sequence):
        n_threads = max(1, min(n_threads, count_batches(parts, names, cells)))
    expect_rows(n_rows or 0)
    whole, reading = (
        Whole(plan, n_threads, n_rows, progress),
        Reading(parts, plan, n_threads, cells),
    )

    def work() -> None:
        own = RunningTotal(plan, whole)
        reading.run(own.count)
        whole.take(own.summary)

    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(work) for _ in range(n_threads)]
        try:
            for future in as_completed(futures):
                future.result()  # the first error ends it all
        except BaseException:
            whole.stopped = True
            reading.stop()
            raise
    if reading.refused is not None:
        raise reading.refused
    pa.default_memory_pool().release_unused()
    return whole.summary
