"""Tensors on a GPU: ours beside one pass over the data, in the same run.

Run with ``python -m benchmarks.tensors`` on a machine with a GPU and torch; ``--small`` divides the
sizes by a hundred. Each line is the median of seven runs after two that do not count. The limit is
what one plain torch operation on the same data takes, named beside it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cautious.curves import AbstentionCostSurface
from cautious.decision import optimal_sets
from cautious.metrics import utility_score

Job = tuple[str, Callable[[], Any], str, Callable[[], Any], float]
"""Name, job, name of its limit, limit, and how many limits the job may take."""


def milliseconds(job: Callable[[], Any], wait: Callable[[], None]) -> float:
    """Median time of a job, all work of the device included."""
    times = []
    for _ in range(9):
        wait()
        start = time.perf_counter()
        result = job()
        wait()
        times.append(1000 * (time.perf_counter() - start))
        del result
    return statistics.median(times[2:])


def surface(torch: Any, device: str, divided_by: int) -> Job:
    """Make the job of an exact cost surface with its VACC."""
    n = 500_000_000 // divided_by
    score = torch.rand(n, device=device)
    truth = (torch.rand(n, device=device) < score).to(torch.int64)

    def ours() -> float:
        return AbstentionCostSurface.from_predictions(truth, score).vacc()

    return f"surface and VACC, {n:,} scores", ours, "sort", lambda: torch.sort(score), 5


def sets(rows: int, k: int, spread: float, torch: Any, device: str, divided_by: int) -> Job:
    """Make the job of optimal sets, of rows that are more or less flat."""
    rows //= divided_by
    p = torch.softmax(spread * torch.randn(rows, k, device=device), dim=1)
    name = f"u65-optimal sets, {rows:,} x {k:,}, logits spread {spread:g}"
    return name, lambda: optimal_sets(p, "u65"), "max", lambda: p.max(dim=1), 10


def measure(torch: Any, device: str, divided_by: int) -> Job:
    """Make the job of a measure of sets."""
    rows = 100_000_000 // divided_by
    mask = torch.rand(rows, 10, device=device) < 0.3
    mask[:, 0] |= ~mask.any(dim=1)
    truth = torch.randint(0, 10, (rows,), device=device)

    def ours() -> float:
        return utility_score(truth, mask, classes=np.arange(10))

    return f"utility_score, {rows:,} x 10", ours, "sum", lambda: mask.sum(), 5


MAKERS: tuple[Callable[..., Job], ...] = (
    surface,
    partial(sets, 1_000_000, 1000, 1.0),
    partial(sets, 1_000_000, 1000, 3.0),
    partial(sets, 100_000, 50_000, 3.0),
    measure,
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("nothing can be measured without torch; `pip install torch` gives it.")
    on_gpu = given.device.startswith("cuda")
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name() if on_gpu else 'a CPU'}\n")
    print("| job | ours, ms | limit | limit, ms | ratio | goal |")
    print("| --- | ---: | --- | ---: | ---: | ---: |")
    for make in MAKERS:
        job, ours, limit, plain, goal = make(torch, given.device, 100 if given.small else 1)
        taken, least = milliseconds(ours, wait), milliseconds(plain, wait)
        print(
            f"| {job} | {taken:.1f} | {limit} | {least:.2f} | {taken / least:.1f} | {goal:g} |",
            flush=True,
        )
        del ours, plain  # the data of the next job need the room


if __name__ == "__main__":
    main()
