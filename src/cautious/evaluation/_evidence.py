"""What is known of a model: its scores, its answers, and how sure it was of them.

Arrays in memory, counts that somebody made, and summaries of logs larger than memory lead to the
same few counts. Each is made when it is first asked for: a group whose curve nobody reads has none.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import pandas as pd

from cautious._cases import Cases, data_digest
from cautious._labels import positive_of_sets
from cautious._messages import refusal
from cautious._typing import Floats, Ints, Mask
from cautious.curves import AbstentionCostSurface, RiskCoverageCurve, Staircase
from cautious.curves._staircase import check_priors, direction_notes, read_priors
from cautious.decision import Rule
from cautious.errors import InputError, Message, located, quoted, undefined_allowed
from cautious.evaluation._rule_choice import RuleChoice, log_name, read_with_rules
from cautious.logs import LogSummary
from cautious.metrics import SetCounts
from cautious.predictions import Predictions, read_predictions
from cautious.predictions._cells import occurring
from cautious.predictions._probabilities import per_cent_hint

SETS, ARGMAX = "sets", "argmax"
"""What a log calls the sets that were logged, and the most probable class."""
_TITLES = {SETS: "logged", ARGMAX: "most probable"}
_LIKELIEST = "the most probable class"
_EVERY_ANSWER = "every answer goes out that has a confidence"


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
    staircase : Staircase or None
        Counts of two classes at each score.
    counters : mapping of str to callable
        What counts the "counts" of answers against truths and the "risk", losses by confidence; the
        evidence of "groups" by their names, and "parts": counts, which group each cell of them is
        of (None where they have a row of weights for each group), and what the groups are called.
        Each as far as it can be known.
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
    cases : Cases or None
        The cases themselves, where they are in memory.
    columns : mapping
        What a rule keeps of the columns that these were read from, where that is known.
    """

    name: str
    classes: tuple[Any, ...]
    n: float
    answers: str = ""
    rule: Rule | None = None
    staircase: Staircase | None = None
    counters: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    missing: int = 0
    chosen_here: bool = False
    resolution: float | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    weighted: bool = False
    rows: int | None = None
    pos_label: Any = None
    cases: Cases | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def counts(self) -> SetCounts | None:
        """Answers against truths."""
        return cast("SetCounts | None", self._counted("counts"))

    @cached_property
    def risk(self) -> RiskCoverageCurve | None:
        """Losses by confidence."""
        return cast("RiskCoverageCurve | None", self._counted("risk"))

    @cached_property
    def groups(self) -> Mapping[str, Evidence]:
        """The same of each group."""
        return self._counted("groups") or {}

    def _counted(self, what: str) -> Any:
        """Count what can be known, and None otherwise."""
        return self.counters[what]() if what in self.counters else None

    @property
    def graded(self) -> bool:
        """Whether the answers were somebody else's, and graded."""
        one = self.rule if self.cases is None else self.cases
        return one is not None and one.graded

    @cached_property
    def surface(self) -> AbstentionCostSurface | None:
        """What the scores of two classes cost at any costs."""
        with undefined_allowed():
            # A group may well hold one class only; its surface is not shown. The whole may not.
            return None if self.staircase is None else AbstentionCostSurface(self.staircase)

    def with_groups(self, groups: Callable[[], Any], parts: Callable[[], Any]) -> Evidence:
        """Add what counts the groups, one by one and, where there are answers, all at once."""
        more = {"groups": groups} | ({"parts": parts} if "counts" in self.counters else {})
        return replace(self, counters={**self.counters, **more})


def answers_to(cases: Cases, rule: Rule | None) -> Mask | None:
    """Give the sets as given, or those that a rule answers with."""
    if rule is None:
        return cases.y_set
    values = cases.proba if cases.y_score is None else cases.score
    return rule.predict_set(values, classes=cases.classes)


