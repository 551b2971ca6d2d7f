r"""Models, summarised and grouped by the question they answer.

The page computes by itself, so it is given counts rather than results. Up to 1,500 cases are
carried one by one, which lets it cross-fit and compare models case by case; of more it gets counts
at steps of the score.

Whatever the costs and the prior, the optimal window lies at corners of the hull
(:class:`cautious.curves.CostHull`), so the counts of its bins are all that the sliders need. A
prior other than the sample's multiplies the counts of each class by one factor, which moves no
corner. Thresholds that somebody drags may lie anywhere: for these there are the cases themselves
or, if they are many, counts at steps of the score.

A set of size k earns the discounted accuracy x = 1/k if it holds the truth, else 0, so a table of
sizes against right and wrong gives every mean the page shows, for every risk aversion:
:math:`u_k(x) = x + (4k - 2)\,x(1 - x)`.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cautious._cases import Cases, data_digest
from cautious._labels import label_text
from cautious._typing import Floats, Ints, Mask
from cautious.curves import RiskCoverageCurve, Staircase
from cautious.curves._hull import CostHull, kept_scores
from cautious.curves._staircase import calibration_bins, direction_notes
from cautious.decision import optimal_sets
from cautious.errors import InputError, Message, quoted
from cautious.evaluation._evidence import Evidence, count_models
from cautious.metrics import SetCounts
from cautious.predictions._probabilities import per_cent_notes
from cautious.predictions._reader import judged_apart
from cautious.tuning._cross_fitting import LEAST_GROUPS

COSTS = {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0}
COSTS_OF_GRADES = {"wrong": 5.0, "abstain": 1.0}
"""Where the sliders stand at first, unless the caller says."""

CASES_CARRIED = 1500
"""So many cases are carried one by one; of more, counts at steps of the score."""
Plain = dict[str, Any]
"""What the page reads by name: numbers, text, and arrays and lists of these."""
_LEVELS = 0xFFFFFF
_BARS = 60
_POINTS = 100
_STEPS = 60
# All classes have a column unless there are very many, then those most often missed; so do the
# commonest sets.
_CLASSES_KEPT, _CLASSES_SHOWN = 60, 12
_SETS_SHOWN = 12
# More groups than anybody reads: the largest of them.
_GROUPS_KEPT = 100
# Sets that the page shows beside the likeliest class, where a model gives probabilities.
_UTILITIES = ("u65", "u80")
_GROUPS_SHOWN = 12
# Of many cases so many of each class show how the mistakes of two models go together.
_DRAWN_OF_CLASS = 200
# Of several classes so many probabilities are carried; of very many classes, which would leave
# fewer cases than this, none.
_PROBABILITIES_CARRIED, _FEWEST_DRAWN = 12_000, 100
# Kind of question, classes, and what the page reads of the model that answers it.
Answered = tuple[str, list[str], Plain]


@dataclass(frozen=True, eq=False)
class ReportedModels:
    """Models to report on.

    Attributes
    ----------
    models : list of Evidence
        What is known of each.
    notes : tuple of Message
        What was guessed, and what looks odd.
    """

    models: list[Evidence]
    notes: tuple[Message, ...]

    @classmethod
    def of(cls, source: Any, **columns: Any) -> ReportedModels:
        """Read what :func:`cautious.report.build_report` takes."""
        models, notes = count_models(source, None, columns=columns)
        for evidence in models:
            if evidence.graded and evidence.cases is None:
                raise InputError(
                    "{name} is a summary of graded answers, which a report does not draw; give it "
                    "the answers themselves.",
                    name=quoted(evidence.name),
                )
            stairs, graded = evidence.staircase, evidence.graded
            if stairs is not None and not graded:
                notes += per_cent_notes(evidence.name, stairs.scores)
                if evidence.cases is None and evidence.missing:
                    notes.append(Message("the page is about the rows that have a score"))
            if stairs is not None:
                notes += direction_notes(evidence.name, stairs, graded=graded)
        if all(evidence.graded for evidence in models):  # the page says how many are escalated so
            notes = [note for note in notes if note.key != "missing confidence"]
        known = [evidence.cases for evidence in models if evidence.cases is not None]
        return cls(models, (*notes, *judged_apart(known)))

    @cached_property
    def problems(self) -> list[Plain]:
        """Summarise the models, and group those that answer the same question."""
        answered = [
            (kind, classes, model | {"columns": evidence.columns} if evidence.columns else model)
            for evidence in self.models
            for kind, classes, model in _of_evidence(evidence)
        ]
        found: dict[tuple[str, ...], Plain] = {}
        for kind, classes, model in answered:
            key = (kind, *(sorted(classes) if kind == "sets" else classes))
            problem = found.setdefault(key, {"kind": kind, "classes": classes, "models": []})
            if problem["classes"] != classes:
                raise InputError(
                    "the model {name} has its classes in another order than the models before it; "
                    "give all models the same {=classes}.",
                    name=quoted(model["name"]),
                )
            if any(other["name"] == model["name"] for other in problem["models"]):
                raise InputError(
                    "two models are called {name}; give each its own name.",
                    name=quoted(model["name"]),
                )
            problem["models"].append(model)
        return [problem | _with_tables(problem["models"]) for problem in found.values()]


def _with_tables(models: list[Plain]) -> Plain:
    """Put tables of cases aside, each once, and leave their positions with the models."""
    drawn = Counter(model["sample"]["table"].key for model in models if "sample" in model)
    tables: dict[Any, Plain] = {}
    placed = []
    for model in models:
        placed.append(dict(model))
        for name in ("cases", "sample", "hits"):
            if name not in model:
                continue
            carried = placed[-1].pop(name)
            table = carried["table"]
            # Where there is nobody to compare with, these are of no use.
            if (name == "sample" and drawn[table.key] < 2) or (name == "hits" and len(models) < 2):
                continue
            if table.key not in tables:
                tables[table.key] = table.packed()
            placed[-1][name] = carried | {"table": list(tables).index(table.key)}
    return {"models": placed, "tables": list(tables.values())}


def _of_evidence(evidence: Evidence) -> Iterator[Answered]:
    """Summarise a model: its scores of two classes, its sets, or both."""
    given = evidence.cases
    if given is None:
        if evidence.staircase is not None:
            yield _of_staircase(evidence.name, evidence.staircase)
        else:
            assert evidence.counts is not None
            yield _answering(evidence.name, evidence.counts, evidence.risk)
        return
    # Rows that count for nothing are left out.
    model, idle = given, 0 if given.sample_weight is None else int((given.weight == 0).sum())
    left_out = [{"count": idle, "reason": "have the weight 0"}] if idle else []
    if idle:
        model = given.take(given.weight > 0)
    missing = int(model.missing.sum())
    scored = model.take(~model.missing) if missing else model
    if not scored.n:
        raise InputError(
            "no row of the model {name} has a score and a weight above 0, so nothing can be shown; "
            "give scores.",
            name=quoted(model.name),
        )
    if evidence.staircase is not None:
        gone = [{"count": missing, "reason": "have no score (a rule abstains on them)"}]
        gone = gone if missing and not model.graded else []
        origin = {"n": given.n, "digest": data_digest(given)}
        about = {"left_out": gone + left_out, "origin": origin}
        # Answers without a confidence are escalated, and count.
        counted = CaseTable.of(model if model.graded else scored)
        yield _of_scores(evidence.staircase, counted, about)
    if model.y_set is not None or len(model.classes) > 2:
        yield from _of_sets(model, scored, left_out)


def _of_staircase(name: str, staircase: Staircase) -> Answered:
    """Summarise counts at scores; whole ones stand for so many cases."""
    counts = np.stack([staircase.negatives, staircase.positives])
    whole = bool((counts == np.rint(counts)).all())
    number: Any = int if whole else float
    n, n_positives = number(counts.sum()), number(counts[1].sum())
    origin: Plain = {"n": n} if whole else {}
    if staircase.column is not None:
        origin["score"] = staircase.column
    about: Plain = {"left_out": [], "origin": origin}
    if not whole or n > CASES_CARRIED or staircase.cell_width:
        about |= {"name": name, "n": n, "events": n_positives, "weighted": not whole}
        return _of_scores(staircase, None, about)
    truth = np.repeat([0, 1], [n - n_positives, n_positives])
    score = np.concatenate([np.repeat(staircase.scores, c.astype(np.intp)) for c in counts])
    cases = Cases(name, staircase.classes, truth, y_score=score)
    return _of_scores(staircase, replace(CaseTable.of(cases), alone=name), about)


def _of_scores(staircase: Staircase, table: CaseTable | None, about: Plain) -> Answered:
    """Summarise scores of two classes, with their cases if these are known and few."""
    cases, rows, kind = None if table is None else table.cases, staircase, "binary"
    found = summarise_scores(staircase)
    if cases is not None:
        weighted = cases.sample_weight is not None
        rows = Staircase.of(replace(cases, sample_weight=None)) if weighted else staircase
        found |= {"name": cases.name, "n": cases.n, "events": int((cases.truth == 1).sum())}
        found["weighted"] = weighted
    if cases is not None and cases.graded:
        kind, found["risk"] = "graded", summarise_risk(RiskCoverageCurve.of(cases))
    found |= about
    counts = (staircase.n_negatives, staircase.n_positives)
    for label, count in zip(staircase.classes, counts, strict=True):
        if count == 0 and kind == "binary":
            raise InputError(
                "no row of the model {name} has the truth {label}; a report on two classes needs "
                "rows of both.",
                name=quoted(found["name"]),
                label=quoted(label),
            )
    classes = [label_text(label) for label in staircase.classes]
    unscored = cases is not None and bool(cases.missing.any())
    if table is not None and table.cases.n <= CASES_CARRIED:
        found["cases"] = carried_scores(table)
    else:
        found["stairs"], place = summarise_steps(staircase, rows)
        found["origin"] = kept_steps(staircase, rows) | about["origin"]
        if table is not None:
            found["sample"] = carried_scores(table.drawn(_DRAWN_OF_CLASS))
        if table is not None and table.group is not None and not table.together:
            # A step of their own, the first one, is of those without a confidence.
            place = np.append(place + unscored, 0)
            step = place[np.searchsorted(staircase.scores, table.cases.score)]
            found["groups"] = _groups_of_scores(table, step, int(place.max()) + 1)
    return kind, classes, _with_unscored(found, cases) if cases and unscored else found


def _with_unscored(found: Plain, cases: Cases) -> Plain:
    """Put graded answers without a confidence below all thresholds: a bin, and a step of theirs."""
    truth, weight = cases.truth[cases.missing], cases.weight[cases.missing]
    found |= {"unscored": len(truth), "total": found["total"] + float(weight.sum())}
    steps = found.get("stairs", {})
    for counts in (found, steps, steps.get("rows", {})):
        each = np.ones(len(truth)) if counts is steps.get("rows") else weight
        for code, side in enumerate(("negatives", "positives")):
            if side in counts:
                counts[side] = np.insert(counts[side], 0, each[truth == code].sum())
    for ends in ("lower", "upper"):
        if found[ends] is not None:
            found[ends] = np.insert(found[ends], 0, -np.inf)
    if steps:
        steps["shared"] = [0, *(corner + 1 for corner in steps["shared"])]
        steps["short"] = [-np.inf, *steps["short"]]
    return found


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
            hits={"table": part, "codes": codes, "width": width},
            groups=summarise_groups(table, size[table.rows], right[table.rows]),
            cases=carried_proba(part) if risk and not utility and few_enough else None,
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


def _answering(
    name: str,
    counts: SetCounts,
    risk: RiskCoverageCurve | None = None,
    utility: str | None = None,
    **more: Any,
) -> Answered:
    """Summarise counts of sets; of counts alone, whole ones stand for so many cases."""
    title = name if utility is None else f"{name}, {utility} sets"
    whole = bool((counts.weight == np.rint(counts.weight)).all())
    model: Plain = {"name": title, "utility": utility} | summarise_sets(counts, risk)
    model["weighted"] = not whole
    model |= {name: fact for name, fact in more.items() if fact is not None}
    return "sets", [label_text(label) for label in counts.classes.tolist()], model


@dataclass(frozen=True, eq=False)
class CaseTable:
    """What is known of the cases apart from any model, shared by models judged on the same ones.

    Attributes
    ----------
    cases : Cases
        Truths, weights and what a model says of them; those known by name in the order of these.
    rows : ndarray of shape (n,), int
        Their rows in the model.
    group : ndarray of shape (n,), int, optional
        Group of each case as a position in `groups`.
    groups : tuple of str
        Names of the groups.
    together : bool
        Whether cases of a group stay together in folds: there are many groups, such as patients.
    alone : object, optional
        Keeps cases apart that are not known to be the same; those of two counted models, say.
    """

    cases: Cases
    rows: Ints
    group: Ints | None = None
    groups: tuple[str, ...] = ()
    together: bool = False
    alone: Any = None

    @classmethod
    def of(cls, model: Cases) -> CaseTable:
        """Put the cases of a model in order."""
        rows = np.arange(model.n)
        if model.case is not None:
            rows = np.argsort(model.case.astype(str), kind="stable")
            model = model.take(rows)
        if model.groups is None:
            return cls(model, rows)
        texts = np.array([label_text(group) for group in model.groups.tolist()], dtype=object)
        group, names = pd.factorize(texts)
        sizes = [len(np.unique(group[model.truth == code])) for code in range(len(model.classes))]
        together = min(sizes) >= LEAST_GROUPS and len(names) < len(rows)
        return cls(model, rows, group, tuple(names.tolist()), together)

    def drawn(self, most: int) -> CaseTable:
        """Draw up to so many cases of each class: a table of their truths and scores alone."""
        rng = np.random.default_rng(0)
        truth = self.cases.truth
        rows = []
        for code in np.unique(truth):
            own = np.flatnonzero(truth == code)
            rows.append(rng.choice(own, min(most, len(own)), replace=False))
        at = np.sort(np.concatenate(rows))
        part = Cases.of_codes(self.cases.labels, truth[at], y_score=self.cases.score[at])
        return CaseTable(part, self.rows[at], alone=hash(self.key))

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same cases."""
        arrays = (self.cases.truth, self.cases.sample_weight, self.group)
        contents = (None if array is None else array.tobytes() for array in arrays)
        return (*contents, self.groups, self.alone)

    def packed(self) -> dict[str, Any]:
        """Plain data for the page."""
        truth = self.cases.truth
        if len(self.cases.classes) == 2:
            bits = np.packbits(truth.astype(np.bool_), bitorder="little")
            text = base64.b64encode(bits.tobytes()).decode("ascii")
        else:
            text = pack_whole(truth, 2)
        found: dict[str, Any] = {"n": len(truth), "truth": text}
        if self.cases.sample_weight is not None:
            found["weight"] = self.cases.sample_weight
        if self.group is not None and len(self.groups) < 1 << 16:
            # Names of patients must not be shown, and there are as many as cases.
            named = {"together": True} if self.together else {"groups": list(self.groups)}
            found |= {"group": pack_whole(self.group, 2)} | named
        return found


