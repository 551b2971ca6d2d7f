"""What people see: tables and notes, in colour on a terminal and plain in a pipe."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = [
    "as_json",
    "make_table",
    "note",
    "number",
    "plain",
    "say",
    "screen",
    "share",
    "show_json",
]

# Wide enough that nothing is cut off where no terminal sets a limit.
_PIPE_WIDTH = 200
_LONGEST = 60


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


def number(value: float, digits: int = 4) -> str:
    """Write a number with few digits; a dash where it is undefined.

    Examples
    --------
    >>> number(0.123456), number(float("nan")), number(float("-inf")), number(12345.0)
    ('0.1235', '–', '-∞', '12345')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if float(value).is_integer() and abs(value) >= 2:
        return f"{value:.0f}"
    return (
        f"{value:.{digits}f}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.{digits}g}"
    )


def share(value: float) -> str:
    """Write a share of cases in per cent; a dash where it is undefined.

    Examples
    --------
    >>> share(0.1234)
    '12.3%'
    """
    return "–" if math.isnan(value) else f"{value:.1%}"


def note(message: str) -> None:
    """Say something beside the result, on standard error."""
    screen(stderr=True).print(Text(plain(message, None), style="dim"), soft_wrap=True)


def say(message: str) -> None:
    """Say something as part of the result."""
    screen().print(Text(plain(message, None)))


def make_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str | None = None,
    words: Sequence[int] = (0,),
    styles: Sequence[str | None] = (),
    longest: int = _LONGEST,
) -> Table:
    """Lay rows out, words to the left and numbers to the right.

    Parameters
    ----------
    headings : sequence of str
        Names of the columns; the user's own words may be among them.
    rows : iterable of sequences
        Cells.
    title : str, optional
        What stands above.
    words : sequence of int
        Positions of the columns that hold words; they go to the left.
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
    for at, heading in enumerate(headings):
        table.add_column(
            Text(plain(heading)), justify="left" if at in words else "right", overflow="fold"
        )
    for at, row in enumerate(rows):
        style = styles[at] if at < len(styles) else None
        table.add_row(*(Text(plain(cell, longest)) for cell in row), style=style)
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
    return json.dumps(_jsonable(value), indent=2, allow_nan=False)


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def show_json(value: Any) -> None:
    """Print JSON and nothing else, whatever the terminal."""
    sys.stdout.write(as_json(value) + "\n")
