"""What people see: results and notes, in colour on a terminal and plain in a pipe."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cautious._files import jsonable
from cautious.errors import note_lines

# Wide enough that nothing is cut off where no terminal sets a limit.
_PIPE_WIDTH = 200
_LONGEST = 60
_LONGEST_ERROR = 1000


def screen(*, stderr: bool = False) -> Console:
    """Console for results, or for what is said beside them.

    A pipe gets neither colours nor a narrow page.
    """
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


def plain(value: Any, longest: int | None = _LONGEST) -> str:
    r"""Make text of users' own safe to show: no control characters, and not too long.

    Examples
    --------
    >>> print(plain("cat\x1b[31m"), plain("x" * 100, 5))
    cat\x1b[31m xxxx…
    """
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def note(*lines: str) -> None:
    """Say something beside the result, on standard error."""
    for words in lines:
        screen(stderr=True).print(Text(plain(words, None), style="dim"), soft_wrap=True)


def fail(words: str) -> None:
    """Say what is wrong, in one line on standard error."""
    line = Text.assemble(("error: ", "bold red"), plain(words, _LONGEST_ERROR))
    screen(stderr=True).print(line, soft_wrap=True)


def say(words: str) -> None:
    """Say something as part of the result."""
    console = screen()
    console.print(Text(plain(words, None)), soft_wrap=not console.is_terminal)


def show(result: Any, *, json: bool = False, csv: bool = False, **shown: Any) -> None:
    """Print what a call of the library returned: for people, as JSON, or as CSV.

    Parameters
    ----------
    result : Evaluation, Tuning or Comparison
        Has ``notes``, ``tables()``, ``sentences()``, ``frame()`` and ``to_dict()``.
    json, csv : bool
        Print this and nothing else; notes still go to standard error.
    **shown
        Passed on to ``tables``.
    """
    note(*note_lines(result.notes, "cli"))
    if not write_data(result.frame, result.to_dict, json=json, csv=csv):
        if result.headline():
            say(result.headline())
            screen().print()
        for title, headings, rows in result.tables(**shown):
            screen().print(make_table(headings, rows, title=title or None), "", sep="\n")
        for words in result.sentences():
            say(words)


def write_data(
    frame: Callable[[], Any], document: Callable[[], Any], *, json: bool, csv: bool
) -> bool:
    """Write numbers as JSON or CSV, if asked for; say whether they were."""
    if json:
        sys.stdout.write(as_json(document()) + "\n")
    elif csv:
        table = frame()
        numbered = type(table.index).__name__ == "RangeIndex"  # pandas need not be imported
        sys.stdout.write(table.to_csv(index=not numbered))
    return json or csv


def make_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str | None = None,
    styles: Sequence[str | None] = (),
    longest: int = _LONGEST,
) -> Table:
    """Lay rows out, words to the left and numbers to the right.

    Parameters
    ----------
    headings : sequence of str
        Names of the columns; the user's own words may be among them.
    rows : iterable of sequences
        Cells. A row that has a first cell only is the heading of those below it.
    title : str, optional
        What stands above.
    styles : sequence, optional
        Style of each row.
    longest : int
        Where cells are cut off.
    """
    table = Table(
        title=None if title is None else Text(plain(title, None), style="bold"),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    cells = [[plain(cell, longest) for cell in row] for row in rows]
    for at, heading in enumerate(headings):
        words = at == 0 or any(row[at][:1].isalpha() for row in cells)
        justify: Any = "left" if words else "right"
        table.add_column(Text(plain(heading)), justify=justify, overflow="fold")
    for at, row in enumerate(cells):
        style = styles[at] if at < len(styles) else None
        if len(row) > 1 and not any(row[1:]):
            style = "bold"
        table.add_row(*map(Text, row), style=style)
    return table


def as_json(value: Any) -> str:
    """Write JSON that every reader takes: undefined numbers are null, infinite ones are text.

    Examples
    --------
    >>> print(as_json({"a": float("nan"), "b": [float("inf"), 1.0]}))
    {
      "a": null,
      "b": [
        "Infinity",
        1.0
      ]
    }
    """
    return json.dumps(jsonable(value), indent=2, allow_nan=False)
