"""Prediction logs larger than memory, summarised by the engine of the user's choice."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cautious.cli.options import Given
from cautious.cli.showing import note
from cautious.errors import InputError
from cautious.predictions import described, guess_columns
from cautious.progress import track

__all__ = ["summarise_log"]


def summarise_log(
    files: Sequence[str],
    given: Given,
    engine: str,
    utilities: Sequence[str] = (),
    confidences: Sequence[float] = (),
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
    utilities : sequence of str
        Utilities whose optimal sets to count.
    confidences : sequence of float
        Probabilities below which a model keeps quiet, to be counted as well.

    Returns
    -------
    LogSummary
    """
    from cautious.logs import summarise

    if "-" in files:
        raise ValueError("--engine cannot read standard input; give files or a folder.")
    source: Any = files[0] if len(files) == 1 else list(files)
    with _running(engine) as ready:
        source, schema = _opened(source, engine, ready)
        try:
            columns = guess_columns(schema.names, **given.columns())
        except InputError as error:
            raise error.at(_title(files)) from None
        note(described(columns, schema.names, _title(files)).words("cli"))
        several = len(columns.proba) > 2
        with track("reading the log") as bar:
            summary = summarise(
                source,
                truth=columns.truth,
                score=columns.scores[0] if columns.scores else None,
                probabilities=columns.proba or None,
                sets=columns.sets or columns.members or None,
                weight=columns.weight or False,
                group=columns.groups or False,
                model=columns.model or False,
                pos_label=_typed(given.positive, schema, str(columns.truth)),
                # Two classes are answered by windows on the score, whatever the rule.
                utilities=tuple(utilities) if several else (),
                confidences=tuple(confidences) if several else (),
                empty=given.empty,
                engine=ready,
                progress=bar.update,
            )
    if not summary.exact:
        note(
            "note: there are more distinct scores than the memory budget holds; they are rounded "
            f"to {summary.resolution:g}, and costs are upper bounds."
        )
    return summary


def _title(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} files"


def _opened(source: Any, engine: str, ready: Any) -> tuple[Any, Any]:
    """Give the log and its schema, as whoever will read it sees them."""
    if engine == "spark":
        # Spark may read what this process cannot, such as hdfs://….
        from cautious.logs.spark import arrow_schema, read_files

        frame = read_files(ready, source)
        return frame, arrow_schema(frame)
    from cautious.logs.sources import open_source

    return source, open_source(source).schema


def _typed(positive: str | None, schema: Any, truth: str) -> Any:
    """Read a class as the column of truths has it."""
    if positive is None:
        return None
    import pyarrow as pa

    kind = schema.types[schema.names.index(truth)]
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return pa.scalar(positive).cast(plain).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(f"--positive is {positive!r}, but the truths are {plain}s.") from None


@contextmanager
def _running(engine: str) -> Iterator[Any]:
    """Start what the user's choice needs, and stop it afterwards."""
    if engine == "dask" or "://" in engine:
        from distributed import Client

        # On this machine workers are started, and their farewells are nobody's business.
        own: dict[str, Any] = {"silence_logs": logging.CRITICAL}
        own |= dict.fromkeys(["dashboard_address", "worker_dashboard_address"], "127.0.0.1:0")
        with Client(**own) if engine == "dask" else Client(engine) as client:  # type: ignore[no-untyped-call]
            yield client
    elif engine == "spark":
        from pyspark.sql import SparkSession  # type: ignore[import-not-found]

        # The Python that runs this has the library; whichever is called python3 may not.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        session = SparkSession.builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()
    elif engine == "local":
        yield engine
    else:
        raise ValueError(
            f"--engine is {engine!r}; choose local, dask, spark, or give the address of a Dask "
            "scheduler such as tcp://host:8786."
        )
