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
:math:`y`; :mod:`~cautious.models.naive_credal.allocation` finds how.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks
from cautious.models.naive_credal.allocation import Weights, chord_peak, greatest_shared_odds

__all__ = ["max_of_others", "posterior_bounds"]

# Cells (row, class, feature) held at once.
_CELLS_AT_ONCE = 1_000_000
# Logarithms of odds are exact to this; beyond it nothing is searched any further.
_PRECISION = 1e-12
_MAX_ITERATIONS = 100


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
        weights = Weights.of(class_counts[at], totals[at], least[at], most[at], observed[at])
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
    rivals = _sum_of_others(f)
    with np.errstate(divide="ignore"):
        odds = np.log(rivals) + unit - log_g
    keeps = weights.rise(everything)[0].reshape(-1, K)
    row, own = np.nonzero((max_of_others(gain) > keeps * rivals) & (rivals > 0) & (s > 0))
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
    gain, rivals = after - before, _sum_of_others(before)
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
        rest = base[at] - before[r, k]
        rival = _Rival(weights[r * K + k], rest, unit[r, 0])
        ends = before[r, k], after[r, k]
        # Weights that vanish beside the row's largest are zero, and promise nothing.
        with np.errstate(divide="ignore", invalid="ignore"):
            odds[r, c], top = _climbed(weights[r * K + c], rival, *ends, odds[r, c], s)
        beaten = np.zeros(odds.shape, dtype=np.bool_)
        beaten[row_k, own_k] = True
        beaten[r, c] = ~(top > odds[r, c] + _PRECISION)
        going = ~beaten[row, own]
        row, own = row[going], own[going]
        if not len(row):
            break
    return np.asarray(odds + unit)


@dataclass(frozen=True)
class _Rival:
    """The rival that gets what the class does not get, and the weight of all others at no share."""

    weights: Weights
    rest: Floats
    unit: Floats


def _climbed(
    own: Weights, rival: _Rival, before: Floats, after: Floats, best: Floats, s: float
) -> tuple[Floats, Floats]:
    """Find the best division of s between a class and a rival by chords of the rival's weight."""
    at: Ints = np.arange(len(best))
    left: Floats = np.zeros(len(best))
    right: Floats = np.full(len(best), s)
    ceiling = best.copy()
    for depth in range(_MAX_ITERATIONS):
        rise = (after - before) / (right - left)
        level = rival.rest[at] + before
        y, promise = chord_peak(own[at], level, rise, left, right, s)
        if depth == 0:
            ceiling = promise
        open_ = np.flatnonzero(promise > best[at] + _PRECISION)
        if not len(open_):
            break
        at, y, before, after = at[open_], y[open_], before[open_], after[open_]
        left, right = left[open_], right[open_]
        margin = (right - left) / 10  # never a piece almost as long as before
        y = np.clip(y, left + margin, right - margin)
        middle = np.exp(rival.weights[at].log_g(y) - rival.unit[at])
        np.maximum.at(best, at, np.log(rival.rest[at] + middle) - own[at].log_f(s - y))
        at = np.tile(at, 2)
        left, right = np.concatenate([left, y]), np.concatenate([y, right])
        before, after = np.concatenate([before, middle]), np.concatenate([middle, after])
    return best, ceiling


def _sum_of_others(values: Floats) -> Floats:
    """Sum of each row without the class at hand (subtracting it would cancel)."""
    others = np.zeros_like(values)
    others[:, 1:] = np.cumsum(values[:, :-1], axis=1)
    others[:, :-1] += np.cumsum(values[:, :0:-1], axis=1)[:, ::-1]
    return others


def max_of_others(values: Floats) -> Floats:
    """Largest of each row without the class at hand."""
    runner_up, top = np.partition(values, -2, axis=1)[:, -2:].T
    best = values.argmax(axis=1)[:, None]
    others = np.where(np.arange(values.shape[1]) == best, runner_up[:, None], top[:, None])
    return np.asarray(others)
