"""Optimal sets of rows that lie on a device, by the same reasoning as in `by_size`.

A class can be in the best set only if its probability is at least a known share of the largest one
(.54 under u65). Two passes over the rows find those candidates. Most rows have one and are done;
the others have a few, which are gathered and sorted. No row is sorted whole unless all of its
classes are candidates.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cautious._typing import Floats
from cautious.decision.optimal._candidates import slack
from cautious.decision.optimal.by_size import least_rise
from cautious.tensors import Tensor, like, namespace, with_rows

# So many cells are looked at together; more would only take memory.
_CELLS_AT_ONCE = 1 << 29
# Rows with up to so many candidates are gathered together.
_WIDTHS = (1, 4, 16, 64, 256)
_FEW_STEPS = 64
# Candidates are judged one by one unless they are more than one in so many cells.
_MANY = 16


def is_quick_by_size(hit: Floats, miss: Floats) -> bool:
    """Whether only candidates matter: wrong sets cost the same, right ones clearly less."""
    gain = miss[0] - hit
    scale = float(max(np.abs(hit).max(), abs(miss[0])))
    return bool((miss[:-1] == miss[0]).all() and (gain > 1e-9 * scale).all())


def tensor_sets_by_size(p: Tensor, hit: Floats, miss: Floats) -> Tensor:
    """Choose for each row the set of the smallest expected cost."""
    xp, (n, k) = namespace(p), p.shape
    at_once = max(1, _CELLS_AT_ONCE // k)
    parts = []
    for start in range(0, max(n, 1), at_once):
        rows = slice(start, min(start + at_once, n))
        parts.append(_settle(p[rows, :], hit, float(miss[0])))
    return parts[0] if len(parts) == 1 else xp.concat(parts)


def _settle(p: Tensor, hit: Floats, miss: float) -> Tensor:
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
    begin, count, ordered = ends[:-1], xp.diff(ends), _ordered_within(row, value)
    tied: list[tuple[Tensor, Tensor, Tensor]] = []
    for least, most in pairwise((*_WIDTHS, k)):
        rows = xp.nonzero((count > least) & (count <= most))[0]
        if not rows.shape[0]:
            continue
        end, size, following = _best_ends(
            ordered, xp.take(begin, rows), xp.take(count, rows), hit, miss
        )
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


def _ordered_within(row: Tensor, value: Tensor) -> Tensor:
    """Put the values of each row in falling order, rows staying where they are."""
    xp = namespace(row)
    falling = xp.argsort(value, descending=True, stable=True)
    return xp.take(value, xp.take(falling, xp.argsort(xp.take(row, falling), stable=True)))


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
    return above | (
        tied & (xp.cumulative_sum(xp.astype(tied, size.dtype), axis=1) <= room[:, None])
    )
