"""The search itself: a stack of nodes, the best sizes on top, searched depth first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.decision.branch_and_bound.node import NODE_PARTS, bound, cutoff, divide, pour
from cautious.decision.branch_and_bound.problem import METHODS, Problem, no_larger_wins
from cautious.decision.branch_and_bound.ranked import Ranked
from cautious.decision.branch_and_bound.smooth import Smooth
from cautious.decision.branch_and_bound.split import SPLIT_PARTS, Split
from cautious.decision.optimal_compiled import compiled, have_numba
from cautious.decision.optimal_ties import slack

__all__ = ["branch_and_bound"]


def branch_and_bound(
    problem: Problem, p: Floats, *, max_nodes: int, accelerate: bool | None = None
) -> tuple[Mask, Floats]:
    """Find for each row the set of the smallest expected cost.

    Parameters
    ----------
    problem : Problem
        The set costs.
    p : ndarray of shape (n, K)
        Checked class probabilities, none of them negative.
    max_nodes : int
        How many nodes of the search tree are looked at in each row before giving up.
    accelerate : bool, optional
        Use numba; ``None`` does so where it is installed.

    Returns
    -------
    mask : ndarray of shape (n, K), bool
        The best sets found.
    gap : ndarray of shape (n,)
        How much dearer than the best set they can be: 0 where the search was finished.
    """
    mask = np.zeros(p.shape, dtype=np.bool_)
    gap = np.zeros(len(p))
    if have_numba() if accelerate is None else accelerate:
        search = compiled(
            searching, (grow, *NODE_PARTS, *SPLIT_PARTS), METHODS, (Smooth, Split, Ranked)
        )
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
        # one a level. Each level decides about at least one class.
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


def grow(x: Floats, k: int, order: Ints) -> None:
    """Stretch a point to sets of k classes, or fill it up in the given order."""
    weight = float(k)
    for i in range(x.size):
        x[i] = min(1.0, x[i] * k / (k - 1))
        weight -= x[i]
    pour(x, np.zeros(x.size, np.int8), order, weight)
