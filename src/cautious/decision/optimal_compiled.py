"""Compiling loops with numba, where numba is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from inspect import getsource
from typing import Any, TypeAlias

__all__ = ["compiled", "have_numba"]

Part: TypeAlias = Callable[..., Any] | tuple[Callable[..., Any], str]

_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"inline": "never"},
    "inline": {"inline": "always"},
    "any order": {"fastmath": {"reassoc", "nsz"}},
}


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
