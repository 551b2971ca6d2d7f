r"""Volume under the abstention cost surface (VACC), exact and without a grid."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats
from cautious.curves.hull import hull_bins
from cautious.curves.staircase import ClassScales

__all__ = ["bin_volumes", "vacc_of_counts"]


def bin_volumes(positives: Floats, negatives: Floats) -> Floats:
    r"""Volume that each bin of the hull adds to the VACC.

    On the hull the optimal window answers each bin as a Bayes decision would on the bin's own share
    of positives :math:`q` (negatives :math:`b = 1 - q`), so a bin of weight :math:`w` costs
    :math:`w\min(q, \mu b, \nu)` and adds :math:`w V(q)` to the volume, where

    .. math::

        V(q) = \int_0^1\!\!\int_0^1 \min(q, \mu b, \nu)\,d\nu\,d\mu = \begin{cases}
            q - \frac{q^2}{2} - \frac{q^2}{b}\left(\frac12 - \frac q3\right) & q \le b,\\
            \frac b2 - \frac{b^2}{6} & q \ge b.
        \end{cases}

    The inner integral is :math:`c - c^2/2` with :math:`c = \min(q, \mu b)`; the outer one splits
    at :math:`\mu = q/b`. Nothing cancels: every term stays of the order of the result.

    Parameters
    ----------
    positives, negatives : ndarray of shape (h,)
        Shares of all cases that are in each bin and in each class.

    Returns
    -------
    ndarray of shape (h,)

    Examples
    --------
    >>> import numpy as np
    >>> bin_volumes(np.array([0.5]), np.array([0.5])) * 24
    array([5.])
    """
    weight = positives + negatives
    q, b = positives / weight, negatives / weight
    mostly_negative = q - q * q / 2 - q * q / np.maximum(b, 0.5) * (0.5 - q / 3)
    return np.asarray(weight * np.where(q <= b, mostly_negative, b / 2 - b * b / 6))


def vacc_of_counts(positives: Floats, negatives: Floats, scales: ClassScales) -> float:
    """VACC of counts at increasing scores; scores without counts are passed over."""
    _, pos, neg = hull_bins(positives, negatives)
    return float(bin_volumes(pos * scales.positive, neg * scales.negative).sum())
