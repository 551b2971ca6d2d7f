"""Arrays of other libraries: torch, cupy, jax and whatever follows the array-API standard.

What a function needs most of its time for is done where such an array lies, on its device; what is
left is small, and numpy finishes it. Nothing of another library is imported unless one of its
arrays is given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

__all__ = [
    "Tensor",
    "as_numpy",
    "by_copy",
    "floats_of",
    "is_tensor",
    "like",
    "namespace",
    "one_place",
    "with_rows",
]

P = ParamSpec("P")
R = TypeVar("R")

Tensor: TypeAlias = Any
"""An array that is not numpy's; the libraries share no type."""


def is_tensor(value: Any) -> bool:
    """Whether a value is an array of another library than numpy.

    Examples
    --------
    >>> is_tensor(np.zeros(2)), is_tensor([0, 1])
    (False, False)
    """
    if isinstance(value, np.ndarray | np.generic):
        return False
    if hasattr(value, "__array_namespace__"):
        return True
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "device")


def namespace(array: Any) -> Any:
    """Functions for an array, by the names of the array-API standard; numpy's for its own.

    Examples
    --------
    >>> namespace(np.zeros(2)).__name__
    'numpy'
    """
    return _compat().array_namespace(array) if is_tensor(array) else np


@cache
def _compat() -> ModuleType:
    for name in ("array_api_compat", "sklearn.externals.array_api_compat"):  # its own copy
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ImportError(
        "arrays of torch, cupy or jax need the package array-api-compat: "
        "pip install 'cautious[tensors]' (in a clone of the repository: pip install "
        "'.[tensors]'). Or give numpy arrays."
    )


def one_place(**arrays: Any) -> Tensor:
    """Return the first tensor among the arguments, after a check that all tensors lie with it.

    Lists and numpy arrays may be anywhere: they are brought along.
    """
    tensors = {name: value for name, value in arrays.items() if is_tensor(value)}
    (first, tensor), *others = tensors.items()
    for name, other in others:
        if namespace(other) is not namespace(tensor):
            raise TypeError(
                f"{first} is an array of {_library(tensor)} and {name} one of {_library(other)}; "
                "give both in one library."
            )
        if _compat().device(other) != _compat().device(tensor):
            raise ValueError(
                f"{first} lies on {_compat().device(tensor)} and {name} on "
                f"{_compat().device(other)}; move both to one device first."
            )
    return tensor


def _library(array: Tensor) -> str:
    return type(array).__module__.partition(".")[0]


def like(values: Any, tensor: Tensor) -> Tensor:
    """Bring numpy values to where a tensor lies; numpy's own stay as they are.

    Examples
    --------
    >>> like(np.ones(2), np.zeros(3))
    array([1., 1.])
    """
    if not is_tensor(tensor):
        return np.asarray(values)
    if is_tensor(values):
        return values
    values = np.ascontiguousarray(values)
    return namespace(tensor).asarray(values, device=_compat().device(tensor))


def as_numpy(array: Any) -> Any:
    """Copy a tensor from its device to numpy; anything else is returned as it is.

    Gradients do not follow. Numbers of a type that numpy does not know become single precision,
    which holds them exactly.

    Examples
    --------
    >>> as_numpy([1, 2])
    [1, 2]
    """
    if not is_tensor(array):
        return array
    array = _without_gradient(array)
    if hasattr(array, "get") and _library(array) == "cupy":
        return array.get()
    if hasattr(array, "cpu"):
        array = array.cpu()
    if "bfloat16" in str(array.dtype):
        xp = namespace(array)
        array = xp.astype(array, xp.float32)
    return np.asarray(array)


def by_copy(decide: Callable[P, R]) -> Callable[P, R]:
    """Let a function of numpy arrays take tensors: they are copied, and so is what comes out.

    Tensors may be arguments of any place or name, alone or in a pair such as the bounds of
    probabilities.

    Examples
    --------
    >>> @by_copy
    ... def double(p):
    ...     return 2 * p
    >>> double(np.ones(2))
    array([2., 2.])
    """

    @wraps(decide)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        if not any(map(_parts, (*args, *kwargs.values()))):
            return decide(*args, **kwargs)
        given = signature(decide).bind(*args, **kwargs)
        parts = {
            f"{name}{place}": part
            for name, value in given.arguments.items()
            for place, part in _parts(value).items()
        }
        tensor = one_place(**parts)
        copied = {
            name: type(value)(map(as_numpy, value))
            if isinstance(value, tuple | list)
            else as_numpy(value)
            for name, value in given.arguments.items()
        }
        given.arguments.update(copied)
        return cast(R, like(decide(*given.args, **given.kwargs), tensor))

    return wrapper


def _parts(value: Any) -> dict[str, Tensor]:
    """Tensors that an argument is or holds, by their places in it."""
    if isinstance(value, tuple | list):
        return {f"[{i}]": part for i, part in enumerate(value) if is_tensor(part)}
    return {"": value} if is_tensor(value) else {}


def floats_of(array: Tensor) -> Tensor:
    """Give a tensor of real numbers without gradient, in at least single precision.

    Single precision holds every half-precision number, so nothing is rounded.
    """
    xp = namespace(array)
    array = _without_gradient(array)
    if array.dtype in (xp.float32, xp.float64):
        return array
    if xp.isdtype(array.dtype, "real floating") or "float16" in str(array.dtype):
        return xp.astype(array, xp.float32)
    return xp.astype(array, xp.float64)


def with_rows(array: Tensor, rows: Tensor, values: Tensor) -> Tensor:
    """Give an array with other values in some rows, which may be changed in place.

    Not every library lets elements be written, and the standard does not ask for it.

    Examples
    --------
    >>> with_rows(np.array([1, 2, 3]), np.array([0, 2]), np.array([7, 9]))
    array([7, 2, 9])
    """
    if hasattr(array, "at"):  # jax, which never changes an array
        return array.at[rows].set(values)
    if _library(array) in ("torch", "cupy", "numpy"):
        array[rows] = values
        return array
    changed = as_numpy(array).copy()
    changed[as_numpy(rows)] = as_numpy(values)
    return like(changed, array)


def _without_gradient(array: Tensor) -> Tensor:
    return array.detach() if getattr(array, "requires_grad", False) else array
