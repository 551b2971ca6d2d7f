"""The commands and how they fail: one clear line, and a traceback only for who asks for it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

import cautious
from cautious.cli.demo import demo

__all__ = ["app", "main"]

app = typer.Typer(
    name="cautious",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Classifiers that know when to keep quiet.",
)
app.command()(demo)

_debug = False


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cautious {cautious.__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option(help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Say the version.", callback=_show_version)
    ] = False,
) -> None:
    """Classifiers that know when to keep quiet."""
    global _debug
    _debug = debug


def main() -> None:
    """Run the command line; what the user can mend ends in one line and exit code 2."""
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        if _debug:
            raise
        Console(stderr=True).print(f"[bold red]error:[/] {error}", highlight=False, markup=True)
        sys.exit(2)
