r"""Search for the best window under a budget, exact over all windows in n log n time.

With :math:`P(i), T(i)` the shares of positives and of all cases below cut :math:`i`,
:math:`\mathrm{FP}(j)` the share of negatives above cut :math:`j` and a window :math:`i \le j`, the
cost over all cases is :math:`F = P(i) + \mu\,\mathrm{FP}(j)` and the abstention
:math:`T(j) - T(i)`; the cost of an answer is :math:`F / (1 - T(j) + T(i))`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from cautious._typing import Floats, Ints
from cautious.curves.priors import ClassScales
from cautious.curves.range_queries import first_at_most, range_minimum
from cautious.curves.staircase import Staircase
from cautious.curves.windows import check_costs, thresholds_at

__all__ = ["Per", "least_abstaining_window", "least_costly_window"]

Per = Literal["answer", "case"]

# Shares are sums of many small numbers: a budget of 0.1 must admit one case of ten.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Cuts:
    """Cumulated shares at every cut of a staircase, and the relative cost of a false positive."""

    positives_below: Floats
    false_positives: Floats  # already multiplied by mu
    cases_below: Floats

    @classmethod
    def of(cls, staircase: Staircase, scales: ClassScales, mu: float) -> _Cuts:
        mu = float(check_costs(mu, 0.0).false_positive)
        positives = np.append(0.0, np.cumsum(staircase.positives)) * scales.positive
        negatives = np.append(0.0, np.cumsum(staircase.negatives)) * scales.negative
        return cls(positives, mu * (negatives[-1] - negatives), positives + negatives)

    def cost(self, lower: Ints, upper: Ints, per: Per) -> Floats:
        """Cost of windows; zero an answer where nothing is answered."""
        cost = self.positives_below[lower] + self.false_positives[upper]
        if per == "case":
            return np.asarray(cost)
        answered = self.cases_below[-1] - self.abstention(lower, upper)
        nothing = answered <= _ROUNDING
        return np.asarray(np.where(nothing, 0.0, cost / np.where(nothing, 1.0, answered)))

    def abstention(self, lower: Ints, upper: Ints) -> Floats:
        return np.asarray(self.cases_below[upper] - self.cases_below[lower])


def least_abstaining_window(
    staircase: Staircase, scales: ClassScales, max_cost: float, *, mu: float, per: Per
) -> tuple[float, float]:
    """Find the window that abstains least among those whose cost is within a budget.

    Among equals, the cheapest; then the one with the lowest thresholds.

    Parameters
    ----------
    staircase : Staircase
        Counts of both classes.
    scales : ClassScales
        What one count of each class stands for.
    max_cost : float
        Budget, in units of a false negative.
    mu : float
        Relative cost of a false positive; 1 counts errors.
    per : {"answer", "case"}
        Whether costs are averaged over the answers given or over all cases.

    Returns
    -------
    lower, upper : float
        Thresholds.
    """
    cuts = _Cuts.of(staircase, scales, mu)
    within = min(max_cost, max(1.0, mu))  # nothing costs more than its worst mistake
    return _thresholds(staircase, *_least_abstaining(cuts, within, per))


def _least_abstaining(cuts: _Cuts, max_cost: float, per: Per) -> tuple[int, int]:
    lower = np.arange(len(cuts.cases_below))
    budget = max_cost + _ROUNDING
    # Moving the upper threshold up abstains more, so each lower one wants the first that will do.
    if per == "case":
        left_over = budget - cuts.positives_below
        lower = lower[left_over >= 0]
        upper = np.searchsorted(-cuts.false_positives, -left_over[lower], side="left")
        upper = np.maximum(lower, upper)
    else:
        per_case = max_cost * cuts.cases_below
        limit = budget - (cuts.positives_below - per_case)
        upper = first_at_most(cuts.false_positives + per_case, lower, limit)
        possible = upper < len(cuts.cases_below)
        lower, upper = lower[possible], upper[possible]
    abstention = cuts.abstention(lower, upper)
    least = np.flatnonzero(abstention <= abstention.min() + _ROUNDING)
    cheapest = least[np.argmin(cuts.cost(lower[least], upper[least], per))]
    return int(lower[cheapest]), int(upper[cheapest])


def least_costly_window(
    staircase: Staircase, scales: ClassScales, max_abstention: float, *, mu: float, per: Per
) -> tuple[float, float]:
    """Find the window that costs least among those whose abstention is within a budget.

    Among equals, the one that abstains least. The cost of an answer is a ratio, minimised by
    Dinkelbach's iteration: each round minimises a difference exactly and the ratio of its solution
    is the next guess, until none is better.

    Parameters
    ----------
    staircase, scales, mu, per
        As in :func:`least_abstaining_window`.
    max_abstention : float
        Budget, a share of all cases between 0 and 1.

    Returns
    -------
    lower, upper : float
        Thresholds.
    """
    cuts = _Cuts.of(staircase, scales, mu)
    lower = np.arange(len(cuts.cases_below))
    reach = cuts.cases_below + max_abstention + _ROUNDING
    furthest = np.searchsorted(cuts.cases_below, reach, side="right") - 1
    best = float(cuts.cost(lower, furthest, "case").min())
    if per == "answer":
        best = float(cuts.cost(lower, lower, "answer").min())  # without abstaining, to start from
        while True:
            per_case = best * cuts.cases_below
            above = cuts.false_positives + per_case
            gain = cuts.positives_below - per_case + range_minimum(above, lower, furthest) - best
            i = int(np.argmin(gain))
            j = i + int(np.argmin(above[i : furthest[i] + 1]))
            better = float(cuts.cost(np.array([i]), np.array([j]), "answer")[0])
            if gain[i] >= -_ROUNDING or better >= best:
                break
            best = better
    return _thresholds(staircase, *_least_abstaining(cuts, best, per))


def _thresholds(staircase: Staircase, lower: int, upper: int) -> tuple[float, float]:
    low, high = thresholds_at(staircase.scores, np.array([lower, upper]))
    return float(low[0] if lower < upper else high[1]), float(high[1])
