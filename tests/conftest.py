"""One thread per process, and no deadlines: the machine may be busy.

Threads of OpenBLAS and OpenMP that wait for a core spin meanwhile, and made a logistic regression
cost five times as much. Set before anything imports numpy; what is set outside is kept.
"""

from __future__ import annotations

import contextlib
import gc
import os

import pytest

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

with contextlib.suppress(ImportError):  # an environment of its own, such as Spark's, may lack it
    from hypothesis import settings

    # The same cases each time: a change fails by its own fault. `make test-all` draws new ones.
    settings.register_profile("few cases", deadline=None, max_examples=20, derandomize=True)
    settings.register_profile("many cases", deadline=None, max_examples=200)
    settings.load_profile("few cases")


def pytest_configure(config):
    """Try more random cases where the slow tests are asked for, as `make test-all` does."""
    if config.option.markexpr != "not slow":
        with contextlib.suppress(NameError):
            settings.load_profile("many cases")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave the garbage collector out of what is made here: it all stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@contextlib.contextmanager
def _folds_here():
    from cautious.experiments import _folds as folds
    from cautious.experiments import study

    def here(design, todo, **how):
        return folds.run_folds(design, todo, **how | {"isolated": False})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "run_folds", here)
        yield


@pytest.fixture(scope="session")
def folds_here():
    """Give a context in which a study with a store starts no process: that takes seconds."""
    return _folds_here


@pytest.fixture
def in_one_process(folds_here):
    """For tests that are not about processes."""
    with folds_here():
        yield
