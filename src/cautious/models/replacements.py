r"""What a missing cell may hide: the values that are worst for one class against another.

A missing test value that may hide anything contributes the smallest of
:math:`n(a, c') / (n(a, c'') + x)` over its values a (Corani & Zaffalon 2008, non-MAR features). The
reciprocals are straight lines in x, so the worst value changes only at the corners of their upper
envelope, and between corners the ratio is convex as for a complete row.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cautious._typing import Floats, Ints
from cautious.models.value_tables import ValueTables

__all__ = ["envelope_corners", "fill_worst"]


def envelope_corners(slope: Floats, intercept: Floats, high: float) -> list[float]:
    """Find where the highest of several lines changes, strictly between 0 and ``high``.

    Examples
    --------
    >>> import numpy as np
    >>> envelope_corners(np.array([0.0, 1.0, 3.0]), np.array([1.0, 0.5, -2.0]), high=2.0)
    [0.5, 1.25]
    """
    corners: list[float] = []
    x = 0.0
    # On a tie the steepest of the highest lines is the one that stays highest.
    at = max(range(len(slope)), key=lambda a: (intercept[a], slope[a]))
    while True:
        rise, drop = slope - slope[at], intercept[at] - intercept
        steeper = np.flatnonzero(rise > 0)
        if not len(steeper):
            return corners
        meet = drop[steeper] / rise[steeper]
        x = max(x, float(meet.min()))
        if x >= high:
            return corners
        nearest = steeper[meet <= x]
        at = int(nearest[np.argmax(slope[nearest])])
        if x > 0:
            corners.append(x)


def fill_worst(
    tables: ValueTables,
    lower: Floats,
    upper: Floats,
    lines: Ints,
    first: Ints,
    second: Ints,
    s: float,
) -> tuple[Ints, Ints, Floats, Floats]:
    r"""Replace missing cells by the worst values, cutting [0, s] where the worst value changes.

    Parameters
    ----------
    tables : ValueTables
        The layout of ``lower`` and ``upper``.
    lower, upper : ndarray of shape (lines, K)
        Least and greatest counts of each value with each class; no value that may be filled in
        has count 0 with the first class.
    lines : ndarray of shape (p, m)
        Lines of the values of each pair's row.
    first, second : ndarray of shape (p,)
        Classes c' and c''.
    s : float
        Strength of the prior.

    Returns
    -------
    pair : ndarray of shape (q,)
        Which pair each piece belongs to.
    filled : ndarray of shape (q, m)
        Lines with the missing cells filled. A feature that never had a value stays missing.
    low, high : ndarray of shape (q,)
        The interval of x of each piece.
    """
    known: dict[tuple[int, int, int], tuple[Ints, Floats, Floats, list[float]]] = {}

    def ratio(feature: int, c1: int, c2: int) -> tuple[Ints, Floats, Floats, list[float]]:
        key = (feature, c1, c2)
        if key not in known:
            start = int(tables.first[feature])
            values = np.arange(start, start + int(tables.n_values[feature]))
            own, other = lower[values, c1], upper[values, c2]
            corners = envelope_corners(1 / own, other / own, s) if len(values) else []
            known[key] = values, 1 / own, other / own, corners
        return known[key]

    pair, filled, low, high = [], [], [], []
    for p, (row, c1, c2) in enumerate(zip(lines, first.tolist(), second.tolist(), strict=True)):
        gaps = np.flatnonzero(tables.missing[row] & (tables.n_values > 0)).tolist()
        ratios = [ratio(i, c1, c2) for i in gaps]
        cuts = np.unique([0.0, s, *(x for *_, corners in ratios for x in corners)])
        for a, b in pairwise(cuts) if s > 0 else [(0.0, 0.0)]:
            replaced = row.copy()
            for i, (values, slope, intercept, _) in zip(gaps, ratios, strict=True):
                replaced[i] = values[np.argmax(intercept + slope * (a + b) / 2)]
            pair.append(p)
            filled.append(replaced)
            low.append(a)
            high.append(b)
    rows = np.array(filled, dtype=np.intp).reshape(-1, lines.shape[1])
    return np.array(pair, dtype=np.intp), rows, np.array(low), np.array(high)
