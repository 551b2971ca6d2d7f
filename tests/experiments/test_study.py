import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from contextlib import closing

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cautious.datasets import load_dataset
from cautious.experiments import Store, Study
from cautious.models import NaiveCredalClassifier
from cautious.preparation import MDLDiscretizer

# What does not depend on how long it took.
TIMELESS = ["seconds"]


class Failing(ClassifierMixin, BaseEstimator):
    """Fails on the folds that hold the first example."""

    def fit(self, X, y):
        if 0 not in X.index:
            raise RuntimeError("no first example")
        warnings.warn("odd", RuntimeWarning, stacklevel=1)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def small_study(**changes):
    settings = {
        "models": {"NCC": NaiveCredalClassifier(), "tree": DecisionTreeClassifier(max_features=1)},
        "datasets": ["iris", "wine"],
        "repeats": 2,
        "folds": 3,
        "measures": ["u65", "determinacy", "error"],
        "preparation": MDLDiscretizer(),
        "random_state": 7,
    }
    return Study(**{**settings, **changes})


def same_results(a, b):
    pd.testing.assert_frame_equal(a.drop(columns=TIMELESS), b.drop(columns=TIMELESS))


@pytest.fixture(scope="module")
def reference():
    return small_study().run()


def test_results_are_tidy(reference):
    assert len(reference) == 2 * 2 * 2 * 3
    assert not reference.duplicated(["dataset", "model", "repeat", "fold"]).any()
    assert reference["failure"].isna().all()
    assert list(reference.columns[-3:]) == ["u65", "determinacy", "error"]
    per_repeat = reference[reference["model"] == "NCC"].groupby(["dataset", "repeat"])["n_test"]
    assert per_repeat.sum().tolist() == [150, 150, 178, 178]


@pytest.mark.slow
def test_the_same_study_gives_the_same_numbers_however_it_is_run(reference, tmp_path):
    same_results(reference, small_study().run(tmp_path / "results.db", n_jobs=2))
    smaller = small_study(models={"tree": DecisionTreeClassifier(max_features=1)}, repeats=1)
    part = reference[(reference["model"] == "tree") & (reference["repeat"] == 0)]
    same_results(part.reset_index(drop=True), smaller.run())
    other = small_study(random_state=8).run()
    assert not np.allclose(other["u65"], reference["u65"])
    assert other["seed"].nunique() == len(other)


def test_a_fold_is_what_scikit_learn_would_do(reference):
    X, y = load_dataset("wine", return_X_y=True)
    y = np.asarray(y)
    splitter = StratifiedKFold(3, shuffle=True, random_state=Study.seed_for(7, "wine", 1))
    train, test = list(splitter.split(X, y))[2]
    bins = MDLDiscretizer().fit(X.iloc[train], y[train])
    seed = Study.seed_for(Study.seed_for(7, "wine", 1, 2, "tree"), "random_state")
    tree = DecisionTreeClassifier(max_features=1, random_state=seed)
    tree.fit(bins.transform(X.iloc[train]), y[train])
    expected = accuracy_score(y[test], tree.predict(bins.transform(X.iloc[test])))
    row = reference.query("dataset == 'wine' and model == 'tree' and repeat == 1 and fold == 2")
    assert row["u65"].item() == pytest.approx(expected)
    assert row["determinacy"].item() == 1
    assert (row["n_train"].item(), row["n_test"].item()) == (len(train), len(test))


def test_a_finished_study_computes_nothing_and_a_grown_one_only_what_is_new(
    reference, in_one_process, tmp_path
):
    store = tmp_path / "deep" / "results.db"
    first = small_study(repeats=1, datasets=["iris"]).run(store)
    again = small_study(repeats=1, datasets=["iris"]).run(store)
    pd.testing.assert_frame_equal(first, again)  # the very same rows: seconds too
    grown = small_study().run(store)
    same_results(reference, grown)
    kept = grown[(grown["dataset"] == "iris") & (grown["repeat"] == 0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, kept)
    pd.testing.assert_frame_equal(small_study().results(store), grown)
    with Store(store) as results:
        assert len(results.runs()) == 3
        assert results.runs()["numpy"].eq(np.__version__).all()


def test_a_failing_model_leaves_its_error_and_the_study_goes_on(in_one_process, tmp_path):
    models = {"failing": Failing(), "NCC": NaiveCredalClassifier()}
    study = small_study(models=models, datasets=["iris"], repeats=1)
    results = study.run(tmp_path / "results.db")
    failed = results[results["model"] == "failing"]
    assert failed["failure"].dropna().tolist() == ["RuntimeError: no first example"]
    assert failed.loc[failed["failure"].notna(), "u65"].isna().all()
    assert failed["warnings"].dropna().tolist() == ["RuntimeWarning: odd"] * 2
    assert results.loc[results["model"] == "NCC", "u65"].notna().all()
    # Failed rows are done, unless asked for again.
    pd.testing.assert_frame_equal(study.run(tmp_path / "results.db"), results)
    retried = study.run(tmp_path / "results.db", retry_failures=True)
    same_results(results, retried)
    pd.testing.assert_frame_equal(
        retried[retried["failure"].isna()], results[results["failure"].isna()]
    )


def test_failing_preparation_is_an_error_of_every_model():
    study = small_study(datasets=["zoo"], repeats=1, preparation=StandardScaler())
    results = study.run()
    assert results["failure"].notna().all()
    assert "u65" not in results


KILLED = """
import sys
sys.path.insert(0, {here!r})
from test_study import killed_study
if __name__ == "__main__":
    killed_study().run({store!r}, n_jobs={n_jobs})
"""


def killed_study():
    models = {"NCC": NaiveCredalClassifier(), "forest": RandomForestClassifier(n_estimators=30)}
    return Study(models, ["monks-1"], repeats=3, folds=5, measures=["u65", "error"])


def started(store, n_jobs):
    """Run the study in a process group of its own, so that loky's workers die with their parent."""
    here = os.path.dirname(__file__)
    script = store.with_suffix(".py")
    script.write_text(KILLED.format(here=here, store=str(store), n_jobs=n_jobs))
    return subprocess.Popen(
        [sys.executable, str(script)], start_new_session=True, stderr=subprocess.DEVNULL
    )


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(process, store, rows):
    deadline = time.monotonic() + 60
    while _finished(store) < rows and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)


