r"""The greatest odds against a class where several rivals may share the prior.

Looked for is the largest :math:`\sum_{k \ne c} g_k(x_k) / f_c(s - \sum_k x_k)`. Parts of the space
of all :math:`x` are boxes. On a box each :math:`g_k` lies below a straight line: its chord where it
is convex, a tangent where it is concave, otherwise a line of its steepest slope there. With lines
in place of the weights the prior goes to the steepest first, up to where the ratio, log-concave
then, is largest. A box that promises more than was found is cut in two where a line is furthest
off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks
from cautious.models.naive_credal.class_weights import Weights, chord_peak

__all__ = ["greatest_shared_odds"]

# Logarithms of odds are exact to this; with one rival it costs little to be exact to rounding.
_PRECISION, _PRECISION_OF_ONE = 1e-6, 1e-12
# Cells (box, rival, feature) that problems looked at together begin with, and may come to; and how
# many boxes and rounds. Where there are more, what they promise is taken.
_CELLS_AT_ONCE, _MOST_CELLS = 20_000, 2_000_000
_MOST_BOXES, _MOST_ROUNDS = 4_000, 500
# Before so many problems give up they are looked at in halves.
_TOGETHER = 8


def greatest_shared_odds(
    weights: Weights, K: int, s: float, unit: Floats, row: Ints, own: Ints
) -> Floats:
    """Find the greatest log odds against a class when all others may share the prior.

    Parameters
    ----------
    weights : Weights
        Those of all K classes of row 0, then of row 1, and so on.
    K : int
        Number of classes.
    s : float
        Strength of the prior.
    unit : ndarray of shape (n,)
        Logarithm of the unit in which the odds of each row are given.
    row, own : ndarray of shape (p,)
        Rows and classes in question; the least weights of the classes are positive.

    Returns
    -------
    ndarray of shape (p,)
        Log odds, less the unit.
    """
    odds = np.empty(len(row))
    for part in row_chunks(len(row), max(1, _CELLS_AT_ONCE // (K * weights.totals.shape[1]))):
        at = row[part]
        rivals = (np.arange(K) + 1 + own[part][:, None]) % K  # the class itself comes last
        each = at[:, None] * K + rivals[:, :-1]
        problems = _Problems(weights, each, at * K + own[part], unit[at], s)
        with np.errstate(divide="ignore", invalid="ignore"):
            odds[part] = problems.solve()
    return odds


@dataclass(frozen=True)
class _Boxes:
    """Intervals of the rivals' shares, the weights at their ends, and lines above the weights.

    All arrays but the first have shape (boxes, rivals).
    """

    problem: Ints
    low: Floats
    high: Floats
    at_low: Floats
    at_high: Floats
    line: Floats
    slope: Floats

    def __getitem__(self, at: Ints | Mask) -> _Boxes:
        return _Boxes(*(getattr(self, name)[at] for name in self.__dataclass_fields__))

    def joined(self, other: _Boxes) -> _Boxes:
        names = self.__dataclass_fields__
        return _Boxes(
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        )


@dataclass(frozen=True)
class _Problems:
    """Classes and their rivals, as positions in the weights."""

    weights: Weights
    rivals: Ints
    own: Ints
    unit: Floats
    s: float

    def solve(self) -> Floats:
        """Branch and bound; what is given up is counted at what it promises, so odds hold."""
        best, ceiling = np.full((2, len(self.own)), -np.inf)
        R = self.rivals.shape[1]
        precision = _PRECISION if R > 1 else _PRECISION_OF_ONE
        most = min(_MOST_BOXES, _MOST_CELLS // (R * self.weights.totals.shape[1]))
        boxes = self._first()
        for left in reversed(range(_MOST_ROUNDS)):
            shares, promise, total, rival = self._relaxed(boxes)
            own = self.weights[self.own[boxes.problem]]
            found = np.log(total) - own.log_f(self.s - shares.sum(axis=1))
            np.maximum.at(best, boxes.problem, found)
            going = promise > best[boxes.problem] + precision
            if going.sum() > most and len(self.own) > _TOGETHER:
                halves = np.array_split(np.arange(len(self.own)), 2)
                return np.concatenate([self._some(half).solve() for half in halves])
            if not left or going.sum() > most:
                going[:] = False
            np.maximum.at(ceiling, boxes.problem[~going], promise[~going])
            if not going.any():
                break
            boxes = self._cut(boxes[going], rival[going], shares[going, rival[going]])
        return np.asarray(np.maximum(best, ceiling))

    def _some(self, at: Ints) -> _Problems:
        return _Problems(self.weights, self.rivals[at], self.own[at], self.unit[at], self.s)

    def _first(self) -> _Boxes:
        """All of the space, a box per problem."""
        problem, shape = np.arange(len(self.own)), self.rivals.shape
        low, high = np.zeros(shape), np.full(shape, self.s)
        every = np.repeat(problem, shape[1])
        lines = self._lines(every, self.rivals.ravel(), low.ravel(), high.ravel())
        found = [one.reshape(shape) for one in lines]
        return _Boxes(problem, low, high, *found)

    def _lines(
        self, problem: Ints, rival: Ints, low: Floats, high: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Weights at both ends of intervals, and a line above them: its start and its slope."""
        weights, unit = self.weights[rival], self.unit[problem]
        at_low, at_high = (np.exp(weights.log_g(end) - unit) for end in (low, high))
        line, slope = at_low.copy(), (at_high - at_low) / (high - low)
        bent = np.flatnonzero(~weights.convex(low, high))
        some, a, b = weights[bent], low[bent], high[bent]
        middle = (a + b) / 2
        tangent = np.exp(some.log_g(middle) - unit[bent])
        rise = tangent * some.rise(middle)[0]
        concave = some.concave(a, b)
        slope[bent] = np.where(concave, rise, some.steepest(a, b, unit[bent]))
        line[bent] = np.where(concave, tangent - rise * (middle - a), line[bent])
        return at_low, at_high, line, slope

    def _relaxed(self, boxes: _Boxes) -> tuple[Floats, Floats, Floats, Ints]:
        """Share the prior out along the lines.

        Returns
        -------
        shares : ndarray of shape (boxes, rivals)
        promise : ndarray of shape (boxes,)
            What the odds in the box cannot exceed.
        total : ndarray of shape (boxes,)
            Weight of all rivals at these shares.
        rival : ndarray of shape (boxes,)
            The rival whose line is furthest off there.
        """
        n, R = boxes.low.shape
        order = np.argsort(-boxes.slope, axis=1, kind="stable")
        width = np.take_along_axis(boxes.high - boxes.low, order, axis=1)
        slope = np.take_along_axis(boxes.slope, order, axis=1)
        start = boxes.low.sum(axis=1)
        ends = np.minimum(start[:, None] + np.cumsum(width, axis=1), self.s)
        begins = np.column_stack([start, ends[:, :-1]])
        level = np.cumsum(slope * (ends - begins), axis=1)
        level = np.column_stack([np.zeros(n), level[:, :-1]]) + boxes.line.sum(axis=1)[:, None]
        # Concave: the peak lies on the last stretch that begins with a rise.
        own = self.weights[np.repeat(self.own[boxes.problem], R)]
        fall = own.fall((self.s - begins).ravel())[0].reshape(n, R)
        rises = (slope > fall * level) & (ends > begins)
        last = np.where(rises.any(axis=1), R - 1 - rises[:, ::-1].argmax(axis=1), 0)
        at = np.arange(n), last
        found = level[at], slope[at], begins[at], ends[at]
        y, promise = chord_peak(self.weights[self.own[boxes.problem]], *found, self.s)
        rows, inside = np.arange(n), order[at]
        full = np.argsort(order, axis=1) < last[:, None]
        shares = np.where(full, boxes.high, boxes.low)
        weight = np.where(full, boxes.at_high, boxes.at_low)
        shares[rows, inside] += y - begins[at]
        rival = self.weights[self.rivals[boxes.problem, inside]]
        inner = rival.log_g(shares[rows, inside]) - self.unit[boxes.problem]
        weight[rows, inside] = np.exp(inner)
        off = boxes.line + boxes.slope * (shares - boxes.low) - weight
        return shares, promise, weight.sum(axis=1), off.argmax(axis=1)

    def _cut(self, boxes: _Boxes, rival: Ints, share: Floats) -> _Boxes:
        """Cut each box in two where a rival has its share, or near it."""
        rows = np.arange(len(rival))
        low, high = boxes.low[rows, rival], boxes.high[rows, rival]
        middle = np.clip(share, low + (high - low) / 4, high - (high - low) / 4)
        halves = []
        for a, b in ((low, middle), (middle, high)):
            names = ("low", "high", "at_low", "at_high", "line", "slope")
            each = {name: getattr(boxes, name).copy() for name in names}
            found = self._lines(boxes.problem, self.rivals[boxes.problem, rival], a, b)
            for name, value in zip(names, (a, b, *found), strict=True):
                each[name][rows, rival] = value
            halves.append(_Boxes(boxes.problem, **each))
        both = halves[0].joined(halves[1])
        return both[both.low.sum(axis=1) <= self.s]
