"""The command ``report``: one page to play with and to send to a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cautious._files import check_output
from cautious.cli import options
from cautious.cli.console import note, show_notes
from cautious.cli.options import with_columns
from cautious.progress import track

__all__ = ["report"]

_COSTS = "Where the sliders stand at first"
_FIRST = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}


def _cost(help: str) -> Any:
    return typer.Option(help=help, min=0.0, metavar="COST", rich_help_panel=_COSTS)


@with_columns("case")
def report(
    files: options.Files,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File to write, replaced when complete.", metavar="FILE"
        ),
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Title of the page.", metavar="TEXT")] = None,
    false_negative: Annotated[
        float | None, _cost("Cost of missing a positive; 10 if not given.")
    ] = None,
    false_positive: Annotated[float | None, _cost("Cost of a false alarm; 2 if not given.")] = None,
    abstain: Annotated[float | None, _cost("Cost of abstaining; 1 if not given.")] = None,
    prior: options.Prior = None,
    engine: options.Engine = None,
    columns: Any = None,
) -> None:
    """Write an interactive page: when to abstain, what it saves, which model to take.

    [bold]Example:[/] first.csv and second.csv hold the predictions of two models.

        cautious report first.csv second.csv --positive malignant -o report.html
    """
    from cautious.evaluation._evidence import RuleChoice, summarise_log
    from cautious.report import build_report
    from cautious.report._problems import ReportedModels

    check_output(output, files)
    source: Any = files
    if engine is not None:
        if "groups" in columns:
            raise ValueError(
                "--group is not offered with --engine: a report on counts shows no groups; leave "
                "out one of them, or see the groups with `cautious evaluate`."
            )
        with track("reading the log") as bar:
            source = summarise_log(
                files, engine, RuleChoice(), rules=("u65", "u80"), progress=bar.update, **columns
            )
        columns = {}
    models = ReportedModels.of(source, **columns)
    show_notes(models.notes)
    show_notes(models.directions())  # the page says it beside the advice
    said = {"false_negative": false_negative, "false_positive": false_positive, "abstain": abstain}
    given = {name: cost for name, cost in said.items() if cost is not None}
    path = build_report(
        models, output, title=title, costs=_FIRST | given if given else None, priors=prior
    )
    note(f"report written to {path}")
