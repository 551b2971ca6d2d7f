"""Reading predictions: memory beside what the columns take, time as columns and row groups grow."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import row, seconds
from cautious.logs import summarise
from cautious.predictions import read_predictions

TITLE = "Reading predictions"
READ = (
    "Each file is read by a process of its own. Look whether the note stays below 3: the memory "
    "that reading takes at most, divided by what the columns take once they are read (8 bytes per "
    "number and per label). Then whether the time per column and per row group stays what it is "
    "as there are four times as many."
)
N, CLASSES = 4_000_000, 10

# Memory belongs to a process; what is imported late must not count.
CHILD = r"""
import json, re, sys, time
from pathlib import Path
from cautious.predictions import read_predictions
import pyarrow.parquet, pyarrow.compute
def held(what):
    return int(re.search(what + r":\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
small, path, decoded = sys.argv[1:]
read_predictions(small)
before, start = held("VmRSS"), time.perf_counter()
read_predictions(path)
print(json.dumps([time.perf_counter() - start, (held("VmHWM") - before) / float(decoded)]))
"""


def write(path: Path, n: int, k: int) -> Path:
    """Scores of two classes (no `k`), or probabilities of `k`."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {"y_true": rng.integers(0, max(k, 2), n)}
    p = rng.dirichlet(np.ones(k), n).round(6) if k else rng.random((n, 1))
    columns |= {f"p_{c}" if k else "score": p[:, c] for c in range(max(k, 1))}
    frame = pd.DataFrame(columns)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return path


def wide(path: Path, columns: int) -> Path:
    """A table of many columns and two rows."""
    names = ["y_true", "score", *(f"x{k}" for k in range(columns - 2))]
    path.write_text("\n".join([",".join(names), *(",".join([str(r)] * columns) for r in (0, 1))]))
    return path


def grouped(path: Path, groups: int) -> Path:
    """A file of many row groups of two rows."""
    table = pa.table({"y_true": [0, 1] * groups, "score": np.arange(2 * groups) / (2 * groups)})
    pq.write_table(table, path, row_group_size=2)
    return path


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    less = 100 if small else 1
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for ending in ("csv", "parquet"):
            for k in (0, CLASSES):
                n = N // less // (4 if k else 1)
                decoded = n * 8 * (1 + max(k, 1))
                few = write(home / f"few.{ending}", 50, k)
                path = write(home / f"many.{ending}", n, k)
                command = [sys.executable, "-c", CHILD, str(few), str(path), str(decoded)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                took, times = json.loads(done.stdout)
                what = f"{k} probabilities" if k else "scores"
                yield row(f"{ending}: {n:,} rows of {what}", took, note=f"{times:.2f} times")
        for name, make, read, sizes in (
            ("columns", wide, read_predictions, (4_000, 16_000, 64_000)),
            ("row groups", grouped, summarise, (5_000, 20_000, 80_000)),
        ):
            for size in sizes:
                path = make(home / ("w.csv" if make is wide else "g.parquet"), size // less)
                took = seconds(lambda path=path, read=read: read(path), repeats=1)
                each = took / (size // less) * 1e6
                yield row(f"{size // less:,} {name}", took, note=f"{each:.1f} µs each")
