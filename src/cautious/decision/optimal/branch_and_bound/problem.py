"""From set costs to what branch and bound works with: plain arrays, powers taken."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats
from cautious.costs import AbellanMasegosaCosts, OWACosts, PowerMeanCosts, SetCosts
from cautious.decision.optimal.branch_and_bound.families import (
    BY_SIZE,
    Problem,
    Ranked,
    Smooth,
    Split,
)
from cautious.decision.optimal.common import remembered

__all__ = ["problem_of"]

# Powers of costs further apart than e^600 underflow, and 1/p of a small p blows rounding up.
_SAFE_LOG_RANGE = 600.0
_LEAST_POWER = 1e-3
# In place of log 0, times the number of classes: e^-40 is less than ties may differ by.
_LOG_OF_ZERO = -40.0
# Where moves minimise along a line each of them pays; elsewhere branching soon pays more.
_EXACT_MOVES = 60
_ROUGH_MOVES = 5


@remembered
def problem_of(costs: SetCosts) -> Problem | str:
    """Describe set costs for branch and bound, or say why that cannot be done."""
    if isinstance(costs, PowerMeanCosts):
        return _power_means(costs)
    if isinstance(costs, OWACosts):
        if costs.tolerance < 0.5:
            return "ordered averages of a tolerance below 0.5 need no search: no set pays"
        return _ordered_averages(
            costs.matrix, [costs.weights(k + 1) for k in range(costs.n_classes)]
        )
    if isinstance(costs, AbellanMasegosaCosts):
        return _abellan_masegosa(costs)
    return (
        f"nothing is known about {type(costs).__name__} but the costs of the sets it is asked for"
    )


def _power_means(costs: PowerMeanCosts) -> Problem | str:
    right, wrong = costs.p_correct, costs.p_wrong
    matrix = costs.matrix
    if right == wrong == -np.inf:
        # The minimum is the ordered average that gives all weight to the cheapest member.
        return _ordered_averages(matrix, [np.eye(k + 1)[0] for k in range(len(matrix))])
    for power in (right, wrong):
        if not _is_safe(matrix, power):
            return (
                f"the power {power:g} is nearer to 0 than {_LEAST_POWER:g}, or raises costs to "
                "numbers too far apart for floating-point arithmetic"
            )
    return _split(matrix, matrix, right, wrong)


def _is_safe(matrix: Floats, power: float) -> bool:
    if power == 0 or np.isinf(power):
        return True
    positive = matrix[matrix > 0]
    spread = np.log(positive.max() / positive.min()) if len(positive) else 0.0
    return bool(abs(power) >= _LEAST_POWER and abs(power) * spread <= _SAFE_LOG_RANGE)


def _abellan_masegosa(costs: AbellanMasegosaCosts) -> Problem:
    k = costs.n_classes
    # The logarithmic cost of a wrong set is the largest of these.
    wrong = np.log(k) * (costs.matrix / (k - 1) + 1)
    by_size = np.log(np.arange(k + 1), where=np.arange(k + 1) > 0, out=np.zeros(k + 1))
    # A wrong set costs at least log K, hence any set of k classes at least log k.
    return _split(wrong, costs.singletons(), BY_SIZE, np.inf, by_size, by_size)


def _split(
    matrix: Floats,
    singles: Floats,
    right: float,
    wrong: float,
    by_size: Floats | None = None,
    least: Floats | None = None,
) -> Problem:
    n_classes = len(matrix)
    scale = float(max(matrix.max(), singles.max())) or 1.0
    matrix = matrix / scale
    singles = singles / scale
    none = np.zeros(n_classes + 1)
    # Power means grow with the power, so the smaller one bounds both from below.
    power = min(right, wrong)
    convex = np.isfinite(power) and power <= 1 and (power != 0 or bool((matrix > 0).all()))
    if convex and right == wrong:
        return Smooth(scale, _EXACT_MOVES, singles, _powers(matrix, power), power)
    return Split(
        scale=scale,
        moves=_ROUGH_MOVES,
        singles=singles,
        matrix=matrix,
        right=_powers(matrix, right),
        right_power=right,
        wrong=_powers(matrix, wrong),
        wrong_power=wrong,
        by_size=none if by_size is None else by_size / scale,
        least=none if least is None else least / scale,
        nested=_powers(matrix, power),
        nested_power=power if convex else np.nan,
    )


def _powers(matrix: Floats, power: float) -> Floats:
    if power == 0:
        logs = np.full_like(matrix, _LOG_OF_ZERO * len(matrix))
        return np.log(matrix, out=logs, where=matrix > 0)
    if not np.isfinite(power):
        return matrix.copy()
    return np.asarray(matrix**power)


def _ordered_averages(matrix: Floats, weights: list[Floats]) -> Ranked:
    """Describe ordered averages; `weights` are those of sets of 1, 2, … classes."""
    n_classes = len(matrix)
    falls = np.zeros((n_classes + 1, n_classes))
    for k, weight in enumerate(weights, start=1):
        falls[k, :k] = weight - np.append(weight[1:], 0.0)
    order = np.ascontiguousarray(np.argsort(matrix, axis=0, kind="stable").T)
    scale = float(matrix.max()) or 1.0
    return Ranked(scale, _ROUGH_MOVES, matrix / scale, matrix / scale, falls, order)