def evidence_of(cases: Cases, choice: RuleChoice, priors: Any = None) -> Evidence:
    """Count what is in memory, weighed so that the classes have the shares that `priors` says."""
    if cases.codes is None:
        raise InputError("the model {name} has no truths to judge it by.", name=quoted(cases.name))
    # Priors are weights too, but leave the number of cases as it is.
    given, cases = cases, cases if priors is None else with_priors(cases, priors)
    stairs = None if cases.y_score is None else Staircase.of(cases)
    sure = cases.y_proba is not None or cases.graded
    sure |= stairs is not None and stairs.are_probabilities
    choice.check_kind(graded=cases.graded)
    rule = choice.for_model(cases.name, cases.classes)
    rule, words = _rule_and_words(cases, rule, sure, stairs)
    whole = _of_cases(cases, rule, words, sure, stairs)
    if given.sample_weight is not None:
        whole = replace(whole, weighted=True, rows=given.n)
    if choice.rules and rule is not None and rule.data is not None:
        whole = replace(whole, chosen_here=rule.data.get("digest") == data_digest(given))
    if cases.groups is None:
        return whole
    counted = cases if cases.sample_weight is None else cases.take(cases.sample_weight > 0)
    assert counted.groups is not None
    codes, there = occurring(counted.groups.codes, len(counted.groups.categories))
    codes = codes.astype(np.intp, copy=False)
    names = [name or "(none)" for name in counted.groups.categories[there].tolist()]

    def groups() -> dict[str, Evidence]:
        # Whether scores are probabilities is settled by all of them, not by each group anew.
        each = pd.Series(np.arange(counted.n)).groupby(codes)
        parts = (counted.take(rows.to_numpy()) for _, rows in each)
        return {n: _of_cases(part, rule, words, sure) for n, part in zip(names, parts, strict=True)}

    def parts() -> tuple[SetCounts, Ints | None, list[str]]:
        kinds = _few_kinds(rule, counted, stairs, codes)
        few, of_group = (counted, codes) if kinds is None else (kinds[0], None)
        counts = _count_answers(few, rule, sure, partial(SetCounts.of_cases, sets=False))
        return counts if kinds is None else counts.reweighted(kinds[1]), of_group, names

    return whole.with_groups(groups, parts)


def _rule_and_words(
    cases: Cases, rule: Rule | None, sure: bool, stairs: Staircase | None
) -> tuple[Rule | None, str]:
    """Settle the rule that answers, if one does, and say how the answers come about."""
    if rule is None and cases.graded:
        return Rule.acceptance(-np.inf), _EVERY_ANSWER
    if rule is None and cases.y_set is not None:
        return None, "the sets as given"
    if cases.y_score is None and cases.y_proba is None:
        raise InputError(
            "{name} gives sets only; a rule cannot change them.", name=quoted(cases.name, 60)
        )
    if rule is None and not sure:
        return None, ""
    if rule is None:
        return Rule.of("confidence", cases.classes, threshold=0.0), _LIKELIEST
    if stairs is not None:
        _check_scores(cases.name, stairs.scores, rule)
    return rule, rule.describe()


def _of_cases(
    cases: Cases, rule: Rule | None, words: str, sure: bool, stairs: Staircase | None = None
) -> Evidence:
    """Count cases whose answers are settled; `sure` says whether probabilities are known."""
    if stairs is None and cases.y_score is not None:
        stairs = Staircase.of(cases)
    counters: dict[str, Callable[[], Any]] = {}
    if words:
        kinds = _few_kinds(rule, cases, stairs)
        few = cases if kinds is None else replace(kinds[0], sample_weight=kinds[1][0])
        counters["counts"] = partial(_count_answers, few, rule, sure)
    if sure:
        counters["risk"] = partial(RiskCoverageCurve.of, cases)
    n = float(cases.n if cases.sample_weight is None else cases.sample_weight.sum())
    return Evidence(
        cases.name, cases.classes, n, words, rule, stairs, counters,
        missing=int(cases.missing.sum()), pos_label=cases.pos_label, cases=cases,
    )  # fmt: skip


def _few_kinds(
    rule: Rule | None, cases: Cases, stairs: Staircase | None, group: Ints | None = None
) -> tuple[Cases, Floats] | None:
    """Let a case stand for all of a truth between scores at which answers change; count each.

    There is a row of counts for each group. Answers to other rules need not follow the scores.
    """
    if rule is None or stairs is None or not (rule.ends or rule.kind == "confidence"):
        return None
    scores = stairs.scores
    # Up to the first cut answers are negative, and from the second on positive.
    low, high = rule.ends or (-np.inf, rule.least[0])
    cuts = [np.searchsorted(scores, [low, 0.5], "right"), np.searchsorted(scores, [-np.inf, high])]
    if rule.ends is None:
        cuts += [np.array([bisect_left(scores, True, key=lambda score: 1 - score < high)])]
    starts = np.unique(np.hstack(cuts))
    starts = starts[starts < len(scores)]
    typical = np.append(scores[starts], np.nan)
    if group is None:  # the staircase has counted them already
        sides = [np.add.reduceat(side, starts) for side in (stairs.negatives, stairs.positives)]
        missing, weight = cases.missing, cases.sample_weight
        of_missing = None if weight is None else weight[missing]
        unscored = np.bincount(cases.truth[missing], of_missing, minlength=2)
        total = np.column_stack([*np.transpose(sides), unscored])
    else:
        place = np.zeros(cases.n, dtype=np.uint8)
        for each in typical[1:-1]:
            place += cases.score >= each
        place[cases.missing] = len(typical) - 1
        kind = (group * 2 + cases.truth) * len(typical) + place
        n_kinds = (int(group.max()) + 1) * 2 * len(typical)
        total = np.bincount(kind, cases.sample_weight, n_kinds)
    truth = np.repeat([0, 1], len(typical))
    kinds = Cases(cases.name, cases.classes, truth, np.tile(typical, 2), graded=cases.graded)
    return kinds, total.reshape(-1, len(truth)).astype(np.float64)


