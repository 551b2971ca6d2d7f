"""Work in parallel; folds in processes of their own, which may die or hang without harm."""

from __future__ import annotations

import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from joblib import Parallel, cpu_count, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

from cautious.experiments.folds import Design, Fold, run_fold
from cautious.experiments.store import FoldResult
from cautious.progress import track

try:  # joblib ships loky, and has shipped cloudpickle
    from joblib.externals import loky
except ImportError:
    import loky
try:
    import cloudpickle
except ImportError:
    from joblib.externals import cloudpickle

__all__ = ["run_folds", "run_tasks"]

T = TypeVar("T")

# How long a process may take to start, beside the time of the model.
_SECONDS_TO_START = 120
_SECONDS_BETWEEN_LOOKS = 0.2
_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM")


def run_tasks(
    tasks: Sequence[Callable[[], T]],
    what: str,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Iterator[T]:
    """Call functions in parallel and give the results as they come, with progress shown.

    Parameters
    ----------
    tasks : sequence of callables
        Without arguments; they must pickle if `n_jobs` asks for processes.
    what : str
        What is being done, to show with the progress.
    n_jobs : int, optional
        Processes, as joblib takes it.
    progress : bool, optional
        Whether to show progress on stderr; None if it is a terminal.

    Yields
    ------
    object
        What the functions return, in the order in which they finish.

    Examples
    --------
    >>> list(run_tasks([int, str], "nothing"))
    [0, '']
    """
    with track(what, len(tasks), show=progress) as bar:
        # One at a time: a batch that is killed loses all of it.
        jobs = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
        for found in jobs(delayed(task)() for task in tasks) if tasks else []:
            yield found
            bar.advance()


def run_folds(
    design: Design,
    folds: Sequence[Fold],
    *,
    n_jobs: int | None = None,
    timeout: float | None = None,
    isolated: bool = True,
) -> Iterator[list[FoldResult]]:
    """Run folds and give their results as they come, a model that kills its process included.

    Parameters
    ----------
    design : Design
        The study.
    folds : sequence of Fold
        What to run.
    n_jobs : int, optional
        How many processes.
    timeout : float, optional
        Seconds that a model may take on a fold.
    isolated : bool
        False runs one job in this process.

    Yields
    ------
    list of FoldResult
        Some or all results of one fold.
    """
    backend = get_active_backend()[0]
    elsewhere = type(backend).__name__ != "LokyBackend"
    if elsewhere and timeout is not None:
        raise ValueError(
            f"timeout is {timeout!r}, which joblib's backend {type(backend).__name__} cannot "
            "keep; leave it out, or leave joblib.parallel_config."
        )
    jobs = effective_n_jobs(n_jobs)
    if elsewhere or not (isolated or timeout is not None or jobs > 1):
        tasks = [partial(run_fold, design.of(fold.dataset), fold) for fold in folds]
        yield from run_tasks(tasks, "folds", n_jobs=n_jobs, progress=False)
        return
    with TemporaryDirectory(prefix="cautious-study-") as place:
        waiting = deque(folds)
        n_workers = min(jobs, len(folds))
        workers = [_Worker(design, Path(place), jobs, timeout) for _ in range(n_workers)]
        try:
            while waiting or any(worker.busy for worker in workers):
                for worker in workers:
                    if waiting and not worker.busy:
                        worker.start(waiting.popleft())
                busy = [worker for worker in workers if worker.busy]
                look = None if timeout is None else _SECONDS_BETWEEN_LOOKS
                wait([worker.future for worker in busy], look, FIRST_COMPLETED)
                for worker in busy:
                    if worker.future.done() or worker.overdue():
                        found, left = worker.finish()
                        if left.models:
                            waiting.appendleft(left)
                        yield found
        finally:
            for worker in workers:
                worker.stop()


def _pickled(design: Design) -> bytes:
    try:
        return bytes(cloudpickle.dumps(design))
    except Exception as error:
        raise TypeError(
            f"the study cannot be sent to a process of its own ({type(error).__name__}: {error}); "
            "give models and measures that pickle, or run it without a store in one job."
        ) from error


class _Worker:
    """One process, which is replaced when it has died or was ended.

    It reports each model that it has finished in a file, so that nothing of a fold is lost with
    the process and it is known which model killed it.
    """

    def __init__(self, design: Design, place: Path, jobs: int, timeout: float | None) -> None:
        self.future: Future[list[dict[str, Any]]] = Future()
        self.busy = False
        self._design, self._place, self._jobs, self._timeout = design, place, jobs, timeout
        self._executor: Any = None
        self._fold = Fold("", 0, 0, ())
        self._report = place / f"report-{id(self)}"

    def start(self, fold: Fold) -> None:
        shared = self._place / f"design-{list(self._design.datasets).index(fold.dataset)}"
        if not shared.exists():
            shared.write_bytes(_pickled(self._design.of(fold.dataset)))
        if self._executor is None:
            self._executor = loky.ProcessPoolExecutor(1, env=_environment(self._jobs))
        self._report.unlink(missing_ok=True)
        self._fold, self.busy, self._started = fold, True, time.time()
        self.future = self._executor.submit(_work, str(shared), str(self._report), fold)

    def overdue(self) -> bool:
        if self._timeout is None:
            return False
        try:
            # The file is touched when the fold begins and when a model is finished.
            return time.time() > self._report.stat().st_mtime + self._timeout
        except FileNotFoundError:
            return time.time() > self._started + _SECONDS_TO_START + self._timeout

    def finish(self) -> tuple[list[FoldResult], Fold]:
        """Give what was found, and what of the fold is left to do."""
        self.busy = False
        if self.future.done():
            try:
                return _results(self.future.result()), replace(self._fold, models=())
            except loky.process_executor.TerminatedWorkerError as error:
                codes = re.findall(r"\{(.*)\}", str(error))
                failure = f"WorkerDied: the process ended by {codes[0] if codes else 'itself'}"
        else:
            failure = f"TimeoutError: took longer than {self._timeout:g} s"
        self.stop()
        begun, lines = self._started, []
        if self._report.exists():
            begun = self._report.stat().st_mtime
            lines = self._report.read_text(encoding="utf-8").split("\n")[:-1]  # whole ones
        found = _results(json.loads(line) for line in lines)
        done = {result.model for result in found}
        left = [model for model in self._fold.models if model not in done]
        if left:  # the first of them was running
            seconds = time.time() - begun
            found.append(self._fold.failed(self._design, left[0], seconds, failure))
        return found, replace(self._fold, models=tuple(left[1:]))

    def stop(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


def _results(facts: Any) -> list[FoldResult]:
    return [FoldResult(**each) for each in facts]


def _environment(jobs: int) -> dict[str, str]:
    """Share the cores among the processes, unless the user has said how many threads to use."""
    names = [f"{name}_NUM_THREADS" if "_" not in name else f"{name}_THREADS" for name in _THREADS]
    threads = max(cpu_count() // jobs, 1)
    return {name: str(threads) for name in names if name not in os.environ} if jobs > 1 else {}


def _work(shared: str, report: str, fold: Fold) -> list[dict[str, Any]]:
    """Run a fold, in the process; results are plain, so that none of them can fail to travel."""
    with open(report, "w", encoding="utf-8", buffering=1) as file, parallel_config("threading"):

        def tell(result: FoldResult) -> None:
            file.write(json.dumps(asdict(result)) + "\n")

        return [asdict(result) for result in run_fold(_design(shared), fold, tell)]


@lru_cache(maxsize=1)
def _design(shared: str) -> Design:
    with open(shared, "rb") as file:
        design: Design = cloudpickle.load(file)
    return design
