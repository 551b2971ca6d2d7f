r"""The grid that scores need, found before they are sorted.

Scores are kept while there are at most `limit` pairs of a distinct score and a kind of case, and
rounded to cells of :math:`2^e` beyond that, with the smallest exponent :math:`e` that leaves at
most `cells` pairs (:mod:`cautious.logs.tallies.scores`). Both are found from unsorted rows: a table
of hashes proves that there are too many, and what a sample needs, all rows need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cautious._typing import Floats

__all__ = ["COARSEST", "FINEST", "HUGE", "Limits", "cells_of", "least_exponent"]

# Cells of 1e-60 are fine enough for any score; in the coarsest all of a kind share a few cells.
FINEST, COARSEST = -200, 801
# No sensible score lies beyond; up to here a power of two from the range of exponents is exact.
HUGE = 2.0**800


class Limits(NamedTuple):
    """How many pairs of a score and a kind to keep: distinct ones, or cells if these are more."""

    limit: int
    cells: int


def cells_of(scores: Floats, exponent: int) -> Floats:
    """Cells of width ``2**exponent`` that scores lie in; huge scores count as infinite."""
    ordinary = np.where(np.abs(scores) > HUGE, np.copysign(np.inf, scores), scores)
    return np.floor(ordinary * 2.0**-exponent) + 0.0  # there are two zeros, but they are one cell


def least_exponent(sample: Sequence[Floats], cells: int) -> int:
    """Find the smallest exponent that leaves so many cells in all."""
    fits, too_fine = COARSEST, FINEST - 1
    while fits - too_fine > 1:
        middle = (fits + too_fine) // 2
        n_cells = len(sample)
        for own in (cells_of(values, middle) for values in sample):
            n_cells += int(np.count_nonzero(own[1:] != own[:-1]))
        fits, too_fine = (middle, too_fine) if n_cells <= cells else (fits, middle)
    return fits
