r"""The grid that scores need, found before they are sorted.

Scores are kept while there are at most `limit` pairs of a distinct score and a kind of case, and
rounded to cells of :math:`2^e` beyond that, with the smallest exponent :math:`e` that leaves at
most `cells` pairs (:mod:`cautious.logs.tallies.scores`). Both are found from unsorted rows: a table
of hashes proves that there are too many, and what a sample needs, all rows need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats
from cautious.logs.tallies.loops import mark

__all__ = ["COARSEST", "FINEST", "HUGE", "GridSearch", "Limits", "cells_of", "least_exponent"]

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


class GridSearch:
    """Proves that scores must be rounded, and says how coarsely at least; many threads may ask.

    A hash gives each pair of a score and a kind a place in a table. Equal pairs have the same
    place, so there are at least as many distinct pairs as places taken.

    Parameters
    ----------
    limits : Limits
        How much may be kept.

    Attributes
    ----------
    exponent : int or None
        The exponent that all rows are known to need; None while all pairs may fit.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.exponent: int | None = None
        self._lock = Lock()
        self._bits = int(4 * limits.limit - 1).bit_length()
        self._taken: npt.NDArray[np.uint8] | None = None
        self._looked = self._counted = 0
        self._sample: list[tuple[Floats, npt.NDArray[Any]]] = []
        self._stride = max(1, limits.limit // (2 * limits.cells))

    def look(self, scores: Floats, kinds: npt.NDArray[np.integer[Any]]) -> None:
        """Look at more rows."""
        if self.exponent is not None:
            return
        with self._lock:
            if self._taken is None:
                self._taken = np.zeros(1 << self._bits, dtype=np.uint8)
            taken = self._taken
        mark(scores, kinds, self._bits, taken)
        with self._lock:
            if self.exponent is None:
                self._note(scores, kinds, taken)

    def _note(self, scores: Floats, kinds: npt.NDArray[Any], taken: npt.NDArray[np.uint8]) -> None:
        """Add to the sample, and now and then count how many places are taken."""
        limit, cells = self.limits
        self._sample.append((scores[:: self._stride].copy(), kinds[:: self._stride].copy()))
        if sum(len(values) for values, _ in self._sample) > 8 * cells:
            self._sample = [(values[::2].copy(), own[::2].copy()) for values, own in self._sample]
            self._stride *= 2
        self._looked += len(scores)
        if self._looked - self._counted <= limit // 16 or self._looked <= limit:
            return
        self._counted = self._looked
        if int(np.count_nonzero(taken)) > limit:
            self.exponent = least_exponent(list(_by_kind(self._sample)), cells)
            self._taken, self._sample = None, []


def _by_kind(sample: Sequence[tuple[Floats, npt.NDArray[Any]]]) -> Iterable[Floats]:
    """Sorted scores of each kind."""
    values, kinds = map(np.concatenate, zip(*sample, strict=True))
    order = np.argsort(values)
    order = order[np.argsort(kinds[order], kind="stable")]
    values, kinds = values[order], kinds[order]
    yield from np.split(values, np.flatnonzero(kinds[1:] != kinds[:-1]) + 1)
