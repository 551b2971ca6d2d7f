"""What people read of measures: few of them first, in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from cautious._text import number, share
from cautious.evaluation._evidence import Evidence
from cautious.metrics import SetCounts
from cautious.predictions._probabilities import per_cent_hint

__all__ = [
    "WEIGHTS",
    "every_part",
    "first_parts",
    "first_rows",
    "has_partial_sets",
    "no_answers",
    "rounding_words",
    "rows_of",
    "size_rows",
    "value_cell",
]

WEIGHTS = "weights sum to"
"""What stands in place of "cases" where rows have weights: nobody shall take a sum for people."""


class _Line(NamedTuple):
    """A measure, what people call it, and whether its complement is shown."""

    measure: str
    words: str
    short: str
    is_share: bool = True
    complement: bool = False


_ANSWERS = (
    _Line("coverage", "answered (coverage)", "answered"),
    _Line(
        "selective_accuracy",
        "wrong among answers (selective risk)",
        "wrong among answers",
        complement=True,
    ),
    _Line("abstention", "abstained on (abstention)", "abstained on"),
)
# Where sets of some classes are answered, one class is the special case.
_SETS = (
    _Line("coverage", "answered with one class (determinacy)", "one class"),
    _Line(
        "selective_accuracy",
        "wrong among these (selective risk)",
        "wrong of these",
        complement=True,
    ),
    _Line("containment", "true class in the set (containment)", "true class in the set"),
    _Line("mean_set_size", "classes in a set, on average", "classes in a set", is_share=False),
)
_COST = _Line("cost", "cost per case", "cost per case", is_share=False)
# Scores without answers have nothing else to show.
_SCORES = (
    _Line("positives", "positive cases", "positive"),
    _Line("auc", "area under the ROC curve (auc)", "auc", is_share=False),
    _Line("vacc", "mean cost over all costs (vacc)", "vacc", is_share=False),
    _Line("least_error", "least error of one threshold", "least error"),
)


def has_partial_sets(counts: SetCounts | None) -> bool:
    """Whether some answer is neither one class nor all of them."""
    if counts is None:
        return False
    return bool(((counts.size != 1) & (counts.size != len(counts.classes))).any())


def first_rows(measures: Mapping[str, pd.DataFrame], partial: bool) -> Iterator[tuple[str, ...]]:
    """Give a row of text per measure, a column per model."""
    answered = any("coverage" in table.index for table in measures.values())
    lines = (*(_SETS if partial else _ANSWERS), _COST) if answered else _SCORES
    for line in lines:
        cells = [_cell(table, line) for table in measures.values()]
        if any(cells):
            yield (line.words, *cells)


def size_rows(models: Mapping[str, Evidence]) -> Iterator[tuple[str, ...]]:
    """Say how many cases there are; a sum of weights must not pass for a number of people."""
    every = models.values()
    weighted = any(one.weighted for one in every)
    rows = [rows_of(one) for one in every]
    if weighted and any(n is not None for n in rows):
        yield ("rows", *("not known" if n is None else f"{n:,}" for n in rows))
    yield (WEIGHTS if weighted else "cases", *(number(one.n) for one in every))


def rows_of(one: Evidence) -> int | None:
    """Count the rows of a model; None where a log of several models with weights does not say."""
    return one.rows if one.weighted else round(one.n)


def first_parts(
    frame: pd.DataFrame, partial: bool, n: str = "cases"
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Give headings and rows of text for the measures of each class or group."""
    lines = [line for line in (_SETS if partial else _ANSWERS) if line.measure in frame]
    rows = [
        (str(label), number(row["n"]), *(_shown(row[line.measure], line) for line in lines))
        for label, row in zip(frame.index, frame.to_dict("records"), strict=True)
    ]
    return [str(frame.index.name), n, *(line.short for line in lines)], rows


def every_part(frame: pd.DataFrame) -> tuple[list[str], list[tuple[str, ...]]]:
    """Give headings and rows of text for all usual measures of each class or group."""
    rows = [
        (str(label), *(number(value, 3) for value in row))
        for label, row in zip(frame.index, frame.to_numpy(), strict=True)
    ]
    return [str(frame.index.name), *map(_heading, frame.columns)], rows


def _heading(measure: str) -> str:
    short = {
        "selective_accuracy": "accuracy",
        "set_accuracy": "in set",
        "mean_set_size": "size",
        "discounted_accuracy": "discounted",
    }
    return short.get(measure, measure)


def value_cell(table: pd.DataFrame, name: str) -> str:
    """Show a measure of a model, with its interval if there is one."""
    if name not in table.index:
        return ""
    value, low, high = table.loc[[name], ["value", "low", "high"]].to_numpy()[0].tolist()
    return number(value) + ("" if pd.isna(low) else f" [{number(low)}, {number(high)}]")


def _cell(table: pd.DataFrame, line: _Line) -> str:
    if line.measure not in table.index:
        return ""
    value, low, high = table.loc[[line.measure], ["value", "low", "high"]].to_numpy()[0].tolist()
    if pd.isna(value) or pd.isna(low):
        return _shown(value, line)
    ends = (high, low) if line.complement else (low, high)
    return f"{_shown(value, line)} [{', '.join(_shown(end, line) for end in ends)}]"


def _shown(value: Any, line: _Line) -> str:
    value = 1 - value if line.complement else value
    return share(value) if line.is_share else number(value)


def no_answers(one: Evidence) -> str:
    """Say why there are scores but no answers."""
    if one.surface is None:
        return ""
    scores = one.surface.staircase.scores
    outside = scores[0] if scores[0] < 0 else scores[-1]
    return (
        f" The scores are no probabilities (one is {outside:g}), so only a window can turn them "
        f"into answers; `cautious tune` finds one. {per_cent_hint(scores)}"
    ).rstrip()


def rounding_words(one: Evidence) -> str:
    """Say how far the answers to rounded scores may be from those to the scores as they were."""
    (_, cases), coverage = one.bounds["open_cases"], one.bounds["coverage"]
    right = one.bounds["selective_accuracy"]
    if not cases:
        return (
            "Scores were rounded, but the answers are counted exactly: no threshold is in a cell."
        )
    shown = [f"{low:.6g} to {high:.6g}" for low, high in (coverage, (1 - right[1], 1 - right[0]))]
    return (
        f"Scores were rounded to cells of {one.resolution:.3g}, so {number(cases)} of "
        f"{number(one.n)} cases may be answered otherwise: coverage is {shown[0]}, selective risk "
        f"{shown[1]}. `cautious apply` and `cautious watch` count exactly."
    )
