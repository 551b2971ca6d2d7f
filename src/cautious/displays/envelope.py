"""The lowest of many straight lines, exactly: who wins where along a stretch."""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats

__all__ = ["lower_envelope"]

# Relative to the span of the heights: lines nearer than this are taken to meet.
_TIE = 1e-12


def lower_envelope(at_start: Floats, at_end: Floats) -> list[tuple[float, int]]:
    """Find which line is lowest on each part of the way from 0 to 1.

    Parameters
    ----------
    at_start, at_end : ndarray of shape (m,)
        Heights of the lines at 0 and at 1.

    Returns
    -------
    list of (start, line)
        Where each part starts, and the line that is lowest on it. Of lines that coincide the first
        is named.

    Examples
    --------
    >>> import numpy as np
    >>> lower_envelope(np.array([0.0, 4.0, 0.5]), np.array([2.0, 0.0, 0.5]))
    [(0.0, 0), (0.25, 2), (0.875, 1)]
    """
    slope = at_end - at_start
    tie = _TIE * max(float(np.ptp(at_start)), float(np.ptp(at_end)), 1e-300)
    lowest = np.flatnonzero(at_start <= at_start.min() + tie)
    line = int(lowest[slope[lowest].argmin()])
    parts, here = [(0.0, line)], 0.0
    while True:
        fall = slope[line] - slope
        steeper = np.flatnonzero(fall > tie)
        if not len(steeper):
            return parts
        meet = (at_start[steeper] - at_start[line]) / fall[steeper]
        first = max(float(meet.min()), here)
        if not first < 1 - _TIE:
            return parts
        # Of the lines met here the steepest stays lowest.
        met = steeper[meet <= first + _TIE]
        line, here = int(met[slope[met].argmin()]), first
        parts.append((first, line))
