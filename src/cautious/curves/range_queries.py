"""Many questions about stretches of one array, answered together without a loop over them."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats, Ints

__all__ = ["first_at_most", "range_minimum"]


def range_minimum(values: Floats, first: Ints, last: Ints) -> Floats:
    """Minimum of each stretch ``values[first : last + 1]``.

    Two overlapping stretches of a power of two cover any stretch. The minima of all stretches of
    one power are kept only while they are asked for, so memory stays linear; time is n log n.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers.
    first, last : ndarray of shape (m,), int
        Ends of the stretches, both included, ``first <= last``.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> range_minimum(np.array([3., 1, 2, 5]), np.array([0, 2, 3]), np.array([3, 3, 3]))
    array([1., 2., 5.])
    """
    minima = np.empty(len(first))
    power = np.frexp(last - first + 1.0)[1] - 1  # the largest power of two that fits
    table = values
    for exponent in range(int(power.max(initial=-1)) + 1):
        asked = np.flatnonzero(power == exponent)
        width = 1 << exponent
        minima[asked] = np.minimum(table[first[asked]], table[last[asked] + 1 - width])
        table = np.minimum(table[:-width], table[width:]) if len(table) > width else table
    return minima


def first_at_most(values: Floats, start: Ints, limit: Floats) -> Ints:
    """Position of the first value from each `start` on that does not exceed each `limit`.

    A pyramid of pairwise minima is climbed until a block with such a value is found and then
    descended, all questions side by side: n log n time, linear memory.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers.
    start : ndarray of shape (m,), int
        Where to start looking.
    limit : ndarray of shape (m,)
        What not to exceed.

    Returns
    -------
    ndarray of shape (m,), int
        Positions; n where there is no such value.

    Examples
    --------
    >>> import numpy as np
    >>> first_at_most(np.array([5., 3, 4, 1]), np.array([0, 1, 2]), np.array([4., 4, 0]))
    array([1, 1, 4])
    """
    size = 1 << max(1, int(np.ceil(np.log2(max(2, len(values))))))
    pyramid = [np.append(values, np.full(size - len(values), np.inf))]
    while len(pyramid[-1]) > 1:
        pyramid.append(np.minimum(pyramid[-1][::2], pyramid[-1][1::2]))
    block, height = start.copy(), np.full(len(start), -1)
    looking = np.arange(len(start))
    for level, minima in enumerate(pyramid[:-1]):
        # A left-hand block begins where its parent does, so only right-hand ones are looked into.
        right = looking[block[looking] % 2 == 1]
        found = minima[block[right]] <= limit[right]
        height[right[found]] = level
        block[right[~found]] += 1
        looking = looking[height[looking] < 0]
        block[looking] //= 2
    top = looking[block[looking] == 0]
    height[top[pyramid[-1][0] <= limit[top]]] = len(pyramid) - 1
    for level in range(len(pyramid) - 1, 0, -1):
        down = np.flatnonzero(height >= level)
        left = block[down] * 2
        block[down] = left + (pyramid[level - 1][left] > limit[down])
    return np.where(height >= 0, block, len(values))
