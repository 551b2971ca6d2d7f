r"""The smallest ratio of two classes when all features share one inclusion probability.

With :math:`q_i = A_i / (A_i + B_i)` the share of a feature's evidence that is for including it, its
factor is proportional to :math:`\ell_i(t) = t q_i + (1 - t)(1 - q_i)`, and the ratio of two classes
is

.. math:: r(t) = \sum_i \log \ell'_i(t) - \log \ell''_i(t).

This is neither convex nor concave. It is minimised over an interval exactly, by branch and bound
with a second-order lower bound on each piece: few pieces survive around the minimum.
"""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats

__all__ = ["minimise_shared"]

_PRECISION = 1e-11
_MAX_HALVINGS = 60


def minimise_shared(
    first: Floats, second: Floats, low: float, high: float, target: Floats | None = None
) -> Floats:
    r"""Minimise r(t) over ``low <= t <= high`` for each pair of classes.

    Parameters
    ----------
    first, second : ndarray of shape (p, m)
        :math:`q'_i` and :math:`q''_i`; equal entries cancel out.
    low, high : float
        The interval, strictly between 0 and 1.
    target : ndarray of shape (p,), optional
        Where given, it is enough to know on which side of it the minimum lies: the search for a
        pair ends once that is sure.

    Returns
    -------
    ndarray of shape (p,)
        The minima (with ``target``, numbers on the same side of it as the minima).

    Examples
    --------
    >>> import numpy as np
    >>> minimise_shared(np.array([[0.9, 0.2]]), np.array([[0.5, 0.5]]), 0.1, 0.9).round(3)
    array([-0.63])
    """
    ends = [_ratio(first, second, np.full(len(first), t))[0] for t in (low, high)]
    best = np.minimum(*ends)
    at = np.arange(len(first))
    center = np.full(len(first), (low + high) / 2)
    radius = (high - low) / 2
    for _ in range(_MAX_HALVINGS):
        if target is not None:
            open_ = best[at] > target[at]
            at, center = at[open_], center[open_]
        if not len(at):
            break
        value, slope = _ratio(first[at], second[at], center)
        np.minimum.at(best, at, value)
        floor = value - np.abs(slope) * radius - _bend(first[at], second[at], center, radius)
        worth = floor < best[at] - _PRECISION
        if target is not None:
            worth &= floor <= target[at]
        at, center = at[worth], center[worth]
        radius /= 2
        at, center = np.tile(at, 2), np.concatenate([center - radius, center + radius])
    return best


def _ratio(first: Floats, second: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Evaluate r and its derivative."""
    up, down = 2 * first - 1, 2 * second - 1
    above, below = 1 - first + t[:, None] * up, 1 - second + t[:, None] * down
    return np.log(above / below).sum(axis=1), (up / above - down / below).sum(axis=1)


def _bend(first: Floats, second: Floats, t: Floats, radius: float) -> Floats:
    """Bound how far r can fall below its tangent within ``radius`` of t."""
    up, down = np.abs(2 * first - 1), np.abs(2 * second - 1)
    above = 1 - first + t[:, None] * (2 * first - 1)
    below = 1 - second + t[:, None] * (2 * second - 1)
    curvature = (up / (above - radius * up)) ** 2 - (down / (below + radius * down)) ** 2
    bend = np.maximum(curvature.sum(axis=1), 0.0) * radius**2 / 2
    return np.asarray(bend)
