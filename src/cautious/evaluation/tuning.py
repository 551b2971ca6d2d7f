"""Tuning: the thresholds of each model for costs or for a budget."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._random import Interval, as_generator
from cautious._result import Result
from cautious._text import Table, number, share
from cautious._typing import RandomState, as_floats, as_number
from cautious.costs._forms import CostsLike, read_cost_table
from cautious.curves import FoundRule, Staircase, find_rule
from cautious.curves._hull import kept_scores
from cautious.decision import Rule
from cautious.decision._rule_json import rules_to_json
from cautious.errors import InputError, Message, counted, quoted
from cautious.evaluation._calibration import data_digest
from cautious.evaluation._cross_fitting import Expected, cross_fit
from cautious.evaluation._distinction import IN_WORDS, best_model
from cautious.evaluation._divided_cases import LEAST_GROUPS, TooFewCases
from cautious.evaluation._evidence import direction_notes, read_priors
from cautious.guarantees import Certificate, certify
from cautious.guarantees._certified_rule import Certified
from cautious.logs import LogSummary
from cautious.predictions import read_predictions
from cautious.predictions._probabilities import per_cent_hint, per_cent_notes
from cautious.predictions._reader import copy_notes

__all__ = ["Tuning", "tune"]


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

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules by model."""
        return {name: one.rule for name, one in self.found.items()}

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
            words = " ".join(f"{name}: {one}" for name, one in self.certificates.items())
            raise _NoRuleError("there is no rule to give. {words}", words=words)

    def frame(self) -> pd.DataFrame:
        """One row per model: its thresholds, and what they do.

        ``cost``, ``abstention``, ``error`` and ``selective_error`` are expected on new cases,
        within ``cost_low`` and ``cost_high`` and so on; ``apparent_cost`` and so on were measured
        on the cases that the rule was chosen on, and stand alone where nothing is expected.

        Examples
        --------
        >>> import cautious
        >>> y, p = [0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7]
        >>> found = cautious.tune({"mine": (y, p)}, max_error=0.1)
        >>> found.frame().iloc[:, :3]
               lower  upper  apparent_abstention
        model
        mine     0.3   0.65             0.333333
        """
        frames = [pd.DataFrame(columns=["model"])] if not self.found else []
        for name, one in self.found.items():
            row = one.frame()
            shown = [key for key in _QUANTITIES if key in row]
            apparent = row[shown].add_prefix("apparent_")
            row = row.drop(columns=shown)
            for key in shown if self.expected else ():
                row = row.assign(**_ends(key, getattr(self.expected.get(name), key, None)))
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
        """Everything, ready for JSON.

        Examples
        --------
        >>> import cautious
        >>> found = cautious.tune(
        ...     {"mine": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])},
        ...     costs={"false_negative": 10, "false_positive": 4, "abstain": 1},
        ... )
        >>> sorted(found.to_dict())
        ['best', 'goal', 'models', 'verdict']
        """
        return {
            "goal": dict(self.goal),
            "best": self.best,
            "verdict": self.verdict,
            "models": {
                name: _record(one) | {"expected": _expected_record(self.expected.get(name))}
                for name, one in self.found.items()
            },
        } | (
            {"certificates": {name: one.to_dict() for name, one in self.certificates.items()}}
            if self.certificates
            else {}
        )

    def tables(self) -> Iterator[Table]:
        """Tables for people: a title, headings, and rows of text.

        Examples
        --------
        >>> import cautious
        >>> found = cautious.tune(
        ...     {"mine": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])},
        ...     costs={"false_negative": 10, "false_positive": 4, "abstain": 1},
        ... )
        >>> next(found.tables())[2][0][:3]
        ('mine', '0.3000', '0.6500')
        """
        if not self.found:
            return
        thresholds = pd.concat([one.frame() for one in self.found.values()])
        with_costs = "cost" in thresholds
        names = [name for name in thresholds.columns if name not in _QUANTITIES]
        if len(names) > _THRESHOLDS_SHOWN:
            names = []
        headings = ["model", *(_HEADINGS.get(name, name.replace("_", " ")) for name in names)]
        headings += ["abstained on", "wrong", "wrong among answers"]
        headings += ["cost per case"] if with_costs else []
        headings += ["cost on these cases"] if with_costs and self.expected else []
        rows = []
        records = thresholds.to_dict("records")
        for name, row in zip(self.found, records, strict=True):
            cells = [str(name), *(number(row[key]) for key in names)]
            shown = self._shown(name)
            cells += [share(shown[key]) for key in _QUANTITIES if key != "cost"]
            cells += [number(shown["cost"])] if with_costs else []
            cells += [number(row["cost"])] if with_costs and self.expected else []
            rows.append(tuple(cells))
        yield "", headings, rows

    def _shown(self, name: str) -> dict[str, float]:
        """Give what is expected on new cases or, if that is known of no model, what was seen."""
        if not self.expected:
            return {key: getattr(self.found[name], key) for key in _QUANTITIES}
        known = self.expected.get(name)
        return {key: _ends(key, getattr(known, key, None))[key] for key in _QUANTITIES}

    def sentences(self) -> Iterator[str]:
        """Say what the rules do, and which model does best.

        Examples
        --------
        >>> import cautious
        >>> found = cautious.tune(
        ...     {"mine": ([0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9, 0.2, 0.7])},
        ...     costs={"false_negative": 10, "false_positive": 4, "abstain": 1},
        ... )
        >>> print(next(iter(found.sentences())))
        Answer 1 where the score is at least 0.65, 0 where it is at most 0.3; abstain between.
        """
        for name, one in self.certificates.items():
            about = "" if len(self.certificates) == 1 else f"{name}: "
            yield about + str(one).replace("\n", " ")
        if any(one.granted for one in self.certificates.values()):
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
        silent = [name for name, one in self.found.items() if one.abstention == 1]
        for name in silent:
            yield f"{name} answers nothing under this rule."
        for name, known in self.expected.items():
            about = "Expected" if len(self.found) == 1 else f"{name}: expected"
            level = f"{100 * known.abstention.confidence_level:g} %"
            words = "; ".join(_in_words(known))
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
_QUANTITIES = ("abstention", "error", "selective_error", "cost")
_HEADINGS = {
    "lower": "negative up to",
    "upper": "positive from",
    "threshold": "probability from",
}


