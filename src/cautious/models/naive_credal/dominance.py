r"""Credal dominance: which classes are beaten by another whatever the prior.

Class c' dominates c'' when the infimum of the ratio of their probabilities exceeds 1. For a row
with observed features :math:`i` that infimum, over all priors of the global imprecise Dirichlet
model, is the one over :math:`x \in [0, s]` of

.. math::

    h(x) = \frac{n(c') + s - x}{n(c'') + x} \prod_i
           \frac{\tilde n_i(c'') + x}{\tilde n_i(c') + s - x} \cdot
           \frac{n(a_i, c')}{n(a_i, c'') + x},

with :math:`\tilde n_i(c)` the class count over rows where feature i was observed (Zaffalon 2001;
Corani & Zaffalon 2008; with complete data this is the formula of Zaffalon, Corani & Mauá 2012).
With at least one observed feature :math:`\log h` is convex, since
:math:`n(a_i, c'') \le \tilde n_i(c'')` and :math:`\tilde n_i(c') \le n(c')`; with none it falls.
Write :math:`h(x) = f_{c'}(s - x) / g_{c''}(x)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.credal import ProbabilityIntervals
from cautious.models._base import row_chunks
from cautious.models.naive_credal.envelope import Weights

# A ratio this close to 1 (in logarithm) is a tie: rounding must not make a class dominate another.
TIE = 1e-10
# Numbers held at once while every ordered pair of classes is compared.
_CELLS_AT_ONCE = 500_000
# The infimum is solved until convexity proves its logarithm to this precision.
_PRECISION = 1e-12
_MAX_ITERATIONS = 200

Infimum: TypeAlias = Callable[[Ints, Ints, Ints], Floats]
"""Gives log inf h for given rows, classes c' and classes c''."""


def undominated(log_f_s: Floats, log_f_0: Floats, log_g_s: Floats, infimum: Infimum) -> Mask:
    """Find the classes that no class dominates."""
    n, K = log_f_s.shape
    best = np.argmax(log_f_s, axis=1)
    # A best class with a zero count has f = 0: nothing dominates anything in that row.
    able, kept = np.isfinite(log_f_s), np.ones((n, K), dtype=np.bool_)
    alive = able[np.arange(n), best]

    def compete(at: Ints, first: Ints, *, alone: bool) -> None:
        """Let rivals meet the kept classes of their rows; without other rivals, all at once."""
        here: Any = slice(None) if alone and len(at) == n else at
        f_s, f_0, g_s = log_f_s[at, first, None], log_f_0[at, first, None], log_g_s[here]
        others = kept[at]
        others[np.arange(len(at)), first] = False
        sure = others & (f_s - g_s > TIE)
        if alone:  # the many sure pairs need not be listed
            kept[here] &= ~sure
        else:
            pair, second = np.nonzero(sure)
            kept[at[pair], second] = False
        others &= kept[here] & (np.minimum(f_s - log_f_0[here], f_0 - g_s) > TIE)
        pair, second = np.nonzero(others)
        beaten = infimum(at[pair], first[pair], second) > TIE
        kept[at[pair[beaten]], second[beaten]] = False

    rows = np.flatnonzero(alive)
    compete(rows, best[rows], alone=True)
    crowded = np.flatnonzero(alive & (kept.sum(axis=1) > 2))
    able &= kept
    for part in row_chunks(len(crowded), max(1, _CELLS_AT_ONCE // K**2)):
        rows, rivals = np.nonzero(able[crowded[part]])
        compete(crowded[part][rows], rivals, alone=False)
    return kept


def pairwise_infima(possible: Mask, infimum: Infimum) -> Floats:
    """Solve every ordered pair of classes of every row."""
    n, K = possible.shape
    others = ~np.eye(K, dtype=bool)
    infima = np.broadcast_to(np.where(others, -np.inf, 0.0), (n, K, K)).copy()
    pairs = np.nonzero(possible[:, :, None] & others)
    infima[pairs] = infimum(*pairs)
    return infima


def dominated_by_infima(infima: Floats) -> Mask:
    """Mark the classes that some other class dominates, given all pairwise infima."""
    return np.asarray((infima > TIE).any(axis=1))


def reachable(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Tighten bounds of class probabilities to those that are met."""
    intervals = ProbabilityIntervals(lower, upper).reachable()
    return np.array(intervals.lower), np.array(intervals.upper)


def bounds_from_infima(infima: Floats) -> tuple[Floats, Floats]:
    """Bound class probabilities by the smallest ratios between pairs of classes."""
    with np.errstate(over="ignore"):  # what overflows is infinite, and its reciprocal an honest 0
        return reachable(1 / np.exp(-infima).sum(axis=2), 1 / np.exp(infima).sum(axis=1))


def log_infimum(
    own: Weights, rival: Weights, s: float, low: Floats | None = None, high: Floats | None = None
) -> Floats:
    r"""Solve :math:`\log \inf_x h(x)` for each pair, by Newton's method kept inside a bracket."""
    p = len(own.size)
    low = np.zeros(p) if low is None else low
    high = np.full(p, float(s)) if high is None else high
    result = np.full(p, -np.inf)
    open_ = np.flatnonzero(np.isfinite(own.log_least))
    with np.errstate(divide="ignore", invalid="ignore"):
        result[open_] = _minimum(own[open_], rival[open_], s, low[open_], high[open_])
    return result


def _minimum(own: Weights, rival: Weights, s: float, low: Floats, high: Floats) -> Floats:
    """Minimise log h, which is convex."""
    slope_low, slope_high = _slopes(own, rival, s, low)[0], _slopes(own, rival, s, high)[0]
    x = np.where(slope_high <= 0, high, low)
    inside = np.flatnonzero((slope_low < 0) & (slope_high > 0))
    low, high = low[inside], high[inside]
    # The slope is close to straight when counts are large, so its chord's root is a good start.
    share = slope_low[inside] / (slope_low[inside] - slope_high[inside])
    guess = np.where(np.isfinite(share), low + share * (high - low), (low + high) / 2)
    for _ in range(_MAX_ITERATIONS):
        if not len(inside):
            break
        slope, curvature = _slopes(own[inside], rival[inside], s, guess)
        x[inside] = guess
        low, high = np.where(slope < 0, guess, low), np.where(slope < 0, high, guess)
        # By convexity the minimum lies at most |slope| times the bracket below.
        going = np.flatnonzero(
            (np.abs(slope) * (high - low) > _PRECISION) & (high - low > 1e-16 * (s + high))
        )
        step = guess - slope / curvature
        newton = (step > low) & (step < high)
        guess = np.where(newton, step, (low + high) / 2)[going]
        inside, low, high = inside[going], low[going], high[going]
    return own.log_f(s - x) - rival.log_g(x)


def _slopes(own: Weights, rival: Weights, s: float, x: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of log h."""
    (fall, change), (rise, bend) = own.fall(s - x), rival.rise(x)
    return fall - rise, -change - bend
