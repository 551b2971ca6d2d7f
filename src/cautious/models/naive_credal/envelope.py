r"""Exact lower and upper class probabilities over the global imprecise Dirichlet model.

Let class c have the share :math:`x_c` of the prior, :math:`\sum_c x_c = s`. However its features
divide that share among their values, the weight of c lies between

.. math::

    f_c(x) = (n(c) + x) \prod_i \frac{n(a_i, c)}{\tilde n_i(c) + x} \quad\text{and}\quad
    g_c(x) = (n(c) + x) \prod_i \frac{n(a_i, c) + x}{\tilde n_i(c) + x},

whatever the other classes do, so that

.. math::

    \frac{1 - \overline p(c)}{\overline p(c)} = \min_x \frac{\sum_{k \ne c} f_k(x_k)}{g_c(x_c)},
    \qquad
    \frac{1 - \underline p(c)}{\underline p(c)} = \max_x \frac{\sum_{k \ne c} g_k(x_k)}{f_c(x_c)}.

**Upper.** With a feature observed :math:`f_k` falls and is completely monotone: a product of
:math:`1/(\tilde n_i + x)` and :math:`1 + (n - \tilde n_1)/(\tilde n_1 + x)`. A sum of log-convex
functions is log-convex and :math:`\log g_c` is concave, so the minimum is a convex programme. All
rivals that get a share have one slope :math:`-f_k'(x_k) = \mu` (water is filled in), and one
equation in :math:`\mu` is left. Mostly all of s goes to c itself.

**Lower.** With :math:`q_i = 1/(n(a_i, k) + x) - 1/(\tilde n_i + x)`,

.. math::

    \frac{g_k''}{g_k} = \sum_i q_i \Bigl[\sum_{j \ne i} q_j -
    \frac{2 (n - \tilde n_i)}{(n + x)(\tilde n_i + x)}\Bigr].

Where no training cell is missing it is never negative. A sum of convex functions is largest in a
corner: what c does not get, :math:`y = s - x_c`, goes to one rival k. The best :math:`y` is found
by branch and bound: with a chord of :math:`g_k` in its place the ratio is log-concave, and short
chords are as good as :math:`g_k`. Rivals are tried in the order of :math:`g_k(s) - g_k(0)` until
the chord over all of :math:`[0, s]` shows that no further one can gain.

Where a training cell is missing :math:`g_k` may be concave, and several rivals may share
:math:`y`. Looked for is the largest :math:`\sum_{k \ne c} g_k(x_k) / f_c(s - \sum_k x_k)`. Parts of
the space of all :math:`x` are boxes. On a box each :math:`g_k` lies below a straight line: its
chord where it is convex, a tangent where it is concave, otherwise a line of its steepest slope
there. With lines in place of the weights the prior goes to the steepest first, up to where the
ratio, log-concave then, is largest. A box that promises more than was found is cut in two where a
line is furthest off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from cautious._typing import Floats, Ints, Mask
from cautious.models._base import row_chunks

# Cells (row, class, feature) held at once.
_CELLS_AT_ONCE = 1_000_000
# Logarithms of odds are exact to this; beyond it nothing is searched any further.
_PRECISION = 1e-12
_MAX_ITERATIONS = 100
# Logarithms of shared odds are exact to this; with one rival it costs little to be exact.
_PRECISION_OF_SHARED = 1e-6
# Cells (box, rival, feature) that problems looked at together begin with, and may come to; and how
# many boxes and rounds. Where there are more, what they promise is taken.
_SHARED_CELLS, _MOST_CELLS = 20_000, 2_000_000
_MOST_BOXES, _MOST_ROUNDS = 4_000, 500
# Before so many problems give up they are looked at in halves.
_TOGETHER = 8


def posterior_bounds(
    class_counts: Floats, totals: Floats, least: Floats, most: Floats, observed: Mask, s: float
) -> tuple[Floats, Floats]:
    """Bound the class probabilities of rows over all priors of strength s."""
    n, m, K = totals.shape
    lower, upper = np.ones((n, K)), np.ones((n, K))
    if K == 1:
        return lower, upper
    bare = ~observed.any(axis=1)
    share = class_counts[bare].sum(axis=1, keepdims=True) + s
    lower[bare], upper[bare] = class_counts[bare] / share, (class_counts[bare] + s) / share
    rest = np.flatnonzero(~bare)
    for part in row_chunks(len(rest), max(1, _CELLS_AT_ONCE // max(1, m * K))):
        at = rest[part]
        weights = Weights.of_rows(class_counts[at], totals[at], least[at], most[at], observed[at])
        upper[at] = expit(-_least_odds_against(weights, K, s))
        lower[at] = expit(-_greatest_odds_against(weights, K, s))
    return lower, upper


def _least_odds_against(weights: Weights, K: int, s: float) -> Floats:
    """Logarithm of the least odds against each class, shape (n, K)."""
    everything = np.full(len(weights.size), s)
    log_f = weights.log_f(0 * everything).reshape(-1, K)
    log_g = weights.log_g(everything).reshape(-1, K)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = weights.fall(0 * everything)[0].reshape(-1, K)
    # Weights are kept in units of the row's largest; what vanishes beside it does not count.
    unit = np.where(np.isfinite(top := log_f.max(axis=1, keepdims=True)), top, 0.0)
    f = np.exp(log_f - unit)
    gain = f * np.where(f > 0, slope, 0.0)  # of the first bit of prior given to a rival
    rivals = of_others(np.add, f)
    with np.errstate(divide="ignore"):
        odds = np.log(rivals) + unit - log_g
    keeps = weights.rise(everything)[0].reshape(-1, K)
    row, own = np.nonzero((of_others(np.maximum, gain) > keeps * rivals) & (rivals > 0) & (s > 0))
    end = np.exp(weights.log_f(everything).reshape(-1, K) - unit)
    for part in row_chunks(len(row), max(1, _CELLS_AT_ONCE // (K * weights.totals.shape[1]))):
        r, c = row[part], own[part]
        others = np.arange(K) != c[:, None]
        # The common slope is at least this, so that only these rivals may get a share.
        least = keeps[r, c] * np.where(others, end[r], 0.0).sum(axis=1)
        takes = others & (gain[r] > least[:, None])
        idle = np.where(others & ~takes, f[r], 0.0).sum(axis=1)
        problem, k = np.nonzero(takes)
        filled = _filled(
            weights[r * K + c], weights[r[problem] * K + k], problem, unit[r, 0], idle, least, s
        )
        odds[r, c] = np.minimum(odds[r, c], filled)
    return odds


def _filled(
    own: Weights, rivals: Weights, problem: Ints, unit: Floats, idle: Floats, low: Floats, s: float
) -> Floats:
    """Solve for the slope common to all rivals that get a share; give the log odds there."""
    size = len(idle)

    def total(values: Floats) -> Floats:
        return np.bincount(problem, values, minlength=size).astype(np.float64)

    first = rivals.log_f(np.zeros(len(problem))) - unit[problem]
    start = first + np.log(rivals.fall(np.zeros(len(problem)))[0])
    high = np.full(size, -np.inf)
    np.maximum.at(high, problem, start)
    with np.errstate(divide="ignore"):
        low = np.maximum(np.log(low), high - 745)  # beyond, the slope is no number
    level, x = (low + high) / 2, np.zeros(len(problem))
    odds = np.full(size, np.inf)
    for _ in range(_MAX_ITERATIONS):
        x, bend = _levelled(rivals, x, level[problem] + unit[problem], start > level[problem], s)
        given = total(x)
        left = idle + total(np.exp(rivals.log_f(x) - unit[problem]))
        over = given > s
        x_own = np.where(over, 0.0, s - given)
        value = np.log(left) + unit - own.log_g(x_own)
        odds = np.where(over, odds, np.minimum(odds, value))
        slope, curvature = own.rise(np.where(over, s, x_own))
        excess = np.where(over, -np.inf, level - np.log(left) - np.log(slope))
        moves = total(np.where(x > 0, 1 / bend, 0.0))  # of what is given, by the log slope
        with np.errstate(divide="ignore", invalid="ignore"):
            pace = 1 + np.exp(level) * moves / left + curvature / slope * moves
            step = level - excess / pace
        low, high = np.where(excess < 0, level, low), np.where(excess < 0, high, level)
        newton = np.isfinite(step) & (step > low) & (step < high)
        if (high - low <= 1e-14 * np.maximum(1, np.abs(high))).all() or (excess == 0).all():
            break
        level = np.where(newton, step, (low + high) / 2)
    return odds


def _levelled(
    rivals: Weights, x: Floats, level: Floats, takes: Mask, s: float
) -> tuple[Floats, Floats]:
    """Give each rival what brings its log slope down to the level, by Newton's method."""
    degree = np.maximum(rivals.observed.sum(axis=1), 2.0)
    x = np.where(takes, np.minimum(x, s), 0.0)
    for _ in range(_MAX_ITERATIONS):
        slope, change = rivals.fall(x)
        bend = change / slope - slope
        height = rivals.log_f(x) + np.log(slope) - level
        step = np.where(takes, -np.expm1(height / degree) * degree / bend, 0.0)
        # What exceeds s by far is too much in any case.
        moved = np.clip(x + step, 0.0, 4 * s)
        done = np.abs(moved - x) <= 1e-15 * (s + rivals.size)
        x = moved
        if done.all():
            break
    slope, change = rivals.fall(x)
    return x, change / slope - slope


