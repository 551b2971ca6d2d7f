"""The command ``compare``: which of several models to take."""

from __future__ import annotations

from typing import Annotated, Any

from cautious.cli import options
from cautious.cli.console import show
from cautious.cli.options import one_output, with_columns
from cautious.progress import track

__all__ = ["compare"]


@with_columns("groups")
def compare(
    files: options.Files,
    utility: options.Utility = None,
    rule: options.RuleFile = None,
    level: Annotated[
        float,
        options.share("Level of intervals, and of the verdict.", *options.LEVEL_NAMES),
    ] = 0.95,
    resamples: options.Resamples = 1000,
    seed: options.Seed = 0,
    json: options.AsJson = False,
    csv: options.AsCsv = False,
    columns: Any = None,
) -> None:
    """Compare models on the same cases: by cost while costs are unknown, and by utility.

    VACC is the mean cost over all relative costs: μ of a false alarm and ν of abstaining, each from
    0 to 1, where missing a positive costs 1 and is the more expensive mistake.
    Models are tested on the same cases, pair by pair, and Holm's correction makes up for the number
    of pairs. A winner is named only if it can be told apart from all others.

    [bold]Example:[/] three files, one per model, rows in the same order.

        cautious compare tree.csv forest.csv boosting.csv --positive malignant
    """
    from cautious.evaluation import compare as compare_models

    one_output(json, csv)
    with track("comparing pairs") as bar:
        found = compare_models(
            files,
            utility=utility,
            rule=rule,
            confidence_level=level,
            n_resamples=resamples,
            random_state=seed,
            progress=bar.update,
            **columns,
        )
    show(found, json=json, csv=csv)
