r"""Exact optimal sets under power means and ordered averages, for any number of classes.

For a fixed size k the expected cost, as a function of :math:`z = 1_{\hat Y} / k`, extends to the
polytope :math:`0 \le z_i \le 1/k, \sum z_i = 1`, where modular functions that lie below it are at
hand. Their minima bound the cost of all sets of that size; their slopes (reduced costs) decide
about most classes at once; what stays open is branched on, the most promising size first, depth
first.

A node holds the sets of one size that agree on the classes decided so far: a status of each class
and a point x of its relaxation, :math:`0 \le x_i \le 1, \sum x_i = k`. The least value that a
minorant taken at x has on the node's sets is found by sorting its slopes. It bounds their costs;
what it would be with one more class in or out (the reduced cost) decides about that class if it is
above the cost of the best set known.

Set costs become a problem of plain arrays, powers taken. The functions of the search run as plain
Python and are compiled by numba where it is installed. Loops over classes are cheap in both and
compile fast; work on matrices is left to the families of costs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.costs import SetCosts
from cautious.costs._extensions import AbellanMasegosaCosts, OWACosts, PowerMeanCosts, owa_weights
from cautious.decision.optimal._candidates import compiled, have_numba, remembered, slack
from cautious.decision.optimal.families import (
    BY_SIZE,
    FAMILIES,
    FAMILY_PARTS,
    METHODS,
    Problem,
    Ranked,
    Smooth,
    Split,
    Status,
    expected_cost,
    minorant,
    no_larger_wins,
    step,
)

# Powers of costs further apart than e^600 underflow, and 1/p of a small p blows rounding up.
_SAFE_LOG_RANGE = 600.0
_LEAST_POWER = 1e-3
# In place of log 0, times the number of classes: e^-40 is less than ties may differ by.
_LOG_OF_ZERO = -40.0
# Where moves minimise along a line each of them pays; elsewhere branching soon pays more.
_EXACT_MOVES = 60
_ROUGH_MOVES = 5
# So many classes are tried to improve the best set known, on either side.
_MOST_TRIED = 6
# After so many nodes a better set is looked for from so many other sizes.
_PATIENCE, _STARTS = 20, 8
# A node is branched on when its relaxation is solved to this share of the gap left to close.
_SHARE = 0.3


@remembered
def problem_of(costs: SetCosts) -> Problem | str:
    """Describe set costs for branch and bound, or say why that cannot be done."""
    if isinstance(costs, PowerMeanCosts):
        return _power_means(costs)
    if isinstance(costs, OWACosts):
        if costs.tolerance < 0.5:
            return "ordered averages of a tolerance below 0.5 need no search: no set pays"
        weights = [owa_weights(k + 1, costs.tolerance) for k in range(costs.n_classes)]
        return _ordered_averages(costs.matrix, weights)
    if isinstance(costs, AbellanMasegosaCosts):
        return _abellan_masegosa(costs)
    return f"nothing is known about {type(costs).__name__} but the costs of the sets asked for"


def _power_means(costs: PowerMeanCosts) -> Problem | str:
    right, wrong = costs.p_correct, costs.p_wrong
    matrix = costs.matrix
    if right == wrong == -np.inf:
        # The minimum is the ordered average that gives all weight to the cheapest member.
        return _ordered_averages(matrix, [np.eye(k + 1)[0] for k in range(len(matrix))])
    positive = matrix[matrix > 0]
    spread = np.log(positive.max() / positive.min()) if len(positive) else 0.0
    for power in (right, wrong):
        size = abs(power) if np.isfinite(power) else 0.0
        if 0 < size < _LEAST_POWER or size * spread > _SAFE_LOG_RANGE:
            return (
                f"the power {power:g} is nearer to 0 than {_LEAST_POWER:g}, or raises costs to "
                "numbers too far apart for floating-point arithmetic"
            )
    return _split(matrix, matrix, right, wrong)


def _abellan_masegosa(costs: AbellanMasegosaCosts) -> Problem:
    k = costs.n_classes
    # The logarithmic cost of a wrong set is the largest of these.
    wrong = np.log(k) * (costs.matrix / (k - 1) + 1)
    by_size = np.log(np.arange(k + 1), where=np.arange(k + 1) > 0, out=np.zeros(k + 1))
    # A wrong set costs at least log K, hence any set of k classes at least log k.
    return _split(wrong, costs.singletons(), BY_SIZE, np.inf, by_size)


def _split(
    matrix: Floats, singles: Floats, right: float, wrong: float, least: Floats | None = None
) -> Problem:
    scale = float(max(matrix.max(), singles.max())) or 1.0
    matrix = matrix / scale
    singles = singles / scale
    # Power means grow with the power, so the smaller one bounds both from below.
    power = min(right, wrong)
    convex = np.isfinite(power) and power <= 1 and (power != 0 or bool((matrix > 0).all()))
    if convex and right == wrong:
        return Smooth(scale, _EXACT_MOVES, singles, _powers(matrix, power), power)
    return Split(
        scale=scale,
        moves=_ROUGH_MOVES,
        singles=singles,
        costs_of=np.ascontiguousarray(matrix.T),
        order=np.ascontiguousarray(np.argsort(matrix, axis=0, kind="stable").T),
        right=_powers(matrix, right),
        right_of=np.ascontiguousarray(_powers(matrix, right).T),
        right_power=right,
        wrong=_powers(matrix, wrong),
        wrong_of=np.ascontiguousarray(_powers(matrix, wrong).T),
        wrong_power=wrong,
        least=np.zeros(len(matrix) + 1) if least is None else least / scale,
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


def branch_and_bound(
    problem: Problem, p: Floats, *, max_nodes: int, accelerate: bool | None = None
) -> tuple[Mask, Floats]:
    """Find for each row the set of the smallest expected cost."""
    mask = np.zeros(p.shape, dtype=np.bool_)
    gap = np.zeros(len(p))
    if have_numba() if accelerate is None else accelerate:
        search = compiled(searching, (*_OF_SETS, *_OF_NODES, *FAMILY_PARTS), METHODS, FAMILIES)
    else:
        search = searching("")
    search(problem, np.ascontiguousarray(p), max_nodes, mask, gap)
    return mask, gap * problem.scale


def searching(sources: str) -> Callable[..., None]:
    """Make the function that searches; numba keeps its machine code apart by `sources`."""

    def search(problem: Problem, p: Floats, max_nodes: int, mask: Mask, gap: Floats) -> None:
        _ = sources
        n, n_classes = p.shape
        # Nodes: first that of all sets of each size; from `base` on the stack of those to search,
        # one per level. Each level decides about at least one class.
        base = n_classes + 1
        statuses = np.zeros((2 * base, n_classes), np.int8)
        points = np.zeros((2 * base, n_classes))
        bounds = np.zeros(2 * base)  # infinite where there is no node
        x = np.zeros(n_classes)
        for i in range(n):
            singles = problem.singles @ p[i]
            best = np.array([singles.min(), 1.0])  # cost and size of the best set known …
            chosen = mask[i]  # … and the set itself
            chosen[np.argmax(singles <= best[0] + slack(best[0], 1.0))] = True
            # Bound every size before searching any: this also finds good sets.
            bounds[:] = np.inf
            order = np.argsort(singles, kind="mergesort")
            x[:] = 0.0
            for k in range(2, base):
                grow(x, k, order)
                if no_larger_wins(problem, p[i], k, x, best[0]):
                    break
                statuses[k] = 0
                lower, branch = bound(problem, p[i], k, statuses[k], x, best, chosen)
                points[k] = x
                if branch >= 0:
                    bounds[k] = lower
            if bounds.min() < np.inf:
                descend(problem, p[i], best, chosen)
            nodes = 0
            size = 0
            top = base - 1
            while bounds.min() < np.inf:
                if top < base:  # nothing is left on the stack: take the most promising size
                    size = int(np.argmin(bounds[:base]))
                    top = base
                    statuses[top] = statuses[size]
                    points[top] = points[size]
                    bounds[top] = bounds[size]
                    bounds[size] = np.inf
                if bounds[top] > cutoff(size, best):
                    bounds[top] = np.inf
                    top -= 1
                    continue
                if nodes == max_nodes:
                    gap[i] = max(0.0, best[0] - bounds.min())
                    break
                nodes += 1
                if nodes == _PATIENCE:
                    # A long search: from other sizes one may descend to better sets.
                    for k in np.argsort(bounds[:base], kind="mergesort")[:_STARTS]:
                        if bounds[k] < np.inf:
                            start(problem, p[i], k, points[k], best, chosen)
                lower, branch = bound(problem, p[i], size, statuses[top], points[top], best, chosen)
                bounds[top] = max(bounds[top], lower)
                if branch >= 0:
                    # The sets without the class stay here, those with it are searched first.
                    divide(statuses[top], points[top], branch, statuses[top + 1], points[top + 1])
                    bounds[top + 1] = bounds[top]
                    top += 1
                else:
                    bounds[top] = np.inf
                    top -= 1

    return search


def descend(problem: Problem, p: Floats, best: Floats, chosen: Mask) -> None:
    """Improve the best set known class by class: the better it is, the less need be searched."""
    status = np.zeros(p.size, np.int8)
    every = np.arange(p.size)
    before = np.inf
    while best[0] < before and 1 < best[1] < p.size:
        before = best[0]
        k = int(best[1])
        members = np.flatnonzero(chosen)
        _, slopes = minorant(problem, p, k, status, chosen.astype(np.float64), every)
        order = np.argsort(slopes, kind="mergesort")
        others = order[~chosen[order]][:_MOST_TRIED]
        least = order[chosen[order]][::-1][:_MOST_TRIED]
        for j in others:
            offer(problem, p, np.append(members, j), best, chosen)
        for i in least:
            rest = members[members != i]
            offer(problem, p, rest, best, chosen)
            for j in others:
                offer(problem, p, np.append(rest, j), best, chosen)


def start(problem: Problem, p: Floats, k: int, x: Floats, best: Floats, chosen: Mask) -> None:
    """Descend from the set of the k classes with the most weight."""
    order = np.argsort(-x, kind="mergesort")
    own = np.array([expected_cost(problem, p, order[:k]), float(k)])
    members = np.zeros(p.size, np.bool_)
    members[order[:k]] = True
    descend(problem, p, own, members)
    offer(problem, p, np.flatnonzero(members), best, chosen)


def grow(x: Floats, k: int, order: Ints) -> None:
    """Stretch a point to sets of k classes, or fill it up in the given order."""
    weight = float(k)
    for i in range(x.size):
        x[i] = min(1.0, x[i] * k / (k - 1))
        weight -= x[i]
    pour(x, np.zeros(x.size, np.int8), order, weight)


def bound(
    problem: Problem, p: Floats, k: int, status: Status, x: Floats, best: Floats, chosen: Mask
) -> tuple[float, int]:
    """Bound the cost of a node's sets, decide about classes, and choose one to branch on."""
    lower = -np.inf
    for turn in range(problem.moves):
        rows = np.flatnonzero(status == 0)
        rest = k - np.sum(status == 1)
        if rest == 0 or rows.size <= rest:
            if rows.size >= rest:  # one set is left: all open classes are in, or none is
                offer(problem, p, complete(k, status, rows), best, chosen)
            return np.inf, -1
        value, slopes = minorant(problem, p, k, status, x, rows)
        order = np.argsort(slopes, kind="mergesort")
        here = value - float(slopes @ x[rows])
        for j in order[:rest]:
            here += slopes[j]
        lower = max(lower, here)
        if lower > cutoff(k, best):
            return lower, -1
        offer(problem, p, complete(k, status, rows[order]), best, chosen)
        if lower > cutoff(k, best) or only_ties_follow(k, lower, status, rows, best, chosen):
            return lower, -1
        if settle_classes(here, slopes, order, rest, rows, status, x, cutoff(k, best)):
            continue
        if value - lower <= _SHARE * (best[0] - lower):
            break
        if not step(problem, p, k, x, rows, slopes, order[:rest], turn):
            break
    # Of the classes in doubt the probable ones move the bound most.
    doubt = np.where(status == 0, x * (1.0 - x) * p, -1.0)
    branch = int(np.argmax(doubt))
    return lower, branch if doubt[branch] > -1.0 else -1


