"""Telling a waiting person how far it is, on stderr, and nobody else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TextIO, TypeVar

from joblib import Parallel, delayed

__all__ = ["duration", "run_tasks", "track"]

_SECONDS_BETWEEN_LINES = 5.0


class Progress(Protocol):
    """Something that can be told of progress."""

    def advance(self, n: int = 1) -> None:
        """Say that n more are done."""


@contextmanager
def track(total: int, what: str, *, show: bool | None = None) -> Iterator[Progress]:
    """Show progress with the time left while the block runs.

    Parameters
    ----------
    total : int
        How much there is to do.
    what : str
        What is being done.
    show : bool, optional
        None shows it if stderr is a terminal; with rich installed as a bar, otherwise as lines.

    Examples
    --------
    >>> with track(3, "folds") as progress:
    ...     progress.advance()
    """
    wanted = sys.stderr.isatty() if show is None else show
    if not wanted:
        yield _Silent()
        return
    if sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            pass
        else:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
                yield _RichBar(bar, bar.add_task(escape(what), total=total))
            return
    lines = Lines(total, what, sys.stderr)
    yield lines
    lines.finish()


T = TypeVar("T")


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
        As `show` of :func:`track`.

    Yields
    ------
    object
        What the functions return, in the order in which they finish.

    Examples
    --------
    >>> list(run_tasks([int, str], "nothing"))
    [0, '']
    """
    with track(len(tasks), what, show=progress) as bar:
        # One at a time: a batch that is killed loses all of it.
        jobs = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
        for found in jobs(delayed(task)() for task in tasks) if tasks else []:
            yield found
            bar.advance()


class _Silent:
    def advance(self, n: int = 1) -> None:
        """Say nothing."""


class _RichBar:
    def __init__(self, bar: object, task: object) -> None:
        self._bar, self._task = bar, task

    def advance(self, n: int = 1) -> None:
        self._bar.advance(self._task, n)  # type: ignore[attr-defined]


class Lines:
    """Progress as plain lines, one every few seconds."""

    def __init__(self, total: int, what: str, stream: TextIO) -> None:
        self._total, self._what, self._stream = total, what, stream
        self._done = 0
        self._started = self._last = time.monotonic()

    def advance(self, n: int = 1) -> None:
        """Say that n more are done."""
        self._done += n
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            left = (now - self._started) / self._done * (self._total - self._done)
            self._say(f"about {duration(left)} left")

    def finish(self) -> None:
        """Say how long it took."""
        self._say(f"{duration(time.monotonic() - self._started)} taken")

    def _say(self, more: str) -> None:
        print(f"{self._what}: {self._done} of {self._total}, {more}", file=self._stream, flush=True)


def duration(seconds: float) -> str:
    """Write a duration for people.

    Examples
    --------
    >>> duration(42), duration(150), duration(9000)
    ('42 s', '2 min 30 s', '2 h 30 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