def _count_answers(
    cases: Cases, rule: Rule | None, sure: bool, count: Callable[..., SetCounts] = SetCounts.of
) -> SetCounts:
    """Count the answers, beside the most probable class where it is known."""
    answered = replace(cases, y_set=answers_to(cases, rule))
    return count(answered, cases.labels[cases.likeliest[0]] if sure else None)


def _check_scores(name: str, scores: Floats, rule: Rule) -> None:
    """Refuse scores that are no probabilities, if the rule compares probabilities."""
    outside = scores[(scores < 0) | (scores > 1)]
    if rule.ends is not None or not len(outside):
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


def evidence_of_log(choice: RuleChoice, summary: LogSummary, name: str) -> Iterator[Evidence]:
    """Read the counts of each model off the summary of a log."""
    # Several columns of scores are several models, in the order of the columns.
    columns, decisions = summary.plan.columns, summary.plan.decisions
    for model, title in _models_of_log(summary, name):
        graded = summary.plan.columns.graded
        choice.check_kind(graded=graded)
        rule = choice.for_model(title, tuple(summary.classes.tolist()))
        decision = choice.decision_of(title) or (decisions[0] if decisions else None)
        whole = _of_log(summary, title, rule, decision, model=model)
        # Rows without a score may hold the other class.
        truths = whole.counts.truth if whole.missing and whole.counts is not None else ()
        several = len(np.unique(truths)) > 1
        if whole.surface is not None and 0 in whole.surface.priors and not (graded or several):
            label = whole.classes[1 - whole.surface.priors.index(0)]
            place = "" if columns.model is None else quoted(whole.name, 60)
            raise refusal("one class", place=place, label=quoted(label))
        if summary.groups:
            whole = _with_groups_of_log(summary, whole, decision, model)
        if columns.weight is not None:
            # Every column of scores has all rows; of a column of models, weights are counted only.
            alone = len(columns.scores) > 1 or len(summary.models) < 2
            rows = summary.n_rows - summary.odd.get("dropped", 0) if alone else None
            whole = replace(whole, weighted=True, rows=rows)
        yield whole


def _with_groups_of_log(
    summary: LogSummary, whole: Evidence, decision: str | None, model: Any
) -> Evidence:
    """Add what is known of the groups of a log."""
    names = [str(group) or "(none)" for group in summary.groups]
    given = whole.rule if whole.counters else None

    def groups() -> dict[str, Evidence]:
        found = {}
        for name, group in zip(names, summary.groups, strict=True):
            one = _of_log(summary, whole.name, given, decision, model=model, group=group)
            if "counts" not in whole.counters:  # a part may look like probabilities; all do not
                one = replace(one, answers="", rule=None, counters={})
            found[name] = one
        return found

    def parts() -> tuple[SetCounts, Ints, list[str]]:
        by_scores = summary.plan.binary and (not summary.plan.decisions or given is not None)
        return (*summary.answers_by_group(given if by_scores else decision, model), names)

    return whole.with_groups(groups, parts)


def _models_of_log(summary: LogSummary, name: str) -> list[tuple[Any, str]]:
    """List the models of a log, in the order of their columns, and what each is called."""
    plan = summary.plan
    if (plan.binary and not summary.scores.n_kept) or (
        plan.columns.model is not None and not summary.models
    ):
        raise refusal("no weight")
    known = [column for column in plan.columns.scores if column in summary.models]
    models = known or summary.models or [None]
    return [(model, name if model is None else str(model)) for model in models]


