r"""What the page needs to know about a classifier of two classes: its hull, and three pictures.

Whatever the costs and the prior, the optimal window lies at corners of the hull
(:class:`cautious.curves.CostHull`), so the counts of its bins are all that the sliders need. A
prior other than the sample's multiplies the counts of each class by one factor, which moves no
corner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cautious.curves import CostHull, Staircase
from cautious.metrics import RiskCoverageCurve

__all__ = ["risk_summary", "summarise_binary"]

_BARS = 60
_POINTS = 400


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
        "auc": _area_under_roc(staircase),
        "histogram": _histogram(staircase),
        "risk": risk_summary(confidence_of(staircase)),
    }


def _area_under_roc(staircase: Staircase) -> float:
    """Chance that a positive scores above a negative, ties counting half.

    The hull always lies on the good side of the diagonal, so the bins cannot tell.
    """
    positives, negatives = staircase.positives, staircase.negatives
    below = np.cumsum(negatives) - negatives / 2
    return float(positives @ below / (positives.sum() * negatives.sum()))


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
