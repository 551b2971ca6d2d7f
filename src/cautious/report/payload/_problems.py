"""Models, summarised and grouped by the question they answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cautious._cases import Cases
from cautious._labels import label_text
from cautious._typing import Floats, Ints, Mask
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.decision import optimal_sets
from cautious.errors import InputError, Message, listed, quoted
from cautious.evaluation._calibration import data_digest
from cautious.logs import LogSummary
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.predictions import Predictions, read_predictions
from cautious.predictions._probabilities import per_cent_notes
from cautious.report.payload.answers import summarise_groups, summarise_sets
from cautious.report.payload.cases import (
    CASES_CARRIED,
    CaseTable,
    pack_probabilities,
    pack_scores,
    pack_whole,
)
from cautious.report.payload.scores import kept_steps, steps_of, summarise_scores

__all__ = ["doubts_of", "problems_of"]

_COUNTS = (AbstentionCostSurface, Staircase, SetCounts, RiskCoverageCurve)
# Sets that the page shows beside the likeliest class, where a model gives probabilities.
_UTILITIES = ("u65", "u80")
_GROUPS_SHOWN = 12
# Of many cases so many of each class show how the mistakes of two models go together.
_DRAWN_OF_CLASS = 200
# Of several classes so many probabilities are carried; of very many classes, which would leave
# fewer cases than this, none.
_PROBABILITIES_CARRIED, _FEWEST_DRAWN = 12_000, 100


def problems_of(source: Any, **said: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Summarise models, and group those that answer the same question."""
    problems: dict[tuple[str, ...], dict[str, Any]] = {}
    notes: list[str] = []
    for kind, classes, model in _models(source, said, notes):
        key = (kind, *(classes if kind == "binary" else sorted(classes)))
        problem = problems.setdefault(key, {"kind": kind, "classes": classes, "models": []})
        if problem["classes"] != classes:
            raise InputError(
                "the model {name} has its classes in another order than the models before it; give "
                "all models the same {=classes}.",
                name=quoted(model["name"]),
            )
        if any(other["name"] == model["name"] for other in problem["models"]):
            raise _two_of_one_name(model["name"])
        problem["models"].append(model)
    for problem in problems.values():
        problem["tables"] = _shared_tables(problem["models"], len(problem["classes"]))
    return list(problems.values()), notes


def _shared_tables(models: list[dict[str, Any]], n_classes: int) -> list[dict[str, Any]]:
    """Put tables of cases aside, each once, and leave their positions with the models."""
    drawn = Counter(model["sample"]["table"].key for model in models if "sample" in model)
    tables: dict[Any, dict[str, Any]] = {}
    for model in models:
        if "sample" in model and drawn[model["sample"]["table"].key] < 2:
            del model["sample"]  # there is nobody to compare with
        if len(models) < 2:
            model.pop("hits", None)
        for name in ("cases", "sample", "hits"):
            if name in model:
                table = model[name]["table"]
                tables.setdefault(table.key, table.packed(n_classes))
                model[name] |= {"table": list(tables).index(table.key)}
    return list(tables.values())


Summary = tuple[str, list[str], dict[str, Any]]


def _models(source: Any, said: dict[str, Any], notes: list[str]) -> Iterator[Summary]:
    """Summarise each model: those given as counts first, then those given as predictions."""
    source = _without_logs(source, said, notes)
    if isinstance(source, Mapping) and not isinstance(source, Predictions):
        counted = {name: one for name, one in source.items() if _is_counted(one)}
    else:
        counted = {}
    rest = {n: one for n, one in source.items() if n not in counted} if counted else source
    read: Predictions | None = None
    if not counted or rest:
        read = read_predictions(rest, **said)
        notes += [note.words("page") for note in read.notes]
    notes += [doubt.words("page") for doubt in doubts_of({**counted, **(read or {})})]
    for name, one in counted.items():
        yield from _of_counts(str(name), one)
    score = said.get("score")
    named = [score] if isinstance(score, str) else list(score or ())
    for model in () if read is None else read.values():
        yield from _of_predictions(model, named)


