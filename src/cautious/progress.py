"""Progress of long work, shown to a person who waits at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

__all__ = ["Progress", "duration", "track"]

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """What takes notice of progress; this one shows nothing."""

    _done = 0.0

    def advance(self, n: float = 1) -> None:
        """Count n more as done."""
        self.update(self._done + n)

    def update(self, done: float, total: float | None = None) -> None:
        """Set how much is done and, if it is known by now, how much there is in all."""
        self._done = done


@contextmanager
def track(what: str, total: float | None = None, *, show: bool | None = None) -> Iterator[Progress]:
    """Show progress with the time left on stderr while the block runs."""
    terminal = sys.stderr.isatty()
    if not (terminal if show is None else show):
        yield Progress()
        return
    if terminal:
        try:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            pass
        else:
            text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in what)
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            console = Console(stderr=True)
            with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
                yield _RichBar(bar, bar.add_task(escape(text), total=total))
            return
    lines = Lines(what, total, sys.stderr)
    yield lines
    lines.finish()


class _RichBar(Progress):
    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task

    def update(self, done: float, total: float | None = None) -> None:
        super().update(done, total)
        self._bar.update(self._task, completed=done, total=total)


class Lines(Progress):
    """Progress as plain lines, one every few seconds."""

    def __init__(self, what: str, total: float | None, stream: TextIO) -> None:
        self._what, self._total, self._stream = what, total, stream
        self._started = self._last = time.monotonic()

    def update(self, done: float, total: float | None = None) -> None:
        """Set how much is done, and how much there is in all."""
        self._done, self._total = done, self._total if total is None else total
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES and self._done:
            self._last = now
            spent = now - self._started
            if self._total is None:
                self._write(f"{duration(spent)} so far")
            else:
                left = spent / self._done * (self._total - self._done)
                self._write(f"about {duration(left)} left")

    def finish(self) -> None:
        """Write how long it took."""
        self._write(f"{duration(time.monotonic() - self._started)} taken")

    def _write(self, more: str) -> None:
        of = "" if self._total is None else f" of {self._total:g}"
        print(f"{self._what}: {self._done:g}{of}, {more}", file=self._stream, flush=True)


def duration(seconds: float) -> str:
    """Write a duration for people."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
