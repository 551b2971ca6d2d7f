"""Mean, least and greatest cost over the classes of a set, for many sets at once."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Mask

__all__ = ["greatest_over_members", "least_over_members", "mean_over_members"]


def mean_over_members(mask: Mask, matrix: Floats) -> Floats:
    r"""Discounted costs :math:`\bar c_{\hat Y}(y)`, the mean of :math:`c_{\hat y}(y)` over the set.

    Yang, Destercke & Masson (2017), eq. 10.

    Examples
    --------
    >>> mean_over_members(np.array([[True, True]]), np.array([[0.0, 2.0], [4.0, 0.0]]))
    array([[2., 1.]])
    """
    mean: Floats = mask.astype(np.float64) @ matrix / mask.sum(axis=1, keepdims=True)
    return mean


def least_over_members(mask: Mask, matrix: Floats) -> Floats:
    r"""Return :math:`\min_{\hat y \in \hat Y} c_{\hat y}(y)` for every set and truth.

    Examples
    --------
    >>> least_over_members(np.array([[True, True]]), np.array([[0.0, 2.0], [4.0, 0.0]]))
    array([[0., 0.]])
    """
    least = np.full((len(mask), matrix.shape[1]), np.inf)
    # One pass a class keeps the memory at one row a set; a (sets, K, K) array would not.
    for inside, costs in zip(mask.T, matrix, strict=True):
        np.minimum(least, costs, out=least, where=inside[:, None])
    return least


def greatest_over_members(mask: Mask, matrix: Floats) -> Floats:
    r"""Return :math:`\max_{\hat y \in \hat Y} c_{\hat y}(y)` for every set and truth.

    Examples
    --------
    >>> greatest_over_members(np.array([[True, True]]), np.array([[0.0, 2.0], [4.0, 0.0]]))
    array([[4., 2.]])
    """
    return -least_over_members(mask, -matrix)
