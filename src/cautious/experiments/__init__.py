"""Studies that can be interrupted, and the papers' own experiments done again.

A :class:`Study` runs models × data sets × repeats × folds into a result store and goes on from it;
:func:`reproduce` lays the tables of the four papers beside ours.
"""

from cautious.experiments.beside import Cell, Figure, Reproduction, Table
from cautious.experiments.prepared import PreparedClassifier
from cautious.experiments.reproduction import PAPERS, reproduce
from cautious.experiments.store import DifferentStudyError, FoldResult, Store
from cautious.experiments.study import Study

__all__ = [
    "PAPERS",
    "Cell",
    "DifferentStudyError",
    "Figure",
    "FoldResult",
    "PreparedClassifier",
    "Reproduction",
    "Store",
    "Study",
    "Table",
    "reproduce",
]
