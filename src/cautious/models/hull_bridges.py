r"""Isotonic regression with one case more, for every place where that case may stand.

Let :math:`P_j = (W_j, S_j)` be the cases and the positive ones among them up to the j-th score.
Isotonic regression gives the slopes of the lower convex hull of these points. A case that joins
moves all points to the right of its place by (1, label), and what it is given is the slope of the
*bridge*: the edge of the new hull from the points on the left to those on the right. All hulls of
the left sides are one tree, in which each point knows the corner before it, and so are those of
the right sides. A bridge starts at its place and moves outward along both trees, over corners that
are none any more. Corners are compared in whole numbers, so that ties are ties.
"""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Ints

__all__ = ["slopes_with_one_more"]


def slopes_with_one_more(count: Ints, positives: Ints, places: Ints) -> tuple[Floats, Floats]:
    """Give a further case its probability by isotonic regression, for many places of it.

    Parameters
    ----------
    count, positives : ndarray of shape (L,)
        Cases at each score in rising order, and the positive ones among them.
    places : ndarray of shape (p,)
        Where the case stands: at the score i if ``2 i + 1``, before all scores if 0, after the
        score i if ``2 i + 2``.

    Returns
    -------
    negative, positive : ndarray of shape (p,)
        What the case gets if it is a negative one, and if it is a positive one.

    Notes
    -----
    The trees take linear time. A bridge passes some ten corners in random data; it may pass more
    only where many scores have many cases each.

    Examples
    --------
    >>> import numpy as np
    >>> count, positives = np.array([2, 1, 1]), np.array([1, 0, 1])
    >>> slopes_with_one_more(count, positives, np.array([0, 3, 6]))[1]  # 2/4, 2/4, 1/1
    array([0.5, 0.5, 1. ])
    """
    width, height = (np.append(0, np.cumsum(each)) for each in (count, positives))
    before = _corner_before(width, height)
    # Looked at from the other end, and upside down, right sides are left sides.
    turned = width[-1] - width[::-1]
    after = len(count) - _corner_before(turned, turned - (height[-1] - height[::-1]))[::-1]
    negative, positive = (_bridged(width, height, before, after, places, label) for label in (0, 1))
    return negative, positive


def _bridged(
    width: Ints, height: Ints, before: Ints, after: Ints, places: Ints, label: int
) -> Floats:
    """Find the slopes of the bridges over a case with a label."""
    left, right, last = places // 2, (places + 1) // 2, len(width) - 1
    moving = np.arange(len(places))
    while len(moving):
        a, b = left[moving], right[moving]
        rise, run = height[b] + label - height[a], width[b] + 1 - width[a]
        back, on = before[a], after[b]
        falls = (a > 0) & ((height[a] - height[back]) * run >= rise * (width[a] - width[back]))
        rises = (b < last) & ((height[on] - height[b]) * run <= rise * (width[on] - width[b]))
        left[moving], right[moving] = np.where(falls, back, a), np.where(rises, on, b)
        moving = moving[falls | rises]
    return np.asarray((height[right] + label - height[left]) / (width[right] + 1 - width[left]))


def _corner_before(width: Ints, height: Ints) -> Ints:
    """Find the corner before each point in the lower hull of the points up to it."""
    x, y = width.tolist(), height.tolist()
    before = [0] * len(x)
    for j in range(1, len(x)):
        corner = j - 1
        while corner:
            last = before[corner]
            a, b = x[corner], y[corner]
            if (b - y[last]) * (x[j] - a) < (y[j] - b) * (a - x[last]):
                break
            corner = last
        before[j] = corner
    return np.array(before, dtype=np.intp)
