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

from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints
from cautious.curves import CostHull, Staircase
from cautious.metrics import RiskCoverageCurve, SetCounts

__all__ = ["summarise_binary", "summarise_sets"]

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
    is_probability = bool(len(scores)) and scores[0] >= 0 and scores[-1] <= 1
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
