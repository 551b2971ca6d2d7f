"""Rules applied to new cases: beside merely copying the file, memory as rows grow, alarms."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import row, seconds
from cautious.guarantees import RiskMonitor

TITLE = "Rules applied and watched"
READ = (
    "`cautious.apply` on a Parquet file of cases, each in a process of its own, beside pyarrow "
    "reading and writing the same file batch by batch; the answers are a column more. Look whether "
    "peak memory stays flat as the rows grow."
)
GROWTH = (10**6, 10**7, 10**8)
CHUNK = 1_000_000

CHILD = r"""
import json, re, sys, time
from pathlib import Path
import pyarrow.parquet as pq
import cautious
from cautious.decision import Rule
mode, path, out = sys.argv[1:]
apply = cautious.apply  # imported before the clock starts
start = time.perf_counter(), time.process_time()
if mode == "apply":
    apply(path, Rule.window(0.2, 0.8), out)
else:
    with pq.ParquetFile(path) as file, pq.ParquetWriter(out, file.schema_arrow) as writer:
        for batch in file.iter_batches(1 << 20):
            writer.write_batch(batch)
took = time.perf_counter() - start[0], time.process_time() - start[1]
peak = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([*took, peak]))
"""


def write_cases(path: Path, n: int) -> Path:
    """Cases with a number and a score, a million rows per row group."""
    rng = np.random.default_rng(0)
    schema = pa.schema([("id", pa.int64()), ("score", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n, CHUNK):
            count = min(CHUNK, n - start)
            columns = {"id": np.arange(start, start + count), "score": rng.random(count)}
            writer.write_table(pa.table(columns, schema=schema))
    return path


def alone(mode: str, path: Path, out: Path) -> tuple[float, float, float]:
    """Seconds of wall clock and of processors, and peak memory, of a process of its own."""
    command = [sys.executable, "-c", CHILD, mode, str(path), str(out)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, processor, peak = json.loads(found.stdout)
    return wall, processor, peak


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    with tempfile.TemporaryDirectory() as folder:
        home, less = Path(folder), 1000 if small else 1
        for n in (n // less for n in GROWTH):
            path = write_cases(home / "cases.parquet", n)
            taken: dict[str, list[tuple[float, float, float]]] = {"apply": [], "copy": []}
            for _ in range(1 if small or n >= 10**8 else 3):  # in turns
                for mode, times in taken.items():
                    times.append(alone(mode, path, home / f"{mode}.parquet"))
            ours, theirs = (
                tuple(median(each) for each in zip(*times, strict=True)) for times in taken.values()
            )
            yield row(
                f"answers to {n:,} cases",
                ours[0],
                reference=theirs[0],
                against="pyarrow reading and writing them",
                note=f"processor times {ours[1] / theirs[1]:.3g}; peak {ours[2]:.0f} MB, "
                f"copying {theirs[2]:.0f} MB; asked: at most 2",
            )
            path.unlink()
    yield from updates()


def updates() -> Iterator[dict[str, Any]]:
    """An update and a look, after few answers and after many."""
    reference = None
    for answered in (10**3, 10**9):
        monitor = RiskMonitor(0.05, wrong=answered // 25, answered=answered)

        def work(monitor: RiskMonitor = monitor) -> None:
            for _ in range(1000):
                monitor.update(0, 1)
                _ = monitor.alarm

        took = seconds(work) / 1000
        yield row(
            f"update and look of a monitor after {answered:,} answers",
            took,
            reference=reference,
            against="" if reference is None else "the same after 1,000 answers",
            note="asked: independent of their number",
        )
        reference = took
