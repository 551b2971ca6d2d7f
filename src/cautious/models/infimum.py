r"""The smallest ratio of two classes over all priors of the global imprecise Dirichlet model.

For classes :math:`c', c''` and a row with observed features :math:`i`, the ratio of their
probabilities is smallest, over the priors, at the infimum over :math:`x \in [0, s]` of

.. math::

    h(x) = \frac{n(c') + s - x}{n(c'') + x} \prod_i
           \frac{\tilde n_i(c'') + x}{\tilde n_i(c') + s - x} \cdot
           \frac{n(a_i, c')}{n(a_i, c'') + x},

with :math:`\tilde n_i(c)` the class count over rows where feature i was observed (Zaffalon 2001;
Corani & Zaffalon 2008; with complete data this is the formula of Zaffalon, Corani & Mauá 2012).
With at least one observed feature :math:`\log h` is convex, since
:math:`n(a_i, c'') \le \tilde n_i(c'')` and :math:`\tilde n_i(c') \le n(c')`; with none it falls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cautious._typing import Floats, Ints, Mask

__all__ = ["Pairs", "log_infimum"]

# The infimum is solved until convexity proves its logarithm to this precision.
_PRECISION = 1e-12
_MAX_ITERATIONS = 200


@dataclass(frozen=True)
class Pairs:
    r"""Pairs of classes to compare on given rows; one entry a pair, one column a feature.

    Attributes
    ----------
    first, second : ndarray of shape (p,)
        Class counts :math:`n(c')` and :math:`n(c'')`.
    first_totals, second_totals : ndarray of shape (p, m)
        :math:`\tilde n_i(c')` and :math:`\tilde n_i(c'')`.
    first_counts, second_counts : ndarray of shape (p, m)
        :math:`n(a_i, c')` and :math:`n(a_i, c'')`.
    observed : ndarray of shape (p, m)
        Which features take part.
    """

    first: Floats
    second: Floats
    first_totals: Floats
    second_totals: Floats
    first_counts: Floats
    second_counts: Floats
    observed: Mask

    def __getitem__(self, keep: Ints | Mask) -> Pairs:
        return Pairs(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


def log_infimum(
    pairs: Pairs, s: float, low: Floats | None = None, high: Floats | None = None
) -> Floats:
    r"""Solve :math:`\log \inf_x h(x)` for each pair, by Newton's method kept inside a bracket.

    Parameters
    ----------
    pairs : Pairs
        What to compare.
    s : float
        Strength of the imprecise prior.
    low, high : ndarray of shape (p,), optional
        Ends of the interval of x; by default 0 and s.

    Returns
    -------
    ndarray of shape (p,)
        Logarithms of the infima; ``-inf`` where a count of the first class is zero.

    Examples
    --------
    >>> import numpy as np
    >>> ones = np.ones((1, 2))
    >>> pair = Pairs(np.array([8.0]), np.array([4.0]), 8 * ones, 4 * ones, 6 * ones, 2 * ones,
    ...              ones > 0)
    >>> round(float(np.exp(log_infimum(pair, s=1.0))[0]), 6)  # at x = 1: 5/8 (6/3)**2
    2.5
    """
    p = len(pairs.first)
    low = np.zeros(p) if low is None else low
    high = np.full(p, float(s)) if high is None else high
    result = np.full(p, -np.inf)
    with np.errstate(divide="ignore"):
        log_first = np.log(np.where(pairs.observed, pairs.first_counts, 1.0)).sum(axis=1)
    open_ = np.flatnonzero(np.isfinite(log_first))
    pairs, low, high = pairs[open_], low[open_], high[open_]
    with np.errstate(divide="ignore", invalid="ignore"):
        result[open_] = log_first[open_] + _minimum(pairs, s, low, high)
    return result


def _minimum(pairs: Pairs, s: float, low: Floats, high: Floats) -> Floats:
    """Minimise the part of log h that moves with x."""
    slope_low, slope_high = _slopes(pairs, s, low)[0], _slopes(pairs, s, high)[0]
    x = np.where(slope_high <= 0, high, low)
    inside = np.flatnonzero((slope_low < 0) & (slope_high > 0))
    pairs_in, low, high = pairs[inside], low[inside], high[inside]
    # The slope is close to straight when counts are large, so its chord's root is a good start.
    share = slope_low[inside] / (slope_low[inside] - slope_high[inside])
    guess = np.where(np.isfinite(share), low + share * (high - low), (low + high) / 2)
    for _ in range(_MAX_ITERATIONS):
        if not len(inside):
            break
        slope, curvature = _slopes(pairs_in, s, guess)
        x[inside] = guess
        low, high = np.where(slope < 0, guess, low), np.where(slope < 0, high, guess)
        # By convexity the minimum lies at most |slope| times the bracket below.
        going = np.flatnonzero(
            (np.abs(slope) * (high - low) > _PRECISION) & (high - low > 1e-16 * (s + high))
        )
        step = guess - slope / curvature
        newton = (step > low) & (step < high)
        guess = np.where(newton, step, (low + high) / 2)[going]
        inside, pairs_in, low, high = inside[going], pairs_in[going], low[going], high[going]
    return _value(pairs, s, x)


def _value(pairs: Pairs, s: float, x: Floats) -> Floats:
    """Evaluate log h, but for the counts of the first class, which do not move with x."""
    first_totals, second_totals, second_counts, observed = _terms(pairs)
    column = x[:, None]
    moving = np.log((second_totals + column) / (second_counts + column))
    moving -= observed * np.log(first_totals + s - column)
    classes = np.log(pairs.first + s - x) - np.log(pairs.second + x)
    return np.asarray(classes + moving.sum(axis=1))


def _slopes(pairs: Pairs, s: float, x: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of log h."""
    first_totals, second_totals, second_counts, observed = _terms(pairs)
    column = x[:, None]
    up = observed / (first_totals + s - column)
    total, count = 1 / (second_totals + column), 1 / (second_counts + column)
    first, second = 1 / (pairs.first + s - x), 1 / (pairs.second + x)
    slope = (up + total - count).sum(axis=1) - first - second
    curvature = (up**2 - total**2 + count**2).sum(axis=1) - first**2 + second**2
    return slope, curvature


def _terms(pairs: Pairs) -> tuple[Floats, Floats, Floats, Floats]:
    """Give counts in which features unobserved, or never seen with c'', cancel out."""
    idle = ~pairs.observed | (pairs.second_totals == 0)
    return (
        np.where(pairs.observed, pairs.first_totals, 1.0),
        np.where(idle, 1.0, pairs.second_totals),
        np.where(idle, 1.0, pairs.second_counts),
        pairs.observed.astype(np.float64),
    )
