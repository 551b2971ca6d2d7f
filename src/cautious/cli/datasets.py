"""The commands ``datasets``: the papers' data, listed, described and written out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from cautious._files import write_whole
from cautious.cli import options
from cautious.cli.console import as_json, make_table, note, screen
from cautious.cli.options import Command, Group, one_output
from cautious.datasets import list_datasets, load_dataset
from cautious.errors import shown

__all__ = ["datasets"]

datasets: typer.Typer = typer.Typer(
    cls=Group,
    help="List, describe and export the papers' data sets.",
    invoke_without_command=True,
    rich_markup_mode="rich",
)
_PAPERS = ("ferri", "friedel", "yang", "zaffalon")

Name = Annotated[str, typer.Argument(help="Name of a data set.", show_default=False)]
Paper = Annotated[
    str | None,
    typer.Option(help="Only those of ferri, friedel, yang or zaffalon.", metavar="PAPER"),
]


@datasets.callback()
def default(context: typer.Context) -> None:
    """List, describe and export the papers' data sets.

    [bold]Example:[/]

        cautious datasets list --paper yang
    """
    if context.invoked_subcommand is None:
        list_all()


@datasets.command("list", cls=Command)
def list_all(paper: Paper = None, json: options.AsJson = False, csv: options.AsCsv = False) -> None:
    """List the bundled data sets.

    [bold]Example:[/]

        cautious datasets list --paper friedel
    """
    one_output(json, csv)
    facts = list_datasets()
    if paper is not None:
        if paper not in _PAPERS:
            raise ValueError(f"--paper is {shown(paper)}; choose one of {', '.join(_PAPERS)}.")
        facts = facts[facts[paper]]
    if json:
        sys.stdout.write(as_json(facts.to_dict("index")) + "\n")
    elif csv:
        sys.stdout.write(facts.to_csv())
    else:
        columns = ["rows", "features", "nominal_features", "missing_cells", "classes"]
        rows = [
            (name, *(fact[column] for column in columns), _papers(fact))
            for name, fact in facts.to_dict("index").items()
        ]
        headings = ["name", "rows", "features", "nominal", "missing", "classes", "papers"]
        screen().print(make_table(headings, rows))


def _papers(fact: dict[Any, Any]) -> str:
    return ", ".join(paper.capitalize() for paper in _PAPERS if fact[paper])


@datasets.command(cls=Command)
def show(name: Name) -> None:
    """Describe a data set: its size, its source, its licence, its oddities.

    [bold]Example:[/]

        cautious datasets show breast-w
    """
    bunch = load_dataset(name)
    console = screen()
    console.print(bunch.DESCR.replace("\n  ", " "))
    counts = bunch.target.value_counts(sort=False)
    console.print(make_table(["class", "rows"], zip(counts.index, counts, strict=True)))


@datasets.command(cls=Command)
def export(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write; default: standard output.", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Write a data set as CSV, the class last.

    [bold]Example:[/]

        cautious datasets export breast-w -o breast-w.csv
    """
    text = load_dataset(name).frame.to_csv(index=False)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
        note(f"written to {output}")
