"""Evaluation: every measure that predictions allow, with intervals if asked for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._random import check_level, check_resamples
from cautious._result import Result
from cautious._text import TextTable, number, paragraphs, share, text_table
from cautious._typing import Ints
from cautious.costs import SetCosts, as_costs
from cautious.costs._forms import CostsLike, read_cost_table
from cautious.curves import RiskCoverageCurve
from cautious.errors import (
    InputError,
    Message,
    counted,
    note_lines,
    quoted,
    shown,
    undefined_allowed,
)
from cautious.evaluation._evidence import Evidence, answers_to, count_models, noted, score_notes
from cautious.evaluation._rule_choice import RuleChoice
from cautious.metrics import MEASURES, SetCounts
from cautious.metrics._bootstrap_intervals import interval_of_counts
from cautious.metrics._mean_intervals import wilson
from cautious.metrics._printed_report import HEADINGS, SHORT, USUAL_MEASURES, measures_by_group
from cautious.metrics._registry import Measure, get_measure
from cautious.predictions._probabilities import per_cent_hint

SECTIONS = {"scores": "scores"} | HEADINGS
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
        partial = any(map(_gives_sets, self.models.values()))
        graded = any(one.graded for one in self.models.values())
        first = self._rows() if every else first_rows(self.measures, partial, graded)
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
        """Give every measure that some model has, below the headings of the sections."""
        every = pd.concat(self.measures.values())
        for section in dict.fromkeys([*SECTIONS, *every["section"]]):
            inside = every["value"][every["section"] == section].groupby(level=0, sort=False)
            names = [name for name, values in inside if values.notna().any()]
            if names:
                yield (SECTIONS.get(section, section), *("" for _ in self.models))
            for name in names:
                line = _Line(name, name.replace("_", " "), "", is_share=False)
                cells = (value_cell(table, line) for table in self.measures.values())
                yield (f"  {line.words}", *cells)

    def sentences(self) -> Iterator[str]:
        """Say how the answers of each model came about."""
        for name, one in self.models.items():
            prefix = f"{name}: " if len(self.models) > 1 else ""
            if one.answers:
                told = one.answers.endswith(".")
                yield prefix + (one.answers if told else f"Answers: {one.answers}.")
            else:
                yield f"{name}:{no_answers(one)}"
            for words in graded_words(one):
                yield prefix + words
            if one.chosen_here:
                yield prefix + _CHOSEN_HERE
                if one.rule is not None and one.rule.certificate is not None:
                    yield f"{prefix}What its certificate promises holds nevertheless."
            if one.bounds:
                yield prefix + rounding_words(one)
            if one.missing:
                done, what, lacking = ("Abstained on", "case", "score")
                if one.graded:
                    done, what, lacking = ("Escalated", "answer", "confidence")
                yield f"{prefix}{done} {counted(one.missing, what)} without a {lacking}."
            if name in self.by_costs_of and "cost" in self.measures[name].index:
                yield f"{prefix}The cost is by the costs that the rule was tuned for."

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Evaluation of {', '.join(map(repr, list(self.models)[:4]))}>"


def graded_words(one: Evidence) -> Iterator[str]:
    """Say what escalating does, how far a judge can be trusted, and what confidences mean."""
    if not one.graded or one.counts is None:
        return
    assert one.rule is not None
    counts = one.counts
    escalated, wrong = (counts.weight * each for each in (counts.size > 1, counts.truth == 0))
    both = float((wrong * (counts.size > 1)).sum())
    if escalated.sum() and wrong.sum():
        yield (
            f"Of the wrong answers {share(both / wrong.sum())} are escalated; of those escalated "
            f"{share(1 - both / escalated.sum())} would have been right."
        )
    cases = one.cases
    if cases is None:
        return
    if cases.answerable is not None and not cases.answerable.all():
        odd = ~cases.answerable
        answered = share(float(one.rule.accept(cases.score[odd]).mean()))
        yield f"Of {int(odd.sum()):,} that must not be answered {answered} are answered."
    known = cases.score[~cases.missing]
    if len(known) and 0 <= known.min() <= known.max() <= 1:
        right = cases.truth[~cases.missing].mean()
        yield f"The mean confidence is {share(known.mean())}; {share(right)} of these are right."
    if cases.judge is not None:
        yield from _judge_words(cases)


def _judge_words(cases: Cases) -> Iterator[str]:
    """Say how often a judge agrees with people, also in each group."""
    assert cases.judge is not None
    judged = cases.take(cases.judge >= 0)
    parts = {"The judge calls": judged}
    if judged.groups is not None:
        for group in sorted(set(judged.groups)):
            parts[f"In group {group} it calls"] = judged.take(judged.groups == group)
    for about, part in parts.items():
        said = []
        for code, words in ((0, "wrong"), (1, "right")):
            calls = part.judge[part.truth == code]  # type: ignore[index]
            if len(calls):
                found = float((calls == code).mean())
                ends = wilson(np.array(found), np.array(len(calls)), 0.95)
                low, high = (share(float(end)) for end in ends)
                most = f"{share(found)} ({low} to {high}) of {len(calls):,}"
                said.append(f"{most} {words} answers {words}")
        if said:
            yield f"{about} {' and '.join(said)}."


WEIGHTS = "weights sum to"
"""What stands in place of "cases" where rows have weights: nobody shall take a sum for people."""


class _Line(NamedTuple):
    """A measure, and what people call it."""

    measure: str
    words: str
    short: str
    is_share: bool = True


_ANSWERS = (
    _Line("coverage", "answered (coverage)", "answered"),
    _Line("selective_risk", "wrong among answers (selective risk)", "wrong among answers"),
    _Line("abstention", "abstained on (abstention)", "abstained on"),
)
# Where sets of some classes are answered, one class is the special case.
_SETS = (
    _Line("coverage", "answered with one class (determinacy)", "one class"),
    _Line("selective_risk", "wrong among these (selective risk)", "wrong of these"),
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


def _gives_sets(one: Evidence) -> bool:
    """Whether some answer is neither one class nor all of them."""
    counts = one.counts
    return counts is not None and bool(((counts.size != 1) & ~counts.vacuous).any())


def first_rows(
    measures: Mapping[str, pd.DataFrame], partial: bool, graded: bool
) -> Iterator[tuple[str, ...]]:
    """Give a row of text per measure, a column per model."""
    answered = any("coverage" in table.index for table in measures.values())
    lines = (*(_SETS if partial else _ANSWERS), _COST) if answered else _SCORES
    for line in lines:
        cells = [value_cell(table, line) for table in measures.values()]
        if any(cells):
            words = line.words.replace("abstained on", "escalated") if graded else line.words
            yield (words, *cells)


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
    frame = frame.assign(selective_risk=1 - frame["selective_accuracy"])
    lines = [line for line in (_SETS if partial else _ANSWERS) if line.measure in frame]
    if frame.index.name == "grade":  # all answers of one grade are wrong, or none
        lines = [line for line in lines if line.measure != "selective_risk"]
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
    return [str(frame.index.name), *(SHORT.get(name, name) for name in frame.columns)], rows


def value_cell(table: pd.DataFrame, line: _Line) -> str:
    """Show a measure of a model, with its interval if there is one."""
    if line.measure not in table.index:
        return ""
    value, low, high = table.loc[[line.measure], ["value", "low", "high"]].to_numpy()[0].tolist()
    if pd.isna(low):
        return _shown(value, line)
    return f"{_shown(value, line)} [{_shown(low, line)}, {_shown(high, line)}]"


def _shown(value: Any, line: _Line) -> str:
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


_OF_SCORES = ("positives", "auc", "vacc", "least_error")


def evaluate(
    predictions: Any,
    *,
    rule: Any = None,
    window: tuple[float, float] | None = None,
    confidence: float | str | Sequence[str] | None = None,
    utility: str | None = None,
    costs: CostsLike | None = None,
    measures: Sequence[str] = (),
    confidence_level: float | None = None,
    n_resamples: int = 1000,
    random_state: Any = 0,
    priors: Any = None,
    progress: Callable[[int, int], None] | None = None,
    **columns: Any,
) -> Evaluation:
    """Measure how good models are at answering, and at abstaining.

    Parameters
    ----------
    predictions : path, frame, mapping, Predictions or LogSummary
        Anything :func:`cautious.read_predictions` takes; or counts of a log of any size, as
        :func:`cautious.summarise` returns them, with the rules that are asked about here.
    rule : Rule, mapping of model names to rules, or path, optional
        How scores and probabilities become answers, for example what ``tune`` returned or
        wrote. By default the sets as given, or the most probable class. If it was tuned on these
        very cases, in whatever order, the result says so: they show it at its best; of a
        LogSummary this is not noticed. Where no column holds predictions by its name, each rule
        reads the column of scores that is named after its model.
    window : pair of float, optional
        Two classes: answer negative up to the first score, positive from the second, and abstain
        between.
    confidence : float, optional
        Abstain unless the most probable class is at least so probable. Of graded answers
        (`correct`) the columns of confidences.
    utility : str, optional
        Answer with the set of the greatest expected utility, such as "u65".
    costs : optional
        Add the cost per case, in any form of :func:`cautious.costs.as_costs`. Costs per case that
        the predictions carry, or else the costs that a `rule` was tuned for, are used unasked.
    measures : sequence of str, optional
        Only these measures, also of each group.
    confidence_level : float, optional
        Add intervals of this level, from a stratified bootstrap.
    n_resamples, random_state
        Of the bootstrap.
    priors : float, mapping or sequence in the order of the classes, optional
        Class probabilities to assume instead of the sample's: cases are weighed so that the classes
        have these shares. One number is the share of positives.
    progress : callable, optional
        Called with the number of steps done and their number.
    **columns
        Passed on to :func:`cautious.read_predictions` or :func:`cautious.summarise`: `truth`,
        `score`, `pos_label`, `empty` and the like.

    Returns
    -------
    Evaluation
        Print it for the measures that people ask for first; ``text(every=True)`` shows all, and
        ``frame()`` gives the numbers.

    Examples
    --------
    >>> import cautious
    >>> found = cautious.evaluate(
    ...     {"mine": ([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])}, window=(0.2, 0.8),
    ...     costs={"false_negative": 10, "false_positive": 2, "abstain": 1},
    ...     measures=["coverage", "selective_accuracy", "cost"],
    ... )
    >>> print(found)
                              mine
    cases                        4
    answers and abstentions
      coverage              0.5000
      selective accuracy         1
    what they are worth
      cost                  0.5000
    ...
    """
    if columns.get("correct") is not None:  # then it names columns
        columns["confidence"], confidence = confidence, None
    choice = RuleChoice.of(rule, window, confidence, utility)
    check_resamples(n_resamples)
    how = {"n_resamples": n_resamples, "random_state": random_state}
    level = None if confidence_level is None else check_level(confidence_level)
    bootstrap = None if level is None else how | {"confidence_level": level}
    for name in measures:
        if name not in (*_OF_SCORES, "cost"):
            get_measure(name)  # names the nearest ones, if there is no such measure
    if isinstance(costs, str | os.PathLike):
        costs = read_cost_table(costs)  # once for all models
    found, notes = count_models(predictions, choice, priors, columns)
    interval = bootstrap is not None and (not measures or "vacc" in measures)
    for evidence in found:
        notes += choice.notes(evidence.name, evidence.staircase)
    for evidence in found:
        notes += score_notes(evidence, interval=interval)
    # An answer may be none or a set, or no rule could make it so.
    may_abstain = (
        one.counts is None or one.rule is None or (one.counts.size > 1).any() for one in found
    )
    if choice == RuleChoice() and not any(may_abstain):
        advice = "Nothing is abstained on: give {=window}, {=confidence} or {=rule}."
        notes.append(Message(advice, key="advice"))
    priced = {one.name: _priced(one, costs) for one in found}
    done, total = count(1), len(found) * len(MEASURES)

    def advance() -> None:
        if progress is not None:  # intervals take their time
            progress(next(done), total)

    tables, by_class, by_group = {}, {}, {}
    for one in found:
        cost, counts = priced[one.name], one.counts
        rows = list(_rows(one, measures, bootstrap, cost, advance))
        tables[one.name] = _measured(one, measures, rows)
        if counts is not None and not measures:
            kind = "grade" if one.graded else "class"
            by_class[one.name] = _usual(counts, counts.truth, counts.classes.tolist(), kind)
        groups = _of_groups(one, list(tables[one.name].index) if measures else [], cost)
        if groups is not None:
            by_group[one.name] = groups
    return Evaluation(
        {one.name: one for one in found},
        tables,
        by_class,
        by_group,
        tuple({str(note): note for note in notes}.values()),
        tuple(measures),
        tuple(name for name, cost in priced.items() if cost.of_rule),
    )


class _Price(NamedTuple):
    """Costs, whether they are those of the rule, the answers they are about, and their groups."""

    costs: SetCosts | None = None
    of_rule: bool = False
    counts: SetCounts | None = None
    groups: Mapping[str, SetCounts] | None = None


def _priced(evidence: Evidence, costs: CostsLike | None) -> _Price:
    """Read costs: those given, those of the cases, or those that the rule was tuned for."""
    cases, of_rule = evidence.cases, False
    if costs is None and cases is not None and cases.costs is not None:
        costs = dict(cases.costs)
    elif costs is None and evidence.rule is not None and evidence.rule.costs is not None:
        costs, of_rule = evidence.rule.costs, True
    if costs is None:
        return _Price()
    read = as_costs(costs, evidence.classes, pos_label=evidence.pos_label)
    if not read.per_case:
        return _Price(read, of_rule, evidence.counts)
    if cases is None:
        raise InputError(
            "{=costs} differ per case, which counts of a log do not hold; give the same costs for "
            "all cases, or read the log into memory."
        )
    mask = answers_to(cases, evidence.rule)
    if mask is None:
        return _Price(read, of_rule)
    counts = SetCounts.of_cases(replace(cases, y_set=mask))
    groups = None if cases.groups is None else _by_name(counts, cases.groups)
    return _Price(read, of_rule, counts, groups)


# Measure, section, value and the ends of its interval.
_Row = tuple[str, str, float, float, float]


def _measured(evidence: Evidence, only: Sequence[str], rows: list[_Row]) -> pd.DataFrame:
    """Lay the measures of a model out: one row each, those asked for among them."""
    for name in only:
        if name not in {row[0] for row in rows}:
            raise InputError(
                "{name}: {measure} cannot be computed from these predictions.{why}",
                name=quoted(evidence.name, 60),
                measure=name,
                why=no_answers(evidence) if evidence.counts is None else "",
            )
    frame = pd.DataFrame(rows, columns=["measure", "section", "value", "low", "high"])
    known = list(SECTIONS)  # sections of one's own come last
    place = [known.index(one) if one in known else len(known) for one in frame["section"]]
    return frame.iloc[np.argsort(place, kind="stable")].set_index("measure")


def _rows(
    evidence: Evidence,
    only: Sequence[str],
    bootstrap: Mapping[str, Any] | None,
    price: _Price,
    advance: Callable[[], None],
) -> Iterator[_Row]:
    """Measure scores whatever thresholds are put on them, then answers, then what they cost."""
    surface = evidence.surface
    if surface is not None:
        values: dict[str, Callable[[], float]] = {
            "positives": lambda: surface.priors[1],
            "auc": surface.staircase.auc,
            "vacc": surface.vacc,
            # At these costs a mistake costs one, and abstaining too, so it never pays.
            "least_error": lambda: float(surface.cost(1.0, 1.0)),
        }
        of_scores = _OF_SCORES[:2] if evidence.graded else _OF_SCORES
        for name in [name for name in of_scores if not only or name in only]:
            low = high = math.nan
            if name == "vacc" and bootstrap is not None:
                with noted():
                    interval = surface.vacc_interval(**bootstrap)
                low, high = interval.low, interval.high
            yield name, "scores", values[name](), low, high
    sources = {SetCounts: evidence.counts, RiskCoverageCurve: evidence.risk}
    for entry in MEASURES.values():
        advance()
        counts = sources[entry.counts]
        wanted = entry.name in only if only else entry.section is not None
        if counts is None or not wanted or entry.missing_params():
            continue
        if "y_pred" in entry.needs and (evidence.counts.forced < 0).any():  # type: ignore[union-attr]
            continue
        yield entry.name, entry.section or "worth", *_value(counts, entry, bootstrap)
    if price.counts is not None and (not only or "cost" in only):
        entry = get_measure("set_cost")
        yield "cost", "worth", *_value(price.counts, entry, bootstrap, costs=price.costs)


def _value(
    counts: Any, entry: Measure, bootstrap: Mapping[str, Any] | None, **params: Any
) -> tuple[float, float, float]:
    """Compute a measure and the ends of its interval."""
    value = float(entry(counts, **params))
    if bootstrap is None:
        return value, math.nan, math.nan
    with noted():
        interval = interval_of_counts(counts, entry, **bootstrap, **params)
    return value, interval.low, interval.high


def _by_name(cases: SetCounts, groups: Any) -> dict[str, SetCounts]:
    """Give the cases of each group, the others without weight: costs per case stay in order."""
    names = np.array([str(group) or "(none)" for group in groups])
    return {str(name): cases.reweighted(cases.weight * (names == name)) for name in set(names)}


def _of_groups(one: Evidence, asked: Sequence[str], price: _Price) -> pd.DataFrame | None:
    """Measure each group: what was asked for by name, or else the usual measures."""
    if not asked and "parts" in one.counters:
        parts: tuple[SetCounts, Ints | None, list[str]] = one.counters["parts"]()
        return _usual(*parts, "group")
    if not asked or not one.groups:
        return None
    rows = []
    for name, each in one.groups.items():
        counts = each.counts if price.groups is None else price.groups.get(name)
        own = price._replace(counts=None if price.costs is None else counts)
        with undefined_allowed():  # a group may not allow it, as one with one class only
            found = _rows(each, asked, None, own, lambda: None)
            values = {row[0]: row[2] for row in found}
        rows.append({"n": each.n} | {measure: values.get(measure, math.nan) for measure in asked})
    return pd.DataFrame(rows, index=pd.Index(list(one.groups), name="group", dtype=object))


def _usual(counts: SetCounts, codes: Ints | None, names: list[Any], what: str) -> pd.DataFrame:
    """Compute the usual measures by the codes of classes or groups, or of each row of weights."""
    index = pd.Index(names, name=what, dtype=object)
    if codes is None:
        columns = {name: MEASURES[name](counts) for name in USUAL_MEASURES}
        return pd.DataFrame({"n": counts.n} | columns, index=index)
    usual = [(MEASURES[measure], dict[str, Any]()) for measure in USUAL_MEASURES]
    return measures_by_group(counts, codes, index, usual, margins=False)
