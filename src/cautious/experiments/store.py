"""The result store: one SQLite file, one row a model and fold.

The file is in write-ahead mode and every fold is one transaction. A process killed at any moment
leaves a store that holds every fold it had finished, and nothing by halves.
"""

from __future__ import annotations

import json
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pandas as pd

__all__ = ["DifferentStudyError", "FoldResult", "Store", "versions"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS parts (
    kind TEXT, name TEXT, description TEXT, PRIMARY KEY (kind, name)
);
CREATE TABLE IF NOT EXISTS runs (started TEXT, versions TEXT);
CREATE TABLE IF NOT EXISTS folds (
    dataset TEXT, model TEXT, repeat INTEGER, fold INTEGER, seed INTEGER,
    n_train INTEGER, n_test INTEGER, seconds REAL, measures TEXT, warnings TEXT, failure TEXT,
    PRIMARY KEY (dataset, model, repeat, fold)
);
"""
_KEYS = ["dataset", "model", "repeat", "fold"]
COLUMNS = [*_KEYS, "seed", "n_train", "n_test", "seconds", "warnings", "failure"]
"""Columns of the results beside the measures."""


class DifferentStudyError(ValueError):
    """The store holds results of a study that is not this one."""


class _UnusableStoreError(ValueError):
    """The file is damaged, in use or something else than a store."""


@dataclass(frozen=True)
class FoldResult:
    """What one model did on one fold: its measures, or the error it failed with."""

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


class Store:
    """A file of results; use it as a context manager.

    Parameters
    ----------
    path : path or ":memory:"
        The SQLite file; made if it is not there, and so are the folders it lies in.

    Examples
    --------
    >>> with Store(":memory:") as store:
    ...     store.add([FoldResult("iris", "NCC", 0, 0, 7, 135, 15, 0.1, {"u65": 0.9})])
    ...     store.frame()[["dataset", "model", "u65"]].values.tolist()
    [['iris', 'NCC', 0.9]]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        if self.path != ":memory:":
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        with self._used():
            # Autocommit: transactions are opened where they are meant.
            self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.executescript(_SCHEMA)
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._db.close()

    def claim(self, parts: Mapping[tuple[str, str], str]) -> None:
        """Enter the parts of a study, or refuse if the store knows one of them as another.

        Parts that are new are added: a study may grow by models, data sets and repeats.

        Parameters
        ----------
        parts : mapping of (kind, name) to description

        Raises
        ------
        DifferentStudyError
            Says which part differs, and how.
        """
        with self._writing():
            known = self.check(parts)
            rows = [(*key, text) for key, text in parts.items() if key not in known]
            self._db.executemany("INSERT INTO parts VALUES (?, ?, ?)", rows)
            started = datetime.now(UTC).isoformat(timespec="seconds")
            self._db.execute("INSERT INTO runs VALUES (?, ?)", (started, json.dumps(versions())))

    def check(self, parts: Mapping[tuple[str, str], str]) -> set[tuple[str, str]]:
        """Refuse a study that the store knows otherwise; give the parts it knows.

        Raises
        ------
        DifferentStudyError
            Says which part differs, and how.
        """
        with self._used():
            rows = self._db.execute("SELECT kind, name, description FROM parts").fetchall()
        known = {(kind, name): text for kind, name, text in rows}
        for (kind, name), text in parts.items():
            before = known.get((kind, name), text)
            if before != text:
                raise DifferentStudyError(
                    f"{self.path} holds another study: its {kind} {name!r} is {before}, this "
                    f"study's is {text}. Give another store, or another name to what changed."
                )
        return set(known)

    def add(self, results: Iterable[FoldResult]) -> None:
        """Write what was found on a fold, all of it or nothing."""
        rows = [
            (
                *(r.dataset, r.model, r.repeat, r.fold, r.seed, r.n_train, r.n_test, r.seconds),
                *(json.dumps(_without_nan(r.measures)), r.warnings, r.failure),
            )
            for r in results
        ]
        with self._writing():
            self._db.executemany(
                "INSERT OR REPLACE INTO folds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )

    def done(self, *, failed_too: bool = True) -> set[tuple[str, str, int, int]]:
        """List what has been done, as (dataset, model, repeat, fold)."""
        only = "" if failed_too else " WHERE failure IS NULL"
        with self._used():
            return set(self._db.execute(f"SELECT {', '.join(_KEYS)} FROM folds{only}"))

    def frame(self) -> pd.DataFrame:
        """Read everything as a tidy frame: one row a model and fold, one column a measure."""
        query = f"SELECT {', '.join(COLUMNS)}, measures FROM folds ORDER BY "
        with self._used():
            rows = self._db.execute(query + ", ".join(_KEYS)).fetchall()
            facts = pd.DataFrame([row[:-1] for row in rows], columns=COLUMNS)
            read = [_read_object(row[-1]) for row in rows]
            names = list(dict.fromkeys(name for measures in read for name in measures))
            values = [[measures.get(name) for name in names] for measures in read]
            numbers = pd.DataFrame(values, columns=names, dtype=np.float64)
        return pd.concat([facts, numbers], axis=1)

    def runs(self) -> pd.DataFrame:
        """List when the study was started or resumed, and with which versions."""
        with self._used():
            rows = self._db.execute("SELECT started, versions FROM runs ORDER BY started")
            return pd.DataFrame([{"started": at, **_read_object(found)} for at, found in rows])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write all of a block, or nothing."""
        with self._used():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite ends it itself on some errors
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _used(self) -> Iterator[None]:
        """Say of which file, and what to do, if it is damaged or something else than a store."""
        try:
            yield
        except (DifferentStudyError, _UnusableStoreError):  # said already
            raise
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise _UnusableStoreError(
                f"store is {self.path!r}, which cannot be used as a store ({error}); give the path "
                "of a store made by a study, or of a file that does not exist yet. If a study made "
                "it, it is locked, on a full disk or damaged: move a damaged one away, with its "
                "-wal and -shm, and run again."
            ) from error


def _read_object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"{text[:40]!r} where measures or versions should be")
    return found


def _without_nan(measures: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else float(value) for name, value in measures.items()}


def versions() -> dict[str, str]:
    """Tell the versions that results depend on."""
    found = {"python": platform.python_version()}
    for package in ("cautious", "numpy", "scipy", "scikit-learn", "pandas"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree
            found[package] = "unknown"
    return found
