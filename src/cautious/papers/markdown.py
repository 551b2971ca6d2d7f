"""The page that says what of the papers reproduces, and what does not."""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cautious.experiments import versions
from cautious.files import write_whole
from cautious.papers.claims import Reproduction, Table
from cautious.papers.pictures import contact_sheet
from cautious.progress import duration

__all__ = ["reproduction_page", "write_reproduction_page"]

# What Markdown would read as more than itself.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>$|#~])")


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
