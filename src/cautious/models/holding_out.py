"""Holding out a part of the examples, class by class."""

from __future__ import annotations

import numpy as np

from cautious._typing import Ints, RandomState
from cautious.bootstrap import as_generator

__all__ = ["hold_out"]


def hold_out(y: Ints, share: float, random_state: RandomState = None) -> tuple[Ints, Ints]:
    """Split examples so that each class is held out in the same share, but never all of it.

    Unlike scikit-learn's stratified splits it also takes classes with a single example; they stay
    in the first part.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Class codes.
    share : float
        Share to hold out, strictly between 0 and 1.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    kept, held : ndarray of int
        Positions of the examples, in order.

    Examples
    --------
    >>> import numpy as np
    >>> kept, held = hold_out(np.array([0, 0, 0, 0, 1, 1, 2]), 0.5, random_state=0)
    >>> held.tolist()
    [1, 3, 5]
    """
    if not 0 < share < 1:
        raise ValueError(f"the share to hold out is {share}; it lies strictly between 0 and 1.")
    order = as_generator(random_state).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    # Every so many examples along the classes, one is taken: each class gets its share within one.
    step = np.floor(np.arange(1, len(y) + 1) * share) > np.floor(np.arange(len(y)) * share)
    first = np.append(True, np.diff(y[order]) > 0)
    step[first] = False
    return np.sort(order[~step]), np.sort(order[step])
