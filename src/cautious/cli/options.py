"""The table of options: their help, and what they are called in the library.

A command names those it takes; it gets them by the names of the library's arguments, so that it can
hand them on.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from cautious.errors import quoted

_COLUMNS, _OUTPUT, _COSTS = "Columns (guessed unless given)", "Output", "Costs"
BUDGETS = "Budgets, where nobody knows what abstaining costs"
_PROMISES = "Promises about new cases, with --confidence-level; several may be given"
# What an option takes unless it says something else.
_TAKEN: dict[Any, str] = {Path: "FILE", int: "NUMBER", float: "NUMBER", str: "NAME"}


class PerCent(float):
    """A share that was written as per cent."""


def as_share(text: Any, param_hint: str | None = None) -> float:
    """Read a share as people write it: 0.05 or 5%.

    Examples
    --------
    >>> as_share("5%"), as_share(" .05 "), as_share("2.5 %")
    (0.05, 0.05, 0.025)
    """
    given = str(text).strip()
    per_cent = given.endswith("%")
    try:
        number = Decimal(given.removesuffix("%").strip()) / (100 if per_cent else 1)
        inside, meant = 0 <= number <= 1, not per_cent and 1 < number <= 100
    except InvalidOperation:
        words = f"{quoted(text)} is no share; write 0.05 or 5%."
        raise typer.BadParameter(words, param_hint=param_hint) from None
    if not inside:
        hint = f"write {given}% or {number / 100}" if meant else "write 0.05 or 5%"
        words = f"{quoted(text)} is not between 0 and 1; {hint}."
        raise typer.BadParameter(words, param_hint=param_hint)
    return PerCent(number) if per_cent else float(number)


class Option(NamedTuple):
    """An option as typer takes it: what it holds, what it is unless given, and its help."""

    kind: Any
    default: Any
    shown: Any


def argument(kind: Any, help: str, default: Any = inspect.Parameter.empty) -> Option:
    """Make an argument without a name; it is needed unless it has a default."""
    return Option(kind, default, typer.Argument(help=help, show_default=False))


def option(
    kind: Any, help: str, *names: str, default: Any = None, panel: str | None = None, **more: Any
) -> Option:
    """Make an option; without a default it is None unless given."""
    more = {"metavar": _TAKEN.get(kind)} | more
    shown = typer.Option(*names, help=help, rich_help_panel=panel, **more)
    return Option(kind | None if default is None else kind, default, shown)


def share(help: str, *names: str, default: float | None = None, panel: str | None = None) -> Option:
    """Make an option that takes a share, 0.05 or 5%."""
    more: dict[str, Any] = {"parser": as_share, "metavar": "SHARE"}
    return option(float, help, *names, default=default, panel=panel, **more)


def flag(help: str, *names: str, panel: str | None = None, default: bool = False) -> Option:
    """Make an option that is there or not; unless named, it has the name of the argument."""
    return option(bool, help, *names, default=default, panel=panel)


def choice(values: str, help: str, panel: str | None = None) -> Option:
    """Make an option that takes one of some words, the first unless given."""
    kind = StrEnum("Choice", values.split("|"))  # type: ignore[misc]
    return option(kind, help, default=next(iter(kind)), panel=panel, metavar=values)


def cost(help: str, panel: str = _COSTS) -> Option:
    """Make an option that takes a cost."""

    def read(text: Any) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not number >= 0:
            raise typer.BadParameter(f"{quoted(text)} is no cost; write 0 or a number above.")
        return number

    return option(float, help, panel=panel, parser=read, metavar="COST")


def _column(help: str, *names: str, metavar: str = "COLUMN", kind: Any = str) -> Option:
    return option(kind, help, *names, panel=_COLUMNS, metavar=metavar)


# By their names in cautious.read_predictions.
READING: dict[str, Option] = {
    "truth": _column("Column of true classes."),
    "score": _column(
        "Column of scores that grow with the belief in one class. Given several times: several "
        "models, named after the columns.",
        kind=list[str],
    ),
    "proba": _column(
        "What names of probability columns begin with, as in p_cat, p_dog.", metavar="PREFIX"
    ),
    "sets": _column(
        "Column of sets written 'a|b' or '{a, b}', or what names of true/false columns, one per "
        "class, begin with.",
        metavar="COLUMN|PREFIX",
    ),
    "pos_label": _column(
        "Positive class: a high score speaks for it.", "--positive", metavar="CLASS"
    ),
    "classes": _column(
        "Class label; given for each class, in order.", metavar="CLASS", kind=list[str]
    ),
    "model": _column("Column of model names."),
    "weight": _column("Column that says how often a row counts."),
    "no_weight": flag(
        "Count every row once, though a column is called weight: it may hold kilograms.",
        panel=_COLUMNS,
    ),
    "groups": _column("Column of groups to tell apart.", "--group"),
    "case": _column("Column that tells the cases apart, whatever the order of the rows.", "--id"),
    "empty": choice(
        "error|abstain|wrong",
        "What an empty set means: an error, abstaining, or a wrong answer.",
        _COLUMNS,
    ),
    "missing": choice(
        "error|abstain",
        "What a missing score or probability means: an error, or abstaining.",
        _COLUMNS,
    ),
    "drop_missing": flag("Leave out rows whose truth is missing.", panel=_COLUMNS),
    "correct": _column(
        "Graded answers, as of a language model: column that says whether each answer is right."
    ),
    "confidence": _column(
        "Graded answers: column of confidences, of any scale; given several times, several models.",
        kind=list[str],
    ),
    "answerable": _column("Graded answers: column that says what may be answered at all."),
    "judge": _column("Graded answers: column of grades by a judge; those of people may be few."),
    "encoding": _column(
        "Encoding of text that is neither UTF-8 nor UTF-16, such as latin-1.", metavar="NAME"
    ),
    "decimal": _column(
        "What stands before decimals in text: a point or a comma. With a comma, semicolons or tabs "
        "separate cells.",
        metavar=".|,",
    ),
}
# By their names in the library's functions, where these have them.
OPTIONS: dict[str, Option] = {
    "files": argument(
        list[str],
        "CSV, Parquet or Arrow files of predictions, one model per file unless a column 'model' "
        "names them; - reads CSV from standard input.",
    ),
    "window": option(
        tuple[float, float],
        "Two classes: answer negative up to the first score, positive from the second, and abstain "
        "between.",
        metavar="LOWER UPPER",
    ),
    "confidence": option(
        list[str],
        "Abstain unless a class is at least this probable (intervals: --confidence-level). With "
        "--correct the column of confidences; given several times, several models.",
        metavar="SHARE|COLUMN",
    ),
    "utility": option(str, "Answer with the sets that are best for u65, u80, F1, …"),
    "rule": option(Path, "Rules as `cautious tune -o` writes them."),
    "measures": option(
        list[str],
        "Only this measure; may be repeated. Wrong answers: error, of all cases; among answers: "
        "selective_risk.",
        "--measure",
        metavar="NAME",
    ),
    "every": flag("Print every measure, not only the usual ones.", "--all"),
    "confidence_level": share(
        "Add intervals of this level, for example 0.95.", "--confidence-level", "--level"
    ),
    "n_resamples": option(
        int, "Number of bootstrap replicates.", "--resamples", default=1000, min=1
    ),
    "random_state": option(int, "Seed of the bootstrap.", "--seed", default=0, min=0),
    "priors": share("Share of positives to assume instead of the sample's.", "--prior"),
    "engine": option(
        str,
        "Summarise a log of any size (a file, folder, or pattern such as 'log/*.parquet') in "
        "bounded memory: local, dask (or the address of its scheduler), or spark.",
        metavar="local|dask|ADDRESS|spark",
    ),
    "false_negative": cost("Cost of missing a positive."),
    "false_positive": cost("Cost of a false alarm."),
    "mistake": cost("Cost of any mistake, where all cost the same."),
    "wrong": cost("Graded answers: cost of a wrong answer that goes out."),
    "needless": cost("Graded answers: cost of escalating a right one, if not --abstain."),
    "abstain": cost("Cost of abstaining."),
    "costs": option(
        Path,
        "CSV of costs: a row per class and one for abstaining, a column per true class.",
        panel=_COSTS,
    ),
    "max_abstention": share("Abstain on at most this share of the cases.", panel=BUDGETS),
    "max_error": share("Let at most this share of the answers be wrong.", panel=BUDGETS),
    "min_saving": share("Save this part of what mistakes cost without abstention.", panel=BUDGETS),
    "max_missed": share(
        "Let at most this share of the positive cases be answered negative.", panel=_PROMISES
    ),
    "min_ppv": share("Let at least this share of the positive answers be right.", panel=_PROMISES),
    "min_npv": share("Let at least this share of the negative answers be right.", panel=_PROMISES),
    "per": choice(
        "answer|case|day",
        "Count mistakes among the answers, or among all cases; day: --max-abstention is in cases "
        "per day.",
        BUDGETS,
    ),
    "arrivals": option(float, "With --per day: how many cases come in a day.", panel=BUDGETS),
    "by_group": flag("Let a promise hold in each group that --group tells apart."),
    "judge_method": choice(
        "betting|measured",
        "How grades of --judge help a promise: proved, or measured, which is stronger where the "
        "judge is right in 97 % or more.",
        _PROMISES,
    ),
    "require": option(
        list[str],
        "Fail, with status 4, unless a measure keeps a limit: 'selective_risk<=5%'; may be given "
        "several times.",
        metavar="LIMIT",
    ),
    "honest": flag(
        "Estimate what the rules will do on new cases, or only say what they do on these.",
        "--honest/--apparent",
        default=True,
    ),
    "title": option(str, "Title of the page.", metavar="TEXT"),
    "only": option(
        str,
        "The model: its rule, of several, and its cases, where a column tells models apart.",
        metavar="MODEL",
    ),
    "answer": option(str, "Column for the answers.", metavar="COLUMN"),
    "show_code": flag("Print a short Python program that answers alike, without cautious."),
    "state": option(Path, "File of what was seen before; it is made, and brought up to date."),
    "labels": option(
        list[str],
        "File of truths that came later, in its column --truth, with the column --id of their "
        "cases; without --id, a truth for each row of the file.",
        metavar="FILE",
    ),
    "batch": option(
        str, "Name of the batch, of all files together; by default each is one, called by its path."
    ),
    "replace": flag("Let a batch stand in for the one of its name that was fed before."),
    "keep": option(int, "Keep so many batches one by one.", default=100, min=1),
    "no_truth": flag("No truth is known yet: watch abstentions and drift alone.", panel=_COLUMNS),
    "merge": option(list[Path], "Add the state of another machine.", metavar="STATE"),
    "retune": option(
        Path,
        "Write the rule that suits the share of positives as it seems to be now; not of a rule "
        "with a promise.",
    ),
    "file": argument(
        str,
        "CSV of costs: answers are rows, truths are columns. Rows may be classes, sets written "
        "'{a, b}' or 'a|b', or 'abstain'; - reads standard input.",
    ),
    "extension": option(
        StrEnum("Extension", ["discounted", "cautious", "averse", "abellan-masegosa"]),
        "Where the table costs single classes only, how to extend it to sets: discounted (the "
        "mean, and the default), cautious or averse (p-discounted), or abellan-masegosa.",
        metavar="NAME",
    ),
    "r": option(float, "Strength of p-discounting; 0.5 if not given.", "--r", min=0.0, max=1.0),
    "name": argument(str, "Name of a data set."),
    "paper": option(str, "Only those of ferri, friedel, yang or zaffalon.", metavar="PAPER"),
    "report": flag("Whether to write the report.", "--report/--no-report", default=True),
    "json": flag("Print JSON and nothing else.", panel=_OUTPUT),
    "csv": flag("Print CSV and nothing else.", panel=_OUTPUT),
}


def output(help: str, default: Path | None = None, kind: Any = Path) -> Option:
    """Make the option that names the file to write."""
    return option(kind, help, "--output", "-o", default=default, metavar="FILE")


def takes(
    names: str, reading: str | None = None, **own: Option
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these names, and its own words for some of them.

    With ``reading``, options of :func:`cautious.read_predictions` to leave out, it takes the others
    too; its argument ``columns`` gets those that were given.
    """
    of_reading = {} if reading is None else READING
    kept = {name: one for name, one in of_reading.items() if name not in (reading or "").split()}
    first = [name for name in names.split() if name not in ("json", "csv")]
    last = [name for name in names.split() if name not in first]
    order = {**OPTIONS, **kept, **own}
    table = {name: order[name] for name in (*first, *kept, *last)}
    for name, one in table.items():
        if one.kind is bool and one.shown.default is ...:  # it was given no name
            one.shown.param_decls = (f"--{name.replace('_', '-')}",)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            if given.get("json") and given.get("csv"):
                raise ValueError("--json and --csv are both given; give one of them.")
            for name, value in given.items():
                if isinstance(value, StrEnum):
                    given[name] = str(value)
                elif value == []:
                    given[name] = None
            if reading is not None:
                said = {name: given.pop(name) for name in kept}
                columns = {name: said[name] for name in kept if said[name] != kept[name].default}
                if columns.pop("no_weight", False):
                    if "weight" in columns:
                        raise ValueError(
                            "--weight and --no-weight are both given; give one of them."
                        )
                    columns["weight"] = False
                given["columns"] = columns
            command(**given)

        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=one.default,
                annotation=Annotated[one.kind, one.shown],
            )
            for name, one in table.items()
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def costs_of(given: dict[str, Any], budgets: Sequence[str] = (), *, graded: bool = False) -> Any:
    """Take the costs out of what was given, as :func:`cautious.costs.as_costs` takes them.

    Budgets that are given too stand in for the cost of abstaining.
    """
    table, abstain = given.pop("costs"), given.pop("abstain")
    grades = {name: given.pop(name) for name in ("wrong", "needless")}
    mistakes = {name: given.pop(name) for name in ("false_negative", "false_positive", "mistake")}
    wrong = {name: cost for name, cost in mistakes.items() if cost is not None}
    if any(cost is not None for cost in grades.values()):
        return _costs_of_grades(grades | {"abstain": abstain}, bool(wrong) or table is not None)
    named = [*budgets, *["--abstain"] * (abstain is not None), *["--costs"] * (table is not None)]
    refusals = {
        "graded answers have one kind of mistake; give --wrong and --abstain (escalating).": graded
        and wrong,
        f"{' and '.join(named)} are given; give one of them.": len(named) > 1,
        "--mistake is given beside --false-negative or --false-positive; it stands for both. "
        "Leave it out, or the others.": "mistake" in wrong and len(wrong) > 1,
        "give both --false-negative and --false-positive, or --mistake.": len(wrong) == 1
        and "mistake" not in wrong,
        "--costs holds the costs of all mistakes; give no others beside it.": table is not None
        and wrong,
        "--abstain is given, but not what it saves; give --false-negative and --false-positive, "
        "or --mistake.": abstain is not None and not wrong,
        "--false-negative (or --mistake) is 0; a mistake must cost something.": wrong
        and not next(iter(wrong.values())) > 0,
        "what abstaining costs is missing: --abstain; or give a budget, --max-abstention, "
        "--max-error or --min-saving.": wrong and not named,
    }
    for words, applies in refusals.items():
        if applies:
            raise ValueError(words)
    if not wrong:
        return table
    if budgets:
        cost = wrong.pop("mistake", None)
        return wrong if cost is None else {"false_negative": cost, "false_positive": cost}
    return wrong | {"abstain": abstain}


def _costs_of_grades(graded: dict[str, Any], others: bool) -> dict[str, Any]:
    """Take the costs of graded answers."""
    if others:
        raise ValueError("--wrong is given beside costs of classes; give one of them.")
    if not graded["wrong"] or graded["abstain"] is None:
        raise ValueError("give both --wrong and --abstain (escalating); --wrong must be above 0.")
    return {name: cost for name, cost in graded.items() if cost is not None}


class _PlainHelp:
    """Help without the names of Python's types: an option says what it takes, a flag nothing."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        for one in self.get_params(ctx):  # type: ignore[attr-defined]
            if getattr(one, "is_flag", False) and one.metavar is None:
                one.metavar = ""
            elif one.param_type_name == "argument":  # its name says it
                vars(one)["display_type_rich"] = lambda ctx: ""
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Command(_PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(_PlainHelp, TyperGroup):
    """A group of commands with plain help."""
