"""Candidate sets: listed and costed, ties among them, loops over them compiled.

All ways to find optimal sets share the tie rule, the memory of costs and the compiled loops. The
list of candidates is the plainest of them: a matrix product per batch of rows.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, wraps
from hashlib import sha256
from inspect import getsource
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.costs import SetCosts
from cautious.costs._set_costs import all_sets
from cautious.costs._tables import TableCosts

T = TypeVar("T")
CompiledPart: TypeAlias = Callable[..., Any] | tuple[Callable[..., Any], str]

_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"inline": "never"},
    "inline": {"inline": "always"},
    "any order": {"fastmath": {"reassoc", "nsz"}},
}

MOST_LISTED = 18
"""The most classes for which all sets are costed: 2^18 rows of 18 costs are 38 MB."""

# Expected costs held at once, and costs in a block of candidates: 16 MB, which caches can hold.
_CELLS_AT_ONCE = 1 << 21


def slack(cost: Any, scale: Any) -> Any:
    """How far an expected cost may lie above `cost` and still be called equal to it."""
    return 1e-12 * cost + 1e-15 * scale


def first_of_equals(expected: Floats, scale: Any) -> Ints:
    """Find in each row the first expected cost that equals the least one but for rounding."""
    least = expected.min(axis=1)
    equal = expected <= (least + slack(least, scale))[:, None]
    return np.asarray(equal.argmax(axis=1))


def first_in_order(order: Ints, last: Ints) -> Mask:
    """Mark the first classes in the order of each row, up to a position."""
    chosen = np.zeros(order.shape, dtype=np.bool_)
    np.put_along_axis(chosen, order, np.arange(order.shape[1]) <= last[:, None], axis=1)
    return chosen


def largest_first(values: Floats) -> tuple[Ints, Floats]:
    """Order the classes of each row by their values, which come too; equal ones by position."""
    # Sums of many numbers round differently; what is equal in exact arithmetic must stay a tie.
    order = np.argsort(-np.round(values, 12), axis=1, kind="stable")
    return order, np.take_along_axis(values, order, axis=1)


def answer_costs(p: Floats, values: Floats) -> tuple[Floats, Any]:
    """Work out what each answer, and abstaining, is expected to cost more than it must."""
    extra = values - values.min(axis=-2, keepdims=True)
    expected = np.zeros((len(p), extra.shape[-2]))
    for y in range(p.shape[1]):  # a matrix product would round differently in other batches
        expected += p[:, [y]] * extra[..., y]
    return expected, extra.max(axis=(-2, -1))


def cheapest_answers(p: Floats, values: Floats) -> Mask:
    """Answer with the cheapest class, or abstain where the last row of costs is cheaper."""
    k = p.shape[1]
    first = first_of_equals(*answer_costs(p, values))
    return np.asarray((first == k)[:, None] | (first[:, None] == np.arange(k)))


def remembered(work_out: Callable[[SetCosts], T]) -> Callable[[SetCosts], T]:
    """Make a function of set costs do its work once for each of them."""
    known: WeakKeyDictionary[SetCosts, T] = WeakKeyDictionary()

    @wraps(work_out)
    def recall(costs: SetCosts) -> T:
        try:
            return known[costs]
        except KeyError:
            known[costs] = result = work_out(costs)
            return result
        except TypeError:  # costs of a user's own type need not be hashable
            return work_out(costs)

    return recall


@cache
def have_numba() -> bool:
    """Whether numba can be imported; asking does not import it."""
    return importlib.util.find_spec("numba") is not None


@cache
def compiled(
    making: Callable[[str], Callable[..., Any]],
    parts: tuple[CompiledPart, ...],
    methods: tuple[Callable[..., Any], ...] = (),
    types: tuple[type, ...] = (),
) -> Callable[..., Any]:
    """Compile a function at its first call and keep the machine code on disk."""
    import numba
    from numba.extending import overload, register_jitable

    modules = {making.__module__, *(type_.__module__ for type_ in types)}
    for part in parts:
        called, how = part if isinstance(part, tuple) else (part, "plain")
        register_jitable(**_OPTIONS[how])(called)
        modules.add(called.__module__)
    for method in methods:
        overload(method, strict=False)(_method_of_type(method.__name__))
    sources = "".join(getsource(sys.modules[name]) for name in sorted(modules))
    entry = making(sha256(sources.encode()).hexdigest())
    function: Callable[..., Any]
    try:
        function = numba.njit(cache=True, nogil=True)(entry)
    except RuntimeError:  # there is no place to keep the machine code
        function = numba.njit(nogil=True)(entry)
    return function


def _method_of_type(name: str) -> Callable[..., Any]:
    """Tell numba which function to call, given the types of the arguments."""

    def choose(problem: Any, *args: Any) -> Any:
        return getattr(problem.instance_class, name)

    return choose


def cheapest(p: Floats, candidates: Iterable[tuple[Mask, Floats]]) -> Mask:
    """Choose for each row the candidate of the smallest expected cost."""
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
            first = first_of_equals(expected, scale)
            # What an earlier block offers is preferred among ties.
            better = least < best[rows] - width
            chosen[rows][better] = sets[first[better]]
            best[rows][better] = least[better]
    return chosen


def all_candidates(costs: SetCosts) -> tuple[Mask, Floats]:
    """List all sets that have a cost, by size and then by their first classes, and their costs."""
    if not isinstance(costs, TableCosts):
        return _all_sets_and_costs(costs)
    # The last key of lexsort weighs most, and False comes before True.
    order = np.lexsort((*~costs.mask.T[::-1], costs.mask.sum(axis=1)))
    return costs.mask[order], costs.costs[order]


@remembered
def _all_sets_and_costs(costs: SetCosts) -> tuple[Mask, Floats]:
    sets = all_sets(costs.n_classes)
    return sets, costs.of(sets)


def contiguous_candidates(costs: SetCosts) -> Iterator[tuple[Mask, Floats]]:
    """List the sets of neighbouring classes that have a cost."""
    if isinstance(costs, TableCosts):
        sets, table = all_candidates(costs)
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
