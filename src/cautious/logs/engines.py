"""Clusters of Spark and of Dask as engines: the same kernel, mapped over Arrow batches.

With Dask, which mends what workers lose, a task is some parts. With Spark every partition gives one
row, its summary as bytes; summaries are then added up as a tree, again by ``mapInArrow``, which
runs on classic Spark and on Spark Connect alike. Executors need this library and pyarrow in their
Python environment.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from cautious.errors import InputError, Message, NotInstalled, how_to_install, shown
from cautious.logs._source import Part, TablePart, files_title, gathered
from cautious.logs.batch import RowsDone, RunningTotal
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary

# So many summaries are brought together at a time on their way to one.
_BRANCHES = 8
# Counting begins to pay when a batch has so many cells; Spark has one task per core in a process.
_CELLS = 1 << 19


class _NoJavaError(InputError, FileNotFoundError):
    """There is no Java for Spark to run on."""


def summarise_on_spark(source: Any, engine: Any, wishes: dict[str, Any]) -> LogSummary:
    """Summarise a log on Spark."""
    if hasattr(source, "mapInArrow"):
        return _summarise_frame(source, wishes)
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(paths, list | tuple) or not paths:
        raise TypeError(
            f"source is {type(source).__name__}; with engine='spark' give a Spark DataFrame or the "
            "path of Parquet or CSV files."
        )
    with _session(engine) as session:
        frame = _read_files(session, [os.fspath(p) for p in paths])
        return _summarise_frame(frame, wishes | {"place": files_title(paths)})


def map_on_spark(
    work: Callable[[Any], Any], tasks: Sequence[Any], engine: Any = "spark"
) -> list[Any]:
    """Do every task on Spark, and give the results in the order of the tasks."""
    import pyarrow as pa

    def do(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for at in batch.column(0).to_pylist():
                try:
                    found = json.dumps(work(tasks[at]))
                except (ValueError, TypeError, OSError) as error:
                    raise ValueError(f"{_MARK}{_as_text(error)}{_MARK}") from error
                yield pa.record_batch({"at": [at], "found": [found]})

    with _session(engine) as session:
        numbers = session.range(0, len(tasks), 1, max(1, len(tasks)))
        rows = _collected(numbers.mapInArrow(do, "at long, found string"))
    return [json.loads(row[1]) for row in sorted(rows)]


def _summarise_frame(frame: Any, wishes: dict[str, Any]) -> LogSummary:
    """Map partitions to summaries, and add these up as a tree."""
    types = import_module("pyspark.sql.pandas.types")
    plan = Plan.of(types.to_arrow_schema(frame.schema), **wishes)
    if plan.columns.sets is not None and not plan.classes:
        truths, written = (
            {row[0] for row in frame.select(_quoted(name)).distinct().collect()}
            for name in (plan.columns.truth, plan.columns.sets)
        )
        plan = plan.with_classes(truths, written)
    rows = frame.select(*(_quoted(name) for name in plan.columns.names()))
    text = json.dumps(plan.to_dict())
    parts = rows.mapInArrow(summarise_partition(text), "summary binary")
    n_parts = _partitions(frame)
    while n_parts > _BRANCHES:
        n_parts = -(-n_parts // _BRANCHES)
        parts = parts.repartition(n_parts).mapInArrow(add_partitions, "summary binary")
    found = _collected(parts, lambda: _with_file(rows, text))
    summaries = [LogSummary.from_bytes(bytes(row[0])) for row in found]
    return sum(summaries, LogSummary.of_nothing(plan))


def _collected(frame: Any, again: Callable[[], InputError | None] = lambda: None) -> Any:
    """Let Spark do the work, and say what went wrong in our own words, or better ones."""
    try:
        return frame.collect()
    except Exception as error:
        if _MARK in str(error):
            raise again() or _said(error) from error
        raise ValueError(_in_short(error)) from error


def summarise_partition(plan_text: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Make the function that Spark maps over partitions."""

    def summarise(batches: Iterable[Any]) -> Iterator[Any]:
        total = RunningTotal(Plan.from_dict(json.loads(plan_text)))
        columns = len(total.plan.columns.names())
        for table in gathered(batches, _CELLS // columns):
            for part in _parts_of(table):
                try:
                    total.add(part)
                except (ValueError, TypeError) as error:
                    raise ValueError(f"{_MARK}{_as_text(error)}{_MARK}") from error
        yield _as_batch(total.summary)

    return summarise


def add_partitions(batches: Iterable[Any]) -> Iterator[Any]:
    """Add up the summaries in a partition; Spark maps this, too."""
    found = [LogSummary.from_bytes(data.as_py()) for batch in batches for data in batch.column(0)]
    if found:
        yield _as_batch(sum(found[1:], found[0]))


# Spark wraps what a worker says into its own traceback; marks make it easy to find again.
_MARK = "\u2063\u2063"
_FILE = "cautious: file"


def _said(error: Exception) -> InputError:
    """Take our own error out of Spark's."""
    return InputError(_message(json.loads(str(error).split(_MARK)[1])))


def _as_text(error: Exception) -> str:
    """Write an error as JSON."""
    plain = Message("{text}", {"text": str(error)})
    message = error.message if isinstance(error, InputError) else plain
    return json.dumps(asdict(message), default=str)


def _message(fields: dict[str, Any]) -> Message:
    """Undo :func:`dataclasses.asdict` of a message."""
    hints = tuple(_message(hint) for hint in fields["hints"])
    return Message(**fields | {"hints": hints})


def _in_short(error: Exception) -> str:
    """Take the one line that matters, the condition and the file, out of Spark's own error."""
    found = re.search(r"\[[A-Z][A-Z_.]+\][^\n]*", str(error))
    line = str(error).strip().partition("\n")[0] if found is None else found[0]
    return f"Spark could not do it ({line}); nothing was summarised."


def _with_file(rows: Any, plan_text: str) -> InputError | None:
    """Run once more, with the file of every row, to say where the error is; None if it fails."""
    functions = import_module("pyspark.sql.functions")
    named = rows.withColumn(_FILE, functions.input_file_name())
    try:
        named.mapInArrow(summarise_partition(plan_text), "summary binary").collect()
    except Exception as error:
        return _said(error) if _MARK in str(error) else None
    return None


def _parts_of(batch: Any) -> Iterator[TablePart]:
    """Part a batch by the file of its rows, if that is known."""
    unknown = "a batch of Spark's"
    if _FILE not in batch.schema.names:
        yield TablePart(unknown, batch)
        return
    files = batch.column(batch.schema.get_field_index(_FILE))
    rest = batch.select([name for name in batch.schema.names if name != _FILE])
    compute = import_module("pyarrow.compute")
    for file in files.unique().to_pylist():
        yield TablePart(file or unknown, rest.filter(compute.equal(files, file)))


def _as_batch(summary: LogSummary) -> Any:
    import pyarrow as pa

    return pa.record_batch({"summary": pa.array([summary.to_bytes()], pa.binary())})


def _package(engine: str, name: str, module: str) -> Any:
    """Import what an engine needs."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotInstalled(
            f"{{=engine {engine}}} needs {name}, which is not installed; {{how}}.",
            how=how_to_install(engine),
        ) from error


@contextmanager
def _session(engine: Any) -> Iterator[Any]:
    """Find the session: the given one, the active one, or one that is started for the work."""
    sql = _package("spark", "PySpark", "pyspark.sql")
    if engine == "spark":
        engine = sql.SparkSession.getActiveSession() or engine
    if not isinstance(engine, str):
        yield engine
        return
    _check_java(engine)
    # The Python that runs this has the library; whichever is called python3 may not.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("cautious")
    for option, value in _options(engine, _asked_for()).items():
        builder = builder.config(option, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _check_java(engine: str) -> None:
    """Refuse to start what cannot run; a client of Spark Connect has its Java elsewhere."""
    home = os.environ.get("JAVA_HOME")
    if engine.startswith("sc://") or shutil.which("java", path=home and str(Path(home, "bin"))):
        return
    raise _NoJavaError(
        "{=engine spark} needs Java, and there is no java {where}; install a Java runtime that "
        "your PySpark knows (on Debian: apt install default-jre-headless), or take "
        "{=engine local} or {=engine dask}.",
        where=f"in JAVA_HOME, which is {shown(home)}" if home else "on the PATH",
    )


def _options(engine: str, asked: str) -> dict[str, str]:
    """Options of a session that is started here: nobody outside this machine can reach it."""
    if engine.startswith("sc://"):
        return {"spark.remote": engine}
    found = {"spark.ui.enabled": "false"}
    if engine.startswith("spark://"):
        found["spark.master"] = engine
    elif re.search(r"(--master|spark\.master)[\s=]+(?!local)", asked) is None:
        found |= dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1")
    return {option: value for option, value in found.items() if option not in asked}


def _asked_for() -> str:
    """Give what the user's configuration of Spark says, as text."""
    folder = os.environ.get("SPARK_CONF_DIR") or os.path.join(
        os.environ.get("SPARK_HOME", ""), "conf"
    )
    defaults = Path(folder, "spark-defaults.conf")
    lines = defaults.read_text(errors="replace").splitlines() if defaults.is_file() else []
    own = [line for line in lines if not line.lstrip().startswith("#")]
    return "\n".join([os.environ.get("PYSPARK_SUBMIT_ARGS", ""), *own])


def _read_files(session: Any, paths: list[str]) -> Any:
    """Let Spark read files, refusing the rows it would otherwise quietly make up or leave out."""
    for mark, endings in ((",", (".csv", ".csv.gz")), ("\t", (".tsv", ".tsv.gz"))):
        if all(path.lower().endswith(endings) for path in paths):
            return session.read.csv(paths, header=True, mode="FAILFAST", sep=mark)
    return session.read.option("mergeSchema", "false").parquet(*paths)


def _partitions(frame: Any) -> int:
    """Count the partitions; a guess is enough where Spark Connect does not say."""
    try:
        return int(frame.rdd.getNumPartitions())
    except Exception:  # Connect has no RDDs, and says so in its own ways
        return 64


def _quoted(name: str | None) -> str:
    """Column names may hold dots and spaces."""
    return "`" + str(name).replace("`", "``") + "`"


# Few large tasks: each finds out anew how finely scores can be kept, and sends a summary. A few per
# worker even out, and a lost one costs no more than so many parts.
_MOST_PARTS = 64
_TASKS_PER_THREAD = 2
# Of a source that can be read only once, so many parts are sent out at a time.
_WINDOW = 64


def summarise_on_dask(
    parts: Iterable[Part],
    plan: Plan,
    engine: Any = "dask",
    *,
    n_rows: int | None = None,
    progress: RowsDone | None = None,
) -> LogSummary:
    """Summarise the parts of a source on a Dask cluster."""
    total, done = LogSummary.of_nothing(plan), 0
    work = partial(summarise_block, plan=plan)
    with _client(engine) as client:
        at_once = len(parts) if isinstance(parts, Sequence) else _WINDOW
        waiting = iter(parts)
        while window := list(islice(waiting, max(at_once, 1))):
            blocks = blocks_of(window, client)
            for block, own in zip(blocks, map_on_dask(work, blocks, client), strict=True):
                total += own
                done += sum(part.n_rows or 0 for part in block)
                if progress is not None:
                    progress(done, n_rows)
    return total


def map_on_dask(
    work: Callable[[Any], Any], tasks: Sequence[Any], engine: Any = "dask"
) -> Iterator[Any]:
    """Do every task on a Dask cluster, and give the results in the order of the tasks."""
    # Dask looks futures' client up as the current one; ours may be nobody's default.
    with _client(engine) as client, client.as_current():
        with warnings.catch_warnings():
            # What is only here has to be sent; Dask would rather have it read over there.
            warnings.filterwarnings("ignore", message="Sending large graph")
            futures = [client.submit(work, task, pure=False) for task in tasks]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            client.cancel(futures)
            raise


def summarise_block(parts: list[Part], plan: Plan) -> LogSummary:
    """Summarise parts one after the other; what goes over the wire is added up before."""
    total = RunningTotal(plan)
    for part in parts:
        total.add(part)
    return total.summary.settled()


def blocks_of(parts: list[Part], client: Any) -> list[list[Part]]:
    """Put parts together to blocks, one for each task: a few for each thread of the cluster."""
    threads = max(1, sum(client.nthreads().values()))
    size = min(_MOST_PARTS, -(-len(parts) // (threads * _TASKS_PER_THREAD)))
    return [parts[start : start + size] for start in range(0, len(parts), size)]


@contextmanager
def _client(engine: Any) -> Iterator[Any]:
    """Find the client: the given one, the running one, or one that is opened for the work."""
    distributed = _package("dask", "Dask", "distributed")
    if engine == "dask":
        with suppress(ValueError):  # there is none
            engine = distributed.get_client()
    if isinstance(engine, distributed.Client):
        yield engine
        return
    where: dict[str, Any] = {"address": engine}
    if engine == "dask":
        # Its own words on the way down are of no use to anybody.
        where = {"host": "127.0.0.1", "silence_logs": logging.CRITICAL}
        where |= dict.fromkeys(["dashboard_address", "worker_dashboard_address"], "127.0.0.1:0")
    with distributed.Client(**where, set_as_default=False) as client:
        yield client
