"""What is known of a model: its scores, its answers, and how sure it was of them.

Arrays in memory and summaries of logs larger than memory lead to the same few counts.
"""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from cautious._cases import Cases, data_digest
from cautious._checks import check_classes
from cautious._labels import positive_of_sets
from cautious._messages import refusal
from cautious._typing import Floats, Mask, as_number
from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.curves._staircase import check_priors, direction_notes, read_priors
from cautious.decision import Rule
from cautious.errors import InputError, Message, check_kind, quoted
from cautious.evaluation._calibration import scale_notes
from cautious.logs import LogSummary, summarise
from cautious.metrics import SetCounts
from cautious.predictions import Predictions, read_predictions
from cautious.predictions._probabilities import per_cent_hint
from cautious.predictions._reader import file_stem
from cautious.predictions._table import is_frame

T = TypeVar("T")
ARGMAX = "argmax"
"""What a log calls the most probable class."""


@dataclass(frozen=True)
class Evidence:
    """What is known of one model, or of one group of its cases.

    Attributes
    ----------
    name : str
        The model.
    classes : tuple
        Class labels; of two classes with scores, (negative, positive).
    n : float
        Number of cases, or their weight.
    answers : str
        How the answers came about, in words; empty if there are none.
    rule : Rule or None
        The rule that gave them, if one did.
    surface : AbstentionCostSurface or None
        Of the scores of two classes.
    counts : SetCounts or None
        Answers against truths.
    risk : RiskCoverageCurve or None
        Losses by confidence.
    groups : mapping
        The same of each group.
    missing : int
        Cases without a score, which abstain.
    chosen_here : bool
        Whether the rule was chosen on these very cases, so that it looks better than it is.
    resolution : float or None
        Width of the cells that the scores of a log were rounded to; None if they are exact.
    bounds : mapping of str to pair of float
        What the answers may be at the scores as they were, if these were rounded: the least and the
        greatest coverage, selective accuracy and error, and how many cases are open.
    weighted : bool
        Whether `n` is a sum of weights that were given.
    rows : int or None
        Number of rows, where they are weighted; None where a column of a log names several models.
    pos_label : label or None
        The positive class, where there is one: costs by name need it.
    """

    name: str
    classes: tuple[Any, ...]
    n: float
    answers: str
    rule: Rule | None = None
    surface: AbstentionCostSurface | None = None
    counts: SetCounts | None = None
    risk: RiskCoverageCurve | None = None
    groups: Mapping[str, Evidence] = field(default_factory=dict)
    missing: int = 0
    chosen_here: bool = False
    resolution: float | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    weighted: bool = False
    rows: int | None = None
    pos_label: Any = None

    def answers_to(self, one: Cases) -> Mask | None:
        """Give the answers case by case; None if there are none."""
        if self.rule is None:
            return one.y_set
        values = one.y_score if one.y_score is not None else one.y_proba
        assert values is not None
        return self.rule.predict_set(values, classes=one.classes)


