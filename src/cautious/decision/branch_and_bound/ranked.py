r"""Ordered averages whose weights fall from the cheapest member on, the minimum among them.

With falls :math:`\delta_j = w_j - w_{j+1} \ge 0` the average is :math:`\sum_j \delta_j s_j`, where
:math:`s_j`, the sum of the j smallest costs, is :math:`\max_\theta\, j \theta - \sum_i x_i
(\theta - c_i)^+`: a maximum of modular functions, each of which lies below it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cautious._typing import Floats, Ints
from cautious.decision.branch_and_bound.problem import Status

__all__ = ["Ranked"]


class Ranked(NamedTuple):
    """Ordered averages; see :class:`~cautious.decision.branch_and_bound.problem.Problem`."""

    scale: float
    moves: int
    singles: Floats
    matrix: Floats  # costs of single classes
    falls: Floats  # row k: how much more each rank weighs than the next, in sets of k classes
    order: Ints  # row y: classes from the cheapest to the dearest if y is true

    def minorant(
        self, p: Floats, k: int, status: Status, x: Floats, rows: Ints
    ) -> tuple[float, Floats]:
        """Minorant of each truth's cost, added up."""
        value = 0.0
        slopes = np.zeros(rows.size)
        falls = self.falls[k, :k]
        ranks = np.arange(1, k + 1)
        later = np.append(np.cumsum(falls[::-1])[::-1], 0.0)
        for y in np.flatnonzero(p):
            costs = self.matrix[:, y].copy()
            # The j-th threshold is the cost up to which the members at x weigh j.
            reached = np.searchsorted(np.cumsum(x[self.order[y]]), ranks - 1e-9)
            threshold = costs[self.order[y]][np.minimum(reached, p.size - 1)]
            weighed = np.append(np.cumsum((falls * threshold)[::-1])[::-1], 0.0)
            first = np.searchsorted(threshold, costs)
            saved = weighed[first] - later[first] * costs
            value += p[y] * (falls @ (ranks * threshold) - x @ saved)
            slopes -= p[y] * saved[rows]
        return value, slopes

    def step(
        self,
        p: Floats,
        k: int,
        x: Floats,
        rows: Ints,
        slopes: Floats,
        taken: Ints,
        turn: int,
    ) -> bool:
        """Move towards the best vertex, in ever shorter steps (Frank and Wolfe)."""
        length = 1.0 / (turn + 4.0)
        x[rows] = x[rows] * (1.0 - length)
        x[rows[taken]] = x[rows[taken]] + length
        return True

    def expected_cost(self, p: Floats, members: Ints) -> float:
        """Return the expected cost of a set."""
        weights = np.cumsum(self.falls[members.size, : members.size][::-1])[::-1].copy()
        value = 0.0
        for y in np.flatnonzero(p):
            value += p[y] * (weights @ np.sort(self.matrix[members, y]))
        return value

    def no_larger_wins(self, p: Floats, k: int, x: Floats, best: float) -> bool:
        """Nothing is known of all larger sets at once: the weights of each size are its own."""
        return False
