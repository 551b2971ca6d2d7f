"""Our numbers beside a paper's: tables, the data of figures, and what to say about them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from scipy import stats

from cautious.files import write_whole

__all__ = [
    "KINDS",
    "VERDICTS",
    "Cell",
    "Claim",
    "Figure",
    "Kind",
    "Reproduction",
    "Table",
    "cells_of",
    "failures_in_words",
    "left_out",
    "undecided",
    "verdict_of",
]

Kind = Literal["arithmetic", "re-run", "words"]
KINDS: tuple[Kind, ...] = ("arithmetic", "re-run", "words")
"""What is worked out from printed numbers alone, run again on data, or said in words."""

Verdict = Literal["holds", "fails", "the paper contradicts itself", "cannot tell"]
VERDICTS: tuple[Verdict, ...] = ("holds", "fails", "the paper contradicts itself", "cannot tell")

SURE = 0.9
"""In how many repeats a sentence must be true to hold; in no more than the rest, to fail."""

RULES: dict[Verdict, str] = {
    "holds": (
        "an example, identity or theorem is true of every case tried; of printed results of "
        "runs no more are off than one in twenty by chance (a few numbers: none); a sentence on "
        f"runs is true in {SURE:.0%} of the repeats or more, each of them what the paper might "
        "have seen: a run where it has one, else a draw of as many splits, folds or data sets"
    ),
    "fails": (
        "there is a counterexample; more printed results are off than chance explains; the "
        f"sentence is true in {1 - SURE:.0%} of the repeats or fewer"
    ),
    "the paper contradicts itself": "two of its own sentences, formulas or numbers exclude each "
    "other, whatever was run",
    "cannot tell": (
        "the sentence is true in some repeats and not in others, so one run decides nothing; or it "
        "is true under one reading that the paper leaves open and not under another; or it says "
        "nothing that a number could decide"
    ),
}
"""What makes each verdict; one rule for all papers."""

CHOSEN = (
    "Some of our choices were made with results in view, so weigh these rows with care: what a "
    "repeat is for Ferri (a draw of 20 splits; with single splits the cost on spam and Fig. 22 "
    "cannot be told) and for Zaffalon (55 of 62 sets without replacement; with replacement "
    "*feature selection helps NCC* and *NCC gains most* cannot be told); how a switch of labels "
    "is counted in Friedel; and that sentences such as *no abrupt changes*, *small shifts*, "
    "*consistent* and *remarkable* say nothing that a number could decide."
)
"""Which criteria were settled after the first results had been seen."""

LEFT_OUT = {
    "ferri": "18 of 20 splits",
    "friedel": "nine of ten seeds, other parameters, noise, and most points of a surface",
    "zaffalon": "48 of 62 data sets, nine of ten repeats, and nine in ten simulations or more",
    "yang": "18 of 25 values of s, and 40 of 50 trees",
}
"""What a quick pass leaves out of each paper."""


def left_out(papers: Iterable[str]) -> str:
    """Say what a quick pass leaves out, as the first line of what it gives.

    Examples
    --------
    >>> left_out(["ferri"]).partition("; so")[0]
    'A quick pass leaves out 18 of 20 splits (ferri)'
    """
    parts = ", ".join(f"{LEFT_OUT[paper]} ({paper})" for paper in papers)
    return (
        f"A quick pass leaves out {parts}; so its re-runs decide nothing. The whole of it: make "
        "reproduction, which brings WEKA, too."
    )


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
    >>> from cautious.papers import Cell
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
        """Write a number of this cell as the paper writes its own: in per cent, or plainly."""
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
    >>> from cautious.papers import Cell, Table
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
        """Give one row per cell: where, ours, the paper's, difference, verdict, remark."""
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
        """Count the cells that agree, and those the paper prints; given ones are left out."""
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
class Claim:
    """One conclusion of a paper, and what becomes of it.

    Attributes
    ----------
    place, says : str
        Where it stands, and what it says in one sentence.
    kind : {"arithmetic", "re-run", "words"}
        Worked out from printed numbers, run again on data, or said in words of either.
    paper, ours : str
        The effect that the paper reports, and ours, with an interval where there is chance in it.
    verdict : str
        ``"holds"``, ``"fails"``, ``"the paper contradicts itself"`` or ``"cannot tell"``.
    cause : str
        Why it fails, or cannot be told.

    Examples
    --------
    >>> from cautious.papers import Cell, Claim
    >>> Claim.of_cells("Table 1", "AUC", "re-run", [Cell("NB", "AUC", 0.97, 0.98, 0.02)]).verdict
    'holds'
    """

    place: str
    says: str
    kind: Kind
    paper: str
    ours: str
    verdict: Verdict
    cause: str = ""

    def __str__(self) -> str:
        cause = f" ({self.cause})" if self.cause else ""
        says = f"{self.verdict}: {self.says} [{self.place}]."
        return f"{says} Paper: {self.paper}. Ours: {self.ours}{cause}."

    @classmethod
    def judged(
        cls,
        place: str,
        says: str,
        kind: Kind,
        holds: bool | None,
        *,
        paper: str,
        ours: str,
        cause: str = "",
    ) -> Claim:
        """Make a claim that holds, fails or, with None, cannot be told."""
        verdict: Verdict = "cannot tell" if holds is None else "holds" if holds else "fails"
        return cls(place, says, kind, paper, ours, verdict, cause)

    @classmethod
    def of_repeats(
        cls,
        place: str,
        says: str,
        kind: Kind,
        true: Iterable[bool] | Mapping[str, Iterable[bool]],
        *,
        paper: str,
        ours: str,
        cause: str = "",
        what: str = "runs",
    ) -> Claim:
        """Judge a sentence by the share of repeats in which it is true.

        Parameters
        ----------
        place, says, kind, paper, ours, cause
            As for :class:`Claim`; how often it is true is added to `ours`.
        true : iterable of bool, or mapping of reading to such
            Whether the sentence is true, repeat by repeat; where the paper leaves several readings
            open, of each ("if spam is pos"): they must agree. Fewer than two repeats tell nothing.
        what : str
            What is repeated.

        Examples
        --------
        >>> claim = Claim.of_repeats("4", "NB is worst", "re-run", [True] * 6 + [False] * 4,
        ...                          paper="worst", ours="AUC 0.64")
        >>> claim.verdict, claim.ours
        ('cannot tell', 'AUC 0.64; true in 6 of 10 runs')
        """
        each = {
            reading: [bool(t) for t in found]
            for reading, found in (true if isinstance(true, Mapping) else {"": true}).items()
        }
        verdicts = {verdict_of(found) for found in each.values()}
        verdict: Verdict = verdicts.pop() if len(verdicts) == 1 else "cannot tell"
        often = ", ".join(
            " ".join(filter(None, [f"in {sum(found)} of {len(found)} {what}", reading]))
            for reading, found in each.items()
        )
        said = f"{ours}; true {often}" if ours else f"true {often}"
        if verdict == "cannot tell" and not cause:
            cause = "one run only, so chance cannot be told"
            if min(map(len, each.values())) > 1:
                more = "would not change" if all(map(_told, each.values())) else "might change"
                reading = ", or the reading" if len(each) > 1 else ""
                cause = f"chance decides{reading}; more {what} {more} that"
        return cls(place, says, kind, paper, said, verdict, cause)

    @classmethod
    def of_cells(
        cls,
        place: str,
        says: str,
        kind: Kind,
        cells: Iterable[Cell],
        *,
        paper: str = "",
        cause: str = "",
    ) -> Claim:
        """Judge a claim by its cells: it holds if all of them, given ones too, are the paper's.

        Of eight re-runs or more, as many may be off as chance leaves outside two standard
        deviations.

        Examples
        --------
        >>> Claim.of_cells("Table 1", "AUC", "re-run", [Cell("NB", "AUC", 0.97, 0.98, 0.02)]).ours
        '1 of 1 within what chance allows, largest difference 0.01'
        """
        printed = [cell for cell in cells if cell.paper is not None]
        same = sum(replace(cell, given=False).agrees is True for cell in printed)
        within = "within what chance allows" if kind == "re-run" else "agree"
        ours = f"{same} of {len(printed)} {within}"
        apart = largest_difference(printed)
        ours += f", largest difference {apart}" if apart else ""
        said = paper or ", ".join(cell.words()[1] for cell in printed[:6])
        chance = kind == "re-run" and len(printed) >= 8
        most = int(stats.binom.ppf(0.95, len(printed), 0.05)) if chance else 0
        holds = len(printed) - same <= most if printed else None
        return cls.judged(place, says, kind, holds, paper=said, ours=ours, cause=cause)


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


