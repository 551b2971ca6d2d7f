"""A Dask cluster as the engine: it maps the same kernel, and mends what workers lose."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any

from cautious.errors import NotInstalled, how_to_install
from cautious.logs.batch import RowsDone, RunningTotal
from cautious.logs.parts import Part
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary

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
        return
    where: dict[str, Any] = {"address": engine}
    if engine == "dask":
        # Its own words on the way down are of no use to anybody.
        where = {"host": "127.0.0.1", "silence_logs": logging.CRITICAL}
        where |= dict.fromkeys(["dashboard_address", "worker_dashboard_address"], "127.0.0.1:0")
    with distributed.Client(**where, set_as_default=False) as client:
        yield client