def _in_words(known: Expected) -> Iterator[str]:
    """Say what a rule is expected to do, each with its interval."""
    for quantity, (words, show) in IN_WORDS.items():
        interval = getattr(known, quantity)
        if interval is not None and not np.isnan(interval.estimate):
            ends = f"{show(interval.low)} to {show(interval.high)}"
            yield f"{words} {show(interval.estimate)} ({ends})"


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
    priors: Any = None,
    honest: bool = True,
    n_repeats: int | None = None,
    confidence_level: float | None = None,
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
        Largest share of cases to abstain on, while mistakes are as few as possible.
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
    per : {"answer", "case"}, default="answer"
        Whether mistakes are counted among the answers or among all cases.
    priors : float, mapping or sequence in the order of the classes, optional
        Class probabilities to assume instead of the sample's; one number is the share of positives.
    honest : bool, default=True
        Whether to estimate, by cross-fitting, what the rules will do on new cases. It takes about
        ninety more searches; without it there is only what they do on the cases they were chosen
        on, which is better.
    confidence_level : float, optional
        With `max_error`, `max_missed`, `min_ppv` or `min_npv`: promise, with this confidence, that
        all the limits given hold on new cases (:func:`cautious.guarantees.certify`);
        `max_abstention` may be among them. A rule that can be promised less than asked for is not
        given; the certificate then says how many cases could be enough. Without such a limit it is
        the level of intervals, .95 by default.
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
    cautious.curves.find_rule : the search, on arrays.
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
    if isinstance(predictions, LogSummary):
        raise TypeError(
            "predictions is a LogSummary, which holds counts; tune needs the cases themselves. For "
            "costs take summary.cost_surface().for_costs(costs), for a promise "
            "summary.certify(max_error=...)."
        )
    goal = {
        "max_abstention": max_abstention,
        "max_error": max_error,
        "min_saving": min_saving,
    }
    limits = {"max_missed": max_missed, "min_ppv": min_ppv, "min_npv": min_npv}
    every = {**goal, **limits}
    wanted: dict[str, Any] = {name: value for name, value in every.items() if value is not None}
    promises = [name for name in _PROMISED if name in wanted]
    if confidence_level is None and promises[:1] not in ([], ["max_error"]):
        raise InputError(
            "{==name} is given without {=confidence_level}; it is a promise about new cases, so "
            "say how sure it has to be, for example 0.95.",
            name=promises[0],
        )
    if isinstance(costs, str | os.PathLike):
        costs = read_cost_table(costs)  # once: each model asks many times
    if isinstance(costs, Mapping):  # numbers may be text, as they are to find_rule
        costs = {key: _one_or_per_case(cost, key) for key, cost in costs.items()}
    if costs is not None:
        wanted["costs"] = dict(costs) if isinstance(costs, Mapping) else "as given"
    certified = bool(promises) and confidence_level is not None
    level = 0.95 if confidence_level is None else confidence_level
    if not 0 < as_number(level, "confidence_level") < 1:
        raise InputError(
            "{=confidence_level} is {given}; give a level between 0 and 1, such as 0.95.",
            given=confidence_level,
        )
    read = read_predictions(predictions, **columns)
    # What happens to cases without a score is said once, of each model; see _notes.
    notes = [one for one in read.notes if one.key != "missing"]
    found, fits, certificates = {}, {}, {}
    # Whoever tries many models finds one that looks good; tested so, all promises hold together.
    each = 1 - (1 - level) / len(read)
    if certified:
        notes += copy_notes(predictions, read, **columns)
    for one in read.values():
        asked = _search(one, costs, goal, per, priors)
        notes += direction_notes(one.name, one)
        if certified:
            wanted["confidence_level"] = level
            promised = _certified(one, asked | limits, each, random_state)
            certificates[one.name] = promised.certificate
            notes += _margin_notes(one)
            if promised.rule is None:
                continue
            rule = _measured(promised.rule, asked | limits)
        else:
            rule = find_rule(**asked)
        data = {"n": one.n, "digest": data_digest(one)} | _named_column(columns.get("score"))
        data |= rule.rule.data or {}
        about = rule.rule.with_details(model=one.name, data=data)
        found[one.name] = replace(rule, rule=about)
        if honest and not certified:
            try:
                fits[one.name] = cross_fit(
                    **asked, groups=_groups(one), n_repeats=n_repeats, random_state=random_state
                )
            except TooFewCases as refused:
                facts = {"name": quoted(one.name, 60), "reason": refused.message}
                notes.append(Message("{name}: nothing is said about new cases: {reason}", facts))
        notes += _notes(one, found[one.name])
        notes += _price_notes(one, costs)
        notes += () if certified else per_cent_notes(one.name, one.y_score)
    best, verdict = best_model(found, fits, wanted, level)
    return Tuning(
        found,
        wanted,
        best,
        tuple({str(note): note for note in notes}.values()),
        {name: fit.expected(level) for name, fit in fits.items()},
        certificates,
        verdict,
        certified and any(_groups(one) is not None for one in read.values()),
    )


