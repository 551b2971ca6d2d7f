"""Remembering what was worked out about set costs as long as they live."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from cautious.costs import SetCosts

__all__ = ["remembered"]

T = TypeVar("T")


def remembered(work_out: Callable[[SetCosts], T]) -> Callable[[SetCosts], T]:
    """Make a function of set costs do its work once for each of them.

    Examples
    --------
    >>> from cautious.costs import discounted, ordinal
    >>> times = []
    >>> count = remembered(lambda costs: times.append(1) or costs.n_classes)
    >>> costs = discounted(ordinal(3))
    >>> count(costs), count(costs), len(times)
    (3, 3, 1)
    """
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
