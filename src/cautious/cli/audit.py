"""The command ``audit``: ten properties of a table of costs."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import typer

from cautious.cli import options
from cautious.cli.console import as_json, make_table, note, say, screen
from cautious.cli.options import one_output
from cautious.costs import SetCosts, abellan_masegosa, discounted, p_discounted
from cautious.costs import audit as audit_costs
from cautious.costs._audit import Audit
from cautious.costs._forms import read_cost_table
from cautious.errors import listed

__all__ = ["audit"]

_STYLES = {"holds": None, "not refuted": None, "fails": "yellow", "not shown": "yellow"}
_MEAN = "single classes, extended to sets by the mean"


class Extension(StrEnum):
    """How costs of single classes are extended to sets."""

    discounted = "discounted"
    cautious = "cautious"
    averse = "averse"
    abellan_masegosa = "abellan-masegosa"


def audit(
    file: Annotated[
        str,
        typer.Argument(
            help="CSV of costs: answers are rows, truths are columns. Rows may be classes, sets "
            "written '{a, b}' or 'a|b', or 'abstain'; - reads standard input.",
            show_default=False,
        ),
    ],
    extension: Annotated[
        Extension | None,
        typer.Option(
            help="Where the table costs single classes only, how to extend it to sets: discounted "
            "(the mean, and the default), cautious or averse (p-discounted), or abellan-masegosa.",
            metavar="NAME",
        ),
    ] = None,
    r: Annotated[
        float | None,
        typer.Option(
            "--r",
            help="Strength of p-discounting; 0.5 if not given.",
            min=0.0,
            max=1.0,
            metavar="NUMBER",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            help="Seed of the sample of sets, where more than 12 classes have too many.",
            metavar="NUMBER",
        ),
    ] = 0,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
) -> None:
    """Judge a table of costs by ten properties, for filtering and for choice.

    [bold]Example:[/] costs.csv has a row and a column for each class.

        cautious audit costs.csv --extension cautious --r 0.5
    """
    one_output(json, csv)
    costs, words = _costs(file, extension, r)
    _notice_rewards(costs)
    found = audit_costs(costs, random_state=seed)
    if csv:
        sys.stdout.write(found.frame().to_csv())
    elif json:
        properties, uses = found.frame().to_dict("index"), found.uses.to_dict("index")
        document = {"costs": words, "properties": properties, "verdict": uses}
        sys.stdout.write(as_json(document) + "\n")
    else:
        _show(found, words)
        if words == _MEAN:
            say("No table passes with the plain mean: try --extension cautious.")


def _costs(file: str, extension: Extension | None, r: float | None) -> tuple[SetCosts, str]:
    """Read a table of sets as it is; extend one of single classes."""
    table = read_cost_table(file)
    answers, classes = list(table.index), list(table.columns)
    if any("|" in name or name.startswith("{") for name in classes) and {*answers} < {*classes}:
        raise ValueError(
            f"{file}: the columns are {listed(classes, 6)} and the rows {listed(answers, 6)}; "
            "answers are rows, truths are columns. Transpose the table."
        )
    try:
        if sorted(answers) == sorted(classes):
            return _extended(table.loc[classes], extension, r)
        unused = [
            name for name, value in (("--extension", extension), ("--r", r)) if value is not None
        ]
        if unused:
            note(f"note: not used, since the table lists sets itself: {', '.join(unused)}")
        return SetCosts.from_table(table), "the sets of the table"
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _notice_rewards(costs: SetCosts) -> None:
    """Notice a right answer that is more expensive than a wrong one."""
    matrix, classes = costs.singletons(), costs.classes or range(costs.n_classes)
    cheaper = np.argwhere(matrix < matrix.diagonal())
    if len(cheaper):
        i, y = cheaper[0].tolist()
        note(
            f"note: when {str(classes[y])[:60]!r} is true, the answer {str(classes[i])[:60]!r} "
            f"costs {matrix[i, y]:g}, less than the right one ({matrix[y, y]:g}). Answers are "
            "rows, truths are columns: transpose the table, or turn rewards into costs, unless "
            "this is meant."
        )


def _extended(
    matrix: pd.DataFrame, extension: Extension | None, r: float | None
) -> tuple[SetCosts, str]:
    discounts = extension in (Extension.cautious, Extension.averse)
    if r is not None and not discounts:
        note("note: --r is not used: it is for --extension cautious and averse")
    if extension is None or extension is Extension.discounted:
        return discounted(matrix), _MEAN
    if extension is Extension.abellan_masegosa:
        return abellan_masegosa(matrix), "single classes, extended to sets by Abellán and Masegosa"
    r = 0.5 if r is None else r
    words = f"single classes, extended to sets by p-discounting ({extension.value}, r = {r:g})"
    attitude: Literal["cautious", "averse"]
    attitude = "cautious" if extension is Extension.cautious else "averse"
    return p_discounted(matrix, r=r, attitude=attitude), words


def _show(found: Audit, words: str) -> None:
    console, frame = screen(), found.frame()
    say(f"Costs of {words}; over {frame['sets'].iloc[0]}")
    console.print()
    rows = [
        (number, row["property"], row["verdict"], found.witness_text(number))
        for number, row in zip(frame.index.tolist(), frame.to_dict("records"), strict=True)
    ]
    styles = [_STYLES[row[2]] for row in rows]
    headings = ["", "property", "verdict", "witness"]
    console.print(make_table(headings, rows, styles=styles, longest=120), "", sep="\n")
    for line in found.use_lines():
        say(line)
