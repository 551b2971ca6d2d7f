"""The command ``apply``: the answers of a saved rule to new cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cautious.cli import options
from cautious.cli.console import note, show, show_notes
from cautious.cli.options import with_columns
from cautious.progress import track

__all__ = ["apply"]


@with_columns(
    "truth", "sets", "pos_label", "classes", "weight", "no_weight", "groups", "case", "empty",
    "missing", "drop_missing",
)  # fmt: skip
def apply(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="CSV, Parquet or Arrow files of new cases, folders or patterns of them; - reads "
            "CSV from standard input.",
            show_default=False,
        ),
    ] = None,
    rule: Annotated[
        Path | None,
        typer.Option("--rule", help="Rules as `cautious tune -o` writes them.", metavar="FILE"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the cases with their answers: .csv, .tsv, .parquet or .arrow; - is "
            "standard output. Without it answers are counted only.",
            metavar="FILE",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="The model: its rule, of several, and its cases, where a column tells models "
            "apart.",
            metavar="MODEL",
        ),
    ] = None,
    answer: Annotated[
        str, typer.Option(help="Column for the answers.", metavar="COLUMN")
    ] = "y_set",
    engine: Annotated[
        str | None,
        typer.Option(
            help="Where the cases are answered: on this machine (local), or by many (dask or the "
            "address of its scheduler, spark). The file is the same.",
            metavar="local|dask|ADDRESS|spark",
        ),
    ] = None,
    show_code: Annotated[
        bool,
        typer.Option(
            "--show-code", help="Print a short Python program that answers alike, without cautious."
        ),
    ] = False,
    json: options.AsJson = False,
    columns: Any = None,
) -> None:
    """Answer new cases by a saved rule.

    All columns are kept, and one with the answer is added: a class, several as a|b, or ? where the
    rule abstains. A missing score abstains. The file is written whole or not at all.

    [bold]Example:[/] decide tonight's cases by the rule that `tune -o rule.json` wrote.

        cautious apply new.parquet --rule rule.json -o answers.parquet
    """
    from cautious.evaluation import apply as apply_rule
    from cautious.evaluation._new_cases import chosen_rules

    if rule is None:
        raise ValueError("--rule is missing; give the file that `cautious tune -o` wrote.")
    if show_code:
        rules = chosen_rules(rule, only)
        if len(rules) > 1:
            raise ValueError(f"there are rules of {', '.join(rules)}; choose one with --only.")
        if only not in (None, *rules):
            raise ValueError(
                f"--only is {only!r}, but there is the rule of one model; leave it out."
            )
        score = columns.get("score")
        named = score if isinstance(score, str | None) else score[0]
        typer.echo(next(iter(rules.values())).to_code(score=named), nl=False)
        return
    if not files:
        raise ValueError("there are no cases; give files, or - for standard input.")
    to_screen = output == "-"
    with track("answering") as bar:
        found = apply_rule(
            files,
            rule,
            output,
            only=only,
            answer=answer,
            engine="local" if engine is None else engine,
            progress=bar.update,
            **columns,
        )
    if to_screen:  # what is asked for is there already
        show_notes(found.notes)
        for words in found.sentences():
            note(words)
        return
    show(found, json=json)
    if output is None:
        note("Add -o FILE to keep the answers.")
