"""The command ``reproduce``: the papers' tables and figures, computed anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cautious.cli.console import folded, note, screen

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
            metavar="FOLDER",
        ),
    ] = Path("reproduction"),
    jobs: Annotated[
        int | None, typer.Option(help="How many processes to use.", metavar="NUMBER")
    ] = None,
    weka: Annotated[
        bool | None,
        typer.Option(
            help="Run WEKA's own learners, too; by default where Java and WEKA are found.",
            show_default=False,
        ),
    ] = None,
    docs: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a documentation; gets reproduction.md, and pictures in _static.",
            metavar="FOLDER",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compute a paper's tables and figures anew, and set them beside the printed ones.

    With [bold]all[/], REPRODUCTION.md in the output folder sums up what reproduces and what does
    not.

    [bold]Example:[/]

        cautious reproduce yang --quick -o reproduction
    """
    from cautious.papers import reproduce as reproduce_paper
    from cautious.papers._reproduction import check_request

    check_request(paper, output, docs)
    what = "every paper" if paper == "all" else f"the paper {paper}"
    often = "with fewer repeats, which takes minutes" if quick else "which takes an hour or two"
    note(f"computing the tables and figures of {what} anew, {often}; they are printed at the end")
    try:
        done = reproduce_paper(paper, quick=quick, folder=output, n_jobs=jobs, weka=weka, docs=docs)
    except KeyboardInterrupt as stop:
        kept = f"what was computed is kept in {output}, and the same command goes on from there"
        raise type(stop)(kept) from stop
    console = screen()
    for each in done:
        text = folded(str(each), console.width) if console.is_terminal else str(each)
        sys.stdout.write(f"{text}\n\n")
    note(f"written to {output}")
