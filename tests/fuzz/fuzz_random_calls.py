"""Random calls of every public function: an answer or a refusal, never another error, never a hang.

``python -m tests.fuzz.fuzz_random_calls 1000000 --seed 1`` makes so many calls in this process and
prints what came of them; ``test_random_calls`` makes fewer.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import decimal
import fractions
import inspect
import io
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse
from tests.fuzz.fuzz_calls import CALLS as CALLS_WITH_ARRAYS
from tests.fuzz.fuzz_calls import public_names
from tests.fuzz.fuzz_containers import LIARS, disguises
from tests.fuzz.fuzz_estimators import estimator_calls, other_estimator_calls

import cautious
from cautious.metrics import MEASURES

REFUSALS = (ValueError, TypeError, NotImplementedError, OverflowError, OSError, ImportError)
"""What a caller may meet: everything else is a fault of ours."""

SECONDS = 30
"""Processor time after which a call hangs; other work on the machine does not count."""

LONGEST = 1500
"""Characters of the longest message that anybody reads."""

PLAIN = {"name", "n", "n_classes"}
"""Arguments that our own functions give, and that are shown as they are."""

SLOW = ("models.", "preparation.", "metrics.bootstrap", "utility.crossover", "curves.best_bias")


class HangError(BaseException):
    """A call took too long."""


def _structured(masked: bool) -> Any:
    rows = np.array([(1, 2.0), (0, 3.0), (1, 0.5)], dtype=[("a", int), ("b", float)])
    return np.ma.masked_array(rows, [(0, 1), (0, 0), (0, 0)]) if masked else rows


def _nested() -> list[Any]:
    deep: list[Any] = [1]
    for _ in range(40):
        deep = [deep]
    return deep


def _looped() -> list[Any]:
    ring: list[Any] = [1]
    ring.append(ring)
    return ring


# Things that are given by mistake, or by somebody who means harm; made anew for each call.
THINGS: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: 3,
    lambda: -1,
    lambda: 0,
    lambda: True,
    lambda: 10**30,
    lambda: 0.5,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: 1e308,
    lambda: 5e-324,
    lambda: 1j,
    lambda: "",
    lambda: "u65",
    lambda: "ash",
    lambda: "\ud800",
    lambda: "x" * 2000,
    lambda: b"ash",
    list,
    dict,
    tuple,
    set,
    object,
    lambda: Ellipsis,
    lambda: len,
    lambda: int,
    lambda: range(8),
    lambda: iter([1, 0, 1]),
    lambda: slice(3),
    lambda: [None] * 8,
    lambda: ["ash", 1, None],
    lambda: [[0.5, 0.5], [1.0]],
    lambda: {"a": [1, 2]},
    lambda: {"ash": 1, "elm": 2, "oak": 3},
    lambda: {0.5, 0.25},
    lambda: np.array(5),
    lambda: np.array([]),
    lambda: np.empty((0, 3)),
    lambda: np.empty((3, 0)),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.arange(8),
    lambda: np.arange(24).reshape(8, 3),
    lambda: np.full(8, 1e308),
    lambda: np.full((8, 3), 5e-324),
    lambda: np.array(["a"] * 8),
    lambda: np.array([object()] * 8, dtype=object),
    lambda: np.array([[1, 2], [3, 4]]).T,
    lambda: np.float64(0.25),
    lambda: np.datetime64("2020-01-01"),
    lambda: np.timedelta64(3, "s"),
    lambda: _structured(False),
    lambda: _structured(True),
    lambda: np.ma.masked,
    lambda: np.ma.masked_all(8),
    lambda: np.matrix([[1, 0], [0, 1]]),
    lambda: sparse.coo_array(np.array([0, 1, 1])),
    lambda: sparse.csr_matrix(np.eye(3)),
    pd.DataFrame,
    lambda: pd.Series([0.1, 0.9]),
    lambda: pd.Series(["a", None] * 4),
    lambda: pd.DataFrame({"ash": [1.0, 0.0], "elm": [0.0, 1.0]}),
    lambda: pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
    lambda: pd.Categorical(["a", "b"] * 4),
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: pd.date_range("2020", periods=8),
    lambda: pd.MultiIndex.from_product([[0, 1], [0, 1, 2, 3]]),
    lambda: pa.array([0.25, None, 0.5]),
    lambda: pa.table({"a": [1, 2]}),
    lambda: memoryview(b"12345678"),
    lambda: bytearray(8),
    lambda: datetime.date(2020, 1, 1),
    lambda: decimal.Decimal("0.5"),
    lambda: decimal.Decimal("NaN"),
    lambda: np.arange(500),
    lambda: np.arange(500) / 499,
    lambda: list(range(500)),
    lambda: fractions.Fraction(1, 3),
    _nested,
    _looped,
    lambda: sys,
    lambda: (x for x in ()),
    lambda: np.random.default_rng(0),
    lambda: Exception("x"),
)


def _changed(values: np.ndarray, rng: np.random.Generator) -> Any:
    """The same kind of values, but others, fewer, more, or in another shape."""
    how = rng.integers(9)
    if how == 0:
        return values[: rng.integers(len(values) + 1)]
    if how == 1:
        return np.concatenate([values, values])
    if how == 2:
        return values[rng.permutation(len(values))]
    if how == 3:
        return values[rng.integers(0, len(values), len(values))]
    if how == 4:
        return values.T
    if how == 5:
        return np.resize(values, rng.integers(0, 5, 2))
    if values.dtype.kind not in "fiub":
        return values.astype(object)
    if how == 6:
        with np.errstate(all="ignore"):
            return values.astype(np.float64) * rng.choice([0, -1, 2, 1e-300, 1e300, np.inf])
    if how == 7:
        spoilt = values.astype(np.float64)
        spoilt.flat[rng.integers(spoilt.size)] = rng.choice([np.nan, np.inf, -np.inf, -1, 2, 1e308])
        return spoilt
    return rng.random(values.shape)


def _arguments(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Arguments of a function that have a name."""
    try:
        found = inspect.signature(function).parameters.values()
    except ValueError:  # of some types nothing is known
        return []
    return [one for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def _anything() -> dict[str, Callable[..., Any]]:
    """Public functions and class methods by name, to be called with anything."""
    found: dict[str, Callable[..., Any]] = {}
    for name in public_names():
        package, own = name.split(".")
        if package in LEFT_OUT or name in LEFT_OUT:
            continue
        function = getattr(getattr(cautious, package), own)
        found[f"{name}()"] = function
        if inspect.isclass(function):
            methods = [key for key, one in vars(function).items() if isinstance(one, classmethod)]
            # Constructors called `of…` take what was checked at the door, and trust it.
            offered = [key for key in methods if key[0] != "_" and not key.startswith("of")]
            found |= {f"{name}.{key}()": getattr(function, key) for key in offered}
    return found


# Whatever starts processes or runs for hours; makers of text for messages; what takes arrays that
# find_rule has checked.
LEFT_OUT = {
    *("experiments", "errors", "models.check_cautious_estimator"),
    "curves.ClassThresholdCurve",
}
ANYTHING = _anything()
CALLS = {**CALLS_WITH_ARRAYS, **other_estimator_calls()}
ESTIMATORS = sorted({*estimator_calls(), *other_estimator_calls()})
"""Calls that fit an estimator, with odd parameters and odd examples, and ask it for sets."""

OPTIONS = {
    name: [
        one.name
        for one in _arguments(call.function)
        if one.default is not one.empty and one.name not in (*call.arrays, *call.others)
    ]
    for name, call in CALLS.items()
}


def _any_call(name: str, rng: np.random.Generator) -> tuple[str, Callable[[], Any], Any]:
    """A function of which every argument is anything."""
    function, first, odd = ANYTHING[name], [], {}
    for one in _arguments(function):
        if one.default is not one.empty and rng.random() > 0.2:
            continue
        if one.name.endswith("_kwargs"):  # passed on to matplotlib as they are
            continue
        thing = THINGS[rng.integers(len(THINGS))]()
        if one.kind is one.POSITIONAL_ONLY:
            first.append(thing)
        else:
            odd[one.name] = thing
    return name, lambda: function(*first, **odd), {**dict(enumerate(first)), **odd}


def random_call(rng: np.random.Generator, names: list[str]) -> tuple[str, Callable[[], Any], Any]:
    """A function with one to three arguments that are odd, and what these are."""
    name = names[rng.integers(len(names))]
    if name in ANYTHING:
        return _any_call(name, rng)
    call = CALLS[name]
    given = [*call.arrays, *call.others, *OPTIONS[name]]
    odd: dict[str, Any] = {}
    for argument in rng.permutation(given)[: rng.integers(1, 4)].tolist():
        choice = rng.integers(4)
        kind, values = call.arrays.get(argument, ("", None))
        if kind and choice == 0:
            odd[argument] = _changed(values, rng)
        elif kind and choice == 1:
            lies = list(LIARS[kind].values()) or list(disguises(kind, values).values())
            odd[argument] = lies[rng.integers(len(lies))](values)
        elif kind and choice == 2:
            others = list(disguises(kind, values).values())
            odd[argument] = others[rng.integers(len(others))](values)
        else:
            odd[argument] = THINGS[rng.integers(len(THINGS))]()
    if not odd:  # a function of no arguments that we know
        return name, call, odd
    return name, lambda: call(**odd), odd


@dataclass
class Outcome:
    """What came of many calls."""

    answers: int = 0
    refusals: int = 0
    raw: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    hangs: list[str] = field(default_factory=list)
    examples: dict[tuple[str, str, str], str] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """All of them."""
        return self.answers + self.refusals + self.raw.total() + len(self.hangs)

    def add_raw(self, name: str, what: str, error: Exception, odd: Any) -> None:
        """Write down a fault of ours, and what brought it about."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        key = (name, what, f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}")
        self.raw[key] += 1
        shown = {argument: repr(value)[:80] for argument, value in odd.items()}
        self.examples.setdefault(key, f"{shown}: {error}"[:400])

    def __str__(self) -> str:
        lines = [
            f"{self.calls:,} calls: {self.answers:,} answers, {self.refusals:,} refusals, "
            f"{self.raw.total():,} raw errors, {len(self.hangs)} hangs"
        ]
        lines += [f"  {n:6} {' '.join(key)}" for key, n in self.raw.most_common(60)]
        return "\n".join([*lines, *(f"  hang: {name}" for name in self.hangs[:20])])


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in a folder of its own: some calls write files, whatever they are called."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, ring)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def try_calls(
    n: int, seed: int, *, names: list[str] | None = None, seconds: float | None = None
) -> Outcome:
    """Make `n` calls, or as many as there are seconds for."""
    rng, found = np.random.default_rng(seed), Outcome()
    every = [*sorted(CALLS), *sorted(ANYTHING)] if names is None else names
    # Estimators take a hundred times as long; they are called a thirtieth as often.
    quick = [name for name in every if not name.startswith(SLOW)] or every
    until = None if seconds is None else time.monotonic() + seconds
    # Calls may enter measures, which others would find.
    kept = patch.dict(MEASURES)
    with _elsewhere(), _alarm(), kept, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(n):
            if until is not None and time.monotonic() > until:
                break
            name, call, odd = random_call(rng, every if rng.random() < 0.03 else quick)
            _try(name, call, odd, found)
    return found


def _is_ours(error: BaseException) -> bool:
    """Whether the words of an error are ours."""
    return "cautious" in traceback.extract_tb(error.__traceback__)[-1].filename.split(os.sep)


def _try(name: str, call: Callable[[], Any], odd: Any, found: Outcome) -> None:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            call()
        found.answers += 1
    except REFUSALS as error:
        if _is_ours(error) and not PLAIN & set(odd) and len(str(error)) > LONGEST:
            found.add_raw(name, "a long message", error, odd)
        else:
            found.refusals += 1
    except HangError:
        found.hangs.append(name)
    except Exception as error:
        found.add_raw(name, type(error).__name__, error, odd)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", default="", help="functions whose name holds this")
    parser.add_argument("--estimators", action="store_true", help="only fits of estimators")
    parser.add_argument("--examples", action="store_true")
    args = parser.parse_args()
    every = ESTIMATORS if args.estimators else [*sorted(CALLS), *sorted(ANYTHING)]
    names = [name for name in every if args.only in name]
    found = try_calls(args.n, args.seed, names=names, seconds=args.seconds)
    sys.stdout.write(f"{found}\n")
    if args.examples:
        for key, words in found.examples.items():
            sys.stdout.write(f"{key}\n    {words}\n")


if __name__ == "__main__":
    main()