def carried_proba(table: CaseTable) -> Plain:
    """Carry probabilities in steps of 1/65535; a row of zeros has none."""
    steps = np.rint(np.nan_to_num(table.cases.proba) * 0xFFFF).astype(np.int64)
    return {"table": table, "proba": pack_whole(steps.ravel(), 2)}


def pack_whole(values: Ints, width: int) -> str:
    """Write whole numbers in `width` bytes each, the lowest byte first, as text."""
    wide = np.asarray(values, dtype="<u4").reshape(-1, 1).view(np.uint8)
    return base64.b64encode(wide[:, :width].tobytes()).decode("ascii")


def carried_scores(table: CaseTable) -> Plain:
    """Write scores in as few bytes as keep different ones apart, and equal distances equal.

    They are whole steps from the least, steps between two ends, positions among levels, or as are.
    """
    score, carried = table.cases.score, {"table": table}
    low, high = float(score.min()), float(score.max())
    levels, place = np.unique(score, return_inverse=True)
    if np.isfinite([low, high, high - low]).all():
        for digits in range(8):
            if max(abs(low), abs(high)) * 10**digits > 1e15:
                break
            whole = np.rint(score * 10**digits)
            if (whole / 10**digits == score).all() and np.ptp(whole) <= _LEVELS:
                least = int(whole.min())
                packed = pack_whole((whole - least).astype(np.int64), 3)
                return carried | {"scores": packed, "least": least, "digits": digits}
        step = np.rint((score - low) / max(high - low, 1e-300) * _LEVELS)
        if 4 * len(levels) > len(score) and len(np.unique(step)) == len(levels):
            packed = pack_whole(step.astype(np.int64), 3)
            return carried | {"scores": packed, "low": low, "high": high}
    if 4 * len(levels) <= len(score):
        return carried | {"scores": pack_whole(place, 2), "levels": levels}
    exact = base64.b64encode(np.asarray(score, dtype="<f8").tobytes())
    return carried | {"scores": exact.decode("ascii")}


