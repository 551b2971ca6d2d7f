"""Studies: models × data sets × repeats × folds, which can be interrupted and go on.

A :class:`Study` runs into a :class:`Store`, one SQLite file, and goes on from it.
"""

from cautious.experiments.folds import run_tasks as run_tasks
from cautious.experiments.folds import seed_for as seed_for
from cautious.experiments.folds import seeded as seeded
from cautious.experiments.identity import fingerprint as fingerprint
from cautious.experiments.store import DifferentStudyError
from cautious.experiments.store import FoldResult as FoldResult
from cautious.experiments.store import Store as Store
from cautious.experiments.store import versions as versions
from cautious.experiments.study import Study

# Names in the list are for everybody; the others serve the packages above this one.
__all__ = ["DifferentStudyError", "FoldResult", "Store", "Study", "seed_for"]
