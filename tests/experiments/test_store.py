"""The store: what it refuses, what it survives, and that reading does not write."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cautious.datasets import load_dataset
from cautious.errors import DifferentStudyError
from cautious.experiments import Store, Study
from cautious.models import NaiveCredalClassifier
from cautious.preparation import MDLDiscretizer


def study(**changes):
    settings = {
        "models": {"NCC": NaiveCredalClassifier()},
        "datasets": ["iris"],
        "folds": 3,
        "measures": ["u65", "determinacy"],
        "preparation": MDLDiscretizer(),
    }
    return Study(**{**settings, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory, folds_here):
    """A store that was run once, and what it holds."""
    path = tmp_path_factory.mktemp("finished") / "results.db"
    with folds_here():
        return path, study().run(path)


@pytest.fixture
def store(finished, tmp_path):
    return shutil.copy(finished[0], tmp_path / "results.db")


def everything_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def sql(*commands):
    def change(path):
        with closing(sqlite3.connect(path)) as db, db:
            for command in commands:
                db.execute(command)

    return change


@pytest.mark.parametrize(
    "change",
    [
        {"models": {"NCC": NaiveCredalClassifier(s=2)}},
        {"random_state": 8},
        {"folds": 4},
        {"measures": ["u65"]},
        {"preparation": MDLDiscretizer(encoding="values")},
        {"datasets": {"iris": load_dataset("wine", return_X_y=True)}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_store_refuses_another_study(change, store, tmp_path):
    before = everything_in(tmp_path)
    other = study(**change)
    assert other.fingerprint() != study().fingerprint()
    with pytest.raises(DifferentStudyError, match="holds another study"):
        other.run(store)
    with pytest.raises(DifferentStudyError, match="holds another study"):
        other.results(store)
    assert everything_in(tmp_path) == before


def test_a_file_that_is_no_store(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and longer than a header would be" * 20)
    with pytest.raises(ValueError, match="cannot be used as a store"):
        study().run(path)
    with pytest.raises(FileNotFoundError, match="run the study first"):
        study().results(tmp_path / "none.db")


FOREIGN = {
    "notes": sql("CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('mine')"),
    "write-ahead": sql("PRAGMA journal_mode=WAL", "CREATE TABLE notes (text TEXT)"),
    "same tables": sql("CREATE TABLE folds (x)", "CREATE TABLE parts (x)"),
    "empty, of another program": sql("PRAGMA application_id = 7"),
    "of another version": sql("PRAGMA application_id = 1128354132", "PRAGMA user_version = 99"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_database_of_somebody_else_is_refused_and_left_as_it_is(kind, tmp_path):
    path = tmp_path / "theirs.db"
    FOREIGN[kind](path)
    before = everything_in(tmp_path)
    with pytest.raises(ValueError, match="no study of this version made"):
        study().results(path)
    assert everything_in(tmp_path) == before
    with pytest.raises(ValueError, match="no study of this version made"):
        study().run(path)
    assert everything_in(tmp_path) == before


def test_reading_writes_nothing(finished, store, tmp_path):
    before = everything_in(tmp_path)
    pd.testing.assert_frame_equal(study().results(store), finished[1])
    assert everything_in(tmp_path) == before


def test_a_store_is_read_where_a_killed_run_has_left_its_journal(finished, store, tmp_path):
    """SQLite must play it back first, which is done in a copy."""
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")  # so that changed pages go to the file at once
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE folds SET measures = printf('%.9000c', 'x')")
        killed = tmp_path / "killed"
        killed.mkdir()
        for ending in ("", "-journal"):
            shutil.copy(f"{store}{ending}", killed / f"results.db{ending}")
        db.execute("ROLLBACK")
    before = everything_in(killed)
    assert before["results.db"] != store.read_bytes()
    pd.testing.assert_frame_equal(study().results(killed / "results.db"), finished[1])
    assert everything_in(killed) == before
    pd.testing.assert_frame_equal(study().run(killed / "results.db"), finished[1])


UNUSABLE = r"store is '.*results\.db', which cannot be used .*move a damaged one away"


def damaged_page(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize(
    "damage",
    [
        damaged_page,
        sql("UPDATE folds SET measures = '[1]'"),
        sql("UPDATE folds SET measures = NULL"),
        sql("UPDATE folds SET measures = '{\"u65\": 0.5}'"),
        sql("UPDATE folds SET fold = fold + 10"),
        sql("UPDATE folds SET failure = 'ValueError: no'"),
        sql("UPDATE parts SET description = 'another'"),
        sql("ALTER TABLE folds RENAME COLUMN measures TO numbers"),
        sql("ALTER TABLE parts RENAME COLUMN description TO said"),
    ],
    ids=["page", "list", "null", "number", "fold", "failure", "part", "folds", "parts"],
)
def test_a_damaged_store_is_named_with_advice(damage, store):
    damage(store)
    with pytest.raises(ValueError, match=UNUSABLE):
        study().results(store)
    with pytest.raises(ValueError, match=UNUSABLE):
        study().run(store)


def test_damaged_versions_are_named_too(store):
    sql("UPDATE runs SET versions = 'numpy'")(store)
    with Store(store) as results, pytest.raises(ValueError, match=UNUSABLE):
        results.runs()


@pytest.mark.parametrize("n", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_flipped_bit_is_never_another_number(finished, store, n):
    """Each bit may be anywhere: the numbers are those that were written, or there are none."""
    whole, expected = store.read_bytes(), finished[1]
    rng = np.random.default_rng(n)
    # Half of the bits in the rows themselves, where they do most harm.
    inside = [at for at in range(len(whole)) if whole[at : at + 3] == b"u65"]
    places = rng.integers(len(whole), size=n // 2).tolist()
    places += [int(rng.choice(inside)) + int(rng.integers(-80, 80)) for _ in range(n // 2)]
    refused = 0
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        store.write_bytes(damaged)
        try:
            found = study().results(store)
        except ValueError:
            refused += 1
        else:
            pd.testing.assert_frame_equal(found, expected)
    assert refused > n / 4


def test_what_could_not_be_written_leaves_nothing_open(tmp_path):
    path = tmp_path / "results.db"
    row = Store.Result("iris", "NCC", 0, 0, 7, 135, 15, 0.1, {"u65": 0.9})
    with Store(path) as store:
        with pytest.raises(ValueError, match=UNUSABLE):
            store.add([row, replace(row, fold=1, seed=object())])
        assert store.done() == set()  # the first row went with the second
        store.add([row])
        assert len(store.frame()) == 1
