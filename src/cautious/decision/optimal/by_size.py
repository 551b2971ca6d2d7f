r"""Optimal sets when only a set's size and whether it holds the truth matter.

With :math:`S_k` the sum of the k largest probabilities, the best set of k classes costs
:math:`miss_k - g_k S_k`, where :math:`g_k = miss_k - hit_k`. One sort and one cumulated sum settle
every size, whatever the number of classes.

Few rows need that much. Let wrong sets of all sizes cost the same and let size k be the best. Then
:math:`g_{k-1} S_{k-1} \le g_k S_k`, and so the k-th largest probability is at least

.. math:: S_k - S_{k-1} \ge g_k S_k \Bigl(\frac1{g_k} - \frac1{g_{k-1}}\Bigr),

where :math:`g_k S_k` is at least the largest gain found so far. Every other class can be left out
unseen: under u65 all those with a probability below .54 of the largest one. Compiled loops select
the few largest probabilities of each row, and sort only flat rows; numpy sorts them all.

Rows that lie on a device are settled by the same reasoning: two passes find the classes that can
be in the best set. Most rows have one and are done; the others have a few, which are gathered and
sorted. No row is sorted whole unless all of its classes are candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._checks import check_probabilities
from cautious._typing import Floats, Ints, Mask
from cautious.decision.optimal._candidates import compiled, first_in_order, have_numba, slack
from cautious.tensors import Tensor, like, namespace, with_rows

Bits: TypeAlias = npt.NDArray[np.int64]

# Rows are sorted so many cells at a time that they stay in the processor's cache.
_CELLS_AT_ONCE = 1 << 18
# Rows that add up to one within this pass the full check.
_SURE = 0.99e-6
# Importing numba takes longer than sorting so many cells.
_CELLS_WORTH_COMPILING = 1 << 23
# After so many passes over a flat row a sort is cheaper.
_MOST_PASSES = 12
# On a device so many cells are looked at together; more would only take memory.
_DEVICE_CELLS_AT_ONCE = 1 << 29
# Rows with up to so many candidates are gathered together.
_WIDTHS = (1, 4, 16, 64, 256)
_FEW_STEPS = 64
# Candidates are judged one by one unless they are more than one in so many cells.
_MANY = 16


class Sizes(NamedTuple):
    """What sets of 1, 2, … classes cost if wrong, and gain by being right; see the module."""

    miss: Floats
    gain: Floats
    rise: Floats  # least rises of 1 / gain
    scale: float


def sets_by_size(
    p: Floats, hit: Floats, miss: Floats, *, checked: bool = False, accelerate: bool | None = None
) -> Mask:
    """Choose for each row the set of the smallest expected cost."""
    constant = bool((miss[:-1] == miss[0]).all())
    # No set of all classes is wrong; a harmless cost keeps the formulas uniform.
    last = miss[0] if constant and hit[-1] <= miss[0] else hit[-1]
    miss = np.append(miss[:-1], last)
    gain = miss - hit
    scale = float(max(np.abs(hit).max(), np.abs(miss).max()))
    if (gain < 0).any():
        return _perverse(p if checked else check_probabilities(p), miss, gain, scale)
    sizes = Sizes(miss, gain, least_rise(gain) if constant else np.zeros(len(gain)), scale)
    if accelerate is None:
        accelerate = p.size >= _CELLS_WORTH_COMPILING and have_numba()
    fill = compiled(selecting, LAZY_PARTS) if accelerate else _sort_and_fill
    p = np.ascontiguousarray(p)
    mask = np.empty(p.shape, dtype=np.bool_)
    done = fill(p, sizes, np.inf if checked else _SURE, mask)
    if done < len(p):
        # The full check has the last word on rows that are not distributions beyond doubt.
        p = not_negative(check_probabilities(p))
        fill(p[done:], sizes, np.inf, mask[done:])
    return mask


def not_negative(p: Floats) -> Floats:
    """Probabilities without the rounding errors below zero that the check lets pass."""
    # Adding zero turns a negative zero, whose bits are those of a negative number, into zero.
    return np.asarray(np.maximum(p, 0.0) + 0.0)


def least_rise(gain: Floats) -> Floats:
    r"""Least :math:`1/g_j - 1/g_{j-1}` over the sizes j > k, for k = 1, …, K."""
    if not (gain > 0).all():
        return np.zeros(len(gain))
    # A little less, so that rounding never leaves out a class that is needed.
    rise = np.append(np.diff(1 / gain) * (1 - 1e-9), np.inf)
    least: Floats = np.minimum.accumulate(rise[::-1])[::-1]
    return np.maximum(least, 0.0)


def _sort_and_fill(p: Floats, sizes: Sizes, tolerance: float, mask: Mask) -> int:
    """Fill `mask` up to rows that may not add up to one; return the number of rows filled."""
    at_once = max(1, _CELLS_AT_ONCE // p.shape[1])
    for start in range(0, len(p), at_once):
        rows = slice(start, start + at_once)
        sure = np.abs(p[rows].sum(axis=1) - 1).max() <= tolerance
        if not (sure and _settle(p[rows], sizes, mask[rows])):
            return start
    return len(p)


def _settle(p: Floats, sizes: Sizes, mask: Mask) -> bool:
    """Fill `mask` for rows that fit into the cache, unless one of them has negative elements."""
    n, n_classes = p.shape
    ascending = np.sort(p, axis=1)
    if ascending[:, 0].min() < 0:
        return False
    every = rows = np.arange(n)
    last = ascending[:, -1]
    mass = most_gain = np.zeros(n)
    costs = []
    # A size at a time, so that each step is over one vector: the rows that need it.
    for k in range(n_classes):
        mass = mass + last
        cost = sizes.miss[k] - sizes.gain[k] * mass
        if len(rows) < n:
            cost, part = np.full(n, np.inf), cost
            cost[rows] = part
        costs.append(cost)
        if k == n_classes - 1:
            break
        most_gain = np.maximum(most_gain, sizes.gain[k] * mass)
        last = ascending[rows, -2 - k]
        needed = np.flatnonzero(last >= most_gain * sizes.rise[k])
        if len(needed) == 0:
            break
        if len(needed) < len(rows):
            rows, last = rows[needed], last[needed]
            mass, most_gain = mass[needed], most_gain[needed]
    table = np.array(costs)
    best = table.min(axis=0)
    tie = slack(best, sizes.scale)
    size = (table <= best + tie).argmax(axis=0) + 1
    following = np.where(size < n_classes, ascending[every, -np.minimum(size + 1, n_classes)], -1.0)
    _mark(p, size, ascending[every, -size], following, mask)
    # Where a right set costs as much as a wrong one, all sets of the size are ties.
    flat = np.flatnonzero(sizes.gain[size - 1] <= tie)
    mask[flat] = np.arange(n_classes) < size[flat, None]
    return True


def _mark(p: Floats, size: Ints, last: Floats, following: Floats, mask: Mask) -> None:
    """Choose the `size` largest probabilities; those equal to the last one by lowest index."""
    width = slack(last, 1.0)
    np.greater_equal(p, (last - width)[:, None], out=mask)
    rows = np.flatnonzero(following >= last - width)
    if len(rows):
        above = p[rows] > (last + width)[rows, None]
        tied = mask[rows] & ~above
        room = size[rows] - above.sum(axis=1)
        mask[rows] = above | (tied & (np.cumsum(tied, axis=1) <= room[:, None]))


def _perverse(p: Floats, miss: Floats, gain: Floats, scale: float) -> Mask:
    """Choose sets of the least probable classes, where being right costs more than wrong."""
    downward = np.argsort(-p, axis=1, kind="stable")
    upward = np.argsort(p, axis=1, kind="stable")
    most = np.cumsum(np.take_along_axis(p, downward, axis=1), axis=1)
    least = np.cumsum(np.take_along_axis(p, upward, axis=1), axis=1)
    costs = miss - gain * np.where(gain >= 0, most, least)
    best = costs.min(axis=1)
    tie = slack(best, scale)
    size = (costs <= (best + tie)[:, None]).argmax(axis=1) + 1
    order = np.where((gain[size - 1] >= 0)[:, None], downward, upward)
    flat = np.abs(gain[size - 1]) <= tie
    order[flat] = np.arange(p.shape[1])
    return first_in_order(order, size - 1)


# The same, one row at a time, as the loops that numba compiles well. Uncompiled they are slow and
# serve only to be tested. Numbers that are not negative are ordered as their bits are when these
# are read as an integer. Of integers numba takes minima and maxima with vector instructions; of
# floating-point numbers, for the sake of NaN, it does not.


def selecting(sources: str) -> Callable[..., int]:
    """Make the function that selects; numba keeps its machine code apart by `sources`."""

    def select(p: Floats, sizes: Sizes, tolerance: float, mask: Mask) -> int:
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
            least, most = ends_of_bits(bits[i])
            if least < 0:
                return i
            size, is_flat = lazy_size(p[i], bits[i], most, sizes, descending, places, costs)
            if is_flat:
                mask[i] = np.arange(n_classes) < size
            else:
                mark_set(p[i], size, descending[size - 1], descending[size], mask[i])
        return int(n)

    return select


def total(row: Floats) -> float:
    """Sum of a row."""
    result = 0.0
    for y in range(len(row)):
        result += row[y]
    return result


def ends_of_bits(bits: Bits) -> tuple[int, int]:
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
    row: Floats, bits: Bits, top: int, sizes: Sizes, descending: Floats, places: Bits, costs: Floats
) -> tuple[int, bool]:
    """Size of the best set, and whether all sets of that size are ties."""
    found = passes = size = 0  # so many of the largest probabilities are in their places
    mass = most_gain = 0.0
    best = np.inf
    places[len(row)] = -1  # all bits set are a NaN: what follows the last class equals nothing
    while size < len(row):
        if size == found:
            places[size] = top
        if size > 0 and descending[size] < most_gain * sizes.rise[size - 1]:
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
        costs[size] = sizes.miss[size] - sizes.gain[size] * mass
        best = min(best, costs[size])
        most_gain = max(most_gain, sizes.gain[size] * mass)
        size += 1
    tie = slack(best, sizes.scale)
    chosen = 0
    while costs[chosen] > best + tie:
        chosen += 1
    return chosen + 1, sizes.gain[chosen] <= tie


def mark_set(row: Floats, size: int, last: float, following: float, chosen: Mask) -> None:
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


_INLINE = ((lazy_size, "inline"), (mark_set, "inline"))
LAZY_PARTS = ((total, "any order"), ends_of_bits, below, *_INLINE, slack)


# Rows on a device.


def is_quick_by_size(hit: Floats, miss: Floats) -> bool:
    """Whether only candidates matter: wrong sets cost the same, right ones clearly less."""
    gain = miss[0] - hit
    scale = float(max(np.abs(hit).max(), abs(miss[0])))
    return bool((miss[:-1] == miss[0]).all() and (gain > 1e-9 * scale).all())


def tensor_sets_by_size(p: Tensor, hit: Floats, miss: Floats) -> Tensor:
    """Choose for each row the set of the smallest expected cost."""
    xp, (n, k) = namespace(p), p.shape
    at_once = max(1, _DEVICE_CELLS_AT_ONCE // k)
    parts = []
    for start in range(0, max(n, 1), at_once):
        rows = slice(start, min(start + at_once, n))
        parts.append(_settle_on_device(p[rows, :], hit, float(miss[0])))
    return parts[0] if len(parts) == 1 else xp.concat(parts)


def _settle_on_device(p: Tensor, hit: Floats, miss: float) -> Tensor:
    xp, (n, k) = namespace(p), p.shape
    last = top = xp.astype(xp.max(p, axis=1), xp.float64)  # the least probability in the best set
    rise = float(least_rise(miss - hit)[0])
    is_candidate = _reaches(p, top * ((miss - float(hit[0])) * rise))
    row, column = xp.nonzero(is_candidate)
    if row.shape[0] == n:  # one candidate per row
        return is_candidate
    place = row * k + column
    value = xp.astype(xp.take(xp.reshape(p, (n * k,)), place), xp.float64)
    ends = xp.searchsorted(row, like(np.arange(n + 1), p))
    begin, count = ends[:-1], xp.diff(ends)
    # The values of each row in falling order, rows staying where they are.
    falling = xp.argsort(value, descending=True, stable=True)
    ordered = xp.take(value, xp.take(falling, xp.argsort(xp.take(row, falling), stable=True)))
    tied: list[tuple[Tensor, Tensor, Tensor]] = []
    for least, most in pairwise((*_WIDTHS, k)):
        rows = xp.nonzero((count > least) & (count <= most))[0]
        if not rows.shape[0]:
            continue
        places = xp.take(begin, rows), xp.take(count, rows)
        end, size, following = _best_ends(ordered, *places, hit, miss)
        last = with_rows(last, rows, end)
        ties = xp.nonzero(following >= end - slack(end, 1.0))[0]
        if ties.shape[0]:
            tied.append((xp.take(rows, ties), xp.take(end, ties), xp.take(size, ties)))
    limit = last - slack(last, 1.0)
    if row.shape[0] < n * k // _MANY:
        flat = xp.reshape(is_candidate, (n * k,))
        mask = xp.reshape(with_rows(flat, place, value >= xp.take(limit, row)), (n, k))
    else:  # a pass over all cells takes no longer
        mask = _reaches(p, limit)
    for rows, end, size in tied:
        mask = with_rows(mask, rows, _by_lowest_index(xp.take(p, rows, axis=0), end, size))
    return mask


def _reaches(p: Tensor, limit: Tensor) -> Tensor:
    """Whether numbers reach the limit of their row, without a copy of them in its precision."""
    xp = namespace(p)
    rounded = xp.astype(limit, p.dtype)
    above = xp.nextafter(rounded, xp.full_like(rounded, np.inf))
    return p >= xp.where(xp.astype(rounded, limit.dtype) < limit, above, rounded)[:, None]


def _best_ends(
    value: Tensor, begin: Tensor, count: Tensor, hit: Floats, miss: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Of rows with few candidates: least probability in the best set, its size, the next one."""
    xp = namespace(value)
    scale = float(max(np.abs(hit).max(), abs(miss)))
    width = int(xp.max(count))
    at = like(np.arange(width + 1), value)[:, None]
    is_there = at < count[None, :]
    position = xp.where(is_there, begin[None, :] + at, begin[None, :])
    found = xp.reshape(xp.take(value, xp.reshape(position, (-1,))), position.shape)
    ordered = xp.where(is_there, found, xp.full_like(found, -1.0))
    if width <= _FEW_STEPS:  # a scan over so few would take longer
        mass, steps = found[0, :], [found[0, :]]
        for j in range(1, width):
            mass = mass + found[j, :]
            steps.append(mass)
        masses = xp.stack(steps)
    else:
        masses = xp.cumulative_sum(found[:-1, :], axis=0)
    cost = miss - like(miss - hit[:width], value)[:, None] * masses
    table = xp.where(is_there[:-1, :], cost, xp.full_like(cost, np.inf))
    best = xp.min(table, axis=0)
    is_best = table <= (best + slack(best, scale))[None, :]
    size = xp.argmax(xp.astype(is_best, xp.uint8), axis=0) + 1
    end, following = (
        xp.take_along_axis(ordered, at[None, :], axis=0)[0, :] for at in (size - 1, size)
    )
    return end, size, following


def _by_lowest_index(p: Tensor, end: Tensor, size: Tensor) -> Tensor:
    """Choose the `size` largest probabilities; those equal to the last one by lowest index."""
    xp = namespace(p)
    width = slack(end, 1.0)
    above = p > (end + width)[:, None]
    tied = (p >= (end - width)[:, None]) & ~above
    room = size - xp.astype(xp.count_nonzero(above, axis=1), size.dtype)
    rank = xp.cumulative_sum(xp.astype(tied, size.dtype), axis=1)
    return above | (tied & (rank <= room[:, None]))
