r"""What the page needs to know about a model, in a few hundred numbers.

Of scores of two classes: whatever the costs and the prior, the optimal window lies at corners of
the hull (:class:`cautious.curves.CostHull`), so the counts of its bins are all that the sliders
need. A prior other than the sample's multiplies the counts of each class by one factor, which moves
no corner.

Of prediction sets: a set of size k earns the discounted accuracy x = 1/k if it holds the truth,
else 0, so a table of sizes against right and wrong gives every mean the page shows, for every risk
aversion: :math:`u_k(x) = x + (4k - 2)\,x(1 - x)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints, Mask
from cautious.curves import AbstentionCostSurface, CostHull, Staircase
from cautious.decision import optimal_sets
from cautious.errors import InputError, quoted
from cautious.metrics import RiskCoverageCurve, SetCounts
from cautious.predictions import ModelPredictions, Predictions, label_text, read_predictions

__all__ = ["problems_of", "summarise_binary", "summarise_sets"]

_BARS = 60
_POINTS = 400
# A matrix that can be taken in at a glance: so many classes, and so many of the sets that occur.
_CLASSES_SHOWN = 12
_SETS_SHOWN = 12


def summarise_binary(staircase: Staircase) -> dict[str, Any]:
    """Reduce a staircase to the numbers the page works with.

    Parameters
    ----------
    staircase : Staircase
        Counts of both classes at distinct scores.

    Returns
    -------
    dict
        ``positives`` and ``negatives`` of each hull bin, the ``lower`` and ``upper`` thresholds
        between the bins, ``auc``, ``histogram`` and ``risk``.

    Examples
    --------
    >>> summary = summarise_binary(Staircase([1, 2, 3, 4], [0, 1, 0, 1], [1, 0, 1, 0]))
    >>> summary["lower"].tolist(), summary["positives"].tolist()
    ([1.5, 3.5], [0.0, 1.0, 1.0])
    """
    hull = CostHull.of(staircase)
    return {
        "positives": hull.positives,
        "negatives": hull.negatives,
        "lower": hull.lower[1:-1],
        "upper": hull.upper[1:-1],
        "auc": staircase.auc(),
        "histogram": _histogram(staircase),
        "risk": risk_summary(confidence_of(staircase)),
    }


def confidence_of(staircase: Staircase) -> RiskCoverageCurve:
    """Count mistakes by how sure the score itself is, before any calibration.

    Scores within [0, 1] are read as probabilities and cut at one half, others as margins and cut
    at zero. A score on the cut is answered negative, as an argmax would.
    """
    scores = staircase.scores
    is_probability = staircase.are_probabilities
    confidence = np.maximum(scores, 1 - scores) if is_probability else np.abs(scores)
    positive = scores > (0.5 if is_probability else 0.0)
    return RiskCoverageCurve.from_losses(
        np.concatenate([~positive, positive]),
        np.concatenate([confidence, confidence]),
        sample_weight=np.concatenate([staircase.positives, staircase.negatives]),
    )


def risk_summary(risk: RiskCoverageCurve) -> dict[str, Any]:
    """Thin a risk–coverage curve out for drawing; its areas stay exact.

    Parameters
    ----------
    risk : RiskCoverageCurve
        The curve.

    Returns
    -------
    dict
        ``coverage`` and ``risk`` (generalised) at no more than a few hundred points, ``aurc`` and
        ``augrc``.
    """
    coverage, generalised = risk.coverage, risk.generalised_risk
    at = np.arange(len(coverage))
    if len(at) > _POINTS:
        # Selective risk moves most where little is covered: half the points are spread evenly
        # over the coverage, half over its logarithm.
        even = np.linspace(coverage[0], 1, _POINTS // 2)
        dense = np.geomspace(coverage[0], 1, _POINTS // 2)
        wanted = np.searchsorted(coverage, np.concatenate([even, dense]))
        at = np.unique(np.append(np.minimum(wanted, len(at) - 1), [0, len(at) - 1]))
    return {
        "coverage": coverage[at],
        "risk": generalised[at],
        "aurc": risk.aurc,
        "augrc": risk.augrc,
    }


def _histogram(staircase: Staircase) -> dict[str, Any]:
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
    return {
        "low": low,
        "high": high,
        "positives": np.bincount(bar, weights=staircase.positives, minlength=_BARS),
        "negatives": np.bincount(bar, weights=staircase.negatives, minlength=_BARS),
    }


def summarise_sets(counts: SetCounts, risk: RiskCoverageCurve | None) -> dict[str, Any]:
    """Reduce counts of prediction sets to the numbers the page works with.

    Parameters
    ----------
    counts : SetCounts
        Prediction sets counted against truths.
    risk : RiskCoverageCurve, optional
        Losses counted by confidence, if the model says how sure it is.

    Returns
    -------
    dict
        ``sizes`` (size, weight of right sets, weight of wrong ones), ``by_class`` (one row per
        class: cases, determinate, determinate and right, right, sum of sizes, sums of x and of
        x(1 − x)), ``confusion`` and ``risk``.
    """
    x = counts.hit / np.maximum(counts.size, 1)
    single = counts.size == 1
    by_class = np.column_stack(
        [
            counts.by_truth(value.astype(np.float64))
            for value in (
                np.ones(len(x)),
                single,
                single & counts.hit,
                counts.hit,
                counts.size,
                x,
                x * (1 - x),
            )
        ]
    )
    table = pd.DataFrame({"size": counts.size, "right": counts.weight * counts.hit})
    table["wrong"] = counts.weight * ~counts.hit
    sizes = table.groupby("size", sort=True).sum().reset_index()
    return {
        "sizes": sizes.to_numpy(dtype=np.float64),
        "by_class": by_class,
        "confusion": _confusion(counts),
        "risk": None if risk is None else risk_summary(risk),
    }


def _confusion(counts: SetCounts) -> dict[str, Any] | None:
    """Lay sets out against truths, the rare ones gathered; None if answers are not known.

    A row is ``{"set": [positions of classes]}`` or ``{"other": how many sets}``, a column a
    position or -1 for all other classes.
    """
    single = counts.size == 1
    if (counts.answer[single] < 0).any():
        return None
    columns, kept = _busiest(counts)
    column_of = np.full(counts.n_classes, len(columns) - 1, dtype=np.intp)
    column_of[kept] = np.arange(len(kept))
    rows: list[dict[str, Any]] = [{"set": [int(k)]} for k in kept]
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


def _busiest(counts: SetCounts) -> tuple[list[int], Ints]:
    """Classes worth a column: all if they are few, else those most often missed."""
    if counts.n_classes <= _CLASSES_SHOWN:
        kept = np.arange(counts.n_classes)
        return kept.tolist(), kept
    trouble: Floats = counts.by_truth(1 - counts.hit / np.maximum(counts.size, 1))
    kept = np.sort(np.argsort(-trouble, kind="stable")[:_CLASSES_SHOWN])
    return [*kept.tolist(), -1], kept


def _add_partial(
    counts: SetCounts, partial: np.ndarray, row: Ints, rows: list[dict[str, Any]]
) -> None:
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