def summarise_scores(staircase: Staircase) -> Plain:
    """Reduce scores of two classes to the bins of their hull, and what is drawn of them."""
    hull, scores, risk = CostHull.of(staircase), staircase.scores, None
    sure = staircase.are_probabilities
    if sure:  # before any calibration, the answer of a probability is the likelier class
        positive = scores > 0.5
        wrong = np.concatenate([~positive, positive]).astype(np.float64)
        confidence = np.tile(np.maximum(scores, 1 - scores), 2)
        weight = np.concatenate([staircase.positives, staircase.negatives])
        truth = np.zeros(len(wrong), dtype=np.intp)
        risk = RiskCoverageCurve(confidence, wrong, truth, weight, np.empty(0)).summed()
    return {
        "total": float(staircase.positives.sum() + staircase.negatives.sum()),
        "positives": hull.positives,
        "negatives": hull.negatives,
        "lower": hull.lower[1:-1],
        # They differ only where no float lies between two neighbouring scores.
        "upper": None if (hull.upper == hull.lower).all() else hull.upper[1:-1],
        "auc": staircase.auc(),
        "reversed": staircase.is_reversed,
        "histogram": _histogram(staircase),
        "risk": None if risk is None else summarise_risk(risk),
        "calibration": calibration_bins(staircase).to_dict("records") if sure else None,
    }