def verdict_of(true: Collection[bool]) -> Verdict:
    """Judge a sentence by the repeats in which it is true.

    Examples
    --------
    >>> verdict_of([True] * 9 + [False]), verdict_of([True] * 8 + [False] * 2), verdict_of([True])
    ('holds', 'cannot tell', 'cannot tell')
    """
    share = sum(true) / len(true) if len(true) > 1 else math.nan
    if share >= SURE - 1e-9:
        return "holds"
    return "fails" if share <= 1 - SURE + 1e-9 else "cannot tell"


def _told(true: Collection[bool]) -> bool:
    """Say whether more repeats would hardly lead to another verdict.

    With a share at the border of another verdict, so many or so few true ones are rare.
    """
    n, k = len(true), sum(true)
    seldom_below = stats.binom.cdf(k, n, SURE) < 0.05
    seldom_above = stats.binom.sf(k - 1, n, 1 - SURE) < 0.05
    return bool(seldom_below and seldom_above) or verdict_of(true) != "cannot tell"


def undecided(claims: Iterable[Claim]) -> list[Claim]:
    """Take back the verdicts that rest on runs: a quick pass has too few of them."""
    return [
        claim
        if claim.kind == "arithmetic" or claim.verdict == "the paper contradicts itself"
        else replace(claim, verdict="cannot tell", cause="a quick pass decides nothing on data")
        for claim in claims
    ]


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
    >>> from cautious.papers import Figure
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


