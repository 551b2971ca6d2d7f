"""Optimal sets by size, one row at a time: select the largest probabilities lazily, do not sort.

The functions are plain Python, written as the loops that numba compiles well. Uncompiled they are
slow and serve only to be tested.

Numbers that are not negative are ordered as their bits are when these are read as an integer. Of
integers numba takes minima and maxima with vector instructions; of floating-point numbers, for the
sake of NaN, it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Mask
from cautious.decision.optimal_ties import slack

__all__ = ["LAZY_PARTS", "selecting"]

Bits: TypeAlias = npt.NDArray[np.int64]

# After so many passes over a flat row a sort is cheaper.
_MOST_PASSES = 12


def selecting(sources: str) -> Callable[..., int]:
    """Make the function that selects; numba keeps its machine code apart by `sources`."""

    def select(
        p: Floats,
        miss: Floats,
        gain: Floats,
        rise: Floats,
        scale: float,
        tolerance: float,
        mask: Mask,
    ) -> int:
        _ = sources
        n, n_classes = p.shape
        bits = p.view(np.int64)
        descending = np.empty(n_classes + 1)
        places = descending.view(np.int64)
        costs = np.empty(n_classes)
        for i in range(n):
            # A NaN makes the sum a NaN, and every comparison with it false.
            if not abs(total(p[i]) - 1.0) <= tolerance:
                return i
            least, most = ends(bits[i])
            if least < 0:
                return i
            size = lazy_size(
                p[i], bits[i], most, miss, gain, rise, scale, descending, places, costs
            )
            mark(p[i], size, descending[size - 1], descending[size], mask[i])
        return int(n)

    return select


def total(row: Floats) -> float:
    """Sum of a row."""
    result = 0.0
    for y in range(len(row)):
        result += row[y]
    return result


def ends(bits: Bits) -> tuple[int, int]:
    """Minimum and maximum of a row."""
    least = most = bits[0]
    for y in range(len(bits)):
        least = min(least, bits[y])
        most = max(most, bits[y])
    return least, most


def below(bits: Bits, top: int) -> tuple[int, int]:
    """Largest element smaller than `top` (-1 if there is none), and how often `top` occurs."""
    lower = -1
    count = 0
    for y in range(len(bits)):
        lower = max(lower, bits[y] if bits[y] < top else -1)
        count += bits[y] == top
    return lower, count


def lazy_size(
    row: Floats,
    bits: Bits,
    top: int,
    miss: Floats,
    gain: Floats,
    rise: Floats,
    scale: float,
    descending: Floats,
    places: Bits,
    costs: Floats,
) -> int:
    """Size of the best set; `descending` holds the largest probabilities and one more after it."""
    found = 0  # so many of the largest probabilities are in their places
    passes = 0
    mass = 0.0
    most_gain = 0.0
    best = np.inf
    size = 0
    places[len(row)] = -1  # all bits set are a NaN: what follows the last class equals nothing
    while size < len(row):
        if size == found:
            places[size] = top
        if size > 0 and descending[size] < most_gain * rise[size - 1]:
            break
        if size == found:
            passes += 1
            if passes > _MOST_PASSES:
                descending[: len(row)] = np.sort(row)[::-1]
                found = len(row)
            else:
                lower, count = below(bits, top)
                for j in range(found, found + count):
                    places[j] = top
                found += count
                top = lower
        mass += descending[size]
        costs[size] = miss[size] - gain[size] * mass
        best = min(best, costs[size])
        most_gain = max(most_gain, gain[size] * mass)
        size += 1
    within = best + slack(best, scale)
    chosen = 0
    while costs[chosen] > within:
        chosen += 1
    return chosen + 1


def mark(row: Floats, size: int, last: float, following: float, chosen: Mask) -> None:
    """Choose the `size` largest probabilities; those equal to the last one by lowest index."""
    width = slack(last, 1.0)
    for y in range(len(row)):
        chosen[y] = row[y] >= last - width
    if not following >= last - width:
        return
    room = size
    for y in range(len(row)):
        room -= row[y] > last + width
    for y in range(len(row)):
        if chosen[y] and row[y] <= last + width:
            chosen[y] = room > 0
            room -= 1


LAZY_PARTS = (
    (total, "any order"),
    ends,
    below,
    (lazy_size, "inline"),
    (mark, "inline"),
    slack,
)
