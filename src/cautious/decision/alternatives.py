"""What there is to choose from: the rows of a cost matrix."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Mask, as_floats
from cautious.sets import first_row


def checked_costs(C: npt.ArrayLike, n_classes: int | None = None) -> Floats:
    """Check a matrix of costs, one row an alternative and one column a true class."""
    costs = as_floats(C, "C", "costs")
    if costs.ndim != 2 or 0 in costs.shape or n_classes not in (None, costs.shape[1]):
        wanted = "K" if n_classes is None else n_classes
        raise ValueError(
            f"C has shape {costs.shape}; expected (m, {wanted}): rows are predictions, columns "
            "are true classes."
        )
    bad = ~np.isfinite(costs).all(axis=1)
    if bad.any():
        row = first_row(bad)
        raise ValueError(f"C holds {costs[row].tolist()} in row {row}; costs must be finite.")
    return costs


def beyond_the_best(costs: Floats) -> Floats:
    """Costs beyond those of the cheapest prediction under each truth.

    What all predictions cost under a truth decides nothing between them; left in, it would set the
    scale of what counts as a tie.
    """
    rest: Floats = costs - costs.min(axis=0)
    return rest


def rounding_error(costs: Floats) -> float:
    """Return the difference of expected costs that counts as a tie: 1e-12 of the costs' span."""
    return 1e-12 * float(np.ptp(costs) or 1.0)


def first_best(expected: Floats, tie: float) -> Mask:
    """Singleton sets of the smallest value in each row; ties go to the first column."""
    best = (expected <= expected.min(axis=1, keepdims=True) + tie).argmax(axis=1)
    sets = np.zeros(expected.shape, dtype=np.bool_)
    sets[np.arange(len(best)), best] = True
    return sets
