r"""Upper entropy: the most uncertain distribution a credal set allows."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from cautious._typing import Floats
from cautious.credal.intervals import IntervalsLike, as_intervals

__all__ = ["maximum_entropy", "upper_entropy"]


def maximum_entropy(intervals: IntervalsLike) -> Floats:
    r"""Distribution of largest entropy in each credal set.

    It is the flattest one: :math:`p_k = \min(\max(\lambda, l_k), u_k)` with the water level
    :math:`\lambda` at which the probabilities add up to one. The sum is piecewise linear in
    :math:`\lambda` with corners at the bounds, so one sort of the bounds finds the level exactly.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets.

    Returns
    -------
    ndarray of shape (n, K)

    References
    ----------
    Abellán & Moral (2003), *Maximum of entropy for credal sets*.

    Examples
    --------
    >>> maximum_entropy(([[0.5, 0.0, 0.1]], [[0.9, 0.1, 0.9]]))
    array([[0.5, 0.1, 0.4]])
    """
    sets = as_intervals(intervals)
    lower, upper = sets.lower, sets.upper
    n, n_classes = lower.shape
    corners = np.concatenate([lower, upper], axis=1)
    order = np.argsort(corners, axis=1, kind="stable")
    corners = np.take_along_axis(corners, order, axis=1)
    # Past its lower bound a class rises with the level, past its upper bound it stays.
    rising = np.cumsum(np.where(order < n_classes, 1.0, -1.0), axis=1)
    filled = np.cumsum(rising[:, :-1] * np.diff(corners, axis=1), axis=1)
    room = 1 - lower.sum(axis=1)
    # The first corner by which all of the room is used up; the level lies on the stretch before it.
    stretch = np.minimum((filled < room[:, None]).sum(axis=1), 2 * n_classes - 2)
    rows = np.arange(n)
    short = filled[rows, stretch] - room
    level = corners[rows, stretch + 1] - np.divide(
        short, rising[rows, stretch], out=np.zeros(n), where=rising[rows, stretch] > 0
    )
    flattest: Floats = np.clip(level[:, None], lower, upper)
    return flattest


def upper_entropy(intervals: IntervalsLike, *, base: float = 2.0) -> Floats:
    r"""Largest Shannon entropy over each credal set, :math:`\max_{p} -\sum_k p_k \log p_k`.

    Credal decision trees split on it: under the imprecise Dirichlet model, pass the intervals of a
    node's class counts.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets.
    base : float, default=2
        Base of the logarithm; 2 measures in bits.

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Abellán & Moral (2005), *Upper entropy of credal sets. Applications to credal classification*.

    Examples
    --------
    >>> from cautious.credal import imprecise_dirichlet
    >>> upper_entropy(imprecise_dirichlet([[3, 0], [1, 1]], s=1.0)).round(4)
    array([0.8113, 1.    ])
    """
    if not base > 1:
        raise ValueError(f"base is {base}; a logarithm's base must exceed 1.")
    entropy: Floats = entr(maximum_entropy(intervals)).sum(axis=1) / np.log(base)
    return entropy
