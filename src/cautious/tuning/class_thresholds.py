r"""The best trade-offs between abstaining and losing that class thresholds can reach, exactly.

Each example has a preferred answer and a confidence in it. Every class has a threshold of its own,
and an example is answered if its confidence reaches that of its preferred answer. What is lost and
how much is abstained on then add up over the classes, so the classes can be swept apart: each gives
a list of points (abstention, loss), one for every place of its threshold, and the lower convex hull
of all that thresholds can reach together is the (Minkowski) sum of the classes' hulls. Its edges
are theirs, in order of slope. Thresholds lie midway between neighbouring distinct confidences.

Within a budget the thresholds are one option from each of several lists (a multiple-choice
knapsack): each place costs :math:`u` and uses :math:`v` of the budget. A price :math:`\lambda` on
what is used turns the limit into a cost. Then every list can be searched by itself, and what comes
out bounds the best sum from below: :math:`\sum_c \min_j (u_{cj} + \lambda v_{cj}) - \lambda V`. The
best price is found by bisection. An option whose priced cost exceeds its list's minimum by more
than the distance between that bound and the best known is left out; sums of the rest are listed.

The loss per answer is a ratio :math:`L / (n - A)`. A choice betters the ratio r of another if and
only if :math:`L + r A < r n`, so the best sum on the left is sought again and again until it
betters nothing (Dinkelbach 1967).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from cautious._checks import is_new
from cautious._result import Shown
from cautious._typing import Floats, Ints, Labels
from cautious.curves._window import thresholds_at

# Sums that differ by less are equal.
_ROUNDING = 1e-9

# More pairs than this are not listed; what is known by then is given, with its gap.
_PAIRS = 1_000_000
_HALVINGS = 50


@dataclass(frozen=True)
class _ClassSweep:
    """Totals at each place of one class's threshold, from answering always to never."""

    confidence: Floats
    abstained: Floats
    loss: Floats

    def threshold(self, place: int) -> float:
        """Give the threshold at a place; 0 if nobody preferred the class."""
        levels = self.confidence
        return float(thresholds_at(levels, np.array(place))[1]) if len(levels) else 0.0

    def hull(self) -> Ints:
        """Places on the lower convex hull of (abstention, loss): where slopes begin to grow."""
        weight = np.diff(self.abstained)
        if not len(weight):
            return np.zeros(1, dtype=np.intp)
        slope = np.diff(self.loss) / weight
        return np.asarray(scipy.optimize.isotonic_regression(slope, weights=weight).blocks)


@dataclass(frozen=True, eq=False, repr=False)
class ClassThresholdCurve(Shown):
    """Lower hull of the pairs (abstention, loss) that class thresholds can reach.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Class labels.
    sweeps : list of _ClassSweep
        What each class's threshold can reach.
    total : float
        Weight of all examples. Weights and losses are in units that are powers of two, about the
        mean weight and the largest loss, so that nothing depends on those of the user.
    loss_unit : float
        The unit of losses.
    """

    classes: Labels
    sweeps: list[_ClassSweep]
    total: float
    loss_unit: float = 1.0

    @cached_property
    def places(self) -> Ints:
        """Place of each class's threshold at each vertex of the hull, shape (V, K)."""
        hulls = [sweep.hull() for sweep in self.sweeps]
        slopes = [
            np.maximum.accumulate(np.diff(sweep.loss[hull]) / np.diff(sweep.abstained[hull]))
            for sweep, hull in zip(self.sweeps, hulls, strict=True)
        ]
        steps = np.append(-np.inf, np.unique(np.concatenate(slopes)))
        taken = [np.searchsorted(own, steps, side="right") for own in slopes]
        return np.stack([hull[n] for hull, n in zip(hulls, taken, strict=True)], axis=1)

    def at(self, places: Ints) -> Floats:
        """Share abstained on and mean loss per case, each at given places."""
        each = [(s.abstained[at], s.loss[at]) for s, at in zip(self.sweeps, places.T, strict=True)]
        share, loss = np.sum(each, axis=0) / self.total
        return np.array([share, loss * self.loss_unit])

    def thresholds(self, places: Ints) -> Floats:
        """Thresholds at given places; 0 for a class that nobody preferred."""
        return np.array([s.threshold(at) for s, at in zip(self.sweeps, places, strict=True)])

    def frame(self) -> pd.DataFrame:
        """One row per vertex: abstention and mean loss per case, and the thresholds."""
        abstention, loss = self.at(self.places)
        table = pd.DataFrame({"abstention": abstention, "loss": loss})
        every = np.array([self.thresholds(places) for places in self.places])
        labels = pd.Index(self.classes.tolist(), dtype=object)
        return table.join(pd.DataFrame(every, columns=labels))

    def _facts(self) -> dict[str, Any]:
        return {"classes": self.classes, "n_vertices": len(self.places)}

    # Choices.

    def least_loss(self) -> Ints:
        """Places of the least loss, of several the ones that abstain least."""
        return np.array([_first_least(*pair) for pair in zip(*self._lists, strict=True)])

    def within_abstention(self, budget: float, *, per_answer: bool) -> Choice:
        """Places of the least loss among those that abstain on at most a share of the weight."""
        loss, abstained, total = *self._lists, self.total
        limit = budget * total
        if not per_answer:
            best = least_sum(loss, abstained, limit)
            return best._replace(gap=best.gap / total * self.loss_unit)
        # Answering nothing has no loss per answer: nothing is abstained on, to begin with.
        places = np.zeros(len(self.sweeps), dtype=np.intp)
        while True:
            share, mean = self.at(places).tolist()
            mean /= self.loss_unit
            ratio = mean / (1 - share)
            tried = least_sum(
                [u + ratio * v for u, v in zip(loss, abstained, strict=True)], abstained, limit
            )
            better = tried.cost < ratio * total - _ROUNDING
            if not better or tried.used >= total - _ROUNDING:
                break
            places = tried.options
        answers = max(total - limit, total * _ROUNDING)
        gap = min(ratio, tried.gap / answers) * self.loss_unit
        return Choice(places, mean * total, share * total, gap)

    def within_loss(self, budget: float, *, per_answer: bool) -> Choice:
        """Places that abstain least among those whose loss stays within a budget."""
        loss, abstained = self._lists
        budget /= self.loss_unit
        if per_answer:  # L <= b (n - A)
            loss = [u + budget * v for u, v in zip(loss, abstained, strict=True)]
        best = least_sum(abstained, loss, budget * self.total)
        return best._replace(gap=best.gap / self.total)

    @property
    def _lists(self) -> tuple[list[Floats], list[Floats]]:
        """Losses and abstentions of every place."""
        return [one.loss for one in self.sweeps], [one.abstained for one in self.sweeps]


