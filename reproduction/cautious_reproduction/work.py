"""Long work: tasks in parallel with progress shown, seeds, files that are whole or not there."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed

from cautious.experiments import Study

__all__ = ["duration", "fingerprint", "is_shown", "run_tasks", "seeded", "write_whole"]

T = TypeVar("T")

_SECONDS_BETWEEN_LINES = 5.0


def run_tasks(
    tasks: Sequence[Callable[[], T]],
    what: str,
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Iterator[T]:
    """Call functions in parallel and give the results as they come, with progress shown."""
    started = last = time.monotonic()
    # One at a time: a batch that is killed loses all of it.
    jobs = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
    results = jobs(delayed(task)() for task in tasks) if tasks else []
    for done, result in enumerate(results, start=1):
        yield result
        now = time.monotonic()
        if is_shown(progress) and (now - last >= _SECONDS_BETWEEN_LINES or done == len(tasks)):
            last = now
            left = (now - started) / done * (len(tasks) - done)
            more = f"about {duration(left)} left" if left else f"{duration(now - started)} taken"
            print(f"{what}: {done} of {len(tasks)}, {more}", file=sys.stderr, flush=True)


def is_shown(progress: bool | None) -> bool:
    """Whether to show progress: where it is not said, to a person at a terminal."""
    return sys.stderr.isatty() if progress is None else progress


def duration(seconds: float) -> str:
    """Write a duration for people.

    Examples
    --------
    >>> duration(59), duration(61), duration(3725)
    ('59 s', '1 min 1 s', '1 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def seeded(estimator: Any, seed: int) -> Any:
    """Fix every ``random_state`` that was left open, in the estimator and in those inside it."""
    open_states = {
        name: Study.seed_for(seed, name)
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return estimator.set_params(**open_states)


def fingerprint(*things: Any) -> str:
    """Shorten texts, numbers and lists of them to sixteen hexadecimal digits."""
    return hashlib.sha256(repr([*things]).encode()).hexdigest()[:16]


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one, never a part of it."""
    aside = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        aside.write_bytes(content.encode() if isinstance(content, str) else content)
        return aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
