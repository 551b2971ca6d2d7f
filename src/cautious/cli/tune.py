"""The command ``tune``: from costs or a budget to a rule that can be deployed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cautious._files import check_output, write_whole
from cautious.cli import options
from cautious.cli.console import note, show
from cautious.cli.options import costs_of, with_columns

__all__ = ["tune"]

_NO_PROMISE = 3
_BUDGETS = "Budgets, where nobody knows what abstaining costs"
_PROMISES = "Promises about new cases, with --confidence-level; several may be given"


class _Per(StrEnum):
    answer = "answer"
    case = "case"


def _share(help: str) -> Any:
    return options.share(help, panel=_BUDGETS)


def _promise(help: str) -> Any:
    return options.share(help, panel=_PROMISES)


@with_columns("sets", "empty", "groups", "case")
def tune(
    files: options.Files,
    false_negative: options.FalseNegative = None,
    false_positive: options.FalsePositive = None,
    mistake: options.Mistake = None,
    abstain: Annotated[float | None, options.abstain_cost] = None,
    costs: options.Costs = None,
    max_abstention: Annotated[
        float | None, _share("Abstain on at most this share of the cases.")
    ] = None,
    max_error: Annotated[
        float | None, _share("Let at most this share of the answers be wrong.")
    ] = None,
    min_saving: Annotated[
        float | None, _share("Save this part of what mistakes cost without abstention.")
    ] = None,
    max_missed: Annotated[
        float | None,
        _promise("Let at most this share of the positive cases be answered negative."),
    ] = None,
    min_ppv: Annotated[
        float | None, _promise("Let at least this share of the positive answers be right.")
    ] = None,
    min_npv: Annotated[
        float | None, _promise("Let at least this share of the negative answers be right.")
    ] = None,
    per: Annotated[
        _Per,
        typer.Option(
            help="Count mistakes among the answers, or among all cases.",
            metavar="answer|case",
            rich_help_panel=_BUDGETS,
        ),
    ] = _Per.answer,
    level: Annotated[
        float | None,
        options.share(
            "With --max-error, --max-missed, --min-ppv or --min-npv: promise, with this "
            "confidence, that new cases keep it. Otherwise the level of intervals, 0.95 by "
            "default.",
            *options.LEVEL_NAMES,
        ),
    ] = None,
    honest: Annotated[
        bool,
        typer.Option(
            "--honest/--apparent",
            help="Estimate what the rules will do on new cases, or only say what they do on these.",
        ),
    ] = True,
    prior: options.Prior = None,
    seed: options.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File for the rule, as JSON to deploy.", metavar="FILE"
        ),
    ] = None,
    json: options.AsJson = False,
    columns: Any = None,
) -> None:
    """Find the thresholds between which a model should abstain, as a rule to deploy.

    [bold]Example:[/] missing a positive costs 20, a false alarm 4, a second look 1.

        cautious tune predictions.csv --false-negative 20 --false-positive 4 --abstain 1

    [bold]Example:[/] at most 2 % of the answers may be wrong.

        cautious tune predictions.csv --max-error 0.02 -o rule.json

    [bold]Example:[/] the same on new cases, promised with 95 % confidence; or no rule at all.

        cautious tune predictions.csv --max-error 0.02 --confidence-level 0.95 -o rule.json

    [bold]Example:[/] at most 5 % of the ill are told that they are well.

        cautious tune predictions.csv --max-missed 5% --confidence-level 95% -o rule.json

    Exit status: 0 if there is a rule, 3 if none can be promised, 2 if something could not be read.
    """
    from cautious.evaluation import tune as tune_models

    budgets: dict[str, Any] = {
        "max_abstention": max_abstention,
        "max_error": max_error,
        "min_saving": min_saving,
    }
    promises: dict[str, Any] = {"max_missed": max_missed, "min_ppv": min_ppv, "min_npv": min_npv}
    given = [
        f"--{name.replace('_', '-')}"
        for name, one in (budgets | promises).items()
        if one is not None
    ]
    promised = any(one is not None for one in promises.values())
    if promised or (max_error is not None and level is not None):
        given = given[:1]  # a promise may be about several limits
    if output is not None:
        check_output(output, files if costs is None else [*files, str(costs)])
    found = tune_models(
        files,
        costs=costs_of(false_negative, false_positive, mistake, abstain, costs, given),
        per=per.value,
        priors=prior,
        **budgets,
        **promises,
        confidence_level=level,
        honest=honest,
        random_state=seed,
        **columns,
    )
    if output is not None and found.found:
        write_whole(output, found.to_json())
    show(found, json=json)
    if not found.found:
        note("There is no rule" + ("." if output is None else f"; {output} is not written."))
        raise typer.Exit(_NO_PROMISE)
    note("Add -o FILE to keep the rule." if output is None else f"rule written to {output}")