def settle_classes(
    here: float,
    slopes: Floats,
    order: Ints,
    rest: int,
    rows: Ints,
    status: Status,
    x: Floats,
    limit: float,
) -> bool:
    """Decide about the classes whose reduced cost lifts the bound over the limit."""
    last_taken = slopes[order[rest - 1]]
    first_left = slopes[order[rest]]
    decided = False
    weight = 0.0
    for place in range(order.size):
        slope = slopes[order[place]]
        i = rows[order[place]]
        if place < rest and here + first_left - slope > limit:
            status[i] = 1
            weight -= 1.0 - x[i]
            x[i] = 1.0
            decided = True
        elif place >= rest and here + slope - last_taken > limit:
            status[i] = -1
            weight += x[i]
            x[i] = 0.0
            decided = True
    pour(x, status, rows[order], weight)
    return decided


def divide(status: Status, x: Floats, branch: int, status_with: Status, x_with: Floats) -> None:
    """Split a node into the sets without a class, in its place, and those with it."""
    weight = x[branch]
    order = np.argsort(-x, kind="mergesort")
    status_with[:] = status
    x_with[:] = x
    status_with[branch] = 1
    x_with[branch] = 1.0
    pour(x_with, status_with, order, weight - 1.0)
    status[branch] = -1
    x[branch] = 0.0
    pour(x, status, order, weight)


