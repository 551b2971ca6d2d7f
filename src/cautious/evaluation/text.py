"""Tables and numbers as people read them, in plain text and in notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_tables", "number", "share", "text_table"]


def number(value: float, digits: int = 4) -> str:
    """Show a number with as many digits as a reader wants.

    Examples
    --------
    >>> number(0.123456), number(3.0), number(float("nan")), number(12345.6), number(-math.inf)
    ('0.1235', '3', '', '12,345.6', '−∞')
    """
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    if abs(value) < 0.5 * 10**-digits:
        return f"{value:.1g}"
    return f"{value:.{digits}f}"


def share(value: float) -> str:
    """Show a share as per cent.

    Examples
    --------
    >>> share(0.1234), share(0.0004), share(1.0), share(float("nan"))
    ('12.3 %', '0.04 %', '100 %', '')
    """
    if math.isnan(value):
        return ""
    if value in (0.0, 1.0):
        return f"{100 * value:.0f} %"
    return f"{100 * value:.{1 if 0.001 <= value <= 0.999 else 2}f} %"


def text_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out: words to the left, numbers to the right.

    Examples
    --------
    >>> print(text_table("", ["model", "cost"], [("a", "0.5"), ("bb", "12")]))
    model  cost
    a       0.5
    bb       12
    """
    table = [tuple(headings), *map(tuple, rows)]
    widths = [max(len(row[at]) for row in table) for at in range(len(headings))]
    lines = [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return "\n".join([title, *lines] if title else lines)


def html_tables(
    tables: Iterable[tuple[str, Sequence[str], Sequence[Sequence[str]]]], sentences: Iterable[str]
) -> str:
    """Lay tables and sentences out for a notebook; all text is escaped."""
    parts = []
    for title, headings, rows in tables:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        caption = f"<caption>{escape(title)}</caption>" if title else ""
        parts.append(f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    return "".join([*parts, *(f"<p>{escape(words)}</p>" for words in sentences)])