def _of_log(
    summary: LogSummary, name: str, rule: Rule | None, decision: str | None, **part: Any
) -> Evidence:
    """Read the answers of a rule to scores off a summary, or those of a decision it counted."""
    plan, decisions = summary.plan, summary.plan.decisions
    stairs = summary.staircase(**part) if plan.binary else None
    graded = plan.columns.graded
    sure = graded or ARGMAX in decisions or (stairs is not None and stairs.are_probabilities)
    by_scores = stairs is not None and (not decisions or rule is not None)
    if rule is not None and not (by_scores or ARGMAX in decisions):
        raise InputError("{name} gives sets only; a rule cannot change them.", name=quoted(name))
    logged = not by_scores and decisions[0] == SETS
    words = "the sets as given" if logged else ""
    if graded and rule is None:
        rule, words = Rule.acceptance(-np.inf), _EVERY_ANSWER
    elif rule is not None:
        words = rule.describe()
    elif sure and not logged:
        classes = plan.classes if stairs is None else stairs.classes
        rule, words = Rule.of("confidence", classes, threshold=0.0), _LIKELIEST
    counters: dict[str, Callable[[], Any]] = {}
    if stairs is not None and rule is not None:
        _check_scores(name, stairs.scores, rule)
    if sure:
        counters["risk"] = partial(summary.risk_coverage, **part)
    scored = 0.0 if stairs is None else float(stairs.n_positives + stairs.n_negatives)
    known: dict[str, Any] = {"staircase": stairs, "resolution": summary.resolution}
    found = Evidence(name, (), scored, counters=counters, **known)
    if not words:
        assert stairs is not None
        return replace(found, classes=tuple(stairs.classes), pos_label=stairs.classes[1])
    counts = summary.counts(rule if by_scores else decision, **part)
    counters["counts"] = lambda: counts
    classes = tuple(counts.classes.tolist())
    missing, bounds = 0, {}
    if by_scores and rule is not None and not summary.exact:
        bounds = summary.answer_bounds(rule, **part)
    if "missing" in summary.odd:
        missing = round(float(counts.n) - (scored if stairs else counters["risk"]().n))
    positive = classes[1] if by_scores else positive_of_sets(classes, plan.pos_label)
    return replace(
        found, classes=classes, n=float(counts.n), answers=words, rule=rule, missing=missing,
        bounds=bounds, pos_label=positive,
    )  # fmt: skip


def every_decision(summary: LogSummary, name: str) -> Iterator[Evidence]:
    """Read the scores of each model off a summary, and each kind of sets as a model of its own."""
    decisions = summary.plan.decisions
    for model, title in _models_of_log(summary, name):
        if summary.plan.binary:
            scores = evidence_of_counts(title, summary.staircase(model=model))
            rule = Rule.acceptance(-np.inf) if summary.plan.columns.graded else None
            yield replace(scores, missing=summary.odd.get("missing", 0), rule=rule)
        for decision in decisions:
            parts: dict[str, Any] = {"counts": summary.counts(decision, model=model)}
            if decision in (SETS, ARGMAX) and ARGMAX in decisions:
                parts["risk_coverage"] = summary.risk_coverage(model=model)
            plain = decision == decisions[0] and not summary.plan.binary
            sets = f"{title}, {_TITLES.get(decision, decision)} sets"
            yield evidence_of_counts(title if plain else sets, parts)


_COUNTS = (AbstentionCostSurface, Staircase, SetCounts, RiskCoverageCurve)


def evidence_of_counts(name: str, given: Any) -> Evidence:
    """Take over counts that somebody made; whole ones stand for so many cases."""
    if isinstance(given, AbstentionCostSurface):
        given = given.staircase
    if isinstance(given, Staircase):
        n, pair = float(given.n_positives + given.n_negatives), tuple(given.classes)
        return Evidence(name, pair, n, staircase=given, pos_label=pair[1])
    parts = dict(given) if isinstance(given, Mapping) else {"counts": given}
    if isinstance(given, RiskCoverageCurve):
        parts = {"counts": _answers_of_risk(name, given), "risk_coverage": given}
    counts, risk = parts.pop("counts"), parts.pop("risk_coverage", None)
    if parts or not isinstance(counts, SetCounts) or not isinstance(risk, RiskCoverageCurve | None):
        raise InputError(
            "the model {name} has counts that cannot be read; give counts=SetCounts and maybe "
            "risk_coverage=RiskCoverageCurve, and nothing else.",
            name=quoted(name),
        )
    counters: dict[str, Callable[[], Any]] = {"counts": lambda: counts}
    counters |= {} if risk is None else {"risk": lambda: risk}
    classes = tuple(counts.classes.tolist())
    return Evidence(name, classes, float(counts.n), "the sets as given", counters=counters)


