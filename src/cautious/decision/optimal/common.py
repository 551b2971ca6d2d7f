"""What all ways to find optimal sets share: one tie rule, a memory of costs, compiled loops."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache, wraps
from hashlib import sha256
from inspect import getsource
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from cautious.costs import SetCosts

__all__ = ["compiled", "have_numba", "remembered", "slack"]

T = TypeVar("T")
Part: TypeAlias = Callable[..., Any] | tuple[Callable[..., Any], str]

_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"inline": "never"},
    "inline": {"inline": "always"},
    "any order": {"fastmath": {"reassoc", "nsz"}},
}


def slack(cost: Any, scale: Any) -> Any:
    """How far an expected cost may lie above `cost` and still be called equal to it.

    Costs are sums of products that no two algorithms round alike. Sets whose expected costs are
    equal in exact arithmetic must be ties for all of them, or the answer would depend on which
    algorithm ran. `scale` is the largest cost there is.

    Among ties the smallest set wins, and among those of one size the one whose sorted class
    indices come first: {0, 3} before {1, 2}.

    Examples
    --------
    >>> abs(0.1 + 0.2 - 0.3) <= slack(0.3, scale=1.0)
    True
    """
    return 1e-12 * cost + 1e-15 * scale


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


@cache
def have_numba() -> bool:
    """Whether numba can be imported; asking does not import it."""
    return importlib.util.find_spec("numba") is not None


@cache
def compiled(
    making: Callable[[str], Callable[..., Any]],
    parts: tuple[Part, ...],
    methods: tuple[Callable[..., Any], ...] = (),
    types: tuple[type, ...] = (),
) -> Callable[..., Any]:
    """Compile a function at its first call and keep the machine code on disk.

    Everything stays plain Python, so that it runs, and can be tested, without numba as well.

    Parameters
    ----------
    making : callable
        ``making(fingerprint)`` returns the function to compile. numba's cache watches the file of
        that function only, but tells apart functions that close over different values: it must
        close over the fingerprint of all modules, or machine code of older ones might be run.
    parts : tuple
        The functions of ours that it calls, directly or through one another. A pair
        ``(function, "any order")`` allows its sums to be taken in any order, which vector
        instructions need; ``(function, "inline")`` saves the call.
    methods : tuple of callables
        Functions that call the method of their own name of their first argument …
    types : tuple of types
        … which is one of these named tuples.

    Returns
    -------
    callable
        The compiled function; it takes positional arguments only.
    """
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
        function = numba.njit(cache=True)(entry)
    except RuntimeError:  # there is no place to keep the machine code
        function = numba.njit(entry)
    return function


def _method_of_type(name: str) -> Callable[..., Any]:
    """Tell numba which function to call, given the types of the arguments."""

    def choose(problem: Any, *args: Any) -> Any:
        return getattr(problem.instance_class, name)

    return choose
