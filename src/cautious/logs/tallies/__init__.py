"""Counts that add up exactly, in any order and any split: of scores, and of prediction sets."""

from cautious.logs.tallies.archive import pack, unpack
from cautious.logs.tallies.loops import expect_rows, most_probable
from cautious.logs.tallies.score_cells import ScoreCells
from cautious.logs.tallies.scores import (
    Codes,
    Kind,
    Limits,
    ScoreTally,
)
from cautious.logs.tallies.sets import SetTally, Stratum
from cautious.logs.tallies.sums import Counts, fixed_point, floats

__all__ = [
    "Codes",
    "Counts",
    "Kind",
    "Limits",
    "ScoreCells",
    "ScoreTally",
    "SetTally",
    "Stratum",
    "expect_rows",
    "fixed_point",
    "floats",
    "most_probable",
    "pack",
    "unpack",
]
