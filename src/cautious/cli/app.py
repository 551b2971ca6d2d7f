"""The commands of the command line."""

from __future__ import annotations

from typing import Annotated

import typer

import cautious
from cautious.cli.audit import audit
from cautious.cli.compare import compare
from cautious.cli.datasets import datasets
from cautious.cli.demo import demo
from cautious.cli.evaluate import evaluate
from cautious.cli.failing import Commands
from cautious.cli.report import report
from cautious.cli.reproduce import reproduce
from cautious.cli.tune import tune

__all__ = ["app", "main"]

app = typer.Typer(
    name="cautious",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for _command in (report, evaluate, tune, compare, audit, reproduce, demo):
    app.command()(_command)
app.add_typer(datasets, name="datasets")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cautious {cautious.__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Classifiers that know when to keep quiet.

    When should a model abstain, what does that save, and which model should one take?
    """


def main() -> None:
    """Run the command line."""
    app()
