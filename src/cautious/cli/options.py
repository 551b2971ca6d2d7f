"""Arguments that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

__all__ = [
    "AsCsv",
    "AsJson",
    "Case",
    "Empty",
    "Engine",
    "Files",
    "Given",
    "Group",
    "Level",
    "Model",
    "Positive",
    "Proba",
    "Resamples",
    "Score",
    "Seed",
    "Sets",
    "Truth",
    "Weight",
    "WhatEmptyMeans",
]

_COLUMNS, _OUTPUT = "Columns (guessed unless given)", "Output"


class WhatEmptyMeans(StrEnum):
    """What an empty prediction set means."""

    error = "error"
    abstain = "abstain"
    wrong = "wrong"


class Given(NamedTuple):
    """What the user says about the columns."""

    truth: str | None = None
    score: Sequence[str] | None = None
    proba: str | None = None
    sets: str | None = None
    positive: str | None = None
    model: str | None = None
    weight: str | None = None
    group: str | None = None
    empty: str = "error"
    case: str | None = None

    def columns(self) -> dict[str, Any]:
        """Arguments of :func:`cautious.predictions.guess_columns`."""
        return {
            "truth": self.truth,
            "score": list(self.score) if self.score else None,
            "proba": self.proba,
            "sets": self.sets,
            "model": self.model,
            "weight": self.weight,
            "groups": self.group,
            "case": self.case,
        }

    def arguments(self) -> dict[str, Any]:
        """Arguments of :func:`cautious.predictions.read_predictions`."""
        return self.columns() | {"pos_label": self.positive, "empty": self.empty}


Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV or Parquet files of predictions, one model each unless a column 'model' says; "
        "- reads CSV from standard input.",
        show_default=False,
    ),
]
Truth = Annotated[
    str | None, typer.Option(help="Column of true classes.", rich_help_panel=_COLUMNS)
]
Score = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of scores that grow with the belief in one class. Given several times: "
        "several models, named after the columns.",
        rich_help_panel=_COLUMNS,
    ),
]
Proba = Annotated[
    str | None,
    typer.Option(
        help="What names of probability columns begin with, as in p_cat, p_dog.",
        metavar="PREFIX",
        rich_help_panel=_COLUMNS,
    ),
]
Sets = Annotated[
    str | None,
    typer.Option(
        help="Column of sets written 'a|b' or '{a, b}', or what names of true/false columns, one a "
        "class, begin with.",
        rich_help_panel=_COLUMNS,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        help="Class that a high score speaks for.", metavar="CLASS", rich_help_panel=_COLUMNS
    ),
]
Model = Annotated[str | None, typer.Option(help="Column of model names.", rich_help_panel=_COLUMNS)]
Weight = Annotated[
    str | None,
    typer.Option(help="Column that says how often a row counts.", rich_help_panel=_COLUMNS),
]
Group = Annotated[
    str | None, typer.Option(help="Column of groups to tell apart.", rich_help_panel=_COLUMNS)
]
Empty = Annotated[
    WhatEmptyMeans,
    typer.Option(
        help="What an empty set means: an error, abstaining, or a wrong answer.",
        rich_help_panel=_COLUMNS,
    ),
]
Case = Annotated[
    str | None,
    typer.Option(
        "--id",
        help="Column that tells the cases apart, where the models' rows are in different orders.",
        rich_help_panel=_COLUMNS,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Summarise a log of any size (a file, folder, or pattern such as 'log/*.parquet') in "
        "bounded memory: local, dask (or the address of its scheduler), or spark.",
        metavar="local|dask|ADDRESS|spark",
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON and nothing else.", rich_help_panel=_OUTPUT)
]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print CSV and nothing else.", rich_help_panel=_OUTPUT)
]
Level = Annotated[
    float | None,
    typer.Option(help="Add bootstrap intervals of this level, for example 0.95.", min=0.0, max=1.0),
]
Resamples = Annotated[int, typer.Option(help="Number of bootstrap replicates.", min=1)]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)]