@dataclass(frozen=True)
class Reproduction:
    """A paper done again.

    Attributes
    ----------
    paper, title : str
        Its key and what it is.
    tables : list of Table
        Beside the paper's.
    figures : list of Figure
        The data to draw.
    remarks : list of str
        What holds for the whole paper.
    quick : bool
        Whether fewer repeats, data sets or points were taken than the paper took.
    seconds : float
        Computing time of all runs of learners, also of those an earlier pass has kept; where the
        paper's module does not know it, :func:`reproduce` fills in the time of its pass.
    claims : list of Claim
        Every conclusion of the paper, with a verdict: the scorecard.

    Examples
    --------
    >>> from cautious.papers import Cell, Reproduction, Table
    >>> cells = [Cell("J48", "AUC", 0.9612, 0.97), Cell("NB", "AUC", 0.983, 0.98)]
    >>> Reproduction("ferri", "Cautious classifiers", [Table("Table 1", "areas", cells)]).counts()
    (1, 2)
    """

    paper: str
    title: str
    tables: list[Table]
    figures: list[Figure] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    quick: bool = False
    seconds: float = math.nan
    claims: list[Claim] = field(default_factory=list)

    @property
    def counted(self) -> list[Table]:
        """The tables that count."""
        return [table for table in self.tables if table.counted]

    def counts(self, kind: Kind | None = None) -> tuple[int, int]:
        """Count the cells that agree with the paper, and those it prints.

        Given ones and tables that do not count are left out; with a kind, the others too.
        """
        each = [t.counts() for t in self.counted if kind in (None, t.kind)]
        return sum(agree for agree, _ in each), sum(printed for _, printed in each)

    @property
    def n_given(self) -> int:
        """How many cells are given, and not counted."""
        return sum(table.n_given for table in self.counted)

    def frame(self) -> pd.DataFrame:
        """Give every cell of every table in one frame."""
        return pd.concat(
            [table.frame().assign(table=table.name) for table in self.tables], ignore_index=True
        )[["table", *COLUMNS]]

    def __str__(self) -> str:
        agree, printed = self.counts()
        head = f"{self.title}\n{'=' * len(self.title)}"
        if self.quick:
            head = f"{left_out([self.paper])}\n\n{head}"
        figures = [
            f"{figure.name}. {figure.title}: {len(figure.frame)} points."
            + (f" {figure.remark}" if figure.remark else "")
            for figure in self.figures
        ]
        total = f"{agree} of {printed} printed cells agree"
        total += f"; {self.n_given} more are given." if self.n_given else "."
        card = "\n".join(str(claim) for claim in self.claims)
        parts = [head, card, *map(str, self.tables), "\n".join(figures), *self.remarks, total]
        return "\n\n".join(part for part in parts if part) + "\n"

    def write(self, folder: str | Path) -> list[Path]:
        """Write the text, every table and the data of every figure, and list the files.

        Parameters
        ----------
        folder : path
            Made if it is not there.

        Returns
        -------
        list of Path
        """
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        frames = [table.frame() for table in self.tables] + [f.frame for f in self.figures]
        text = write_whole(place / f"{self.paper}.txt", str(self))
        return [text] + [
            write_whole(place / f"{stem}.csv", frame.to_csv(index=False))
            for stem, frame in zip(self.stems(), frames, strict=True)
        ]

    def stems(self) -> list[str]:
        """Name the files of the tables, then of the figures, without their endings."""
        taken: Counter[str] = Counter()
        found = []
        for name in [table.name for table in self.tables] + [f.name for f in self.figures]:
            stem = f"{self.paper}-{_file_name(name)}"
            taken[stem] += 1  # two learners may have drawn the same figure
            found.append(stem if taken[stem] == 1 else f"{stem}-{taken[stem]}")
        return found