def pour(x: Floats, status: Status, order: Ints, weight: float) -> None:
    """Add weight to open classes in this order, or take it away from the last ones first."""
    for place in range(order.size):
        if weight > 0.0:
            i = order[place]
            share = min(1.0 - x[i], weight)
        elif weight < 0.0:
            i = order[order.size - 1 - place]
            share = -min(x[i], -weight)
        else:
            return
        if status[i] == 0:
            x[i] += share
            weight -= share


def complete(k: int, status: Status, order: Ints) -> Ints:
    """Complete the classes that are in to a set of k by the first of the others."""
    return np.concatenate((np.flatnonzero(status == 1), order))[:k]


def offer(problem: Problem, p: Floats, members: Ints, best: Floats, chosen: Mask) -> None:
    """Keep a set if it is better than the best one known, or as good and to be preferred."""
    cost = expected_cost(problem, p, members)
    tie = slack(best[0], 1.0)
    if cost < best[0] - tie or (cost <= best[0] + tie and comes_before(members, best, chosen)):
        best[0] = min(cost, best[0])
        best[1] = members.size
        chosen[:] = False
        chosen[members] = True


def comes_before(members: Ints, best: Floats, chosen: Mask) -> bool:
    """Whether a set is to be preferred among ties: the smaller, then the one of lower classes."""
    if members.size != best[1]:
        return bool(members.size < best[1])
    mine = np.zeros(chosen.size, np.bool_)
    mine[members] = True
    differs = np.flatnonzero(mine != chosen)
    return differs.size > 0 and bool(mine[differs[0]])


def cutoff(k: int, best: Floats) -> float:
    """Bound above which no set of k classes can be better or preferred among ties."""
    tie = slack(best[0], 1.0)
    return float(best[0] + tie if k <= best[1] else best[0] - tie)


def only_ties_follow(
    k: int, lower: float, status: Status, rows: Ints, best: Floats, chosen: Mask
) -> bool:
    """Whether a node's sets are at best as good as the chosen one, and none is preferred to it."""
    if k != best[1] or lower < best[0] - slack(best[0], 1.0):
        return False
    return not comes_before(complete(k, status, rows), best, chosen)


_OF_SETS = (descend, start, complete, offer, comes_before, cutoff, only_ties_follow, slack)
_OF_NODES = (grow, bound, settle_classes, divide, pour)
