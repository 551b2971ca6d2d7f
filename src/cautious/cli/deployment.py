"""The commands ``apply`` and ``watch``: a saved rule at work, and alarms about it."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import typer

from cautious._files import check_paths, file_lock, write_whole
from cautious.cli.console import note, show
from cautious.cli.options import argument, option, output, share, takes
from cautious.errors import note_lines
from cautious.progress import track

_ALARM = 3


@takes(
    "files rule output only answer engine show_code json",
    reading="truth sets pos_label classes weight no_weight groups case empty missing drop_missing "
    "correct confidence answerable judge",
    files=argument(
        list[str] | None,
        "CSV, Parquet or Arrow files of new cases, folders or patterns of them; - reads CSV from "
        "standard input.",
        default=None,
    ),
    output=output(
        "File for the cases with their answers: .csv, .tsv, .parquet or .arrow; - is standard "
        "output. Without it answers are counted only.",
        kind=str,
    ),
    engine=option(
        str,
        "Where the cases are answered: on this machine (local), or by many (dask or the address of "
        "its scheduler, spark). The file is the same.",
        metavar="local|dask|ADDRESS|spark",
    ),
)
def apply(
    files: Any, rule: Path | None, output: str | None, engine: Any, show_code: bool, json: bool,
    columns: Any, **given: Any,
) -> None:  # fmt: skip
    """Answer new cases by a saved rule.

    All columns are kept, and one with the answer is added: a class, several as
    a|b, or ? where the rule abstains. A missing score abstains. The file is
    written whole or not at all.

    [bold]Example:[/] decide tonight's cases by the rule that `tune -o rule.json` wrote.

        cautious apply new.parquet --rule rule.json -o answers.parquet
    """
    from cautious.evaluation import apply as apply_rule

    if rule is None:
        raise ValueError("--rule is missing; give the file that `cautious tune -o` wrote.")
    if show_code:
        typer.echo(_code(rule, given["only"], columns.get("score")), nl=False)
        return
    if not files:
        raise ValueError("there are no cases; give files, or - for standard input.")
    with track("answering") as bar:
        found = apply_rule(
            files, rule, output, engine=engine or "local", progress=bar.update, **given, **columns
        )
    if output == "-":  # what is asked for is there already
        note(*note_lines(found.notes, "cli"), *found.sentences())
        return
    show(found, json=json)
    if output is None:
        note("Add -o FILE to keep the answers.")


def _code(rule: Path, only: str | None, score: list[str] | None) -> str:
    """Write the program that answers like the rule of one model."""
    from cautious.evaluation._rule_choice import chosen_rules

    rules = chosen_rules(rule, only)
    if len(rules) > 1:
        raise ValueError(f"there are rules of {', '.join(rules)}; choose one with --only.")
    if only not in (None, *rules):
        raise ValueError(f"--only is {only!r}, but there is the rule of one model; leave it out.")
    return next(iter(rules.values())).to_code(score=score[0] if score else None)


@takes(
    "files rule state batch replace keep labels no_truth max_error max_missed min_ppv min_npv "
    "max_error_per_case max_abstention confidence_level only merge retune json csv",
    reading="sets pos_label classes weight no_weight empty missing drop_missing correct confidence "
    "answerable judge",
    files=argument(
        list[str],
        "Logs with scores and, where it is known, the truth; each file is one batch, called by its "
        "path, also those of a folder or pattern.",
    ),
    rule=option(
        Path, "The rule that was deployed, as `cautious tune -o rule.json` writes it.", default=...
    ),
    max_error=share("Largest share of wrong answers; by default what was promised."),
    max_missed=share("Largest share of the positive cases that are answered negative."),
    min_ppv=share("Least share of the positive answers that are right."),
    min_npv=share("Least share of the negative answers that are right."),
    max_error_per_case=share("Largest share of all cases that are answered wrongly."),
    max_abstention=share("Largest share of cases abstained on."),
    confidence_level=share(
        "1 minus the chance of a false alarm, over all time.", "--confidence-level", default=0.95
    ),
)
def watch(
    files: Any, rule: Path, state: Path | None, retune: Path | None, merge: Any, no_truth: bool,
    json: bool, csv: bool, columns: Any, **given: Any,
) -> None:  # fmt: skip
    r"""Watch whether a deployed rule keeps its promise.

    Exit status: 0 if all is quiet, 3 if there is an alarm, 2 if something could
    not be read. Look as often as you like: the chance of a false alarm holds over
    all time.

    [bold]Example:[/] last night's answers, with the truths that are known by now.

        cautious watch answers.csv --rule rule.json --state watch.json \
            --max-error 0.05
    """
    from cautious.evaluation import Watch
    from cautious.evaluation import watch as watch_rule
    from cautious.evaluation._calibration import check_retunable
    from cautious.evaluation._rule_choice import chosen_rules

    if no_truth:
        if "truth" in columns:
            raise ValueError("--truth and --no-truth are both given; give one of them.")
        columns["truth"] = False
    read = [*files, rule, *(given["labels"] or []), *(merge or [])]
    check_paths(inputs=read, outputs=[state, retune])
    if retune is not None:
        rules = chosen_rules(rule, given["only"])
        if len(rules) == 1:  # of several, one must be chosen first: the call says so
            check_retunable(*rules.values())
    with ExitStack() as stack:
        if state is not None:  # nobody else may write it between reading and writing
            stack.enter_context(
                file_lock(state, lambda: note(f"waiting for another watch to write {state}"))
            )
        begun: Any = state
        if merge:
            known = [Watch.from_json(path) for path in merge]
            if state is not None and state.exists():
                known.append(Watch.from_json(state))
            begun = sum(known[1:], known[0])
        keep = None if state is None else partial(Watch.to_json, path=state)
        with track("watching"):
            found = watch_rule(files, rule, begun, progress=keep, **given, **columns)
        if keep is not None:  # also where there was no case
            keep(found)
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
