"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Condition, Lock, Semaphore
from typing import Any, TypeAlias

from cautious.errors import InputError
from cautious.logs.batch import summarise_batch
from cautious.logs.parts import BATCH_CELLS, Part, count_batches
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary

# All threads together hold about so many cells that they have read. What is not plain takes
# several times its memory, so it is counted in pieces: of so many cells, though of no fewer than so
# many in each thread.
_CELLS_READ, _CELLS_COUNTED, _LEAST_CELLS = 1 << 21, 1 << 22, 1 << 17
# Python's lock is held so often that more threads, counting at a time, only hinder one another.
_FEW_THREADS = 4
# So many columns are read at a time, though of no fewer parts than so many.
_COLUMNS_OPEN, _LEAST_STREAMS = 14, 5
# More threads than so many gain less than they lose in waiting for Python's lock: of 200 million
# scores 16 threads took 0.62 s, and 8 took 0.40.
_MOST_THREADS = 8
_THREADS_BY_DEFAULT = 4

RowsDone = Callable[[int, int | None], object]
"""Called with the number of rows done, and of all rows if it is known."""


class RunningTotal:
    """A summary that batches are added to, by one thread or by several.

    Parameters
    ----------
    plan : Plan
        What to count.
    cells : int
        How many cells are counted at a time.
    """

    def __init__(self, plan: Plan, cells: int = BATCH_CELLS) -> None:
        self.plan = plan
        self.summary: LogSummary = LogSummary.of_nothing(plan)
        self._step = max(1, cells // len(plan.columns.names()))
        self._lock, self._few = Lock(), Semaphore(_FEW_THREADS)

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        for first, batch in batches_of(part, self.plan.columns.names(), BATCH_CELLS):
            self.count(part, first, batch)
            del batch  # it would otherwise be there while the next is read

    def count(self, part: Part, first: int, batch: Any) -> None:
        """Add a batch of a part, whose first row has a number."""
        for start in range(0, batch.num_rows, self._step):
            rows = batch.slice(start, self._step)
            place = part.name
            try:
                with self._few:
                    # What other batches are known to need, all need: no finer cells are tried.
                    known = self.summary.scores.exponent
                    own = summarise_batch(
                        rows, self.plan, known, first=first + start, where=part.where
                    )
                place = self.plan.place  # what does not add up is wrong with no part alone
                with self._lock:
                    self.summary += own
            except InputError as error:
                raise error.at(place) from None


_Stream: TypeAlias = tuple[int, Part, Iterator[tuple[int, Any]]]
"""The place of a part in the source, the part, and its batches with their first rows."""


class Reading:
    """Batches on their way from the parts of a source to the threads that count them.

    Several parts are read at a time, each by one thread at a time. Of several batches that are
    refused the first is said, whichever thread was quicker: what comes before a refused batch is
    still read and counted, what comes after it is not.
    """

    def __init__(
        self,
        parts: Iterable[Part],
        plan: Plan,
        cells: int,
        n_rows: int | None = None,
        progress: RowsDone | None = None,
    ) -> None:
        self.refused: InputError | None = None
        self._stopped = False
        self._last: tuple[float, float] = (math.inf, 0)
        self._names = plan.columns.names()
        # Parts that are being read, with their place in the source.
        self._waiting = (
            (order, part, batches_of(part, self._names, cells)) for order, part in enumerate(parts)
        )
        self._n_rows, self._progress, self._n_done = n_rows, progress, 0
        self._free: deque[_Stream] = deque()
        self._n_open, self._changed = 0, Condition()
        self._most = max(_LEAST_STREAMS, _COLUMNS_OPEN // len(self._names))

    def run(self, count: Callable[[Part, int, Any], None]) -> None:
        """Read and count in a thread until nothing is left."""
        try:
            while (stream := self._take()) is not None:
                order, part, batches = stream
                first, batch = self._read(order, batches)
                with self._changed:
                    if batch is None:
                        self._n_open -= 1
                    else:
                        self._free.append(stream)
                    self._changed.notify_all()
                if batch is not None:
                    try:
                        count(part, first, batch)
                    except InputError as error:
                        self._refuse((order, first), error)
                    self._tell(batch.num_rows)
                del batch  # it would otherwise be there while the next is read
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Let all threads end."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _take(self) -> _Stream | None:
        """Take a part to read from: a new one, or one that nobody is reading; None at the end."""
        with self._changed:
            while not self._stopped:
                may_open = self._n_open < self._most and self.refused is None
                if may_open and (stream := next(self._waiting, None)) is not None:
                    self._n_open += 1
                    return stream
                if self._free:
                    return self._free.popleft()
                if not self._n_open:
                    return None
                self._changed.wait()
        return None

    def _read(self, order: int, batches: Iterator[tuple[int, Any]]) -> tuple[int, Any]:
        """Read the next batch of a part; None at its end, or beyond what was refused."""
        try:
            first, batch = next(batches, (0, None))
        except InputError as error:
            self._refuse((order, math.inf), error)
            return 0, None
        return first, None if (order, first) > self._last else batch

    def _refuse(self, place: tuple[int, float], error: InputError) -> None:
        with self._changed:
            if place < self._last:
                self._last, self.refused = place, error

    def _tell(self, n_rows: int) -> None:
        """Tell that so many rows more are done."""
        if self._progress is not None:
            with self._changed:
                self._n_done += n_rows
                if not self._stopped and self.refused is None:
                    self._progress(self._n_done, self._n_rows)


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
    counted = max(_LEAST_CELLS, min(BATCH_CELLS, _CELLS_COUNTED // n_threads))
    total = RunningTotal(plan, counted)
    reading = Reading(parts, plan, cells, n_rows, progress)
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(reading.run, total.count) for _ in range(n_threads)]
        try:
            for future in as_completed(futures):
                future.result()  # the first error ends it all
        except BaseException:
            reading.stop()
            raise
    if reading.refused is not None:
        raise reading.refused
    pa.default_memory_pool().release_unused()
    return total.summary
