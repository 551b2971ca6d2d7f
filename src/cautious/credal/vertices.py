"""Vertices of probability intervals, by exact enumeration."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats

MOST_CLASSES = 16
"""Enumeration looks at up to K·2^(K−1) points a row; beyond this many classes it is refused."""

_SAME = 10  # decimals to which two vertices must agree to be the same one


def vertices_of(lower: Floats, upper: Floats) -> Floats:
    """Vertices (v, K) of one row's credal set, in lexicographic order.

    At a vertex all classes but one sit at a bound of theirs and the last takes what is left.
    Classes whose two bounds coincide have nothing to choose, so only the others are enumerated.
    """
    open_classes = np.flatnonzero(upper > lower)
    if len(open_classes) == 0:
        return lower[None, :].copy()
    found = []
    n_patterns = 1 << (len(open_classes) - 1)
    bits = (np.arange(n_patterns)[:, None] >> np.arange(len(open_classes) - 1)) & 1
    at_upper = bits.astype(np.bool_)
    for position, last in enumerate(open_classes):
        others = np.delete(open_classes, position)
        points = np.repeat(lower[None, :], n_patterns, axis=0)
        points[:, others] = np.where(at_upper, upper[others], lower[others])
        points[:, last] = 0
        rest = 1 - points.sum(axis=1)
        slack = 10.0**-_SAME
        fits = (rest >= lower[last] - slack) & (rest <= upper[last] + slack)
        points[fits, last] = np.clip(rest[fits], lower[last], upper[last])
        found.append(points[fits])
    candidates = np.concatenate(found)
    rounded = np.round(candidates, _SAME) + 0.0  # no negative zeros, which sort apart
    _, first = np.unique(rounded, axis=0, return_index=True)
    return candidates[first]
