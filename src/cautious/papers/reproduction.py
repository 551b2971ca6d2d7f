"""Reproducing a paper: what is computed, what is kept, and where it is written."""

from __future__ import annotations

import csv
import difflib
import hashlib
import math
import os
import platform
import re
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from cautious.errors import InputError
from cautious.experiments import run_tasks, versions
from cautious.files import write_whole
from cautious.papers.claims import Reproduction, Table
from cautious.papers.pictures import contact_sheet, save_figures
from cautious.progress import duration

__all__ = [
    "PAPERS",
    "cached_predictions",
    "reproduce",
    "reproduction_page",
    "with_first_line",
    "write_reproduction_page",
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


PAPERS = {
    "ferri": "Ferri & Hernández-Orallo (2004), Cautious classifiers",
    "friedel": "Friedel, Rückert & Kramer (2006), Cost curves for abstaining classifiers",
    "zaffalon": "Zaffalon, Corani & Mauá (2012), Evaluating credal classifiers",
    "yang": "Yang, Destercke & Masson (2017), The costs of indeterminacy",
}
"""The papers that can be done again, by key."""
WITH_WEKA = {"ferri", "friedel"}

# What Markdown would read as more than itself.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>$|#~])")


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
        Fewer repeats, data sets and points: some minutes instead of hours.
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
        (Ferri, Friedel); None where Java and WEKA are found (``pip install cautious[weka]``).
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
    >>> from cautious.papers import reproduce
    >>> (yang,) = reproduce("yang", quick=True)  # doctest: +SKIP
    >>> print(yang)  # doctest: +SKIP
    """
    if paper != "all" and paper not in PAPERS:
        near = difflib.get_close_matches(str(paper), [*PAPERS, "all"], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"paper is {paper!r}; choose 'all' or one of {', '.join(PAPERS)}.{hint}")
    if docs is not None and paper != "all":
        template = "{=docs} is for the page of all papers; give all instead of {paper}."
        raise InputError(template, paper=repr(paper))
    place = None if folder is None else Path(folder)
    pages = None if docs is None else Path(docs)
    if place is not None:
        _check_folder("folder", place)
    if pages is not None:
        _check_folder("docs", pages)
        _check_folder("docs", pages / "_static")
    done = []
    for key in PAPERS if paper == "all" else [paper]:
        module = import_module(f"cautious.papers.{key}")
        run = getattr(module, f"reproduce_{key}")
        started = time.perf_counter()
        options = {"weka": weka} if key in WITH_WEKA else {}
        found: Reproduction = run(
            quick=quick, folder=place, n_jobs=n_jobs, progress=progress, **options
        )
        if math.isnan(found.seconds):
            found = replace(found, seconds=time.perf_counter() - started)
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


def _check_folder(name: str, folder: Path) -> None:
    """Refuse before the run what could not be written after it."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise InputError(
            "{==name} is {folder}, but {there} is a file; name a folder.",
            name=name,
            folder=folder,
            there=there,
        )


def write_reproduction_page(
    done: Sequence[Reproduction], path: str | Path, *, pictures: str | Path | None = None
) -> list[Path]:
    """Write the page and one sheet of figures per paper.

    Parameters
    ----------
    done : sequence of Reproduction
        What was done, as :func:`cautious.papers.reproduce` gives it.
    path : path
        Of the page, a Markdown file.
    pictures : path, optional
        Folder of the sheets, to which the page links by a relative path; by default that of the
        page. Without matplotlib there are no sheets, and the page says so.

    Returns
    -------
    list of Path
        The sheets, then the page.
    """
    page = Path(path)
    place = page.parent if pictures is None else Path(pictures)
    for folder in (page.parent, place):
        folder.mkdir(parents=True, exist_ok=True)
    sheets = {}
    for each in done:
        try:
            sheet = contact_sheet(each) if each.figures else None
        except ImportError:  # no matplotlib
            sheet = None
        if sheet is not None:
            sheets[each.paper] = write_whole(place / f"reproduction-{each.paper}.png", sheet)
    links = {
        paper: Path(os.path.relpath(sheet, page.parent)).as_posix()
        for paper, sheet in sheets.items()
    }
    return [*sheets.values(), write_whole(page, reproduction_page(done, links))]


def reproduction_page(done: Sequence[Reproduction], sheets: Mapping[str, str]) -> str:
    """Write the page: how it was made, a summary, and every paper cell by cell.

    Parameters
    ----------
    done : sequence of Reproduction
        What was done.
    sheets : mapping of paper to link
        Pictures of the figures.

    Returns
    -------
    str
        Markdown.
    """
    parts = [
        "# The papers, done again",
        _made(done),
        "Each number is laid beside the printed one. It *agrees* if it is no further off than is "
        "allowed for its table, a word if it is the same; the full list of cells says how much is "
        "allowed. Cells of which the paper prints nothing are shown and not counted, and so are "
        "*given* ones, which could not differ: true by definition, by theorem or an input of ours. "
        "The time is what all runs of learners took to compute, also those of earlier passes, or "
        "else, where that is not known, how long this pass took.",
        _summary(done),
    ]
    for each in done:
        parts += _paper(each, sheets.get(each.paper))
    return "\n\n".join(parts) + "\n"


