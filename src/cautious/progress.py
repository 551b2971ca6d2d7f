"""Progress of long work, shown to a person who waits: a bar on a terminal, lines in a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

__all__ = ["Progress", "duration", "track"]

_SECONDS_BEFORE_A_BAR, _SECONDS_BETWEEN_LINES, _SECONDS_BETWEEN_LOOKS = 2.0, 10.0, 0.1


class Progress:
    """How far work has come, as those say who do it."""

    def __init__(self, what: str, total: float | None = None) -> None:
        self.what, self.total, self.done = what, total, 0.0
        self._started = time.monotonic()

    def advance(self, n: float = 1) -> None:
        """Count n more as done."""
        self.done += n

    def update(self, done: float, total: float | None = None) -> None:
        """Set how much is done and, if it is known by now, how much there is in all."""
        self.done, self.total = done, self.total if total is None else total

    def line(self, *, finished: bool = False) -> str:
        """Say in one line how much is done, and how long the rest will take."""
        spent = time.monotonic() - self._started
        more = f"{duration(spent)} {'taken' if finished else 'so far'}"
        if self.total is not None and self.done and not finished:
            more = f"about {duration(spent / self.done * (self.total - self.done))} left"
        of = "" if self.total is None else f" of {self.total:g}"
        known = f"{self.done:g}{of}, " if self.done else ""
        return f"{self.what}: {known}{more}"


@contextmanager
def track(what: str, total: float | None = None, *, show: bool = True) -> Iterator[Progress]:
    """Show progress with the time left on stderr while the block runs, once that takes long."""
    progress, finished = Progress(what, total), Event()
    # A thread looks how far the work has come: also where the work itself never says.
    watcher = Thread(target=_bar if sys.stderr.isatty() else _lines, args=(progress, finished))
    watcher.daemon = True
    if show:
        watcher.start()
    try:
        yield progress
    finally:
        finished.set()
        if show:
            watcher.join()


def _bar(progress: Progress, finished: Event) -> None:
    """Draw a bar, which goes when the work is finished."""
    if finished.wait(_SECONDS_BEFORE_A_BAR):
        return
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
    except ImportError:
        _lines(progress, finished)
        return
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in progress.what)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(escape(text), total=progress.total)
        while not finished.wait(_SECONDS_BETWEEN_LOOKS):
            bar.update(task, completed=progress.done, total=progress.total)


def _lines(progress: Progress, finished: Event) -> None:
    """Write a line every few seconds, and a last one if there was any."""
    long = False
    while not finished.wait(_SECONDS_BETWEEN_LINES):
        long = True
        print(progress.line(), file=sys.stderr, flush=True)
    if long:
        print(progress.line(finished=True), file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Write a duration for people."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
