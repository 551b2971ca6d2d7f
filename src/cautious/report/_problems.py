"""Models, summarised and grouped by the question they answer.

The page computes by itself, so it is given counts rather than results. Up to 1,500 cases are
carried one by one, which lets it cross-fit and compare models case by case; of more it gets counts
at steps of the score. Models are payload objects: dataclasses whose fields the page reads by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from cautious._cases import Cases, data_digest
from cautious._labels import label_text
from cautious._typing import Ints, Mask
from cautious.curves import RiskCoverageCurve, Staircase
from cautious.curves._staircase import direction_note
from cautious.decision import optimal_sets
from cautious.errors import InputError, Message, quoted
from cautious.evaluation._evidence import Evidence, count_models, every_decision
from cautious.evaluation._rule_choice import RuleChoice
from cautious.metrics import SetCounts
from cautious.predictions._probabilities import per_cent_notes
from cautious.report.summaries import (
    CASES_CARRIED,
    SPREAD,
    Carried,
    CaseTable,
    Plain,
    ScoreSummary,
    SetSummary,
    Steps,
    kept_steps,
    pack_whole,
    summarise_groups,
    summarise_scores,
    summarise_sets,
    summarise_steps,
)

# Sets that the page shows beside the likeliest class, where a model gives probabilities.
_UTILITIES = ("u65", "u80")
_GROUPS_SHOWN = 12
# Of many cases so many of each class show how the mistakes of two models go together.
_DRAWN_OF_CLASS = 200
# Of several classes so many probabilities are carried; of very many classes, which would leave
# fewer cases than this, none.
_PROBABILITIES_CARRIED, _FEWEST_DRAWN = 12_000, 100


@dataclass(frozen=True)
class ScoredModel:
    """A model that scores two classes."""

    name: str
    scores: ScoreSummary = field(metadata=SPREAD)
    n: float
    events: float
    left_out: list[Plain]
    weighted: bool
    origin: dict[str, Any]
    cases: Carried | None = None
    stairs: Steps | None = None
    sample: Carried | None = None
    groups: list[Plain] | None = None


@dataclass(frozen=True)
class AnsweringModel:
    """A model that answers with sets; ``utility`` says by which the page itself chose them."""

    name: str
    utility: str | None
    answers: SetSummary = field(metadata=SPREAD)
    weighted: bool
    n: int | None = None
    left_out: list[Plain] | None = None
    hits: Carried | None = None
    groups: list[Plain] | None = None
    cases: Carried | None = None


ReportedModel = ScoredModel | AnsweringModel
# Kind of question, classes, and the model that answers it.
Answered = tuple[str, list[str], ReportedModel]


@dataclass(frozen=True)
class ReportedProblem:
    """Models that answer the same question, and the tables of cases that they share."""

    kind: str
    classes: list[str]
    models: list[ReportedModel]
    tables: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class ReportedModels:
    """Models to report on.

    Attributes
    ----------
    models : list of Evidence
        What is known of each.
    columns : list of str
        Columns of scores that were named.
    notes : tuple of Message
        What was guessed, and what looks odd.
    """

    models: list[Evidence]
    columns: list[str]
    notes: tuple[Message, ...]

    @classmethod
    def of(cls, source: Any, **columns: Any) -> ReportedModels:
        """Read what :func:`cautious.report.build_report` takes."""
        models, notes = count_models(source, RuleChoice(), columns=columns, read_log=every_decision)
        for evidence in models:
            if evidence.staircase is not None:
                notes += per_cent_notes(evidence.name, evidence.staircase.scores)
                if evidence.cases is None and evidence.missing:
                    notes.append(Message("the page is about the rows that have a score"))
        score = columns.get("score")
        named = [score] if isinstance(score, str) else list(score or ())
        return cls(models, named, tuple(notes))

    @cached_property
    def problems(self) -> list[ReportedProblem]:
        """Summarise the models, and group those that answer the same question."""
        answered = [one for model in self.models for one in _of_evidence(model, self.columns)]
        found: dict[tuple[str, ...], ReportedProblem] = {}
        for kind, classes, model in answered:
            key = (kind, *(classes if kind == "binary" else sorted(classes)))
            problem = found.setdefault(key, ReportedProblem(kind, classes, [], []))
            if problem.classes != classes:
                raise InputError(
                    "the model {name} has its classes in another order than the models before it; "
                    "give all models the same {=classes}.",
                    name=quoted(model.name),
                )
            if any(other.name == model.name for other in problem.models):
                raise InputError(
                    "two models are called {name}; give each its own name.",
                    name=quoted(model.name),
                )
            problem.models.append(model)
        return [_with_tables(problem) for problem in found.values()]

    @property
    def directions(self) -> list[Message]:
        """Say of which models a high score speaks for the other class; the page says it itself."""
        return [
            direction_note(model.name, problem.classes[1], model.scores.auc)
            for problem in self.problems
            for model in problem.models
            if isinstance(model, ScoredModel) and model.scores.reversed
        ]


def _with_tables(problem: ReportedProblem) -> ReportedProblem:
    """Put tables of cases aside, each once, and leave their positions with the models."""
    samples = [getattr(model, "sample", None) for model in problem.models]
    drawn = Counter(sample.table.key for sample in samples if sample is not None)
    tables: dict[Any, dict[str, Any]] = {}
    models = []
    for model in problem.models:
        placed: dict[str, Any] = {}
        for name in ("cases", "sample", "hits"):
            carried = getattr(model, name, None)
            if carried is None:
                continue
            table = carried.table
            placed[name] = None
            # Where there is nobody to compare with, these are of no use.
            if (name == "sample" and drawn[table.key] < 2) or (name == "hits" and len(samples) < 2):
                continue
            if table.key not in tables:
                tables[table.key] = table.packed()
            placed[name] = replace(carried, table=list(tables).index(table.key))
        models.append(replace(model, **placed))
    return replace(problem, models=models, tables=list(tables.values()))


def _of_evidence(evidence: Evidence, columns: list[str]) -> Iterator[Answered]:
    """Summarise a model: its scores of two classes, its sets, or both."""
    if evidence.cases is not None:
        yield from _of_predictions(evidence.cases, columns)
    elif evidence.staircase is not None:
        yield _of_staircase(evidence.name, evidence.staircase)
    else:
        assert evidence.counts is not None
        yield _answering(evidence.name, evidence.counts, evidence.risk)


def _of_predictions(given: Cases, columns: list[str]) -> Iterator[Answered]:
    """Summarise the cases of a model."""
    model, left_out = _weighed(given)
    known = ~model.missing
    scored = model if known.all() else model.take(known)
    if not scored.n:
        raise InputError(
            "no row of the model {name} has a score and a weight above 0, so nothing can be shown; "
            "give scores.",
            name=quoted(model.name),
        )
    if model.y_score is not None:
        gone = {"count": model.n - scored.n, "reason": "have no score (a rule abstains on them)"}
        column = columns[0] if len(columns) == 1 else given.name
        origin = {"n": given.n, "digest": data_digest(given)}
        origin |= {"score": column} if column in columns else {}
        yield _of_scores(scored, [gone, *left_out] if gone["count"] else left_out, origin)
    if model.y_set is not None or len(model.classes) > 2:
        yield from _of_sets(model, scored, left_out)


def _weighed(model: Cases) -> tuple[Cases, list[Plain]]:
    """Leave out rows that count for nothing, and say how many they are."""
    weight = model.sample_weight
    if weight is None or weight.all():
        return model, []
    left_out = {"count": int((weight == 0).sum()), "reason": "have the weight 0"}
    return model.take(weight > 0), [left_out]


def _of_scores(
    model: Cases, left_out: list[Plain], origin: dict[str, Any], alone: str | None = None
) -> Answered:
    """Summarise scores of two classes, with their cases if these are few."""
    weighted = model.sample_weight is not None
    staircase = Staircase.of(model)
    rows = Staircase.of(replace(model, sample_weight=None)) if weighted else staircase
    summary, events = _scores(model.name, staircase), int(rows.n_positives)
    about = (model.name, summary, model.n, events, left_out, weighted)
    classes, table = _names(staircase.classes), replace(CaseTable.of(model), alone=alone)
    if model.n <= CASES_CARRIED:
        return "binary", classes, ScoredModel(*about, origin, cases=Carried.of_scores(table))
    steps, place = summarise_steps(staircase, rows)
    groups = None
    if table.group is not None and not table.together:
        step = place[np.searchsorted(staircase.scores, table.cases.score)]
        groups = _groups_of_scores(table, step, len(steps.positives))
    origin = kept_steps(staircase, rows) | origin
    sample = Carried.of_scores(table.drawn(_DRAWN_OF_CLASS))
    model_of_steps = ScoredModel(*about, origin, stairs=steps, sample=sample, groups=groups)
    return "binary", classes, model_of_steps


def _groups_of_scores(table: CaseTable, step: Ints, n_steps: int) -> list[Plain]:
    """Count both classes of the largest groups at each step that they have cases in."""
    assert table.group is not None
    sizes = np.bincount(table.group)
    found = []
    for code in np.sort(np.argsort(-sizes, kind="stable")[:_GROUPS_SHOWN]).tolist():
        own = table.group == code
        weight, positive = table.cases.weight[own], table.cases.truth[own] == 1
        positives, negatives = (
            np.bincount(step[own][side], weight[side], minlength=n_steps)
            for side in (positive, ~positive)
        )
        there = np.flatnonzero(positives + negatives)
        group = {"group": table.groups[code], "n": int(own.sum()), "events": int(positive.sum())}
        counts = {"positives": positives[there], "negatives": negatives[there]}
        found.append(group | {"steps": there} | counts)
    return found


def _of_sets(model: Cases, scored: Cases, left_out: list[Plain]) -> Iterator[Answered]:
    """Summarise sets, given or chosen by the page from probabilities of several classes."""
    several = model.y_proba is not None and len(model.classes) > 2
    risk = RiskCoverageCurve.of(scored) if several else None
    table = CaseTable.of(model)
    drawn = _drawn(model)
    part = CaseTable.of(model.take(drawn))
    part = replace(part, rows=drawn[part.rows], together=table.together)
    few_enough = len(model.classes) * _FEWEST_DRAWN <= _PROBABILITIES_CARRIED
    width = 1 if len(model.classes) < 256 else 2
    for utility, sets in [(None, model.y_set)] if model.y_set is not None else _answers(model):
        counts = SetCounts.of(replace(model, y_set=sets))
        size, right = sets.sum(axis=1), sets[np.arange(model.n), model.truth]
        codes = pack_whole((size * right)[part.rows], width)
        yield _answering(
            model.name,
            counts,
            None if utility else risk,
            utility,
            weighted=model.sample_weight is not None,
            n=model.n,
            left_out=left_out,
            hits=Carried(part, codes=codes, width=width),
            groups=summarise_groups(table, size[table.rows], right[table.rows]),
            cases=Carried.of_proba(part) if risk and not utility and few_enough else None,
        )


def _drawn(model: Cases) -> Ints:
    """Choose the rows whose cases are carried: all, or a random part of many."""
    most = CASES_CARRIED
    if model.y_proba is not None:
        most = min(most, max(_FEWEST_DRAWN, _PROBABILITIES_CARRIED // len(model.classes)))
    if model.n <= most:
        return np.arange(model.n)
    return np.sort(np.random.default_rng(0).choice(model.n, most, replace=False))


def _answers(model: Cases) -> Iterator[tuple[str | None, Mask]]:
    """Answer with the likeliest class, and with the sets of greatest expected utility."""
    p, known = model.proba, ~model.missing
    likeliest = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(likeliest, np.nan_to_num(p).argmax(axis=1)[:, np.newaxis], True, axis=1)
    yield None, likeliest | ~known[:, np.newaxis]
    for utility in _UTILITIES:
        sets = np.ones(p.shape, dtype=np.bool_)
        sets[known] = optimal_sets(p[known], utility)
        yield utility, sets


def _of_staircase(name: str, staircase: Staircase) -> Answered:
    """Summarise counts at scores; whole ones stand for so many cases."""
    counts = np.stack([staircase.negatives, staircase.positives])
    whole = bool((counts == np.rint(counts)).all())
    n_negatives, n_positives = counts.sum(axis=1)
    n = n_negatives + n_positives
    origin: dict[str, Any] = {"n": _plain(n)} if whole else {}
    if staircase.column is not None:
        origin["score"] = staircase.column
    if whole and n <= CASES_CARRIED and not staircase.cell_width:
        truth = np.repeat([0, 1], [int(n_negatives), int(n_positives)])
        score = np.concatenate([np.repeat(staircase.scores, c.astype(np.intp)) for c in counts])
        cases = Cases(name, staircase.classes, truth, y_score=score)
        return _of_scores(cases, [], origin, alone=name)
    summary, (steps, _) = _scores(name, staircase), summarise_steps(staircase, staircase)
    origin |= kept_steps(staircase, staircase)
    found = ScoredModel(
        name, summary, _plain(n), _plain(n_positives), [], not whole, origin, stairs=steps
    )
    return "binary", _names(staircase.classes), found


def _plain(count: float) -> float:
    return int(count) if count == int(count) else float(count)


def _names(classes: Any) -> list[str]:
    return [label_text(label) for label in classes]


def _scores(name: str, staircase: Staircase) -> ScoreSummary:
    """Summarise scores; both classes must occur, or nothing can be weighed."""
    counts = (staircase.n_negatives, staircase.n_positives)
    for label, count in zip(staircase.classes, counts, strict=True):
        if count == 0:
            raise InputError(
                "no row of the model {name} has the truth {label}; a report on two classes needs "
                "rows of both.",
                name=quoted(name),
                label=quoted(label),
            )
    return summarise_scores(staircase)


def _answering(
    name: str,
    counts: SetCounts,
    risk: RiskCoverageCurve | None = None,
    utility: str | None = None,
    **known: Any,
) -> Answered:
    """Summarise counts of sets; of counts alone, whole ones stand for so many cases."""
    title = name if utility is None else f"{name}, {utility} sets"
    whole = bool((counts.weight == np.rint(counts.weight)).all())
    known = {"weighted": not whole} | known
    model = AnsweringModel(title, utility, summarise_sets(counts, risk), **known)
    return "sets", _names(counts.classes.tolist()), model