def _made(done: Sequence[Reproduction]) -> str:
    papers: dict[str, list[str]] = {}
    for each in done:
        papers.setdefault("quick" if each.quick else "full", []).append(each.paper)
    passes = [
        f"{kind} pass" + (f" of {' and '.join(names)}" if len(papers) > 1 else "")
        for kind, names in sorted(papers.items())
    ]
    installed = ", ".join(f"{name} {number}" for name, number in versions().items())
    command = "cautious reproduce all" + (" --quick" if [*papers] == ["quick"] else "")
    cores = os.cpu_count() or 1
    return (
        f"Made by `{command}` on {datetime.now(UTC).date().isoformat()}, {', '.join(passes)}, "
        f"with {installed}, on {platform.system()} {platform.machine()} with {cores} "
        f"core{'s' if cores > 1 else ''}."
    )


def _summary(done: Sequence[Reproduction]) -> str:
    rows = []
    for each in done:
        agree, printed = each.counts()
        exact = sum(a == p > 0 for a, p in (table.counts() for table in each.tables))
        compared = sum(table.counts()[1] > 0 for table in each.tables)
        rows.append(
            (
                _escaped(each.title),
                *(str(agree), str(printed), _share(agree, printed)),
                *(str(each.n_given), f"{exact} of {compared}", _time(each.seconds)),
            )
        )
    agree, printed = (sum(counts) for counts in zip(*(e.counts() for e in done), strict=True))
    given = str(sum(each.n_given for each in done))
    rows.append(("all", str(agree), str(printed), _share(agree, printed), given, "", ""))
    titles = ("paper", "cells that agree", "printed", "share", "given")
    return _grid((*titles, "tables that agree throughout", "time"), rows)


def _paper(each: Reproduction, sheet: str | None) -> Iterable[str]:
    agree, printed = each.counts()
    yield f"## {_escaped(each.title)}"
    yield (
        f"{agree} of {printed} printed cells agree"
        f"{f', {each.n_given} more are given' if each.n_given else ''}, in "
        f"{'a quick pass with fewer repeats, data sets or points' if each.quick else 'a full pass'}"
        f"; time {_time(each.seconds)}."
    )
    if each.remarks:
        yield "\n".join(f"- {_escaped(remark)}" for remark in each.remarks)
    titles = ("table", "what", "cells that agree", "printed", "given", "largest difference")
    yield _grid(titles, [_table_row(table) for table in each.tables])
    differing = [table for table in each.tables if table.counts()[0] < table.counts()[1]]
    if differing:
        yield "### What does not agree"
        for table in differing:
            yield f"**{_escaped(table.name)}.** {_escaped(table.title)}." + _remark(table)
            yield _cells([table], only_differing=True)
    if each.figures:
        yield "### Figures"
        yield f"![Figures of {each.paper}]({sheet})" if sheet else "The figures were not drawn."
        yield "\n".join(
            f"- {_escaped(f'{figure.name}: {figure.title}. {figure.remark}')}"
            for figure in each.figures
        )
    yield f"<details>\n<summary>All {sum(len(t.cells) for t in each.tables)} cells</summary>"
    yield _cells(each.tables)
    yield "</details>"


def _table_row(table: Table) -> tuple[str, ...]:
    agree, printed = table.counts()
    apart = [abs(c.difference) for c in table.cells if not math.isnan(c.difference)]
    largest = f"{max(apart):.2g}" if apart else ""
    counted = (str(agree), str(printed), str(table.n_given))
    return _escaped(table.name), _escaped(table.title), *counted, largest


def _cells(tables: Sequence[Table], *, only_differing: bool = False) -> str:
    """Lay out the cells of one table that differ, or all cells of all tables."""
    rows = []
    for table in tables:
        for cell in table.cells:
            *values, verdict = cell.words()
            line = [f"{cell.row}, {cell.column}", *values]
            if not only_differing:
                allowed = "" if math.isnan(cell.difference) else f"{cell.within:.2g}"
                line = [table.name, *line, allowed, verdict]
            elif cell.agrees is not False:
                continue
            rows.append([_escaped(text) for text in (*line, cell.remark)])
    titles = ["where", "ours", "paper", "difference"]
    if not only_differing:
        titles = ["table", *titles, "allowed", "verdict"]
    return _grid([*titles, "remark"], rows)


def _remark(table: Table) -> str:
    first = table.remark[:1]
    # A sentence begins with a capital; a symbol, τ for one, stays what it is.
    start = first.upper() if first.isascii() else first
    return f" {_escaped(start + table.remark[1:])}" if table.remark else ""


def _grid(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""


def _time(seconds: float) -> str:
    return "not measured" if math.isnan(seconds) else duration(seconds)
