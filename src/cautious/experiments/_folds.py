"""One fold: prepare, fit every model asked for, score it.

Each split and each model has a seed made from the study's and from names and numbers, so that a
study may be interrupted, reordered, run in parallel or extended and still gives the same numbers.
"""

from __future__ import annotations

import copy
import json
import os
import re
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from signal import Signals
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
from joblib import Parallel, cpu_count, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from cautious._typing import Labels, Mask
from cautious.datasets import load_dataset
from cautious.errors import shown

try:  # joblib ships loky, and has shipped cloudpickle
    from joblib.externals import loky
except ImportError:
    import loky
try:
    import cloudpickle
except ImportError:
    from joblib.externals import cloudpickle

# How long a process may take to start, beside the time of the model.
_SECONDS_TO_START = 120
_SECONDS_BETWEEN_LOOKS = 0.2
# The more, the shorter is the time in which only the last one runs; each prepares its data anew.
_PIECES_PER_JOB = 4
_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM")

Scorer = Callable[[Any, Any, Any], Mapping[str, float]]
Data = tuple[Any, Any] | str
_Examples = tuple[Any, Labels]


@dataclass(frozen=True)
class FoldResult:
    """What one model did on one fold: its measures, or the error it failed with.

    Examples
    --------
    >>> from cautious.experiments import Store
    >>> one = Store.Result("iris", "tree", 0, 0, seed=7, n_train=135, n_test=15, seconds=0.1,
    ...                    measures={"u65": 0.95})
    >>> one.measures["u65"], one.failure
    (0.95, None)
    """

    dataset: str
    model: str
    repeat: int
    fold: int
    seed: int
    n_train: int
    n_test: int
    seconds: float
    measures: Mapping[str, float]
    warnings: str | None = None
    failure: str | None = None


STORE_COLUMNS = [each.name for each in fields(FoldResult) if each.name != "measures"]
"""Columns of the results beside the measures."""


@dataclass(frozen=True)
class Design:
    """What all folds of a study share.

    Attributes
    ----------
    datasets : mapping of str to str or tuple
        Names of bundled sets, which are loaded where the fold runs, or (X, y).
    models : mapping of str to classifier
        To be fitted.
    preparation : transformer or None
        Learned once per fold for all the models.
    score : callable
        ``score(estimator, X, y)`` gives the measures by name.
    n_folds, seed : int
        How many folds there are, and the study's seed.
    """

    datasets: Mapping[str, Data]
    models: Mapping[str, Any]
    preparation: Any
    score: Scorer
    n_folds: int
    seed: int

    def of(self, dataset: str) -> Design:
        """Give what the folds of one data set need, without the data of others."""
        return replace(self, datasets={dataset: self.datasets[dataset]})


@dataclass(frozen=True)
class Fold:
    """One fold of one data set, and the names of the models to run on it."""

    dataset: str
    repeat: int
    fold: int
    models: tuple[str, ...]

    def failed(self, design: Design, model: str, seconds: float, failure: str) -> FoldResult:
        """Give the result of a model that could not even be run to its end."""
        key = (self.dataset, model, self.repeat, self.fold)
        return FoldResult(*key, _seed(design, self, model), 0, 0, seconds, {}, None, failure)


def run_fold(design: Design, fold: Fold) -> Iterator[FoldResult]:
    """Run every model of a fold; one that fails leaves its error, and the others go on."""
    started = time.perf_counter()
    said: list[str] = []
    try:
        train, test = _prepared(design, fold, said)
    except BaseException as error:  # the data or the preparation: no model can run
        failure, seconds = _error_text(error), time.perf_counter() - started
        yield from (fold.failed(design, model, seconds, failure) for model in fold.models)
        return
    for model in fold.models:
        # Arrays of its own: a model may work in place.
        own_train, own_test = ((_copy(X), y.copy()) for X, y in (train, test))
        yield _run_model(design, fold, model, own_train, own_test, list(said))


def _all_of_fold(design: Design, fold: Fold) -> list[FoldResult]:
    return list(run_fold(design, fold))