def cells_of(
    ours: pd.DataFrame,
    paper: Iterable[Iterable[float | str | None]],
    *,
    within: float = 0.005,
    remarks: dict[tuple[str, str], str] | None = None,
    given: Collection[str] = (),
) -> list[Cell]:
    """Lay a frame of ours over the rows a paper prints.

    Parameters
    ----------
    ours : DataFrame
        Labelled.
    paper : rows of numbers
        In the order of `ours`; None where nothing is printed. A text that is a number, such as
        ``"5/3"``, is one, and is shown as it is written.
    within : float
        As for :class:`Cell`.
    remarks : dict, optional
        Remarks by (row, column).
    given : collection of str
        Rows whose cells are given.

    Returns
    -------
    list of Cell
    """
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


def failures_in_words(results: pd.DataFrame) -> str:
    """Say how many rows of a study's results failed, on which data sets and why.

    Examples
    --------
    >>> results = pd.DataFrame({"dataset": ["iris", "zoo"], "failure": [None, "ValueError: no"]})
    >>> failures_in_words(results)
    'Failures: 1 of 2 rows; zoo (1: ValueError: no).'
    """
    failed = results[results["failure"].notna()]
    if failed.empty:
        return f"Failures: none of {len(results)} rows."
    each = [
        f"{name} ({len(rows)}: {rows['failure'].iloc[0]})"
        for name, rows in failed.groupby("dataset", sort=False)
    ]
    return f"Failures: {len(failed)} of {len(results)} rows; {'; '.join(each)}."


def _file_name(name: str) -> str:
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
