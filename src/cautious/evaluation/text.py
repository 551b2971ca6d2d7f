"""Tables, numbers and sentences as people read them; few measures first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import pandas as pd

from cautious.errors import Message, note_lines
from cautious.evaluation._evidence import Evidence
from cautious.metrics import SetCounts
from cautious.predictions._probabilities import per_cent_hint

__all__ = [
    "WEIGHTS",
    "alike",
    "every_part",
    "first_parts",
    "first_rows",
    "has_partial_sets",
    "html_tables",
    "no_answers",
    "number",
    "paragraphs",
    "rounding_words",
    "rows_of",
    "share",
    "size_rows",
    "text_table",
    "value_cell",
]

WEIGHTS = "weights sum to"
"""What stands in place of "cases" where rows have weights: nobody shall take a sum for people."""


# Sums of weights are as exact as this.
_ROUNDING = 1e-12


def number(value: float, digits: int = 4) -> str:
    """Show a number with as many digits as a reader wants."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    if abs(value) < 0.5 * 10**-digits:
        return f"{value:.1g}"
    return f"{value:.{digits}f}"


def alike(*values: float) -> list[str]:
    """Show numbers that are compared: with so many digits that they can be told apart."""
    known = [value for value in values if math.isfinite(value)]
    span = max(known, default=0.0) - min(known, default=0.0)
    digits = max(4, min(9, 1 - math.floor(math.log10(span)))) if span > 0 else 4
    return [number(value, digits) for value in values]


def share(value: float) -> str:
    """Show a share as per cent; all and nothing are whole numbers, and nothing else is."""
    if math.isnan(value):
        return ""
    if abs(value - round(value)) < _ROUNDING:
        return f"{100 * round(value)} %"
    if 0 < value < 1 and f"{100 * value:.2f}" in ("0.00", "100.00"):
        return "< 0.01 %" if value < 0.5 else "> 99.99 %"
    return f"{100 * value:.{1 if 0.001 <= value <= 0.999 else 2}f} %"


def text_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out: words to the left, numbers to the right."""
    table = [tuple(headings), *map(tuple, rows)]
    widths = [max(len(row[at]) for row in table) for at in range(len(headings))]
    lines = [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return "\n".join([title, *lines] if title else lines)


def paragraphs(*parts: str | Iterable[str]) -> str:
    """Put tables, sentences and notes below each other, a blank line between; none where empty."""
    texts = (part if isinstance(part, str) else "\n".join(part) for part in parts)
    return "\n\n".join(text for text in texts if text)


def html_tables(
    tables: Iterable[tuple[str, Sequence[str], Sequence[Sequence[str]]]],
    sentences: Iterable[str],
    notes: Iterable[Message] = (),
) -> str:
    """Lay tables, sentences and notes out for a notebook; all text is escaped."""
    parts = []
    for title, headings, rows in tables:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        caption = f"<caption>{escape(title)}</caption>" if title else ""
        parts.append(f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    return "".join(
        [*parts, *(f"<p>{escape(words)}</p>" for words in (*sentences, *note_lines(notes)))]
    )


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
