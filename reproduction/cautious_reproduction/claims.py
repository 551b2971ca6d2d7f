"""What becomes of a paper: a verdict on each of its conclusions, beside its tables and figures."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pandas as pd
from scipy import stats

from cautious_reproduction.printed_tables import (
    COLUMNS,
    Cell,
    Figure,
    Kind,
    Table,
    largest_difference,
)
from cautious_reproduction.work import write_whole

__all__ = [
    "VERDICTS",
    "Claim",
    "Reproduction",
    "failures_in_words",
    "left_out",
    "undecided",
    "verdict_of",
]

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
    "*consistent*, *remarkable* and *slightly better* say nothing that a number could decide."
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
    >>> from cautious_reproduction import Cell, Claim
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
        """Make a claim that holds, fails or, with None, cannot be told.

        Examples
        --------
        >>> told = {"paper": "rises", "ours": "7 of 12"}
        >>> Claim.judged("Section 4", "it rises", "re-run", None, **told).verdict
        'cannot tell'
        """
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
    >>> from cautious_reproduction import Cell, Reproduction, Table
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

        Examples
        --------
        >>> from cautious_reproduction import Cell, Table
        >>> table = Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)])
        >>> Reproduction("ferri", "Cautious classifiers", [table]).counts()
        (0, 1)
        """
        each = [t.counts() for t in self.counted if kind in (None, t.kind)]
        return sum(agree for agree, _ in each), sum(printed for _, printed in each)

    @property
    def n_given(self) -> int:
        """How many cells are given, and not counted."""
        return sum(table.n_given for table in self.counted)

    def frame(self) -> pd.DataFrame:
        """Give every cell of every table in one frame.

        Examples
        --------
        >>> from cautious_reproduction import Cell, Table
        >>> table = Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)])
        >>> len(Reproduction("ferri", "Cautious classifiers", [table]).frame())
        1
        """
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

        Examples
        --------
        >>> from cautious_reproduction import Cell, Table
        >>> from tempfile import TemporaryDirectory
        >>> table = Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)])
        >>> with TemporaryDirectory() as folder:
        ...     found = Reproduction("ferri", "Cautious classifiers", [table]).write(folder)
        ...     [path.name for path in found]
        ['ferri.txt', 'ferri-table-1.csv']
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
        """Name the files of the tables, then of the figures, without their endings.

        Examples
        --------
        >>> from cautious_reproduction import Cell, Table
        >>> table = Table("Table 1", "areas", [Cell("J48", "AUC", 0.9612, 0.97)])
        >>> Reproduction("ferri", "Cautious classifiers", [table]).stems()
        ['ferri-table-1']
        """
        taken: Counter[str] = Counter()
        found = []
        for name in [table.name for table in self.tables] + [f.name for f in self.figures]:
            stem = f"{self.paper}-{_file_name(name)}"
            taken[stem] += 1  # two learners may have drawn the same figure
            found.append(stem if taken[stem] == 1 else f"{stem}-{taken[stem]}")
        return found


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