def _answers_of_risk(name: str, risk: RiskCoverageCurve) -> SetCounts:
    """Count single answers of which only right or wrong is known."""
    if not len(risk.classes) or not np.isin(risk.loss, (0, 1)).all():
        raise InputError(
            "the risk of the model {name} does not tell answers apart: it knows no classes, or "
            "losses other than 0 and 1; count it with {=classes}, or give SetCounts beside it as "
            "dict(counts=..., risk_coverage=...).",
            name=quoted(name),
        )
    right, one = risk.loss == 0, np.ones(len(risk.loss), dtype=np.intp)
    answer = np.where(right, risk.truth, -1)  # which wrong class it was is not known
    cells = {"truth": risk.truth, "size": one, "answer": answer, "hit": right}
    return SetCounts.of_cells(risk.classes, risk.weight, **cells)


def count_models(
    source: Any,
    choice: RuleChoice | None,
    priors: Any = None,
    columns: Mapping[str, Any] | None = None,
) -> tuple[list[Evidence], list[Message]]:
    """Count the models of predictions in any form, of counts or logs; say what was guessed.

    Without a choice of rules, scores are counted alone, and all decisions that a log has counted.
    """
    settings = {name: value for name, value in (columns or {}).items() if value is not None}
    if isinstance(source, LogSummary):
        source = {log_name(source.plan.place): source}
    named = isinstance(source, Mapping) and not isinstance(source, Predictions)
    counted = {key: one for key, one in source.items() if _is_evidence(one)} if named else {}
    rest = {key: one for key, one in source.items() if key not in counted} if counted else source
    settled = [*settings, *(["priors"] if priors is not None else [])]
    alone = len(counted) == len(source) if counted else False
    if settled and alone and any(isinstance(one, LogSummary) for one in counted.values()):
        raise InputError(
            "{==name} is given, but the summary of a log is counted already; give it to "
            "`summarise`, or leave it out.",
            name=settled[0],
        )
    models: list[Evidence] = []
    notes: list[Message] = []
    for name, given in counted.items():
        if not isinstance(given, LogSummary):
            models.append(evidence_of_counts(str(name), given))
            continue
        with located(given.plan.place):
            log, title = given, str(name)
            models += evidence_of_log(choice, log, title) if choice else every_decision(log, title)
        notes += given.notes
    if not alone:
        absent: list[Message] = []
        if choice is None:
            read = read_predictions(rest, **settings)
        else:
            read, absent = read_with_rules(read_predictions, rest, choice, **settings)
        for cases in read.values():
            if choice is None:
                stairs = None if cases.y_score is None else Staircase.of(cases)
                about: dict[str, Any] = {"staircase": stairs, "cases": cases}
                evidence = Evidence(cases.name, cases.classes, float(cases.n), **about)
            else:
                evidence = evidence_of(cases, choice, priors)
            models.append(replace(evidence, columns=read.columns_of(cases.name)))
        notes += [*absent, *read.notes]
    return models, notes


def _is_evidence(given: Any) -> bool:
    """Tell counts and summaries, which stand for predictions, from predictions."""
    if isinstance(given, Mapping) and not isinstance(given, Predictions):
        return "counts" in given
    return isinstance(given, (LogSummary, *_COUNTS))


def with_priors(cases: Cases, priors: Any) -> Cases:
    """Weigh cases so that the classes have given shares; the total weight stays the same."""
    counts = np.bincount(cases.truth, cases.weight, minlength=len(cases.classes)).astype(np.float64)
    shares = check_priors(read_priors(priors, cases.classes), cases.classes, counts)
    weight = cases.weight * (shares * counts.sum() / counts)[cases.truth]
    return replace(cases, sample_weight=weight)


def score_notes(evidence: Evidence, *, interval: bool = False) -> Iterator[Message]:
    """Say that a high score speaks for the other class, and why VACC lacks its interval."""
    stairs = evidence.staircase
    if stairs is None:
        return
    counts = (stairs.n_negatives, stairs.n_positives)
    if interval and min(counts) < 2:
        label = quoted(stairs.classes[int(np.argmin(counts))], 60)
        yield Message(
            "the weight of class {label} is {weight}; an interval of VACC needs at least 2 cases "
            "of each class",
            {"label": label, "weight": f"{min(counts):.4g}"},
        )
    yield from direction_notes(evidence.name, stairs, graded=evidence.graded)


@contextmanager
def noted() -> Iterator[None]:
    """Leave out what a note says once: that weights are shares, or a class weighs too little."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the weights of")
        warnings.filterwarnings("ignore", message="a class weighs less than two")
        yield
