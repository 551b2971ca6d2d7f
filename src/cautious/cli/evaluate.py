"""The command ``evaluate``: every measure of one or more models."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from cautious.cli import options
from cautious.cli.answers import Rule
from cautious.cli.engines import summarise_log
from cautious.cli.evidence import Evidence, evidence_of, evidence_of_log
from cautious.cli.measuring import SECTIONS, Bootstrap, measured, measured_parts
from cautious.cli.noticing import notice_rule, notice_scores
from cautious.cli.options import Given, WhatEmptyMeans
from cautious.cli.reading import read_predictions
from cautious.cli.showing import make_table, note, number, say, screen, show_json
from cautious.cli.thresholds import read_thresholds
from cautious.progress import track

__all__ = ["evaluate"]

# More classes than this are not shown one by one, unless asked for.
_CLASSES_SHOWN = 12
_PART_HEADINGS = {
    "selective_accuracy": "accuracy",
    "set_accuracy": "in set",
    "mean_set_size": "size",
    "discounted_accuracy": "discounted",
}


def evaluate(
    files: options.Files,
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Two classes: answer negative up to the first score, positive from the second, "
            "and keep quiet between.",
            metavar="LOWER UPPER",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="More classes: keep quiet below this probability.", min=0.0, max=1.0),
    ] = None,
    utility: Annotated[
        str | None,
        typer.Option(help="More classes: answer with sets optimal for u65, u80, F1, …"),
    ] = None,
    thresholds: Annotated[
        Path | None, typer.Option(help="Thresholds as `cautious tune` writes them.")
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option(help="Only this measure; may be repeated.")
    ] = None,
    level: options.Level = None,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 0,
    engine: options.Engine = None,
    truth: options.Truth = None,
    score: options.Score = None,
    proba: options.Proba = None,
    sets: options.Sets = None,
    positive: options.Positive = None,
    model: options.Model = None,
    weight: options.Weight = None,
    group: options.Group = None,
    empty: options.Empty = WhatEmptyMeans.error,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
) -> None:
    """Measure how good models are at answering, and at keeping quiet.

    [bold]Example:[/] predictions.csv has the columns y_true and score.

        cautious evaluate predictions.csv --window 0.2 0.8 --level 0.95
    """
    if json and csv:
        raise ValueError("--json and --csv are both given; give one of them.")
    given = Given(truth, score, proba, sets, positive, model, weight, group, empty.value)
    rule = _rule(window, confidence, utility, thresholds)
    if engine is None:
        found = [evidence_of(one, rule) for one in read_predictions(files, given).values()]
    else:
        name = Path(files[0].rstrip("/")).stem if len(files) == 1 else "log"
        rules: list[str | float] = [] if utility is None else [utility]
        rules += _confidences(rule)
        summary = summarise_log(files, given, engine, rules)
        found = list(evidence_of_log(summary, rule, name))
    for one in found:
        staircase = None if one.surface is None else one.surface.staircase
        notice_rule(one.name, rule, None if staircase is None else staircase.scores)
        if staircase is not None:
            notice_scores(one.name, staircase)
    bootstrap = None if level is None else Bootstrap(level, resamples, seed)
    tables = {}
    with track("measuring", len(found)) as bar:
        for at, one in enumerate(found):
            tables[one.name] = measured(one, measure or (), bootstrap)
            bar.update(at + 1)
    if json:
        show_json({"models": {one.name: _record(one, tables[one.name]) for one in found}})
    elif csv:
        sys.stdout.write(_tidy(found, tables).to_csv(index=False))
    else:
        _show(found, tables, parts=not measure)
        if rule == Rule() and not any(_may_be_quiet(one) for one in found):
            note("Nothing is kept quiet: give --window, --confidence or --thresholds.")


def _may_be_quiet(one: Evidence) -> bool:
    """Say whether some answer is none or a set, or no rule could make it so."""
    if one.counts is None or (one.window is None and one.risk is None):
        return True
    return bool((one.counts.size > 1).any())


def _rule(
    window: tuple[float, float] | None,
    confidence: float | None,
    utility: str | None,
    thresholds: Path | None,
) -> Rule:
    given = {
        "--window": window,
        "--confidence": confidence,
        "--utility": utility,
        "--thresholds": thresholds,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise ValueError(f"{' and '.join(named)} are given; give one of them.")
    known = None if thresholds is None else read_thresholds(thresholds)
    return Rule(window, confidence, utility, known)


def _confidences(rule: Rule) -> list[float]:
    """Probabilities below which models keep quiet: the answers have to be counted for each."""
    own = [] if rule.confidence is None else [rule.confidence]
    models = (rule.thresholds or {}).values()
    return sorted({*own, *(model["confidence"] for model in models if "confidence" in model)})


def _record(one: Evidence, table: pd.DataFrame) -> dict[str, Any]:
    """Say in JSON what is known of one model."""
    by_class, by_group = measured_parts(one)
    return {
        "n": one.n,
        "classes": list(one.classes),
        "answers": one.answers or None,
        "measures": {
            name: {"value": row["value"]}
            | ({} if pd.isna(row["low"]) else {"low": row["low"], "high": row["high"]})
            for name, row in table.to_dict("index").items()
        },
        "by_class": None if by_class is None else by_class.to_dict("index"),
        "by_group": None if by_group is None else by_group.to_dict("index"),
    }


def _tidy(found: Sequence[Evidence], tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row a model, part and measure."""
    frames = []
    for one in found:
        whole = tables[one.name][["value", "low", "high"]].reset_index()
        frames.append(whole.assign(model=one.name, part="all", name=""))
        for part, frame in zip(("class", "group"), measured_parts(one), strict=True):
            if frame is not None:
                long = frame.rename_axis("name").reset_index()
                long = long.melt("name", var_name="measure", value_name="value")
                frames.append(long.assign(model=one.name, part=part))
    columns = ["model", "part", "name", "measure", "value", "low", "high"]
    filled = [frame.reindex(columns=columns) for frame in frames]
    return pd.concat([frame.astype({"low": float, "high": float}) for frame in filled])


