"""Reproducing a paper: what is computed, what is kept, and where it is written."""

from __future__ import annotations

import csv
import difflib
import hashlib
import math
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from cautious.datasets import list_datasets
from cautious.errors import DifferentStudyError
from cautious.experiments import Store, Study
from cautious_reproduction.claims import Reproduction, undecided
from cautious_reproduction.page import write_reproduction_page
from cautious_reproduction.pictures import save_figures
from cautious_reproduction.work import duration, is_shown, run_tasks, write_whole

__all__ = [
    "PAPERS",
    "cached_predictions",
    "check_stores",
    "data_identity",
    "reproduce",
    "with_first_line",
]

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
    tasks = run_tasks(todo, what, n_jobs=n_jobs, progress=progress)
    for name, frame, seconds in tasks:
        found[name] = frame, seconds
        if folder is not None:
            # Quoted, so that no label whatever looks like a number or ends a line.
            text = frame.to_csv(
                index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n", na_rep="nan"
            )
            write_whole(folder / f"{name}.csv", with_first_line(text.encode(), seconds))
    frames = {name: found[name][0] for name in makers}
    return frames, sum(found[name][1] for name in makers)


def data_identity(name: str) -> list[Any]:
    """Say what a bundled data set is: its cells, and how many columns are read as categories."""
    facts = list_datasets()
    return [str(facts["sha256"][name]), int(facts["nominal_features"][name])]


def check_stores(studies: Mapping[Path | None, Study]) -> None:
    """Refuse, before anything is run, a store that holds another study than the one it is for."""
    for path, study in studies.items():
        if path is not None and path.is_file():
            with Store(path, read_only=True) as store:
                try:
                    store.check(study.parts())
                except DifferentStudyError as error:
                    raise DifferentStudyError(
                        f"{path} was made with other settings, or by another version of cautious; "
                        f"remove it to run this part again, or give another folder. ({error})"
                    ) from error


def with_first_line(table: bytes, seconds: float | None = None) -> bytes:
    """Put the line before a table by which a damaged file is known."""
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


PAPERS = {
    "ferri": "Ferri & Hernández-Orallo (2004), Cautious classifiers",
    "friedel": "Friedel, Rückert & Kramer (2006), Cost curves for abstaining classifiers",
    "zaffalon": "Zaffalon, Corani & Mauá (2012), Evaluating credal classifiers",
    "yang": "Yang, Destercke & Masson (2017), The costs of indeterminacy",
}
"""The papers that can be done again, by key."""
WITH_WEKA = {"ferri", "friedel"}
# Seconds that one process takes for a whole pass, as its store tells.
SECONDS = {"ferri": 249.0, "friedel": 630.0, "zaffalon": 2474.0, "yang": 125.0}


def reproduce(
    paper: str = "all",
    *,
    quick: bool = False,
    folder: str | Path | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    weka: bool | None = None,
    docs: str | Path | None = None,
) -> list[Reproduction]:
    """Do the experiments of a paper again and lay the numbers beside the printed ones.

    Parameters
    ----------
    paper : {"all", "ferri", "friedel", "zaffalon", "yang"}, default="all"
        Which paper.
    quick : bool, default=False
        Fewer repeats, seeds, data sets and points: some minutes instead of an hour or two. What it
        leaves out is said first, and verdicts that rest on data are left open.
    folder : path, optional
        Where results are kept while they come, so that an interrupted run goes on, and where the
        tables, the data of the figures and, with matplotlib, their pictures are written; for all
        papers also ``REPRODUCTION.md``, a page on what reproduces. None keeps and writes nothing.
    n_jobs : int, optional
        Processes, as joblib takes it.
    progress : bool, optional
        Whether to show progress on stderr; None if it is a terminal.
    weka : bool, optional
        Whether to run WEKA's own learners beside scikit-learn's for the papers that used them
        (Ferri, Friedel); None where Java and WEKA are found, and elsewhere from what `folder`
        keeps of an earlier run.
    docs : path, optional
        Folder of a documentation, for all papers only; gets the page as ``reproduction.md``, and
        its pictures in ``_static``.

    Returns
    -------
    list of Reproduction
        One per paper. Print it, or look at its ``tables`` and ``figures``;
        :class:`ReproducedFigureDisplay` draws a figure.

    Examples
    --------
    >>> from cautious_reproduction import reproduce
    >>> (yang,) = reproduce("yang", quick=True)  # doctest: +SKIP
    >>> print(yang)  # doctest: +SKIP
    """
    check_request(paper, folder, docs)
    place = None if folder is None else Path(folder)
    pages = None if docs is None else Path(docs)
    done = []
    keys = [*PAPERS] if paper == "all" else [paper]
    for at, key in enumerate(keys):
        module = import_module(f"cautious_reproduction.{key}")
        run = getattr(module, f"reproduce_{key}")
        started = time.perf_counter()
        options = {"weka": weka} if key in WITH_WEKA else {}
        if is_shown(progress) and not quick:
            alone, together = SECONDS[key], sum(SECONDS[later] for later in keys[at:])
            followed = "" if alone == together else f", {duration(together)} with what follows"
            print(f"{key}: about {duration(alone)} of one process{followed}", file=sys.stderr)
        found: Reproduction = run(
            quick=quick, folder=place, n_jobs=n_jobs, progress=progress, **options
        )
        if math.isnan(found.seconds):
            found = replace(found, seconds=time.perf_counter() - started)
        if found.quick:
            found = replace(found, claims=undecided(found.claims))
        if place is not None:
            found.write(place)
        done.append(found)
    if place is not None:
        try:
            for found in done:
                save_figures(found, place)
        except ImportError as error:
            warnings.warn(f"no pictures: {error}", stacklevel=2)
        if paper == "all":
            write_reproduction_page(done, place / "REPRODUCTION.md")
    if pages is not None:
        write_reproduction_page(done, pages / "reproduction.md", pictures=pages / "_static")
    return done


def check_request(
    paper: str,
    folder: str | Path | None = None,
    docs: str | Path | None = None,
    *,
    names: tuple[str, str] = ("folder", "docs"),
) -> None:
    """Refuse before the run a paper that is not known, and what could not be written after it."""
    if paper != "all" and paper not in PAPERS:
        near = difflib.get_close_matches(str(paper), [*PAPERS, "all"], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"paper is {paper!r}; choose 'all' or one of {', '.join(PAPERS)}.{hint}")
    if docs is not None and paper != "all":
        raise ValueError(
            f"{names[1]} is for the page of all papers; give all instead of {paper!r}."
        )
    if folder is not None:
        _check_folder(names[0], Path(folder))
    if docs is not None:
        _check_folder(names[1], Path(docs))
        _check_folder(names[1], Path(docs) / "_static")


def _check_folder(name: str, folder: Path) -> None:
    """Refuse a folder that cannot be written to."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise ValueError(f"{name} is {folder}, but {there} is a file; name a folder.")
    if not os.access(there, os.W_OK):
        raise ValueError(f"{name} is {folder}, but {there} is read-only; name another folder.")
