r"""The best trade-offs between abstaining and losing that class thresholds can reach, exactly.

Each example has a preferred answer and a confidence in it. Every class has a threshold of its own,
and an example is answered if its confidence reaches that of its preferred answer. What is lost and
how much is abstained on then add up over the classes, so the classes can be swept apart: each gives
a list of points (abstention, loss), one for every place of its threshold, and the lower convex hull
of all that thresholds can reach together is the (Minkowski) sum of the classes' hulls. Its edges
are theirs, in order of slope. Thresholds lie midway between neighbouring distinct confidences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cautious._result import Shown
from cautious._typing import Floats, Ints, Labels
from cautious.curves.class_thresholds.multiple_choice import ROUNDING, Choice, least_sum

__all__ = ["ClassSweep", "ClassThresholdCurve"]


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
    weight_unit, loss_unit : float
        Powers of two, about the mean weight and the largest loss: sums are compared in these units,
        so that nothing depends on those of the user.

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
    weight_unit: float = 1.0
    loss_unit: float = 1.0

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

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.full(2, 0.3))
        >>> curve.frame()
           abstention  loss    a    b
        0         0.0  0.50 -inf -inf
        1         0.5  0.15 -inf  inf
        2         1.0  0.30  inf  inf
        """
        sweeps = []
        for c in range(len(classes)):
            own = (choice == c) & (weight > 0)
            sweeps.append(
                ClassSweep.of(confidence[own], weight[own], answered[own], unanswered[own])
            )
        seen = weight[weight > 0]
        units = (
            _power_of_two(float(seen.sum()) / max(1, len(seen))),
            _power_of_two(float(np.abs([answered, unanswered]).max(initial=0.0))),
        )
        return cls(classes, sweeps, float(weight.sum()), *units)

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
        """Share abstained on and mean loss per case at given places.

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.full(2, 0.3))
        >>> curve.at(curve.least_loss())
        (0.5, 0.15000000000000002)
        """
        abstained, loss = self._sum(places, "abstained"), self._sum(places, "loss")
        return float(abstained / self.total), float(loss / self.total)

    def thresholds(self, places: Ints) -> Floats:
        """Thresholds at given places; 0 for a class that nobody preferred.

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.full(2, 0.3))
        >>> curve.thresholds(curve.least_loss())
        array([-inf,  inf])
        """
        chosen = [
            s.threshold[place] if len(s.threshold) > 1 else 0.0
            for s, place in zip(self.sweeps, places, strict=True)
        ]
        return np.array(chosen)

    def frame(self) -> pd.DataFrame:
        """One row per vertex: abstention and mean loss per case, and the thresholds.

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.zeros(2))
        >>> curve.frame()
           abstention  loss    a    b
        0         0.0   0.5 -inf -inf
        1         0.5   0.0 -inf  inf
        2         1.0   0.0  inf  inf
        """
        columns = {"abstention": self.abstained / self.total, "loss": self.loss / self.total}
        table = pd.DataFrame(columns)
        every = np.array([self.thresholds(places) for places in self.places])
        labels = pd.Index(self.classes.tolist(), dtype=object)
        return table.join(pd.DataFrame(every, columns=labels))

    def _facts(self) -> dict[str, Any]:
        return {"classes": self.classes, "n_vertices": len(self.places), "total": self.total}

    # Choices.

    def least_loss(self) -> Ints:
        """Places of the least loss, of several the ones that abstain least.

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.full(2, 0.3))
        >>> curve.thresholds(curve.least_loss())
        array([-inf,  inf])
        """
        return np.array([_first_least(*pair) for pair in zip(*self._lists, strict=True)])

    def within_abstention(self, budget: float, *, per_answer: bool) -> Choice:
        """Places of the least loss among those that abstain on at most a share of the weight.

        The loss per answer is a ratio :math:`L / (n - A)`. A choice betters the ratio r of another
        if and only if :math:`L + r A < r n`, so the best sum on the left is sought again and again
        until it betters nothing (Dinkelbach 1967).

        Parameters
        ----------
        budget : float
            Share that may be abstained on.
        per_answer : bool
            Whether to minimise the loss per answered case instead of the total.

        Returns
        -------
        Choice
            With the gap in loss per case, or per answer.

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.full(2, 0.3))
        >>> curve.within_abstention(0.6, per_answer=False)
        Choice(options=array([0, 1]), cost=0.30000000000000004, used=1.0, gap=0.0)
        """
        loss, abstained = self._lists
        total = self.total / self.weight_unit
        limit = budget * total
        if not per_answer:
            best = least_sum(loss, abstained, limit)
            return self._in_own_units(best, best.gap / total * self.loss_unit)
        # Answering nothing has no loss per answer: nothing is abstained on, to begin with.
        places = np.zeros(len(self.sweeps), dtype=np.intp)
        while True:
            share, mean = self.at(places)
            mean /= self.loss_unit
            ratio = mean / (1 - share)
            tried = least_sum(
                [u + ratio * v for u, v in zip(loss, abstained, strict=True)], abstained, limit
            )
            better = tried.cost < ratio * total - ROUNDING
            if better and tried.used < total - ROUNDING:
                places = tried.options
                continue
            answers = max(total - limit, total * ROUNDING)
            gap = min(ratio, tried.gap / answers) * self.loss_unit
            return self._in_own_units(Choice(places, mean * total, share * total), gap)

    def within_loss(self, budget: float, *, per_answer: bool) -> Choice:
        """Places that abstain least among those whose loss stays within a budget.

        Parameters
        ----------
        budget : float
            Loss allowed per case, or per answered case.
        per_answer : bool
            Which of the two.

        Returns
        -------
        Choice
            With the gap in the share abstained on.

        Examples
        --------
        >>> import numpy as np
        >>> curve = ClassThresholdCurve.of(
        ...     np.array(["a", "b"]), choice=np.array([0, 1]), confidence=np.array([0.9, 0.6]),
        ...     weight=np.ones(2), answered=np.array([0.0, 1.0]), unanswered=np.full(2, 0.3))
        >>> curve.within_loss(0.2, per_answer=False)
        Choice(options=array([0, 1]), cost=1.0, used=0.30000000000000004, gap=0.0)
        """
        loss, abstained = self._lists
        budget /= self.loss_unit
        if per_answer:  # L <= b (n - A)
            loss = [u + budget * v for u, v in zip(loss, abstained, strict=True)]
        total = self.total / self.weight_unit
        best = least_sum(abstained, loss, budget * total)
        swapped = best._replace(cost=best.used, used=best.cost)
        found = self._in_own_units(swapped, best.gap / total)
        return found._replace(cost=found.used, used=found.cost)

    def _in_own_units(self, choice: Choice, gap: float) -> Choice:
        """Turn a loss and an abstained weight back into the units that were given."""
        unit = self.weight_unit
        return Choice(choice.options, choice.cost * unit * self.loss_unit, choice.used * unit, gap)

    @property
    def _lists(self) -> tuple[list[Floats], list[Floats]]:
        """Losses and abstentions of every place, in units that do not depend on the user's."""
        weight, loss = self.weight_unit, self.loss_unit
        return (
            [one.loss / weight / loss for one in self.sweeps],
            [one.abstained / weight for one in self.sweeps],
        )


def _power_of_two(value: float) -> float:
    """Give the greatest power of two up to a value; 1 for nothing."""
    return math.ldexp(1.0, math.frexp(value)[1] - 1) if value > 0 else 1.0


def _first_least(values: Floats, then: Floats) -> int:
    """Position of the least value; among equal ones, of the least second value."""
    equal = np.flatnonzero(values <= values.min() + ROUNDING)
    return int(equal[np.argmin(then[equal])])
