"""Counts that add up exactly, in any order and any split: of scores, and of prediction sets."""

from cautious.logs.tallies.archive import pack, unpack
from cautious.logs.tallies.grid import HUGE, GridSearch
from cautious.logs.tallies.loops import NUMBER, compiled_loop, expect_rows, most_probable
from cautious.logs.tallies.score_cells import ScoreCells
from cautious.logs.tallies.scores import (
    Codes,
    Kind,
    Limits,
    Piece,
    ScoreTally,
    decimal_scale,
    pieces_of,
)
from cautious.logs.tallies.sets import SetTally, Stratum
from cautious.logs.tallies.sums import Counts, fixed_point, floats

__all__ = [
    "HUGE",
    "NUMBER",
    "Codes",
    "Counts",
    "GridSearch",
    "Kind",
    "Limits",
    "Piece",
    "ScoreCells",
    "ScoreTally",
    "SetTally",
    "Stratum",
    "compiled_loop",
    "decimal_scale",
    "expect_rows",
    "fixed_point",
    "floats",
    "most_probable",
    "pack",
    "pieces_of",
    "unpack",
]