def _show(found: Sequence[Evidence], tables: Mapping[str, pd.DataFrame], *, parts: bool) -> None:
    console = screen()
    names = list(dict.fromkeys(name for table in tables.values() for name in table.index))
    section_of = {
        name: table.at[name, "section"] for table in tables.values() for name in table.index
    }
    rows: list[Sequence[str]] = [("cases", *(number(one.n) for one in found))]
    styles: list[str | None] = [None]
    for section, heading in SECTIONS.items():
        inside = [name for name in names if section_of[name] == section and _defined(tables, name)]
        if inside:
            rows.append((heading, *("" for _ in found)))
            styles.append("bold")
        for name in inside:
            rows.append(
                (f"  {name.replace('_', ' ')}", *(_cell(tables[one.name], name) for one in found))
            )
            styles.append(None)
    console.print(make_table(["", *(one.name for one in found)], rows, styles=styles), "", sep="\n")
    for one in found:
        if one.answers:
            prefix = f"{one.name}: " if len(found) > 1 else ""
            say(f"{prefix}answers: {one.answers}")
        else:
            say(
                f"{one.name}: the scores are no probabilities, so only --window (or `cautious "
                f"tune`) can turn them into answers.{_percent(one)}"
            )
        if parts:
            _show_parts(one, alone=len(found) == 1)


def _percent(one: Evidence) -> str:
    if one.surface is None:
        return ""
    scores = one.surface.staircase.scores
    per_cent = scores[0] >= 0 and 2 < scores[-1] <= 100
    return " Are these per cent? Then divide by 100." if per_cent else ""


def _show_parts(one: Evidence, *, alone: bool) -> None:
    """Show the usual measures of classes and groups, where they are few enough."""
    by_class, by_group = measured_parts(one)
    shown = [by_group]
    if alone and by_class is not None and len(by_class) <= _CLASSES_SHOWN:
        shown.insert(0, by_class)
    for frame in shown:
        if frame is None:
            continue
        headings = [str(frame.index.name), *(_PART_HEADINGS.get(c, c) for c in frame.columns)]
        rows = [
            (label, *map(_short, row))
            for label, row in zip(frame.index, frame.to_numpy(), strict=True)
        ]
        title = None if alone else one.name
        screen().print("", make_table(headings, rows, title=title), sep="\n")


def _defined(tables: Mapping[str, pd.DataFrame], name: str) -> bool:
    return any(
        name in table.index and not math.isnan(table.loc[[name], "value"].iloc[0])
        for table in tables.values()
    )


def _short(value: float) -> str:
    return number(value, 3)


def _cell(table: pd.DataFrame, name: str) -> str:
    if name not in table.index:
        return ""
    value, low, high = table.loc[[name], ["value", "low", "high"]].to_numpy()[0].tolist()
    return number(value) + ("" if pd.isna(low) else f" [{number(low)}, {number(high)}]")
