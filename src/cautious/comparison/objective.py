"""Zaffalon's objective winner: equal means, smaller variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cautious.comparison.results import rounding

__all__ = ["ObjectiveWinner", "objective_winner"]


@dataclass(frozen=True)
class ObjectiveWinner:
    """Who wins by equal means and smaller variance, if anybody.

    Attributes
    ----------
    winner : object or None
        Name of the winner; None if there is none.
    reason : str
        Why, in words.
    """

    winner: Any
    reason: str


def objective_winner(
    mean: Mapping[Any, float] | pd.Series[float],
    variance: Mapping[Any, float] | pd.Series[float],
    *,
    margin: float = 0.0,
) -> ObjectiveWinner:
    r"""Find the classifier that risk-averse judges prefer however averse, if there is one.

    The utility of discounted accuracy x is to second order

    .. math:: E[u(x)] \approx u(E[x]) + \tfrac12 u''(E[x]) \operatorname{Var}[x],

    exactly so for quadratic utilities. Where the means are equal, only the variance is left, and
    :math:`u'' < 0` makes the smaller one win: for every quadratic utility, and for every concave
    one if either classifier is precise, or if both are vacuous whenever indeterminate. Other
    utilities can disagree where sets of different sizes meet, which the paper overlooks. Where the
    means differ the answer depends on how averse to risk one is: see
    :func:`cautious.utility.crossover`.

    Parameters
    ----------
    mean, variance : mapping or Series
        Mean discounted accuracy of each classifier and its variance over the cases
        (:func:`cautious.metrics.discounted_accuracy_score` and
        :func:`cautious.metrics.discounted_accuracy_variance`).
    margin : float, default=0.0
        Means no further apart than this count as equal, up to rounding.

    Returns
    -------
    ObjectiveWinner

    References
    ----------
    Zaffalon, Corani & Mauá (2012), § 7.

    Examples
    --------
    >>> objective_winner({"NCC": 0.80, "NBC": 0.801}, {"NCC": 0.12, "NBC": 0.16}, margin=0.005)
    ObjectiveWinner(winner='NCC', reason='means are within 0.005 of each other, and NCC has the
    smallest variance (0.12)')
    >>> objective_winner({"NCC": 0.80, "NBC": 0.82}, {"NCC": 0.12, "NBC": 0.16}).winner is None
    True
    """
    means, variances = pd.Series(mean, dtype=np.float64), pd.Series(variance, dtype=np.float64)
    if len(means) < 2 or set(means.index) != set(variances.index):
        raise ValueError(
            f"mean names {list(means.index)} and variance {list(variances.index)}; give both for "
            "the same classifiers, at least two."
        )
    if not (np.isfinite(means).all() and (variances >= 0).all() and margin >= 0):
        raise ValueError("means must be finite, variances and margin 0 or more.")
    spread = float(means.max() - means.min())
    if spread > margin + rounding(means):
        return ObjectiveWinner(
            None,
            f"means differ by {spread:.3g}, more than {margin:g}: it depends on the aversion to "
            "risk",
        )
    best = variances[variances <= variances.min() + rounding(variances)].index
    if len(best) > 1:
        return ObjectiveWinner(None, "means and smallest variances are equal")
    words = "equal" if margin == 0 else f"within {margin:g} of each other"
    return ObjectiveWinner(
        best[0],
        f"means are {words}, and {best[0]} has the smallest variance ({variances[best[0]]:.3g})",
    )
