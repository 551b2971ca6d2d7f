"""What a paper prints and ours beside it: tables cell by cell, and the data of figures."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import pandas as pd

__all__ = ["COLUMNS", "KINDS", "Cell", "Figure", "Kind", "Table", "cells_of", "largest_difference"]

Kind = Literal["arithmetic", "re-run", "words"]
KINDS: tuple[Kind, ...] = ("arithmetic", "re-run", "words")
"""What is worked out from printed numbers alone, run again on data, or said in words."""

COLUMNS = ["row", "column", "ours", "paper", "difference", "agrees", "given", "remark"]


@dataclass(frozen=True)
class Cell:
    """One number (or word) of a table, ours and the paper's.

    Attributes
    ----------
    row, column : str
        Where it stands.
    ours, paper : float, str or None
        None where the paper prints nothing.
    within : float
        Numbers no further apart than this agree; usually half a unit of the last printed digit.
    remark : str
        Where the paper is wrong, or does not say.
    given : bool
        True by definition, by theorem or an input of ours, so that it says nothing about the
        reproduction: shown, not counted.
    printed : str
        The paper's number as it stands there, such as ``"5/3"`` or ``"95.03"``, where it would be
        written otherwise here; for those who look for it.

    Examples
    --------
    >>> from cautious_reproduction import Cell
    >>> Cell("J48", "AUC", 0.9612, 0.97).agrees
    False
    """

    row: str
    column: str
    ours: float | str
    paper: float | str | None = None
    within: float = 0.005
    remark: str = ""
    given: bool = False
    printed: str = ""

    @property
    def difference(self) -> float:
        """Ours minus the paper's; nan if either is not a number."""
        if isinstance(self.ours, str) or isinstance(self.paper, str) or self.paper is None:
            return math.nan
        apart = self.ours - self.paper
        return 0.0 if abs(apart) < 1e-12 else apart  # rounding of the machine is not a difference

    @property
    def agrees(self) -> bool | None:
        """Whether ours is the paper's; None if the paper prints nothing, or it is given."""
        return None if self.given else self._same()

    def _same(self) -> bool | None:
        if self.paper is None:
            return None
        if isinstance(self.ours, str) or isinstance(self.paper, str):
            return str(self.ours) == str(self.paper)
        return bool(abs(self.difference) <= self.within * (1 + 1e-9))

    def words(self) -> tuple[str, str, str, str]:
        """Write ours, the paper's, the difference and the verdict for people.

        Examples
        --------
        >>> Cell("J48", "AUC", 0.9612, 0.97).words()
        ('0.9612', '0.97', '-0.0088', 'differs')
        >>> Cell("{h}", "cost", 0.0, 0.0, given=True).words()
        ('0', '0', '+0', 'given')

        What the paper prints in per cent is written so on both sides:

        >>> Cell("NCC", "determinacy", 0.925, 0.9503, printed="95.03%").words()
        ('92.5%', '95.03%', '-2.5%', 'differs')
        """
        verdict = {None: "", True: "agrees", False: "differs"}[self._same()]
        if self.given:  # not counted, and yet a theorem that fails must be seen
            verdict = "given" if verdict == "agrees" else "given, differs"
        apart = "" if math.isnan(self.difference) else self.in_unit(self.difference, "+.2g")
        ours = self.ours if isinstance(self.ours, str) else self.in_unit(self.ours, ".4g")
        return ours, self.printed or _shown(self.paper), apart, verdict

    def in_unit(self, value: float, form: str) -> str:
        """Write a number of this cell as the paper writes its own: in per cent, or plainly.

        Examples
        --------
        >>> Cell("J48", "error", 0.0612, 0.061).in_unit(0.0612, ".3g")
        '0.0612'
        """
        per_cent = self.printed.endswith("%") and not isinstance(self.paper, str)
        return f"{100 * value:{form}}%" if per_cent else f"{value:{form}}"


