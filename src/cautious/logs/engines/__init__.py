"""Who does the work: threads of this process, a Dask cluster, or Spark. All map one kernel."""

from cautious.logs.engines.threads import Progress, RunningTotal, summarise_in_threads

__all__ = ["Progress", "RunningTotal", "summarise_in_threads"]
