"""The command ``report``: one page to play with and to send to a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cautious.cli import options
from cautious.cli.engines import summarise_log
from cautious.cli.options import Given, WhatEmptyMeans
from cautious.cli.reading import read_predictions
from cautious.cli.showing import note
from cautious.files import check_output
from cautious.predictions import ModelPredictions

__all__ = ["report"]

_COSTS = "Where the sliders stand at first"


def _cost(what: str) -> Any:
    return typer.Option(help=what, min=0.0, rich_help_panel=_COSTS)


def report(
    files: options.Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write, replaced when complete.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    false_negative: Annotated[float, _cost("Cost of missing a positive.")] = 10.0,
    false_positive: Annotated[float, _cost("Cost of a false alarm.")] = 2.0,
    abstain: Annotated[float, _cost("Cost of keeping quiet.")] = 1.0,
    prior: Annotated[
        float | None,
        typer.Option(
            help="Share of positives to assume instead of the sample's.",
            min=0.0,
            max=1.0,
            rich_help_panel=_COSTS,
        ),
    ] = None,
    engine: options.Engine = None,
    truth: options.Truth = None,
    score: options.Score = None,
    proba: options.Proba = None,
    sets: options.Sets = None,
    positive: options.Positive = None,
    model: options.Model = None,
    weight: options.Weight = None,
    empty: options.Empty = WhatEmptyMeans.error,
) -> None:
    """Write an interactive page: when to keep quiet, what it saves, which model to take.

    [bold]Example:[/] first.csv and second.csv hold the predictions of two models.

        cautious report first.csv second.csv --positive malignant -o report.html
    """
    from cautious.report import build_report

    given = Given(truth, score, proba, sets, positive, model, weight, None, empty.value)
    check_output(output, files)
    predictions: dict[str, Any]
    if engine is None:
        predictions = {one.name: _arrays(one) for one in read_predictions(files, given).values()}
    else:
        name = Path(files[0].rstrip("/")).stem if len(files) == 1 else "log"
        utilities = ("u65", "u80")
        predictions = summarise_log(files, given, engine, utilities).predictions(name)
    costs = {
        "false_negative": false_negative,
        "false_positive": false_positive,
        "abstain": abstain,
    }
    path = build_report(predictions, output, title=title, costs=costs, priors=prior)
    note(f"report written to {path}")


def _arrays(one: ModelPredictions) -> dict[str, Any]:
    """Give what the report takes."""
    given = {
        "y_true": one.y_true,
        "y_score": one.y_score,
        "y_proba": None if one.y_score is not None else one.y_proba,
        "y_set": one.y_set,
        "classes": list(one.classes),
        "sample_weight": one.sample_weight,
    }
    return {key: value for key, value in given.items() if value is not None}
