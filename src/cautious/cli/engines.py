"""Prediction logs larger than memory, summarised by the engine of the user's choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cautious.cli.options import Given
from cautious.cli.showing import note
from cautious.progress import track

__all__ = ["summarise_log"]


def summarise_log(
    files: Sequence[str], given: Given, engine: str, rules: Sequence[str | float] = ()
) -> Any:
    """Summarise a log.

    Parameters
    ----------
    files : sequence of str
        Files, folders or patterns; all together are one log.
    given : Given
        What the user says about the columns.
    engine : str
        "local", "dask", the address of a Dask scheduler, or "spark".
    rules : sequence
        Utilities and confidences to count, of more than two classes.

    Returns
    -------
    LogSummary
    """
    from cautious.logs import summarise

    if "-" in files:
        raise ValueError("--engine cannot read standard input; give files or a folder.")
    columns = {role: name for role, name in given.columns().items() if role != "case"}
    with track("reading the log") as bar:
        summary = summarise(
            list(files),
            **columns,
            pos_label=given.positive,
            rules=list(rules),
            empty=given.empty,
            engine=engine,
            progress=bar.update,
        )
    title = files[0] if len(files) == 1 else f"{len(files)} files"
    for words in summary.notes:
        note(words.at(title).words("cli"))
    return summary
