"""A Dask cluster as the engine: it maps the same two functions, and mends what workers lose."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from itertools import islice
from typing import Any

from cautious.logs.fragments import Fragment, summarise_fragment
from cautious.logs.local import Progress
from cautious.logs.plan import Plan
from cautious.logs.summary import LogSummary, merge

__all__ = ["merge_all", "summarise_block", "summarise_on_dask"]

# Tasks of several fragments send fewer and smaller summaries; several tasks a worker even out.
_MOST_FRAGMENTS = 8
_TASKS_A_THREAD = 4
# So many summaries are brought together at a time on their way to one.
_BRANCHES = 4
# Of a source that can be read only once, so many fragments are sent out at a time.
_WINDOW = 64


def summarise_on_dask(
    fragments: Iterable[Fragment],
    plan: Plan,
    engine: Any = "dask",
    *,
    n_rows: int | None = None,
    progress: Progress | None = None,
) -> LogSummary:
    """Summarise fragments on a Dask cluster.

    Files are read where the tasks run, so workers must see them under the same paths.

    Parameters
    ----------
    fragments : iterable of Fragment
        Pieces of the source.
    plan : Plan
        What to count.
    engine : "dask", Client, cluster or address
        The cluster; "dask" takes the client that is running.
    n_rows : int, optional
        How many rows there are in all, for `progress`.
    progress : callable, optional
        Told the number of rows done and of all.

    Returns
    -------
    LogSummary
    """
    total = LogSummary.of_nothing(plan)
    done = 0

    def tell(rows: int | None) -> None:
        nonlocal done
        done += rows or 0
        if progress is not None:
            progress(done, n_rows)

    # Dask looks futures' client up as the current one; ours may be nobody's default.
    with _client(engine) as client, client.as_current():
        at_once = len(fragments) if isinstance(fragments, Sequence) else _WINDOW
        waiting = iter(fragments)
        while window := list(islice(waiting, max(at_once, 1))):
            total = merge(total, _summarise_window(client, window, plan, tell))
    return total


def summarise_block(fragments: list[Fragment], plan: Plan) -> LogSummary:
    """Summarise fragments one after the other, telling each what those before it found out."""
    total = LogSummary.of_nothing(plan)
    for fragment in fragments:
        hinted = plan.knowing(total.scores.exponent)
        total = merge(total, summarise_fragment(fragment, hinted))
    return total


def merge_all(*summaries: LogSummary) -> LogSummary:
    """Add several summaries up."""
    return reduce(merge, summaries)


def _summarise_window(client: Any, window: list[Fragment], plan: Plan, tell: Any) -> LogSummary:
    """Map, merge as a tree on the cluster, and fetch the one summary that is left."""
    distributed: Any = import_module("distributed")
    threads = max(1, sum(client.nthreads().values()))
    size = min(_MOST_FRAGMENTS, max(1, len(window) // (threads * _TASKS_A_THREAD)))
    blocks = [window[start : start + size] for start in range(0, len(window), size)]
    with warnings.catch_warnings():
        # Batches that are only here have to be sent; Dask would rather have them read over there.
        warnings.filterwarnings("ignore", message="Sending large graph")
        level = [client.submit(summarise_block, block, plan, pure=False) for block in blocks]
        rows = {
            future.key: sum(fragment.n_rows or 0 for fragment in block)
            for future, block in zip(level, blocks, strict=True)
        }
        leaves = list(level)
        while len(level) > 1:
            level = [
                client.submit(merge_all, *level[at : at + _BRANCHES], pure=False)
                for at in range(0, len(level), _BRANCHES)
            ]
    try:
        for future in distributed.as_completed(leaves):
            if future.status == "error":
                future.result()  # raises what went wrong over there
            tell(rows[future.key])
        summary: LogSummary = level[0].result()
        return summary
    except BaseException:
        client.cancel([*leaves, *level])
        raise


@contextmanager
def _client(engine: Any) -> Iterator[Any]:
    """Find the client: the running one, the given one, or a new one for an address or a cluster."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ImportError(
            "engine='dask' needs Dask, which is not installed; pip install 'cautious[dask]'."
        ) from error

    if isinstance(engine, distributed.Client):
        yield engine
    elif engine == "dask":
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError(
                "engine is 'dask', but no client is running; start one with "
                "distributed.Client(address), or pass the client or the address as engine=."
            ) from None
        yield client
    else:
        with distributed.Client(engine, set_as_default=False) as client:
            yield client
