r"""One option from each of several lists, with the least sum and within a limit: exactly.

Class thresholds within a budget are such a problem (a multiple-choice knapsack): each class offers
the places of its threshold, each place costs :math:`u` and uses :math:`v` of the budget.

A price :math:`\lambda` on what is used turns the limit into a cost. Then every list can be
searched by itself, and what comes out bounds the best sum from below:
:math:`\sum_c \min_j (u_{cj} + \lambda v_{cj}) - \lambda V`. The best price is found by bisection.
An option whose priced cost exceeds its list's minimum by more than the distance between that bound
and the best choice known cannot be part of a better one. Few options are left, and their sums are
listed without those that cost as much and use more than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cautious._typing import Floats, Ints

__all__ = ["ROUNDING", "Choice", "least_sum"]

ROUNDING = 1e-9
"""Sums that differ by less are equal."""

# More pairs than this are not listed; what is known by then is given, with its gap.
_PAIRS = 1_000_000
_HALVINGS = 50


class Choice(NamedTuple):
    """One option from each list.

    Attributes
    ----------
    options : ndarray of shape (K,), int
        Which one of each list.
    cost, used : float
        Their sums.
    gap : float
        By how much a better choice could cost less at most; 0 if there is none.
    """

    options: Ints
    cost: float
    used: float
    gap: float = 0.0


def least_sum(costs: Sequence[Floats], uses: Sequence[Floats], limit: float) -> Choice:
    """Choose one option from each list so that the costs are least and the uses within a limit."""
    problem = _Problem(costs, uses, limit + ROUNDING)
    best = problem.at_price(0.0)
    if best.used <= problem.limit:
        return best
    known, price, bound = problem.bisected()
    known = problem.improved(known)
    spare = known.cost - bound
    found = problem.listed(price, spare)
    if found is None:
        return known._replace(gap=spare)
    return found if found.cost < known.cost - ROUNDING or found.used < known.used else known


class _Problem(NamedTuple):
    costs: Sequence[Floats]
    uses: Sequence[Floats]
    limit: float

    def choice(self, options: Ints) -> Choice:
        cost = sum(float(u[at]) for u, at in zip(self.costs, options, strict=True))
        used = sum(float(v[at]) for v, at in zip(self.uses, options, strict=True))
        return Choice(np.asarray(options), cost, used)

    def at_price(self, price: float) -> Choice:
        """Choose from each list by itself, at a price on what is used."""
        options = []
        for u, v in zip(self.costs, self.uses, strict=True):
            priced = u + price * v
            equal = np.flatnonzero(priced <= priced.min() + ROUNDING)
            options.append(equal[np.argmin(v[equal])])
        return self.choice(np.array(options))

    def bound(self, price: float) -> float:
        """Give what no choice within the limit can cost less than."""
        least = sum(
            float((u + price * v).min()) for u, v in zip(self.costs, self.uses, strict=True)
        )
        return least - price * self.limit

    def bisected(self) -> tuple[Choice, float, float]:
        """Find the best price; give the best choice met on the way, the price and its bound."""
        frugal = np.array(
            [np.lexsort((u, v))[0] for u, v in zip(self.costs, self.uses, strict=True)]
        )
        known = self.choice(frugal)
        spread = sum(float(np.ptp(u)) for u in self.costs)
        low, high = 0.0, max(spread, 1.0) / max(self.limit - known.used, ROUNDING)
        best, bound = 0.0, self.bound(0.0)
        for price in (high, *(None,) * _HALVINGS):
            middle = (low + high) / 2 if price is None else price
            one = self.at_price(middle)
            if one.used <= self.limit:
                high = middle
                if one.cost < known.cost:
                    known = one
            else:
                low = middle
            if (below := self.bound(middle)) > bound:
                best, bound = middle, below
            if high - low <= 1e-12 * high:
                break
        return known, best, bound

    def improved(self, known: Choice) -> Choice:
        """Exchange single options as long as that costs less."""
        while True:
            best = known
            for c, (u, v) in enumerate(zip(self.costs, self.uses, strict=True)):
                at = known.options[c]
                allowed = np.flatnonzero(known.used - v[at] + v <= self.limit)
                one = allowed[np.lexsort((v[allowed], u[allowed]))[0]]
                if known.cost - u[at] + u[one] < best.cost - ROUNDING:
                    options = known.options.copy()
                    options[c] = one
                    best = self.choice(options)
            if best is known:
                return known
            known = best

    def listed(self, price: float, spare: float) -> Choice | None:
        """List all choices that could be better, within reach of the bound; None if too many."""
        cost, used, beyond = np.zeros(1), np.zeros(1), np.zeros(1)
        steps: list[tuple[Ints, Ints]] = []
        for u, v in zip(self.costs, self.uses, strict=True):
            priced = u + price * v
            priced = priced - priced.min()
            own = np.flatnonzero(priced <= spare + ROUNDING)
            if len(cost) * len(own) > _PAIRS:
                return None
            spent = np.add.outer(beyond, priced[own]).ravel()
            sums = np.add.outer(used, v[own]).ravel()
            totals = np.add.outer(cost, u[own]).ravel()
            near = np.flatnonzero(spent <= spare + ROUNDING)
            order = near[np.lexsort((totals[near], sums[near]))]
            least = np.minimum.accumulate(totals[order])
            front = order[np.append(True, totals[order][1:] < least[:-1] - ROUNDING)]
            cost, used, beyond = totals[front], sums[front], spent[front]
            steps.append((front // len(own), own[front % len(own)]))
        inside = np.flatnonzero(used <= self.limit)
        at = int(inside[np.argmin(cost[inside])])
        options = []
        for before, own in reversed(steps):
            options.append(int(own[at]))
            at = int(before[at])
        return self.choice(np.array(options[::-1]))
