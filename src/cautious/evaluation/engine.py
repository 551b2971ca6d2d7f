"""Logs larger than memory, summarised by the engine of the user's choice."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cautious.errors import InputError, Message

__all__ = ["Log", "summarise_log"]


@dataclass(frozen=True)
class Log:
    """A summary, what to call its model where no column says, and where it is from."""

    summary: Any
    name: str
    place: str = ""

    @property
    def notes(self) -> tuple[Message, ...]:
        """What was guessed, left out or rounded."""
        notes: tuple[Message, ...] = self.summary.notes
        return notes


def summarise_log(
    source: Any,
    engine: Any,
    *,
    rules: Any = (),
    progress: Callable[..., None] | None = None,
    **columns: Any,
) -> Log:
    """Summarise a log for the rules that will be asked about.

    Parameters
    ----------
    source : path, several paths, or what else :func:`cautious.summarise` takes
        All together are one log.
    engine : str, or a client or session
        "local", "dask", the address of a Dask scheduler, or "spark".
    rules : optional
        Decisions to count beside the most probable class.
    progress : callable, optional
        Called with the rows done and the rows there are.
    **columns
        What is known about the columns, as for :func:`cautious.read_predictions`.
    """
    from cautious.logs import summarise

    if columns.pop("case", None) is not None:
        raise InputError("{=case} is not offered with {=engine}.")
    files = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(files, list) and "-" in files:
        raise InputError("{=engine} cannot read standard input; give files or a folder.")
    summary = summarise(source, engine=engine, rules=rules, progress=progress, **columns)
    if not isinstance(files, list):
        return Log(summary, "log")
    place = str(files[0]) if len(files) == 1 else f"{len(files)} files"
    return Log(summary, Path(place.rstrip("/")).stem if len(files) == 1 else "log", place)
