"""The risk-aversion curve of a classifier, and where two of them cross."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._random import Interval, bootstrap_weights, percentile_interval
from cautious._typing import Floats, RandomState, as_floats
from cautious.errors import warn_undefined
from cautious.utility._forms import check_accuracies, weighted_means


@dataclass(frozen=True)
class RiskAversionCurve:
    r"""Mean quadratic utility of a classifier as a function of risk aversion.

    :math:`E[u_k] = E[x] + (4k - 2)\,E[x(1 - x)]`, where :math:`k = u(½)`: .5 is discounted
    accuracy, .65 is u65, .8 is u80.

    Attributes
    ----------
    accuracy : float
        Mean discounted accuracy, :math:`E[x]`: the value at k = ½.
    hedging : float
        :math:`E[x(1 - x)]`, what the classifier gains as aversion to risk grows. Zero for a
        classifier that never answers with a correct set of several classes.

    Examples
    --------
    >>> curve = RiskAversionCurve.from_accuracies([1, 0.5, 0.5, 0])
    >>> curve([0.5, 0.65, 0.8])
    array([0.5  , 0.575, 0.65 ])
    """

    accuracy: float
    hedging: float

    @classmethod
    def from_accuracies(
        cls, x: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
    ) -> RiskAversionCurve:
        """Compute the curve from the discounted accuracy of each prediction, with weights if given.

        Examples
        --------
        >>> RiskAversionCurve.from_accuracies([1, 0.5, 0.5, 0])
        RiskAversionCurve(accuracy=0.5, hedging=0.125)
        """
        accuracies, weight = check_accuracies(x, sample_weight)
        return cls(*weighted_means(weight, accuracies, accuracies * (1 - accuracies)))

    def __call__(self, k: npt.ArrayLike) -> Floats:
        """Mean utility at each risk aversion ``k``."""
        return self.accuracy + (4 * as_floats(k, "k") - 2) * self.hedging

    def frame(self, k: npt.ArrayLike = (0.5, 1.0)) -> pd.DataFrame:
        """Tabulate the curve; it is straight, so its two ends tell all.

        Examples
        --------
        >>> RiskAversionCurve.from_accuracies([1, 0.5, 0.5, 0]).frame()
           risk_aversion  utility
        0            0.5     0.50
        1            1.0     0.75
        """
        at = np.atleast_1d(as_floats(k, "k"))
        return pd.DataFrame({"risk_aversion": at, "utility": self(at)})


@dataclass(frozen=True)
class Crossover:
    """The risk aversion at which two classifiers change places.

    Attributes
    ----------
    k : Interval
        The crossover :math:`k^*` with its bootstrap interval; nan if the lines are parallel. It may
        lie outside [½, 1], where one classifier is better for every risk-averse judge.
    better_above : {"first", "second", "neither"}
        Which classifier is better for risk aversions above :math:`k^*`.
    agreement : float
        Share of bootstrap replicates that agree on ``better_above``; well below 1 `k` means little.
    """

    k: Interval
    better_above: Literal["first", "second", "neither"]
    agreement: float

    def __str__(self) -> str:
        if self.better_above == "neither":
            return "the two classifiers never change places"
        if 0.5 < self.k.estimate < 1:
            return f"the {self.better_above} is better above k = {self.k}"
        # Beyond these, nobody is averse to risk.
        other = "first" if self.better_above == "second" else "second"
        better = self.better_above if self.k.estimate <= 0.5 else other
        return (
            f"the {better} is better at every k between 0.5 and 1; their lines would cross at "
            f"k = {self.k}"
        )


def crossover(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    strata: npt.ArrayLike | None = None,
    random_state: RandomState = None,
) -> Crossover:
    r"""Exact risk aversion at which two classifiers are worth the same, with a bootstrap interval.

    With :math:`A = E[x]` and :math:`H = E[x(1 - x)]` of each classifier,

    .. math:: k^* = \frac12 + \frac{A_2 - A_1}{4 (H_1 - H_2)}.

    The bootstrap is paired: both classifiers are judged on the same resampled examples. The
    utilities are those of Zaffalon, Corani & Mauá (2012), section 9.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Discounted accuracies of two classifiers on the same examples.
    sample_weight : array-like of shape (n,), optional
        Weights, read as repetitions.
    n_resamples : int, default=1000
        Number of bootstrap replicates.
    confidence_level : float, default=0.95
        Nominal coverage of the interval.
    strata : array-like of shape (n,), optional
        Strata to resample within, usually the true classes.
    random_state : int, RandomState, Generator or None
        Seed of the bootstrap.

    Examples
    --------
    >>> bold = [1] * 70 + [0] * 30
    >>> cautious = [1] * 45 + [0.5] * 40 + [0] * 15
    >>> result = crossover(bold, cautious, random_state=0)
    >>> result.better_above, round(result.k.estimate, 4)
    ('second', 0.625)
    """
    x, _ = check_accuracies(first, None, name="first")
    y, _ = check_accuracies(second, None, name="second")
    if x.shape != y.shape:
        raise ValueError(f"first has {len(x)} rows and second {len(y)}; score the same examples.")
    x, weight = check_accuracies(x, sample_weight)
    one = RiskAversionCurve.from_accuracies(x, sample_weight=weight)
    two = RiskAversionCurve.from_accuracies(y, sample_weight=weight)
    # Where rounding alone tells two sums of squares apart, the lines are parallel.
    gap = one.hedging - two.hedging
    if not abs(gap) > 1e-12:
        warn_undefined(
            "the two classifiers gain equally from risk aversion: their lines are parallel and k* "
            "is undefined and set to nan.",
            stacklevel=3,
        )
        nan = float("nan")
        return Crossover(Interval(nan, nan, nan, confidence_level, 0), "neither", nan)
    gains = np.column_stack([y - x, x * (1 - x) - y * (1 - y)])
    batches = bootstrap_weights(weight, n_resamples, strata=strata, random_state=random_state)
    replicates = np.concatenate([batch @ gains for batch in batches])
    rise, run = replicates[:, 0], replicates[:, 1]
    ratio = np.divide(rise, 4 * run, out=np.full(len(rise), np.nan), where=run != 0)
    estimate = 0.5 + (two.accuracy - one.accuracy) / (4 * gap)
    return Crossover(
        percentile_interval(estimate, 0.5 + ratio, confidence_level=confidence_level),
        "first" if gap > 0 else "second",
        float(np.mean(np.sign(run) == np.sign(gap))),
    )