class SortedAnswers:
    """Preferred answers by class and confidence: curves under any weights need no other sort.

    An example loses so much where it is answered, and so much where it is not.
    """

    def __init__(
        self,
        classes: Labels,
        choice: Ints,
        confidence: Floats,
        answered: Floats,
        unanswered: Floats,
    ) -> None:
        self.classes = classes
        self.loss_unit = _power_of_two(float(max(np.abs(answered).max(), np.abs(unanswered).max())))
        answered, unanswered = answered / self.loss_unit, unanswered / self.loss_unit
        self.parts = []
        for c in range(len(classes)):
            own = np.flatnonzero(choice == c)
            rows = own[np.argsort(confidence[own])]
            ranked, change = confidence[rows], unanswered[rows] - answered[rows]
            starts = np.flatnonzero(is_new(ranked))
            self.parts.append((rows, starts, ranked[starts], change, answered[rows]))

    def curve(self, weight: Floats) -> ClassThresholdCurve:
        """Sweep the thresholds of all classes."""
        sweeps, seen = [], int(np.count_nonzero(weight))
        weight = weight / _power_of_two(float(weight.sum()) / (seen or 1))
        for rows, starts, levels, change, always in self.parts:
            each = weight[rows]
            sums = [each, each * change]
            if len(starts) < len(rows):
                sums = [np.add.reduceat(part, starts) for part in sums]
            there = sums[0] > 0
            if not there.all():
                levels, sums = levels[there], [part[there] for part in sums]
            abstained, saved = (np.append(0.0, part.cumsum()) for part in sums)
            sweeps.append(_ClassSweep(levels, abstained, each @ always + saved))
        return ClassThresholdCurve(self.classes, sweeps, float(weight.sum()), self.loss_unit)


def _power_of_two(value: float) -> float:
    """Give the greatest power of two up to a value; 1 for nothing."""
    return math.ldexp(1.0, math.frexp(value)[1] - 1) if value > 0 else 1.0


def _first_least(values: Floats, then: Floats) -> int:
    """Position of the least value; among equal ones, of the least second value."""
    equal = np.flatnonzero(values <= values.min() + _ROUNDING)
    return int(equal[np.argmin(then[equal])])


class Choice(NamedTuple):
    """One option from each list, their sums, and by how much a better choice could cost less."""

    options: Ints
    cost: float
    used: float
    gap: float = 0.0


def least_sum(costs: Sequence[Floats], uses: Sequence[Floats], limit: float) -> Choice:
    """Choose one option from each list so that the costs are least and the uses within a limit."""
    problem = _Problem(costs, uses, limit + _ROUNDING)
    best = problem.at_price(0.0)
    if best.used <= problem.limit:
        return best
    open_lists = [c for c, cost in enumerate(costs) if len(cost) > 1]
    if len(open_lists) == 1:
        (c,) = open_lists
        allowed = np.flatnonzero(best.used - uses[c][best.options[c]] + uses[c] <= problem.limit)
        best.options[c] = allowed[_first_least(costs[c][allowed], uses[c][allowed])]
        return problem.choice(best.options)
    known, price, bound = problem.bisected()
    known = problem.improved(known)
    spare = known.cost - bound
    found = problem.listed(price, spare)
    if found is None:
        return known._replace(gap=spare)
    return found if found.cost < known.cost - _ROUNDING or found.used < known.used else known


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
        pairs = zip(self.costs, self.uses, strict=True)
        return self.choice(np.array([_first_least(u + price * v, v) for u, v in pairs]))

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
        low, high = 0.0, max(spread, 1.0) / max(self.limit - known.used, _ROUNDING)
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
                if known.cost - u[at] + u[one] < best.cost - _ROUNDING:
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
            own = np.flatnonzero(priced <= spare + _ROUNDING)
            if len(cost) * len(own) > _PAIRS:
                return None
            spent = np.add.outer(beyond, priced[own]).ravel()
            sums = np.add.outer(used, v[own]).ravel()
            totals = np.add.outer(cost, u[own]).ravel()
            near = np.flatnonzero(spent <= spare + _ROUNDING)
            order = near[np.lexsort((totals[near], sums[near]))]
            least = np.minimum.accumulate(totals[order])
            front = order[np.append(True, totals[order][1:] < least[:-1] - _ROUNDING)]
            cost, used, beyond = totals[front], sums[front], spent[front]
            steps.append((front // len(own), own[front % len(own)]))
        inside = np.flatnonzero(used <= self.limit)
        at = int(inside[np.argmin(cost[inside])])
        options = []
        for before, own in reversed(steps):
            options.append(int(own[at]))
            at = int(before[at])
        return self.choice(np.array(options[::-1]))
