"""How summarising logs scales with threads and workers, beside pyarrow merely reading them.

``python -m benchmarks.scaling [--rows N] [--threads 1 2 4 8 16] [--folder DIR]`` writes three logs,
then prints, for every number of threads, the best seconds of a few runs: reading, summarising,
their ratio, how much faster than with one thread, and the peak memory of a process that does
nothing else; the same for Dask with as many workers of one thread, beside one local thread; what
the machine allows (the bytes of the file read by as many threads, batches read and not counted,
memory copied; tasks of Dask that do nothing, or only read); what
larger batches would change with the most threads; and how long Python takes for a batch, all but
the rows. It names the machine, and what is not installed; without pyarrow and pandas there is
nothing to measure.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

NEEDED = ("numpy", "pandas", "sklearn", "pyarrow")
WANTED = ("numba", "distributed")
HEAD = """| log | engine | threads | reading | summarising | ratio | speed-up | peak MB |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""
# Two runs in a process of its own: the first loads what is compiled, the second is timed.
CHILD = r"""
import re, sys, time
from pathlib import Path
from cautious.logs import summarise
from cautious.logs import engines
path, n_threads, cells = sys.argv[1], *map(int, sys.argv[2:])
engines.BATCH_CELLS = cells or engines.BATCH_CELLS
for _ in range(2):
    start = time.perf_counter()
    summarise(path, n_threads=n_threads)
took = time.perf_counter() - start
print(took, int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def missing(names: tuple[str, ...]) -> list[str]:
    """Names that cannot be imported."""
    return [name for name in names if importlib.util.find_spec(name) is None]


def best(work: Callable[[], Any], repeats: int) -> float:
    """Least seconds of a few runs, after one that warms everything up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def logs(folder: Path, n: int) -> Iterator[tuple[str, Path]]:
    """Write the logs: different scores, a tenth as many of 4 digits, a fortieth × 10 classes."""
    from benchmarks.bench_logs import N_CLASSES, write_binary, write_classes

    yield f"{n:,} scores", write_binary(folder / "scores.parquet", n)
    few = max(n // 10, 1000)
    yield f"{few:,} scores of 4 digits", write_binary(folder / "digits.parquet", few, decimals=4)
    rows = max(n // 40, 1000)
    name = f"{rows:,} × {N_CLASSES} probabilities"
    yield name, write_classes(folder / "classes.parquet", rows)


def local(name: str, path: Path, threads: list[int], repeats: int) -> Iterator[str]:
    """Rows of the local engine."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from cautious.logs import summarise

    first = None
    for n in threads:
        pa.set_cpu_count(n)
        reading = best(lambda n=n: pq.read_table(path, use_threads=n > 1), repeats)
        ours = best(lambda n=n: summarise(path, n_threads=n), repeats)
        first = ours if first is None else first
        yield line(name, "threads", n, reading, ours, first / ours, f"{alone(path, n)[1]:.0f}")


def on_dask(name: str, path: Path, workers: list[int], repeats: int) -> Iterator[str]:
    """Rows of Dask, the ratio being that to one thread of the local engine."""
    from distributed import Client, LocalCluster

    from cautious.logs import summarise

    one_thread = best(lambda: summarise(path, n_threads=1), repeats)
    first, limits = None, []
    for n in workers:
        cluster = LocalCluster(
            n_workers=n, threads_per_worker=1, dashboard_address=None, memory_limit=0
        )
        with cluster, Client(cluster) as client:
            for _ in range(3):  # until every worker has counted enough to compile its loops
                summarise(path, engine=client)
            ours = best(lambda client=client: summarise(path, engine=client), repeats)
            empty, reading = (
                best(lambda do=do, client=client: only(do, client, path), repeats)
                for do in (do_nothing, read_parts)
            )
        first = ours if first is None else first
        engine = "Dask; one local thread in place of reading"
        yield line(name, engine, n, one_thread, ours, first / ours)
        limits.append(f"| {n} | {empty:.3f} | {reading:.3f} | {ours:.3f} |")
    yield "\n| workers | tasks that do nothing | that only read | summarising |"
    yield "| ---: | ---: | ---: | ---: |"
    yield from limits


def only(do: Callable[[list[Any]], None], client: Any, path: Path) -> None:
    """Have workers do something with the parts of a log, in the tasks that count them."""
    from cautious.logs._source import open_source
    from cautious.logs.engines import blocks_of

    parts = list(open_source(path).parts)
    client.gather([client.submit(do, block, pure=False) for block in blocks_of(parts, client)])


def do_nothing(parts: list[Any]) -> None:
    """Show what it costs to send a task."""


def read_parts(parts: list[Any]) -> None:
    """Read the parts, and count nothing."""
    for part in parts:
        for _ in part.batches(["y_true", "score"]):
            pass


def machine_allows(path: Path, threads: list[int], repeats: int) -> Iterator[str]:
    """Seconds of all that must be done before anything can be counted."""
    from cautious.logs._source import open_source
    from cautious.logs.engines import BATCH_CELLS

    size, block = path.stat().st_size, 1 << 20

    def read_bytes(share: range) -> None:
        buffer = bytearray(block)
        with path.open("rb", buffering=0) as file:
            for at in share:
                file.seek(at * block)
                file.readinto(buffer)

    def copy(n_times: int) -> None:
        here, there = np.ones(1 << 22), np.ones(1 << 22)
        for _ in range(n_times):
            np.copyto(there, here)

    yield (
        "\n| threads | bytes of the file | batches, not counted | speed-up of both | "
        "memory copied, GB/s |\n| ---: | ---: | ---: | ---: | ---: |"
    )
    first = None
    source = open_source(path)
    for n in threads:

        def read_batches(n: int = n) -> None:
            names = source.schema.names
            with ThreadPoolExecutor(n) as pool:
                for part in source.parts:
                    pool.submit(deque, part.batches(names, BATCH_CELLS // n), 0)

        shares = [range(at, size // block, n) for at in range(n)]
        found = (
            best(
                lambda shares=shares: in_threads([partial(read_bytes, s) for s in shares]), repeats
            ),
            best(read_batches, repeats),
        )
        copied = best(lambda n=n: in_threads([partial(copy, 64 // n)] * n), repeats)
        rate = 64 // n * n * 2 * 8 * (1 << 22) / copied / 1e9
        first = first or found
        faster = " · ".join(f"{one / now:.1f}" for one, now in zip(first, found, strict=True))
        yield f"| {n} | {found[0]:.3f} | {found[1]:.3f} | {faster} | {rate:.0f} |"


def in_threads(tasks: list[Callable[[], object]]) -> None:
    """Do every task in a thread of its own."""
    with ThreadPoolExecutor(len(tasks)) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()


def other_batches(path: Path, n_threads: int) -> Iterator[str]:
    """What larger batches would change."""
    yield "\n| cells read at a time by all threads | summarising | peak MB |\n| --- | ---: | ---: |"
    for cells in (1 << 20, 1 << 21, 1 << 22, 1 << 23):
        took, peak = alone(path, n_threads, cells)
        yield f"| {cells:,} | {took:.3f} | {peak:.0f} |"
    yield ""


def line(
    name: str, engine: str, n: int, reading: float, ours: float, faster: float, peak: str = ""
) -> str:
    """One row of the table."""
    return (
        f"| {name} | {engine} | {n} | {reading:.3f} | {ours:.3f} | {ours / reading:.2f} | "
        f"{faster:.1f} | {peak} |"
    )


def alone(path: Path, n_threads: int, cells: int = 0) -> tuple[float, float]:
    """Seconds and peak megabytes of a process that summarises a log and does nothing else."""
    command = [sys.executable, "-c", CHILD, str(path), str(n_threads), str(cells)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    took, peak = map(float, found.stdout.split())
    return took, peak


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000_000, help="scores of the largest log")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where logs are written for the time being")
    wanted = parser.parse_args()
    print(f"{machine()}; not installed: {', '.join(missing(NEEDED + WANTED)) or 'nothing'}.")
    if lacking := missing(NEEDED):
        sys.exit(f"nothing can be measured without {', '.join(lacking)}; pip install them.")
    if "numba" in missing(WANTED):
        print("Without numba, rows are counted by numpy, which holds the interpreter's lock.")
    with tempfile.TemporaryDirectory(dir=wanted.folder) as folder:
        for at, (name, path) in enumerate(logs(Path(folder), wanted.rows)):
            print(f"\n{HEAD}", flush=True)
            tables = [local(name, path, wanted.threads, wanted.repeats)]
            if at == 0:
                if "distributed" not in missing(WANTED):
                    tables.append(on_dask(name, path, wanted.threads, wanted.repeats))
                tables.append(machine_allows(path, wanted.threads, wanted.repeats))
                tables.append(other_batches(path, max(wanted.threads)))
            for table in tables:
                for row in table:
                    print(row, flush=True)
            path.unlink()


def machine() -> str:
    """What the numbers were measured on."""
    from benchmarks.__main__ import machine as name

    return f"{name()}, {len(os.sched_getaffinity(0))} of them to be used"


if __name__ == "__main__":
    main()
