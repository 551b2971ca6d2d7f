"""Who does the work: threads of this process, a Dask cluster, or Spark. All map one kernel."""

from __future__ import annotations

from typing import Any

from cautious.errors import InputError, quoted
from cautious.logs.engines.threads import Progress, RunningTotal, summarise_in_threads

__all__ = ["Progress", "RunningTotal", "engine_kind", "summarise_in_threads"]


def engine_kind(engine: Any, source: Any = None) -> str:
    """Tell engines apart without importing any: "local", "dask" or "spark".

    Parameters
    ----------
    engine : str, Dask client or cluster, or Spark session
        As in :func:`cautious.logs.summarise`.
    source : object
        The log; a frame of Spark's is summarised by Spark.

    Examples
    --------
    >>> engine_kind("local"), engine_kind("tcp://10.0.0.7:8786"), engine_kind("spark://host:7077")
    ('local', 'dask', 'spark')
    """
    home = type(engine).__module__.split(".")[0]
    text = engine if isinstance(engine, str) else ""
    if home == "pyspark" or text == "spark" or text.startswith(("spark://", "sc://")):
        return "spark"
    if home in ("distributed", "dask") or text == "dask" or "://" in text:
        return "dask"
    if text != "local":
        raise InputError(
            "{=engine} is {given}; choose 'local', 'dask' or 'spark', or give the address of a "
            "Dask scheduler such as 'tcp://host:8786'.",
            given=quoted(engine),
        )
    return "spark" if type(source).__module__.split(".")[0] == "pyspark" else "local"
