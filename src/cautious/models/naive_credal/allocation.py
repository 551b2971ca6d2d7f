r"""The weights of classes, and the greatest odds against one where rivals may share the prior.

With the share x of the prior the least and the greatest weight of a class are
:math:`f(x) = (n + x) \prod_i n(a_i)/(\tilde n_i + x)` and
:math:`g(x) = (n + x) \prod_i (n(a_i) + x)/(\tilde n_i + x)`, where :math:`\tilde n_i` counts the
class over rows in which feature i is observed. All in logarithms.

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

__all__ = ["Weights", "chord_peak", "greatest_shared_odds"]

# Logarithms of odds are exact to this; with one rival it costs little to be exact to rounding.
_PRECISION, _PRECISION_OF_ONE = 1e-6, 1e-12
# Cells (box, rival, feature) that problems looked at together begin with, and may come to; and how
# many boxes and rounds. Where there are more, what they promise is taken.
_CELLS_AT_ONCE, _MOST_CELLS = 20_000, 2_000_000
_MOST_BOXES, _MOST_ROUNDS = 4_000, 500
# Before so many problems give up they are looked at in halves.
_TOGETHER = 8


@dataclass(frozen=True)
class Weights:
    r"""The weights :math:`f` and :math:`g` of classes as functions of their share of the prior.

    Attributes
    ----------
    size : ndarray of shape (p,)
        :math:`n(c)`.
    totals, most : ndarray of shape (p, m)
        :math:`\tilde n_i(c)` and the greatest :math:`n(a_i, c)`; both 1 where the feature does not
        take part or was never seen with the class, so that its factor of g is 1.
    observed : ndarray of shape (p, m)
        1.0 where the feature takes part.
    log_least : ndarray of shape (p,)
        Logarithm of the product of the least :math:`n(a_i, c)`; ``-inf`` where one is zero.
    """

    size: Floats
    totals: Floats
    most: Floats
    observed: Floats
    log_least: Floats

    @classmethod
    def of(
        cls, class_counts: Floats, totals: Floats, least: Floats, most: Floats, observed: Mask
    ) -> Weights:
        """Lay out the classes of all rows one after the other."""
        n, m, K = totals.shape
        seen = np.repeat(observed, K, axis=0)
        totals, least, most = (
            np.moveaxis(table, 1, 2).reshape(n * K, m) for table in (totals, least, most)
        )
        idle = ~seen | (totals == 0)
        with np.errstate(divide="ignore"):
            log_least = np.log(np.where(seen, least, 1.0)).sum(axis=1)
        return cls(
            class_counts.reshape(n * K),
            np.where(idle, 1.0, totals),
            np.where(idle, 1.0, most),
            seen.astype(np.float64),
            log_least,
        )

    def __getitem__(self, at: Ints) -> Weights:
        return Weights(*(getattr(self, name)[at] for name in self.__dataclass_fields__))

    def log_f(self, x: Floats) -> Floats:
        """Logarithm of the least weight."""
        falls = (self.observed * np.log(self.totals + x[:, None])).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.size + x) + (self.log_least - falls))

    def log_g(self, x: Floats) -> Floats:
        """Logarithm of the greatest weight."""
        with np.errstate(divide="ignore"):
            grows = np.log((self.most + x[:, None]) / (self.totals + x[:, None])).sum(axis=1)
            return np.asarray(np.log(self.size + x) + grows)

    def fall(self, x: Floats) -> tuple[Floats, Floats]:
        """First derivative of -log f, and its own derivative."""
        share, own = 1 / (self.totals + x[:, None]), 1 / (self.size + x)
        slope = (self.observed * share).sum(axis=1) - own
        return slope, own**2 - (self.observed * share**2).sum(axis=1)

    def rise(self, x: Floats) -> tuple[Floats, Floats]:
        """First and second derivative of log g."""
        with np.errstate(divide="ignore", invalid="ignore"):
            high, low = 1 / (self.most + x[:, None]), 1 / (self.totals + x[:, None])
            own = 1 / (self.size + x)
            slope = own + (high - low).sum(axis=1)
            return slope, (low**2 - high**2).sum(axis=1) - own**2

    def convex(self, low: Floats | float, high: Floats | float) -> Mask:
        """Whether g is convex between two shares for sure."""
        return np.asarray(~(self._bend(high, low) < 0).any(axis=1))

    def concave(self, low: Floats | float, high: Floats | float) -> Mask:
        """Whether g is concave between two shares for sure."""
        return np.asarray(~(self._bend(low, high) > 0).any(axis=1))

    def _bend(self, first: Floats | float, second: Floats | float) -> Floats:
        """Second derivative of g, feature by feature: a part at one share less one at another."""
        x, y = (np.broadcast_to(end, self.size.shape)[:, None] for end in (first, second))
        size, hidden = self.size[:, None], self.observed * (self.size[:, None] - self.totals)
        with np.errstate(divide="ignore", invalid="ignore"):
            q = 1 / (self.most + x) - 1 / (self.totals + x)
            others = q.sum(axis=1, keepdims=True) - q
            others[np.isnan(others)] = np.inf  # two values never seen
            bend = others * (self.totals + y) * (size + y) - 2 * hidden
        return np.where(self.most < self.totals, bend, 0.0)

    def steepest(self, low: Floats, high: Floats, log_unit: Floats) -> Floats:
        """Bound the slope of g between two shares from above, in given units of weight."""
        telling = self.most < self.totals
        size, totals, a, b = self.size[:, None], self.totals, low[:, None], high[:, None]
        ratio = (self.most + b) / (totals + b)
        with np.errstate(divide="ignore"):
            least = np.exp(np.log((self.most + a) / (totals + a)).sum(axis=1) - log_unit)
        most = np.exp(np.log(ratio).sum(axis=1) - log_unit)
        up = most[:, None] / ratio * (size + a) / (totals + a)
        down = least[:, None] * (size + b) / (totals + b)
        return np.asarray(most + np.where(telling, up - down, 0.0).sum(axis=1))


def chord_peak(
    own: Weights, level: Floats, rise: Floats, left: Floats, right: Floats, s: float
) -> tuple[Floats, Floats]:
    """Maximise log(level + rise (y - left)) - log f(s - y), which is concave in y."""

    def slopes(y: Floats) -> tuple[Floats, Floats]:
        growth = rise / (level + rise * (y - left))
        fall, change = own.fall(s - y)
        return growth - fall, change - growth**2

    first, last = slopes(left)[0], slopes(right)[0]
    share = np.nan_to_num(first / (first - last), nan=0.5)
    y = left + share * (right - left)
    y = np.where(last >= 0, right, np.where(first <= 0, left, y))
    for _ in range(5):
        slope, curvature = slopes(y)
        step = y - slope / curvature
        inner = np.where(
            step <= left, (left + y) / 2, np.where(step >= right, (right + y) / 2, step)
        )
        y = np.where((last >= 0) | (first <= 0), y, inner)
    slope = slopes(y)[0]
    peak = np.log(level + rise * (y - left)) - own.log_f(s - y)
    return y, peak + np.maximum(slope * (right - y), slope * (left - y))


def greatest_shared_odds(
    weights: Weights, K: int, s: float, unit: Floats, row: Ints, own: Ints
) -> Floats:
    """Find the greatest log odds against a class when all others may share the prior."""
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
        """Share the prior out along the lines."""
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
