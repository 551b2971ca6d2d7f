"""Studies: models × data sets × repeats × folds, which can be interrupted and go on.

A :class:`Study` runs into a :class:`Store`, one SQLite file, and goes on from it.
"""

from cautious.experiments._store import Store
from cautious.experiments.study import Study

__all__ = ["Store", "Study"]
