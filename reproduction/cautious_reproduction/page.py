"""The page on what reproduces: first the scorecard, then every paper cell by cell."""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from cautious_reproduction.claims import CHOSEN, RULES, VERDICTS, Reproduction, left_out
from cautious_reproduction.pictures import contact_sheet
from cautious_reproduction.printed_tables import KINDS, Cell, Table, largest_difference
from cautious_reproduction.work import duration, write_whole

__all__ = ["reproduction_page", "write_reproduction_page"]

_INSTALLED = ("cautious", "numpy", "scipy", "scikit-learn", "pandas")
# What Markdown would read as more than itself.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>$|#~])")


def write_reproduction_page(
    done: Sequence[Reproduction], path: str | Path, *, pictures: str | Path | None = None
) -> list[Path]:
    """Write the page and one sheet of figures per paper."""
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
    """Write the page: how it was made, the scorecard, and every paper cell by cell."""
    parts = [
        "# The papers, done again",
        *filter(None, [_left_out(done)]),
        _made(done),
        "Below: every conclusion of each paper with a verdict, then every printed number beside "
        "ours. To look one up, search this page for it as it is printed (`0.956`, `95.03`, `5/3`). "
        "What a paper prints in per cent is so on both sides; differences are then in percentage "
        "points.",
        "## Scorecard",
        _counts_of_claims(done),
        "What makes a verdict, by one rule for all papers:",
        "\n".join(f"- *{verdict}*: {RULES[verdict]}." for verdict in VERDICTS),
        CHOSEN,
        _counts_of_cells(done),
        "*Arithmetic* is worked out from printed numbers alone and agrees to the last printed "
        "digit. A *re-run* agrees if chance explains the difference: no further off than two "
        "standard deviations over seeds, folds or data sets (the list of cells says how much) plus "
        "the rounding of the printed number. *Words* are what a paper says of its results without "
        "a number. Cells of which the paper prints nothing are shown and not counted. *Given* is "
        "what could not differ, by one rule for all papers: both sides are an input of ours, a "
        "definition or the same formula; it is shown and not counted, and where it differs all the "
        "same it is listed with what does not agree. Learners that stand in for a paper's own, and "
        "explanations tried, are in an appendix of their paper and not counted. Causes were looked "
        "for with the printed numbers in view: they explain, they do not predict.",
    ]
    for each in done:
        parts += _scorecard(each)
    for each in done:
        parts += _paper(each, sheets.get(each.paper))
    return "\n\n".join(parts) + "\n"


def _left_out(done: Sequence[Reproduction]) -> str:
    """Say in the first line what a quick pass leaves out."""
    quick = [each.paper for each in done if each.quick]
    return f"**{left_out(quick)}**" if quick else ""


def _counts_of_claims(done: Sequence[Reproduction]) -> str:
    rows = []
    for name, claims in [
        *((each.title, each.claims) for each in done),
        ("all", [claim for each in done for claim in each.claims]),
    ]:
        counts = [sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS]
        rows.append((_escaped(name), str(len(claims)), *map(str, counts)))
    return _grid(("paper", "conclusions", *VERDICTS), rows)


def _counts_of_cells(done: Sequence[Reproduction]) -> str:
    rows = []
    for each in done:
        split = [_of(each.counts(kind)) for kind in KINDS]
        given, time = str(each.n_given), _time(each.seconds)
        rows.append((_escaped(each.title), *split, _of(each.counts()), given, time))
    split = [_of(_sum(each.counts(kind) for each in done)) for kind in KINDS]
    total = _of(_sum(each.counts() for each in done))
    rows.append(("all", *split, total, str(sum(each.n_given for each in done)), ""))
    titles = ("paper: numbers that agree", *KINDS, "all", "given", "time of all runs")
    return _grid(titles, rows)


