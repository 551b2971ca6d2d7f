"""Optimal sets by costing a list of candidates: a matrix product per batch of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.costs import SetCosts, TableCosts, all_sets
from cautious.decision.optimal.common import remembered, slack

__all__ = ["MOST_CLASSES", "all_candidates", "cheapest", "contiguous_candidates"]

MOST_CLASSES = 18
"""The most classes for which all sets are costed: 2^18 rows of 18 costs are 38 MB."""

# Expected costs held at once, and costs in a block of candidates: 16 MB, which caches can hold.
_CELLS_AT_ONCE = 1 << 21


def cheapest(p: Floats, candidates: Iterable[tuple[Mask, Floats]]) -> Mask:
    """Choose for each row the candidate of the smallest expected cost.

    Parameters
    ----------
    p : ndarray of shape (n, K)
        Checked class probabilities.
    candidates : iterable of pairs of ndarrays of shape (m, K)
        Sets and their costs, in blocks, preferred ones first.

    Returns
    -------
    ndarray of shape (n, K), bool
    """
    chosen = np.zeros(p.shape, dtype=np.bool_)
    best = np.full(len(p), np.inf)
    for sets, costs in candidates:
        scale = float(costs.max())
        at_once = min(len(p), max(1, _CELLS_AT_ONCE // len(sets)))
        buffer = np.empty((at_once, len(sets)))
        for start in range(0, len(p), max(1, at_once)):
            rows = slice(start, start + at_once)
            expected = np.matmul(p[rows], costs.T, out=buffer[: len(p[rows])])
            least = expected.min(axis=1)
            width = slack(least, scale)
            first = (expected <= (least + width)[:, None]).argmax(axis=1)
            # What an earlier block offers is preferred among ties.
            better = least < best[rows] - width
            chosen[rows][better] = sets[first[better]]
            best[rows][better] = least[better]
    return chosen


def all_candidates(costs: SetCosts) -> Iterator[tuple[Mask, Floats]]:
    """List all sets that have a cost, and their costs."""
    if isinstance(costs, TableCosts):
        order = _preference(costs.mask)
        yield costs.mask[order], costs.costs[order]
    else:
        yield _all_sets_and_costs(costs)


@remembered
def _all_sets_and_costs(costs: SetCosts) -> tuple[Mask, Floats]:
    sets = all_sets(costs.n_classes)
    return sets, costs.of(sets)


def contiguous_candidates(costs: SetCosts) -> Iterator[tuple[Mask, Floats]]:
    """List the sets of neighbouring classes that have a cost."""
    if isinstance(costs, TableCosts):
        for sets, table in all_candidates(costs):
            # Neighbours all the way: membership changes at most twice along the classes.
            ends = np.diff(np.pad(sets.astype(np.int8), ((0, 0), (1, 1))), axis=1)
            neighbours = np.abs(ends).sum(axis=1) == 2
            if not neighbours.any():
                raise ValueError("the cost table lists no contiguous set; use contiguous=False.")
            yield sets[neighbours], table[neighbours]
        return
    n_classes = costs.n_classes
    classes = np.arange(n_classes)
    size = np.repeat(classes + 1, n_classes - classes)
    first = np.concatenate([classes[: n_classes - k] for k in classes])
    at_once = max(1, _CELLS_AT_ONCE // n_classes)
    for start in range(0, len(size), at_once):
        low = first[start : start + at_once, None]
        sets = (classes >= low) & (classes < low + size[start : start + at_once, None])
        yield sets, costs.of(sets)


def _preference(mask: Mask) -> Ints:
    """Order sets by size, then by their first classes."""
    # The last key of lexsort weighs most, and False comes before True.
    return np.lexsort((*~mask.T[::-1], mask.sum(axis=1)))
