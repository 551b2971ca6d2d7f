"""Credal decision criteria: whole batches at once, against one sort of the probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.timing import row, seconds
from cautious.credal import contaminate
from cautious.decision import e_admissibility, gamma_maximin, maximality

TITLE = "Credal decision criteria"
READ = "Decisions over whole batches of probability intervals, beside one sort of their rows."


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = 100 if small else 10_000
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(10), n)
    intervals = contaminate(p, 0.1)
    costs = rng.random((10, 10)) * (1 - np.eye(10))
    sort = seconds(lambda: np.sort(p, axis=1))
    jobs = {
        f"maximality, {n:,} × 10, cost matrix": lambda: maximality(intervals, costs),
        f"maximality, {n:,} × 10, 0/1 costs": lambda: maximality(intervals),
        f"E-admissibility, {n:,} × 10, 0/1 costs": lambda: e_admissibility(intervals),
        f"E-admissibility, {n:,} × 10, cost matrix": lambda: e_admissibility(intervals, costs),
        f"Γ-maximin, {n:,} × 10, cost matrix": lambda: gamma_maximin(intervals, costs),
        f"upper entropy, {n:,} × 10": lambda: intervals.upper_entropy(),
    }
    for name, job in jobs.items():
        yield row(name, seconds(job), reference=sort, against="np.sort of the rows")
