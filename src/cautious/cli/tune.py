"""The command ``tune``: from costs or a budget to thresholds that can be deployed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import cautious
from cautious.cli import options
from cautious.cli.noticing import notice_goal, notice_models
from cautious.cli.options import Given
from cautious.cli.reading import read_predictions
from cautious.cli.showing import (
    as_json,
    make_table,
    note,
    number,
    screen,
    share,
    show_json,
)
from cautious.cli.tuning import Goal, Tuned, read_cost_table, tuned
from cautious.files import check_output, write_whole
from cautious.predictions import ModelPredictions

__all__ = ["tune"]

_COSTS, _BUDGETS = "Costs", "Budgets, where nobody knows what abstaining costs"
_CHOSEN_ON = "the cases it was chosen on"


def _cost(what: str) -> Any:
    return typer.Option(help=what, min=0.0, rich_help_panel=_COSTS)


def _share(what: str) -> Any:
    return typer.Option(help=what, min=0.0, max=1.0, rich_help_panel=_BUDGETS)


def tune(
    files: options.Files,
    false_negative: Annotated[float | None, _cost("Cost of missing a positive.")] = None,
    false_positive: Annotated[float | None, _cost("Cost of a false alarm.")] = None,
    mistake: Annotated[float | None, _cost("Cost of any mistake, where all cost the same.")] = None,
    abstain: Annotated[float | None, _cost("Cost of keeping quiet.")] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            help="CSV of costs: a row for either class and a last one for abstaining, a column for "
            "either truth.",
            rich_help_panel=_COSTS,
        ),
    ] = None,
    max_abstention: Annotated[
        float | None, _share("Keep quiet on at most this share of the cases.")
    ] = None,
    max_error: Annotated[
        float | None, _share("Let at most this share of the answers be wrong.")
    ] = None,
    improve: Annotated[
        float | None, _share("Save this part of what always answering costs.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the thresholds, as JSON to deploy."),
    ] = None,
    truth: options.Truth = None,
    score: options.Score = None,
    proba: options.Proba = None,
    positive: options.Positive = None,
    model: options.Model = None,
    weight: options.Weight = None,
    json: options.AsJson = False,
) -> None:
    """Find the thresholds between which a model should keep quiet, as JSON to deploy.

    The JSON goes to the file of --output, or else into a pipe; --json shows it on the screen.

    [bold]Example:[/] missing a case costs 20, a false alarm 4, a second look 1.

        cautious tune predictions.csv --false-negative 20 --false-positive 4 --abstain 1

    [bold]Example:[/] at most 2 % of the answers may be wrong.

        cautious tune predictions.csv --max-error 0.02 -o thresholds.json
    """
    given = Given(truth, score, proba, None, positive, model, weight, None)
    if json and output is not None:
        raise ValueError("--json and --output are both given; give one of them.")
    if output is not None:
        check_output(output, files if costs is None else [*files, str(costs)])
    goal = Goal.of(
        false_negative=false_negative,
        false_positive=false_positive,
        mistake=mistake,
        abstain=abstain,
        table=None if costs is None else read_cost_table(costs),
        max_abstention=max_abstention,
        max_error=max_error,
        improve=improve,
    )
    models = list(read_predictions(files, given).values())
    found = {one.name: tuned(one, goal) for one in models}
    best = min(found, key=lambda name: goal.loss(found[name]))
    document = {
        "cautious": cautious.__version__,
        "tuned_for": goal.words(),
        "best": best,
        "models": {one.name: _record(one, found[one.name]) for one in models},
    }
    notice_models(models)
    for one in models:
        notice_goal(one, goal, found[one.name])
    if not json:
        screen(stderr=True).print(_table(models, found, best))
        note("Measured on the cases the thresholds were chosen on; expect a little worse.")
    if output is not None:
        write_whole(output, as_json(document) + "\n")
        note(f"thresholds written to {output}")
    elif json or not screen().is_terminal:
        show_json(document)
    else:
        note("Add -o FILE to keep the thresholds, or --json to see all of them.")


def _record(one: ModelPredictions, best: Tuned) -> dict[str, Any]:
    """Say in JSON what a deployed program needs, and what to expect of it."""
    if best.confidence is not None:
        rule: dict[str, Any] = {
            "rule": "answer with the likeliest class if its probability is at least confidence, "
            "else abstain",
            "classes": list(one.classes),
            "confidence": best.confidence,
        }
    else:
        rule = {
            "rule": "answer positive if score >= upper, else negative if score <= lower, else "
            "abstain",
            "negative": one.classes[0],
            "positive": one.classes[1],
            "lower": best.lower,
            "upper": best.upper,
        }
    return rule | {
        "expected": {
            "on": _CHOSEN_ON,
            "cost": best.cost,
            "abstention": best.abstention,
            "error": best.error,
            "error_of_answers": best.error_of_answers,
        },
        "cases": one.n,
    }


def _table(models: Sequence[ModelPredictions], found: dict[str, Tuned], winner: str) -> Any:
    several = any(best.confidence is not None for best in found.values())
    first = ["sure from"] if several else ["negative to", "positive from"]
    headings = ["model", *first, "quiet", "wrong", "wrong if answered", "cost"]
    rows, styles = [], []
    for one in models:
        best = found[one.name]
        where = [best.confidence] if several else [best.lower, best.upper]
        rows.append(
            (
                one.name,
                *(number(value) for value in where if value is not None),
                share(best.abstention),
                share(best.error),
                share(best.error_of_answers),
                number(best.cost),
            )
        )
        styles.append("bold green" if len(found) > 1 and one.name == winner else None)
    return make_table(headings, rows, styles=styles)