def _sum(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    agree, printed = zip(*counts, strict=True)
    return sum(agree), sum(printed)


def _of(counts: tuple[int, int]) -> str:
    agree, printed = counts
    return f"{agree} of {printed}" + (f" ({agree / printed:.0%})" if printed else "")


def _scorecard(each: Reproduction) -> Iterable[str]:
    if not each.claims:
        return
    yield f"### Scorecard: {_escaped(each.title)}"
    rows = [
        [
            *(_escaped(text) for text in (claim.place, claim.says, claim.paper, claim.ours)),
            f"**{claim.verdict}**" if claim.verdict != "holds" else "holds",
            _escaped(claim.cause),
        ]
        for claim in each.claims
    ]
    yield _grid(("place", "claim", "paper", "ours", "verdict", "cause"), rows)


def _made(done: Sequence[Reproduction]) -> str:
    papers: dict[str, list[str]] = {}
    for each in done:
        papers.setdefault("quick" if each.quick else "full", []).append(each.paper)
    passes = [
        f"{kind} pass" + (f" of {' and '.join(names)}" if len(papers) > 1 else "")
        for kind, names in sorted(papers.items())
    ]
    numbers = {"python": platform.python_version()} | {name: version(name) for name in _INSTALLED}
    installed = ", ".join(f"{name} {number}" for name, number in numbers.items())
    command = "python -m cautious_reproduction all" + (" --quick" if [*papers] == ["quick"] else "")
    cores = os.cpu_count() or 1
    return (
        f"Made by `{command}` on {datetime.now(UTC).date().isoformat()}, {', '.join(passes)}, "
        f"with {installed}, on {platform.system()} {platform.machine()} with {cores} "
        f"core{'s' if cores > 1 else ''}. What was found in the folder was not run again; "
        "`Store.runs` tells when, and with which versions, each study in it was run."
    )


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
    yield from _tables(each.counted, "What does not agree")
    if each.figures:
        yield "### Figures"
        yield f"![Figures of {each.paper}]({sheet})" if sheet else "The figures were not drawn."
        yield "\n".join(
            f"- {_escaped(f'{figure.name}: {figure.title}. {figure.remark}')}"
            for figure in each.figures
        )
    yield from _every_cell(each.counted, "cells")
    appendix = [table for table in each.tables if not table.counted]
    if appendix:
        yield "### Appendix: stand-ins and explanations, not counted"
        yield from _tables(appendix, "What does not agree, of the appendix")
        yield from _every_cell(appendix, "cells of the appendix")


def _tables(tables: Sequence[Table], heading: str) -> Iterable[str]:
    titles = ("table", "what", "kind", "cells that agree", "printed", "given", "largest difference")
    yield _grid(titles, [_table_row(table) for table in tables])
    differing = [table for table in tables if any(_differs(cell) for cell in table.cells)]
    notes = [
        f"- **{_escaped(table.name)}.**{_remark(table)}"
        for table in tables
        if table.remark and table not in differing
    ]
    yield from filter(None, ["\n".join(notes)])
    if differing:
        yield f"### {heading}"
        for table in differing:
            yield f"**{_escaped(table.name)}.** {_escaped(table.title)}." + _remark(table)
            yield _cells([table], only_differing=True)


def _every_cell(tables: Sequence[Table], what: str) -> Iterable[str]:
    yield f"<details>\n<summary>All {sum(len(t.cells) for t in tables)} {what}</summary>"
    yield _cells(tables)
    yield "</details>"


def _differs(cell: Cell) -> bool:
    """Whether a cell is not the paper's, a given one too: nothing is hidden."""
    return "differs" in cell.words()[3]


def _table_row(table: Table) -> tuple[str, ...]:
    agree, printed = table.counts()
    largest = largest_difference(table.cells)
    counted = (str(agree), str(printed), str(table.n_given))
    return _escaped(table.name), _escaped(table.title), table.kind, *counted, largest


def _cells(tables: Sequence[Table], *, only_differing: bool = False) -> str:
    """Lay out the cells of one table that differ, or all cells of all tables."""
    rows = []
    for table in tables:
        for cell in table.cells:
            *values, verdict = cell.words()
            line = [f"{cell.row}, {cell.column}", *values]
            if not only_differing:
                allowed = "" if math.isnan(cell.difference) else cell.in_unit(cell.within, ".2g")
                line = [table.name, *line, allowed, verdict]
            elif not _differs(cell):
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


def _time(seconds: float) -> str:
    return "not measured" if math.isnan(seconds) else duration(seconds)
