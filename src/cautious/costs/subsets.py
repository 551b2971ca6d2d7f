"""Every non-empty set of classes, and a sample of them when there are too many."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cautious._typing import Mask, RandomState
from cautious.bootstrap import as_generator
from cautious.costs.matrices import check_count

__all__ = ["all_sets", "sample_sets"]

MOST_CLASSES = 20
"""The most classes for which all sets are ever listed: 2^20 rows are the last that fit a desk."""


def all_sets(n_classes: int) -> Mask:
    """List all non-empty sets of classes: smaller sets first, then by their first classes.

    Parameters
    ----------
    n_classes : int
        The number of classes K, at most 20.

    Returns
    -------
    ndarray of shape (2^K - 1, K), bool

    Examples
    --------
    >>> all_sets(3).astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1],
           [1, 1, 0],
           [1, 0, 1],
           [0, 1, 1],
           [1, 1, 1]])
    """
    if not 1 <= check_count(n_classes, "n_classes", least=0) <= MOST_CLASSES:
        raise ValueError(
            f"n_classes is {n_classes}; all sets are listed for 1 to {MOST_CLASSES} classes only, "
            f"because K classes have 2^K - 1 sets. Cost the sets you need with SetCosts.of(mask)."
        )
    codes = np.arange(1, 1 << n_classes)
    # The first class is the highest bit, so that descending codes put first classes first.
    bits = np.arange(n_classes - 1, -1, -1)
    mask = (codes[:, None] >> bits) & 1 == 1
    order = np.lexsort((-codes, mask.sum(axis=1)))
    return np.ascontiguousarray(mask[order])


def sample_sets(n_classes: int, n_sets: int, random_state: RandomState = 0) -> Mask:
    """Draw distinct sets: the extreme ones always, the others with sizes spread evenly.

    Single classes, the full set and, while they fit into half of the sample, pairs and the sets
    that leave one class out are always in: most violations of a property already show there.

    Parameters
    ----------
    n_classes : int
        The number of classes K.
    n_sets : int
        How many sets to draw; the sample holds somewhat fewer when sets are drawn twice, and
        never fewer than the K single classes and the full set.
    random_state : int, RandomState, Generator or None
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n, K), bool
        Smaller sets first.

    Examples
    --------
    >>> sample_sets(30, 500).shape[1]
    30
    """
    rng = as_generator(random_state)
    singles = np.eye(n_classes, dtype=bool)
    always = [singles, np.ones((1, n_classes), dtype=bool)]
    room = n_sets // 2 - n_classes - 1
    if room >= n_classes:
        always.append(~singles)
    if room - n_classes >= n_classes * (n_classes - 1) // 2:
        first, second = np.triu_indices(n_classes, k=1)
        always.append(singles[first] | singles[second])
    drawn = max(0, n_sets - sum(map(len, always)))
    sizes = rng.integers(1, n_classes + 1, size=drawn)
    ranks = rng.random((drawn, n_classes)).argsort(axis=1).argsort(axis=1)
    mask = np.concatenate([*always, ranks < sizes[:, None]])
    mask = mask[mask.any(axis=1)]
    twice = pd.Index([row.tobytes() for row in np.packbits(mask, axis=1)]).duplicated()
    mask = mask[~twice]
    smaller_first = np.argsort(mask.sum(axis=1), kind="stable")
    return np.asarray(mask[smaller_first])
