"""The experiments of four papers, done again: each number beside the printed one.

:func:`reproduce` gives a :class:`Reproduction` per paper, with tables of cells (ours, the paper's,
whether they agree) and the data of figures, and writes and draws them into a folder. There is one
folder of code per paper.
"""

from cautious.papers.claims import Cell, Figure, Reproduction, Table
from cautious.papers.pictures import ReproducedFigureDisplay
from cautious.papers.reproduction import PAPERS, reproduce

__all__ = [
    "PAPERS",
    "Cell",
    "Figure",
    "ReproducedFigureDisplay",
    "Reproduction",
    "Table",
    "reproduce",
]