def _without_logs(source: Any, said: Mapping[str, Any], notes: list[str]) -> Any:
    """Put the counts of each model in the place of a summary of a log, and note what it says."""
    if isinstance(source, LogSummary):
        if said:
            raise InputError(
                "{given} cannot be told of a summary, which is counted already; give it to "
                "summarise.",
                given=listed(said),
            )
        source = {"log": source}
    if not isinstance(source, Mapping) or isinstance(source, Predictions):
        return source
    found: dict[Any, Any] = {}
    for name, one in source.items():
        if not isinstance(one, LogSummary):
            found[name] = one
            continue
        notes += [note.words("page") for note in one.notes]
        if one.plan.binary and "missing" in one.odd:
            notes.append("the page is about the rows that have a score")
        for title, counts in one.predictions(str(name)).items():
            if title in found:
                raise _two_of_one_name(title)
            found[title] = counts
    return found


def _two_of_one_name(name: str) -> InputError:
    """Say that models cannot be told apart."""
    return InputError("two models are called {name}; give each its own name.", name=quoted(name))


def doubts_of(models: Mapping[str, Any]) -> Iterator[Message]:
    """Ask what the scores of models are, given as predictions or as counts."""
    for name, one in _without_logs(models, {}, []).items():
        counts = one.staircase if isinstance(one, AbstentionCostSurface) else one
        scores = counts.scores if isinstance(counts, Staircase) else getattr(one, "y_score", None)
        yield from per_cent_notes(str(name), scores)


def _is_counted(given: Any) -> bool:
    return isinstance(given, _COUNTS) or (isinstance(given, Mapping) and "counts" in given)


def _of_predictions(given: Cases, named: list[Any]) -> Iterator[Summary]:
    """Summarise a model: its scores of two classes, its sets, or both."""
    if given.y_true is None:
        raise InputError("the model {name} has no truths to judge it by.", name=quoted(given.name))
    model, left_out = _weighed(given)
    known = ~model.missing
    scored = model if known.all() else model.take(known)
    if not scored.n:
        raise InputError(
            "no row of the model {name} has a score and a weight above 0, so nothing can be shown; "
            "give scores.",
            name=quoted(model.name),
        )
    weight, classes = model.sample_weight, model.labels
    if model.y_score is not None:
        gone = {"count": model.n - scored.n, "reason": "have no score (a rule abstains on them)"}
        found = _of_scores(scored, [gone, *left_out] if gone["count"] else left_out)
        found[2]["origin"] |= {"n": given.n, "digest": data_digest(given)}
        column = named[0] if len(named) == 1 else given.name
        found[2]["origin"] |= {"score": column} if column in named else {}
        yield found
    several = model.y_proba is not None and len(model.classes) > 2
    if model.y_set is None and not several:
        return
    risk = None
    if several:
        risk = RiskCoverageCurve.from_predictions(
            scored.y_true, scored.y_proba, classes=classes, sample_weight=scored.sample_weight
        )
    table, order = CaseTable.of(model)
    answers = [(None, model.y_set)] if model.y_set is not None else _answers(model.y_proba, known)
    for utility, sets in answers:
        counts = SetCounts.from_predictions(
            model.y_true, sets, classes=classes, sample_weight=weight, empty=model.empty
        )
        kind, names, summary = _sets(model.name, counts, None if utility else risk, utility)
        summary |= {"n": model.n, "left_out": left_out, "weighted": weight is not None}
        summary |= _hits(model, sets, table, order)
        few_enough = len(names) * _FEWEST_DRAWN <= _PROBABILITIES_CARRIED
        if several and utility is None and few_enough:
            summary["cases"] = _probabilities(model, table)
        yield kind, names, summary


def _weighed(model: Cases) -> tuple[Cases, list[dict[str, Any]]]:
    """Leave out rows that count for nothing, and say how many they are."""
    weight = model.sample_weight
    if weight is None or weight.all():
        return model, []
    left_out = {"count": int((weight == 0).sum()), "reason": "have the weight 0"}
    return model.take(weight > 0), [left_out]


