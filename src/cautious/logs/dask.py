"""A Dask cluster as the engine: it maps the same kernel, and mends what workers lose."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import islice
from typing import Any
from uuid import uuid4

from cautious.errors import NotInstalled, how_to_install
from cautious.logs.parts import Part, joined
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary
from cautious.logs.threads import RowsDone, RunningTotal

# Few large tasks: each finds out anew how finely scores can be kept, and sends a summary. A few per
# worker even out, and a lost one costs no more than so many parts.
_MOST_PARTS = 64
_TASKS_PER_THREAD = 2
# So many summaries are brought together at a time on their way to one.
_BRANCHES = 8
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
    total, job = LogSummary.of_nothing(plan), uuid4().hex
    done = 0

    def tell(rows: int | None) -> None:
        nonlocal done
        done += rows or 0
        if progress is not None:
            progress(done, n_rows)

    # Dask looks futures' client up as the current one; ours may be nobody's default.
    with _client(engine) as client, client.as_current():
        at_once = len(parts) if isinstance(parts, Sequence) else _WINDOW
        waiting = iter(parts)
        while window := list(islice(waiting, max(at_once, 1))):
            total += _summarise_window(client, window, plan, job, tell)
    return total


def map_on_dask(
    work: Callable[[Any], Any], tasks: Sequence[Any], engine: Any = "dask"
) -> Iterator[Any]:
    """Do every task on a Dask cluster, and give the results in the order of the tasks."""
    with _client(engine) as client, client.as_current():
        futures = [client.submit(work, task, pure=False) for task in tasks]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            client.cancel(futures)
            raise


# What a worker has seen of the log it is busy with, by the name of the job.
_seen: dict[str, LogSummary] = {}


def summarise_block(parts: list[Part], plan: Plan, job: str) -> LogSummary:
    """Summarise parts one after the other; what goes over the wire is added up before."""
    total = RunningTotal(plan, seen=_seen.get(job))
    for part in parts:
        total.add(part)
    found = total.summary.settled()
    if job not in _seen:
        _seen.clear()
        _seen[job] = found
    return found


def add_all(*summaries: LogSummary) -> LogSummary:
    """Add several summaries up."""
    return sum(summaries[1:], summaries[0]).settled()


def _summarise_window(
    client: Any, window: list[Part], plan: Plan, job: str, tell: Any
) -> LogSummary:
    """Map, add up as a tree on the cluster, and fetch the one summary that is left."""
    distributed: Any = import_module("distributed")
    blocks = blocks_of(window, client)
    with warnings.catch_warnings():
        # Batches that are only here have to be sent; Dask would rather have them read over there.
        warnings.filterwarnings("ignore", message="Sending large graph")
        level = [client.submit(summarise_block, block, plan, job, pure=False) for block in blocks]
        rows = {
            future.key: sum(part.n_rows or 0 for part in block)
            for future, block in zip(level, blocks, strict=True)
        }
        leaves = list(level)
        while len(level) > 1:
            level = [
                client.submit(add_all, *level[at : at + _BRANCHES], pure=False)
                for at in range(0, len(level), _BRANCHES)
            ]
    try:
        for future in distributed.as_completed(leaves):
            if future.status == "error":
                for one in leaves:  # of several the first in order is said
                    if (error := one.exception()) is not None:
                        raise error
            tell(rows[future.key])
        summary: LogSummary = level[0].result()
        return summary
    except BaseException:
        client.cancel([*leaves, *level])
        raise


def blocks_of(parts: list[Part], client: Any) -> list[list[Part]]:
    """Put parts together to blocks, one for each task: a few for each thread of the cluster."""
    threads = max(1, sum(client.nthreads().values()))
    size = min(_MOST_PARTS, -(-len(parts) // (threads * _TASKS_PER_THREAD)))
    return [joined(parts[start : start + size]) for start in range(0, len(parts), size)]


@contextmanager
def _client(engine: Any) -> Iterator[Any]:
    """Find the client: the given one, the running one, or one that is opened for the work."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise NotInstalled(
            "{=engine dask} needs Dask, which is not installed; {how}.", how=how_to_install("dask")
        ) from error

    if engine == "dask":
        with suppress(ValueError):  # there is none
            engine = distributed.get_client()
    if isinstance(engine, distributed.Client):
        yield engine
    elif engine == "dask":
        # Its own words on the way down are of no use to anybody.
        own: dict[str, Any] = {"silence_logs": logging.CRITICAL, "set_as_default": False}
        own |= dict.fromkeys(["dashboard_address", "worker_dashboard_address"], "127.0.0.1:0")
        with distributed.Client(host="127.0.0.1", **own) as client:
            yield client
    else:
        with distributed.Client(engine, set_as_default=False) as client:
            yield client
