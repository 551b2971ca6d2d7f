"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import reduce
from threading import Lock

from cautious.logs.fragments import Fragment, summarise_fragment
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary, merge

__all__ = ["Progress", "summarise_locally"]

Progress = Callable[[int, int | None], object]
"""Called with the number of rows done, and of all rows if it is known."""


def summarise_locally(
    fragments: Iterable[Fragment],
    plan: Plan,
    *,
    n_rows: int | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> LogSummary:
    """Summarise fragments in threads; each has one in memory, however many there are.

    Parameters
    ----------
    fragments : iterable of Fragment
        Pieces of the source.
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
    threads = (os.cpu_count() or 1) if n_threads is None else n_threads
    work = _Work(fragments, plan, n_rows, progress)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work.summarise_in_turn) for _ in range(threads)]
        try:
            for future in as_completed(futures):
                future.result()  # the first error ends it all
        except BaseException:
            work.stopped = True
            raise
    return reduce(merge, (future.result() for future in futures), work.shared)


class _Work:
    """Fragments that threads take in turn, each adding up its own."""

    def __init__(
        self,
        fragments: Iterable[Fragment],
        plan: Plan,
        n_rows: int | None,
        progress: Progress | None,
    ) -> None:
        self.fragments, self.plan = iter(fragments), plan
        self.n_rows, self.progress = n_rows, progress
        self.done = 0
        self.shared = LogSummary.of_nothing(plan)
        self.stopped = False
        self.lock = Lock()

    def summarise_in_turn(self) -> LogSummary:
        """Summarise one fragment after the other until there are no more."""
        total = LogSummary.of_nothing(self.plan)
        while (fragment := self._take()) is not None:
            # What is known by now to be too fine for all the data is not tried again.
            found = summarise_fragment(fragment, self.plan.knowing(self.shared.scores.exponent))
            if found.scores.raw:
                # Threads find out together how fine a grid can be, rather than each by itself.
                with self.lock:
                    self.shared = merge(self.shared, found)
            else:
                total = merge(total, found)
            self._tell(found.n_rows)
        return total

    def _take(self) -> Fragment | None:
        with self.lock:
            return None if self.stopped else next(self.fragments, None)

    def _tell(self, rows: int) -> None:
        with self.lock:
            self.done += rows
            if self.progress is not None and not self.stopped:
                self.progress(self.done, self.n_rows)