def _of_scores(model: Cases, left_out: list[dict[str, Any]]) -> Summary:
    """Summarise scores of two classes, with their cases if these are few."""
    assert model.y_score is not None
    weight = model.sample_weight
    staircase, rows = (
        Staircase.from_predictions(
            model.y_true, model.y_score, classes=model.classes, sample_weight=one
        )
        for one in (weight, None)
    )
    kind, classes, summary = _binary(model.name, staircase)
    table, order = CaseTable.of(model)
    summary |= {"n": model.n, "events": int(rows.n_positives), "left_out": left_out}
    summary |= {"weighted": weight is not None, "origin": {}}
    if model.n <= CASES_CARRIED:
        summary["cases"] = {"table": table, **pack_scores(model.y_score[order])}
        return kind, classes, summary
    summary["stairs"], place = steps_of(staircase, None if weight is None else rows)
    summary["origin"] = kept_steps(staircase, rows)
    drawn, part = table.drawn(_DRAWN_OF_CLASS)
    summary["sample"] = {"table": part, **pack_scores(model.y_score[order][drawn])}
    if table.group is not None and not table.together:
        step = place[np.searchsorted(staircase.scores, model.y_score[order])]
        summary["groups"] = _group_counts(table, step, len(summary["stairs"]["positives"]))
    return kind, classes, summary


def _group_counts(table: CaseTable, step: Ints, n_steps: int) -> list[dict[str, Any]]:
    """Count both classes of the largest groups at each step that they have cases in."""
    assert table.group is not None
    sizes = np.bincount(table.group)
    found = []
    for code in np.sort(np.argsort(-sizes, kind="stable")[:_GROUPS_SHOWN]).tolist():
        own = table.group == code
        weight = np.ones(own.sum()) if table.weight is None else table.weight[own]
        positive = table.truth[own] == 1
        counts = [
            np.bincount(step[own][side], weight[side], minlength=n_steps)
            for side in (positive, ~positive)
        ]
        there = np.flatnonzero(counts[0] + counts[1])
        found.append(
            {
                "group": table.groups[code],
                "n": int(own.sum()),
                "events": int(positive.sum()),
                "steps": there,
                "positives": counts[0][there],
                "negatives": counts[1][there],
            }
        )
    return found


