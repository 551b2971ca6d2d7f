r"""The most useful set among all, when each tree votes for a set of classes.

T trees vote for the sets :math:`F_1, …, F_T`. The belief in a set A is the share of votes that lie
within it, and the answer is the set of the largest

.. math:: u(1/|A|)\, \mathrm{bel}(A), \qquad \mathrm{bel}(A) = \frac1T \#\{t : F_t \subseteq A\}.

Beliefs of all sets of a few classes are added up by a fast zeta transform, for many rows at once.
With many classes the best set of each size holds the classes of the most votes, as long as all
votes are for one class or for all of them. Otherwise classes are left out first. Let A be best and
of size k, and let c be one of its classes. Without c the set must be worse, so the votes for
subsets of A that hold c number at least

.. math:: \mathrm{bel}(A)\,T \Bigl(1 - \frac{u(1/k)}{u(1/(k-1))}\Bigr)
          \ge v\,T \Bigl(\frac{1}{u(1/k)} - \frac{1}{u(1/(k-1))}\Bigr),

where v is the value of any set found so far. Classes with fewer votes go, votes for sets with such
classes go with them, and so on. If few classes are left, all their sets are tried; if many, branch
and bound goes over classes in or out. All of it is exact.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks

MOST_CODED = 10
"""The most classes whose sets are all tried without leaving classes out first."""

# Values that differ by no more than this share are equal: the smaller set wins, then the one whose
# sorted class indices come first.
_TIE = 1e-12
# All sets of up to so many classes are tried.
_CLASSES_IN_TABLE = 12
_CELLS_AT_ONCE = 1 << 21


def best_nested_sets(belief: Floats, whole: Floats | float, worth: Floats) -> Mask:
    """Choose the most useful of the sets of the k classes of the largest belief."""
    n, K = belief.shape
    # Sums of many numbers round differently; what is equal in exact arithmetic must stay a tie.
    order = np.argsort(-np.round(belief, 12), axis=1, kind="stable")
    total = np.cumsum(np.take_along_axis(belief, order, axis=1), axis=1)
    total[:, -1] = whole
    value = total * worth
    size = (value >= value.max(axis=1, keepdims=True) * (1 - _TIE)).argmax(axis=1)
    chosen = np.zeros((n, K), dtype=np.bool_)
    np.put_along_axis(chosen, order, np.arange(K) <= size[:, None], axis=1)
    return chosen


def best_sets_of_codes(codes: Ints, worth: Floats) -> Mask:
    """Choose the most useful of all sets of few classes, for each row."""
    n, K = len(codes), len(worth)
    best = np.empty((n, K), dtype=np.bool_)
    for rows in row_chunks(n, max(1, _CELLS_AT_ONCE >> K)):
        here = codes[rows]
        cell = here.astype(np.intp) * len(here) + np.arange(len(here))[:, None]
        best[rows] = _best_of_cells(cell.ravel(), len(here), K, worth)
    return best


def _best_of_cells(cells: Ints, n: int, a: int, worth: Floats) -> Mask:
    """Choose the best of all sets of a classes, for n rows."""
    if not a:
        return np.zeros((n, 0), dtype=np.bool_)
    # Sets in rows, so that each step is over whole rows of the table.
    belief = np.bincount(cells, minlength=n << a).astype(np.int32).reshape(1 << a, n)
    for bit in range(a):
        halves = belief.reshape(-1, 2, 1 << bit, n)
        halves[:, 1] += halves[:, 0]
    codes = np.arange(1, 1 << a)  # the empty set is no answer
    members = (codes[:, None] >> np.arange(a)[::-1]) & 1 > 0
    # The first class has the highest bit: of sets of one size the first has the largest code.
    order = np.lexsort((-codes, members.sum(axis=1)))
    belief, members = belief[codes[order]], members[order]
    sizes = members.sum(axis=1)
    starts = np.searchsorted(sizes, np.arange(1, a + 2))
    most = np.array([belief[i:j].max(axis=0) for i, j in pairwise(starts)])
    value = most * worth[:a, None]
    size = (value >= value.max(axis=0) * (1 - _TIE)).argmax(axis=0)
    chosen = np.empty((n, a), dtype=np.bool_)
    for k in np.unique(size):
        rows = np.flatnonzero(size == k)
        first = (belief[starts[k] : starts[k + 1], rows] == most[k, rows]).argmax(axis=0)
        chosen[rows] = members[starts[k] + first]
    return chosen


def best_sets_of_votes(votes: Mask, worth: Floats) -> Mask:
    """Choose the most useful of all sets of classes, for each row."""
    _, T, K = votes.shape
    size = votes.sum(axis=2, dtype=np.int32)
    single = np.einsum("ntk,nt->nk", votes, (size == 1).astype(np.float64), optimize=True)
    chosen = best_nested_sets(single, float(T), worth)
    hard = np.flatnonzero(((size > 1) & (size < K)).any(axis=1))
    for rows in row_chunks(len(hard), max(1, _CELLS_AT_ONCE // (T * K))):
        at = hard[rows]
        chosen[at] = _best_unions(votes[at], size[at], worth)
    return chosen


def _best_unions(votes: Mask, size: Ints, worth: Floats) -> Mask:
    """Choose sets where votes for several classes make sets other than the nested ones best."""
    n, T, K = votes.shape
    partial = size < K  # votes for all classes tell sets apart only from the set of all
    floor = np.full(n, T * worth[-1])
    # The least rise of 1/u from one size to the next; the first is that of a single class.
    rise = max(0.0, float(np.diff(1 / worth, prepend=0.0).min()))
    alive = np.ones((n, K), dtype=np.bool_)
    usable = partial
    while True:
        support = np.einsum("ntk,nt->nk", votes, usable.astype(np.float64), optimize=True)
        floor = np.maximum(floor, _nested_value(votes, usable, support, worth))
        kept = alive & (support >= (floor * rise * (1 - 1e-9))[:, None])
        if (kept == alive).all():
            break
        alive = kept
        usable = partial & ~(votes & ~alive[:, None, :]).any(axis=2)
    chosen = np.zeros((n, K), dtype=np.bool_)
    n_alive = alive.sum(axis=1)
    for a in np.unique(n_alive):
        rows = np.flatnonzero(n_alive == a)
        classes = np.argsort(~alive[rows], axis=1, kind="stable")[:, :a]
        if a <= _CLASSES_IN_TABLE:
            best = _best_by_table(votes[rows], usable[rows], classes, worth)
        else:
            found = zip(rows, classes, strict=True)
            best = np.array(
                [_best_by_branches(votes[i][usable[i]][:, own], worth) for i, own in found]
            )
        np.put_along_axis(inside := np.zeros((len(rows), K), dtype=np.bool_), classes, best, axis=1)
        chosen[rows] = inside
    held = partial & ~(votes & ~chosen[:, None, :]).any(axis=2)
    sizes = chosen.sum(axis=1)
    value = held.sum(axis=1) * worth[np.maximum(sizes, 1) - 1]
    chosen[T * worth[-1] * (1 - _TIE) > value] = True
    return chosen


def _nested_value(votes: Mask, usable: Mask, support: Floats, worth: Floats) -> Floats:
    """Value, in votes, of the best set of the classes of most support: less than any best."""
    n, _, K = votes.shape
    rank = np.argsort(np.argsort(-support, axis=1, kind="stable"), axis=1, kind="stable")
    last = np.where(votes, rank[:, None, :], 0).max(axis=2)
    cell = (np.arange(n)[:, None] * K + last)[usable]
    within = np.cumsum(np.bincount(cell, minlength=n * K).reshape(n, K), axis=1)
    best: Floats = (within * worth).max(axis=1)
    return best


def _best_by_table(votes: Mask, usable: Mask, classes: Ints, worth: Floats) -> Mask:
    """Try all sets of a few classes, as a mask over them."""
    n, a = classes.shape
    best = np.empty((n, a), dtype=np.bool_)
    for rows in row_chunks(n, max(1, _CELLS_AT_ONCE >> a)):
        own = np.take_along_axis(votes[rows], classes[rows][:, None, :], axis=2)
        code = own @ (1 << np.arange(a)[::-1])
        cell = (code * len(own) + np.arange(len(own))[:, None])[usable[rows]]
        best[rows] = _best_of_cells(cell, len(own), a, worth)
    return best


def _best_by_branches(votes: Mask, worth: Floats) -> Mask:
    """Find the best set of many classes for one row, with classes in or out one after the other."""
    sets, times = np.unique(votes, axis=0, return_counts=True)
    n_classes = votes.shape[1]
    best_value, best = -1.0, np.zeros(n_classes, dtype=np.bool_)
    best_key: tuple[int, tuple[int, ...]] = (n_classes + 1, ())
    stack = [(np.zeros(n_classes, dtype=np.bool_), np.zeros(n_classes, dtype=np.bool_))]
    while stack:
        inside, outside = stack.pop()
        possible = ~(sets & outside).any(axis=1)
        rest = (sets & ~inside)[possible]
        weight = times[possible]
        needed = rest.sum(axis=1)
        n_in = int(inside.sum())
        if n_in:
            value = float(weight[needed == 0].sum() * worth[n_in - 1])
            key = (n_in, tuple(np.flatnonzero(inside).tolist()))
            ahead = value > best_value * (1 + _TIE)
            if ahead or (value >= best_value * (1 - _TIE) and key < best_key):
                best_value, best_key, best = max(value, best_value), key, inside
        support = weight @ rest
        free = ~(inside | outside) & (support > 0)
        if not free.any():
            continue
        most = np.cumsum(np.sort(support[free])[::-1])
        fit = np.cumsum(np.bincount(needed, weight, minlength=n_classes + 1))
        more = np.arange(1, len(most) + 1)
        bound = np.minimum(fit[more], fit[0] + most) * worth[n_in + more - 1]
        if bound.max() < best_value * (1 - _TIE):
            continue
        c = int(np.argmax(np.where(free, support, -1.0)))
        for mask in (outside, inside):  # the branch with the class comes first off the stack
            grown = mask.copy()
            grown[c] = True
            stack.append((grown, outside) if mask is inside else (inside, grown))
    return best
