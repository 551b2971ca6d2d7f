"""Tuning: the thresholds of each model for costs or for a budget."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cautious._cases import Cases, data_digest
from cautious._checks import check_share
from cautious._labels import label_text
from cautious._random import as_generator
from cautious._result import Result
from cautious._text import TextTable, number, share
from cautious._typing import Floats, RandomState, as_floats, as_number
from cautious.costs._forms import CostsLike, read_cost_table
from cautious.curves import Staircase
from cautious.curves._hull import kept_scores
from cautious.curves._staircase import direction_notes, read_priors
from cautious.curves._window import binary_costs
from cautious.decision import Rule
from cautious.decision._rule_json import exchange_details, rules_to_json
from cautious.errors import InputError, Message, counted, quoted
from cautious.guarantees import Certificate, certify
from cautious.guarantees._judged import JudgeMethod
from cautious.guarantees._limits import LIMIT_ARGUMENTS
from cautious.guarantees._tallies import Certified
from cautious.predictions import read_predictions
from cautious.predictions._probabilities import per_cent_hint, per_cent_notes
from cautious.predictions._reader import copy_notes, judged_apart
from cautious.tuning._cross_fitting import LEAST_GROUPS, CrossFit, Expected, TooFewCases, cross_fit
from cautious.tuning._goal import BUDGETS, QUANTITIES, FoundRule, Goal
from cautious.tuning._search import search_cases
from cautious.tuning._winners import IN_WORDS, best_model


class _NoRuleError(InputError, AttributeError):
    """There is no rule, or not one: ``hasattr(tuned, "rule")`` is False."""


@dataclass(frozen=True, repr=False)
class Tuning(Result):
    """Rules that were found, what they will do on new cases, and what they do on these.

    Attributes
    ----------
    found : dict of str to FoundRule
        The rule of each model, with its cost, abstention and error on the cases that it was chosen
        on. They are too low for new cases.
    goal : dict
        What was asked for.
    best : str or None
        The model that is expected to do best on new cases; None if it cannot be told apart from
        another, or if nothing is expected.
    notes : tuple of Message
        What was guessed or looks odd; printed below the table.
    expected : dict of str to Expected
        What each rule is expected to do on new cases, with intervals. A model of which too few
        cases are known is not there, and a note says so.
    certificates : dict of str to Certificate
        What is promised of each rule, if that was asked for. A model of which nothing can be
        promised has no rule; its certificate says how many cases could be enough.
    verdict : str
        Which model is best, in words.
    grouped : bool
        Whether something is promised of cases that come in groups, such as those of one patient.
    by_class : dict of str to DataFrame
        What a rule within limits does with the cases of each class, which one number hides: their
        share of all cases, how many of them are abstained on, and how many of the answers to them
        are wrong. Expected on new cases where that is known, and else counted on these.

    Examples
    --------
    >>> import cautious
    >>> found = cautious.tune(
    ...     {"mine": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])},
    ...     costs={"false_negative": 10, "false_positive": 4, "abstain": 1},
    ... )
    >>> print(found.rule.describe())
    Answer 1 where the score is at least 0.65, 0 where it is at most 0.3; abstain between.
    """

    found: Mapping[str, FoundRule]
    goal: Mapping[str, Any]
    best: str | None
    notes: tuple[Message, ...] = ()
    expected: Mapping[str, Expected] = field(default_factory=dict)
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    verdict: str = ""
    grouped: bool = False
    by_class: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def constant(self) -> dict[str, tuple[Any, float]]:
        """The best single answer to all cases, beside limits, and how often it would be wrong."""
        best = {}
        for name, table in self.by_class.items():
            share = table["share"].iloc[list(self.found[name].rule.answers)]
            best[name] = share.idxmax(), 1 - float(share.max())
        return best

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules by model."""
        return {name: found.rule for name, found in self.found.items()}

    @property
    def rule(self) -> Rule:
        """The rule of the only model there is."""
        if len(self.found) > 1:
            raise _NoRuleError(
                "there are the models {models}; take one of .rules.", models=list(self.found)
            )
        self._check_found()
        return next(iter(self.found.values())).rule

    def _check_found(self) -> None:
        """Refuse to give a rule where none could be certified."""
        if not self.found:
            words = " ".join(
                f"{name}: {certificate}" for name, certificate in self.certificates.items()
            )
            raise _NoRuleError("there is no rule to give. {words}", words=words)

    def frame(self) -> pd.DataFrame:
        """One row per model: its thresholds, and what they do.

        ``cost``, ``abstention``, ``error`` and ``selective_error`` are expected on new cases,
        within ``cost_low`` and ``cost_high`` and so on; ``apparent_cost`` and so on were measured
        on the cases that the rule was chosen on, and stand alone where nothing is expected.
        """
        frames = [pd.DataFrame(columns=["model"])] if not self.found else []
        for name, found in self.found.items():
            row = found.frame()
            quantities = [key for key in QUANTITIES if key in row]
            apparent = row[quantities].add_prefix("apparent_")
            row = row.drop(columns=quantities)
            for key in quantities if self.expected else ():
                interval = getattr(self.expected.get(name), key, None)
                for column, of in _ENDS.items():
                    row[key + column] = getattr(interval, of, math.nan)
            frames.append(pd.concat([row, apparent], axis=1).assign(model=name))
        return pd.concat(frames).set_index("model")

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the rules as JSON, to a file too if a path is given; ``evaluate`` reads them.

        Certificates are written with their rules.

        Examples
        --------
        >>> import cautious
        >>> y, p = [0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7]
        >>> found = cautious.tune({"mine": (y, p)}, max_error=0.1)
        >>> cautious.decision.Rule.from_json(found.to_json()) == found.rule
        True
        """
        self._check_found()
        return rules_to_json(self.rules, path)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        expected = {name: one.frame().to_dict("index") for name, one in self.expected.items()}
        certificates = {name: one.to_dict() for name, one in self.certificates.items()}
        return {
            "goal": dict(self.goal),
            "best": self.best,
            "verdict": self.verdict,
            "models": {
                name: _record(found) | {"expected": expected.get(name)} | self._hidden(name)
                for name, found in self.found.items()
            },
        } | ({"certificates": certificates} if certificates else {})

    def _hidden(self, name: str) -> dict[str, Any]:
        """Say in plain data what a limit on a rule hides."""
        if name not in self.by_class:
            return {}
        label, error = self.constant[name]
        table = self.by_class[name].rename(index=label_text)
        constant = {"answer": label_text(label), "error": error}
        return {"by_class": table.to_dict("index"), "constant": constant}

    def tables(self) -> Iterator[TextTable]:
        """Tables for people: a title, headings, and rows of text."""
        if not self.found:
            return
        thresholds = pd.concat([found.frame() for found in self.found.values()])
        with_costs = "cost" in thresholds
        names = [name for name in thresholds.columns if name not in QUANTITIES]
        if len(names) > _THRESHOLDS_SHOWN:
            names = []
        titles, abstained = _HEADINGS, "abstained on"
        if any(found.rule.graded for found in self.found.values()):
            titles, abstained = titles | {"threshold": "answer from"}, "escalated"
        headings = ["model", *(titles.get(name, name.replace("_", " ")) for name in names)]
        headings += [abstained, "wrong", "wrong among answers"]
        headings += ["cost per case"] if with_costs else []
        headings += ["cost on these cases"] if with_costs and self.expected else []
        rows = []
        # What is expected on new cases or, if that is known of no model, what was seen.
        shown = self.frame() if self.expected else thresholds
        records = (table.to_dict("records") for table in (thresholds, shown))
        for name, row, values in zip(self.found, *records, strict=True):
            cells = [str(name), *(number(row[key]) for key in names)]
            cells += [share(values[key]) for key in QUANTITIES if key != "cost"]
            cells += [number(values["cost"])] if with_costs else []
            cells += [number(row["cost"])] if with_costs and self.expected else []
            rows.append(tuple(cells))
        yield "", headings, rows
        for name, table in self.by_class.items():
            worst = table.nlargest(_CLASSES_SHOWN, "selective_error")
            shown = table if len(table) <= _CLASSES_SHOWN else worst
            about = "" if len(self.found) == 1 else f"{name}: "
            where = "expected on new cases" if name in self.expected else "on these cases"
            what, headings = "true class", ["class", "share of cases", abstained]
            headings.append("wrong among answers")
            if self.found[name].rule.graded:  # all of them are wrong, or none
                what, shown, headings = "grade", shown.iloc[:, :2], ["grade", *headings[1:3]]
            rows = [
                (label_text(label), *map(share, numbers))
                for label, *numbers in shown.itertuples(name=None)
            ]
            yield f"{about}by {what}, {where}", headings, rows

    def sentences(self) -> Iterator[str]:
        """Say what the rules do, and which model does best."""
        graded = any(found.rule.graded for found in self.found.values())
        for name, certificate in self.certificates.items():
            about = "" if len(self.certificates) == 1 else f"{name}: "
            yield about + str(certificate).replace("\n", " ")
        if any(certificate.granted for certificate in self.certificates.values()):
            yield "The table counts all cases; the promise rests on its calibration cases alone."
            if self.grouped:
                yield (
                    "The cases come in groups, and the promise takes every case for a draw of its "
                    "own. If those of one group are alike, it is too bold: give one per group."
                )
        if len(self.certificates) > 1:
            together = f"{100 * self.goal['confidence_level']:g} %"
            yield (
                f"Each of the {len(self.certificates)} models was tested at a higher level, so "
                f"that all promises hold together with {together} confidence."
            )
        if len(self.found) == 1:
            yield next(iter(self.found.values())).rule.describe()
        if self.verdict:
            yield self.verdict
        if self.best is not None and len(self.found) > 1:
            yield self.found[self.best].rule.describe()
        if "arrivals" in self.goal:
            most, come = number(self.goal["max_abstention"]), number(self.goal["arrivals"])
            what = "escalations" if graded else "abstentions"
            yield f"That is for at most {most} {what} a day, where {come} cases come."
        for name, (label, error) in self.constant.items():
            about = "" if len(self.found) == 1 else f"{name}: "
            if self.found[name].rule.graded:
                yield f"{about}If every answer went out, {share(error)} would be wrong."
                continue
            answer = f"{'the' if about else 'The'} single answer {label_text(label)}"
            yield f"{about}{answer} to all cases errs on {share(error)}."
        silent = [name for name, found in self.found.items() if found.abstention == 1]
        for name in silent:
            yield f"{name} answers nothing under this rule."
        for name, expected in self.expected.items():
            about = "Expected" if len(self.found) == 1 else f"{name}: expected"
            level = f"{100 * expected.abstention.confidence_level:g} %"
            known = [
                f"{words} {show(one.estimate)} ({show(one.low)} to {show(one.high)})"
                for quantity, (words, show) in IN_WORDS.items()
                if (one := getattr(expected, quantity)) is not None and not np.isnan(one.estimate)
            ]
            words = "; ".join(known)
            words = words.replace("abstained on", "escalated") if graded else words
            yield f"{about} on new cases: {words}. These are {level} intervals."
        if self.expected and self.goal.get("max_error") is not None:
            yield (
                "The limit on errors was met on these cases and is not promised for new ones; "
                "a confidence level asks for a promise."
            )
        if len(self.expected) + len(self.certificates) < len(self.found):
            yield "Measured on the cases that the rule was chosen on; new ones will be worse."

    def __repr__(self) -> str:
        return f"<Tuning of {', '.join(map(repr, list(self.found)[:4]))}>"


# More thresholds than this are in the rule, and not in the table.
_THRESHOLDS_SHOWN = 8
# Of more classes than this, those that are answered worst are shown.
_CLASSES_SHOWN = 8
_ENDS = {"": "estimate", "_low": "low", "_high": "high"}
_HEADINGS = {"lower": "negative up to", "upper": "positive from", "threshold": "probability from"}


def tune(
    predictions: Any,
    *,
    costs: CostsLike | None = None,
    max_abstention: float | None = None,
    max_error: float | None = None,
    min_saving: float | None = None,
    max_missed: float | None = None,
    min_ppv: float | None = None,
    min_npv: float | None = None,
    per: Any = "answer",
    arrivals: float | None = None,
    priors: Any = None,
    honest: bool = True,
    n_repeats: int | None = None,
    confidence_level: float | None = None,
    by_group: bool = False,
    judge_method: JudgeMethod = "betting",
    random_state: RandomState = 0,
    **columns: Any,
) -> Tuning:
    """Find the thresholds at which each model should abstain.

    Parameters
    ----------
    predictions : path, frame, mapping or Predictions
        Anything :func:`cautious.read_predictions` takes, on cases that no model was fitted on.
    costs : optional
        What mistakes and abstaining cost, in any form of :func:`cautious.costs.as_costs`. Costs
        per case that the predictions carry are used unasked.
    max_abstention : float, optional
        Largest share of cases to abstain on, while mistakes are as few as possible; with
        ``per="day"`` how many cases a day may be abstained on.
    max_error : float, optional
        Largest share of mistakes, while as little as possible is abstained on: on these cases or,
        with a `confidence_level`, on new ones.
    min_saving : float, optional
        Part of the mistakes (or of their cost) without abstention that has to go.
    max_missed : float, optional
        Two classes, with a `confidence_level`: promise that at most this share of the positive
        cases are answered negative.
    min_ppv, min_npv : float, optional
        Two classes, with a `confidence_level`: promise that at least this share of the positive,
        or of the negative, answers are right.
    per : {"answer", "case", "day"}, default="answer"
        Whether mistakes are counted among the answers or among all cases; "day" is "answer", and
        `max_abstention` counts cases per day.
    arrivals : float, optional
        With ``per="day"``: how many cases come in a day.
    priors : float, mapping or sequence in the order of the classes, optional
        Class probabilities to assume instead of the sample's; one number is the share of positives.
    honest : bool, default=True
        Whether to estimate, by cross-fitting, what the rules will do on new cases. It takes forty
        more searches, ten for very many cases; without it there is only what they do on the cases
        they were chosen on, which is better.
    confidence_level : float, optional
        With `max_error`, `max_missed`, `min_ppv` or `min_npv`: promise, with this confidence, that
        all the limits given hold on new cases (:func:`cautious.guarantees.certify`);
        `max_abstention` may be among them. A rule that can be promised less than asked for is not
        given; the certificate then says how many cases could be enough. Without such a limit it is
        the level of intervals, .95 by default.
    by_group : bool, default=False
        Let a promise hold in each group of the cases.
    judge_method : {"betting", "measured"}, default="betting"
        How a judge's grades (column `judge`) help a promise of `max_error` where people have
        graded a few answers only, chosen by chance: by a proof, or by an estimate that was measured
        to keep its level and is stronger where the judge is right in 97 % or more.
    n_repeats, random_state
        Of the cross-fitting. Weights are how much
        each case counts. Groups, if there are at least ten with each class, are kept together.
    **columns
        Passed on to :func:`cautious.read_predictions`.

    Returns
    -------
    Tuning
        Print it; ``rule`` (or ``rules``) is what to deploy, ``to_json`` writes it.

    See Also
    --------
    find_rule : the search, on arrays.
    cautious.models.TunedAbstainingClassifierCV : the same search inside an estimator.

    Examples
    --------
    >>> import cautious
    >>> found = cautious.tune(
    ...     {"mine": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])},
    ...     costs={"false_negative": 10, "false_positive": 4, "abstain": 1},
    ... )
    >>> print(found)
    model  negative up to  positive from  abstained on  wrong  wrong among answers  cost per case
    mine           0.3000         0.6500        33.3 %    0 %                  0 %         0.3333
    ...
    """
    if hasattr(predictions, "cost_surface"):
        raise TypeError(
            f"predictions is a {type(predictions).__name__}, which holds counts; tune needs the "
            "cases themselves. For costs take summary.cost_surface().for_costs(costs), for a "
            "promise summary.certify(max_error=...)."
        )
    shares = {
        "max_abstention": max_abstention,
        "max_error": max_error,
        "min_saving": min_saving,
        "max_missed": max_missed,
        "min_ppv": min_ppv,
        "min_npv": min_npv,
    }
    per_day = {}
    if per == "day" or arrivals is not None:
        per_day = {"max_abstention": max_abstention, "per": per, "arrivals": arrivals}
        shares["max_abstention"], per = _share_per_day(**per_day), "answer"
    shares = {name: share for name, share in shares.items() if share is not None}
    if isinstance(costs, str | os.PathLike):
        costs = read_cost_table(costs)
    elif isinstance(costs, Mapping):  # of numbers that may be text
        amounts = {key: as_floats(cost, f"costs[{key!r}]", "costs") for key, cost in costs.items()}
        costs = {key: cost if cost.ndim else float(cost) for key, cost in amounts.items()}
    limits = {name: shares[name] for name in LIMIT_ARGUMENTS if name in shares}
    unsure = [name for name in shares if name not in BUDGETS]
    if confidence_level is None and unsure:
        raise InputError(
            "{==name} is given without {=confidence_level}; it is a promise about new cases, "
            "so say how sure it has to be, for example 0.95.",
            name=unsure[0],
        )
    level = 0.95 if confidence_level is None else check_share(confidence_level, "confidence_level")
    # A limit on abstaining alone is a budget.
    is_promise = confidence_level is not None and bool({*limits} - {"max_abstention"})
    goal: dict[str, Any] = shares | per_day
    if costs is not None:
        goal["costs"] = dict(costs) if isinstance(costs, Mapping) else "as given"
    if is_promise:
        goal["confidence_level"] = level
    wishes = _Wishes(
        shares,
        limits if is_promise else {},
        costs,
        per,
        priors,
        level,
        honest,
        n_repeats,
        random_state,
        by_group,
        judge_method,
    )
    read = read_predictions(predictions, **columns)
    # What happens to cases without a score is said once, of each model; see _notes.
    notes = [note for note in read.notes if not note.key.startswith("missing")]
    if is_promise:
        notes += copy_notes(predictions, read, **columns)
    tuned = {
        name: _tuned(cases, wishes, len(read), read.columns_of(name))
        for name, cases in read.items()
    }
    found = {name: model.found for name, model in tuned.items() if model.found is not None}
    fits = {name: model.fit for name, model in tuned.items() if model.fit is not None}
    best, verdict = best_model(found, fits, goal, level)
    notes += (apart := judged_apart([*read.values()]))
    if apart and len(found) > 1:
        verdict += " They were judged on different cases, and the difference may be one of these."
    notes += [note for model in tuned.values() for note in model.notes]
    return Tuning(
        found,
        goal,
        best,
        tuple({str(note): note for note in notes}.values()),
        {name: fit.expected(level) for name, fit in fits.items()},
        {name: model.certificate for name, model in tuned.items() if model.certificate is not None},
        verdict,
        is_promise and any(_groups(cases) is not None for cases in read.values()),
        {name: model.by_class for name, model in tuned.items() if model.by_class is not None},
    )


def _share_per_day(max_abstention: Any, per: Any, arrivals: Any) -> float:
    """Turn cases per day that may be abstained on into a share of those that come."""
    if per != "day":
        raise InputError(
            "{=arrivals} is given, but {=max_abstention} is a share of the cases; give {=per day} "
            "for cases per day, or leave {=arrivals} out."
        )
    for name, given in (("max_abstention", max_abstention), ("arrivals", arrivals)):
        if given is None:
            raise InputError(
                "{=per day} is given without {==name}; give {=max_abstention}, how many cases a "
                "day may be abstained on, and {=arrivals}, how many come.",
                name=name,
            )
    most, come = as_number(max_abstention, "max_abstention"), as_number(arrivals, "arrivals")
    if not (0 < come < math.inf and 0 <= most <= come):
        raise InputError(
            "{=max_abstention} is {most} and {=arrivals} is {come}, in cases per day; some must "
            "come, and no more than those can be abstained on.",
            most=f"{most:g}",
            come=f"{come:g}",
        )
    return most / come


# Beyond this share of all amounts a single case says too little about others like it.
_MOST_OF_ONE_CASE = 0.1
# A fifth of the cases fixes the candidates; of fewer there would be hardly one.
_LEAST_PROMISED = 10
# Where a limit cannot be promised, the first of these that can is named.
_LOOSER_LIMITS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
_LEAST_OTHERS = 100


class _Wishes(NamedTuple):
    """What is asked of the rules of all models; ``limits`` are the shares to be promised."""

    shares: Mapping[str, Any]
    limits: Mapping[str, Any]
    costs: Any
    per: Any
    priors: Any
    level: float
    honest: bool
    n_repeats: int | None
    random_state: RandomState
    by_group: bool
    judge_method: JudgeMethod


class _Tuned(NamedTuple):
    """The rule of one model, what is promised of it or seen in cross-fitting, and notes."""

    notes: list[Message]
    found: FoundRule | None = None
    fit: CrossFit | None = None
    certificate: Certificate | None = None
    by_class: pd.DataFrame | None = None


def _tuned(cases: Cases, wishes: _Wishes, n_models: int, columns: Mapping[str, Any]) -> _Tuned:
    """Find the rule of one model."""
    if cases.missing.all():
        raise InputError("{name} has no case with a score.", name=quoted(cases.name, 60))
    for name, given in (("judge", cases.judge is not None), ("by_group", wishes.by_group)):
        if given and not wishes.limits:
            raise InputError(
                "{==name} is given, but only a promise needs it; give a limit such as {=max_error} "
                "with {=confidence_level}, or leave {==name} out.",
                name=name,
            )
    if wishes.by_group and cases.groups is None:
        raise InputError("{=by_group} asks for groups; name their column with {=groups}.")
    if cases.y_score is None and cases.y_proba is None:
        raise InputError(
            "{name} gives sets, but neither scores nor probabilities; there is no threshold to "
            "tune.",
            name=quoted(cases.name, 60),
        )
    # Answers without a confidence are escalated, and count; other cases without a score do not.
    known = cases if cases.graded or not cases.missing.any() else cases.take(~cases.missing)
    own_costs = None if wishes.shares.keys() & {*BUDGETS} else known.costs
    if wishes.costs is None and own_costs is not None:
        wishes = wishes._replace(costs=dict(own_costs))
    tuned = _promised(cases, known, wishes, n_models) if wishes.limits else _searched(known, wishes)
    if tuned.found is None:
        return tuned
    data = {"n": cases.n, "digest": data_digest(cases), **(tuned.found.rule.data or {})}
    rule = exchange_details(tuned.found.rule, model=cases.name, data=data, columns=columns or None)
    notes = [*tuned.notes, *_notes(cases, tuned.found)]
    if not (wishes.limits or cases.graded):
        notes += per_cent_notes(cases.name, cases.y_score)
    return tuned._replace(found=replace(tuned.found, rule=rule), notes=notes)


def _searched(cases: Cases, wishes: _Wishes) -> _Tuned:
    """Find the rule that is best on the cases, and say what it will do on new ones."""
    priors = None if wishes.priors is None else read_priors(wishes.priors, cases.classes)
    goal = Goal(wishes.costs, **wishes.shares, per=wishes.per, priors=priors)
    searched = search_cases(replace(cases, groups=_groups(cases)), goal)
    found, notes = searched.found, list[Message]()
    if cases.y_score is not None:
        notes += _direction_notes(cases, searched.staircase)
    fit = None
    if wishes.honest:
        try:
            fit = cross_fit(searched, n_repeats=wishes.n_repeats, random_state=wishes.random_state)
        except TooFewCases as refused:
            words = "nothing is said about new cases: {reason}"
            notes.append(_note(cases, words, reason=refused.message))
    if fit is not None and searched.costs is not None and searched.costs.per_case:
        assert searched.losses is not None
        costliest = searched.share * searched.losses.max(axis=1)
        if costliest.max() > _MOST_OF_ONE_CASE * costliest.sum():
            words = "one case holds {share} of all that mistakes could cost; the intervals "
            words += "of the cost may be too short"
            part = share(float(costliest.max() / costliest.sum()))
            notes.append(_note(cases, words, share=part))
    by_class = None
    if wishes.shares:
        cells = searched.cells(searched.answer) if fit is None else fit.expected_cells(1)
        by_class = _by_class(searched.cases.classes, cells)
    return _Tuned(notes, found, fit, by_class=by_class)


def _promised(cases: Cases, known: Cases, wishes: _Wishes, n_models: int) -> _Tuned:
    """Find the rule that answers most among those of which all limits can be promised."""
    _check_promise(cases, known, wishes)
    limits = dict(wishes.limits)
    if wishes.per == "case" and "max_error" in limits:
        limits["max_error_per_case"] = limits.pop("max_error")
    has_scores = known.y_score is not None
    values = known.score if has_scores else known.proba
    # Whoever tries many models finds one that looks good; so all promises hold together.
    level = 1 - (1 - wishes.level) / n_models
    # Candidates are confidences of ungraded answers, where there are enough.
    rest = cases.ungraded
    if rest is not None and rest.n >= _LEAST_OTHERS and not wishes.by_group:
        limits["other_scores"] = rest.score
    # Scores that are no probabilities have no confidence that one threshold could be on.
    two = has_scores and not (cases.graded or 0 <= values.min() <= values.max() <= 1)
    certify_limits = partial(
        certify,
        cases if wishes.by_group else replace(cases, groups=None),
        confidence_level=level,
        thresholds="two" if two else "one",
        random_state=int(as_generator(wishes.random_state).integers(2**31)),
        judge_method=wishes.judge_method,
    )
    certified = certify_limits(**limits)
    stairs, notes = None, [*_margin_notes(cases)]
    if len(cases.classes) == 2:
        stairs = Staircase.of(replace(known, y_score=values if has_scores else values[:, 1]))
        notes[:0] = _direction_notes(cases, stairs) if has_scores else ()
    if certified.rule is None:
        if (limit := _looser_limit(certify_limits, limits)) is not None:
            words = "{limit} could have been promised from these cases; to promise a limit "
            words += "that is chosen after looking at them takes other cases"
            notes.append(_note(cases, words, limit=f"{100 * limit:g} %"))
        return _Tuned(notes, certificate=certified.certificate)
    data: dict[str, Any] = {"goal": {**wishes.limits, "per": wishes.per}}
    data |= {} if stairs is None or cases.graded else kept_scores(stairs)
    rule = exchange_details(certified.rule, data={**(certified.rule.data or {}), **data})
    mask = rule.predict_set(values, classes=rule.classes)
    answer = np.where(mask.sum(axis=1) == 1, mask.argmax(axis=1), len(rule.classes))
    k = len(rule.classes)
    counts = np.bincount(known.truth * (k + 1) + answer, minlength=k * (k + 1)).reshape(k, k + 1)
    given, right = int(counts[:, :-1].sum()), int(counts.trace())
    wrong, error = (given - right) / known.n, (given - right) / given if given else math.nan
    found = FoundRule(rule, 1 - given / known.n, wrong, error, None, None)
    by_class = _by_class(rule.classes, counts / known.n)
    return _Tuned(notes, found, certificate=certified.certificate, by_class=by_class)


def _looser_limit(
    certify_limits: Callable[..., Certified], limits: Mapping[str, Any]
) -> float | None:
    """Find the first round limit on errors above the one asked for that can be promised."""
    if {*limits} - {"other_scores"} != {"max_error"}:
        return None
    looser = ({**limits, "max_error": one} for one in _LOOSER_LIMITS if one > limits["max_error"])
    kept = (given["max_error"] for given in looser if certify_limits(**given).rule is not None)
    return next(kept, None)


def _check_promise(cases: Cases, known: Cases, wishes: _Wishes) -> None:
    """Refuse a promise that cannot be given, before anything is tested."""
    refused = partial(InputError, first=next(iter(wishes.limits)), model=quoted(cases.name, 60))
    for given, words in ((wishes.costs, "costs"), (wishes.priors, "shares of the classes")):
        if given is not None:
            raise refused(
                f"{words} are given, but a promise of {{==first}} with {{=confidence_level}} "
                "counts mistakes as they occur; leave them out."
            )
    if "min_saving" in wishes.shares:
        raise refused(
            "{=min_saving} is given beside {==first} with {=confidence_level}, but no saving can "
            "be promised; leave it out."
        )
    if cases.sample_weight is not None:
        raise refused(
            "{model} has weights, but a promise counts cases, and weighted cases have no exact "
            "test; leave the weights out ({=no_weight}, where they are a column)."
        )
    if known.n < _LEAST_PROMISED:
        raise refused(
            f"{{model}} has {counted(known.n, 'case')} with a score; a promise needs "
            f"{_LEAST_PROMISED} at the very least."
        )


def _by_class(classes: Sequence[Any], cells: Floats) -> pd.DataFrame:
    """Say what is done with the cases of each class, from shares of cases by truth and answer."""
    of_class, given = cells.sum(axis=1), cells[:, :-1].sum(axis=1)
    with np.errstate(invalid="ignore"):
        shares = {
            "share": of_class,
            "abstention": cells[:, -1] / of_class,
            "selective_error": 1 - cells.diagonal() / given,
        }
    return pd.DataFrame(shares, pd.Index(classes, name="class", dtype=object))


def _record(found: FoundRule) -> dict[str, Any]:
    """Say in plain data what a rule is, and what it does on the cases it was chosen on."""
    rule, numbers = found.rule, found.thresholds
    if rule.thresholds is not None:
        pairs = zip(rule.classes, rule.thresholds, strict=True)
        numbers = {"thresholds": {label_text(label): threshold for label, threshold in pairs}}
    return numbers | {
        **{name: getattr(found, name) for name in QUANTITIES},
        "classes": [label_text(label) for label in rule.classes],
        "n": None if rule.data is None else rule.data["n"],
        "rule": rule.describe(),
    }


def _groups(cases: Cases) -> Any:
    """Give the groups to keep together; a few large ones, such as sites, only break cases down."""
    if cases.groups is None or cases.codes is None:
        return None
    pairs = pd.DataFrame({"group": cases.groups.codes, "truth": cases.codes})
    enough = pairs.groupby("truth")["group"].nunique() >= LEAST_GROUPS
    return cases.groups if enough.all() else None


def _direction_notes(cases: Cases, stairs: Staircase) -> Iterator[Message]:
    """Say that scores fall with belief, or that no confidence tells answers apart."""
    yield from direction_notes(cases.name, stairs, graded=cases.graded)
    if cases.graded and len(stairs.scores) == 1:
        words = "all answers have the same confidence, so all of them go out, or none"
        yield _note(cases, words)


def _margin_notes(cases: Cases) -> Iterator[Message]:
    """Say that a promise about scores that are no probabilities answers fewer cases."""
    if cases.graded:
        return
    scores = np.empty(0) if cases.y_score is None else cases.y_score[np.isfinite(cases.y_score)]
    low, high = scores.min(initial=0.0), scores.max(initial=1.0)
    if low >= 0 and high <= 1:
        return
    yield _note(
        cases,
        per_cent_hint(scores).replace(".", ": ") + "some scores lie outside 0 to 1, such as "
        "{value}, so they are no probabilities, and 0.5 is not the place where both "
        "classes are equally probable. The middle score is taken for that place. The promise "
        "still holds, but fewer cases are answered",
        value=f"{low if low < 0 else high:g}",
    )


def _notes(cases: Cases, found: FoundRule) -> Iterator[Message]:
    """Say what is left out, why nothing is answered, or that abstaining never pays."""
    missing = int(cases.missing.sum())
    if missing:
        words = (
            "the thresholds and what is said of them are about the {known} cases with a score; the "
            "rule abstains on the other {missing} of {n} besides"
        )
        if cases.graded:
            words = "{missing} of {n} answers have no confidence; escalated"
        counts = {"known": cases.n - missing, "missing": missing, "n": cases.n}
        yield _note(cases, words, **{of: f"{n:,}" for of, n in counts.items()})
    if cases.y_score is not None and found.abstention == 1 and len(np.unique(cases.y_score)) == 2:
        words = "there are only two different scores, so all that thresholds can do is to "
        yield _note(cases, words + "abstain on one of them, or on both; give scores, not answers")
    costs = found.rule.costs
    if costs is not None and not cases.graded and len(cases.classes) == 2:
        missed, alarm, price, other = binary_costs(costs.answer_values(), found.rule.classes)
        limit = missed * (alarm / (missed + alarm))
        if price == other >= limit:
            words = "from a price of {limit} on, abstaining never pays, and it costs {price}"
            yield _note(cases, words, limit=f"{limit:g}", price=f"{price:g}")


def _note(cases: Cases, words: str, **facts: Any) -> Message:
    """Say something of a model, whose name comes first."""
    return Message("{name}: " + words, {"name": quoted(cases.name, 60), **facts})
