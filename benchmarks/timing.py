"""Timing two things in one run, so that their ratio means something on any machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

# What seconds are taken from: the wall clock, or the processor (`--processor`).
CLOCK: Callable[[], float] = time.perf_counter


def seconds(work: Callable[[], Any], *, repeats: int = 3) -> float:
    """Best time of a few runs, after one that warms caches and compilers up."""
    work()
    times = []
    for _ in range(repeats):
        start = CLOCK()
        work()
        times.append(CLOCK() - start)
    return min(times)


def median_seconds(work: Callable[[Any], Any], items: list[Any]) -> float:
    """Median time over single items, after warming up on the first."""
    work(items[0])
    times = []
    for item in items:
        start = CLOCK()
        work(item)
        times.append(CLOCK() - start)
    return median(times)


def row(
    name: str,
    ours: float,
    *,
    reference: float | None = None,
    against: str = "",
    note: str = "",
    peer: bool = False,
) -> dict[str, Any]:
    """One line of the table: our time, the reference's in the same run, and their ratio.

    Where the reference is a `peer`, a program for the same purpose, it is said who is ahead.
    """
    ahead = "" if not peer or reference is None else "ours" if ours < reference else "theirs"
    return {
        "name": name,
        "seconds": ours,
        "against": against,
        "reference": reference,
        "ratio": None if reference is None else ours / reference,
        "ahead": ahead,
        "note": note,
    }
