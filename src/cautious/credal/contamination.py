r"""ε-contamination: doubt a precise model by a fixed share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import as_floats
from cautious.credal.intervals import ProbabilityIntervals
from cautious.sets import check_probabilities, first_row

__all__ = ["contaminate"]


def contaminate(p: npt.ArrayLike, epsilon: npt.ArrayLike) -> ProbabilityIntervals:
    r"""Credal set of all mixtures of ``p`` with a share ε of anything else.

    .. math:: \{(1 - ε) p + ε q : q \text{ a distribution}\}
              = [(1 - ε) p,\ (1 - ε) p + ε].

    Parameters
    ----------
    p : array-like of shape (n, K)
        Precise class probabilities.
    epsilon : float or array-like of shape (n,)
        Share of doubt between 0 (trust ``p``) and 1 (know nothing), for all rows or for each.

    Returns
    -------
    ProbabilityIntervals
        Reachable intervals.

    References
    ----------
    Walley (1991), *Statistical reasoning with imprecise probabilities*, section 2.9.2.

    Examples
    --------
    >>> doubted = contaminate([[0.7, 0.2, 0.1]], 0.1)
    >>> doubted.lower, doubted.upper
    (array([[0.63, 0.18, 0.09]]), array([[0.73, 0.28, 0.19]]))
    """
    probabilities = check_probabilities(p)
    share = as_floats(epsilon, "epsilon", "shares")
    if share.shape not in ((), (len(probabilities),)):
        raise ValueError(
            f"epsilon has shape {share.shape}; give one number, or one a row: "
            f"({len(probabilities)},)."
        )
    outside = np.atleast_1d(~((share >= 0) & (share <= 1)))
    if outside.any():
        row = first_row(outside)
        raise ValueError(
            f"epsilon is {np.atleast_1d(share)[row]}"
            + (f" in row {row}" if share.ndim else "")
            + "; a share of doubt lies between 0 and 1."
        )
    share = share.reshape(-1, 1)
    kept = (1 - share) * probabilities
    return ProbabilityIntervals(kept, kept + share)
