r"""Scores of two classes, in a few hundred numbers.

Whatever the costs and the prior, the optimal window lies at corners of the hull
(:class:`cautious.curves.CostHull`), so the counts of its bins are all that the sliders need. A
prior other than the sample's multiplies the counts of each class by one factor, which moves no
corner. Thresholds that somebody drags may lie anywhere: for these there are the cases themselves
or, if they are many, counts at steps of the score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cautious._typing import Floats, Ints
from cautious.curves import Staircase
from cautious.curves._hull import CostHull, kept_scores
from cautious.displays._scores import calibration_bins
from cautious.evaluation._evidence import is_reversed
from cautious.metrics import RiskCoverageCurve

__all__ = ["kept_steps", "risk_of_scores", "risk_summary", "steps_of", "summarise_scores"]

_BARS = 60
_POINTS = 100
_STEPS = 60


def summarise_scores(staircase: Staircase) -> dict[str, Any]:
    """Reduce a staircase to the numbers the page works with."""
    hull = CostHull.of(staircase)
    risk = risk_of_scores(staircase)
    return {
        "total": float(staircase.positives.sum() + staircase.negatives.sum()),
        "positives": hull.positives,
        "negatives": hull.negatives,
        "lower": hull.lower[1:-1],
        # They differ only where no float lies between two neighbouring scores.
        "upper": None if (hull.upper == hull.lower).all() else hull.upper[1:-1],
        "auc": staircase.auc(),
        "reversed": is_reversed(staircase),
        "histogram": _histogram(staircase),
        "risk": None if risk is None else risk_summary(risk),
        "calibration": calibration_bins(staircase).to_dict("records")
        if staircase.are_probabilities
        else None,
    }


def risk_of_scores(staircase: Staircase) -> RiskCoverageCurve | None:
    """Count mistakes by how sure a probability is, before any calibration."""
    if not staircase.are_probabilities:
        return None
    scores = staircase.scores
    confidence, positive = np.maximum(scores, 1 - scores), scores > 0.5
    return RiskCoverageCurve.from_losses(
        np.concatenate([~positive, positive]),
        np.concatenate([confidence, confidence]),
        sample_weight=np.concatenate([staircase.positives, staircase.negatives]),
    )


def risk_summary(risk: RiskCoverageCurve) -> dict[str, Any]:
    """Thin a risk–coverage curve out for drawing; its areas stay exact."""
    coverage, total = risk.coverage, float(risk.weight.sum())
    at = np.arange(len(coverage))
    if len(at) > _POINTS:
        # Selective risk moves most where little is covered: half the points are spread evenly
        # over the coverage, half over its logarithm.
        even = np.linspace(coverage[0], 1, _POINTS // 2)
        dense = np.geomspace(coverage[0], 1, _POINTS // 2)
        wanted = np.searchsorted(coverage, np.concatenate([even, dense]))
        at = np.unique(np.append(np.minimum(wanted, len(at) - 1), [0, len(at) - 1]))
    return {
        "covered": _short(coverage[at] * total),
        "lost": _short(risk.generalised_risk[at] * total),
        "aurc": risk.aurc,
        "augrc": risk.augrc,
    }


def _short(counts: Floats) -> Floats:
    """Give whole numbers their exact value back, which takes fewer digits."""
    whole = np.rint(counts)
    return np.asarray(
        np.where(np.abs(counts - whole) <= 1e-9 * np.maximum(1, whole), whole, counts)
    )


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


def steps_of(staircase: Staircase, rows: Staircase | None = None) -> tuple[dict[str, Any], Ints]:
    """Gather neighbouring scores into a few hundred steps that keep every corner of the hull."""
    scores, m = staircase.scores, len(staircase.scores)
    hull = CostHull.of(staircase)
    seen = np.cumsum(staircase.positives + staircase.negatives)
    wanted = [
        np.searchsorted(scores, hull.upper[1:-1], side="left"),
        np.searchsorted(seen, np.arange(1, _STEPS) / _STEPS * seen[-1]) + 1,
    ]
    if staircase.are_probabilities:
        wanted.append(np.searchsorted(scores, np.arange(1, 100) / 100, side="left"))
    starts = np.unique(np.concatenate(wanted))
    starts = starts[(starts > 0) & (starts < m)]
    first = last = scores
    if staircase.cell_width:  # nobody knows what a cut through a cell would do
        cell = np.floor(scores / staircase.cell_width)
        first = cell * staircase.cell_width
        last = np.nextafter(first + staircase.cell_width, -np.inf)
        starts = starts[(cell[starts - 1] != cell[starts]) | np.isin(starts, wanted[0])]
    place = np.searchsorted(starts, np.arange(m), side="right")
    corners = wanted[0].tolist()
    unseen = np.intersect1d(starts, np.concatenate(wanted[1:])).tolist()
    cuts = [_between(last[at - 1], first[at]) for at in starts.tolist() if at not in corners]

    def added(counts: Floats) -> Floats:
        return np.bincount(place, counts, minlength=len(starts) + 1).astype(np.float64)

    steps: dict[str, Any] = {
        "cuts": cuts,
        "shared": [corner for corner, at in enumerate(corners) if at in unseen],
        "positives": added(staircase.positives),
        "negatives": added(staircase.negatives),
    }
    if staircase.cell_width:
        steps["width"] = staircase.cell_width
    else:
        steps["short"] = [
            _written(threshold, scores[at - 1], scores[at])
            for threshold, at in zip(hull.lower[1:-1].tolist(), corners, strict=True)
        ]
    if rows is not None:
        steps["rows"] = {"positives": added(rows.positives), "negatives": added(rows.negatives)}
    return steps, place


def kept_steps(staircase: Staircase, rows: Staircase | None = None) -> dict[str, Any]:
    """Keep of the scores what the file of a rule says of them and steps do not."""
    kept = kept_scores(staircase)
    bins = kept.get("scores") if rows is None else rows.score_bins()
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
