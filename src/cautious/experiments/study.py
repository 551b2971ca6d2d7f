"""Studies: models × data sets × repeats × folds, into a store, from which they can go on."""

from __future__ import annotations

import dis
import functools
import hashlib
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path, PurePath
from pydoc import locate
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from cautious._checks import as_count
from cautious._typing import as_number
from cautious.datasets import list_datasets
from cautious.errors import check_kind, shown
from cautious.experiments._folds import (
    STORE_COLUMNS,
    Data,
    Design,
    Fold,
    Scorer,
    run_folds,
    seed_for,
)
from cautious.experiments._store import Store
from cautious.metrics import make_set_scorer
from cautious.metrics._printed_report import USUAL_MEASURES
from cautious.metrics._registry import get_measure
from cautious.progress import track

Measures = (
    Sequence[str | Callable[..., Any]]
    | Mapping[str, Callable[[Any, Any, Any], float]]
    | Callable[[Any, Any, Any], Mapping[str, float]]
)


class Study:
    r"""A comparison by repeated stratified cross-validation, resumable and repeatable.

    Results go to a store as they come, one row per model and fold. A study that was interrupted,
    even by ``kill -9``, goes on where it was; one that is run again from the same store computes
    nothing; one that has grown by models, data sets or repeats computes only what is new. Numbers
    depend on the seed and on names only, not on the order, the number of processes or what else
    is in the study.

    Parameters
    ----------
    models : mapping of str to classifier
        Names and classifiers. One without ``predict_set`` is scored by its single answers. Every
        ``random_state`` that is None is given a seed of its own.
    datasets : sequence of str, or mapping of str to (X, y)
        Names of bundled data sets, or data of your own under names of your choice; a mapping may
        hold names of bundled sets too.
    repeats, folds : int, default=1, 10
        Repeats of stratified cross-validation, each with other folds, and the number of folds.
    measures : sequence, mapping or callable, optional
        Measures of :mod:`cautious.metrics`, by name (one may stand alone) or function; or a mapping
        of names to scorers ``f(estimator, X, y)``; or one function ``f(estimator, X, y)`` that
        gives a mapping of numbers. By default those of :func:`cautious.metrics.breakdown`.
    preparation : transformer, optional
        Learned on the training part of each fold, once for all models. For one model only, put it
        in a :class:`cautious.models.CautiousPipeline`.
    random_state : int, default=0
        Seed of everything.

    Examples
    --------
    >>> from cautious.experiments import Study
    >>> from cautious.models import NaiveCredalClassifier
    >>> from cautious.preparation import MDLDiscretizer
    >>> study = Study({"s=1": NaiveCredalClassifier(), "s=2": NaiveCredalClassifier(s=2)},
    ...               ["iris", "zoo"], folds=5, measures=["u65", "determinacy"],
    ...               preparation=MDLDiscretizer())
    >>> results = study.run()
    >>> len(results), int(results["failure"].notna().sum())
    (20, 0)
    >>> study.table(results, "determinacy").round(2).loc["zoo"].to_dict()
    {'s=1': 0.81, 's=2': 0.73}
    """

    seed_for = staticmethod(seed_for)

    def __init__(
        self,
        models: Mapping[str, Any],
        datasets: Sequence[str] | Mapping[str, Data],
        *,
        repeats: int = 1,
        folds: int = 10,
        measures: Measures = USUAL_MEASURES,
        preparation: Any = None,
        random_state: int = 0,
    ) -> None:
        numbers = (repeats, "repeats", 1), (folds, "folds", 2), (random_state, "random_state", 0)
        for value, name, least in numbers:
            as_count(value, name, least)
        check_kind(models, Mapping, "models", "classifiers by name")
        self.models: dict[str, Any] = dict(models)
        self.datasets: Mapping[str, Data] = _read_datasets(datasets)
        if not self.models or not self.datasets:
            raise ValueError("a study needs at least one model and one data set.")
        self.repeats: int = int(repeats)
        self.folds: int = int(folds)
        self.random_state: int = int(random_state)
        self.measures: Measures = [measures] if isinstance(measures, str) else measures
        self.preparation = preparation
        self._score = _scorer(self.measures)

    def run(
        self,
        store: str | Path | None = None,
        *,
        n_jobs: int | None = None,
        timeout: float | None = None,
        progress: bool | None = None,
        retry_failures: bool = False,
    ) -> pd.DataFrame:
        """Run what has not been run yet, and give all results.

        With a store, several jobs or a timeout, folds run in processes of their own: a model that
        crashes, ends its process or takes too long is written down as failed, and the study goes
        on.

        Parameters
        ----------
        store : path, optional
            SQLite file to write to and to go on from. None keeps the results in memory.
        n_jobs : int, optional
            Processes, as joblib takes it. Inside ``joblib.parallel_config(backend="dask")`` the
            folds run on the cluster. Only this process writes to the store.
        timeout : float, optional
            Seconds that a model may take on a fold, with the preparation; then it has failed.
        progress : bool, optional
            Whether to show progress on stderr once that takes long; by default it is shown.
        retry_failures : bool, default=False
            Run what failed once more.

        Returns
        -------
        DataFrame
            One row per model and fold, sorted, with the columns ``dataset``, ``model``, ``repeat``,
            ``fold``, ``seed``, ``n_train``, ``n_test``, ``seconds``, ``warnings``, ``failure``
            (the error, where a model failed), and one column per measure.

        Raises
        ------
        DifferentStudyError
            If the store holds results of other models, data or measures under the same names.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> study = Study({"NB": GaussianNB()}, ["iris"], folds=2, measures=["error"])
        >>> study.run()[["dataset", "model", "fold", "n_test", "error"]].round(3)
          dataset model  fold  n_test  error
        0    iris    NB     0      75  0.040
        1    iris    NB     1      75  0.053
        """
        if timeout is not None:
            words = "give seconds, more than 0, or None"
            timeout = as_number(timeout, "timeout", np.nextafter(0, 1), words=words)
        with Store(":memory:" if store is None else store) as results:
            if store is not None:
                results.claim(self.parts())
            folds = list(self._tasks(results.done(failed_too=not retry_failures)))
            how = self.preparation, self._score, self.folds, self.random_state
            design, isolated = Design(self.datasets, self.models, *how), store is not None
            found = run_folds(design, folds, n_jobs=n_jobs, timeout=timeout, isolated=isolated)
            todo = sum(len(fold.models) for fold in folds)
            with track("fits", todo, show=progress is not False) as bar:
                for rows in found:
                    results.add(rows)
                    bar.advance(len(rows))
            return self._own(results.frame())

    def results(self, store: str | Path) -> pd.DataFrame:
        """Read what a store holds of this study, finished or not, without running anything.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from cautious.experiments import Store, Study
        >>> study = Study({"NB": GaussianNB()}, ["iris"], folds=2, measures=["error"])
        >>> with TemporaryDirectory() as folder:
        ...     with Store(Path(folder) / "study.db") as store:
        ...         store.claim(study.parts())
        ...     len(study.results(Path(folder) / "study.db"))
        0
        """
        with Store(store, read_only=True) as results:
            results.check(self.parts())
            return self._own(results.frame())

    def table(self, results: pd.DataFrame, measure: str) -> pd.DataFrame:
        """Average a measure over folds: one row per data set, one column per model.

        So :mod:`cautious.comparison` takes it. Folds in which the measure is undefined are left
        out of the average.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from cautious.models import NondeterministicClassifier
        >>> models = {"NB": GaussianNB(), "sets": NondeterministicClassifier(GaussianNB())}
        >>> study = Study(models, ["iris"], folds=2, measures=["u65"])
        >>> study.table(study.run(), "u65").round(3)
        model       NB  sets
        dataset
        iris     0.953  0.96
        """
        if measure not in results:
            known = [name for name in results.columns if name not in STORE_COLUMNS]
            raise ValueError(f"measure is {shown(measure)}; the results have {', '.join(known)}.")
        means = results.pivot_table(measure, "dataset", "model", sort=False, observed=True)
        table = means.reindex(index=list(self.datasets), columns=list(self.models))
        return table.rename_axis(index="dataset", columns="model")

    def parts(self) -> dict[tuple[str, str], str]:
        """Describe what the results depend on; a store refuses to go on if a part has changed.

        Raises
        ------
        TypeError
            If a part, such as an open file in a model, cannot be told from another.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> study = Study({"NB": GaussianNB()}, ["iris"])
        >>> study.parts()["design", "folds"]
        '10'
        """
        measures = self.measures if callable(self.measures) else _plain(self.measures)
        things: dict[tuple[str, str], Any] = {
            **{("model", name): model for name, model in self.models.items()},
            **{("data set", name): _data_identity(data) for name, data in self.datasets.items()},
            ("design", "folds"): self.folds,
            ("design", "random_state"): self.random_state,
            ("design", "measures"): measures,
            ("design", "preparation"): self.preparation,
        }
        found = {}
        for (kind, name), thing in things.items():
            try:
                found[kind, name] = describe(thing)
            except TypeError as error:
                raise TypeError(
                    f"{kind} {shown(name)} cannot be known again: {error}. Give it something else, "
                    "or run the study without a store."
                ) from error
        return found

    def fingerprint(self) -> str:
        """Sixteen digits that say whether two studies are the same.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> one, other = (Study({"NB": GaussianNB()}, ["iris"], folds=k) for k in (5, 10))
        >>> one.fingerprint() == other.fingerprint(), len(one.fingerprint())
        (False, 16)
        """
        return fingerprint(sorted(self.parts().items()), self.repeats)

    def _tasks(self, done: set[tuple[str, str, int, int]]) -> Iterator[Fold]:
        for at in product(self.datasets, range(self.repeats), range(self.folds)):
            dataset, *numbers = at
            left = tuple(name for name in self.models if (dataset, name, *numbers) not in done)
            if left:
                yield Fold(*at, left)

    def _own(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Keep the rows of this study; the store may have grown from a larger one."""
        own = (
            frame["dataset"].isin(list(self.datasets))
            & frame["model"].isin(list(self.models))
            & (frame["repeat"] < self.repeats)
        )
        return frame[own].reset_index(drop=True)


def _read_datasets(datasets: Sequence[str] | Mapping[str, Data]) -> dict[str, Data]:
    if isinstance(datasets, str):
        given = shown(datasets)
        raise TypeError(f"datasets is {given}; give a list of names, [{given}].")
    if not isinstance(datasets, Mapping):
        datasets = {name: name for name in datasets}
    named, known = dict(datasets), list_datasets().index
    for name, data in named.items():
        if isinstance(data, str) and data not in known:
            raise ValueError(
                f"datasets names {shown(data)}, which is not bundled; see "
                "cautious.datasets.list_datasets(), or give {name: (X, y)}."
            )
        if not isinstance(data, str) and len(data) != 2:
            raise ValueError(
                f"data set {shown(name)} must be a pair (X, y) or a bundled set's name."
            )
    return named


def _data_identity(data: Data) -> Any:
    if isinstance(data, str):
        # The same cells read as numbers instead of categories are other data.
        facts = list_datasets()
        return [data, facts["sha256"][data], facts["nominal_features"][data]]
    return [np.asarray(part) if isinstance(part, list) else part for part in data]


def _plain(measures: Any) -> Any:
    """Name measures by their names, however they were given."""
    if isinstance(measures, Mapping):
        return dict(measures)
    return [get_measure(which).name if hasattr(which, "measure") else which for which in measures]


def _scorer(measures: Measures) -> Scorer:
    if isinstance(measures, Mapping):
        scorers = dict(measures)
        return lambda *given: {name: scorer(*given) for name, scorer in scorers.items()}
    if callable(measures):
        return measures
    # Plain values whichever way is up: a store is no place for negated costs.
    return make_set_scorer(list(measures), greater_is_better=True)  # type: ignore[return-value]


# What a study is made of, in words that are the same tomorrow and on another machine. A store goes
# on only if the models, data and measures are those it knows. Names alone do not tell: two lambdas
# have one name, and a class that was redefined in a notebook keeps its own. What belongs to an
# installed library is known by its name, everything else by its code, too.

# Parts of a class that say nothing about what it does, or differ from run to run.
_SKIPPED = {
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__"),
    *("__static_attributes__", "__annotations__", "__annotate__", "__annotate_func__"),
    *("__annotations_cache__", "__abstractmethods__", "_abc_impl", "__orig_bases__"),
    "__slotnames__",  # left by pickling
}
_PLAIN = (str, bytes, int, float, bool, complex, type(None))


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
        if hasattr(thing, "get_params") and not isinstance(thing, type):
            return self._estimator(thing)
        if isinstance(thing, os.PathLike):
            return f"{_name(type(thing))}({os.fspath(thing)!r})"
        if thing is np.random.mtrand._rand:  # the one of everybody, in whatever state it is
            return "numpy.random"
        for kinds, told in _TOLD.items():
            if isinstance(thing, kinds):
                return told(self, thing)
        return self._object(thing)

    def _array(self, thing: Any) -> str:
        if thing.dtype.hasobject:
            return f"{type(thing).__name__}:{thing.shape}{self._short(thing.tolist())}"
        # joblib looks at strides, too: a view must be described as its copy is.
        return f"{type(thing).__name__}:{joblib.hash(np.array(thing, order='C', subok=True))}"

    def _listed(self, parts: Iterable[Any]) -> str:
        return ", ".join(map(self.of, parts))

    def _mapping(self, thing: Mapping[Any, Any]) -> str:
        pairs = (f"{self.of(key)}: {self.of(value)}" for key, value in thing.items())
        return "{" + ", ".join(pairs) + "}"

    def _short(self, parts: Any) -> str:
        return _digest(self._found(parts))

    def _estimator(self, thing: Any) -> str:
        # A clone has the parameters and nothing else, unless the estimator says otherwise, as a
        # frozen one does: then what it has learned matters.
        clones = getattr(type(thing), "__sklearn_clone__", BaseEstimator.__sklearn_clone__)
        kept = clones is not BaseEstimator.__sklearn_clone__
        if not (self.whole or kept):
            return self._call(type(thing), thing.get_params(deep=False))
        before, self.whole = self.whole, True
        try:
            return self._call(type(thing), vars(thing))
        finally:
            self.whole = before

    def _call(self, kind: type, params: Mapping[str, Any]) -> str:
        listed = ", ".join(f"{name}={self.of(params[name])}" for name in sorted(params))
        return f"{self.of(kind)}({listed})"

    def _object(self, thing: Any) -> str:
        # What an object holds, whether in slots or in a dict.
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        state = {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
        state |= getattr(thing, "__dict__", {})
        state.pop("__doc__", None)
        if not state:
            # What shows no state, such as a random generator, is known by what it pickles to.
            try:
                state = {"pickled": joblib.hash(thing)}
            except Exception as error:
                kind = _name(type(thing))
                raise TypeError(f"a {kind} cannot be told from another one ({error})") from error
        return self._call(type(thing), state)

    def _named(self, thing: Any) -> str:
        owner = getattr(thing, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return f"{thing.__name__} of {self.of(owner)}"
        return _name(thing)

    def _function(self, thing: types.FunctionType) -> str:
        if _is_named(thing):
            return _name(thing)
        facts: list[Any] = []
        if not _is_library(thing.__module__):  # else its code is the library's
            names = sorted(set(_global_names(thing.__code__)) & set(thing.__globals__))
            known = [(name, self._told(thing.__globals__[name])) for name in names]
            facts = [thing.__code__, vars(thing), *known]
        cells = [_content(cell) for cell in thing.__closure__ or ()]
        facts += [thing.__defaults__, thing.__kwdefaults__, cells]
        return f"{_name(thing)}#{self._short(facts)}"

    def _class(self, thing: type) -> str:
        if _is_named(thing):
            return _name(thing)
        parts: dict[str, Any] = {"bases": thing.__bases__}
        for name, value in vars(thing).items():
            if name not in _SKIPPED and not isinstance(value, _DESCRIPTORS):
                parts[name] = self._told(_unwrapped(value))
        return f"{_name(thing)}#{self._short(parts)}"

    def _vectorized(self, thing: np.vectorize) -> str:
        """Describe it without what it has cached."""
        names = ("pyfunc", "otypes", "signature", "excluded")
        return self._call(type(thing), {name: getattr(thing, name) for name in names})

    def _code(self, code: types.CodeType) -> str:
        facts = [
            *(code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars),
            *(code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags),
        ]
        return f"code:{self._short(facts)}"

    def _told(self, value: Any) -> Any:
        """Give what a class or a function finds around it, or its type if no more can be told."""
        kinds = (*_PLAIN, np.generic, BaseEstimator, *_TOLD)
        with suppress(TypeError):
            if isinstance(value, kinds) or not _is_library(type(value).__module__):
                return self.of(value)
        return _name(type(value))


# What is described otherwise than by its class and what it holds; what comes first counts.
_TOLD: dict[Any, Callable[[_Description, Any], str]] = {
    type: _Description._class,
    np.ndarray: _Description._array,
    (pd.DataFrame, pd.Series, pd.Index): lambda told, thing: (
        f"{type(thing).__name__}:{told._short(_columns(thing))}"
    ),
    Mapping: _Description._mapping,
    (list, tuple): lambda told, thing: f"[{told._listed(thing)}]",
    (set, frozenset): lambda told, thing: "{" + ", ".join(sorted(map(told.of, thing))) + "}",
    partial: lambda told, f: f"partial({told._listed([f.func, f.args, f.keywords])})",
    types.MethodType: lambda told, f: f"{told.of(f.__func__)} of {told.of(f.__self__)}",
    types.FunctionType: _Description._function,
    types.ModuleType: lambda told, module: module.__name__,
    types.CodeType: _Description._code,
    types.BuiltinFunctionType: _Description._named,
    types.MethodDescriptorType: _Description._named,
    types.WrapperDescriptorType: _Description._named,
    np.vectorize: _Description._vectorized,
}
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


def _is_named(thing: Any) -> bool:
    """Whether a class or function is what a library has under its name."""
    return _is_library(thing.__module__) and locate(_name(thing)) is thing


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
