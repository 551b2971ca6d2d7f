"""Studies: models × data sets × repeats × folds, into a store, from which they can go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cautious.datasets import list_datasets
from cautious.errors import shown
from cautious.experiments._folds import Data, Design, Fold, Scorer, run_folds
from cautious.experiments._identity import describe, fingerprint
from cautious.experiments._store import COLUMNS, Store
from cautious.metrics import make_set_scorer
from cautious.metrics._printed_report import USUAL_MEASURES
from cautious.metrics._registry import get_measure
from cautious.progress import track

__all__ = ["Study"]

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
        Measures of :mod:`cautious.metrics`, by name or function; or a mapping of names to scorers
        ``f(estimator, X, y)``; or one function ``f(estimator, X, y)`` that gives a mapping of
        numbers. By default those of :func:`cautious.metrics.breakdown`.
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
            if not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} is {shown(value)}; give a whole number, {least} or more.")
        self.models: dict[str, Any] = dict(models)
        self.datasets: Mapping[str, Data] = _read_datasets(datasets)
        if not self.models or not self.datasets:
            raise ValueError("a study needs at least one model and one data set.")
        self.repeats: int = int(repeats)
        self.folds: int = int(folds)
        self.random_state: int = int(random_state)
        self.measures = measures
        self.preparation = preparation
        self._score = _scorer(measures)

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
            Whether to show progress and the time left on stderr; None if it is a terminal.
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
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout is {shown(timeout)}; give seconds, more than 0, or None.")
        with Store(":memory:" if store is None else store) as results:
            if store is not None:
                results.claim(self.parts())
            folds = list(self._tasks(results.done(failed_too=not retry_failures)))
            design = Design(
                *(self.datasets, self.models, self.preparation, self._score),
                *(self.folds, self.random_state),
            )
            found = run_folds(
                design, folds, n_jobs=n_jobs, timeout=timeout, isolated=store is not None
            )
            todo = sum(len(fold.models) for fold in folds)
            with track("fits", todo, show=progress) as bar:
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
            known = [name for name in results.columns if name not in COLUMNS]
            raise ValueError(f"measure is {shown(measure)}; the results have {', '.join(known)}.")
        means = results.pivot_table(
            index="dataset", columns="model", values=measure, sort=False, observed=True
        )
        return means.reindex(index=list(self.datasets), columns=list(self.models)).rename_axis(
            index="dataset", columns="model"
        )

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
        for dataset in self.datasets:
            for repeat in range(self.repeats):
                for fold in range(self.folds):
                    models = tuple(
                        name for name in self.models if (dataset, name, repeat, fold) not in done
                    )
                    if models:
                        yield Fold(dataset, repeat, fold, models)

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
        raise TypeError(
            f"datasets is {shown(datasets)}; give a list of names, [{shown(datasets)}]."
        )
    named: dict[str, Data] = dict(
        datasets if isinstance(datasets, Mapping) else zip(datasets, datasets, strict=True)
    )
    known = list_datasets().index
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
        return partial(_each, dict(measures))
    if callable(measures):
        return measures
    # Plain values whichever way is up: a store is no place for negated costs.
    return make_set_scorer(list(measures), greater_is_better=True)  # type: ignore[return-value]


def _each(scorers: Mapping[str, Any], estimator: Any, X: Any, y: Any) -> dict[str, float]:
    return {name: scorer(estimator, X, y) for name, scorer in scorers.items()}
