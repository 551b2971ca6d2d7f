"""Options that several commands take, their help, and what they are called in the library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from cautious.errors import quoted

__all__ = [
    "LEVEL_NAMES",
    "AsCsv",
    "AsJson",
    "Command",
    "Costs",
    "Engine",
    "FalseNegative",
    "FalsePositive",
    "Files",
    "Group",
    "Level",
    "Mistake",
    "PerCent",
    "Prior",
    "Resamples",
    "RuleFile",
    "Seed",
    "Utility",
    "abstain_cost",
    "as_share",
    "costs_of",
    "one_output",
    "share",
    "with_columns",
]

_COLUMNS, _OUTPUT, _COSTS = "Columns (guessed unless given)", "Output", "Costs"


class _Empty(StrEnum):
    error = "error"
    abstain = "abstain"
    wrong = "wrong"


class _Missing(StrEnum):
    error = "error"
    abstain = "abstain"


def _column(help: str, *names: str, metavar: str | None = "COLUMN") -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=_COLUMNS)


class PerCent(float):
    """A share that was written as per cent."""


def as_share(text: Any) -> float:
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
        raise typer.BadParameter(f"{quoted(text)} is no share; write 0.05 or 5%.") from None
    if not inside:
        hint = f"write {given}% or {number / 100}" if meant else "write 0.05 or 5%"
        raise typer.BadParameter(f"{quoted(text)} is not between 0 and 1; {hint}.")
    return PerCent(number) if per_cent else float(number)


def share(help: str, *names: str, panel: str | None = None) -> Any:
    """Make an option that takes a share, 0.05 or 5%."""
    return typer.Option(*names, help=help, parser=as_share, metavar="SHARE", rich_help_panel=panel)


# By their names in cautious.read_predictions.
_READING: dict[str, tuple[Any, Any, Any]] = {
    "truth": (str | None, None, _column("Column of true classes.")),
    "score": (
        list[str] | None,
        None,
        _column(
            "Column of scores that grow with the belief in one class. Given several times: several "
            "models, named after the columns."
        ),
    ),
    "proba": (
        str | None,
        None,
        _column(
            "What names of probability columns begin with, as in p_cat, p_dog.", metavar="PREFIX"
        ),
    ),
    "sets": (
        str | None,
        None,
        _column(
            "Column of sets written 'a|b' or '{a, b}', or what names of true/false columns, one "
            "per class, begin with.",
            metavar="COLUMN|PREFIX",
        ),
    ),
    "pos_label": (
        str | None,
        None,
        _column("Positive class: a high score speaks for it.", "--positive", metavar="CLASS"),
    ),
    "classes": (
        list[str] | None,
        None,
        _column("Class label; given for each class, in order.", metavar="CLASS"),
    ),
    "model": (str | None, None, _column("Column of model names.")),
    "weight": (str | None, None, _column("Column that says how often a row counts.")),
    "no_weight": (
        bool,
        False,
        _column(
            "Count every row once, though a column is called weight: it may hold kilograms.",
            "--no-weight",
            metavar=None,
        ),
    ),
    "groups": (str | None, None, _column("Column of groups to tell apart.", "--group")),
    "case": (
        str | None,
        None,
        _column("Column that tells the cases apart, whatever the order of the rows.", "--id"),
    ),
    "empty": (
        _Empty,
        _Empty.error,
        _column(
            "What an empty set means: an error, abstaining, or a wrong answer.",
            metavar="error|abstain|wrong",
        ),
    ),
    "missing": (
        _Missing,
        _Missing.error,
        _column(
            "What a missing score or probability means: an error, or abstaining.",
            metavar="error|abstain",
        ),
    ),
    "drop_missing": (
        bool,
        False,
        _column("Leave out rows whose truth is missing.", "--drop-missing", metavar=None),
    ),
    "encoding": (
        str | None,
        None,
        _column(
            "Encoding of text that is neither UTF-8 nor UTF-16, such as latin-1.", metavar="NAME"
        ),
    ),
}


def with_columns(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that say how predictions are read.

    Its argument ``columns`` gets those that were given, by their names in
    :func:`cautious.read_predictions`.

    Parameters
    ----------
    *left_out : str
        Options that the command has no use for.
    """
    taken = {name: one for name, one in _READING.items() if name not in left_out}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            said = {name: given.pop(name) for name in taken}
            columns = {
                name: str(one) if isinstance(one, StrEnum) else one
                for name, one in said.items()
                if one not in (taken[name][1], [])
            }
            if columns.pop("no_weight", False):
                if "weight" in columns:
                    raise ValueError("--weight and --no-weight are both given; give one of them.")
                columns["weight"] = False
            command(**given, columns=columns)

        hints = get_type_hints(command, include_extras=True)
        own = [
            one.replace(annotation=hints[name])
            for name, one in inspect.signature(command).parameters.items()
            if name != "columns"
        ]
        more = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[kind, option],
            )
            for name, (kind, default, option) in taken.items()
        ]
        last = [one for one in own if one.name in ("json", "csv")]
        first = [one for one in own if one not in last]
        order = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*first, *more, *last)]
        run.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in order}
        return run

    return decorate


Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV, Parquet or Arrow files of predictions, one model per file unless a column "
        "'model' names them; - reads CSV from standard input.",
        show_default=False,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Summarise a log of any size (a file, folder, or pattern such as 'log/*.parquet') in "
        "bounded memory: local, dask (or the address of its scheduler), or spark.",
        metavar="local|dask|ADDRESS|spark",
    ),
]
RuleFile = Annotated[
    Path | None,
    typer.Option("--rule", help="Rules as `cautious tune -o` writes them.", metavar="FILE"),
]
Utility = Annotated[
    str | None,
    typer.Option(help="Answer with the sets that are best for u65, u80, F1, …", metavar="NAME"),
]
Prior = Annotated[
    float | None,
    share("Share of positives to assume instead of the sample's."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON and nothing else.", rich_help_panel=_OUTPUT)
]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print CSV and nothing else.", rich_help_panel=_OUTPUT)
]
LEVEL_NAMES = ("--confidence-level", "--level")
"""How a statistical level is given."""
Level = Annotated[
    float | None,
    share("Add intervals of this level, for example 0.95.", *LEVEL_NAMES),
]
Resamples = Annotated[
    int, typer.Option(help="Number of bootstrap replicates.", min=1, metavar="NUMBER")
]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0, metavar="NUMBER")]


