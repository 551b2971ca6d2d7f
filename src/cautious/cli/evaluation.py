"""The commands ``evaluate``, ``compare`` and ``report``: how good models are, and which to take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from cautious._files import check_paths
from cautious.cli.console import note, show
from cautious.cli.options import PerCent, as_share, cost, costs_of, output, share, takes
from cautious.errors import note_lines, quoted
from cautious.progress import track

if TYPE_CHECKING:
    from cautious.evaluation import Evaluation

# So much per cent, given for the confidence, may be meant for the level of intervals.
_LIKE_A_LEVEL = 0.9
_BROKEN = 4
_SLIDERS = "Where the sliders stand at first"


@takes(
    "files window confidence utility rule measures every confidence_level n_resamples random_state "
    "priors engine false_negative false_positive mistake wrong needless abstain costs require json "
    "csv",
    reading="case confidence",
)
def evaluate(
    files: Any, engine: Any, every: bool, json: bool, csv: bool, columns: Any, **given: Any
) -> None:
    r"""Measure how good models are at answering, and at abstaining.

    [bold]Example:[/] predictions.csv has the columns y_true and score.

        cautious evaluate predictions.csv --window 0.2 0.8 --confidence-level 0.95

    [bold]Example:[/] in a build, which fails if more than 5 % of the answers are wrong.

        cautious evaluate predictions.csv --rule rule.json \
            --require "selective_risk<=5%"

    Exit status: 0; 4 if a limit of --require is not kept, 2 if something could not be read.
    """
    from cautious.evaluation import evaluate as evaluate_models
    from cautious.evaluation._rule_choice import RuleChoice, summarise_log

    measures, confidence = given.pop("measures") or (), given["confidence"]
    limits = [_Limit.of(text) for text in given.pop("require") or ()]
    if measures:
        measures = list(dict.fromkeys([*measures, *(limit.measure for limit in limits)]))
    if "correct" in columns and engine is not None:
        columns["confidence"] = given.pop("confidence")
        confidence = None
    elif "correct" not in columns and confidence is not None:
        given["confidence"] = confidence = as_share(confidence[-1], "'--confidence'")
    source = files
    if engine is not None:
        if given["priors"] is not None:
            raise ValueError("--prior is not offered with --engine; leave one of them out.")
        choice = RuleChoice.of(given["rule"], given["window"], confidence, given["utility"])
        with track("reading the log") as bar:
            source, absent = summarise_log(files, engine, choice, progress=bar.update, **columns)
        note(*note_lines(absent, "cli"))
        columns = {}
    costs = costs_of(given, graded="correct" in columns)
    with track("measuring") as bar:
        found = evaluate_models(
            source, measures=measures, costs=costs, progress=bar.update, **given, **columns
        )
    if isinstance(confidence, PerCent) and confidence >= _LIKE_A_LEVEL:
        note(
            f"note: the rule answers where the confidence is at least {confidence:g}; for the "
            "level of intervals write --confidence-level"
        )
    show(found, json=json, csv=csv, every=every)
    answered = any(model.answers for model in found.models.values())
    if answered and not (every or measures or json or csv):
        note(f"Add --all to see all {max(map(len, found.measures.values()))} measures.")
    broken = [words for limit in limits for words in limit.broken_by(found)]
    for words in broken:
        note(words)
    if broken:
        raise typer.Exit(_BROKEN)


class _Limit(NamedTuple):
    """A limit on a measure that a build has to keep."""

    measure: str
    is_most: bool
    share: float
    text: str

    @classmethod
    def of(cls, text: str) -> _Limit:
        """Read a limit; whether there is such a measure is said before anything is measured."""
        parts = re.fullmatch(r"\s*(\w+)\s*(<=|>=)\s*(\S.*?)\s*", text)
        if parts is None:
            raise typer.BadParameter(
                f"{quoted(text)} is no limit; write a measure, <= or >=, and a number, such as "
                "'selective_risk<=5%'.",
                param_hint="'--require'",
            )
        name, sign, number = parts.groups()
        if name != "cost":
            from cautious.metrics._registry import get_measure

            get_measure(name)
        try:
            share = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
        except ValueError:
            words = f"{quoted(number)} is no number; write 0.05 or 5%."
            raise typer.BadParameter(words, param_hint="'--require'") from None
        return cls(name, sign == "<=", share, text)

    def broken_by(self, found: Evaluation) -> Iterator[str]:
        """Say of which models the limit is broken; an undefined measure breaks it."""
        for model in found.models:
            value = found.value(self.measure, model)
            if not (value <= self.share if self.is_most else value >= self.share):
                yield f"{model}: {self.measure} is {value:.6g}, which breaks {self.text}."


@takes(
    "files utility rule confidence_level n_resamples random_state json csv",
    reading="groups",
    confidence_level=share(
        "Level of intervals, and of the verdict.", "--confidence-level", "--level", default=0.95
    ),
)
def compare(files: Any, json: bool, csv: bool, columns: Any, **given: Any) -> None:
    """Compare models on the same cases: by cost while costs are unknown, and by utility.

    VACC is the mean cost over all relative costs: μ of a false alarm and ν of
    abstaining, each from 0 to 1, where missing a positive costs 1 and is the more
    expensive mistake. Models are tested on the same cases, pair by pair, and
    Holm's correction makes up for the number of pairs. A winner is named only if
    it can be told apart from all others.

    [bold]Example:[/] three files, one per model, rows in the same order.

        cautious compare tree.csv forest.csv boosting.csv --positive malignant
    """
    from cautious.evaluation import compare as compare_models

    with track("comparing pairs") as bar:
        found = compare_models(files, progress=bar.update, **given, **columns)
    show(found, json=json, csv=csv)


@takes(
    "files output title false_negative false_positive wrong abstain priors engine",
    reading="case",
    output=output("File to write, replaced when complete.", Path("report.html")),
    false_negative=cost("Cost of missing a positive; 10 if not given.", _SLIDERS),
    false_positive=cost("Cost of a false alarm; 2 if not given.", _SLIDERS),
    wrong=cost("Graded answers: cost of a wrong one that goes out; 5 if not given.", _SLIDERS),
    abstain=cost("Cost of abstaining; 1 if not given.", _SLIDERS),
)
def report(files: Any, output: Path, engine: Any, columns: Any, **given: Any) -> None:
    """Write an interactive page: when to abstain, what it saves, which model to take.

    [bold]Example:[/] first.csv and second.csv hold the predictions of two models.

        cautious report first.csv second.csv --positive malignant -o report.html
    """
    from cautious.evaluation._rule_choice import RuleChoice, summarise_log
    from cautious.report import build_report
    from cautious.report._page_data import COSTS, COSTS_OF_GRADES, ReportedModels

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
    note(*note_lines(models.notes, "cli"))
    prices = {name: given.pop(name) for name in ("wrong", *COSTS)}
    costs = {name: price for name, price in prices.items() if price is not None}
    first = COSTS_OF_GRADES if columns.get("correct") else COSTS
    with track("building the report"):
        path = build_report(models, output, costs=first | costs if costs else None, **given)
    note(f"report written to {path}")
