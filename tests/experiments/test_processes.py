"""Models that crash, hang or leave: the study writes them down as failed and goes on."""

import ctypes
import os
import signal
import sys
import threading
import time
import warnings
from concurrent.futures import Future
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from cautious.experiments import Study
from cautious.experiments._folds import Design, Fold, _shared, _Worker, cloudpickle, loky

# Classes of this module go to the processes by value: it cannot be imported there.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Hostile(ClassifierMixin, BaseEstimator):
    """Does something bad on the folds whose training part lacks the first example."""

    def __init__(self, what="segfault", always=False, where="fit"):
        self.what = what
        self.always = always
        self.where = where

    def fit(self, X, y):
        self.bad_ = self.always or not (X == 1).all(axis=1).any()
        self._do_harm("fit")
        self.classes_ = np.unique(y)
        return self

    def _do_harm(self, where):
        if self.bad_ and where == self.where:
            BAD[self.what]()

    def predict(self, X):
        self._do_harm("predict")
        return np.repeat(self.classes_[:1], len(X))


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("no message, either")


class OddBaseError(BaseException):
    pass


def fail(error):
    raise error


def warn():
    warnings.warn("odd \ud800", RuntimeWarning, stacklevel=1)
    raise ValueError("a lone surrogate: \ud800")


BAD = {
    "segfault": lambda: ctypes.string_at(0),
    "leave": lambda: os._exit(0),
    "kill itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": lambda: time.sleep(1000),
    "hang and hold the lock of the interpreter": lambda: ctypes.pythonapi.usleep(10**9),
    "hang and ignore signals": lambda: (
        signal.signal(signal.SIGTERM, signal.SIG_IGN),
        time.sleep(1000),
    ),
    "exit": lambda: sys.exit(3),
    "error without words": lambda: fail(SilentError()),
    "error that is no Exception": lambda: fail(OddBaseError("odd")),
    "odd words": warn,
    "leave a thread": lambda: threading.Thread(
        target=time.sleep, args=(1000,), daemon=True
    ).start(),
}
DEADLY = {
    "segfault": "WorkerDied: the process ended by SIGSEGV",
    "leave": "WorkerDied: the process ended by EXIT",
    "kill itself": "WorkerDied: the process ended by SIGKILL",
}


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    X[0] = 1
    return {"mine": (X, np.repeat(["a", "b"], 15))}


def study(models, **settings):
    return Study(models, data(), **{"folds": 3, "measures": ["error"], **settings})


@pytest.fixture(scope="module")
def healthy():
    return study({"healthy": GaussianNB()}).run()


def same(a, b):
    a, b = (x.drop(columns="seconds").reset_index(drop=True) for x in (a, b))
    pd.testing.assert_frame_equal(a, b)


def test_a_model_that_kills_its_process_harms_no_other(healthy, tmp_path, monkeypatch):
    # On a busy machine loky gives up before the process has quite ended.
    monkeypatch.setattr(loky.process_executor, "get_exitcodes_terminated_worker", lambda _: "{}")
    models = {"healthy": GaussianNB(), "bad": Hostile("segfault"), "last": GaussianNB()}
    own = study(models)
    results = own.run(tmp_path / "results.db")
    same(results[results["model"] == "healthy"], healthy)
    assert results[results["model"] == "last"]["failure"].isna().all()
    rows = results[results["model"] == "bad"]
    assert len(rows) == 3
    (failure,) = rows["failure"].dropna()
    assert failure.startswith(DEADLY["segfault"])
    assert rows[rows["failure"].isna()]["error"].notna().all()
    again = own.run(tmp_path / "results.db")
    pd.testing.assert_frame_equal(again, results)  # nothing is left to do
    pd.testing.assert_frame_equal(own.results(tmp_path / "results.db"), results)
    assert_no_process_is_left()


@pytest.mark.parametrize(
    ("codes", "said"),
    [([], "itself"), ([0], "EXIT(0)"), ([None, -signal.SIGKILL], f"SIGKILL({-signal.SIGKILL})")],
)
def test_a_process_that_loky_has_replaced_ends_no_study(codes, said):
    worker = _Worker(Design({}, {}, None, None, 3, 0), None, 1, None)
    worker.fold, worker.found, worker.call = Fold("mine", 0, 0, ("bad",)), [], Future()
    worker.call.set_exception(loky.process_executor.TerminatedWorkerError("the codes are {}"))
    worker._processes = [SimpleNamespace(exitcode=code) for code in codes]
    worker._since = worker._to_start = 0
    worker.go_on()
    assert [one.failure for one in worker.found] == [f"WorkerDied: the process ended by {said}"]


def assert_no_process_is_left():
    psutil = pytest.importorskip("psutil")
    left = [p.cmdline() for p in psutil.Process().children(recursive=True)]
    assert not [line for line in left if "popen_loky" in " ".join(line)]


class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.6)
        return super().fit(X, y)


