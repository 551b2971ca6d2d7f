"""The command ``audit``: ten properties of a table of costs."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import typer

from cautious.cli import options
from cautious.cli.showing import make_table, say, screen, show_json
from cautious.cli.tables import open_table
from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    discounted,
    p_discounted,
    verdict,
)
from cautious.costs import (
    audit as audit_costs,
)
from cautious.costs.verdict import witness_text

__all__ = ["audit"]

_STYLES = {"holds": None, "not refuted": None, "fails": "yellow", "not shown": "yellow"}


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
            help="CSV of costs: answers are rows, truths are columns. Rows may be classes, or sets "
            "written '{a, b}' or 'a|b'; - reads standard input.",
            show_default=False,
        ),
    ],
    extension: Annotated[
        Extension,
        typer.Option(
            help="Where the table costs single classes only, how to extend it to sets: discounted "
            "(the mean), cautious or averse (p-discounted), or abellan-masegosa."
        ),
    ] = Extension.discounted,
    r: Annotated[
        float, typer.Option("--r", help="Strength of p-discounting.", min=0.0, max=1.0)
    ] = 0.5,
    seed: options.Seed = 0,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
) -> None:
    """Judge a table of costs by ten properties, for filtering and for choice.

    [bold]Example:[/] costs.csv has a row and a column for each class.

        cautious audit costs.csv --extension cautious --r 0.5
    """
    if json and csv:
        raise ValueError("--json and --csv are both given; give one of them.")
    costs, words = _costs(file, extension, r)
    frame = audit_costs(costs, random_state=seed)
    if csv:
        sys.stdout.write(frame.to_csv())
    elif json:
        settings = verdict(frame).to_dict("index")
        show_json({"costs": words, "properties": frame.to_dict("index"), "verdict": settings})
    else:
        _show(frame, words)


def _costs(file: str, extension: Extension, r: float) -> tuple[SetCosts, str]:
    """Read a table of sets as it is; extend one of single classes."""
    table = open_table(file)
    first, *classes = table.names
    if len(classes) < 2:
        raise ValueError(
            f"{table.name} has {len(classes)} columns of costs; give one a class, after the column "
            "of answers."
        )
    frame = table.read([first], classes)
    answers = table.labels(frame, first).tolist()
    costs = np.column_stack([table.numbers(frame, name) for name in classes])
    try:
        if sorted(answers) == sorted(classes):
            matrix = pd.DataFrame(costs, index=answers, columns=classes).loc[classes]
            return _extended(matrix, extension, r)
        rows = [_set_of(answer, classes) for answer in answers]
        listed = pd.DataFrame(costs, index=pd.Index(rows, tupleize_cols=False), columns=classes)
        return SetCosts.from_table(listed), "the sets of the table"
    except ValueError as error:
        raise ValueError(f"{table.name}: {error}") from None


def _set_of(answer: str, classes: list[str]) -> str | tuple[str, ...]:
    """Read ``a|b``: a bar separates classes too, since commas are awkward in CSV."""
    if answer in classes or "|" not in answer:
        return answer
    inside = answer.strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    return tuple(part.strip() for part in inside.split("|"))


def _extended(matrix: pd.DataFrame, extension: Extension, r: float) -> tuple[SetCosts, str]:
    if extension is Extension.discounted:
        return discounted(matrix), "single classes, extended to sets by the mean"
    if extension is Extension.abellan_masegosa:
        return abellan_masegosa(matrix), "single classes, extended to sets by Abellán and Masegosa"
    words = f"single classes, extended to sets by p-discounting ({extension.value}, r = {r:g})"
    attitude: Literal["cautious", "averse"]
    attitude = "cautious" if extension is Extension.cautious else "averse"
    return p_discounted(matrix, r=r, attitude=attitude), words


def _show(frame: pd.DataFrame, words: str) -> None:
    console = screen()
    say(f"Costs of {words}; over {frame['sets'].iloc[0]}")
    console.print()
    rows = [
        (number, row["property"], row["verdict"], witness_text(row))
        for number, row in frame.to_dict("index").items()
    ]
    styles = [_STYLES[row[2]] for row in rows]
    headings = ["", "property", "verdict", "witness"]
    console.print(
        make_table(headings, rows, words=(0, 1, 2, 3), styles=styles, longest=120), "", sep="\n"
    )
    for setting, row in verdict(frame).to_dict("index").items():
        reasons = [
            f"{what} {', '.join(map(str, row[column]))}"
            for what, column in (
                ("needs", "necessary_unmet"),
                ("would like", "desirable_unmet"),
                ("would rather not have", "undesirable_met"),
                ("cannot tell from a sample", "undecided"),
            )
            if row[column]
        ]
        why = f": {'; '.join(reasons)}" if reasons else ""
        say(f"For {setting} they are {row['verdict']}{why}.")
