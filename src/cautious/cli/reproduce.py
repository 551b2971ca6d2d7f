"""The command ``reproduce``: the papers' tables and figures, computed anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cautious.cli.showing import note

__all__ = ["reproduce"]


def reproduce(
    paper: Annotated[
        str, typer.Argument(help="ferri, friedel, zaffalon, yang, or all.", show_default=False)
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repeats: minutes instead of hours.")
    ] = False,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder for tables and figures; a run goes on from what is in it.",
        ),
    ] = Path("reproduction"),
    jobs: Annotated[int | None, typer.Option(help="How many processes to use.")] = None,
) -> None:
    """Compute a paper's tables and figures anew, and set them beside the printed ones.

    [bold]Example:[/]

        cautious reproduce yang --quick -o reproduction
    """
    from cautious.experiments import reproduce as reproduce_paper

    for done in reproduce_paper(paper, quick=quick, folder=output, n_jobs=jobs):
        sys.stdout.write(f"{done}\n\n")
    note(f"written to {output}")
