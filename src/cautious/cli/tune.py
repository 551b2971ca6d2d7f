"""The command ``tune``: from costs or a budget to a rule that can be deployed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from cautious._files import check_paths, write_whole
from cautious.cli.console import note, show
from cautious.cli.options import BUDGETS, as_share, costs_of, option, output, share, takes
from cautious.errors import quoted
from cautious.progress import track

_NO_PROMISE = 3
_BUDGETS = ("max_abstention", "max_error", "min_saving")
_PROMISES = ("max_missed", "min_ppv", "min_npv")


@takes(
    "files false_negative false_positive mistake wrong needless abstain costs max_abstention "
    "max_error min_saving max_missed min_ppv min_npv per arrivals confidence_level by_group "
    "judge_method honest priors random_state output json",
    reading="sets empty",
    confidence_level=share(
        "With --max-error, --max-missed, --min-ppv or --min-npv: promise, with this confidence, "
        "that new cases keep it. Otherwise the level of intervals, 0.95 by default.",
        "--confidence-level",
        "--level",
    ),
    max_abstention=option(
        str,
        "Abstain on at most this share of the cases; with --per day, on so many a day.",
        panel=BUDGETS,
        metavar="SHARE|NUMBER",
    ),
    output=output("File for the rule, as JSON to deploy."),
)
def tune(files: Any, output: Path | None, json: bool, columns: Any, **given: Any) -> None:
    r"""Find the thresholds between which a model should abstain, as a rule to deploy.

    [bold]Example:[/] missing a positive costs 20, a false alarm 4, a second look 1.

        cautious tune predictions.csv --false-negative 20 --false-positive 4 \
            --abstain 1

    [bold]Example:[/] at most 2 % of the answers may be wrong.

        cautious tune predictions.csv --max-error 0.02 -o rule.json

    [bold]Example:[/] the same on new cases, promised with 95 % confidence; or no rule at all.

        cautious tune predictions.csv --max-error 0.02 \
            --confidence-level 0.95 -o rule.json

    [bold]Example:[/] of 300 cases a day, 40 can be looked at.

        cautious tune predictions.csv --max-abstention 40 --per day --arrivals 300

    [bold]Example:[/] answers of a language model, graded; at most 5 % of those that go out wrong.

        cautious tune answers.jsonl --correct right --max-error 5% \
            --confidence-level 95%

    [bold]Example:[/] at most 5 % of the ill are told that they are well.

        cautious tune predictions.csv --max-missed 5% \
            --confidence-level 95% -o rule.json

    Exit status: 0 if there is a rule, 3 if none can be promised, 2 if something could not be read.
    """
    from cautious.tuning import tune as tune_models

    if given["max_abstention"] is not None:
        given["max_abstention"] = _budget(given["max_abstention"], given["per"])
    budgets = [name for name in (*_BUDGETS, *_PROMISES) if given[name] is not None]
    level = given["confidence_level"]
    if set(budgets) & set(_PROMISES) or ("max_error" in budgets and level is not None):
        budgets = budgets[:1]  # a promise may be about several limits
    check_paths(inputs=[*files, given["costs"]], outputs=[output])
    costs = costs_of(
        given, [f"--{name.replace('_', '-')}" for name in budgets], graded="correct" in columns
    )
    with track("tuning"):
        found = tune_models(files, costs=costs, **given, **columns)
    if output is not None and found.found:
        write_whole(output, found.to_json())
    show(found, json=json)
    if not found.found:
        note("There is no rule" + ("." if output is None else f"; {output} is not written."))
        raise typer.Exit(_NO_PROMISE)
    note("Add -o FILE to keep the rule." if output is None else f"rule written to {output}")
    if output is not None and len(found.found) > 1:
        note("It holds a rule of each model; `apply` and `watch` take one with --only MODEL.")


def _budget(text: str, per: str) -> float:
    """Read a share of the cases, or cases per day."""
    place = "'--max-abstention'"
    try:
        return float(text) if per == "day" else as_share(text, place)
    except ValueError:
        words = f"{quoted(text)} is no number; write 40 for 40 cases a day."
        raise typer.BadParameter(words, param_hint=place) from None
