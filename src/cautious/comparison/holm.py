"""Correction of p-values for the number of tests made."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, as_floats

__all__ = ["holm"]


def holm(p_values: npt.ArrayLike) -> Floats:
    r"""Adjust p-values for their number, step by step from the smallest.

    With the p-values sorted, :math:`p_{(1)} \le \dots \le p_{(m)}`, the adjusted ones are

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\{(m - j + 1)\, p_{(j)},\ 1\}.

    Rejecting what is at most :math:`\alpha` after the adjustment keeps the chance of any false
    rejection at :math:`\alpha`, whatever the tests have to do with each other.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        One a test, between 0 and 1. Nan stands for a test that could not be made: it stays nan and
        does not count among the m.

    Returns
    -------
    ndarray of shape (m,)
        In the order given.

    References
    ----------
    Holm (1979), *A simple sequentially rejective multiple test procedure*; Demšar (2006), § 3.2.2.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = as_floats(p_values, "p_values", "probabilities")
    if p.ndim != 1:
        raise ValueError(f"p_values has shape {p.shape}; give a flat sequence, one a test.")
    if ((p < 0) | (p > 1)).any():
        at = int(np.argmax((p < 0) | (p > 1)))
        raise ValueError(f"p_values[{at}] is {p[at]}; probabilities lie between 0 and 1.")
    adjusted = np.full(len(p), np.nan)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
