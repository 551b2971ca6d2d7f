"""What every question is answered with: tables, sentences and notes for people, and the numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from cautious._text import TextTable, html_tables, paragraphs, text_table
from cautious.errors import Message, note_lines


class Result(ABC):
    """A result: printed for people, shown as HTML in notebooks, and given as numbers.

    Attributes
    ----------
    notes : tuple of Message
        What was guessed or looks odd; printed below everything else.

    Examples
    --------
    >>> import cautious
    >>> found = cautious.evaluate(
    ...     {"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, window=(0.2, 0.8), measures=["coverage"]
    ... )
    >>> title, headings, rows = next(found.tables())
    >>> headings, rows[0]
    (['', 'mine'], ('cases', '4'))
    >>> for words in found.sentences():
    ...     print(words)
    Answer 1 where the score is at least 0.8, 0 where it is at most 0.2; abstain between.
    """

    notes: tuple[Message, ...]

    @abstractmethod
    def tables(self) -> Iterator[TextTable]:
        """Tables for people: a title, headings, and rows of text."""

    @abstractmethod
    def sentences(self) -> Iterator[str]:
        """Say in words what was found."""

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Give the numbers as a frame."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give everything, ready for JSON."""

    def headline(self) -> str:
        """Say in a sentence what it comes to, above the tables, or nothing."""
        return ""

    def __str__(self) -> str:
        tables = [text_table(*table) for table in self.tables()]
        return paragraphs(self.headline(), *tables, self.sentences(), note_lines(self.notes))

    def _repr_html_(self) -> str:
        rest = html_tables(self.tables(), [*self.sentences(), *note_lines(self.notes)])
        return f"<p><b>{escape(self.headline())}</b></p>{rest}" if self.headline() else rest


# Classes of a one-line description, and rows of a table in a notebook.
_FEW_CLASSES, _FEW_ROWS = 6, 10


class Shown:
    """Short ``repr`` and a table in a notebook, for an object that has ``frame()``."""

    def frame(self) -> pd.DataFrame:
        """Give the numbers as a table."""
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        """Facts for the one line, by name."""
        return {}

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={_short(value)}" for name, value in self._facts().items())
        return f"{type(self).__name__}({facts})"

    def _repr_html_(self) -> str:
        table = self.frame()
        rest = f"<p>and {len(table) - _FEW_ROWS} more rows</p>" if len(table) > _FEW_ROWS else ""
        shown = table.head(_FEW_ROWS).round(4).to_html()
        return f"<p><code>{escape(repr(self))}</code></p>{shown}{rest}"


def _short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple) and len(value) > _FEW_CLASSES:
        return f"<{len(value)}>"
    return repr(value)
