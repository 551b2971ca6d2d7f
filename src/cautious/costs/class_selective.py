"""Ha's class-selective rejection: pay for missing the truth, and for every class too many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask
from cautious.costs.matrices import (
    Classes,
    check_cost_vector,
    check_number,
    resolve_classes,
)
from cautious.costs.set_costs import SetCosts

__all__ = ["ClassSelectiveCosts", "class_selective"]


@dataclass(frozen=True, eq=False)
class ClassSelectiveCosts(SetCosts):
    r"""Costs :math:`\eta(y)[y \notin \hat Y] + \delta(|\hat Y| - 1)`.

    Parameters
    ----------
    eta : array-like of shape (K,)
        Cost of missing each class.
    delta : float
        Cost of every class beyond the first; at least 0 and less than half the least `eta`.
    classes : sequence of length K, optional
        Class labels in column order.

    See Also
    --------
    class_selective : builds these costs, with the source and an example.
    """

    eta: Floats
    delta: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        eta = check_cost_vector(self.eta, "eta")
        delta = check_number(self.delta, "delta")
        if not 0 <= delta < eta.min() / 2:
            raise ValueError(
                f"delta is {delta:g}; it must be at least 0 and less than half of the least eta, "
                f"{eta.min() / 2:g} (class {int(eta.argmin())}), else a second class never pays."
            )
        eta.setflags(write=False)
        object.__setattr__(self, "eta", eta)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "classes", resolve_classes(self.classes, len(eta)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.eta)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> ClassSelectiveCosts:
        return replace(self, eta=self.eta[order], classes=classes)

    def _costs(self, mask: Mask) -> Floats:
        too_many = mask.sum(axis=1, keepdims=True) - 1
        return np.asarray(np.where(mask, 0.0, self.eta) + self.delta * too_many)


def class_selective(
    eta: npt.ArrayLike | pd.Series, delta: float, *, classes: Classes = None
) -> ClassSelectiveCosts:
    r"""Ha's costs of class-selective rejection.

    .. math::

        c_{\hat Y}(y) = \eta(y) [y \notin \hat Y] + \delta (|\hat Y| - 1),
        \qquad \delta < \tfrac12 \min_y \eta(y)

    Yang, Destercke & Masson (2017), section V-b and Table IX, after Ha (1997). The best set
    under a precise probability holds every class with :math:`\eta(y) p(y) > \delta`.

    Parameters
    ----------
    eta : array-like of shape (K,)
        Cost of missing each class; the labels of a Series are taken as classes.
    delta : float
        Cost of every class beyond the first.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    ClassSelectiveCosts

    Notes
    -----
    The paper says that :math:`\delta < \frac12 \min \eta` ensures Properties 2 and 3. It does for
    pairs; a set of k classes rewards rightful caution only if :math:`\delta < \min \eta / k`, so
    for K classes ask for :math:`\delta < \min \eta / K`. :func:`audit` shows the difference.

    Examples
    --------
    >>> class_selective([1, 2, 4], delta=0.25, classes=list("abc")).table()
    truth          a     b     c
    prediction
    {a}         0.00  2.00  4.00
    {b}         1.00  0.00  4.00
    {c}         1.00  2.00  0.00
    {a, b}      0.25  0.25  4.25
    {a, c}      0.25  2.25  0.25
    {b, c}      1.25  0.25  0.25
    {a, b, c}   0.50  0.50  0.50
    """
    if isinstance(eta, pd.Series) and classes is None:
        classes = eta.index
    cost_of_missing = check_cost_vector(eta, "eta")
    return ClassSelectiveCosts(
        cost_of_missing, delta, resolve_classes(classes, len(cost_of_missing))
    )
