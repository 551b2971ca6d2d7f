"""From batches of a prediction log to a summary: what every engine maps, and the engines.

Threads are the local one. With Dask, which mends what workers lose, a task is some parts. With
Spark every partition gives one row, its summary as bytes; summaries are then added up as a tree,
again by ``mapInArrow``, which runs on classic Spark and on Spark Connect alike. Executors need this
library and pyarrow in their Python environment.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from threading import Lock, Semaphore
from typing import Any

import numpy as np

from cautious._labels import binary_classes, label_text, match_label, match_labels
from cautious._typing import Floats, Ints, Mask
from cautious.errors import InputError, Message, NotInstalled, how_to_install, shown
from cautious.logs._source import BATCH_CELLS, Part, TablePart, batch_rows, files_title, gathered
from cautious.logs.plan import ARGMAX, SETS, Plan
from cautious.logs.scores import ScoreTally
from cautious.logs.sets import Codes, Counts, Keys, Piece, SetTally, fixed_point
from cautious.logs.summary import WEIGHTLESS, LogSummary
from cautious.predictions._cells import plain_labels
from cautious.predictions._rows import (
    NO_NAME,
    Rows,
    Settled,
    logged_sets,
    odd_sets,
    positions_of_truths,
    read_rows,
    scores_of,
)
from cautious.predictions._table import table_of_batch

# Python's lock is held so often that more threads, counting at a time, only hinder one another.
_FEW_THREADS = 4
# More threads than so many gain less than they lose in waiting for Python's lock: of 200 million
# scores 16 threads took 0.62 s, and 8 took 0.40.
_MOST_THREADS = 8
_THREADS_BY_DEFAULT = 4
# So many summaries are brought together at a time on their way to one.
_BRANCHES = 8
# Counting begins to pay when a batch has so many cells; Spark has one task per core in a process.
_CELLS = 1 << 19


RowsDone = Callable[[int, int | None], object]
"""Called with the number of rows done, and of all rows if it is known."""


def summarise_batch(
    batch: Any,
    plan: Plan,
    at_least: int | None = None,
    *,
    first: int = 0,
    where: Callable[[int], str] = "row {}".format,
) -> LogSummary:
    """Summarise one Arrow record batch; summaries of several add up, in any order.

    Parameters
    ----------
    batch : pyarrow.RecordBatch or Table
        Rows of a prediction log.
    plan : Plan
        What to count.
    at_least : int, optional
        The exponent that other batches are known to need, of the cells that scores are rounded to
        (``summary.scores.exponent``). It spares work and changes no result.
    first : int
        Number of the batch's first row in the log.
    where : callable
        Says where a row of the log is, for errors.
    """
    table = table_of_batch(batch, first, where)
    rows = read_rows(table, plan.columns, plan, whole=False)
    if not rows.n:
        return replace(LogSummary.of_nothing(plan), n_rows=batch.num_rows, odd=rows.odd)
    known = [exponent for exponent in (plan.resolution, at_least) if exponent is not None]
    counting = _Counting(rows, plan, max(known, default=None))
    scores, sets = counting.scores(), counting.sets()
    return LogSummary(plan, batch.num_rows, frozenset(rows.truths), scores, sets, rows.odd)


class _Counting:
    """Counts the rows of a batch: what they are, and how often each counts."""

    def __init__(self, rows: Rows, plan: Plan, exponent: int | None) -> None:
        self.rows, self.plan, self.exponent = rows, plan, exponent
        self.used: Mask | None = None
        self.counts: Counts | None = None
        if (weight := rows.weight) is not None:
            self.used = weight > 0
            self._note(WEIGHTLESS, ~self.used)
            self.counts = fixed_point(weight[self.used])
        self.part, self.keys = self._groups_and_models()
        self.answer: Ints | None = None
        self.confidence: Floats = np.empty(0)
        if len(plan.columns.proba) > 1:
            self.proba = rows.proba_of(plan.classes)
            if plan.missing == "abstain":
                self._note("missing", np.isnan(self.proba[:, 0]))
            self.confidence = self.proba.max(axis=1)
            self.answer = (self.proba == self.confidence[:, None]).argmax(axis=1)  # nan: the first

    @cached_property
    def truth(self) -> Ints:
        """Position of each true class."""
        assert self.rows.truth is not None
        return positions_of_truths(self.rows, self.plan.classes)[self.rows.truth.codes]

    def scores(self) -> ScoreTally:
        """Count scores of two classes, or the confidences of answers."""
        tally = ScoreTally(self.plan.limits, self.plan.resolution)
        if self.plan.binary:
            truth, names = self._truths_of_scores()
            settled = Settled(self.plan.classes, self.plan.pos_label, self.plan.turned)
            for model, scores in scores_of(self.rows, settled).items():
                gone = np.isnan(scores)
                if gone.any():
                    scores = np.where(gone, 0.0, scores)
                    if len(self.plan.columns.proba) < 2:
                        self._note("missing", gone)
                tally += self._tally(scores, truth, gone, names, model)
        elif self.answer is not None:
            names = range(len(self.plan.classes))
            tally += self._tally(self.confidence, self.truth, self.answer != self.truth, names)
        return tally

    def _truths_of_scores(self) -> tuple[Codes, Sequence[Any]]:
        """Tell which case each row is, positive or not or of which label, and what these are."""
        plan, rows = self.plan, self.rows
        assert rows.truth is not None
        names: list[Any] = list(plan.classes) or rows.truth.values
        if plan.classes:
            among = positions_of_truths(rows, names)
        elif plan.pos_label is None:
            among = np.arange(len(names))
            if len(names) > 2:
                binary_classes(names)  # says that there are too many
        else:  # each label by itself: which others there are, no batch knows
            among, names = np.array(match_labels(names, [plan.pos_label])), [plan.pos_label]
        if plan.pos_label is not None:
            among, names = among == match_label(plan.pos_label, names), [False, True]
        codes = rows.truth.codes
        if not (among == np.arange(len(among))).all():  # a table look-up takes longer than a copy
            codes = np.take(among.astype(np.uint8), codes)
        return codes.astype(np.uint8), names

    def _tally(
        self, scores: Floats, truth: Codes, apart: Mask, names: Sequence[Any], model: str = ""
    ) -> ScoreTally:
        """Count scores for each kind of case in each part of the batch; nan is left out."""
        kinds = tuple((name, is_apart) for name in names for is_apart in (False, True))
        # The smallest type sorts quickest, where cases must be sorted by kind.
        code = truth.astype(np.min_scalar_type(len(kinds)))
        code *= 2
        code += apart
        scores, code = map(self._counted, (scores, code))
        if self.part is not None:
            code = code + self.part * len(kinds)
        models = tuple(", ".join(filter(None, (own, model))) or None for own in self.keys.models)
        found = self.keys._replace(models=models, kinds=kinds)
        keys = Keys.of((), models, kinds)._replace(groups=found.groups)
        cases = Piece(found.recoded(code, keys), scores, self.counts)
        if "missing" in self.rows.odd:
            there = ~np.isnan(scores)
            counts = None if self.counts is None else self.counts[there]
            cases = Piece(cases.codes[there], scores[there], counts)
        return ScoreTally.of_cases(cases, keys, self.plan.limits, self.exponent)

    def sets(self) -> SetTally:
        """Count the sets of every decision."""
        limit, classes = self.plan.limits.limit, self.plan.classes
        tally = SetTally(limit)
        for decision in self.plan.decisions:
            which = None
            if decision == SETS:
                sets, which = self._logged()
            elif decision == ARGMAX and self.answer is not None:
                # Each class alone, and all of them where nothing is known.
                sets = np.vstack([np.eye(len(classes)), np.ones(len(classes))]) > 0
                which = np.where(np.isnan(self.confidence), len(classes), self.answer)
            else:
                values = np.ascontiguousarray(self.proba)
                sets = self.plan.rules[decision].predict_set(values, classes=classes)
            sets = self._counted(sets) if which is None else sets
            truth, answer, which = map(self._counted, (self.truth, self.answer, which))
            right = None if answer is None else answer == truth
            keys = self.keys._replace(kinds=(decision,))
            tally += SetTally.of_sets(
                sets, which, truth, right, self.part, keys, self.counts, limit
            )
        return tally

    def _logged(self) -> tuple[Mask, Ints | None]:
        """Give logged sets: a mask of all rows, or of distinct sets and which of them each has."""
        self.rows.parse({label_text(label) for label in self.plan.classes})
        _ = self.truth  # a truth that is no class is said before an empty set
        mask, which = logged_sets(self.rows, self.plan.classes)
        if which is not None:
            for key, odd in odd_sets(self.rows.sets).items():
                self._note(key, odd[which])
        return mask, which

    def _groups_and_models(self) -> tuple[Ints | None, Keys]:
        """Code of the group and the model of each counted row, and the names of these."""
        rows: Any = slice(None) if self.used is None else np.flatnonzero(self.used)
        part, every = None, list[tuple[Any, ...]]()
        for role, column in (("groups", self.rows.groups), ("model", self.rows.model)):
            names: tuple[Any, ...] = (None,)
            if column is not None:
                codes, labels = plain_labels(column.take(rows), text=True)
                unnamed = (codes < 0).any()
                names = (*labels, NO_NAME[role]) if unnamed else tuple(labels)
                codes = np.where(codes < 0, len(labels), codes) if unnamed else codes
                part = codes.astype(np.intp) if part is None else part * len(names) + codes
            every.append(names)
        found = Keys(every[0], every[1], (None,))
        keys = Keys.of(*found)
        return None if part is None else found.recoded(part, keys).astype(np.intp), keys

    def _counted(self, values: Any) -> Any:
        """Leave out rows without weight."""
        return values if self.used is None or values is None else values[self.used]

    def _note(self, what: str, rows: Mask) -> None:
        """Count rows that are said to be odd."""
        if rows.any():
            self.rows.odd[what] = self.rows.odd.get(what, 0) + int(rows.sum())


@dataclass
class RunningTotal:
    """A summary that parts of a source are added to, by one thread or by several.

    Attributes
    ----------
    summary : LogSummary
        What has been added up.
    n_threads : int
        How many add parts at a time: all together hold about as many cells as one would.
    n_rows : int, optional
        Number of all rows, for `progress`, which is called after each batch.
    n_done : int
        Number of the rows done.
    stopped : bool
        Whether nothing more shall be added.
    """

    summary: LogSummary
    n_threads: int = 1
    n_rows: int | None = None
    progress: RowsDone | None = None
    n_done: int = 0
    stopped: bool = False
    lock: Any = field(default_factory=Lock)
    few: Any = field(default_factory=partial(Semaphore, _FEW_THREADS))

    def add(self, part: Part) -> None:
        """Read a part of the source and add it, one batch in memory at a time."""
        plan, place, cells = self.summary.plan, part.name, BATCH_CELLS // self.n_threads
        names = plan.columns.names()
        step = batch_rows(names, cells)
        try:
            for first, batch in part.batches(names, cells):
                for start in range(0, batch.num_rows, step):  # what is in memory may be large
                    rows, at = batch.slice(start, step), first + start
                    with self.few:
                        # What other batches are known to need, all need: no finer cells are tried.
                        known = self.summary.scores.exponent
                        own = summarise_batch(rows, plan, known, first=at, where=part.where)
                    with self.lock:
                        place = plan.place  # what does not add up is wrong with no part alone
                        self.summary += own
                        place = part.name
                with self.lock:
                    if self.stopped:
                        return
                    self.n_done += batch.num_rows
                    if self.progress is not None:
                        self.progress(self.n_done, self.n_rows)
                del batch  # it would otherwise be there while the next is read
        except InputError as error:
            raise error.at(place) from None


def summarise_in_threads(
    parts: Iterable[Part],
    plan: Plan,
    *,
    n_rows: int | None = None,
    n_threads: int | None = None,
    progress: RowsDone | None = None,
) -> LogSummary:
    """Summarise the parts of a source in threads; of several that are refused the first is said."""
    import pyarrow as pa

    if n_threads is None:
        n_threads = min(os.cpu_count() or 1, _THREADS_BY_DEFAULT)
    most = len(parts) if isinstance(parts, Sequence) else _MOST_THREADS
    n_threads = max(1, min(n_threads, _MOST_THREADS, most))
    at_once = max(most, 1) if isinstance(parts, Sequence) else 2 * n_threads
    waiting = iter(parts)
    total = RunningTotal(LogSummary.of_nothing(plan), n_threads, n_rows, progress)
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            while window := list(islice(waiting, at_once)):
                deque(pool.map(total.add, window), 0)
        except BaseException:
            total.stopped = True
            raise
    pa.default_memory_pool().release_unused()
    return total.summary


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
                with _marked():
                    found = json.dumps(work(tasks[at]))
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
    parts = rows.mapInArrow(partial(summarise_partition, plan), "summary binary")
    try:
        n_parts = int(frame.rdd.getNumPartitions())
    except Exception:  # Connect has no RDDs, and says so in its own ways: a guess is enough
        n_parts = 64
    while n_parts > _BRANCHES:
        n_parts = -(-n_parts // _BRANCHES)
        parts = parts.repartition(n_parts).mapInArrow(add_partitions, "summary binary")
    found = _collected(parts, lambda: _with_file(rows, plan))
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


def summarise_partition(plan: Plan, batches: Iterable[Any]) -> Iterator[Any]:
    """Summarise a partition; Spark maps this."""
    total = RunningTotal(LogSummary.of_nothing(plan))
    for table in gathered(batches, _CELLS // len(plan.columns.names())):
        for part in _parts_of(table):
            with _marked():
                total.add(part)
    yield _as_batch(total.summary)


def add_partitions(batches: Iterable[Any]) -> Iterator[Any]:
    """Add up the summaries in a partition; Spark maps this, too."""
    found = [LogSummary.from_bytes(data.as_py()) for batch in batches for data in batch.column(0)]
    if found:
        yield _as_batch(sum(found[1:], found[0]))


# Spark wraps what a worker says into its own traceback; marks make it easy to find again.
_MARK = "\u2063\u2063"
_FILE = "cautious: file"


@contextmanager
def _marked() -> Iterator[None]:
    """Write an error of ours as JSON between marks."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:
        plain = Message("{text}", {"text": str(error)})
        message = error.message if isinstance(error, InputError) else plain
        text = json.dumps(asdict(message), default=str)
        raise ValueError(f"{_MARK}{text}{_MARK}") from error


def _said(error: Exception) -> InputError:
    """Take our own error out of Spark's."""
    return InputError(_message(json.loads(str(error).split(_MARK)[1])))


def _message(fields: dict[str, Any]) -> Message:
    """Undo :func:`dataclasses.asdict` of a message."""
    hints = tuple(_message(hint) for hint in fields["hints"])
    return Message(**fields | {"hints": hints})


def _in_short(error: Exception) -> str:
    """Take the one line that matters, the condition and the file, out of Spark's own error."""
    found = re.search(r"\[[A-Z][A-Z_.]+\][^\n]*", str(error))
    line = str(error).strip().partition("\n")[0] if found is None else found[0]
    return f"Spark could not do it ({line}); nothing was summarised."


def _with_file(rows: Any, plan: Plan) -> InputError | None:
    """Run once more, with the file of every row, to say where the error is; None if it fails."""
    functions = import_module("pyspark.sql.functions")
    named = rows.withColumn(_FILE, functions.input_file_name())
    try:
        named.mapInArrow(partial(summarise_partition, plan), "summary binary").collect()
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
    total = RunningTotal(LogSummary.of_nothing(plan))
    for part in parts:
        total.add(part)
    return replace(total.summary, scores=total.summary.scores.settled)


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