@dataclass(frozen=True)
class RuleChoice:
    """How scores and probabilities become answers, before the classes are known.

    Attributes
    ----------
    rules : mapping or None
        A rule for each model.
    window : pair of float or None
        Two classes: negative up to the first, positive from the second, abstain between.
    confidence : float or None
        Abstain unless the most probable class is at least so probable.
    utility : str or None
        Answer with the set of the greatest expected utility.
    """

    rules: Mapping[str, Rule] | None = None
    window: tuple[float, float] | None = None
    confidence: float | None = None
    utility: str | None = None

    @classmethod
    def of(cls, rule: Any, window: Any, confidence: Any, utility: Any) -> RuleChoice:
        """Read what was given; at most one of the four may be."""
        given = {"rule": rule, "window": window, "confidence": confidence, "utility": utility}
        named = [name for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise InputError(
                "{==first} and {==second} are given; give one of them.",
                first=named[0],
                second=named[1],
            )
        if window is not None:
            lower, upper = (as_number(end, "window") for end in window)
            window = (lower, upper)
        return cls(read_rules(rule), window, confidence, utility)

    def for_model(self, name: str, classes: tuple[Any, ...]) -> Rule | None:
        """Make the rule of one model; None leaves the answers as they are."""
        if self.rules is not None:
            if name not in self.rules and len(self.rules) > 1:
                raise InputError(
                    "{=rule} is about the models {known}; there is none for {name}.",
                    known=", ".join(map(quoted, self.rules)),
                    name=quoted(name),
                )
            return self.rules.get(name) or next(iter(self.rules.values()))
        if self.window is not None:
            if len(classes) != 2:
                raise InputError(
                    "{=window} is for the score of two classes, and {name} has {n}; give "
                    "{=confidence} or {=utility}.",
                    name=quoted(name),
                    n=len(classes),
                )
            return Rule.window(*self.window, classes=classes)
        if self.confidence is not None:
            return Rule.confidence(self.confidence, classes=classes)
        return None if self.utility is None else Rule.utility(self.utility, classes=classes)

    def decision_of(self, name: str) -> str | None:
        """Name the decision of a model, as a log counts it; None stands for its own answers."""
        if self.rules is not None:
            return name if name in self.rules else next(iter(self.rules))
        if self.confidence is not None:
            return f"confidence {float(self.confidence)!r}"
        return self.utility

    @property
    def decisions(self) -> Any:
        """Name the decisions that a log has to be counted for."""
        if self.rules:
            return dict(self.rules)
        return [one for one in (self.utility, self.confidence) if one is not None]

    def notes(self, name: str, scores: Floats | None) -> Iterator[Message]:
        """Say what looks odd about a rule and the scores it meets."""
        other = next(iter(self.rules)) if self.rules and name not in self.rules else ""
        if other:  # a rule may be that of no model in particular
            yield Message(
                "{name}: the rule is that of {other}",
                {"name": quoted(name, 60), "other": quoted(other, 60)},
            )
        if scores is None or not len(scores):
            return
        if self.rules is not None:
            known = scores[~np.isnan(scores)]
            ends = float(known.min(initial=np.inf)), float(known.max(initial=-np.inf))
            rule = self.rules.get(name) or next(iter(self.rules.values()))
            yield from scale_notes(rule, name, *ends, len(known))
        if self.window is None:
            return
        lower, upper = self.window
        least, most = float(scores.min()), float(scores.max())
        facts = {"name": quoted(name, 60), "lower": f"{lower:g}", "upper": f"{upper:g}"}
        facts |= {"least": f"{least:g}", "most": f"{most:g}"}
        if lower > most or upper < least:
            yield Message(
                "{name}: the window from {lower} to {upper} lies outside the scores, which run "
                "from {least} to {most}; every case gets the same answer",
                facts,
            )
        elif lower < least and upper > most:
            yield Message(
                "{name}: all scores, from {least} to {most}, lie within the window; no case is "
                "answered",
                facts,
            )


def read_rules(rule: Any) -> dict[str, Rule] | None:
    """Read a rule, the rules of several models, or the file that holds them; None stays None."""
    if rule is None:
        return None
    if isinstance(rule, Rule):
        return {"" if rule.model is None else rule.model: rule}
    if isinstance(rule, Mapping):
        for each in rule.values():
            check_kind(each, Rule, "rule", "a Rule, or one by the name of each model")
        return dict(rule)
    from cautious.decision._rule_json import rules_from_json

    return rules_from_json(rule)


@contextmanager
def noted() -> Iterator[None]:
    """Leave out what a note says once: that weights are shares, or a class weighs too little."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the weights of")
        warnings.filterwarnings("ignore", message="a class weighs less than two")
        yield


def score_notes(
    name: str, surface: AbstentionCostSurface | None, *, interval: bool = False
) -> Iterator[Message]:
    """Say that a high score speaks for the other class, and why VACC lacks its interval."""
    if surface is None:
        return
    stairs = surface.staircase
    counts = (stairs.n_negatives, stairs.n_positives)
    if interval and min(counts) < 2:
        label = quoted(stairs.classes[int(np.argmin(counts))], 60)
        yield Message(
            "the weight of class {label} is {weight}; an interval of VACC needs at least 2 cases "
            "of each class",
            {"label": label, "weight": f"{min(counts):.4g}"},
        )
    yield from direction_notes(name, stairs)


def evidence_of(one: Cases, choice: RuleChoice) -> Evidence:
    """Count what is in memory."""
    rule = choice.for_model(one.name, one.classes)
    whole = _of_arrays(one, rule)
    if one.groups is None:
        return whole
    groups = one.groups if one.sample_weight is None else one.groups[one.sample_weight > 0]
    # Whether scores are probabilities is settled by all of them, not by each group anew.
    return _with_groups(
        whole, np.unique(groups), lambda group: _of_arrays(one.of_group(group), whole.rule)
    )


def _with_groups(
    whole: Evidence, groups: Iterable[Any], count: Callable[[Any], Evidence]
) -> Evidence:
    found = {str(group) if str(group) else "(none)": count(group) for group in groups}
    if whole.counts is None:  # scores of a part may look like probabilities; those of all do not
        nothing: dict[str, Any] = {"answers": "", "rule": None, "counts": None, "risk": None}
        found = {name: replace(one, **nothing) for name, one in found.items()}
    return replace(whole, groups=found)


def _of_arrays(one: Cases, rule: Rule | None) -> Evidence:
    if one.codes is None:
        raise InputError("the model {name} has no truths to judge it by.", name=quoted(one.name))
    truth = one.labels[one.codes]
    known = ~one.missing
    weight = one.sample_weight
    missing = int((~known).sum())
    n = float(one.n if weight is None else weight.sum())
    surface = None
    if one.y_score is not None:
        surface = _surface(Staircase.of(one))
        if missing == 0 and (one.y_set is None or rule is not None):
            return _of_scores(one.name, surface, rule)
    mask, words, used = _answers(one, rule)
    risk = y_pred = None
    proba = _probabilities(one)
    if proba is not None:
        y_pred = one.labels[np.nan_to_num(proba).argmax(axis=1)]
        risk = RiskCoverageCurve.from_predictions(
            truth[known],
            proba[known],
            classes=one.labels,
            sample_weight=None if weight is None else weight[known],
        )
    counts = None
    if mask is not None:
        counts = SetCounts.of(replace(one, y_set=mask), y_pred)
    found = Evidence(one.name, one.classes, n, words, used, surface, counts, risk, missing=missing)
    return replace(found, pos_label=one.pos_label)


def _probabilities(one: Cases) -> Floats | None:
    """Probabilities of all classes, where they are known."""
    if one.y_proba is not None:
        return one.y_proba
    if one.y_score is None or not _are_probabilities(one.y_score[~one.missing]):
        return None
    return np.column_stack([1 - one.y_score, one.y_score])


def _are_probabilities(scores: Floats) -> bool:
    return bool(len(scores)) and bool(scores.min() >= 0) and bool(scores.max() <= 1)


def _answers(one: Cases, rule: Rule | None) -> tuple[Mask | None, str, Rule | None]:
    """Give each case's answer and how it came about."""
    if rule is None and one.y_set is not None:
        return one.y_set, "the sets as given", None
    values = one.y_score if one.y_score is not None else one.y_proba
    if values is None:
        raise InputError(
            "{name} gives sets only; a rule cannot change them.", name=quoted(one.name, 60)
        )
    if rule is None:
        if _probabilities(one) is None:
            return None, "", None
        rule = Rule.confidence(0.0, classes=one.classes)
        mask = rule.predict_set(values, classes=one.classes)
        return mask, "the most probable class", rule
    if values.ndim == 1:
        _check_scores(one.name, values, rule)
    return rule.predict_set(values, classes=one.classes), rule.describe(), rule


def _check_scores(name: str, scores: Floats, rule: Rule) -> None:
    """Refuse scores that are no probabilities, if the rule compares probabilities."""
    outside = scores[(scores < 0) | (scores > 1)]
    if rule.kind == "window" or not len(outside):
        return
    worst = outside[np.argmax(np.abs(outside - 0.5))]
    hint = per_cent_hint(scores)
    raise InputError(
        "score {value} of {name} is no probability, but a rule of the kind {kind} compares "
        "probabilities, between 0 and 1; correct it, or decide with {=window}."
        + (hint and f" {hint}"),
        value=f"{worst:g}",
        name=quoted(name, 60),
        kind=quoted(rule.kind),
    )


def _of_scores(name: str, surface: AbstentionCostSurface, rule: Rule | None) -> Evidence:
    """Count the answers to scores of two classes, from the counts of both at each score."""
    stairs = surface.staircase
    classes = check_classes(stairs.classes)
    truth, score, weight = stairs.cases()
    there = weight > 0
    truth, score, weight = truth[there], score[there], weight[there]
    n = float(stairs.n_positives + stairs.n_negatives)
    words, counts, risk, y_pred = "", None, None, None
    if stairs.are_probabilities:
        proba = np.column_stack([1 - score, score])
        y_pred = classes[proba.argmax(axis=1)]
        risk = RiskCoverageCurve.from_predictions(
            truth, proba, classes=classes, sample_weight=weight
        )
        if rule is None:
            rule, words = Rule.confidence(0.0, classes=stairs.classes), "the most probable class"
    if rule is not None:
        _check_scores(name, score, rule)
        words = words or rule.describe()
        mask = rule.predict_set(score, classes=stairs.classes)
        counts = SetCounts.from_predictions(
            truth, mask, classes=classes, sample_weight=weight, y_pred=y_pred
        )
    pair = tuple(stairs.classes)
    return Evidence(name, pair, n, words, rule, surface, counts, risk, pos_label=pair[1])


def _surface(staircase: Staircase) -> AbstentionCostSurface:
    with warnings.catch_warnings():
        # A group may well hold one class only; its surface is not shown. The whole may not.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return AbstentionCostSurface(staircase)


def evidence_of_log(summary: Any, choice: RuleChoice, name: str) -> Iterator[Evidence]:
    """Read the counts of each model off the summary of a log."""
    # Several columns of scores are several models, in the order of the columns.
    plan = summary.plan
    columns = plan.columns.scores
    nothing = plan.binary and not summary.scores.pieces
    if nothing or (plan.columns.model is not None and not summary.models):
        raise refusal("no weight")
    known = [name for name in columns if name in summary.models] or summary.models or [None]
    for model in known:
        title = name if model is None else str(model)
        rule = choice.for_model(title, tuple(summary.classes.tolist()))
        whole = _of_log(summary, title, rule, choice.decision_of(title), model=model)
        _refuse_one_class(whole, plan.columns.model is not None)
        if summary.groups:

            def count(group: Any, whole: Evidence = whole, model: Any = model) -> Evidence:
                decision = choice.decision_of(whole.name)
                return _of_log(summary, whole.name, whole.rule, decision, model=model, group=group)

            whole = _with_groups(whole, summary.groups, count)
        if plan.columns.weight is not None:
            # Every column of scores has all rows; of a column of models, weights are counted only.
            rows = summary.n_rows - summary.odd.get("dropped", 0)
            told = len(known) == 1 or len(columns) > 1
            whole = replace(whole, weighted=True, rows=rows if told else None)
        yield whole


def _refuse_one_class(whole: Evidence, named: bool) -> None:
    if whole.surface is not None and 0 in whole.surface.priors:
        label = whole.classes[1 - whole.surface.priors.index(0)]
        place = quoted(whole.name, 60) if named else ""
        raise refusal("one class", place=place, label=quoted(label))


def _of_log(
    summary: Any, name: str, rule: Rule | None, decision: str | None, **part: Any
) -> Evidence:
    plan = summary.plan
    surface = _surface(summary.staircase(**part)) if plan.binary else None
    if surface is not None and (not plan.decisions or rule is not None):
        found = _of_scores(name, surface, rule)
        if "missing" in summary.odd and found.rule is not None:
            counts = summary.counts(found.rule, **part)
            missing = round(float(counts.n) - found.n)
            found = replace(found, counts=counts, n=float(counts.n), missing=missing)
        if not summary.exact and found.rule is not None:
            found = replace(found, bounds=summary.answer_bounds(found.rule, **part))
        return replace(found, resolution=summary.resolution)
    decisions = plan.decisions
    if rule is not None and ARGMAX not in decisions:
        raise InputError("{name} gives sets only; a rule cannot change them.", name=quoted(name))
    words = "the most probable class" if decisions[0] == ARGMAX else "the sets as given"
    if rule is not None:
        words = rule.describe()
    elif decisions[0] == ARGMAX:
        rule = Rule.confidence(0.0, classes=plan.classes)
    counts = summary.counts(decisions[0] if decision is None else decision, **part)
    risk = None
    if ARGMAX in decisions:
        risk = summary.risk_coverage(**part)
    elif surface is not None and surface.staircase.are_probabilities:
        risk = _of_scores(name, surface, None).risk
    classes, n, missing = tuple(counts.classes.tolist()), float(counts.n), 0
    if "missing" in summary.odd and risk is not None:
        missing = round(n - float(risk.n))
    found = Evidence(name, classes, n, words, rule, surface, counts, risk, missing=missing)
    positive = positive_of_sets(classes, plan.pos_label)
    return replace(found, resolution=summary.resolution, pos_label=positive)


@dataclass(frozen=True)
class Counted:
    """Models that were counted, and their cases where these are in memory."""

    models: list[Evidence]
    cases: Mapping[str, Cases]
    notes: tuple[Message, ...]

    def score_notes(self, choice: RuleChoice, *, interval: bool) -> Iterator[Message]:
        """Say what looks odd about the scores of each model."""
        for one in self.models:
            cases = self.cases.get(one.name)
            scores = None if cases is None else cases.y_score
            if cases is None and one.surface is not None:
                scores = one.surface.staircase.scores
            yield from choice.notes(one.name, scores)
        for one in self.models:
            yield from score_notes(one.name, one.surface, interval=interval)


def count_models(
    source: Any, choice: RuleChoice, priors: Any = None, columns: Mapping[str, Any] | None = None
) -> Counted:
    """Count the models of a source: predictions in any form, or the summary of a log."""
    summaries = _summaries(source)
    if summaries is None:
        read = read_with_rules(read_predictions, source, choice, **(columns or {}))
        return _count_cases(read, choice, priors)
    named = [name for name, value in {**(columns or {}), "priors": priors}.items() if value]
    if named:
        raise InputError(
            "{==name} is given, but the summary of a log is counted already; give it to "
            "`summarise`, or leave it out.",
            name=named[0],
        )
    models: list[Evidence] = []
    notes: list[Message] = []
    for name, summary in summaries.items():
        try:
            models += evidence_of_log(summary, choice, name)
        except InputError as error:
            raise error.at(summary.plan.place) from None
        notes += summary.notes
    return Counted(models, {}, tuple(notes))


def _summaries(source: Any) -> dict[str, LogSummary] | None:
    """Give the summaries of logs by the names of their models; None where there are others."""
    if isinstance(source, LogSummary):
        return {log_name(source.plan.place): source}
    if not isinstance(source, Mapping) or isinstance(source, Predictions) or not source:
        return None
    counted = all(isinstance(one, LogSummary) for one in source.values())
    return dict(source) if counted else None


def _count_cases(read: Predictions, choice: RuleChoice, priors: Any) -> Counted:
    """Count cases in memory, weighed so that the classes have the shares that `priors` says."""
    found = []
    cases: dict[str, Cases] = {}
    for name, one in read.items():
        # Priors are weights too, but leave the number of cases as it is.
        cases[name] = one if priors is None else with_priors(one, priors)
        evidence = evidence_of(cases[name], choice)
        data = None if evidence.rule is None else evidence.rule.data
        if choice.rules and data is not None and data.get("digest") == data_digest(one):
            evidence = replace(evidence, chosen_here=True)
        if one.sample_weight is not None:
            evidence = replace(evidence, weighted=True, rows=one.n)
        found.append(evidence)
    return Counted(found, cases, read.notes)


def columns_of_rules(
    source: Any, choice: RuleChoice, columns: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Add what the rules know to the columns that were named; list columns that may hold scores."""
    known, rules = dict(columns), choice.rules or {}
    positive = {rule.pos_label for rule in rules.values()}
    if known.get("pos_label") is None and len(positive) == 1:
        known["pos_label"] = positive.pop()
    sources = source if isinstance(source, list | tuple) else [source]
    in_columns = all(is_frame(one) or isinstance(one, str | os.PathLike) for one in sources)
    if not in_columns or any(map(known.get, ("score", "proba", "sets"))):
        return known, []
    if len(rules) == 1:
        known["score"] = next(iter(rules.values())).tuned_column
    read_once = any(isinstance(one, str) and one == "-" for one in sources)
    return known, [] if read_once else [name for name in rules if name]


def read_with_rules(read: Callable[..., T], source: Any, choice: RuleChoice, **columns: Any) -> T:
    """Read predictions; if no column is known to hold any, take those named after the rules."""
    known, names = columns_of_rules(source, choice, columns)
    try:
        return read(source, **known)
    except InputError as error:
        if error.message.key != "no predictions column" or not names:
            raise
        try:
            return read(source, **known | {"score": names})
        except InputError as again:
            raise (error if again.message.key == "no such column" else again) from None


def summarise_log(
    source: Any,
    engine: Any,
    choice: RuleChoice,
    *,
    rules: Sequence[str] = (),
    progress: Callable[..., None] | None = None,
    **columns: Any,
) -> dict[str, LogSummary]:
    """Summarise a log for the rules that will be asked about; by the name of its model."""
    if columns.pop("case", None) is not None:
        raise InputError("{=case} is not offered with {=engine}; leave one of them out.")
    files = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(files, list) and "-" in files:
        raise InputError("{=engine} cannot read standard input; give files or a folder.")
    summary = read_with_rules(
        summarise,
        source,
        choice,
        engine=engine,
        rules=choice.decisions or rules,
        progress=progress,
        **columns,
    )
    alone = isinstance(files, list) and len(files) == 1
    return {log_name(str(files[0])) if alone else "log": summary}


def log_name(place: str) -> str:
    """Call a log after its file or folder, wherever we are; a pattern has no name."""
    if not place or (glob.has_magic(place) and not os.path.exists(place)):
        return "log"
    if os.path.isdir(place):
        return Path(os.path.abspath(place)).name or "log"
    return file_stem(place.rstrip("/"))


def with_priors(one: Cases, priors: Any) -> Cases:
    """Weigh cases so that the classes have given shares; the total weight stays the same."""
    counts = np.bincount(one.truth, one.weight, minlength=len(one.classes)).astype(np.float64)
    shares = check_priors(read_priors(priors, one.classes), one.classes, counts)
    return replace(one, sample_weight=one.weight * (shares * counts.sum() / counts)[one.truth])
