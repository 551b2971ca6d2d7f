"""What a study is made of, in words that are the same tomorrow and on another machine."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

__all__ = ["describe", "fingerprint"]


def describe(thing: Any) -> str:
    """Describe an estimator, function or parameter fully: type, name and all parameters.

    Unlike ``repr`` it hides no default and shortens no array, and it holds no memory address.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> describe(GaussianNB())
    'sklearn.naive_bayes.GaussianNB(priors=None, var_smoothing=1e-09)'
    """
    if isinstance(thing, BaseEstimator):
        return _call(type(thing), thing.get_params(deep=False))
    if isinstance(thing, np.ndarray):
        # joblib looks at strides, too: a view must be described as its copy is.
        return f"{type(thing).__name__}:{joblib.hash(np.array(thing, order='C', subok=True))}"
    if isinstance(thing, pd.DataFrame | pd.Series | pd.Index):
        return f"{type(thing).__name__}:{fingerprint(_columns(thing))}"
    if isinstance(thing, np.generic):
        return repr(thing.item())
    if isinstance(thing, Mapping):
        return "{" + ", ".join(f"{key!r}: {describe(value)}" for key, value in thing.items()) + "}"
    if isinstance(thing, list | tuple):
        return "[" + ", ".join(describe(part) for part in thing) + "]"
    if isinstance(thing, set | frozenset):
        return "{" + ", ".join(sorted(describe(part) for part in thing)) + "}"
    if isinstance(thing, functools.partial):
        return (
            f"partial({describe(thing.func)}, {describe(thing.args)}, {describe(thing.keywords)})"
        )
    if hasattr(thing, "__qualname__"):
        return f"{thing.__module__}.{thing.__qualname__}"
    if thing is None or isinstance(thing, str | bytes | int | float | bool | complex):
        return repr(thing)
    state = _state(thing)
    # What shows no state, such as a random generator, is known by what it pickles to.
    return _call(type(thing), state or {"pickled": joblib.hash(thing)})


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
    return {**held, **getattr(thing, "__dict__", {})}


def _call(kind: type, params: Mapping[str, Any]) -> str:
    listed = ", ".join(f"{name}={describe(params[name])}" for name in sorted(params))
    return f"{kind.__module__}.{kind.__qualname__}({listed})"


def fingerprint(*things: Any) -> str:
    """Shorten the descriptions of things to sixteen hexadecimal digits.

    Examples
    --------
    >>> fingerprint("J48", 10) == fingerprint("J48", 10), fingerprint("J48", 1)
    (True, '...')
    """
    return hashlib.sha256(describe(things).encode()).hexdigest()[:16]
