"""The result store: one SQLite file, one row per model and fold.

Every fold is one transaction. A process that is killed at any moment leaves a store that holds
every fold it had finished, and no part of another. Every row has a checksum.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd

from cautious.errors import DifferentStudyError, shown
from cautious.experiments._folds import STORE_COLUMNS, FoldResult

_SCHEMA = """
CREATE TABLE parts (
    kind TEXT, name TEXT, description TEXT, checksum TEXT, PRIMARY KEY (kind, name)
);
CREATE TABLE runs (started TEXT, versions TEXT, checksum TEXT);
CREATE TABLE folds (
    dataset TEXT, model TEXT, repeat INTEGER, fold INTEGER, seed INTEGER,
    n_train INTEGER, n_test INTEGER, seconds REAL, warnings TEXT, failure TEXT, measures TEXT,
    checksum TEXT, PRIMARY KEY (dataset, model, repeat, fold)
);
PRAGMA user_version = 1;
PRAGMA application_id = 0x43415554;
"""
# What the last two leave in the file's header, to tell a store from the databases of others.
_MARKS = ((1).to_bytes(4, "big"), b"CAUT")
_SECONDS_TO_WAIT = 60


class _UnusableStoreError(ValueError):
    """The file is damaged, in use or something else than a store."""


class Store:
    """A file of results; use it as a context manager.

    Parameters
    ----------
    path : path or ":memory:"
        The SQLite file; made if it is not there, and so are the folders it lies in. A database of
        somebody else is refused and left as it is.
    read_only : bool, default=False
        Whether to read only. The file must be there; nothing is written, neither to it nor beside
        it, so that it may lie where nothing can be written.

    Examples
    --------
    >>> with Store(":memory:") as store:
    ...     store.add([Store.Result("iris", "NCC", 0, 0, 7, 135, 15, 0.1, {"u65": 0.9})])
    ...     store.frame()[["dataset", "model", "u65"]].values.tolist()
    [['iris', 'NCC', 0.9]]
    """

    Result: TypeAlias = FoldResult

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path: str = str(path)
        if read_only and not Path(self.path).is_file():
            raise FileNotFoundError(f"there is no store {path}; run the study first.")
        with self._used(), ExitStack() as opened:
            file = self.path
            if read_only:  # a copy, because SQLite may have to play back what a killed run has left
                folder = TemporaryDirectory(prefix="cautious-store-")
                file = _copied(self.path, opened.enter_context(folder))
            elif self.path != ":memory:":
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            # Before SQLite opens what may be somebody else's: that alone may write files.
            if not os.path.exists(f"{os.path.realpath(file)}-journal"):
                _check_header(file)
            # Autocommit: transactions are opened where they are meant.
            db = sqlite3.connect(file, timeout=_SECONDS_TO_WAIT, isolation_level=None)
            self._db: sqlite3.Connection = opened.enter_context(closing(db))
            if not read_only:
                with self._writing():
                    if db.execute("PRAGMA schema_version").fetchone() == (0,):  # it is new
                        for statement in _SCHEMA.split(";"):
                            db.execute(statement)
            (said,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            if said != "ok":
                raise ValueError(said)
            _check_header(file)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

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

        Examples
        --------
        >>> with Store(":memory:") as store:
        ...     store.claim({("model", "NCC"): "s=1"})
        ...     sorted(store.check({("model", "CMA"): "s=1"}))
        [('model', 'NCC')]
        """
        with self._writing():
            known = self.check(parts)
            for key in sorted(parts.keys() - known):
                self._insert("parts", (*key, parts[key]))
            started = datetime.now(UTC).isoformat(timespec="seconds")
            self._insert("runs", (started, json.dumps(versions())))

    def check(self, parts: Mapping[tuple[str, str], str]) -> set[tuple[str, str]]:
        """Refuse a study that the store knows otherwise; give the parts it knows.

        Raises
        ------
        DifferentStudyError
            Says which part differs, and how.

        Examples
        --------
        >>> with Store(":memory:") as store:
        ...     store.claim({("model", "NCC"): "s=1"})
        ...     store.check({("model", "NCC"): "s=1"})
        {('model', 'NCC')}
        """
        with self._used():
            rows = self._select("parts", "kind, name, description", "kind, name")
        known = {(kind, name): text for kind, name, text in rows}
        for (kind, name), text in parts.items():
            before = known.get((kind, name), text)
            if before != text:
                raise DifferentStudyError(
                    f"{self.path} holds another study: its {kind} {shown(name)} is {before}, this "
                    f"study's is {text}. Give another store, or another name to what changed."
                )
        return set(known)

    def add(self, results: Iterable[FoldResult]) -> None:
        """Write what was found on a fold, all of it or nothing.

        Examples
        --------
        >>> with Store(":memory:") as store:
        ...     store.add([Store.Result("iris", "NCC", 0, 0, 7, 135, 15, 0.1, {"u65": 0.9})])
        ...     len(store.frame())
        1
        """
        with self._writing():
            for r in results:
                numbers = map(int, (r.repeat, r.fold, r.seed, r.n_train, r.n_test))
                measures = {n: None if np.isnan(v) else float(v) for n, v in r.measures.items()}
                said = r.warnings, r.failure, json.dumps(measures)
                self._insert("folds", (r.dataset, r.model, *numbers, float(r.seconds), *said))

    def done(self, *, failed_too: bool = True) -> set[tuple[str, str, int, int]]:
        """List what has been done, as (dataset, model, repeat, fold).

        Examples
        --------
        >>> one = Store.Result("iris", "NCC", 0, 0, 7, 135, 15, 0.1, {}, failure="crashed")
        >>> with Store(":memory:") as store:
        ...     store.add([one])
        ...     store.done(), store.done(failed_too=False)
        ({('iris', 'NCC', 0, 0)}, set())
        """
        with self._used():
            rows = self._results()
        failed = STORE_COLUMNS.index("failure")
        return {row[:4] for row in rows if failed_too or row[failed] is None}

    def frame(self) -> pd.DataFrame:
        """Read everything as a tidy frame: one row per model and fold, one column per measure.

        Examples
        --------
        >>> with Store(":memory:") as store:
        ...     store.add([Store.Result("iris", "NCC", 0, 0, 7, 135, 15, 0.1, {"u65": 0.9})])
        ...     store.frame()[["dataset", "model", "n_test", "u65"]]
          dataset model  n_test  u65
        0    iris   NCC      15  0.9
        """
        with self._used():
            rows = self._results()
            facts = pd.DataFrame([row[:-1] for row in rows], columns=STORE_COLUMNS)
            # One type whether all, some or none have something to say.
            facts[["warnings", "failure"]] = pd.DataFrame(
                [row[-3:-1] for row in rows], columns=["warnings", "failure"], dtype=object
            )
            read = [json.loads(row[-1]) for row in rows]
            numbers = pd.DataFrame(read, index=facts.index, dtype=np.float64)
        return pd.concat([facts, numbers], axis=1)

    def runs(self) -> pd.DataFrame:
        """List when the study was started or resumed, and with which versions.

        Examples
        --------
        >>> with Store(":memory:") as store:
        ...     store.claim({("model", "NCC"): "s=1"})
        ...     store.runs().columns.tolist()
        ['started', 'python', 'cautious', 'numpy', 'scipy', 'scikit-learn', 'pandas']
        """
        with self._used():
            rows = self._select("runs", "started, versions", "started")
            return pd.DataFrame([{"started": at, **json.loads(found)} for at, found in rows])

    def _insert(self, table: str, row: tuple[Any, ...]) -> None:
        marks = ", ".join("?" * (len(row) + 1))
        values = (*row, _checksum(table, row))
        self._db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)

    def _select(self, table: str, columns: str, order: str) -> list[tuple[Any, ...]]:
        """Read rows, each checked by its checksum."""
        found = []
        query = f"SELECT {columns}, checksum FROM {table} ORDER BY {order}"
        for *values, checksum in self._db.execute(query):
            row = tuple(values)
            if checksum != _checksum(table, row):
                raise ValueError(f"a row of {table} is not what was written: {row[:4]}")
            found.append(row)
        return found

    def _results(self) -> list[tuple[Any, ...]]:
        columns = ", ".join([*STORE_COLUMNS, "measures"])
        return self._select("folds", columns, "dataset, model, repeat, fold")

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
            said = " ".join(str(error).split())
            raise _UnusableStoreError(
                f"store is {self.path!r}, which cannot be used as a store ({said}); give the path "
                "of a store made by a study, or of a file that does not exist yet. If a study made "
                "it, it is locked, on a full disk or damaged: move a damaged one away, with its "
                "-journal, and run again."
            ) from error


def _copied(path: str, folder: str) -> str:
    """Copy a store, with what SQLite keeps beside it."""
    file, aside = os.path.realpath(path), os.path.join(folder, "store.db")
    for ending in ("", "-journal", "-wal"):
        if os.path.exists(f"{file}{ending}"):
            shutil.copyfile(f"{file}{ending}", f"{aside}{ending}")
    return aside


def _check_header(path: str) -> None:
    """Refuse a database of somebody else."""
    header = b""
    if os.path.exists(path):
        with open(path, "rb") as content:
            header = content.read(100)
    if header and (header[60:64], header[68:72]) != _MARKS:
        raise ValueError("a file that no study of this version made")


def _checksum(table: str, row: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps([table, *row]).encode()).hexdigest()[:16]


def versions() -> dict[str, str]:
    """Tell the versions that results depend on."""
    found = {"python": platform.python_version()}
    for package in ("cautious", "numpy", "scipy", "scikit-learn", "pandas"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree
            found[package] = "unknown"
    return found