def _cost(help: str) -> Any:
    return typer.Option(help=help, min=0.0, metavar="COST", rich_help_panel=_COSTS)


FalseNegative = Annotated[float | None, _cost("Cost of missing a positive.")]
FalsePositive = Annotated[float | None, _cost("Cost of a false alarm.")]
Mistake = Annotated[float | None, _cost("Cost of any mistake, where all cost the same.")]
abstain_cost: Any = _cost("Cost of abstaining.")
Costs = Annotated[
    Path | None,
    typer.Option(
        help="CSV of costs: a row per class and one for abstaining, a column per true class.",
        metavar="FILE",
        rich_help_panel=_COSTS,
    ),
]


def one_output(json: bool, csv: bool) -> None:
    """Refuse two kinds of output at once."""
    if json and csv:
        raise ValueError("--json and --csv are both given; give one of them.")


def costs_of(
    false_negative: float | None,
    false_positive: float | None,
    mistake: float | None,
    abstain: float | None,
    table: Path | None,
    budgets: Sequence[str] = (),
) -> Any:
    """Put the costs that were given together, as :func:`cautious.costs.as_costs` takes them.

    Parameters
    ----------
    false_negative, false_positive, mistake, abstain, table
        What was given.
    budgets : sequence of str
        Budgets that are given too; they stand in for the cost of abstaining.

    Returns
    -------
    dict, Path or None
    """
    named = [*budgets, *["--abstain"] * (abstain is not None), *["--costs"] * (table is not None)]
    if len(named) > 1:
        raise ValueError(f"{' and '.join(named)} are given; give one of them.")
    wrong = {"false_negative": false_negative, "false_positive": false_positive, "mistake": mistake}
    given = {name: cost for name, cost in wrong.items() if cost is not None}
    if "mistake" in given and len(given) > 1:
        raise ValueError(
            "--mistake is given beside --false-negative or --false-positive; it stands for both. "
            "Leave it out, or the others."
        )
    if len(given) == 1 and "mistake" not in given:
        raise ValueError("give both --false-negative and --false-positive, or --mistake.")
    if table is not None:
        if given:
            raise ValueError("--costs holds the costs of all mistakes; give no others beside it.")
        return table
    if not given:
        if abstain is not None:
            raise ValueError(
                "--abstain is given, but not what it saves; give --false-negative and "
                "--false-positive, or --mistake."
            )
        return None
    if not next(iter(given.values())) > 0:
        raise ValueError("--false-negative (or --mistake) is 0; a mistake must cost something.")
    if budgets:
        cost = given.pop("mistake", None)
        return given if cost is None else {"false_negative": cost, "false_positive": cost}
    if abstain is None:
        raise ValueError(
            "what abstaining costs is missing: --abstain; or give a budget, --max-abstention, "
            "--max-error or --min-saving."
        )
    return given | {"abstain": abstain}


class _PlainHelp:
    """Help without the names of Python's types: an option says what it takes, a flag nothing."""

    def get_params(self, ctx: Any) -> list[Any]:
        """List the parameters, ready to be shown."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in params:
            if getattr(one, "is_flag", False) and one.metavar is None:
                one.metavar = ""
            elif one.param_type_name == "argument":  # its name says it
                vars(one)["display_type_rich"] = lambda ctx: ""
        return params


class Command(_PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(_PlainHelp, TyperGroup):
    """A group of commands with plain help."""
