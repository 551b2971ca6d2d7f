r"""The best trade-offs between abstaining and losing that class thresholds can reach, exactly.

Each example has a preferred answer and a confidence in it. Every class has a threshold of its own,
and an example is answered if its confidence reaches that of its preferred answer. What is lost and
how much is abstained on then add up over the classes, so the classes can be swept apart: each gives
a list of points (abstention, loss), one for every place of its threshold, and the lower convex hull
of all that thresholds can reach together is the (Minkowski) sum of the classes' hulls. Its edges
are theirs, in order of slope. Thresholds lie midway between neighbouring distinct confidences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.metrics import Shown

__all__ = ["ClassSweep", "ClassThresholdCurve"]

# Sums of weights that differ by less are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ClassSweep:
    """Every place of one class's threshold, from answering always to never.

    Attributes
    ----------
    threshold : ndarray of shape (J + 1,)
        Growing; the first is -inf and the last inf.
    abstained, loss : ndarray of shape (J + 1,)
        Total weight abstained on, and total loss, of the examples that prefer this class.
    """

    threshold: Floats
    abstained: Floats
    loss: Floats

    @classmethod
    def of(
        cls, confidence: Floats, weight: Floats, answered: Floats, unanswered: Floats
    ) -> ClassSweep:
        """Sweep the threshold over examples that lose so much when answered and when not."""
        values, group = np.unique(confidence, return_inverse=True)
        middle = values[:-1] / 2 + values[1:] / 2
        # Between neighbouring floats there is no middle; the upper one sets them apart as well.
        middle = np.where(middle > values[:-1], middle, values[1:])
        abstained = np.bincount(group, weight, minlength=len(values))
        change = np.bincount(group, weight * (unanswered - answered), minlength=len(values))
        return cls(
            np.concatenate([[-np.inf], middle, [np.inf]])[: len(values) + 1],
            np.append(0.0, np.cumsum(abstained)),
            float(weight @ answered) + np.append(0.0, np.cumsum(change)),
        )

    def hull(self) -> Ints:
        """Places on the lower convex hull of (abstention, loss)."""
        kept: list[int] = []
        a, v = self.abstained.tolist(), self.loss.tolist()
        for i in range(len(a)):
            while len(kept) > 1 and _turns_right(a, v, kept[-2], kept[-1], i):
                kept.pop()
            kept.append(i)
        return np.array(kept, dtype=np.intp)


def _turns_right(a: list[float], v: list[float], i: int, j: int, k: int) -> bool:
    return (v[j] - v[i]) * (a[k] - a[i]) >= (v[k] - v[i]) * (a[j] - a[i])


@dataclass(frozen=True, eq=False, repr=False)
class ClassThresholdCurve(Shown):
    """Lower hull of the pairs (abstention, loss) that class thresholds can reach.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Class labels.
    sweeps : list of ClassSweep
        What each class's threshold can reach.
    total : float
        Weight of all examples.

    Examples
    --------
    >>> import numpy as np
    >>> curve = ClassThresholdCurve.of(
    ...     np.array(["a", "b"]), choice=np.array([0, 0, 1, 1]),
    ...     confidence=np.array([0.9, 0.6, 0.8, 0.7]), weight=np.ones(4),
    ...     answered=np.array([0.0, 1.0, 0.0, 1.0]), unanswered=np.zeros(4))
    >>> curve.frame()
       abstention  loss     a     b
    0        0.00  0.50  -inf  -inf
    1        0.25  0.25  0.75  -inf
    2        0.50  0.00  0.75  0.75
    3        0.75  0.00   inf  0.75
    4        1.00  0.00   inf   inf
    """

    classes: Labels
    sweeps: list[ClassSweep]
    total: float

    @classmethod
    def of(
        cls,
        classes: Labels,
        choice: Ints,
        confidence: Floats,
        weight: Floats,
        answered: Floats,
        unanswered: Floats,
    ) -> ClassThresholdCurve:
        """Sweep the thresholds of all classes.

        Parameters
        ----------
        classes : ndarray of shape (K,)
            Class labels.
        choice : ndarray of shape (n,)
            Preferred answer to each example, as a position in `classes`.
        confidence : ndarray of shape (n,)
            Confidence in it.
        weight : ndarray of shape (n,)
            How often each example counts.
        answered, unanswered : ndarray of shape (n,)
            What is lost if the preferred answer is given, and if none is.

        Returns
        -------
        ClassThresholdCurve
        """
        sweeps = []
        for c in range(len(classes)):
            own = (choice == c) & (weight > 0)
            sweeps.append(
                ClassSweep.of(confidence[own], weight[own], answered[own], unanswered[own])
            )
        return cls(classes, sweeps, float(weight.sum()))

    @cached_property
    def _path(self) -> tuple[Ints, Ints]:
        """Class and new place of each step along the hull, in order of slope."""
        who, where, slope = [], [], []
        for c, sweep in enumerate(self.sweeps):
            hull = sweep.hull()
            who.append(np.full(len(hull) - 1, c, dtype=np.intp))
            where.append(hull[1:])
            slope.append(np.diff(sweep.loss[hull]) / np.diff(sweep.abstained[hull]))
        order = np.argsort(np.concatenate(slope), kind="stable")
        return np.concatenate(who)[order], np.concatenate(where)[order]

    @cached_property
    def places(self) -> Ints:
        """Place of each class's threshold at each vertex of the hull, shape (V, K)."""
        who, where = self._path
        places = np.zeros((len(who) + 1, len(self.classes)), dtype=np.intp)
        places[np.arange(1, len(who) + 1), who] = where
        return np.maximum.accumulate(places, axis=0)

    def _sum(self, places: Ints, name: str) -> Floats:
        each = [getattr(s, name)[places[..., c]] for c, s in enumerate(self.sweeps)]
        return np.asarray(np.sum(each, axis=0))

    @cached_property
    def abstained(self) -> Floats:
        """Weight abstained on at each vertex."""
        return self._sum(self.places, "abstained")

    @cached_property
    def loss(self) -> Floats:
        """Total loss at each vertex."""
        return self._sum(self.places, "loss")

    def at(self, places: Ints) -> tuple[float, float]:
        """Share abstained on and mean loss per case at given places."""
        abstained, loss = self._sum(places, "abstained"), self._sum(places, "loss")
        return float(abstained / self.total), float(loss / self.total)

    def thresholds(self, places: Ints) -> Floats:
        """Thresholds at given places; 0 for a class that nobody preferred."""
        chosen = [
            s.threshold[place] if len(s.threshold) > 1 else 0.0
            for s, place in zip(self.sweeps, places, strict=True)
        ]
        return np.array(chosen)

    def frame(self) -> pd.DataFrame:
        """One row per vertex: abstention and mean loss per case, and the thresholds."""
        columns = {"abstention": self.abstained / self.total, "loss": self.loss / self.total}
        table = pd.DataFrame(columns)
        every = np.array([self.thresholds(places) for places in self.places])
        labels = pd.Index(self.classes.tolist(), dtype=object)
        return table.join(pd.DataFrame(every, columns=labels))

    def _facts(self) -> dict[str, Any]:
        return {"classes": self.classes, "n_vertices": len(self.places), "total": self.total}

    # Choices. Each starts at a vertex and then moves one threshold at a time as long as that helps,
    # because a budget may lie between two vertices.

    def least_loss(self) -> Ints:
        """Places of the least loss, of several the ones that abstain least. Exact."""
        return np.asarray(self.places[_first_least(self.loss, self.abstained)])

    def within_abstention(self, budget: float, *, per_answer: bool) -> Ints:
        """Places of a small loss among those that abstain on at most a share of the weight.

        Parameters
        ----------
        budget : float
            Share that may be abstained on.
        per_answer : bool
            Whether to minimise the loss per answered case instead of the total.
        """

        def allowed(abstained: Floats, loss: Floats) -> Mask:
            return np.asarray(abstained <= budget * self.total + _ROUNDING)

        def merit(abstained: Floats, loss: Floats) -> Floats:
            if not per_answer:
                return loss
            given = self.total - abstained
            some = given > _ROUNDING
            return np.asarray(np.where(some, loss / np.where(some, given, 1.0), np.inf))

        return self._search(allowed, merit)

    def within_loss(self, budget: float, *, per_answer: bool) -> Ints:
        """Places that abstain little among those whose loss stays within a budget.

        Parameters
        ----------
        budget : float
            Loss allowed per case, or per answered case.
        per_answer : bool
            Which of the two.
        """

        def allowed(abstained: Floats, loss: Floats) -> Mask:
            cases = self.total - abstained if per_answer else self.total
            return np.asarray(loss <= budget * cases + _ROUNDING)

        return self._search(allowed, lambda abstained, loss: abstained)

    def _search(
        self,
        allowed: Callable[[Floats, Floats], Mask],
        merit: Callable[[Floats, Floats], Floats],
    ) -> Ints:
        """Start at the best allowed vertex and move single thresholds while that is better."""
        value = np.where(
            allowed(self.abstained, self.loss), merit(self.abstained, self.loss), np.inf
        )
        start = _first_least(value, self.abstained)
        places, best = self.places[start].copy(), float(value[start])
        while True:
            abstained, loss = self._sum(places, "abstained"), self._sum(places, "loss")
            moves = []
            for c, (sweep, place) in enumerate(zip(self.sweeps, places, strict=True)):
                new_abstained = abstained + (sweep.abstained - sweep.abstained[place])
                new_loss = loss + (sweep.loss - sweep.loss[place])
                tried = merit(new_abstained, new_loss)
                tried = np.where(allowed(new_abstained, new_loss), tried, np.inf)
                new_place = _first_least(tried, new_abstained)
                moves.append((float(tried[new_place]), c, new_place))
            value_there, c, new_place = min(moves)
            if value_there >= best - _ROUNDING:
                return np.asarray(places)
            places[c], best = new_place, value_there


def _first_least(values: Floats, then: Floats) -> int:
    """Position of the least value; among equal ones, of the least second value."""
    equal = np.flatnonzero(values <= values.min() + _ROUNDING)
    return int(equal[np.argmin(then[equal])])
