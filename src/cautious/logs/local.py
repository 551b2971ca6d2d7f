"""Threads of this process as the engine: reading and counting mostly happen outside Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

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
    """Summarise fragments in threads; a few at a time are in memory, however many there are.

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
    total = LogSummary.of_nothing(plan)
    waiting = iter(fragments)
    running: set[Future[LogSummary]] = set()

    def summarise_next(fragment: Fragment) -> LogSummary:
        # What is known by now to be too fine for all the data is not tried again.
        return summarise_fragment(fragment, plan.knowing(total.scores.exponent))

    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                while len(running) <= threads and (next_one := next(waiting, None)) is not None:
                    running.add(pool.submit(summarise_next, next_one))
                if not running:
                    return total
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    total = merge(total, future.result())
                    if progress is not None:
                        progress(total.n_rows, n_rows)
        except BaseException:
            for future in running:
                future.cancel()
            raise