def _one_or_per_case(cost: Any, key: str) -> Any:
    """Read a cost: one number, or one per case."""
    read = as_floats(cost, f"costs[{key!r}]", "costs")
    return read if read.ndim else float(read)


# Limits that make a promise of a confidence level; more than one may be given.
_PROMISED = ("max_missed", "min_ppv", "min_npv", "max_error")
_OF_POSITIVES = _PROMISED[:3]
_CERTIFIED = (*_PROMISED, "max_abstention")
# A fifth of the cases fixes the candidates; of fewer there would be hardly one.
_LEAST_PROMISED = 10


def _certified(
    one: Cases, asked: Mapping[str, Any], level: float, random_state: RandomState
) -> Certified:
    """Find the rule that answers most among those of which all limits can be promised."""
    limits = {name: asked[name] for name in _CERTIFIED if asked[name] is not None}
    first = next(iter(limits))
    for name, words in (("costs", "costs"), ("priors", "shares of the classes")):
        if asked[name] is not None:
            raise InputError(
                "{words} are given, but a promise of {==first} with {=confidence_level} counts "
                "mistakes as they occur; leave them out.",
                words=words,
                first=first,
            )
    if asked["min_saving"] is not None:
        raise InputError(
            "{=min_saving} is given beside {==first} with {=confidence_level}, but no saving can "
            "be promised; leave it out.",
            first=first,
        )
    for name, limit in limits.items():
        if name in _OF_POSITIVES and len(one.classes) != 2:
            raise InputError(
                "{==name} is for two classes, and {model} has {n}; give {=max_error}, or one class "
                "against the rest with {=pos_label}.",
                name=name,
                model=quoted(one.name, 60),
                n=len(one.classes),
            )
        if not 0 < as_number(limit, name) < 1:
            raise InputError(
                "{==name} is {given}; a promise needs a limit between 0 and 1, both excluded.",
                name=name,
                given=limit,
            )
    if one.sample_weight is not None:
        raise InputError(
            "{name} has weights, but a promise counts cases, and weighted cases have no exact "
            "test; leave the weights out ({=no_weight}, where they are a column).",
            name=quoted(one.name, 60),
        )
    scores = one.y_score if one.y_score is not None else one.y_proba
    assert scores is not None
    known = scores[~np.isnan(scores)]
    if one.n - int(one.missing.sum()) < _LEAST_PROMISED:
        raise InputError(
            "{name} has {cases} with a score; a promise needs {least} at the very least.",
            name=quoted(one.name, 60),
            cases=counted(one.n - int(one.missing.sum()), "case"),
            least=_LEAST_PROMISED,
        )
    probabilities = one.y_score is None or bool(((known >= 0) & (known <= 1)).all())
    if asked["per"] == "case" and "max_error" in limits:
        limits["max_error_per_case"] = limits.pop("max_error")
    return certify(
        one.y_true,
        y_score=one.y_score,
        y_proba=one.y_proba if one.y_score is None else None,
        **limits,
        classes=one.classes,
        confidence_level=level,
        # Scores that are no probabilities have no confidence that one threshold could be on.
        thresholds="one" if probabilities else "two",
        random_state=int(as_generator(random_state).integers(2**31)),
    )


