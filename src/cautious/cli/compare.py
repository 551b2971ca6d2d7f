"""The command ``compare``: which of several models to take."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.table import Table

from cautious.cli import options
from cautious.cli.answers import Rule
from cautious.cli.comparing import Compared, compared
from cautious.cli.measuring import Bootstrap
from cautious.cli.noticing import notice_models, notice_rule
from cautious.cli.options import Given, WhatEmptyMeans
from cautious.cli.reading import read_predictions
from cautious.cli.showing import make_table, number, say, screen, share, show_json
from cautious.cli.thresholds import read_thresholds
from cautious.predictions import align
from cautious.progress import track

__all__ = ["compare"]

_HEADINGS = {"selective_accuracy": "accuracy", "discounted_accuracy": "discounted"}


def compare(
    files: options.Files,
    utility: Annotated[
        str | None,
        typer.Option(help="More classes: answer with sets optimal for u65, u80, F1, …"),
    ] = None,
    thresholds: Annotated[
        Path | None, typer.Option(help="Thresholds as `cautious tune` writes them.")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of intervals.", min=0.0, max=1.0)] = 0.95,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 0,
    case: options.Case = None,
    truth: options.Truth = None,
    score: options.Score = None,
    proba: options.Proba = None,
    sets: options.Sets = None,
    positive: options.Positive = None,
    model: options.Model = None,
    weight: options.Weight = None,
    empty: options.Empty = WhatEmptyMeans.error,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
) -> None:
    """Compare models on the same cases: by cost while costs are unknown, and by utility.

    VACC is the mean cost over all costs at which missing the positive class is the dearer mistake
    (μ, a false alarm's cost relative to that, from 0 to 1, and ν, that of keeping quiet, too). The
    test of two models is a paired bootstrap, and Holm's correction makes up for the number of
    pairs.

    [bold]Example:[/] three files, one a model, rows in the same order.

        cautious compare tree.csv forest.csv boosting.csv --positive malignant
    """
    if json and csv:
        raise ValueError("--json and --csv are both given; give one of them.")
    if utility is not None and thresholds is not None:
        raise ValueError("--utility and --thresholds are both given; give one of them.")
    given = Given(truth, score, proba, sets, positive, model, weight, None, empty.value, case)
    models = list(align(read_predictions(files, given)).values())
    known = None if thresholds is None else read_thresholds(thresholds)
    rule = Rule(utility=utility, thresholds=known)
    notice_models(models)
    for one in models:
        notice_rule(one.name, rule, one.y_score)
    pairs = len(models) * (len(models) - 1) // 2
    with track("comparing pairs", pairs) as bar:
        result = compared(models, rule, Bootstrap(level, resamples, seed), bar.update)
    if json:
        show_json(
            {
                "models": result.models.to_dict("index"),
                "pairs": result.pairs.reset_index().to_dict("records"),
                "best_at_every_aversion_to_risk": result.best,
                "answers": result.answers,
            }
        )
    elif csv:
        sys.stdout.write(result.pairs.to_csv())
    else:
        _show(result, level, models[0].classes[1])


def _show(result: Compared, level: float, positive: str) -> None:
    console = screen()
    models, pairs = result.models, result.pairs
    shown = models.drop(columns=["variance", "hedging"], errors="ignore")
    order = shown.sort_values("vacc" if "vacc" in models else "u65", ascending="vacc" in models)
    headings = ["model", *(_HEADINGS.get(name, name) for name in shown.columns)]
    rows = [
        (name, *map(number, row))
        for name, row in zip(order.index, order.to_numpy(dtype=float), strict=True)
    ]
    console.print(make_table(headings, rows))
    for name, words in result.answers.items():
        say(f"{name}: answers: {words}")
    if "p" in pairs:
        console.print("", _cost_table(pairs, level), sep="\n")
        say("Cheaper at: shares of all relative costs, μ and ν from 0 to 1.")
    if "u65_difference" in pairs:
        console.print("", _utility_table(pairs, level), sep="\n")
    console.print()
    if "vacc" in models:
        say(_least_vacc(models["vacc"], pairs, level, positive))
    if result.objective:
        say(result.objective)


def _least_vacc(vacc: pd.Series, pairs: pd.DataFrame, level: float, positive: str) -> str:
    """Name the model of the least mean cost, and say whether that may be chance."""
    over = f"over all costs at which missing {positive[:60]!r} is the dearer mistake"
    least = vacc.index[vacc <= vacc.min() + 1e-12].tolist()
    if len(least) > 1:
        return f"While the costs are unknown, {' and '.join(map(str, least))} cost the same {over}."
    words = (
        f"While the costs are unknown, {least[0]} is the one to take: its VACC, the mean cost "
        f"{over}, is the least"
    )
    rivals = {
        names[1] if names[0] == least[0] else names[0]: row["p_adjusted"]
        for names, row in _rows(pairs)
        if least[0] in names and "p_adjusted" in row
    }
    close = [
        name for name, p in rivals.items() if not p <= 1 - level
    ]  # undefined is no evidence either
    chance = f"; the difference to {', '.join(close)} may be chance" if close else ""
    return f"{words}{chance}."


def _cost_table(pairs: pd.DataFrame, level: float) -> Table:
    rows = [
        (
            *names,
            _interval(row, "vacc"),
            number(row["p"]),
            number(row["p_adjusted"]),
            f"{share(row['first_cheaper'])} : {share(row['second_cheaper'])}",
        )
        for names, row in _rows(pairs)
    ]
    title = f"Costs: VACC of the first minus that of the second, {level:.4g} intervals"
    headings = ["first", "second", "difference", "p", "p (Holm)", "cheaper at"]
    return make_table(headings, rows, words=(0, 1), title=title)


def _utility_table(pairs: pd.DataFrame, level: float) -> Table:
    rows = [
        (*names, _interval(row, "u65"), _interval(row, "u80"), _place(row, *names))
        for names, row in _rows(pairs)
    ]
    title = f"Utilities: those of the first minus those of the second, {level:.4g} intervals"
    headings = ["first", "second", "u65", "u80", "change places"]
    return make_table(headings, rows, words=(0, 1), title=title)


def _rows(pairs: pd.DataFrame) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """Names of each pair, and what is known of it."""
    records = pairs.reset_index().to_dict("records")
    return [((row["first"], row["second"]), row) for row in records]  # type: ignore[misc]


def _interval(row: dict[str, Any], what: str) -> str:
    ends = ", ".join(f"{row[f'{what}_{end}']:.3f}" for end in ("low", "high"))
    return f"{row[f'{what}_difference']:.3f} [{ends}]"


def _place(row: dict[str, Any], first: str, second: str) -> str:
    """Say from which aversion to risk on the other model is better."""
    if not 0.5 < row["crossover"] < 1:  # beyond these, nobody is averse to risk
        return "never"
    better = first if row["better_above"] == "first" else second
    return f"k = {row['crossover']:.3f}: {better}"