def _prepared(design: Design, fold: Fold, said: list[str]) -> tuple[_Examples, _Examples]:
    data = design.datasets[fold.dataset]
    X, y = _load(data) if isinstance(data, str) else data
    y = np.asarray(y)
    # Every fold of this repeat splits alike; the seed is the repeat's own.
    seed = seed_for(design.seed, fold.dataset, fold.repeat)
    splitter = StratifiedKFold(design.n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class rarer than the folds is absent from some of them: scorers can deal with that.
        warnings.filterwarnings("ignore", message="The least populated class")
        train, test = list(splitter.split(np.zeros(len(y)), y))[fold.fold]
    X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
    if design.preparation is not None:
        with _listening(said):
            preparation = seeded(clone(design.preparation), _seed(design, fold))
            preparation.fit(X_train, y[train])
            X_train, X_test = preparation.transform(X_train), preparation.transform(X_test)
    return (X_train, y[train]), (X_test, y[test])


def _run_model(
    design: Design, fold: Fold, model: str, train: _Examples, test: _Examples, said: list[str]
) -> FoldResult:
    seed, failure = _seed(design, fold, model), None
    measures: Mapping[str, float] = {}
    started = time.perf_counter()
    try:
        with _listening(said):
            classifier: Any = seeded(clone(design.models[model]), seed).fit(*train)
            if not hasattr(classifier, "predict_set"):
                classifier = _SingleAnswers(classifier)
            measures = {key: float(v) for key, v in design.score(classifier, *test).items()}
        taken = [key for key in measures if key in STORE_COLUMNS]
        if taken:
            raise ValueError(f"measure {shown(taken[0])} has the name of a column of the results.")
    except BaseException as error:  # a model may end itself, but not the study
        failure, measures = _error_text(error), {}
    seconds = time.perf_counter() - started
    words = "\n".join(dict.fromkeys(said)) or None
    key = (fold.dataset, model, fold.repeat, fold.fold, seed, len(train[1]), len(test[1]))
    return FoldResult(*key, seconds, measures, words, failure)


def _error_text(error: BaseException) -> str:
    """Write an error down, whatever its message does or holds; an interruption goes on."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    return f"{type(error).__name__}: {_text(error)}"


def _text(message: object) -> str:
    try:
        text = str(message)
    except Exception:
        return "(its message cannot be shown)"
    return text.encode("utf-8", "backslashreplace").decode()


@contextmanager
def _listening(said: list[str]) -> Iterator[None]:
    """Keep warnings for the store instead of printing one for every fold."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            # An undefined measure is nan in the store, which says it all.
            said += [
                f"{w.category.__name__}: {_text(w.message)}"
                for w in heard
                if not issubclass(w.category, UndefinedMetricWarning)
            ]


class _SingleAnswers:
    """A fitted classifier without ``predict_set``, whose single answers are sets of one class."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def predict_set(self, X: Any) -> Mask:
        answers = np.asarray(self.classifier.predict(X))
        return np.asarray(answers[:, None] == np.asarray(self.classifier.classes_)[None, :])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.classifier, name)


@lru_cache(maxsize=4)
def _load(name: str) -> tuple[Any, Any]:
    return load_dataset(name, return_X_y=True)


def _copy(X: Any) -> Any:
    return X.copy() if hasattr(X, "copy") else copy.deepcopy(X)


def _seed(design: Design, fold: Fold, *model: str) -> int:
    return seed_for(design.seed, fold.dataset, fold.repeat, fold.fold, *model)


def seed_for(seed: int, *parts: str | int) -> int:
    """Make a seed from the study's seed and the names and numbers of a piece of it.

    Examples
    --------
    >>> from cautious.experiments import Study
    >>> Study.seed_for(0, "iris", 1) == Study.seed_for(0, "iris", 2)
    False
    """
    entropy = [seed, *(crc32(p.encode()) if isinstance(p, str) else p for p in parts)]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0] >> 1)  # RandomState's range


def seeded(estimator: BaseEstimator, seed: int) -> BaseEstimator:
    """Fix every ``random_state`` that was left open, in the estimator and in those inside it."""
    open_states = {
        name: seed_for(seed, name)
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return estimator.set_params(**open_states)


def run_folds(
    design: Design,
    folds: Sequence[Fold],
    *,
    n_jobs: int | None = None,
    timeout: float | None = None,
    isolated: bool = True,
) -> Iterator[list[FoldResult]]:
    """Run folds and give their results as they come, also where a model kills its process."""
    backend = get_active_backend()[0]
    elsewhere = type(backend).__name__ != "LokyBackend"
    if elsewhere and timeout is not None:
        raise ValueError(
            f"timeout is {timeout:g}, which joblib's backend {type(backend).__name__} cannot "
            "keep; leave it out, or leave joblib.parallel_config."
        )
    jobs = effective_n_jobs(n_jobs)
    folds = _shared(folds, jobs)
    if elsewhere or not (isolated or timeout is not None or jobs > 1):
        # One at a time: a batch that is killed loses all of it.
        parallel = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
        tasks = [delayed(_all_of_fold)(design.of(fold.dataset), fold) for fold in folds]
        yield from parallel(tasks) if tasks else []
        return
    with TemporaryDirectory(prefix="cautious-study-") as place:
        waiting = deque(folds)
        workers = [_Worker(design, Path(place), jobs, timeout) for _ in folds[:jobs]]
        look = None if timeout is None else _SECONDS_BETWEEN_LOOKS
        try:
            while waiting or any(worker.call for worker in workers):
                for worker in workers:
                    if waiting and not worker.call:
                        worker.start(waiting.popleft())
                busy = [worker for worker in workers if worker.call]
                wait([worker.call for worker in busy], look, FIRST_COMPLETED)
                for worker in busy:
                    worker.go_on()
                    if not worker.call:
                        if left := worker.fold.models[len(worker.found) :]:
                            waiting.appendleft(replace(worker.fold, models=left))
                        yield worker.found
        finally:
            for worker in workers:
                worker.stop()


def _shared(folds: Sequence[Fold], jobs: int) -> Sequence[Fold]:
    """Split folds by models where they are too few to keep all processes busy."""
    few = jobs > 1 and 0 < len(folds) < 2 * jobs
    parts = -(-_PIECES_PER_JOB * jobs // len(folds)) if few else 1
    return [
        replace(fold, models=models)
        for fold in folds
        for first in range(parts)
        if (models := fold.models[first::parts])
    ]


class _Worker:
    """One process, which is replaced when it has died or was ended.

    It is called once for each model of a fold, so that nothing of a fold is lost with the process
    and it is known which model killed it.
    """

    def __init__(self, design: Design, place: Path, jobs: int, timeout: float | None) -> None:
        self._design, self._place, self._jobs, self._timeout = design, place, jobs, timeout
        self._executor: Any = None
        self.call: Any = None  # which is under way

    def start(self, fold: Fold) -> None:
        """Begin a fold; its models then run one after the other."""
        shared = self._place / f"design-{list(self._design.datasets).index(fold.dataset)}"
        if not shared.exists():
            try:
                shared.write_bytes(cloudpickle.dumps(self._design.of(fold.dataset)))
            except Exception as error:
                raise TypeError(
                    "the study cannot be sent to a process of its own "
                    f"({type(error).__name__}: {error}); give models and measures that pickle, or "
                    "run it without a store in one job."
                ) from error
        if self._executor is None:
            self._executor = loky.ProcessPoolExecutor(1, env=_environment(self._jobs))
        self.fold, self._shared = fold, str(shared)
        self.found: list[FoldResult] = []
        self._call(_begin, _SECONDS_TO_START)

    def _call(self, what: Callable[[str, Fold], str], to_start: int = 0) -> None:
        self.call = self._executor.submit(what, self._shared, self.fold)
        self._processes = [*self._executor._processes.values()]
        self._since, self._to_start = time.time(), to_start

    def go_on(self) -> None:
        """Take what was found, and run the next model until the fold is over."""
        seconds, failure = time.time() - self._since, ""
        if self.call.done():
            try:
                self.found += [FoldResult(**found) for found in json.loads(self.call.result())]
            except loky.process_executor.TerminatedWorkerError as error:
                codes = re.findall(r"\{(.+)\}", str(error)) or self._exit_codes()
                failure = f"WorkerDied: the process ended by {codes[0] if codes else 'itself'}"
        elif self._timeout is None or seconds < self._timeout + self._to_start:
            return
        else:
            failure = f"TimeoutError: took longer than {self._timeout:g} s"
        left = self.fold.models[len(self.found) :]
        if failure:
            self.stop()
            self.found.append(self.fold.failed(self._design, left[0], seconds, failure))
        elif left:
            self._call(_next_result)
            return
        self.call = None

    def _exit_codes(self) -> list[str]:
        """Name the ends that loky did not wait for: a process may take a while to end."""
        names = {-each: each.name for each in Signals}
        # Where loky has replaced the process, none or several are known.
        codes: list[int] = []
        until = time.time() + _SECONDS_TO_START
        while self._processes and not codes and time.time() < until:
            time.sleep(0.01)
            codes = [one.exitcode for one in self._processes if one.exitcode is not None]
        return [f"{names.get(code, 'EXIT')}({code})" for code in codes]

    def stop(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


def _environment(jobs: int) -> dict[str, str]:
    """Share the cores among the processes, unless the user has said how many threads to use."""
    names = [f"{name}_NUM_THREADS" if "_" not in name else f"{name}_THREADS" for name in _THREADS]
    threads = max(cpu_count() // jobs, 1)
    return {name: str(threads) for name in names if name not in os.environ} if jobs > 1 else {}


def _begin(shared: str, fold: Fold) -> str:
    """Read what a fold needs, in the process."""
    _results(shared, fold)
    return "[]"


def _next_result(shared: str, fold: Fold) -> str:
    """Run the next model of the fold; results are plain, so that none can fail to travel."""
    with parallel_config("threading"):
        return json.dumps([asdict(next(_results(shared, fold)))])


@lru_cache(maxsize=1)
def _results(shared: str, fold: Fold) -> Iterator[FoldResult]:
    return run_fold(_design(shared), fold)


@lru_cache(maxsize=1)
def _design(shared: str) -> Design:
    return cloudpickle.loads(Path(shared).read_bytes())  # type: ignore[no-any-return]