def _measured(rule: Rule, asked: Mapping[str, Any]) -> FoundRule:
    """Say what a rule does on the cases at hand."""
    values = asked["y_score"] if "y_score" in asked else asked["y_proba"]
    mask = rule.predict_set(values, classes=rule.classes)
    answered = mask.sum(axis=1) == 1
    answer = np.array([*rule.classes], dtype=object)[mask.argmax(axis=1)]
    wrong = float((answered & (answer != np.asarray(asked["y_true"], dtype=object))).mean())
    given = float(answered.mean())
    goal = {name: asked[name] for name in (*_CERTIFIED, "per") if asked[name] is not None}
    data: dict[str, Any] = {"goal": goal}
    if rule.n_classes == 2:
        scores = values if values.ndim == 1 else values[:, 1]
        data |= kept_scores(
            Staircase.from_predictions(asked["y_true"], scores, classes=rule.classes)
        )
    rule = rule.with_details(data={**(rule.data or {}), **data})
    return FoundRule(rule, 1 - given, wrong, wrong / given if given else math.nan, None, None)


def _record(one: FoundRule) -> dict[str, Any]:
    """Say in plain data what a rule is, and what it does on the cases it was chosen on."""
    rule = one.rule
    row = one.frame().iloc[0].to_dict()
    numbers = {str(name): row[name] for name in row if name not in _QUANTITIES}
    if rule.thresholds is not None:
        pairs = zip(rule.classes, rule.thresholds, strict=True)
        numbers = {"thresholds": {label_text(label): threshold for label, threshold in pairs}}
    return numbers | {
        "abstention": one.abstention,
        "error": one.error,
        "selective_error": one.selective_error,
        "cost": one.cost,
        "classes": [label_text(label) for label in rule.classes],
        "n": None if rule.data is None else rule.data["n"],
        "rule": rule.describe(),
    }


def _ends(key: str, interval: Interval | None) -> dict[str, float]:
    """Give an estimate and the ends of its interval, named after the quantity."""
    low, high = f"{key}_low", f"{key}_high"
    if interval is None:
        return dict.fromkeys([key, low, high], math.nan)
    return {key: interval.estimate, low: interval.low, high: interval.high}


