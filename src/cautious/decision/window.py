"""Abstention windows on the score of two classes: what they answer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Mask
from cautious.sets import check_scores

__all__ = ["check_window", "window_rule"]


def window_rule(y_score: npt.ArrayLike, lower: float, upper: float) -> Mask:
    r"""Answer by the score of two classes, and abstain inside a window.

    The positive class if :math:`m \ge u`, else the negative class if :math:`m \le l`, else both
    (Friedel et al. 2006, eq. 1). A threshold at ``-inf`` or ``inf`` lies beyond every score, an
    infinite score included.

    Parameters
    ----------
    y_score : array-like of shape (n,)
        Scores.
    lower, upper : float
        Thresholds, ``lower <= upper``.

    Returns
    -------
    ndarray of shape (n, 2), bool
        Columns negative, positive; a full row abstains.

    Examples
    --------
    >>> window_rule([0.1, 0.5, 0.9], 0.3, 0.7)
    array([[ True, False],
           [ True,  True],
           [False,  True]])
    """
    score = check_scores(y_score, name="y_score")
    check_window(lower, upper)
    positive = (score >= upper) & (upper < np.inf)
    negative = ~positive & (score <= lower) & (lower > -np.inf)
    return np.column_stack([~positive, ~negative])


def check_window(lower: float, upper: float) -> None:
    """Check that a window's thresholds are numbers in order."""
    if not lower <= upper:
        raise ValueError(
            f"the window ({lower}, {upper}) is no window; the lower threshold may not exceed the "
            "upper one, and neither may be NaN."
        )