def summarise_risk(risk: RiskCoverageCurve) -> Plain:
    """Thin a risk–coverage curve out for drawing; its areas stay exact."""
    coverage, total = risk.coverage, float(risk.weight.sum())
    at = np.arange(len(coverage))
    if len(at) > _POINTS:
        # Selective risk moves most where little is covered: half the points are spread evenly
        # over the coverage, half over its logarithm.
        even = np.linspace(coverage[0], 1, _POINTS // 2)
        dense = np.geomspace(coverage[0], 1, _POINTS // 2)
        near = np.searchsorted(coverage, np.concatenate([even, dense]))
        at = np.unique(np.append(np.minimum(near, len(at) - 1), [0, len(at) - 1]))
    counts = np.stack([coverage[at], risk.generalised_risk[at]]) * total
    # Whole numbers get their exact value back, which takes fewer digits.
    whole = np.rint(counts)
    close = np.abs(counts - whole) <= 1e-9 * np.maximum(1, whole)
    covered, lost = np.where(close, whole, counts)
    return {"covered": covered, "lost": lost, "aurc": risk.aurc, "augrc": risk.augrc}


def _histogram(staircase: Staircase) -> Plain:
    """Count both classes in bars of equal width; infinite scores go into the outer bars."""
    finite = staircase.scores[np.isfinite(staircase.scores)]
    # Ends so far apart that their distance is infinite could not be drawn.
    ends = np.clip(finite[[0, -1]], -1e300, 1e300) if len(finite) else (0.0, 1.0)
    low, high = float(ends[0]), float(ends[1])
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        room = max(0.5, abs(low) / 2)
        low, high = low - room, high + room
    width = high / _BARS - low / _BARS
    inside = np.clip(staircase.scores, low, high)
    bar = np.minimum(((inside - low) / width).astype(np.intp), _BARS - 1)
    positives = np.bincount(bar, staircase.positives, minlength=_BARS)
    negatives = np.bincount(bar, staircase.negatives, minlength=_BARS)
    return {"low": low, "high": high, "positives": positives, "negatives": negatives}


def summarise_steps(staircase: Staircase, rows: Staircase) -> tuple[Plain, Ints]:
    """Gather neighbouring scores into a few hundred steps, and say in which each score is.

    ``rows`` counts every case once; it is the staircase itself where cases have no weights.
    """
    scores, m = staircase.scores, len(staircase.scores)
    hull = CostHull.of(staircase)
    seen = np.cumsum(staircase.positives + staircase.negatives)
    corners = np.searchsorted(scores, hull.upper[1:-1], side="left")
    others = np.searchsorted(seen, np.arange(1, _STEPS) / _STEPS * seen[-1]) + 1
    if staircase.are_probabilities:
        rounded = np.searchsorted(scores, np.arange(1, 100) / 100, side="left")
        others = np.concatenate([others, rounded])
    starts = np.unique(np.concatenate([corners, others]))
    starts = starts[(starts > 0) & (starts < m)]
    first = last = scores
    if width := staircase.cell_width:  # nobody knows what a cut through a cell would do
        cell = np.floor(scores / width)
        first = cell * width
        last = np.nextafter(first + width, -np.inf)
        starts = starts[(cell[starts - 1] != cell[starts]) | np.isin(starts, corners)]
    place = np.searchsorted(starts, np.arange(m), side="right")
    cuts = np.setdiff1d(starts, corners).tolist()
    shared = np.isin(corners, np.intersect1d(starts, others))

    def added(counts: Floats) -> Floats:
        return np.bincount(place, counts, minlength=len(starts) + 1).astype(np.float64)

    def both(stairs: Staircase) -> Plain:
        return {"positives": added(stairs.positives), "negatives": added(stairs.negatives)}

    written = zip(hull.lower[1:-1].tolist(), corners.tolist(), strict=True)
    steps: Plain = {"cuts": [_between(last[at - 1], first[at]) for at in cuts]}
    steps |= {"shared": np.flatnonzero(shared).tolist()} | both(staircase)
    if width:
        steps["width"] = width
    else:
        steps["short"] = [_written(end, scores[at - 1], scores[at]) for end, at in written]
    return steps | ({} if rows is staircase else {"rows": both(rows)}), place


def kept_steps(staircase: Staircase, rows: Staircase) -> dict[str, Any]:
    """Keep of the scores what the file of a rule says of them and steps do not."""
    kept = kept_scores(staircase)
    bins = kept.get("scores") if rows is staircase else rows.score_bins()
    found: dict[str, Any] = {"scores": bins} if bins else {}
    if "hull" in kept:
        found["ends"] = [kept["hull"]["low"][0], kept["hull"]["high"][-1]]
        high = kept["hull"]["high"][:-1]
        if high != CostHull.of(staircase).lower[1:-1].tolist():
            found["high"] = high
    return found


def _between(below: float, above: float) -> float:
    """Find a number between two scores that takes few digits to write."""
    middle = below / 2 + above / 2
    return _written(middle if middle < above else below, below, above, digits=1)


def _written(threshold: float, below: float, above: float, digits: int = 3) -> float:
    """Find the decimal of least digits near a threshold that lies between the same two scores."""
    shorter = (float(f"{threshold:.{many}g}") for many in range(digits, 17))
    return next((short for short in shorter if below < short < above), float(threshold))


def summarise_sets(counts: SetCounts, risk: RiskCoverageCurve | None) -> Plain:
    """Reduce prediction sets to sizes against right and wrong, means, and sets against truths."""
    x = counts.hit / np.maximum(counts.size, 1)
    single = counts.size == 1
    means = (np.ones(len(x)), single, single & counts.hit, counts.hit, counts.size, x, x * (1 - x))
    by_class = np.column_stack([counts.by_truth(mean.astype(np.float64)) for mean in means])
    table = pd.DataFrame({"size": counts.size, "right": counts.weight * counts.hit})
    table["wrong"] = counts.weight * ~counts.hit
    sizes = table.groupby("size", sort=True).sum().reset_index()
    return {
        "sizes": sizes.to_numpy(dtype=np.float64),
        "by_class": by_class,
        "confusion": _confusion(counts),
        "risk": None if risk is None else summarise_risk(risk),
    }


def summarise_groups(table: CaseTable, size: Ints, right: Mask) -> list[Plain] | None:
    """Count sizes of sets against right and wrong in each group, the largest group first."""
    if table.group is None or table.together:
        return None
    weight = table.cases.weight
    cells = pd.DataFrame({"size": size, "right": weight * right, "wrong": weight * ~right})
    rows = np.bincount(table.group)
    cells = cells.groupby([table.group, "size"], sort=True).sum().reset_index("size")
    found: list[Plain] = []
    for code in np.argsort(-rows, kind="stable")[:_GROUPS_KEPT].tolist():
        sizes = cells.loc[[code]].to_numpy(dtype=np.float64)
        found.append({"group": table.groups[code], "n": int(rows[code]), "sizes": sizes})
    return found


def _confusion(counts: SetCounts) -> Plain | None:
    """Lay sets out against truths, the rare ones gathered; None if answers are not known."""
    single = counts.size == 1
    if (counts.answer[single] < 0).any():
        return None
    columns, kept = list(range(counts.n_classes)), np.arange(counts.n_classes)
    if len(kept) > _CLASSES_KEPT:  # those most often missed have a column of their own
        trouble: Floats = counts.by_truth(1 - counts.hit / np.maximum(counts.size, 1))
        kept = np.sort(np.argsort(-trouble, kind="stable")[:_CLASSES_SHOWN])
        columns = [*kept.tolist(), -1]
    column_of = np.full(counts.n_classes, len(columns) - 1, dtype=np.intp)
    column_of[kept] = np.arange(len(kept))
    rows: list[Plain] = [{"set": [int(k)]} for k in kept]
    row = np.full(len(counts.truth), -1, dtype=np.intp)
    answer = counts.answer[single]
    row[single] = np.where(np.isin(answer, kept), column_of[answer], -1)
    if len(kept) < counts.n_classes:
        row[single & (row < 0)] = len(rows)
        rows.append({"other": counts.n_classes - len(kept), "size": 1})
    partial = ~single & ~counts.vacuous
    if partial.any():
        _add_partial(counts, partial, row, rows)
    if counts.vacuous.any():
        row[counts.vacuous] = len(rows)
        rows.append({"abstain": True})
    matrix = np.zeros((len(rows), len(columns)))
    np.add.at(matrix, (row, column_of[counts.truth]), counts.weight)
    return {"columns": columns, "rows": rows, "counts": matrix}


def _add_partial(counts: SetCounts, partial: np.ndarray, row: Ints, rows: list[Plain]) -> None:
    """Give the commonest partial sets a row each and gather the rest."""
    if counts.knows_sets:
        total = np.bincount(
            counts.set_index[partial], counts.weight[partial], minlength=len(counts.words)
        )
        common = np.argsort(-total, kind="stable")[:_SETS_SHOWN]
        common = np.sort(common[total[common] > 0])
        for index in common:
            row[partial & (counts.set_index == index)] = len(rows)
            rows.append({"set": np.flatnonzero(counts.sets[index]).tolist()})
        rest = partial & ~np.isin(counts.set_index, common)
        n_other = len(np.unique(counts.set_index[rest]))
    else:
        rest, n_other = partial, 0
    if rest.any():
        row[rest] = len(rows)
        rows.append({"other": n_other, "size": 2})
