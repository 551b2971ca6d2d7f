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

P = ParamSpec("P")
R = TypeVar("R")

Tensor: TypeAlias = Any
"""An array that is not numpy's; the libraries share no type."""

# What is given most often; an array of another library is none of these.
_NO_TENSOR = (np.ndarray, np.generic, list, tuple, int, float)


def is_tensor(value: Any) -> bool:
    """Whether a value is an array of another library than numpy."""
    if isinstance(value, _NO_TENSOR):
        return False
    if hasattr(value, "__array_namespace__"):
        return True
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "device")


def namespace(array: Any) -> Any:
    """Functions for an array, by the names of the array-API standard; numpy's for its own."""
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
    """Return the first tensor among the arguments, after a check that all tensors lie with it."""
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
    """Bring numpy values to where a tensor lies; numpy's own stay as they are."""
    if not is_tensor(tensor):
        return np.asarray(values)
    if is_tensor(values):
        return values
    values = np.ascontiguousarray(values)
    return namespace(tensor).asarray(values, device=_compat().device(tensor))


def as_numpy(array: Any) -> Any:
    """Copy a tensor from its device to numpy; anything else is returned as it is."""
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
    """Let a function of numpy arrays take tensors: they are copied, and so is what comes out."""

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
    """Give a tensor of real numbers without gradient, in at least single precision."""
    xp = namespace(array)
    array = _without_gradient(array)
    if array.dtype in (xp.float32, xp.float64):
        return array
    if xp.isdtype(array.dtype, "real floating") or "float16" in str(array.dtype):
        return xp.astype(array, xp.float32)
    return xp.astype(array, xp.float64)


def with_rows(array: Tensor, rows: Tensor, values: Tensor) -> Tensor:
    """Give an array with other values in some rows, which may be changed in place."""
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
