"""What a pair of bounds must satisfy to describe a credal set."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, as_floats
from cautious.sets import first_row

TOLERANCE = 1e-6
"""Departures up to here are taken for rounding, as of bounds computed in single precision, and
repaired; larger ones are errors."""


def checked_bounds(lower: npt.ArrayLike, upper: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Own, checked and repaired copies of the bounds."""
    low = np.atleast_2d(np.array(as_floats(lower, "lower", "bounds")))
    high = np.atleast_2d(np.array(as_floats(upper, "upper", "bounds")))
    if low.shape != high.shape or low.ndim != 2 or low.shape[1] == 0:
        raise ValueError(
            f"lower has shape {low.shape} and upper {high.shape}; both must be (n, K): a row an "
            "example, a column a class."
        )
    for name, bound in (("lower", low), ("upper", high)):
        outside = ~((bound >= -TOLERANCE) & (bound <= 1 + TOLERANCE)).all(axis=1)
        if outside.any():
            row = first_row(outside)
            raise ValueError(
                f"{name} holds a value that is no probability in row {row}: {bound[row].tolist()}; "
                "bounds must be finite and between 0 and 1."
            )
        np.clip(bound, 0, 1, out=bound)
    crossed = low > high + TOLERANCE
    if crossed.any():
        row = first_row(crossed.any(axis=1))
        k = first_row(crossed[row])
        raise ValueError(
            f"lower exceeds upper in row {row}, class {k}: {low[row, k]:.6g} > {high[row, k]:.6g}; "
            "each lower bound must be at most its upper bound. Have the two been swapped?"
        )
    np.minimum(low, high, out=low)
    _check_sure_loss(low, high)
    return low, high


def _check_sure_loss(low: Floats, high: Floats) -> None:
    """Refuse rows that no distribution meets; repair, in place, those that rounding spoilt."""
    points = low == high
    for bound, other, side in ((low, high, "lower"), (high, low, "upper")):
        sums = bound.sum(axis=1)
        missed = sums - 1 if side == "lower" else 1 - sums
        if (missed > TOLERANCE).any():
            row = first_row(missed > TOLERANCE)
            raise ValueError(
                f"the intervals of row {row} incur sure loss: their {side} bounds add up to "
                f"{sums[row]:.6g}, which must be at {'most' if side == 'lower' else 'least'} 1, so "
                "no probability distribution lies within them. Check how the bounds were computed."
            )
        spoilt = missed > 1e-12  # less is the rounding of double precision, which does no harm
        bound[spoilt] /= sums[spoilt, None]
        np.copyto(other, bound, where=points & spoilt[:, None])  # a point stays a point
