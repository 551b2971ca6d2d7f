"""The commands ``datasets``: the papers' data, listed, described and written out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from cautious._files import write_whole
from cautious.cli.console import make_table, note, screen, write_data
from cautious.cli.options import Command, Group, output, takes
from cautious.errors import shown

datasets: typer.Typer = typer.Typer(cls=Group, invoke_without_command=True, rich_markup_mode="rich")
_PAPERS = ("ferri", "friedel", "yang", "zaffalon")


@datasets.callback()
def default(context: typer.Context) -> None:
    """List, describe and export the papers' data sets.

    [bold]Example:[/]

        cautious datasets list --paper yang
    """
    if context.invoked_subcommand is None:
        list_all(paper=None, json=False, csv=False)


@datasets.command("list", cls=Command)
@takes("paper json csv")
def list_all(paper: str | None, json: bool, csv: bool) -> None:
    """List the bundled data sets.

    [bold]Example:[/]

        cautious datasets list --paper friedel
    """
    from cautious.datasets import list_datasets

    facts = list_datasets()
    if paper is not None:
        if paper not in _PAPERS:
            raise ValueError(f"--paper is {shown(paper)}; choose one of {', '.join(_PAPERS)}.")
        facts = facts[facts[paper]]
    if not write_data(lambda: facts, lambda: facts.to_dict("index"), json=json, csv=csv):
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
@takes("name")
def show(name: str) -> None:
    """Describe a data set: its size, its source, its licence, its oddities.

    [bold]Example:[/]

        cautious datasets show breast-w
    """
    from cautious.datasets import load_dataset

    bunch = load_dataset(name)
    console = screen()
    console.print(bunch.DESCR.replace("\n  ", " "))
    counts = bunch.target.value_counts(sort=False)
    console.print(make_table(["class", "rows"], zip(counts.index, counts, strict=True)))


@datasets.command(cls=Command)
@takes("name output", output=output("File to write; default: standard output."))
def export(name: str, output: Path | None) -> None:
    """Write a data set as CSV, the class last.

    [bold]Example:[/]

        cautious datasets export breast-w -o breast-w.csv
    """
    from cautious.datasets import load_dataset

    text = load_dataset(name).frame.to_csv(index=False)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)
        note(f"written to {output}")
