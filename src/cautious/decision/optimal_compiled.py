"""Compiling loops with numba, where numba is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from inspect import getsource
from typing import Any, TypeAlias

__all__ = ["compiled", "have_numba"]

Part: TypeAlias = Callable[..., Any] | tuple[Callable[..., Any], str]

_FREEDOM: dict[str | None, set[str]] = {"reassoc": {"reassoc", "nsz"}}


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
        close over the fingerprint of all sources, or machine code of older ones might be run.
    parts : tuple
        The functions of ours that it calls, directly or through one another. A pair
        ``(function, "reassoc")`` allows its sums to be taken in any order.
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

    sources = getsource(making)
    for part in parts:
        function, freedom = part if isinstance(part, tuple) else (part, None)
        register_jitable(fastmath=_FREEDOM.get(freedom, False))(function)
        sources += getsource(function)
    for method in methods:
        overload(method, strict=False)(_method_of_type(method.__name__))
    sources += "".join(getsource(type_) for type_ in types)
    fingerprint = sha256(sources.encode()).hexdigest()
    function = making(fingerprint)
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # there is no place to keep the machine code
        return numba.njit(function)


def _method_of_type(name: str) -> Callable[..., Any]:
    """Tell numba which function to call, given the types of the arguments."""

    def choose(problem: Any, *args: Any) -> Any:
        return getattr(problem.instance_class, name)

    return choose
