"""Out-of-fold predictions, kept in a folder so that an interrupted run goes on."""

from __future__ import annotations

import csv
import hashlib
import re
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from cautious.experiments import run_tasks
from cautious.files import write_whole

__all__ = ["cached_predictions", "with_first_line"]

Maker = Callable[[], pd.DataFrame]

_FIRST_LINE = re.compile(rb"# rows=(\d+) sha256=([0-9a-f]{64})(?: seconds=(\d+\.\d+))?")


def cached_predictions(
    makers: Mapping[str, Maker],
    folder: Path | None = None,
    *,
    what: str = "predictions",
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> tuple[dict[str, pd.DataFrame], float]:
    """Make the predictions that a folder does not hold yet, and give all of them.

    Each frame is written when it is made, whole or not at all, by this process alone. Its column
    ``truth`` becomes text; numbers come back from the file to the last bit. The first line of a
    file tells its rows and the SHA-256 of the rest; a file that is not what it tells is made again,
    with a warning.

    Parameters
    ----------
    makers : mapping of str to callable
        What to call for each frame, by a name that says all that the frame depends on; it becomes
        the name of a file. Callables must pickle if `n_jobs` asks for processes.
    folder : path, optional
        Made if it is not there. None keeps nothing.
    what : str
        What is made, to show with the progress.
    n_jobs, progress
        As for :meth:`Study.run`.

    Returns
    -------
    frames : dict of str to DataFrame
        In the order of `makers`.
    seconds : float
        How long it took to make all of them, also those that were kept; nan if a file does not say.

    Examples
    --------
    >>> makers = {"one": lambda: pd.DataFrame({"truth": ["a"], "score": [0.1]})}
    >>> made, seconds = cached_predictions(makers)
    >>> made["one"].to_dict("records")
    [{'truth': 'a', 'score': 0.1}]
    """
    found = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in makers:
            if (kept := folder / f"{name}.csv").is_file():
                try:
                    found[name] = _read(kept.read_bytes())
                except ValueError as error:
                    warnings.warn(f"{kept} is made again: {error}.", stacklevel=2)
    todo = [partial(_timed, name, make) for name, make in makers.items() if name not in found]
    for name, frame, seconds in run_tasks(todo, what, n_jobs=n_jobs, progress=progress):
        found[name] = frame, seconds
        if folder is not None:
            # Quoted, so that no label whatever looks like a number or ends a line.
            text = frame.to_csv(
                index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n", na_rep="nan"
            )
            write_whole(folder / f"{name}.csv", with_first_line(text.encode(), seconds))
    frames = {name: found[name][0] for name in makers}
    return frames, sum(found[name][1] for name in makers)


def with_first_line(table: bytes, seconds: float | None = None) -> bytes:
    """Put the line before a table by which a damaged file is known.

    Parameters
    ----------
    table : bytes
        As CSV, with titles.
    seconds : float, optional
        How long it took to make.

    Returns
    -------
    bytes
    """
    took = "" if seconds is None else f" seconds={seconds:.3f}"
    line = f"# rows={len(_table(table))} sha256={hashlib.sha256(table).hexdigest()}{took}\n"
    return line.encode() + table


def _timed(name: str, make: Maker) -> tuple[str, pd.DataFrame, float]:
    started = time.perf_counter()
    frame = make()
    text = frame.assign(truth=frame["truth"].astype(str).astype(object))
    return name, text, time.perf_counter() - started


def _read(content: bytes) -> tuple[pd.DataFrame, float]:
    first, _, table = content.partition(b"\n")
    told = _FIRST_LINE.fullmatch(first)
    if told is None:
        raise ValueError("its first line does not tell its rows and their SHA-256")
    rows, sha256, seconds = told.groups()
    if hashlib.sha256(table).hexdigest().encode() != sha256:
        raise ValueError("it is not what its first line tells")
    frame = _table(table)
    if len(frame) != int(rows):
        raise ValueError(f"it has {len(frame)} rows, its first line tells {int(rows)}")
    return frame, float(seconds or "nan")


def _table(table: bytes) -> pd.DataFrame:
    # Python's own float reads to the last bit; pandas has not always done so.
    kinds: dict[str, Any] = dict.fromkeys(pd.read_csv(BytesIO(table), nrows=0).columns, float)
    if "truth" not in kinds:
        raise ValueError("it has no column truth")
    frame = pd.read_csv(
        BytesIO(table), converters=kinds | {"truth": str, "fold": int}, na_filter=False
    )
    return frame.assign(truth=frame["truth"].astype(object))
