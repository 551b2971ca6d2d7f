"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock

from cautious.errors import InputError
from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan
from cautious.logs.source import Part
from cautious.logs.summary import LogSummary

__all__ = ["Progress", "RunningTotal", "summarise_in_threads"]

Progress = Callable[[int, int | None], object]
"""Called with the number of rows done, and of all rows if it is known."""


class RunningTotal:
    """A summary that batches are added to, by one thread or several.

    Attributes
    ----------
    summary : LogSummary
        The total so far. What it knows by now to be too fine for all the data is not tried again.
    stopped : bool
        Set it to leave the rest out, since the total is not wanted any more.
    """

    def __init__(
        self, plan: Plan, n_rows: int | None = None, progress: Progress | None = None
    ) -> None:
        self.summary = LogSummary.of_nothing(plan)
        self.n_rows, self.progress = n_rows, progress
        self.stopped = False
        self.lock = Lock()

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        plan, where = self.summary.plan, part.where
        try:
            for first, batch in part.batches(plan.columns.names()):
                if self.stopped:
                    return
                at_least = self.summary.scores.exponent
                found = summarise_batch(batch, plan, at_least=at_least, first=first, where=where)
                with self.lock:
                    self.summary += found
                    if self.progress is not None and not self.stopped:
                        self.progress(self.summary.n_rows, self.n_rows)
        except InputError as error:
            raise error.at(part.name) from None


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
        Number of threads; as many as processors by default.
    progress : callable, optional
        Told the number of rows done and of all.

    Returns
    -------
    LogSummary
    """
    total = RunningTotal(plan, n_rows, progress)
    waiting, lock = iter(parts), Lock()

    def work() -> None:
        while not total.stopped:
            with lock:
                part = next(waiting, None)
            if part is None:
                return
            total.add(part)

    threads = (os.cpu_count() or 1) if n_threads is None else n_threads
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work) for _ in range(threads)]
        try:
            for future in as_completed(futures):
                future.result()  # the first error ends it all
        except BaseException:
            total.stopped = True
            raise
    return total.summary
