"""Evaluation: every measure that predictions allow, with intervals if asked for."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from cautious._cases import Cases
from cautious._random import check_resamples
from cautious._typing import as_number
from cautious.costs import SetCosts, as_costs
from cautious.costs._forms import CostsLike, read_cost_table
from cautious.curves import AbstentionCostSurface, RiskCoverageCurve
from cautious.errors import InputError, Message, quoted
from cautious.evaluation._evidence import Evidence, RuleChoice, count_models, noted
from cautious.evaluation.measured_models import SECTIONS, Evaluation, no_answers
from cautious.metrics import MEASURES, SetCounts
from cautious.metrics._bootstrap_intervals import interval_of_counts
from cautious.metrics._printed_report import USUAL_MEASURES
from cautious.metrics._registry import get_measure

_SCORES = ("positives", "auc", "vacc", "least_error")


class _Bootstrap(NamedTuple):
    confidence_level: float
    n_resamples: int
    random_state: Any

    @classmethod
    def of(cls, level: float | None, n_resamples: int, random_state: Any) -> _Bootstrap | None:
        """Check what intervals are asked for; None if none are."""
        check_resamples(n_resamples)
        if level is None:
            return None
        if not 0 < as_number(level, "confidence_level") < 1:
            raise InputError(
                "{=confidence_level} is {given}; give a level between 0 and 1, such as 0.95.",
                given=level,
            )
        return cls(level, n_resamples, random_state)


def evaluate(
    predictions: Any,
    *,
    rule: Any = None,
    window: tuple[float, float] | None = None,
    confidence: float | None = None,
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
        Abstain unless the most probable class is at least so probable.
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
    choice = RuleChoice.of(rule, window, confidence, utility)
    bootstrap = _Bootstrap.of(confidence_level, n_resamples, random_state)
    for name in measures:
        if name not in (*_SCORES, "cost"):
            get_measure(name)  # names the nearest ones, if there is no such measure
    if isinstance(costs, str | os.PathLike):
        costs = read_cost_table(costs)  # once for all models
    counted = count_models(predictions, choice, priors, columns)
    interval = bootstrap is not None and (not measures or "vacc" in measures)
    notes = [*counted.notes, *counted.score_notes(choice, interval=interval)]
    found = counted.models
    if choice == RuleChoice() and not any(map(_may_abstain, found)):
        advice = "Nothing is abstained on: give {=window}, {=confidence} or {=rule}."
        notes.append(Message(advice, key="advice"))
    priced = {one.name: _priced(one, costs, counted.cases.get(one.name)) for one in found}
    steps = _Steps(progress, len(found) * len(MEASURES))
    tables, by_class, by_group = {}, {}, {}
    for one in found:
        cost = priced[one.name]
        tables[one.name] = _measured(one, tuple(measures), bootstrap, cost, steps)
        if one.counts is not None and not measures:
            by_class[one.name] = _by_class(one.counts)
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


def _may_abstain(one: Evidence) -> bool:
    """Whether some answer is none or a set, or no rule could make it so."""
    if one.counts is None or one.rule is None:
        return True
    return bool((one.counts.size > 1).any())


class _Price(NamedTuple):
    """Costs, the answers they are about, their groups, and whether they are those of the rule."""

    costs: SetCosts | None = None
    counts: SetCounts | None = None
    groups: Mapping[str, SetCounts] | None = None
    of_rule: bool = False


def _priced(evidence: Evidence, costs: CostsLike | None, cases: Cases | None) -> _Price:
    """Read costs: those given, those of the cases, or those that the rule was tuned for."""
    of_rule = False
    if costs is None and cases is not None and cases.costs is not None:
        costs = dict(cases.costs)
    elif costs is None and evidence.rule is not None and evidence.rule.costs is not None:
        costs, of_rule = evidence.rule.costs, True
    if costs is None:
        return _Price()
    read = as_costs(costs, evidence.classes, pos_label=evidence.pos_label)
    if not read.per_case:
        return _Price(read, evidence.counts, None, of_rule)
    if cases is None:
        raise InputError(
            "{=costs} differ per case, which counts of a log do not hold; give the same costs for "
            "all cases, or read the log into memory."
        )
    mask = evidence.answers_to(cases)
    if mask is None:
        return _Price(read, None, None, of_rule)
    counts = SetCounts.of_cases(replace(cases, y_set=mask))
    groups = None if cases.groups is None else _by_name(counts, cases.groups)
    return _Price(read, counts, groups, of_rule)


_Row = tuple[str, str, float, float, float]


class _Steps:
    """Progress through the measures of all models; intervals take their time."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self.progress, self.done, self.total = progress, 0, total

    def advance(self) -> None:
        """Count one more measure."""
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _measured(
    evidence: Evidence,
    only: Sequence[str],
    bootstrap: _Bootstrap | None,
    price: _Price,
    steps: _Steps,
) -> pd.DataFrame:
    """Measure a model: one row per measure."""
    rows = [
        *_of_scores(evidence.surface, only, bootstrap),
        *_of_counts(evidence, only, bootstrap, steps),
        *_of_costs(price.counts, only, bootstrap, price.costs),
    ]
    for wanted in only:
        if wanted not in {row[0] for row in rows}:
            raise InputError(
                "{name}: {wanted} cannot be computed from these predictions.{why}",
                name=quoted(evidence.name, 60),
                wanted=wanted,
                why=no_answers(evidence) if evidence.counts is None else "",
            )
    frame = pd.DataFrame(rows, columns=["measure", "section", "value", "low", "high"])
    known = list(SECTIONS)  # sections of one's own come last
    place = [known.index(one) if one in known else len(known) for one in frame["section"]]
    return frame.iloc[np.argsort(place, kind="stable")].set_index("measure")


