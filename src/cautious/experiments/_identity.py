"""What a study is made of, in words that are the same tomorrow and on another machine.

A store goes on only if the models, data and measures are those it knows. Names alone do not tell:
two lambdas have one name, and a class that was redefined in a notebook keeps its own. What belongs
to an installed library is known by its name, everything else by its code, too.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import os
import sys
import types
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import PurePath
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

__all__ = ["describe", "fingerprint"]

# Parts of a class that say nothing about what it does, or differ from run to run.
_SKIPPED = {
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__"),
    *("__static_attributes__", "__annotations__", "__annotate__", "__annotate_func__"),
    *("__annotations_cache__", "__abstractmethods__", "_abc_impl", "__orig_bases__"),
    "__slotnames__",  # left by pickling
}
_PLAIN = (str, bytes, int, float, bool, complex, type(None))
_NAMED = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_FRAMES = (pd.DataFrame, pd.Series, pd.Index)
_TOLD = (
    *(*_PLAIN, *_FRAMES, list, tuple, set, frozenset, Mapping, np.ndarray, np.generic),
    *(type, types.FunctionType, types.MethodType, types.ModuleType, functools.partial),
    *(np.vectorize, BaseEstimator, types.MethodDescriptorType, types.WrapperDescriptorType),
)


def describe(thing: Any) -> str:
    """Describe an estimator, function or parameter fully: type, name and all parameters."""
    return _Description().of(thing)


def fingerprint(*things: Any) -> str:
    """Shorten the descriptions of things to sixteen hexadecimal digits."""
    return _digest(describe(things))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Description:
    """One description, which knows what it has met before: things may hold themselves.

    Attributes
    ----------
    whole : bool
        Whether estimators are described by all that they hold, and not by their parameters alone.
    """

    def __init__(self) -> None:
        self.whole = False
        # With the thing itself, so that no address is used again.
        self._met: dict[tuple[int, bool], tuple[Any, str]] = {}

    def of(self, thing: Any) -> str:
        if isinstance(thing, _PLAIN):
            return repr(thing)
        if isinstance(thing, np.generic):
            return repr(thing.item())
        key = id(thing), self.whole
        if key not in self._met:
            self._met[key] = thing, f"<{len(self._met)}>"
            self._met[key] = thing, self._found(thing)
        return self._met[key][1]

    def _found(self, thing: Any) -> str:
        if isinstance(thing, type):
            return self._class(thing)
        if hasattr(thing, "get_params"):
            return self._estimator(thing)
        if isinstance(thing, np.ndarray):
            if thing.dtype.hasobject:
                return f"{type(thing).__name__}:{thing.shape}{self._short(thing.tolist())}"
            # joblib looks at strides, too: a view must be described as its copy is.
            return f"{type(thing).__name__}:{joblib.hash(np.array(thing, order='C', subok=True))}"
        if isinstance(thing, _FRAMES):
            return f"{type(thing).__name__}:{self._short(_columns(thing))}"
        if isinstance(thing, Mapping):
            pairs = (f"{self.of(key)}: {self.of(value)}" for key, value in thing.items())
            return "{" + ", ".join(pairs) + "}"
        if isinstance(thing, list | tuple):
            return "[" + ", ".join(self.of(part) for part in thing) + "]"
        if isinstance(thing, set | frozenset):
            return "{" + ", ".join(sorted(self.of(part) for part in thing)) + "}"
        if isinstance(thing, functools.partial):
            parts = (thing.func, thing.args, thing.keywords)
            return f"partial({', '.join(self.of(part) for part in parts)})"
        if isinstance(thing, types.MethodType):
            return f"{self.of(thing.__func__)} of {self.of(thing.__self__)}"
        if isinstance(thing, types.FunctionType):
            return self._function(thing)
        if isinstance(thing, types.ModuleType):
            return thing.__name__
        if isinstance(thing, types.CodeType):
            return self._code(thing)
        if isinstance(thing, _NAMED):
            return self._named(thing)
        if isinstance(thing, os.PathLike):
            return f"{_name(type(thing))}({os.fspath(thing)!r})"
        if isinstance(thing, np.vectorize):  # without what it has cached
            held = {name: getattr(thing, name) for name in ("pyfunc", "otypes", "signature")}
            return self._call(type(thing), held | {"excluded": thing.excluded})
        if thing is np.random.mtrand._rand:  # the one of everybody, in whatever state it is
            return "numpy.random"
        return self._object(thing)

    def _short(self, parts: Any) -> str:
        return _digest(self._found(parts))

    def _estimator(self, thing: Any) -> str:
        # A clone has the parameters and nothing else, unless the estimator says otherwise, as a
        # frozen one does: then what it has learned matters.
        clones = getattr(type(thing), "__sklearn_clone__", BaseEstimator.__sklearn_clone__)
        kept = clones is not BaseEstimator.__sklearn_clone__
        if self.whole or not kept:
            held = vars(thing) if self.whole else thing.get_params(deep=False)
            return self._call(type(thing), held)
        self.whole = True
        try:
            return self._call(type(thing), vars(thing))
        finally:
            self.whole = False

    def _call(self, kind: type, params: Mapping[str, Any]) -> str:
        listed = ", ".join(f"{name}={self.of(params[name])}" for name in sorted(params))
        return f"{self.of(kind)}({listed})"

    def _object(self, thing: Any) -> str:
        state = _state(thing)
        if not state:
            # What shows no state, such as a random generator, is known by what it pickles to.
            try:
                state = {"pickled": joblib.hash(thing)}
            except Exception as error:
                raise TypeError(
                    f"a {type(thing).__module__}.{type(thing).__qualname__} cannot be told from "
                    f"another one ({error})"
                ) from error
        return self._call(type(thing), state)

    def _named(self, thing: Any) -> str:
        owner = getattr(thing, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return f"{thing.__name__} of {self.of(owner)}"
        return _name(thing)

    def _function(self, thing: types.FunctionType) -> str:
        if _is_library(thing.__module__):
            if _at(thing.__module__, thing.__qualname__) is thing:
                return _name(thing)
            facts: list[Any] = []  # made by a library: its code is the library's
        else:
            facts = [thing.__code__, vars(thing), *self._globals(thing)]
        cells = [_content(cell) for cell in thing.__closure__ or ()]
        facts += [thing.__defaults__, thing.__kwdefaults__, cells]
        return f"{_name(thing)}#{self._short(facts)}"

    def _class(self, thing: type) -> str:
        if _is_library(thing.__module__) and _at(thing.__module__, thing.__qualname__) is thing:
            return _name(thing)
        parts: dict[str, Any] = {"bases": thing.__bases__}
        for name, value in vars(thing).items():
            if name not in _SKIPPED and not isinstance(value, _DESCRIPTORS):
                parts[name] = self._told(_unwrapped(value))
        return f"{_name(thing)}#{self._short(parts)}"

    def _code(self, code: types.CodeType) -> str:
        facts = [
            *(code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars),
            *(code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags),
        ]
        return f"code:{self._short(facts)}"

    def _globals(self, thing: types.FunctionType) -> Iterator[Any]:
        """Give the global names that a function uses, and what they stand for."""
        for name in sorted(set(_global_names(thing.__code__))):
            if name in thing.__globals__:
                yield name, self._told(thing.__globals__[name])

    def _told(self, value: Any) -> Any:
        """Give what a class or a function finds around it, or its type if no more can be told."""
        known = isinstance(value, _TOLD) or not _is_library(type(value).__module__)
        try:
            return self.of(value) if known else _name(type(value))
        except TypeError:
            return _name(type(value))


_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def _unwrapped(value: Any) -> Any:
    if isinstance(value, staticmethod | classmethod):
        return [type(value).__name__, value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, functools.cached_property):
        return value.func
    return value


def _global_names(code: types.CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _global_names(const)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return "nothing"


def _name(thing: Any) -> str:
    # Methods of built-in types have no module; the type of such methods has no owner but itself.
    owner = thing if isinstance(thing, type) else getattr(thing, "__objclass__", thing)
    return f"{owner.__module__}.{thing.__qualname__}"


def _at(module: str, qualname: str) -> Any:
    """Find what a name stands for, or None."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


