"""Costs of sets of ordered classes: how far the truth lies from the set, and how wide it is."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Mask, as_floats, as_number
from cautious.costs._set_costs import SetCosts
from cautious.costs.matrices import Classes, check_count, resolve_classes

__all__ = ["IntervalCosts", "interval_costs"]


@dataclass(frozen=True, eq=False)
class IntervalCosts(SetCosts):
    """Distance of the truth from a set, and a price of its width; :func:`interval_costs`."""

    positions: Floats
    width: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        positions = np.array(as_floats(self.positions, "positions"))  # our own copy
        if positions.ndim != 1 or len(positions) < 2 or not np.isfinite(positions).all():
            raise ValueError(
                f"positions is {self.positions!r:.60}; give one finite number for each of K >= 2."
            )
        if not (np.diff(positions) > 0).all():
            at = int(np.argmin(np.diff(positions) > 0))
            raise ValueError(
                f"positions[{at + 1}] is {positions[at + 1]:g}, after {positions[at]:g}; ordered "
                "classes need rising positions."
            )
        width = as_number(self.width, "width")
        if not (np.isfinite(width) and width >= 0):
            raise ValueError(f"width is {width:g}; give a finite number that is not negative.")
        positions.setflags(write=False)
        object.__setattr__(self, "positions", positions)
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "classes", resolve_classes(self.classes, len(positions)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.positions)

    def _costs(self, mask: Mask) -> Floats:
        x = self.positions
        # The nearest members below and above every class.
        below = np.maximum.accumulate(np.where(mask, x, -np.inf), axis=1)
        above = np.minimum.accumulate(np.where(mask, x, np.inf)[:, ::-1], axis=1)[:, ::-1]
        distance = np.minimum(x - below, above - x)
        return np.asarray(distance + self.width * (below[:, -1:] - above[:, :1]))


def interval_costs(
    positions: int | npt.ArrayLike, width: float, *, classes: Classes = None
) -> IntervalCosts:
    r"""Cost a set of ordered classes by how far it misses the truth and by how wide it is.

    .. math:: c_{\hat Y}(y) = \min_{i \in \hat Y} |x_i - x_y| + w (\max_{i \in \hat Y} x_i -
              \min_{i \in \hat Y} x_i)

    A set that holds the truth costs its width only. Filling the gaps of a set never costs more, so
    that the best of *all* sets is one of neighbours; it runs from the w-quantile to the
    (1 − w)-quantile, and is the median from w = ½ on.

    Parameters
    ----------
    positions : int or array-like of shape (K,)
        The number of classes, which then lie one step apart; or where they lie, rising.
    width : float
        What a step of width costs, where a step away from the truth costs 1. Sets of less
        probability than 1 − 2·width are never the best.
    classes : sequence of length K, optional
        Class labels, from the lowest to the highest.

    Returns
    -------
    SetCosts

    See Also
    --------
    ordinal : Costs of single classes, for :func:`p_discounted` and other extensions.

    References
    ----------
    Gneiting & Raftery (2007), *Strictly proper scoring rules*, section 6.2, for intervals of
    numbers.

    Examples
    --------
    >>> interval_costs(3, 0.25, classes=["low", "mid", "high"]).table()
    truth             low  mid  high
    prediction
    {low}            0.00  1.00  2.00
    {mid}            1.00  0.00  1.00
    {high}           2.00  1.00  0.00
    {low, mid}       0.25  0.25  1.25
    {low, high}      0.50  1.50  0.50
    {mid, high}      1.25  0.25  0.25
    {low, mid, high}  0.50  0.50  0.50
    """
    if isinstance(positions, Real):
        positions = np.arange(float(check_count(positions, "positions")))
    return IntervalCosts(positions, width, classes)  # type: ignore[arg-type]  # checked there