def _of_scores(
    surface: AbstentionCostSurface | None, only: Sequence[str], bootstrap: _Bootstrap | None
) -> Iterator[_Row]:
    """Measure scores of two classes, whatever thresholds are put on them."""
    if surface is None:
        return
    values = {
        "positives": surface.priors[1],
        "auc": surface.staircase.auc(),
        "vacc": surface.vacc(),
        # At these costs a mistake costs one, and abstaining too, so it never pays.
        "least_error": float(surface.cost(1.0, 1.0)),
    }
    for name in _SCORES:
        if only and name not in only:
            continue
        low = high = math.nan
        if name == "vacc" and bootstrap is not None:
            with noted():
                interval = surface.vacc_interval(**bootstrap._asdict())
            low, high = interval.low, interval.high
        yield name, "scores", values[name], low, high


def _of_counts(
    evidence: Evidence, only: Sequence[str], bootstrap: _Bootstrap | None, steps: _Steps
) -> Iterator[_Row]:
    sources = {SetCounts: evidence.counts, RiskCoverageCurve: evidence.risk}
    for entry in MEASURES.values():
        steps.advance()
        counts = sources[entry.counts]
        wanted = entry.name in only if only else entry.section is not None
        if counts is None or not wanted or entry.missing_params():
            continue
        if "y_pred" in entry.needs and (evidence.counts.forced < 0).any():  # type: ignore[union-attr]
            continue
        low, high = _interval(counts, entry, bootstrap)
        yield entry.name, entry.section or "worth", float(entry(counts)), low, high


def _of_costs(
    counts: SetCounts | None,
    only: Sequence[str],
    bootstrap: _Bootstrap | None,
    costs: SetCosts | None,
) -> Iterator[_Row]:
    """Cost per case of the answers."""
    if costs is None or counts is None or (only and "cost" not in only):
        return
    entry = get_measure("set_cost")
    low, high = _interval(counts, entry, bootstrap, costs=costs)
    yield "cost", "worth", float(entry(counts, costs=costs)), low, high


def _interval(
    counts: Any, entry: Any, bootstrap: _Bootstrap | None, **params: Any
) -> tuple[float, float]:
    if bootstrap is None:
        return math.nan, math.nan
    with noted():
        interval = interval_of_counts(counts, entry, **bootstrap._asdict(), **params)
    return interval.low, interval.high


def _by_class(counts: SetCounts) -> pd.DataFrame:
    """Compute the usual measures of each true class."""
    labels = counts.classes.tolist()
    return _usual(
        {label: counts.where(counts.truth == k) for k, label in enumerate(labels)}, "class"
    )


def _by_name(cases: SetCounts, groups: Any) -> dict[str, SetCounts]:
    """Give the cases of each group, the others without weight: costs per case stay in order."""
    names = np.array([str(group) or "(none)" for group in groups])
    return {str(name): cases.reweighted(cases.weight * (names == name)) for name in set(names)}


def _of_groups(one: Evidence, asked: Sequence[str], price: _Price) -> pd.DataFrame | None:
    """Measure each group: what was asked for by name, or else the usual measures."""
    counted = {name: each.counts for name, each in one.groups.items() if each.counts is not None}
    if not asked:
        return _usual(counted, "group") if counted else None
    if not one.groups:
        return None
    cases = counted if price.groups is None else price.groups
    rows = []
    for name, each in one.groups.items():
        with warnings.catch_warnings():  # a group may not allow it, as one with one class only
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            values = {
                row[0]: row[2]
                for row in (
                    *_of_scores(each.surface, asked, None),
                    *_of_counts(each, asked, None, _Steps(None, 0)),
                    *_of_costs(cases.get(name), asked, None, price.costs),
                )
            }
        rows.append({"n": each.n} | {measure: values.get(measure, math.nan) for measure in asked})
    return pd.DataFrame(rows, index=pd.Index(list(one.groups), name="group", dtype=object))


def _usual(parts: Mapping[Any, SetCounts], name: str) -> pd.DataFrame:
    rows = [
        {"n": float(counts.n)}
        | {measure: float(MEASURES[measure](counts)) for measure in USUAL_MEASURES}
        for counts in parts.values()
    ]
    return pd.DataFrame(rows, index=pd.Index(list(parts), name=name, dtype=object))