def assert_kept(before, after):
    """What was done was not done again, and no fold is there by halves."""
    assert after.groupby(["dataset", "repeat", "fold"]).size().eq(2).all()
    kept = after.merge(before[["dataset", "model", "repeat", "fold"]])
    pd.testing.assert_frame_equal(kept, before)


def test_interrupted_and_resumed(reference, in_one_process, tmp_path, monkeypatch):
    """Between two folds, as by Ctrl-C; what kills the process is among the slow tests."""
    store, learned, fit = tmp_path / "results.db", itertools.count(), DecisionTreeClassifier.fit

    def interrupted(self, *data):
        if next(learned) == 4:
            raise KeyboardInterrupt
        return fit(self, *data)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small_study().run(store)
    monkeypatch.undo()
    before = small_study().results(store)
    assert len(before) == 2 * 4
    resumed = small_study().run(store)
    assert_kept(before, resumed)
    same_results(resumed, reference)


@pytest.mark.slow
def test_killed_again_and_again(tmp_path):
    """Killed at any time, in the midst of writing too, until it is finished; then another store."""
    rng = np.random.default_rng(0)
    whole = killed_study().run()
    kills = stores = 0
    before, store = whole[:0], None
    while kills < 52:
        if store is None:
            stores += 1
            before, store = whole[:0], tmp_path / f"results{stores}.db"
        process = started(store, 1 + kills % 2)
        wait_for(process, store, len(before) + 2 * int(rng.integers(3)))
        time.sleep(rng.random() * 0.3)
        if process.poll() is None:
            kills += 1
            kill(process)
        if not store.exists():
            continue
        try:
            after = killed_study().results(store)
        except FileNotFoundError:  # killed before there was anything in it
            after = before
        if len(before):
            assert_kept(before, after)
        before = after
        if len(before) > 20:
            same_results(killed_study().run(store), whole)
            store = None
    if store is not None:
        same_results(killed_study().run(store), whole)


def _finished(store):
    if not store.exists():
        return 0
    try:
        with closing(sqlite3.connect(store)) as db:
            return db.execute("SELECT count(*) FROM folds").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0


@pytest.mark.slow
def test_on_a_dask_cluster(reference):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        results = small_study(datasets=["iris"], repeats=1).run()
    expected = reference[(reference["dataset"] == "iris") & (reference["repeat"] == 0)]
    same_results(expected.reset_index(drop=True), results)


def test_measures_of_every_kind():
    study = small_study(datasets=["iris"], repeats=1)
    results = study.run()
    scorer = {"accuracy": lambda model, X, y: accuracy_score(y, model.predict(X))}
    named = small_study(datasets=["iris"], repeats=1, measures=scorer).run()
    tree = results["model"] == "tree"
    np.testing.assert_allclose(named["accuracy"][tree], results["u65"][tree])
    several = small_study(datasets=["iris"], repeats=1, measures=two_numbers).run()
    np.testing.assert_allclose(several["right"], named["accuracy"])
    assert several["nothing"].isna().all()


def two_numbers(model, X, y):
    return {"right": accuracy_score(y, model.predict(X)), "nothing": np.nan}


def test_a_measure_may_not_be_called_like_a_column():
    results = small_study(datasets=["iris"], repeats=1, measures={"seed": lambda *_: 1.0}).run()
    assert results["failure"].str.contains("'seed' has the name of a column").all()


def test_own_data_as_frames_arrays_and_lists():
    X, y = load_dataset("wine", return_X_y=True)
    data = {"frame": (X, y), "wine": (X.to_numpy(), np.asarray(y)), "bundled": "wine"}
    study = Study({"lr": LogisticRegression(max_iter=20)}, data, folds=2, measures=["error"])
    results = study.run()
    assert results["failure"].isna().all()
    assert results["warnings"].notna().any()  # lbfgs did not converge, and the store says so
    assert set(results["dataset"]) == set(data)


def test_table_is_what_comparisons_take(reference):
    table = small_study().table(reference, "u65")
    assert table.shape == (2, 2)
    assert list(table.columns) == ["NCC", "tree"]
    mine = reference.query("dataset == 'iris' and model == 'NCC'")["u65"].mean()
    assert table.loc["iris", "NCC"] == pytest.approx(mine)
    with pytest.raises(ValueError, match="results have u65"):
        small_study().table(reference, "u66")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"datasets": "iris"}, r"\['iris'\]"),
        ({"folds": 1}, "folds is 1"),
        ({"repeats": 0}, "repeats is 0"),
        ({"models": {}}, "at least one model"),
        ({"models": [NaiveCredalClassifier()]}, "models is a list; give classifiers by name"),
        ({"datasets": ["irris"]}, "'irris', which is not bundled"),
        ({"datasets": {"mine": (1, 2, 3)}}, r"pair \(X, y\)"),
        ({"measures": "u66"}, "there is no measure 'u66'"),
    ],
)
def test_errors_say_what_is_wrong(changes, said):
    with pytest.raises((ValueError, TypeError), match=said):
        small_study(**changes)
