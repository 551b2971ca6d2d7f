"""One fold: prepare, fit every model asked for, score it.

Each split and each model has a seed made from the study's and from names and numbers, so that a
study may be interrupted, reordered, run in parallel or extended and still gives the same numbers.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import StratifiedKFold

from cautious._typing import Ints, Labels, Mask
from cautious.datasets import load_dataset
from cautious.experiments.store import COLUMNS, FoldResult

__all__ = ["Fold", "run_fold", "seed_for", "seeded"]

Scorer = Callable[[Any, Any, Any], Mapping[str, float]]
Data = tuple[Any, Any] | str


@dataclass(frozen=True)
class Fold:
    """One fold of one data set, and the models to run on it.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    data : str or tuple
        Name of a bundled set, which is loaded where the fold runs, or (X, y).
    repeat, fold, folds, seed : int
        Which fold of how many, and the study's seed.
    models : mapping of str to classifier
        To be fitted.
    preparation : transformer or None
        Learned once for all the models.
    score : callable
        ``score(estimator, X, y)`` gives the measures by name.
    """

    dataset: str
    data: Data
    repeat: int
    fold: int
    folds: int
    seed: int
    models: Mapping[str, Any]
    preparation: Any
    score: Scorer


def run_fold(task: Fold) -> list[FoldResult]:
    """Run every model of a fold; one that fails leaves its error, and the others go on."""
    started = time.perf_counter()
    try:
        X, y = _load(task.data) if isinstance(task.data, str) else task.data
        y = np.asarray(y)
        train, test = _split(y, task)
        X_train, X_test, y_train, y_test = _rows(X, train), _rows(X, test), y[train], y[test]
        said: list[str] = []
        if task.preparation is not None:
            with _listening(said):
                seed = seed_for(task.seed, task.dataset, task.repeat, task.fold)
                preparation = seeded(clone(task.preparation), seed).fit(X_train, y_train)
                X_train, X_test = preparation.transform(X_train), preparation.transform(X_test)
    except (Exception, SystemExit) as error:  # the data or the preparation: no model can run
        facts = (0, 0, time.perf_counter() - started)
        return [_result(task, model, *facts, error=error) for model in task.models]
    sizes = (len(train), len(test))
    return [
        _run_model(task, name, model, (X_train, y_train), (X_test, y_test), sizes, said)
        for name, model in task.models.items()
    ]


def _run_model(
    task: Fold,
    name: str,
    model: Any,
    train: tuple[Any, Labels],
    test: tuple[Any, Labels],
    sizes: tuple[int, int],
    said_before: Sequence[str],
) -> FoldResult:
    started = time.perf_counter()
    said = list(said_before)
    seed = seed_for(task.seed, task.dataset, task.repeat, task.fold, name)
    measures: Mapping[str, float] = {}
    failure: BaseException | None = None
    try:
        with _listening(said):
            classifier = _with_sets(seeded(clone(model), seed).fit(*train))
            measures = {key: float(value) for key, value in task.score(classifier, *test).items()}
        taken = [key for key in measures if key in COLUMNS]
        if taken:
            raise ValueError(f"measure {taken[0]!r} has the name of a column of the results.")
    except (Exception, SystemExit) as error:  # a model may end itself, but not the study
        failure, measures = error, {}
    seconds = time.perf_counter() - started
    return _result(task, name, *sizes, seconds, measures, said, failure)


def _result(
    task: Fold,
    model: str,
    n_train: int,
    n_test: int,
    seconds: float,
    measures: Mapping[str, float] | None = None,
    said: Sequence[str] = (),
    error: BaseException | None = None,
) -> FoldResult:
    return FoldResult(
        task.dataset,
        model,
        task.repeat,
        task.fold,
        seed_for(task.seed, task.dataset, task.repeat, task.fold, model),
        n_train,
        n_test,
        seconds,
        measures or {},
        "\n".join(dict.fromkeys(said)) or None,
        None if error is None else f"{type(error).__name__}: {error}",
    )


def _split(y: Labels, task: Fold) -> tuple[Ints, Ints]:
    """Split as every fold of this repeat does; the seed is the repeat's own."""
    seed = seed_for(task.seed, task.dataset, task.repeat)
    splitter = StratifiedKFold(task.folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class rarer than the folds is absent from some of them: scorers can deal with that.
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = list(splitter.split(np.zeros(len(y)), y))
    train, test = parts[task.fold]
    return train, test


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
                f"{w.category.__name__}: {w.message}"
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


def _with_sets(classifier: Any) -> Any:
    """Let a classifier without sets be scored beside those with sets."""
    return classifier if hasattr(classifier, "predict_set") else _SingleAnswers(classifier)


@lru_cache(maxsize=4)
def _load(name: str) -> tuple[Any, Any]:
    return load_dataset(name, return_X_y=True)


def _rows(X: Any, at: Ints) -> Any:
    return X.iloc[at] if hasattr(X, "iloc") else X[at]


def seed_for(seed: int, *parts: str | int) -> int:
    """Make a seed from the study's seed and the names and numbers of a piece of it.

    Examples
    --------
    >>> len({seed_for(0, "iris", 1), seed_for(0, "iris", 1), seed_for(0, "iris", 2)})
    2
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