@functools.cache
def _is_library(module: str | None) -> bool:
    """Whether a module belongs to Python, to this library or to another that is installed."""
    if module is None or module == "__main__":
        return False
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top == __name__.partition(".")[0]:
        return True
    try:
        file = getattr(sys.modules.get(module) or import_module(module), "__file__", None)
    except ImportError:
        return False
    return file is None or bool({"site-packages", "dist-packages"} & set(PurePath(file).parts))


def _columns(thing: pd.DataFrame | pd.Series[Any] | pd.Index[Any]) -> list[Any]:
    """Take a frame apart, since pandas may lay out the same columns in many ways."""
    if isinstance(thing, pd.DataFrame):
        values = [part for i in range(thing.shape[1]) for part in _columns(thing.iloc[:, i])[1:3]]
        return [list(thing.columns), *values, np.asarray(thing.index)]
    index = [] if isinstance(thing, pd.Index) else [np.asarray(thing.index)]
    if isinstance(thing.dtype, pd.CategoricalDtype):
        held = pd.Categorical(thing)
        parts = [held.codes, list(held.categories), held.ordered]
        return [thing.name, "category", parts, *index]
    return [thing.name, str(thing.dtype), np.asarray(thing), *index]


def _state(thing: Any) -> dict[str, Any]:
    """Read what an object holds, whether in a dict or in slots."""
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
    held |= getattr(thing, "__dict__", {})
    return {name: value for name, value in held.items() if name != "__doc__"}
