"""Probabilities that were rounded when they were written."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats

__all__ = ["decimals_kept", "rounding_explains"]

# What the library allows anyway; six decimals and more need no more than this a class.
_EXACT = 1e-6
# However many classes share the rounding, more than this is rather a class that is missing.
_MOST = 0.05


def decimals_kept(proba: Floats) -> int | None:
    """Find to how many decimals numbers were rounded, from two to six; None if to more.

    One decimal is no rounding that anybody chooses: such rows have to add up.

    Examples
    --------
    >>> decimals_kept(np.array([[0.3333, 0.6667], [0.5, 0.5]]))
    4
    """
    for decimals in range(2, 7):
        # Single precision, too, keeps six decimals to within this.
        if np.abs(proba - np.round(proba, decimals)).max(initial=0.0) < 1e-7:
            return decimals
    return None


def rounding_explains(proba: Floats) -> float:
    r"""Say how far from 1 rounding may have brought the sum of a row.

    Each of :math:`K` numbers rounded to :math:`d` decimals is off by at most
    :math:`\tfrac12 10^{-d}`.

    Examples
    --------
    >>> rounding_explains(np.array([[0.33, 0.33, 0.33]]))
    0.015
    >>> rounding_explains(np.array([[1 / 3, 1 / 3, 1 / 3]]))
    1e-06
    """
    decimals = decimals_kept(proba)
    if decimals is None:
        return _EXACT
    return float(np.clip(proba.shape[1] * 0.5 * 10.0**-decimals, _EXACT, _MOST))
