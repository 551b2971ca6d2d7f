"""The command ``report``: one page to play with and to send to a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cautious._files import check_paths
from cautious.cli.console import note, show_notes
from cautious.cli.options import cost, output, takes
from cautious.progress import track

_SLIDERS = "Where the sliders stand at first"
_FIRST = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}


@takes(
    "files output title false_negative false_positive abstain priors engine",
    reading="case",
    output=output("File to write, replaced when complete.", Path("report.html")),
    false_negative=cost("Cost of missing a positive; 10 if not given.", _SLIDERS),
    false_positive=cost("Cost of a false alarm; 2 if not given.", _SLIDERS),
    abstain=cost("Cost of abstaining; 1 if not given.", _SLIDERS),
)
def report(files: Any, output: Path, engine: Any, columns: Any, **given: Any) -> None:
    """Write an interactive page: when to abstain, what it saves, which model to take.

    [bold]Example:[/] first.csv and second.csv hold the predictions of two models.

        cautious report first.csv second.csv --positive malignant -o report.html
    """
    from cautious.evaluation._rule_choice import RuleChoice, summarise_log
    from cautious.report import build_report
    from cautious.report._problems import ReportedModels

    check_paths(inputs=files, outputs=[output])
    source = files
    if engine is not None:
        if "groups" in columns:
            raise ValueError(
                "--group is not offered with --engine: a report on counts shows no groups; leave "
                "out one of them, or see the groups with `cautious evaluate`."
            )
        with track("reading the log") as bar:
            source, _ = summarise_log(
                files, engine, RuleChoice(), rules=("u65", "u80"), progress=bar.update, **columns
            )
        columns = {}
    with track("reading the predictions"):
        models = ReportedModels.of(source, **columns)
    show_notes(models.notes)
    show_notes(models.directions)  # the page says it beside the advice
    costs = {name: price for name in _FIRST if (price := given.pop(name)) is not None}
    with track("building the report"):
        path = build_report(models, output, costs=_FIRST | costs if costs else None, **given)
    note(f"report written to {path}")
