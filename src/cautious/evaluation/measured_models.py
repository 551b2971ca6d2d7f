"""What `evaluate` answers: measures of models, few of them first, in the words of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from cautious._labels import label_text
from cautious._result import Result
from cautious._text import TextTable, number, paragraphs, share, text_table
from cautious.errors import Message, counted, note_lines, shown
from cautious.evaluation._evidence import Evidence
from cautious.metrics import MEASURES, SetCounts
from cautious.predictions._probabilities import per_cent_hint

SECTIONS = {
    "scores": "scores",
    "answers": "answers and abstentions",
    "sets": "prediction sets",
    "worth": "what they are worth",
    "confidence": "confidence",
}
"""Headings, in the order in which they are shown."""

_CHOSEN_HERE = (
    "This rule was chosen on these very cases, so these figures are too good; `cautious tune` says "
    "what to expect of new cases, and other cases show it."
)
# More classes than this are not shown one by one, unless asked for.
_CLASSES_SHOWN = 12


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """Measures of one or more models.

    Attributes
    ----------
    models : dict of str to Evidence
        What was counted.
    measures : dict of str to DataFrame
        One row per measure: ``section``, ``value``, ``low`` and ``high`` (nan without intervals).
    by_class, by_group : dict of str to DataFrame
        The usual measures of each true class, and of each group; a model may be missing. Where
        measures were asked for by name, those of each group, and nothing of the classes.
    notes : tuple of Message
        What was guessed or looks odd; printed below the tables.
    asked : tuple of str
        The measures that were asked for by name; if there are any, all of them are printed.
    by_costs_of : tuple of str
        Models whose cost is by the costs of their rule, since no others were given.

    Examples
    --------
    >>> import cautious
    >>> from cautious.decision import Rule
    >>> rule = Rule.window(0.3, 0.7, classes=[0, 1])
    >>> found = cautious.evaluate({"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, rule=rule)
    >>> found.value("coverage", "mine")
    0.5
    """

    models: Mapping[str, Evidence]
    measures: Mapping[str, pd.DataFrame]
    by_class: Mapping[str, pd.DataFrame]
    by_group: Mapping[str, pd.DataFrame]
    notes: tuple[Message, ...] = ()
    asked: tuple[str, ...] = ()
    by_costs_of: tuple[str, ...] = ()

    def frame(self) -> pd.DataFrame:
        """One row per model, part and measure.

        Examples
        --------
        >>> import cautious
        >>> found = cautious.evaluate({"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])})
        >>> found.frame().columns.tolist()
        ['model', 'part', 'name', 'measure', 'value', 'low', 'high']
        """
        frames = []
        for name, table in self.measures.items():
            whole = table[["value", "low", "high"]].reset_index()
            frames.append(whole.assign(model=name, part="all", name=""))
            for part, tables in (("class", self.by_class), ("group", self.by_group)):
                if name in tables:
                    long = tables[name].rename_axis("name").reset_index()
                    long = long.melt("name", var_name="measure", value_name="value")
                    frames.append(long.assign(model=name, part=part))
        columns = ["model", "part", "name", "measure", "value", "low", "high"]
        filled = [frame.reindex(columns=columns) for frame in frames]
        return pd.concat(
            [one.astype({"low": float, "high": float}) for one in filled], ignore_index=True
        )

    def value(self, measure: str, model: str | None = None) -> float:
        """One number: a measure of a model, or of the only one there is.

        Examples
        --------
        >>> import cautious
        >>> found = cautious.evaluate({"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])})
        >>> found.value("selective_accuracy")
        0.5
        """
        if model is None and len(self.measures) > 1:
            raise ValueError(f"there are the models {list(self.measures)}; say which with model=.")
        name = next(iter(self.measures)) if model is None else model
        if name not in self.measures:
            raise ValueError(f"model is {shown(name)}; there are {list(self.measures)}.")
        values = self.measures[name]["value"].to_dict()
        if measure not in values:
            raise ValueError(f"measure is {shown(measure)}; measured were {list(values)}.")
        return float(values[measure])

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {"models": {name: self._record(one) for name, one in self.models.items()}}

    def _record(self, one: Evidence) -> dict[str, Any]:
        rows = self.measures[one.name].to_dict("index")
        parts = {"by_class": self.by_class, "by_group": self.by_group}
        return {
            "n": one.n,
            "rows": rows_of(one),
            "weighted": one.weighted,
            "missing": one.missing,
            "classes": [label_text(label) for label in one.classes],
            "answers": one.answers or None,
            "chosen_on_these_cases": one.chosen_here,
            "exact": one.resolution is None,
            "bounds": {
                name: {"low": low, "high": high}
                for name, (low, high) in one.bounds.items()
                if name in MEASURES
            }
            or None,
            "measures": {
                str(name): {"value": row["value"]}
                | ({} if pd.isna(row["low"]) else {"low": row["low"], "high": row["high"]})
                for name, row in rows.items()
            },
        } | {
            key: tables[one.name].to_dict("index") if one.name in tables else None
            for key, tables in parts.items()
        }

    def tables(self, *, every: bool = False) -> Iterator[TextTable]:
        """Tables for people: a title, headings, and rows of text.

        Parameters
        ----------
        every : bool, default=False
            Show every measure by its name, instead of the few that people ask for first.
        """
        every = every or bool(self.asked)
        partial = any(has_partial_sets(one.counts) for one in self.models.values())
        first = self._rows() if every else first_rows(self.measures, partial)
        yield "", ["", *self.models], [*size_rows(self.models), *first]
        for name, one in self.models.items():
            shown = [self.by_group.get(name)]
            few = len(one.classes) <= _CLASSES_SHOWN
            if len(self.models) == 1 and few:
                shown.insert(0, self.by_class.get(name))
            for frame in shown:
                if frame is not None:
                    title = "" if len(self.models) == 1 else name
                    n = WEIGHTS if one.weighted else "cases"
                    yield title, *(every_part(frame) if every else first_parts(frame, partial, n))

    def text(self, *, every: bool = False) -> str:
        """Write tables, sentences and notes; with `every`, all measures.

        Examples
        --------
        >>> import cautious
        >>> from cautious.decision import Rule
        >>> rule = Rule.window(0.3, 0.7, classes=[0, 1])
        >>> found = cautious.evaluate({"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, rule=rule)
        >>> len(found.text()) < len(found.text(every=True))
        True
        """
        (first, *rest) = [text_table(*table) for table in self.tables(every=every)]
        return paragraphs(first, self.sentences(), *rest, note_lines(self.notes))

    def _rows(self) -> Iterator[tuple[str, ...]]:
        names = dict.fromkeys(name for table in self.measures.values() for name in table.index)
        used = dict.fromkeys(one for table in self.measures.values() for one in table["section"])
        every = SECTIONS | {one: one for one in used if one not in SECTIONS}
        for section, heading in every.items():
            inside = [name for name in names if self._defined(name, section)]
            if inside:
                yield (heading, *("" for _ in self.models))
            for name in inside:
                cells = (value_cell(self.measures[model], name) for model in self.models)
                yield (f"  {name.replace('_', ' ')}", *cells)

    def _defined(self, name: str, section: str) -> bool:
        rows = (table.to_dict("index").get(name) for table in self.measures.values())
        return any(
            row and row["section"] == section and row["value"] == row["value"] for row in rows
        )

    def sentences(self) -> Iterator[str]:
        """Say how the answers of each model came about."""
        for name, one in self.models.items():
            prefix = f"{name}: " if len(self.models) > 1 else ""
            if one.answers:
                told = one.answers.endswith(".")
                yield prefix + (one.answers if told else f"Answers: {one.answers}.")
            else:
                yield f"{name}:{no_answers(one)}"
            if one.chosen_here:
                yield prefix + _CHOSEN_HERE
                if one.rule is not None and one.rule.certificate is not None:
                    yield f"{prefix}What its certificate promises holds nevertheless."
            if one.bounds:
                yield prefix + rounding_words(one)
            if one.missing:
                yield f"{prefix}Abstained on {counted(one.missing, 'case')} without a score."
            if name in self.by_costs_of and "cost" in self.measures[name].index:
                yield f"{prefix}The cost is by the costs that the rule was tuned for."

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Evaluation of {', '.join(map(repr, list(self.models)[:4]))}>"


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
