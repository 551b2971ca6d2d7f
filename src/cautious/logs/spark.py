"""A Spark cluster as the engine: the same two functions, mapped over Arrow batches.

Every partition gives one row, its summary as bytes; summaries are then merged as a tree, again by
``mapInArrow``, which runs on classic Spark and on Spark Connect alike. Executors need this library
and pyarrow in their Python environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from importlib import import_module
from typing import Any

from cautious.logs.kernel import summarise_batch
from cautious.logs.plan import Plan, make_plan
from cautious.logs.summarising import checked, completed
from cautious.logs.summary import LogSummary, merge
from cautious.logs.wire import from_bytes, plan_from_text, plan_to_text, to_bytes

__all__ = [
    "arrow_schema",
    "merge_partitions",
    "read_files",
    "summarise_on_spark",
    "summarise_partition",
]

# So many summaries are brought together at a time on their way to one.
_BRANCHES = 8


def summarise_on_spark(source: Any, engine: Any, wishes: dict[str, Any]) -> LogSummary:
    """Summarise a log on Spark.

    Parameters
    ----------
    source : Spark DataFrame, path or list of paths
        The log; paths of Parquet or CSV files are read by Spark.
    engine : "spark" or SparkSession
        The session; "spark" takes that of the frame, or the active one.
    wishes : dict
        Arguments of :func:`cautious.logs.make_plan`.

    Returns
    -------
    LogSummary
    """
    frame = source if hasattr(source, "mapInArrow") else read_files(_session(engine), source)
    plan = make_plan(arrow_schema(frame), **wishes)
    if plan.columns.sets is not None and not plan.classes:
        plan = completed(plan, *_labels(frame, plan))
    rows = frame.select(*(_quoted(name) for name in plan.columns.names()))
    parts = rows.mapInArrow(summarise_partition(plan_to_text(plan)), "summary binary")
    n_parts = _partitions(frame)
    while n_parts > _BRANCHES:
        n_parts = -(-n_parts // _BRANCHES)
        parts = parts.repartition(n_parts).mapInArrow(merge_partitions, "summary binary")
    try:
        found = [from_bytes(bytes(row[0])) for row in parts.collect()]
    except Exception as error:
        ours = _MARK in str(error)
        message = (_with_file(rows, plan) or _said(error)) if ours else _in_short(error)
        raise ValueError(message) from error
    return checked(reduce(merge, found, LogSummary.of_nothing(plan)), None)


def summarise_partition(plan_text: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Make the function that Spark maps over partitions.

    Parameters
    ----------
    plan_text : str
        What to count, as JSON. A column of the file that each row is from may be there as well;
        errors then name the file.
    """

    def summarise(batches: Iterable[Any]) -> Iterator[Any]:
        plan = plan_from_text(plan_text)
        total = LogSummary.of_nothing(plan)
        for batch in batches:
            for where, part in _by_file(batch):
                try:
                    summary = summarise_batch(part, plan.knowing(total.scores.exponent))
                except (ValueError, TypeError) as error:
                    raise ValueError(f"{_MARK}{where}: {error}{_MARK}") from error
                total = merge(total, summary)
        yield _as_batch(total)

    return summarise


def merge_partitions(batches: Iterable[Any]) -> Iterator[Any]:
    """Merge the summaries in a partition; Spark maps this, too."""
    found = (from_bytes(data.as_py()) for batch in batches for data in batch.column(0))
    first = next(found, None)
    if first is not None:
        yield _as_batch(reduce(merge, found, first))


# Spark wraps what a worker says into its own traceback; marks make it easy to find again.
_MARK = "\u2063\u2063"
_FILE = "cautious: file"


def _said(error: Exception) -> str:
    """Take our own message out of Spark's."""
    return str(error).split(_MARK)[1]


def _in_short(error: Exception) -> str:
    """Take the one line that matters, the condition and the file, out of Spark's own error."""
    found = re.search(r"\[[A-Z][A-Z_.]+\][^\n]*", str(error))
    line = str(error).strip().partition("\n")[0] if found is None else found[0]
    return f"Spark could not do it ({line}); nothing was summarised."


def _with_file(rows: Any, plan: Plan) -> str | None:
    """Run once more, now with the file of every row, to say where the error is; None if it fails.

    The name of the file is as long as the row itself, so it is asked for only now.
    """
    functions = import_module("pyspark.sql.functions")
    named = rows.withColumn(_FILE, functions.input_file_name())
    try:
        named.mapInArrow(summarise_partition(plan_to_text(plan)), "summary binary").collect()
    except Exception as error:
        return _said(error) if _MARK in str(error) else None
    return None


def _by_file(batch: Any) -> Iterator[tuple[str, Any]]:
    """Part a batch by the file of its rows, if that is known."""
    if _FILE not in batch.schema.names:
        yield "a batch of Spark's", batch
        return
    files = batch.column(batch.schema.get_field_index(_FILE))
    rest = batch.select([name for name in batch.schema.names if name != _FILE])
    compute = import_module("pyarrow.compute")
    for file in files.unique().to_pylist():
        yield file or "a batch of Spark's", rest.filter(compute.equal(files, file))


def _as_batch(summary: LogSummary) -> Any:
    import pyarrow as pa

    return pa.record_batch({"summary": pa.array([to_bytes(summary)], pa.binary())})


def _session(engine: Any) -> Any:
    """Find the session: the given one, or the active one."""
    try:
        sql = import_module("pyspark.sql")
    except ImportError as error:
        raise ImportError(
            "engine='spark' needs PySpark, which is not installed; pip install pyspark."
        ) from error

    if engine not in ("spark", "local"):
        return engine
    session = sql.SparkSession.getActiveSession()
    if session is None:
        raise ValueError(
            "engine is 'spark', but no session is active; pass the session as engine=, or a Spark "
            "DataFrame as source."
        )
    return session


def read_files(session: Any, source: Any) -> Any:
    """Let Spark read files, refusing the rows it would otherwise quietly make up or leave out."""
    if isinstance(source, str | os.PathLike):
        source = [source]
    if not isinstance(source, list | tuple) or not source:
        raise TypeError(
            f"source is {type(source).__name__}; with engine='spark' give a Spark DataFrame or the "
            "path of Parquet or CSV files."
        )
    paths = [os.fspath(path) for path in source]
    for mark, endings in ((",", (".csv", ".csv.gz")), ("\t", (".tsv", ".tsv.gz"))):
        if all(path.lower().endswith(endings) for path in paths):
            options = {"header": True, "inferSchema": True, "mode": "FAILFAST", "sep": mark}
            return session.read.csv(paths, **options)
    return session.read.option("mergeSchema", "false").parquet(*paths)


def arrow_schema(frame: Any) -> Any:
    """Give the schema as Arrow sees it, without any data."""
    types = import_module("pyspark.sql.pandas.types")
    return types.to_arrow_schema(frame.schema)


def _labels(frame: Any, plan: Plan) -> tuple[set[Any], set[Any]]:
    """Distinct truths and written sets, found by Spark."""
    return tuple(  # type: ignore[return-value]
        {row[0] for row in frame.select(_quoted(name)).distinct().collect()}
        for name in (plan.columns.truth, plan.columns.sets)
    )


def _partitions(frame: Any) -> int:
    """Count the partitions; a guess is enough where Spark Connect does not say."""
    try:
        return int(frame.rdd.getNumPartitions())
    except Exception:  # Connect has no RDDs, and says so in its own ways
        return 64


def _quoted(name: str | None) -> str:
    """Column names may hold dots and spaces."""
    return "`" + str(name).replace("`", "``") + "`"
