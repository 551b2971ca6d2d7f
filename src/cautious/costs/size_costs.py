"""Costs that depend only on how many classes a set holds and whether the truth is among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cautious._typing import Floats, Mask
from cautious.costs.matrices import (
    Classes,
    check_cost_vector,
    check_count,
    check_number,
    resolve_classes,
)
from cautious.costs.set_costs import SetCosts

__all__ = ["SizeCosts", "f_beta_costs", "utility_costs"]


@dataclass(frozen=True, eq=False)
class SizeCosts(SetCosts):
    r"""Costs of a set by its size and by whether it holds the truth.

    .. math::

        c_{\hat Y}(y) = \begin{cases} hit_{|\hat Y|} & y \in \hat Y \\ miss_{|\hat Y|} &
        y \notin \hat Y \end{cases}

    Parameters
    ----------
    hit, miss : array-like of shape (K,)
        Cost of a right and of a wrong set of 1, 2, ..., K classes. (No set of K classes is wrong:
        the last element of `miss` is never used.)
    classes : sequence of length K, optional
        Class labels in column order.

    Examples
    --------
    >>> SizeCosts(hit=[0, 0.2], miss=[1, 1]).table()
    truth         0    1
    prediction
    {0}         0.0  1.0
    {1}         1.0  0.0
    {0, 1}      0.2  0.2
    """

    hit: Floats
    miss: Floats
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        hit = check_cost_vector(self.hit, "hit")
        miss = check_cost_vector(self.miss, "miss")
        if len(hit) != len(miss):
            raise ValueError(
                f"hit has {len(hit)} elements and miss {len(miss)}; both need one a set size."
            )
        for name, costs in (("hit", hit), ("miss", miss)):
            costs.setflags(write=False)
            object.__setattr__(self, name, costs)
        object.__setattr__(self, "classes", resolve_classes(self.classes, len(hit)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.hit)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> SizeCosts:
        return replace(self, classes=classes)

    def _costs(self, mask: Mask) -> Floats:
        size = mask.sum(axis=1, keepdims=True) - 1
        return np.asarray(np.where(mask, self.hit[size], self.miss[size]))


def utility_costs(
    n_classes: int, utility: Callable[[float], Any], *, classes: Classes = None
) -> SizeCosts:
    r"""Utility-discounted accuracy read as a cost.

    .. math::

        c_{\hat Y}(y) = 1 - u\bigl([y \in \hat Y] / |\hat Y|\bigr) / u(1)

    Zaffalon, Corani & Mauá (2012), section 5; Yang, Destercke & Masson (2017), section III-A.
    Dividing by u(1) changes no preference and lets a right single class cost nothing, so that the
    expected cost of a set is one less its expected utility on a scale with u(1) = 1.

    Parameters
    ----------
    n_classes : int
        The number of classes K.
    utility : callable
        The utility u of a discounted accuracy in [0, 1], such as ``cautious.utility.u65``; u(1)
        is positive and no value exceeds it.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    SizeCosts

    Examples
    --------
    >>> utility_costs(3, lambda x: -0.6 * x**2 + 1.6 * x).hit.round(4)
    array([0.    , 0.35  , 0.5333])
    """
    sizes = _set_sizes(n_classes)
    *hit, miss = 1 - _values(utility, np.append(1 / sizes, 0.0))
    return SizeCosts(
        np.array(hit), np.full(n_classes, miss), classes=resolve_classes(classes, n_classes)
    )


def f_beta_costs(n_classes: int, beta: float = 1.0, *, classes: Classes = None) -> SizeCosts:
    r"""One less the F-measure of the set against the truth.

    .. math::

        c_{\hat Y}(y) = 1 - [y \in \hat Y] \frac{1 + \beta^2}{\beta^2 + |\hat Y|}

    Yang, Destercke & Masson (2017), eq. 9, with precision :math:`[y \in \hat Y]/|\hat Y|` and
    recall :math:`[y \in \hat Y]`, after Del Coz and Bahamonde.

    Parameters
    ----------
    n_classes : int
        The number of classes K.
    beta : float, default=1
        Weight of recall against precision; not negative.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    SizeCosts

    Examples
    --------
    >>> f_beta_costs(3).hit.round(3)
    array([0.   , 0.333, 0.5  ])
    """
    weight = check_number(beta, "beta")
    if not (np.isfinite(weight) and weight >= 0):
        raise ValueError(f"beta is {beta}; give a finite number that is not negative.")
    sizes = _set_sizes(n_classes)
    # Written so that the exact zero of a right single class stays exact.
    hit = (sizes - 1) / (weight**2 + sizes)
    return SizeCosts(hit, np.ones(n_classes), classes=resolve_classes(classes, n_classes))


def _set_sizes(n_classes: int) -> Floats:
    return np.arange(1, check_count(n_classes, "n_classes") + 1, dtype=np.float64)


def _values(utility: Callable[[float], Any], accuracies: Floats) -> Floats:
    """Evaluate a utility point by point, so that scalar functions do as well as vectorised ones.

    The first accuracy is 1, whose utility becomes the unit.
    """
    if not callable(utility):
        raise TypeError(
            f"utility is {utility!r}; pass a function of discounted accuracy, for example "
            "cautious.utility.u65 (or cautious.utility.as_utility of a name)."
        )
    values = np.array([float(utility(x)) for x in accuracies.tolist()])
    unit = values[0]
    if not 0 < unit < np.inf:
        raise ValueError(
            f"utility(1) is {unit:g}; a right single class must have a positive, finite utility."
        )
    values /= unit
    # A rounding error above 1 is no gain from the wrong side of certainty.
    values[(values > 1) & (values < 1 + 1e-12)] = 1.0
    wrong = ~((values > -np.inf) & (values <= 1))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"utility({accuracies[at]:g}) is {values[at] * unit:g}; utilities must be finite and "
            f"may not exceed utility(1) = {unit:g}, that of a right single class."
        )
    return values
