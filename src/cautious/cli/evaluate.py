"""The command ``evaluate``: every measure of one or more models."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cautious.cli import options
from cautious.cli.console import note, show
from cautious.cli.options import PerCent, costs_of, one_output, with_columns
from cautious.progress import track

__all__ = ["evaluate"]

# So much per cent, given for the confidence, may be meant for the level of intervals.
_LIKE_A_LEVEL = 0.9


@with_columns("case")
def evaluate(
    files: options.Files,
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Two classes: answer negative up to the first score, positive from the second, "
            "and abstain between.",
            metavar="LOWER UPPER",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        options.share(
            "Abstain unless a class is at least this probable. (Intervals: --confidence-level.)"
        ),
    ] = None,
    utility: options.Utility = None,
    rule: options.RuleFile = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this measure; may be repeated. Wrong answers: error, of all cases; among "
            "answers: selective_risk.",
            metavar="NAME",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print every measure, not only the usual ones.")
    ] = False,
    level: options.Level = None,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 0,
    prior: options.Prior = None,
    engine: options.Engine = None,
    false_negative: options.FalseNegative = None,
    false_positive: options.FalsePositive = None,
    mistake: options.Mistake = None,
    abstain: Annotated[float | None, options.abstain_cost] = None,
    costs: options.Costs = None,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
    columns: Any = None,
) -> None:
    """Measure how good models are at answering, and at abstaining.

    [bold]Example:[/] predictions.csv has the columns y_true and score.

        cautious evaluate predictions.csv --window 0.2 0.8 --confidence-level 0.95
    """
    from cautious.evaluation import evaluate as evaluate_models
    from cautious.evaluation._evidence import RuleChoice, summarise_log

    one_output(json, csv)
    source: Any = files
    if engine is not None:
        if prior is not None:
            raise ValueError("--prior is not offered with --engine; leave one of them out.")
        choice = RuleChoice.of(rule, window, confidence, utility)
        with track("reading the log") as bar:
            source = summarise_log(files, engine, choice, progress=bar.update, **columns)
        columns = {}
    with track("measuring") as bar:
        found = evaluate_models(
            source,
            window=window,
            confidence=confidence,
            utility=utility,
            rule=rule,
            measures=measure or (),
            confidence_level=level,
            n_resamples=resamples,
            random_state=seed,
            priors=prior,
            costs=costs_of(false_negative, false_positive, mistake, abstain, costs),
            progress=bar.update,
            **columns,
        )
    if isinstance(confidence, PerCent) and confidence >= _LIKE_A_LEVEL:
        note(
            f"note: the rule answers where the confidence is at least {confidence:g}; for the "
            "level of intervals write --confidence-level"
        )
    show(found, json=json, csv=csv, every=every)
    answered = any(one.answers for one in found.models.values())
    if answered and not (every or measure or json or csv):
        note(f"Add --all to see all {max(map(len, found.measures.values()))} measures.")
