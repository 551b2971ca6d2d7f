"""The experiments of four papers, done again: each number beside the printed one.

:func:`reproduce` gives a :class:`Reproduction` per paper, with tables of cells (ours, the paper's,
whether they agree), a verdict on each conclusion and the data of figures, and writes and draws them
into a folder. There is one folder of code per paper.
"""

from cautious_reproduction.claims import Claim, Reproduction
from cautious_reproduction.pictures import ReproducedFigureDisplay
from cautious_reproduction.printed_tables import Cell, Figure, Table
from cautious_reproduction.reproduction import PAPERS, reproduce

__all__ = [
    "PAPERS",
    "Cell",
    "Claim",
    "Figure",
    "ReproducedFigureDisplay",
    "Reproduction",
    "Table",
    "reproduce",
]
