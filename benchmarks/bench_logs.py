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

from benchmarks.timing import row
from cautious.logs import summarise

N_BINARY, N_CLASSES_ROWS, N_CLASSES = 20_000_000, 5_000_000, 10
GROWTH = (10**5, 10**6, 10**7, 10**8)
CHUNK = 1_000_000

# Peak memory belongs to a process, so each measurement has one of its own. (getrusage would still
# report the peak of the process that started it.)
CHILD = """
import json, re, sys, time
from pathlib import Path
from cautious.logs import summarise
start = time.perf_counter()
summary = summarise(sys.argv[1])
if summary.plan.binary:
    summary.cost_surface().vacc()
else:
    summary.measure("aurc")
took = time.perf_counter() - start
peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([took, peak, summary.n_rows, summary.resolution]))
"""


def write_binary(path: Path, n: int, *, decimals: int | None = None) -> Path:
    """Calibrated scores and labels, a million rows a row group."""
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


def against_reading(path: Path, *, repeats: int = 7) -> tuple[float, float]:
    """Median times of summarising and of reading, taken in turns."""
    summarise(path)
    pq.read_table(path)
    ours, reading = [], []
    for _ in range(repeats):
        for work, times in ((summarise, ours), (pq.read_table, reading)):
            start = time.perf_counter()
            work(path)
            times.append(time.perf_counter() - start)
    return median(ours), median(reading)


def alone(path: Path) -> tuple[float, float, int, float | None]:
    """Seconds, peak megabytes, rows and resolution of a process that summarises one log."""
    command = [sys.executable, "-c", CHILD, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    took, peak, rows_read, resolution = json.loads(found.stdout)
    return took, peak, rows_read, resolution


def rows() -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        binary = write_binary(home / "binary.parquet", N_BINARY)
        repeated = write_binary(home / "repeated.parquet", N_BINARY, decimals=4)
        classes = write_classes(home / "classes.parquet", N_CLASSES_ROWS)
        for name, path, asked in (
            (f"summary of {N_BINARY:,} scores, all different", binary, "at most 2, 500 MB"),
            (f"summary of {N_BINARY:,} scores of 4 digits, exact", repeated, ""),
            (f"summary of {N_CLASSES_ROWS:,} × {N_CLASSES} probabilities", classes, "at most 3"),
        ):
            ours, reading = against_reading(path)
            peak = alone(path)[1]
            note = f"peak {peak:.0f} MB" + (f"; asked: {asked}" if asked else "")
            against = "pyarrow reading the same columns"
            yield row(name, ours, reference=reading, against=against, note=note)
        yield from on_dask(binary)
        binary.unlink()
        repeated.unlink()
        classes.unlink()
        for n in GROWTH:
            path = write_binary(home / "growing.parquet", n)
            took, peak, _, resolution = alone(path)
            note = f"peak {peak:.0f} MB; " + (
                "exact" if resolution is None else f"scores to {resolution:.1e}"
            )
            yield row(f"summary and VACC in a process of its own, n = {n:,}", took, note=note)


def on_dask(path: Path) -> Iterator[dict[str, Any]]:
    """The same on a local Dask cluster, of one worker and of two."""
    from distributed import Client, LocalCluster

    start = time.perf_counter()
    local = summarise(path)
    reference = time.perf_counter() - start
    for n_workers in (1, 2):
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
        )
        with cluster, Client(cluster) as client:
            summarise(path, engine=client)
            start = time.perf_counter()
            same = summarise(path, engine=client) == local
            took = time.perf_counter() - start
        yield row(
            f"summary of {N_BINARY:,} scores on Dask, {n_workers} worker(s)",
            took,
            reference=reference,
            against="the local engine, two threads",
            note="bit for bit the same" if same else "DIFFERENT",
        )
