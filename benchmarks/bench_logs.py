"""Prediction logs: summarising beside merely reading the columns, memory as rows grow, Dask."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import row, seconds
from cautious.logs import summarise

TITLE = "Prediction logs"
READ = (
    "Summarising a Parquet file, beside pyarrow merely reading its columns into memory with as "
    "many threads, taken in turns. The ratio of processor times, those of all threads, says what "
    "other work on the machine hides. Look whether peak memory stays flat as the rows grow."
)
N_BINARY, N_CLASSES_ROWS, N_CLASSES = 20_000_000, 5_000_000, 10
GROWTH = (10**5, 10**6, 10**7, 10**8)
CHUNK = 1_000_000

# Peak memory belongs to a process, so each measurement has one of its own. (getrusage would still
# report the peak of the process that started it.)
CHILD = r"""
import json, re, sys, time
from pathlib import Path
from cautious.logs import summarise
path, page = sys.argv[1:]
start = time.perf_counter()
summary = summarise(path)
if page:
    from cautious.report import build_report
    build_report(summary, page)
elif summary.plan.binary:
    summary.cost_surface().vacc()
else:
    summary.measure("aurc")
took = time.perf_counter() - start
peak = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([took, peak, summary.resolution]))
"""


def write_binary(path: Path, n: int, *, decimals: int | None = None) -> Path:
    """Calibrated scores and labels, a million rows per row group."""
    rng = np.random.default_rng(0)
    schema = pa.schema([("y_true", pa.int8()), ("score", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n, CHUNK):
            score = rng.random(min(CHUNK, n - start))
            truth = (rng.random(len(score)) < score).astype(np.int8)
            score = score if decimals is None else score.round(decimals)
            writer.write_table(pa.table({"y_true": truth, "score": score}, schema=schema))
    return path


def write_classes(path: Path, n: int) -> Path:
    """Probabilities of ten classes."""
    rng = np.random.default_rng(0)
    names = [f"p_{k}" for k in range(N_CLASSES)]
    schema = pa.schema([("y_true", pa.int8())] + [(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n, CHUNK):
            p = rng.dirichlet(np.ones(N_CLASSES), min(CHUNK, n - start))
            truth = (p.cumsum(axis=1) > rng.random((len(p), 1)) * 0.999).argmax(axis=1)
            columns = {name: p[:, k].copy() for k, name in enumerate(names)}
            table = {"y_true": truth.astype(np.int8), **columns}
            writer.write_table(pa.table(table, schema=schema))
    return path


def against_reading(path: Path, *, repeats: int) -> tuple[float, float, float]:
    """Median seconds of summarising and of reading, in turns; the ratio of processor times."""
    summarise(path)
    pq.read_table(path)
    wall: tuple[list[float], list[float]] = ([], [])
    processor: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for at, work in enumerate((summarise, pq.read_table)):
            start = time.perf_counter(), time.process_time()
            work(path)
            wall[at].append(time.perf_counter() - start[0])
            processor[at].append(time.process_time() - start[1])
    return median(wall[0]), median(wall[1]), median(processor[0]) / median(processor[1])


def alone(path: Path, page: Path | None = None) -> tuple[float, str]:
    """Seconds of a process that summarises one log, or reports on it, and its peak memory."""
    command = [sys.executable, "-c", CHILD, str(path), "" if page is None else str(page)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    took, peak, resolution = json.loads(found.stdout)
    kept = "exact" if resolution is None else f"scores to {resolution:.1e}"
    return took, f"peak {peak:.0f} MB; {kept}"


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    with tempfile.TemporaryDirectory() as folder:
        home, less = Path(folder), 1000 if small else 1
        n, n_classes_rows = N_BINARY // less, N_CLASSES_ROWS // less
        binary = write_binary(home / "binary.parquet", n)
        repeated = write_binary(home / "repeated.parquet", n, decimals=4)
        classes = write_classes(home / "classes.parquet", n_classes_rows)
        for name, path, asked in (
            (f"{n:,} scores, all different", binary, "at most 2, 500 MB"),
            (f"{n:,} scores of 4 digits", repeated, "at most 2, 500 MB"),
            (f"{n_classes_rows:,} × {N_CLASSES} probabilities", classes, "at most 3"),
        ):
            ours, reading, processor = against_reading(path, repeats=3 if small else 15)
            yield row(
                f"summary of {name}",
                ours,
                reference=reading,
                against="pyarrow reading the same columns",
                note=f"processor times {processor:.3g}; {alone(path)[1]}; asked: {asked}",
            )
        yield from on_dask(binary, n)
        for path in (binary, repeated, classes):
            path.unlink()
        for n in (n // less for n in GROWTH):
            path = write_binary(home / "growing.parquet", n)
            took, note = alone(path)
            yield row(f"summary and VACC in a process of its own, n = {n:,}", took, note=note)
        took, note = alone(path, home / "report.html")
        yield row(f"summary and report in a process of its own, n = {n:,}", took, note=note)


def on_dask(path: Path, n: int) -> Iterator[dict[str, Any]]:
    """The same on a local Dask cluster, of one worker and of two."""
    from distributed import Client, LocalCluster

    local = summarise(path)
    reference = seconds(lambda: summarise(path))
    for n_workers in (1, 2):
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
        )
        with cluster, Client(cluster) as client:
            same = summarise(path, engine=client) == local
            took = seconds(lambda client=client: summarise(path, engine=client))
        yield row(
            f"summary of {n:,} scores on Dask, {n_workers} worker{'s' * (n_workers > 1)}",
            took,
            reference=reference,
            against="the local engine, one thread per core",
            note="bit for bit the same" if same else "DIFFERENT",
        )