@pytest.mark.slow
def test_every_model_of_a_fold_has_its_own_time():
    results = study({name: Slow() for name in "abcd"}, folds=2).run(timeout=2)
    assert results["failure"].isna().all()


@pytest.mark.slow
def test_a_preparation_that_kills_its_process_fails_every_model(tmp_path):
    preparation = FunctionTransformer(lambda X: os._exit(1))
    models = {"one": GaussianNB()}
    results = study(models, folds=2, preparation=preparation).run(tmp_path / "results.db")
    assert results["failure"].str.startswith("WorkerDied").tolist() == [True] * 2


WORDS = {
    "exit": "SystemExit: 3",
    "error without words": "SilentError: (its message cannot be shown)",
    "error that is no Exception": "OddBaseError: odd",
    "odd words": "ValueError: a lone surrogate: \\ud800",
}


@pytest.mark.parametrize("in_store", [False, True])
def test_any_error_is_written_down(in_store, healthy, tmp_path):
    bad = {what: Hostile(what, always=True) for what in WORDS}
    thread = Hostile("leave a thread", always=True)  # which does not hold up the study
    models = {**bad, "thread": thread, "healthy": GaussianNB()}
    results = study(models).run(tmp_path / "results.db" if in_store else None)
    same(results[results["model"] == "healthy"], healthy)
    for what, said in WORDS.items():
        assert results[results["model"] == what]["failure"].tolist() == [said] * 3
    assert results[results["model"] == "thread"]["failure"].isna().all()


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_hostile_learner_fails_by_itself(n_jobs, healthy, tmp_path):
    """All of them in one study, some while they learn and some while they answer."""
    bad = {f"{what} in {do}": Hostile(what, where=do) for what in BAD for do in ("fit", "predict")}
    assert len(bad) >= 19
    own = study({**bad, "healthy": GaussianNB()})
    results = own.run(tmp_path / "results.db", n_jobs=n_jobs, timeout=3)
    same(results[results["model"] == "healthy"], healthy)
    late = "TimeoutError: took longer than 3 s"
    for name, model in bad.items():
        failures = results[results["model"] == name]["failure"]
        assert len(failures) == 3, name
        expected = {**DEADLY, **WORDS}.get(model.what, late)
        harmed = [] if model.what == "leave a thread" else [True]
        assert failures.dropna().str.startswith(expected).tolist() == harmed, name
    assert results.loc[results["failure"] == late, "seconds"].between(3, 30).all()
    assert_no_process_is_left()


def test_models_of_a_fold_do_not_share_arrays():
    def scores(models):
        results = Study(models, ["wine"], folds=3, measures=["error"]).run()
        assert results["failure"].isna().all()
        return results[results["model"] == "NB"]["error"].tolist()

    nb = GaussianNB(var_smoothing=1e-2)
    assert scores({"in place": InPlace(), "NB": nb}) == scores({"NB": nb})


class InPlace(GaussianNB):
    """Changes the arrays that it is given, as scalers with ``copy=False`` do."""

    def fit(self, X, y):
        X.iloc[:, :] = StandardScaler().fit_transform(X)
        y[:] = y[::-1].copy()
        return super().fit(X, y)

    def predict(self, X):
        X.iloc[:, :] = 0.0
        return super().predict(X)


def test_what_cannot_be_sent_is_refused_with_advice(tmp_path):
    class Holding(GaussianNB):
        def __init__(self, lock=None):
            super().__init__()
            self.lock = lock

        def __deepcopy__(self, memo):
            return self

    model = Holding(threading.Lock())
    with pytest.raises(TypeError, match="cannot be sent to a process of its own"):
        study({"bad": model}).run(n_jobs=2)


def test_time_is_not_limited_where_joblib_runs_the_folds_elsewhere():
    with (
        joblib.parallel_config("threading"),
        pytest.raises(ValueError, match="timeout is 3, which joblib's backend Threading"),
    ):
        study({"NB": GaussianNB()}).run(timeout=3)
    with pytest.raises(ValueError, match="timeout is 0; give seconds"):
        study({"NB": GaussianNB()}).run(timeout=0)
    with pytest.raises(TypeError, match="timeout is 'x'; give one number"):
        study({"NB": GaussianNB()}).run(timeout="x")


@pytest.mark.parametrize(("jobs", "pieces"), [(1, 3), (2, 9), (16, 15)])
def test_few_folds_are_shared_by_models_among_many_processes(jobs, pieces):
    folds = [Fold("iris", 0, fold, ("a", "b", "c", "d", "e")) for fold in range(3)]
    shared = _shared(folds, jobs)
    assert len(shared) == pieces
    for fold in folds:
        own = [model for piece in shared if piece.fold == fold.fold for model in piece.models]
        assert sorted(own) == [*"abcde"]
    many = folds * 30
    assert [*_shared(many, jobs)] == many
    assert [*_shared([], jobs)] == []
