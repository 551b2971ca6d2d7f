"""Counts that add up exactly, in any order and any split: of scores, and of prediction sets."""

from cautious.logs.tallies.archive import pack, unpack
from cautious.logs.tallies.loops import most_probable
from cautious.logs.tallies.scores import Codes, Kind, Limits, ScoreTally
from cautious.logs.tallies.sets import SetTally, Stratum
from cautious.logs.tallies.sums import Counts, fixed_point, floats

__all__ = [
    "Codes",
    "Counts",
    "Kind",
    "Limits",
    "ScoreTally",
    "SetTally",
    "Stratum",
    "fixed_point",
    "floats",
    "most_probable",
    "pack",
    "unpack",
]