def _greatest_odds_against(weights: Weights, K: int, s: float) -> Floats:
    """Logarithm of the greatest odds against each class, shape (n, K)."""
    nothing = np.zeros(len(weights.size))
    log_f_0, log_f_s = (weights.log_f(nothing + x).reshape(-1, K) for x in (0.0, s))
    log_g_0, log_g_s = (weights.log_g(nothing + x).reshape(-1, K) for x in (0.0, s))
    unit = log_g_s.max(axis=1, keepdims=True)
    before, after = np.exp(log_g_0 - unit), np.exp(log_g_s - unit)
    bent = np.flatnonzero(~weights.convex(0.0, s).reshape(-1, K).all(axis=1))
    gain, rivals = after - before, of_others(np.add, before)
    with np.errstate(divide="ignore", invalid="ignore"):
        fall_0, fall_s = (weights.fall(nothing + x)[0].reshape(-1, K) for x in (0.0, s))
        odds = np.where(np.isfinite(log_f_s), np.log(rivals) - log_f_s, np.inf)
    order = np.argsort(-gain, axis=1, kind="stable")
    possible = np.isfinite(log_f_s) & (s > 0)
    alone = possible.copy()
    alone[bent] = False
    shared = np.nonzero(possible & ~alone)
    odds[shared] = greatest_shared_odds(weights, K, s, unit[:, 0], *shared)
    row, own = np.nonzero(alone)
    for rank in range(K):
        k = order[row, rank]
        row_k, own_k, k = (part[k != own] for part in (row, own, k))
        base, more = rivals[row_k, own_k], gain[row_k, k]
        with np.errstate(divide="ignore"):
            whole = np.log(base + more) - log_f_0[row_k, own_k]
        odds[row_k, own_k] = np.maximum(odds[row_k, own_k], whole)
        # The chord over [0, s] promises most at an end, where it is exact, or somewhere inside.
        inside = (more < fall_0[row_k, own_k] * s * (base + more)) & (
            more > fall_s[row_k, own_k] * s * base
        )
        at = np.flatnonzero(inside)
        r, c, k = row_k[at], own_k[at], k[at]
        rest, rivals_k = base[at] - before[r, k], (r * K + k)[:, None]
        problems = _Problems(weights, rivals_k, r * K + c, unit[r, 0], rest, s)
        with np.errstate(divide="ignore", invalid="ignore"):
            odds[r, c], top = problems.solve(odds[r, c])
        beaten = np.zeros(odds.shape, dtype=np.bool_)
        beaten[row_k, own_k] = True
        beaten[r, c] = ~(top > odds[r, c] + _PRECISION)
        going = ~beaten[row, own]
        row, own = row[going], own[going]
        if not len(row):
            break
    return np.asarray(odds + unit)


