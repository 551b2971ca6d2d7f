"""The experiments of four papers, done again: each number beside the printed one.

:func:`reproduce` gives a :class:`Reproduction` per paper, with tables of cells (ours, the paper's,
whether they agree), a verdict on each conclusion and the data of figures, and writes and draws them
into a folder. There is one folder of code per paper.
"""

from cautious.papers._reproduction import PAPERS, reproduce
from cautious.papers.claims import Claim, Reproduction
from cautious.papers.pictures import ReproducedFigureDisplay
from cautious.papers.printed_tables import Cell, Figure, Table

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