def _drawn(model: Cases) -> Ints:
    """Choose the rows whose cases are carried: all, or a random part of many."""
    most = CASES_CARRIED
    if model.y_proba is not None:
        most = min(most, max(_FEWEST_DRAWN, _PROBABILITIES_CARRIED // len(model.classes)))
    if model.n <= most:
        return np.arange(model.n)
    return np.sort(np.random.default_rng(0).choice(model.n, most, replace=False))


def _part(model: Cases, whole: CaseTable) -> tuple[Ints, CaseTable]:
    """Choose rows to carry, in the order of their cases; the whole says what stays together."""
    rows = _drawn(model)
    table, order = CaseTable.of(model.take(rows))
    return rows[order], replace(table, together=whole.together)


def _probabilities(model: Cases, whole: CaseTable) -> dict[str, Any]:
    """Carry cases with their probabilities."""
    rows, table = _part(model, whole)
    assert model.y_proba is not None
    return {"table": table, "proba": pack_probabilities(model.y_proba[rows])}


def _hits(model: Cases, sets: Mask, whole: CaseTable, order: Ints) -> dict[str, Any]:
    """Carry for each case the size of its set, or 0 if the truth is not in it; and count groups."""
    if model.empty == "abstain":
        sets = sets | ~sets.any(axis=1, keepdims=True)
    assert model.codes is not None
    size, right = sets.sum(axis=1), sets[np.arange(model.n), model.codes]
    rows, table = _part(model, whole)
    width = 1 if len(model.classes) < 256 else 2
    codes = pack_whole((size * right)[rows], width)
    found: dict[str, Any] = {"hits": {"table": table, "codes": codes, "width": width}}
    groups = summarise_groups(whole, size[order], right[order])
    return found if groups is None else found | {"groups": groups}


def _answers(p: Floats | None, known: Mask) -> list[tuple[str | None, Mask]]:
    """Answer with the likeliest class, and with the sets of greatest expected utility."""
    assert p is not None
    likeliest = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(likeliest, np.nan_to_num(p).argmax(axis=1)[:, np.newaxis], True, axis=1)
    found: list[tuple[str | None, Mask]] = [(None, likeliest | ~known[:, np.newaxis])]
    for utility in _UTILITIES:
        sets = np.ones(p.shape, dtype=np.bool_)
        sets[known] = optimal_sets(p[known], utility)
        found.append((utility, sets))
    return found


def _of_counts(name: str, given: Any) -> Iterator[Summary]:
    """Summarise counts that stand for predictions."""
    if isinstance(given, AbstentionCostSurface):
        yield _of_staircase(name, given.staircase)
    elif isinstance(given, Staircase):
        yield _of_staircase(name, given)
    elif isinstance(given, SetCounts):
        yield _sets(name, given)
    elif isinstance(given, RiskCoverageCurve):
        yield _sets(name, _answers_of_risk(name, given), given)
    else:
        counts, risk = given["counts"], given.get("risk_coverage")
        unknown = sorted(map(str, set(given) - {"counts", "risk_coverage"}))
        right = isinstance(counts, SetCounts) and isinstance(risk, RiskCoverageCurve | None)
        if unknown or not right:
            raise InputError(
                "the model {name} has counts that cannot be read; give counts=SetCounts and maybe "
                "risk_coverage=RiskCoverageCurve, and nothing else.",
                name=quoted(name),
            )
        yield _sets(name, counts, risk)


def _of_staircase(name: str, staircase: Staircase) -> Summary:
    """Summarise counts at scores; whole ones stand for so many cases."""
    kind, classes, summary = _binary(name, staircase)
    counts = np.stack([staircase.negatives, staircase.positives])
    whole = bool((counts == np.rint(counts)).all())
    n_negatives, n_positives = counts.sum(axis=1)
    n = n_negatives + n_positives
    summary |= {
        "n": _plain(n),
        "events": _plain(n_positives),
        "left_out": [],
        "weighted": not whole,
        "origin": {"n": _plain(n)} if whole else {},
    }
    if staircase.column is not None:
        summary["origin"]["score"] = staircase.column
    if whole and n <= CASES_CARRIED and not staircase.cell_width:
        truth = np.repeat([0, 1], [int(n_negatives), int(n_positives)])
        score = np.concatenate([np.repeat(staircase.scores, c.astype(np.intp)) for c in counts])
        table = CaseTable(truth, alone=name)
        summary["cases"] = {"table": table, **pack_scores(score)}
    else:
        summary["stairs"], _ = steps_of(staircase)
        summary["origin"] |= kept_steps(staircase)
    return kind, classes, summary


def _plain(count: float) -> float:
    return int(count) if count == int(count) else float(count)


def _binary(name: str, staircase: Staircase) -> Summary:
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
    classes = [label_text(label) for label in staircase.classes]
    return "binary", classes, {"name": name, **summarise_scores(staircase)}


def _sets(
    name: str, counts: SetCounts, risk: RiskCoverageCurve | None = None, utility: str | None = None
) -> Summary:
    """Summarise sets; ``utility`` says by which the page itself chose them."""
    classes = [label_text(label) for label in counts.classes.tolist()]
    title = name if utility is None else f"{name}, {utility} sets"
    summary = {"name": title, "utility": utility, **summarise_sets(counts, risk)}
    # Of counts alone, whole ones stand for so many cases.
    whole = bool((counts.weight == np.rint(counts.weight)).all())
    return "sets", classes, summary | {"weighted": not whole}


def _answers_of_risk(name: str, risk: RiskCoverageCurve) -> SetCounts:
    """Count single answers of which only right or wrong is known."""
    if not len(risk.classes) or not np.isin(risk.loss, (0, 1)).all():
        raise InputError(
            "the risk of the model {name} does not tell answers apart: it knows no classes, or "
            "losses other than 0 and 1; count it with {=classes}, or give SetCounts beside it as "
            "dict(counts=..., risk_coverage=...).",
            name=quoted(name),
        )
    right = risk.loss == 0
    unknown = np.full(len(right), -1, dtype=np.intp)
    return SetCounts(
        classes=risk.classes,
        truth=risk.truth,
        size=np.ones(len(right), dtype=np.intp),
        answer=np.where(right, risk.truth, -1),  # which wrong class it was is not known
        hit=np.asarray(right),
        forced=unknown,
        weight=risk.weight,
        set_index=unknown,
        words=np.empty((0, 1), dtype=np.uint64),
    )
