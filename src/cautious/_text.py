"""Numbers, tables and paragraphs as people read them, in a terminal and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

TextTable: TypeAlias = tuple[str, list[str], list[tuple[str, ...]]]
"""A title, headings, and rows of text."""

# Sums of weights are as exact as this.
_ROUNDING = 1e-12


def number(value: float, digits: int = 4) -> str:
    """Show a number with as many digits as a reader wants."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e18:
        return f"{value:.4g}"
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    if abs(value) < 0.5 * 10**-digits:
        return f"{value:.1g}"
    return f"{value:.{digits}f}"


def alike(*values: float) -> list[str]:
    """Show numbers that are compared: with so many digits that they can be told apart."""
    finite = [value for value in values if math.isfinite(value)]
    span = max(finite, default=0.0) - min(finite, default=0.0)
    digits = max(4, min(9, 1 - math.floor(math.log10(span)))) if span > 0 else 4
    return [number(value, digits) for value in values]


def share(value: float) -> str:
    """Show a share as per cent; all and nothing are whole numbers, and nothing else is."""
    if math.isnan(value):
        return ""
    if abs(value - round(value)) < _ROUNDING:
        return f"{100 * round(value)} %"
    if 0 < value < 1 and f"{100 * value:.2f}" in ("0.00", "100.00"):
        return "< 0.01 %" if value < 0.5 else "> 99.99 %"
    return f"{100 * value:.{1 if 0.001 <= value <= 0.999 else 2}f} %"


def p_words(p: float) -> str:
    """Say a p-value; nobody needs its exponent."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def text_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out: words to the left, numbers to the right."""
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


def paragraphs(*parts: str | Iterable[str]) -> str:
    """Put tables, sentences and notes below each other, a blank line between; none where empty."""
    texts = (part if isinstance(part, str) else "\n".join(part) for part in parts)
    return "\n\n".join(text for text in texts if text)


def html_tables(tables: Iterable[TextTable], sentences: Iterable[str]) -> str:
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