def _expected_record(expected: Expected | None) -> dict[str, Any] | None:
    """Say in plain data what is expected on new cases; None if nothing is."""
    if expected is None:
        return None
    return {str(name): row.to_dict() for name, row in expected.frame().iterrows()}


def _named_column(score: Any) -> dict[str, str]:
    """Remember a column that was named, so that applying the rule finds it again."""
    named = [score] if isinstance(score, str) else list(score or ())
    return {"score": named[0]} if len(named) == 1 and isinstance(named[0], str) else {}


def _search(
    one: Cases, costs: Any, goal: Mapping[str, Any], per: Any, priors: Any
) -> dict[str, Any]:
    """Say what is searched for, and where, in the words of ``find_rule``."""
    if one.y_score is None and one.y_proba is None:
        raise InputError(
            "{name} gives sets, but neither scores nor probabilities; there is no threshold to "
            "tune.",
            name=quoted(one.name, 60),
        )
    kept = one if not one.missing.any() else one.take(~one.missing)
    budget = any(value is not None for value in goal.values())
    if costs is None and kept.costs is not None and not budget:
        costs = dict(kept.costs)
    name = "y_score" if kept.y_score is not None else "y_proba"
    return {
        "y_true": kept.y_true,
        name: getattr(kept, name),
        "classes": one.classes,
        "sample_weight": kept.sample_weight,
        "costs": costs,
        "per": per,
        "priors": None if priors is None else read_priors(priors, one.classes),
        **goal,
    }


def _groups(one: Cases) -> Any:
    """Give the groups to keep together; a few large ones, such as sites, only break cases down."""
    if one.groups is None or one.codes is None:
        return None
    known = ~one.missing
    pairs = pd.DataFrame({"group": one.groups[known].astype(str), "truth": one.codes[known]})
    enough = pairs.groupby("truth")["group"].nunique() >= LEAST_GROUPS
    return one.groups[known] if enough.all() else None


def _margin_notes(one: Cases) -> Iterator[Message]:
    """Say that a promise about scores that are no probabilities answers fewer cases."""
    if one.y_score is None or not np.isfinite(one.y_score).any():
        return
    scores = one.y_score[np.isfinite(one.y_score)]
    low, high = scores.min(), scores.max()
    if low >= 0 and high <= 1:
        return
    yield Message(
        "{name}: " + per_cent_hint(scores).replace(".", ": ") + "some scores lie outside 0 to 1, "
        "such as {value}, so they are no probabilities, and 0.5 is not the place where both "
        "classes are equally probable. The middle score is taken for that place. The promise "
        "still holds, but fewer cases are answered",
        {"name": quoted(one.name, 60), "value": f"{low if low < 0 else high:g}"},
    )


def _price_notes(one: Cases, costs: Any) -> Iterator[Message]:
    """Say from which price on abstaining never pays."""
    if not isinstance(costs, Mapping) or one.y_score is None or "abstain" not in costs:
        return
    missed, alarm, price = (
        costs.get(key, costs.get("mistake", math.nan))
        for key in ("false_negative", "false_positive", "abstain")
    )
    if any(np.ndim(cost) for cost in (missed, alarm, price)) or not missed + alarm > 0:
        return
    limit = missed * (alarm / (missed + alarm))
    if price >= limit:
        yield Message(
            "{name}: from a price of {limit} on, abstaining never pays, and it costs {price}",
            {"name": quoted(one.name, 60), "limit": f"{limit:g}", "price": f"{price:g}"},
        )


def _notes(one: Cases, found: FoundRule) -> Iterator[Message]:
    """Say what is left out, or why nothing is answered."""
    missing = int(one.missing.sum())
    if missing:
        yield Message(
            "{name}: the thresholds and what is said of them are about the {known} cases with a "
            "score; the rule abstains on the other {missing} of {n} besides",
            {
                "name": quoted(one.name, 60),
                "known": f"{one.n - missing:,}",
                "missing": f"{missing:,}",
                "n": f"{one.n:,}",
            },
        )
    if one.y_score is not None and found.abstention == 1 and len(np.unique(one.y_score)) == 2:
        yield Message(
            "{name}: there are only two different scores, so all that thresholds can do is to "
            "abstain on one of them, or on both; give scores, not answers",
            {"name": quoted(one.name, 60)},
        )
