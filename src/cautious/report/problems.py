"""From predictions, or from counts of them, to the problems that the page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cautious._typing import Floats, Mask
from cautious.curves import AbstentionCostSurface, Staircase
from cautious.decision import optimal_sets
from cautious.errors import InputError, quoted
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.predictions import ModelPredictions, Predictions, label_text, read_predictions
from cautious.report.summaries import summarise_binary, summarise_sets

__all__ = ["problems_of"]

_COUNTS = (AbstentionCostSurface, Staircase, SetCounts, RiskCoverageCurve)
# Sets that the page shows beside the likeliest class, where a model gives probabilities.
_UTILITIES = ("u65", "u80")


def problems_of(source: Any, **said: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Summarise models, and group those that answer the same question.

    Parameters
    ----------
    source : object
        What :func:`cautious.report.build_report` takes.
    **said
        For :func:`cautious.predictions.read_predictions`.

    Returns
    -------
    problems : list of dict
        ``kind`` ("binary" or "sets"), ``classes`` and ``models``, each a name and a summary.
    notes : list of str
        What was guessed or looks odd.
    """
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
            raise InputError(
                "two models are called {name}; give each its own name.", name=quoted(model["name"])
            )
        problem["models"].append(model)
    return list(problems.values()), notes


Summary = tuple[str, list[str], dict[str, Any]]


def _models(source: Any, said: dict[str, Any], notes: list[str]) -> Iterator[Summary]:
    """Summarise each model: those given as counts first, then those given as predictions."""
    if isinstance(source, Mapping) and not isinstance(source, Predictions):
        counted = {name: one for name, one in source.items() if _is_counted(one)}
    else:
        counted = {}
    rest = {n: one for n, one in source.items() if n not in counted} if counted else source
    read: Predictions | None = None
    if not counted or rest:
        read = read_predictions(rest, **said)
        notes += [note.words("page") for note in read.notes]
    for name, one in counted.items():
        yield from _of_counts(str(name), one)
    for model in () if read is None else read.values():
        yield from _of_predictions(model)


def _is_counted(given: Any) -> bool:
    return isinstance(given, _COUNTS) or (isinstance(given, Mapping) and "counts" in given)


def _of_predictions(model: ModelPredictions) -> Iterator[Summary]:
    """Summarise a model: its scores of two classes, its sets, or both."""
    if model.y_true is None:
        raise InputError("the model {name} has no truths to judge it by.", name=quoted(model.name))
    if model.missing.any():
        raise InputError(
            "{count} scores of the model {name} are missing; leave these rows out, for the page "
            "has no place for them.",
            count=int(model.missing.sum()),
            name=quoted(model.name),
        )
    weight, classes = model.sample_weight, model.labels
    if model.y_score is not None:
        staircase = Staircase.from_predictions(
            model.y_true, model.y_score, classes=model.classes, sample_weight=weight
        )
        yield _binary(model.name, staircase)
    several = model.y_proba is not None and len(model.classes) > 2
    if model.y_set is None and not several:
        return
    risk = None
    if several:
        risk = RiskCoverageCurve.from_predictions(
            model.y_true, model.y_proba, classes=classes, sample_weight=weight
        )
    answers = [(None, model.y_set)] if model.y_set is not None else _answers(model.y_proba)
    for utility, sets in answers:
        counts = SetCounts.from_predictions(
            model.y_true, sets, classes=classes, sample_weight=weight, empty=model.empty
        )
        yield _sets(model.name, counts, risk if utility is None else None, utility)


def _answers(p: Floats | None) -> list[tuple[str | None, Mask]]:
    """Answer with the likeliest class, and with the sets of greatest expected utility."""
    assert p is not None
    likeliest = np.zeros(p.shape, dtype=np.bool_)
    np.put_along_axis(likeliest, p.argmax(axis=1, keepdims=True), True, axis=1)
    return [(None, likeliest), *((utility, optimal_sets(p, utility)) for utility in _UTILITIES)]


def _of_counts(name: str, given: Any) -> Iterator[Summary]:
    """Summarise counts that stand for predictions."""
    if isinstance(given, AbstentionCostSurface):
        yield _binary(name, given.staircase)
    elif isinstance(given, Staircase):
        yield _binary(name, given)
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
    return "binary", classes, {"name": name, **summarise_binary(staircase)}


def _sets(
    name: str, counts: SetCounts, risk: RiskCoverageCurve | None = None, utility: str | None = None
) -> Summary:
    """Summarise sets; ``utility`` says by which the page itself chose them."""
    classes = [label_text(label) for label in counts.classes.tolist()]
    title = name if utility is None else f"{name}, {utility} sets"
    return "sets", classes, {"name": title, "utility": utility, **summarise_sets(counts, risk)}


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
