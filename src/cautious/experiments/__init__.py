"""Studies: models × data sets × repeats × folds, which can be interrupted and go on.

A :class:`Study` runs into a :class:`Store`, one SQLite file, and goes on from it.
"""

from cautious.experiments._folds import seed_for
from cautious.experiments._store import DifferentStudyError, FoldResult, Store
from cautious.experiments.study import Study

__all__ = ["DifferentStudyError", "FoldResult", "Store", "Study", "seed_for"]
