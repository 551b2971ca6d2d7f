"""The command ``watch``: alarms about a deployed rule, for people and for schedulers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from cautious._files import check_output, file_lock, write_whole
from cautious.cli import options
from cautious.cli.console import note, show
from cautious.cli.options import one_output, with_columns

__all__ = ["watch"]

_ALARM = 3


@with_columns(
    "sets", "pos_label", "classes", "weight", "no_weight", "empty", "missing", "drop_missing"
)
def watch(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Logs with scores and, where it is known, the truth; each file is one batch, "
            "also those of a folder or pattern.",
            show_default=False,
        ),
    ],
    rule: Annotated[
        Path,
        typer.Option(
            "--rule",
            help="The rule that was deployed, as `cautious tune -o rule.json` writes it.",
            metavar="FILE",
        ),
    ],
    state: Annotated[
        Path | None,
        typer.Option(
            help="File of what was seen before; it is made, and brought up to date.", metavar="FILE"
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            help="File of truths that came later, in its column --truth, with the column --id of "
            "their cases.",
            metavar="FILE",
        ),
    ] = None,
    max_error: Annotated[
        float | None, options.share("Largest share of wrong answers; by default what was promised.")
    ] = None,
    max_abstention: Annotated[
        float | None, options.share("Largest share of cases abstained on.")
    ] = None,
    level: Annotated[
        float,
        options.share("1 minus the chance of a false alarm, over all time.", "--confidence-level"),
    ] = 0.95,
    only: Annotated[
        str | None,
        typer.Option(
            help="The model: its rule, of several, and its cases, where a column tells models "
            "apart.",
            metavar="MODEL",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Count a batch even if it was fed before.")
    ] = False,
    merge: Annotated[
        list[Path] | None, typer.Option(help="Add the state of another machine.", metavar="STATE")
    ] = None,
    retune: Annotated[
        Path | None,
        typer.Option(
            help="Write the rule that suits the share of positives as it seems to be now; not of "
            "a rule with a promise.",
            metavar="FILE",
        ),
    ] = None,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
    columns: Any = None,
) -> None:
    """Watch whether a deployed rule keeps its promise.

    Exit status: 0 if all is quiet, 3 if there is an alarm, 2 if something could not be read.
    Look as often as you like: the chance of a false alarm holds over all time.

    [bold]Example:[/] last night's answers, with the truths that are known by now.

        cautious watch answers.csv --rule rule.json --state watch.json --max-error 0.05
    """
    from cautious.evaluation import Watch
    from cautious.evaluation import watch as watch_rule
    from cautious.evaluation._calibration import check_retunable
    from cautious.evaluation._new_cases import chosen_rules

    one_output(json, csv)
    read = [*files, str(rule), *(labels or [])]
    for path in (state, retune):
        if path is not None:
            check_output(path, read)
    if retune is not None:
        rules = chosen_rules(rule, only)
        if len(rules) == 1:  # of several, one must be chosen first: the call says so
            check_retunable(*rules.values())
    with ExitStack() as stack:
        if state is not None:  # nobody else may write it between reading and writing
            stack.enter_context(
                file_lock(state, lambda: note(f"waiting for another watch to write {state}"))
            )
        begun: Any = state
        if merge:
            known = [Watch.from_json(one) for one in merge]
            if state is not None and state.exists():
                known.append(Watch.from_json(state))
            begun = sum(known[1:], known[0])
        found = watch_rule(
            files, rule, begun, labels=labels, max_error=max_error, max_abstention=max_abstention,
            confidence_level=level, only=only, again=again, **columns,
        )  # fmt: skip
        if state is not None:
            write_whole(state, found.to_json())
    if retune is not None:
        better = found.retuned()
        if better is None:
            raise ValueError(
                f"{retune} is not written: all cases seem to be of one class, and there is no "
                "window for that; watch more cases first."
            )
        write_whole(retune, better.to_json())
        note(f"re-tuned rule written to {retune}")
    show(found, json=json, csv=csv)
    if state is None:
        note("Add --state FILE to go on from here next time.")
    if found.alarm:
        raise typer.Exit(_ALARM)
