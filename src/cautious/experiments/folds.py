"""One fold: prepare, fit every model asked for, score it.

Each split and each model has a seed made from the study's and from names and numbers, so that a
study may be interrupted, reordered, run in parallel or extended and still gives the same numbers.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
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

__all__ = ["Design", "Fold", "error_text", "run_fold", "seed_for", "seeded"]

Scorer = Callable[[Any, Any, Any], Mapping[str, float]]
Data = tuple[Any, Any] | str


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


def run_fold(
    design: Design, fold: Fold, report: Callable[[FoldResult], None] | None = None
) -> list[FoldResult]:
    """Run every model of a fold; one that fails leaves its error, and the others go on.

    Parameters
    ----------
    design : Design
        The study.
    fold : Fold
        Which fold.
    report : callable, optional
        Told each result as soon as it is there.
    """
    started = time.perf_counter()
    said: list[str] = []
    try:
        train, test = _prepared(design, fold, said)
    except BaseException as error:  # the data or the preparation: no model can run
        if isinstance(error, KeyboardInterrupt):
            raise
        seconds = time.perf_counter() - started
        return [fold.failed(design, model, seconds, error_text(error)) for model in fold.models]
    results = []
    for model in fold.models:
        # Arrays of its own: a model may work in place.
        own_train, own_test = ((_copy(X), y.copy()) for X, y in (train, test))
        results.append(_run_model(design, fold, model, own_train, own_test, list(said)))
        if report is not None:
            report(results[-1])
    return results


def _prepared(
    design: Design, fold: Fold, said: list[str]
) -> tuple[tuple[Any, Labels], tuple[Any, Labels]]:
    data = design.datasets[fold.dataset]
    X, y = _load(data) if isinstance(data, str) else data
    y = np.asarray(y)
    train, test = _split(y, design, fold)
    X_train, X_test = _rows(X, train), _rows(X, test)
    if design.preparation is not None:
        with _listening(said):
            preparation = seeded(clone(design.preparation), _seed(design, fold))
            preparation.fit(X_train, y[train])
            X_train, X_test = preparation.transform(X_train), preparation.transform(X_test)
    return (X_train, y[train]), (X_test, y[test])


def _run_model(
    design: Design,
    fold: Fold,
    model: str,
    train: tuple[Any, Labels],
    test: tuple[Any, Labels],
    said: list[str],
) -> FoldResult:
    sizes = (len(train[1]), len(test[1]))
    seed = _seed(design, fold, model)
    measures: Mapping[str, float] = {}
    failure = None
    started = time.perf_counter()
    try:
        with _listening(said):
            classifier = _with_sets(seeded(clone(design.models[model]), seed).fit(*train))
            measures = {key: float(v) for key, v in design.score(classifier, *test).items()}
        taken = [key for key in measures if key in COLUMNS]
        if taken:
            raise ValueError(f"measure {taken[0]!r} has the name of a column of the results.")
    except BaseException as error:  # a model may end itself, but not the study
        if isinstance(error, KeyboardInterrupt):
            raise
        failure, measures = error_text(error), {}
    seconds = time.perf_counter() - started
    words = "\n".join(dict.fromkeys(said)) or None
    key = (fold.dataset, model, fold.repeat, fold.fold)
    return FoldResult(*key, seed, *sizes, seconds, measures, words, failure)


def error_text(error: BaseException) -> str:
    r"""Write an error down, whatever its message does or holds.

    Examples
    --------
    >>> error_text(ValueError("no \ud800"))
    'ValueError: no \\ud800'
    """
    return f"{type(error).__name__}: {_text(error)}"


def _text(message: object) -> str:
    try:
        text = str(message)
    except Exception:
        return "(its message cannot be shown)"
    return text.encode("utf-8", "backslashreplace").decode()


def _split(y: Labels, design: Design, fold: Fold) -> tuple[Ints, Ints]:
    """Split as every fold of this repeat does; the seed is the repeat's own."""
    seed = seed_for(design.seed, fold.dataset, fold.repeat)
    splitter = StratifiedKFold(design.n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class rarer than the folds is absent from some of them: scorers can deal with that.
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = list(splitter.split(np.zeros(len(y)), y))
    train, test = parts[fold.fold]
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


def _with_sets(classifier: Any) -> Any:
    """Let a classifier without sets be scored beside those with sets."""
    return classifier if hasattr(classifier, "predict_set") else _SingleAnswers(classifier)


@lru_cache(maxsize=4)
def _load(name: str) -> tuple[Any, Any]:
    return load_dataset(name, return_X_y=True)


def _rows(X: Any, at: Ints) -> Any:
    return X.iloc[at] if hasattr(X, "iloc") else X[at]


def _copy(X: Any) -> Any:
    return X.copy() if hasattr(X, "copy") else copy.deepcopy(X)


def _seed(design: Design, fold: Fold, *model: str) -> int:
    return seed_for(design.seed, fold.dataset, fold.repeat, fold.fold, *model)


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
