"""Tensors on a GPU: ours beside one pass over the data, in the same run.

Run with ``python -m benchmarks.tensors`` on a machine with a GPU and torch; ``--small`` divides the
sizes by a hundred. Each line is the median of seven runs after two that do not count. The limit is
what one plain torch operation on the same data takes, named beside it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cautious.curves import AbstentionCostSurface
from cautious.decision import optimal_sets
from cautious.metrics import utility_score

Job = tuple[str, Callable[[], Any], str, Callable[[], Any], float]


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


def jobs(torch: Any, device: str, divided_by: int) -> Iterator[Job]:
    """Name, job, name of the limit, limit, and how many limits the job may take."""
    n = 500_000_000 // divided_by
    score = torch.rand(n, device=device)
    truth = (torch.rand(n, device=device) < score).to(torch.int64)

    def surface() -> float:
        return AbstentionCostSurface.from_predictions(truth, score).vacc()

    yield f"surface and VACC, {n:,} scores", surface, "sort", lambda: torch.sort(score), 5
    del score, truth
    for rows, k, spread in ((1_000_000, 1000, 1.0), (1_000_000, 1000, 3.0), (100_000, 50_000, 3.0)):
        rows //= divided_by
        p = torch.softmax(spread * torch.randn(rows, k, device=device), dim=1)
        name = f"u65-optimal sets, {rows:,} x {k:,}, logits spread {spread:g}"
        yield name, lambda p=p: optimal_sets(p, "u65"), "max", lambda p=p: p.max(dim=1), 10
        del p
    rows = 100_000_000 // divided_by
    mask = torch.rand(rows, 10, device=device) < 0.3
    mask[:, 0] |= ~mask.any(dim=1)
    truth = torch.randint(0, 10, (rows,), device=device)
    classes = np.arange(10)

    def measure() -> float:
        return utility_score(truth, mask, classes=classes)

    yield f"utility_score, {rows:,} x 10", measure, "sum", lambda: mask.sum(), 5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    import torch

    def wait() -> None:
        if given.device.startswith("cuda"):
            torch.cuda.synchronize()

    name = torch.cuda.get_device_name() if given.device.startswith("cuda") else "CPU"
    print(f"torch {torch.__version__} on {name}")
    print("| job | ours, ms | limit | limit, ms | ratio | goal |\n| --- | ---: | --- | ---: | ---: | ---: |")
    for job, ours, limit, plain, goal in jobs(torch, given.device, 100 if given.small else 1):
        taken, least = milliseconds(ours, wait), milliseconds(plain, wait)
        print(
            f"| {job} | {taken:.1f} | {limit} | {least:.2f} | {taken / least:.1f} | {goal:g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