def of_others(join: np.ufunc, values: Floats) -> Floats:
    """Join the values of all other classes, from both sides: nothing is taken away again."""
    before = join.accumulate(values[:, :-1], axis=1)
    after = join.accumulate(values[:, :0:-1], axis=1)[:, ::-1]
    between = join(before[:, :-1], after[:, 1:])
    return np.column_stack([after[:, 0], between, before[:, -1]])


@dataclass(frozen=True)
class Weights:
    """The weights f and g of classes as functions of their share of the prior."""

    size: Floats  # n(c), (p,)
    # ñ_i(c) and the greatest n(a_i, c), (p, m); both 1 where the feature does not take part or was
    # never seen with the class, so that its factor of g is 1.
    totals: Floats
    most: Floats
    observed: Floats  # (p, m): 1.0 where the feature takes part
    log_least: Floats  # of the product of the least n(a_i, c), (p,); -inf where one is zero

    @classmethod
    def of(
        cls, size: Floats, totals: Floats, least: Floats, most: Floats, observed: Mask
    ) -> Weights:
        """Weigh classes by counts with a column for each feature."""
        idle = ~observed | (totals == 0)
        with np.errstate(divide="ignore"):
            log_least = np.log(np.where(observed, least, 1.0)).sum(axis=1)
        totals, most = np.where(idle, 1.0, totals), np.where(idle, 1.0, most)
        return cls(size, totals, most, observed.astype(np.float64), log_least)

    @classmethod
    def of_rows(
        cls, class_counts: Floats, totals: Floats, least: Floats, most: Floats, observed: Mask
    ) -> Weights:
        """Lay out the classes of all rows one after the other."""
        n, m, K = totals.shape
        totals, least, most = (
            np.moveaxis(each, 1, 2).reshape(n * K, m) for each in (totals, least, most)
        )
        observed = np.repeat(observed, K, axis=0)
        return cls.of(class_counts.reshape(n * K), totals, least, most, observed)

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
    for part in row_chunks(len(row), max(1, _SHARED_CELLS // (K * weights.totals.shape[1]))):
        at = row[part]
        rivals = (np.arange(K) + 1 + own[part][:, None]) % K  # the class itself comes last
        each = at[:, None] * K + rivals[:, :-1]
        problems = _Problems(weights, each, at * K + own[part], unit[at], np.zeros(len(at)), s)
        with np.errstate(divide="ignore", invalid="ignore"):
            odds[part] = problems.solve(np.full(len(at), -np.inf))[0]
    return odds


@dataclass(frozen=True)
class _Problems:
    """Classes and the rivals that may share what they do not get, as positions in the weights.

    A box is an interval of each rival's share. Its table (6, problems, rivals) holds the ends of
    the intervals, the weights there, and a line above the weights: its start and its slope.
    """

    weights: Weights
    rivals: Ints
    own: Ints
    unit: Floats
    rest: Floats  # weight of all other classes, which get nothing
    s: float

    def solve(self, best: Floats) -> tuple[Floats, Floats]:
        """Branch and bound from odds known to be met; give odds, and what was promised at first.

        What is given up is counted at what it promises, so odds hold.
        """
        best, ceiling, first = best.copy(), np.full(len(self.own), -np.inf), best
        R = self.rivals.shape[1]
        precision = _PRECISION_OF_SHARED if R > 1 else _PRECISION
        most = min(_MOST_BOXES, _MOST_CELLS // (R * self.weights.totals.shape[1]))
        problem, boxes = self._whole()
        for left in reversed(range(_MOST_ROUNDS)):
            shares, promise, total, rival = self._relaxed(problem, boxes)
            if left == _MOST_ROUNDS - 1:
                first = promise
            own = self.weights[self.own[problem]]
            # What is no number promises nothing: weights vanished beside the largest.
            np.fmax.at(best, problem, np.log(total) - own.log_f(self.s - shares.sum(axis=1)))
            going = promise > best[problem] + precision
            if going.sum() > most and len(self.own) > _TOGETHER:
                halves = np.array_split(np.arange(len(self.own)), 2)
                solved = [self._some(half).solve(best[half]) for half in halves]
                return np.concatenate(solved, axis=1)[0], first
            if not left or going.sum() > most:
                going[:] = False
            np.fmax.at(ceiling, problem[~going], promise[~going])
            if not going.any():
                break
            rival, share = rival[going], shares[going, rival[going]]
            problem, boxes = self._cut(problem[going], boxes[:, going], rival, share)
        return np.maximum(best, ceiling), first

    def _some(self, at: Ints) -> _Problems:
        each = (self.rivals[at], self.own[at], self.unit[at], self.rest[at])
        return _Problems(self.weights, *each, self.s)

    def _whole(self) -> tuple[Ints, Floats]:
        """All of the space, a box per problem."""
        problem, shape = np.arange(len(self.own)), self.rivals.shape
        ends = np.zeros(self.rivals.size), np.full(self.rivals.size, self.s)
        lines = self._lines(np.repeat(problem, shape[1]), self.rivals.ravel(), *ends)
        return problem, np.array([*ends, *lines]).reshape(6, *shape)

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

    def _relaxed(self, problem: Ints, boxes: Floats) -> tuple[Floats, Floats, Floats, Ints]:
        """Share the prior out along the lines."""
        low, high, at_low, at_high, line, slope = boxes
        n, R = low.shape
        order = np.argsort(-slope, axis=1, kind="stable")
        width = np.take_along_axis(high - low, order, axis=1)
        steps = np.take_along_axis(slope, order, axis=1)
        ends = np.minimum(low.sum(axis=1)[:, None] + np.cumsum(width, axis=1), self.s)
        begins = np.column_stack([low.sum(axis=1), ends[:, :-1]])
        level = np.cumsum(steps * (ends - begins), axis=1)
        base = self.rest[problem] + line.sum(axis=1)
        level = np.column_stack([np.zeros(n), level[:, :-1]]) + base[:, None]
        # Concave: the peak lies on the last stretch that begins with a rise.
        own = self.weights[np.repeat(self.own[problem], R)]
        fall = own.fall((self.s - begins).ravel())[0].reshape(n, R)
        rises = (steps > fall * level) & (ends > begins)
        last = np.where(rises.any(axis=1), R - 1 - rises[:, ::-1].argmax(axis=1), 0)
        rows = np.arange(n)
        at = rows, last
        found = level[at], steps[at], begins[at], ends[at]
        y, promise = chord_peak(self.weights[self.own[problem]], *found, self.s)
        inside = order[at]
        full = np.argsort(order, axis=1) < last[:, None]
        shares, weight = np.where(full, high, low), np.where(full, at_high, at_low)
        shares[rows, inside] += y - begins[at]
        rival = self.weights[self.rivals[problem, inside]]
        weight[rows, inside] = np.exp(rival.log_g(shares[rows, inside]) - self.unit[problem])
        off = line + slope * (shares - low) - weight
        return shares, promise, self.rest[problem] + weight.sum(axis=1), off.argmax(axis=1)

    def _cut(self, problem: Ints, boxes: Floats, rival: Ints, share: Floats) -> tuple[Ints, Floats]:
        """Cut each box in two where a rival has its share, or near it."""
        rows = np.arange(len(rival))
        low, high = boxes[:2, rows, rival]
        middle = np.clip(share, low + (high - low) / 4, high - (high - low) / 4)
        halves = []
        for a, b in ((low, middle), (middle, high)):
            half = boxes.copy()
            half[:, rows, rival] = a, b, *self._lines(problem, self.rivals[problem, rival], a, b)
            halves.append(half)
        both = np.concatenate(halves, axis=1)
        kept = both[0].sum(axis=1) <= self.s
        return np.tile(problem, 2)[kept], both[:, kept]
