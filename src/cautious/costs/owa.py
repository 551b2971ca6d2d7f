"""Ordered weighted averages of the members' costs, after Ma and Denœux."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq

from cautious._typing import Floats, Mask
from cautious.costs.cost_frames import resolve_matrix
from cautious.costs.matrices import (
    Classes,
    check_cost_matrix,
    check_count,
    check_number,
    resolve_classes,
)
from cautious.costs.set_costs import SetCosts

__all__ = ["OWACosts", "owa", "owa_weights"]

# Costs of all members are sorted for as many sets at once as fit the processor's cache.
_CELLS_AT_ONCE = 1 << 18


def owa_weights(size: int, tolerance: float) -> Floats:
    r"""Maximum-entropy weights of an ordered weighted average.

    O'Hagan's weights: among all :math:`w \ge 0` with :math:`\sum_k w_k = 1` and

    .. math:: \sum_{k=1}^n \frac{n - k}{n - 1} w_k = \gamma

    those of the greatest entropy. They form a geometric sequence. :math:`\gamma = 1` puts all
    weight on the first (best) element, ½ weighs all alike, 0 puts it on the last.

    Parameters
    ----------
    size : int
        The number n of elements averaged.
    tolerance : float in [0, 1]
        The tolerance :math:`\gamma` (Yager's orness).

    Returns
    -------
    ndarray of shape (size,)
        Weights of the best, second best, ... element.

    References
    ----------
    Ma & Denœux (2021), "Partial classification in the belief function framework",
    Knowledge-Based Systems 214; the weights are those of O'Hagan (1988).

    Examples
    --------
    >>> owa_weights(2, 0.8)
    array([0.8, 0.2])
    >>> owa_weights(3, 0.8).round(3)
    array([0.682, 0.236, 0.082])
    """
    check_count(size, "size", least=1)
    tolerance = check_number(tolerance, "tolerance")
    if not 0 <= tolerance <= 1:
        raise ValueError(
            f"tolerance is {tolerance}; it must lie within [0, 1]: 0.5 averages, 1 takes the best."
        )
    if tolerance < 0.5:
        return owa_weights(size, 1 - tolerance)[::-1].copy()
    if size == 1:
        return np.ones(1)
    if tolerance == 0.5:
        return np.full(size, 1 / size)
    if size == 2:
        return np.array([tolerance, 1 - tolerance])
    rank = np.arange(size)

    def shortfall(ratio: float) -> float:
        powers = ratio**rank
        return float(powers @ (1 - rank / (size - 1)) / powers.sum()) - tolerance

    # The ratio of neighbouring weights falls from 1 to 0 as the tolerance rises from 1/2 to 1.
    ratio = float(brentq(shortfall, 0.0, 1.0, xtol=1e-300, rtol=1e-15, maxiter=1000))
    weights = ratio**rank
    return np.asarray(weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class OWACosts(SetCosts):
    r"""Ordered weighted average of the members' costs, cheapest first.

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    tolerance : float in [0, 1]
        Tolerance of imprecision: ½ averages, 1 takes the cheapest member, 0 the dearest.
    classes : sequence of length K, optional
        Class labels in column order.

    See Also
    --------
    owa : builds these costs, with the formula, its source and an example.
    """

    matrix: Floats
    tolerance: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        matrix = check_cost_matrix(self.matrix)
        matrix.setflags(write=False)
        owa_weights(2, self.tolerance)  # refuses a tolerance outside [0, 1] at once
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "tolerance", float(self.tolerance))
        object.__setattr__(self, "classes", resolve_classes(self.classes, len(matrix)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.matrix)

    def weights(self, size: int) -> Floats:
        """Weights for sets of `size` classes: of the cheapest member first."""
        return owa_weights(size, self.tolerance)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> OWACosts:
        return replace(self, matrix=self.matrix[order][:, order], classes=classes)

    def _costs(self, mask: Mask) -> Floats:
        k = self.n_classes
        sizes = mask.sum(axis=1)
        costs = np.empty(mask.shape)
        for size in np.unique(sizes).tolist():
            weights = self.weights(size)
            rows = np.flatnonzero(sizes == size)
            step = max(1, _CELLS_AT_ONCE // (k * size))
            for at in (rows[start : start + step] for start in range(0, len(rows), step)):
                members = np.nonzero(mask[at])[1].reshape(-1, size)
                cheapest_first = np.sort(self.matrix.T[:, members], axis=-1)
                costs[at] = (cheapest_first @ weights).T
        return costs


def owa(
    matrix: npt.ArrayLike | pd.DataFrame, tolerance: float, *, classes: Classes = None
) -> OWACosts:
    r"""Ordered weighted average of the members' costs.

    .. math::

        c_{\hat Y}(y) = \sum_{k=1}^{|\hat Y|} w_k\, c_{(k)}(y),
        \qquad c_{(1)}(y) \le \dots \le c_{(|\hat Y|)}(y)

    with maximum-entropy weights of the given tolerance (see :func:`owa_weights`), as Ma & Denœux
    (2021) extend a matrix of utilities; costs are utilities with the sign turned, so
    the cheapest member comes first. A tolerance of ½ gives discounted costs.

    Parameters
    ----------
    matrix : array-like or DataFrame of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    tolerance : float in [0, 1]
        Tolerance of imprecision: ½ averages, 1 takes the cheapest member, 0 the dearest.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    OWACosts

    Examples
    --------
    >>> costs = owa([[0, 1, 2], [1, 0, 2], [4, 4, 0]], tolerance=0.8, classes=["h", "b", "n"])
    >>> costs.table().loc[["{h, b}", "{b, n}", "{h, b, n}"]].round(3)
    truth            h      b      n
    prediction
    {h, b}       0.200  0.200  2.000
    {b, n}       1.600  0.800  0.400
    {h, b, n}    0.564  0.564  0.636
    """
    array, labels = resolve_matrix(matrix, classes)
    return OWACosts(array, tolerance, labels)