@dataclass(frozen=True)
class Table:
    """A table (or list of numbers) of a paper, done again.

    Attributes
    ----------
    name, title : str
        As the paper calls it, and what it shows.
    cells : list of Cell
        Cell by cell.
    remark : str
        What holds for the whole table.
    kind : {"arithmetic", "re-run", "words"}
        What its cells are, for the counts.
    counted : bool
        Whether it counts. What stands in for a paper's learners, or tries an explanation, does
        not, and is shown in an appendix.

    Examples
    --------
    >>> from cautious_reproduction import Cell, Table
    >>> Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)]).counts()
    (0, 1)
    """

    name: str
    title: str
    cells: list[Cell]
    remark: str = ""
    kind: Kind = "arithmetic"
    counted: bool = True

    def frame(self) -> pd.DataFrame:
        """Give one row per cell: where, ours, the paper's, difference, verdict, remark.

        Examples
        --------
        >>> Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)]).frame()[["ours", "paper"]]
             ours paper
        0  0.9612  0.97
        """
        rows = [
            (c.row, c.column, c.ours, c.paper, c.difference, c.agrees, c.given, c.remark)
            for c in self.cells
        ]
        return pd.DataFrame(rows, columns=COLUMNS).astype(
            {"ours": object, "paper": object, "agrees": object}
        )

    def part(self, row: str = "", column: str = "") -> list[Cell]:
        """Give the cells whose row and whose column begin with these words.

        Examples
        --------
        >>> cells = [Cell("NB", "AUC", 0.97), Cell("NB", "accuracy", 0.9), Cell("J48", "AUC", 0.96)]
        >>> [cell.ours for cell in Table("Table 1", "results", cells).part("NB", "A")]
        [0.97]
        """
        return [c for c in self.cells if c.row.startswith(row) and c.column.startswith(column)]

    def counts(self) -> tuple[int, int]:
        """Count the cells that agree, and those the paper prints; given ones are left out.

        Examples
        --------
        >>> Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)]).counts()
        (0, 1)
        """
        verdicts = [cell.agrees for cell in self.cells if cell.agrees is not None]
        return sum(verdicts), len(verdicts)

    @property
    def n_given(self) -> int:
        """How many cells are given, and not counted."""
        return sum(cell.given for cell in self.cells)

    def __str__(self) -> str:
        agree, printed = self.counts()
        said = [f"{agree} of {printed} cells agree"] if printed else []
        said += [f"{self.n_given} given"] if self.n_given else []
        head = f"{self.name}. {self.title}" + (f" ({', '.join(said)})" if said else "")
        lines = [(c.row, c.column, *c.words(), c.remark) for c in self.cells]
        titles = ("", "", "ours", "paper", "difference", "", "")
        widths = [max(len(line[i]) for line in [titles, *lines]) for i in range(6)]
        body = [
            "  ".join(_placed(text, widths, i) for i, text in enumerate(line)).rstrip()
            for line in [titles, *lines]
        ]
        return "\n".join([head, *(f"  {line}" for line in body), *_note(self.remark)])


@dataclass(frozen=True)
class Figure:
    """The data of a figure, and how to draw it.

    Attributes
    ----------
    name, title : str
        As the paper calls it, and what it shows.
    frame : DataFrame
        The points.
    x, y : str
        Columns on the axes.
    lines : str or None
        Column that tells one line (or group of points) from another.
    kind : {"lines", "points", "ranks", "strips", "surface"}
        What to draw: lines; points, for pairs with the diagonal; mean ranks (x) of classifiers (y)
        with the column ``critical_difference``; strips of decisions (`lines`), two rows each, where
        it begins and where it ends; a surface over x and y.
    panels : str or None
        Column that tells one panel from another.
    log_x : bool
        Whether the x-axis is logarithmic.
    value : str or None
        Column of the height of a surface.
    remark : str
        Where ours differs from the paper's, or the paper does not say.

    Examples
    --------
    >>> import pandas as pd
    >>> from cautious_reproduction import Figure
    >>> points = pd.DataFrame({"abstention": [0, 1], "error": [0.1, 0]})
    >>> Figure("Figure 1", "errors", points, "abstention", "error").kind
    'lines'
    """

    name: str
    title: str
    frame: pd.DataFrame
    x: str
    y: str
    lines: str | None = None
    kind: Literal["lines", "points", "ranks", "strips", "surface"] = "lines"
    panels: str | None = None
    log_x: bool = False
    value: str | None = None
    remark: str = ""


def largest_difference(cells: Iterable[Cell]) -> str:
    """Write the largest difference of numbers, and how many cells differ that hold none.

    Examples
    --------
    >>> largest_difference([Cell("NB", "AUC", 0.97, 0.98), Cell("NB", "best", "no", "yes")])
    '0.01 (of the numbers; 1 that differs is a word, such as yes or no)'
    """
    every = list(cells)
    numbers = [cell for cell in every if not math.isnan(cell.difference)]
    if not numbers:
        return ""
    farthest = max(numbers, key=lambda cell: abs(cell.difference))
    words = sum("differs" in cell.words()[3] for cell in every if cell not in numbers)
    differ = "differs is a word" if words == 1 else "differ are words"
    more = f" (of the numbers; {words} that {differ}, such as yes or no)" if words else ""
    return farthest.in_unit(abs(farthest.difference), ".2g") + more


def cells_of(
    ours: pd.DataFrame,
    paper: Iterable[Iterable[float | str | None]],
    *,
    within: float = 0.005,
    remarks: dict[tuple[str, str], str] | None = None,
    given: Collection[str] = (),
) -> list[Cell]:
    """Lay a frame of ours over the rows that a paper prints, ``"5/3"`` too; None is not printed."""
    said = remarks or {}
    return [
        Cell(
            str(row),
            str(column),
            _plain(value),
            *_number(printed)[:1],
            within,
            said.get((str(row), str(column)), ""),
            str(row) in given,
            _number(printed)[1],
        )
        for (row, values), line in zip(ours.iterrows(), paper, strict=True)
        for (column, value), printed in zip(values.items(), line, strict=True)
    ]


def _number(text: float | str | None) -> tuple[float | str | None, str]:
    """Read a printed number that is written as text; give it, and how it is shown."""
    if not isinstance(text, str):
        return text, ""
    try:
        return float(Fraction(text)), f"0{text}" if text.startswith(".") else text
    except ValueError:
        return text, ""


def _plain(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)


def _shown(value: float | str | None) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.4g}"


def _placed(text: str, widths: list[int], i: int) -> str:
    if i == len(widths):
        return text
    return text.rjust(widths[i]) if 2 <= i <= 4 else text.ljust(widths[i])


def _note(remark: str) -> list[str]:
    return [f"  Remark: {remark}"] if remark else []
