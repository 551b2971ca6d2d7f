"""Costs by the size of a set and whether it holds the truth: utilities, F-measure and more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask, as_number
from cautious.costs._means import MatrixCosts, greatest_over_members
from cautious.costs._set_costs import SetCosts
from cautious.costs.matrices import (
    Classes,
    check_cost_vector,
    check_count,
    resolve_classes,
    resolve_matrix,
)
from cautious.errors import shown

__all__ = [
    "AbellanMasegosaCosts",
    "ClassSelectiveCosts",
    "SizeCosts",
    "abellan_masegosa",
    "class_selective",
    "f_beta_costs",
    "utility_costs",
]


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
    """

    hit: Floats
    miss: Floats
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        hit = check_cost_vector(self.hit, "hit")
        miss = check_cost_vector(self.miss, "miss")
        if len(hit) != len(miss):
            raise ValueError(
                f"hit has {len(hit)} elements and miss {len(miss)}; both need one per size."
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


@dataclass(frozen=True, eq=False)
class ClassSelectiveCosts(SetCosts):
    r"""Costs :math:`\eta(y)[y \notin \hat Y] + \delta(|\hat Y| - 1)`; :func:`class_selective`."""

    eta: Floats
    delta: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        eta = check_cost_vector(self.eta, "eta")
        delta = as_number(self.delta, "delta")
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


@dataclass(frozen=True, eq=False)
class AbellanMasegosaCosts(MatrixCosts):
    """Costs of right sets by their size, of wrong ones by their class that costs most."""

    matrix: Floats
    classes: tuple[Any, ...] | None = None

    def _costs(self, mask: Mask) -> Floats:
        k = self.n_classes
        right = np.log(mask.sum(axis=1, keepdims=True))
        wrong = np.log(k) * (greatest_over_members(mask, self.matrix) / (k - 1) + 1)
        return np.asarray(np.where(mask, right, wrong))


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
    SetCosts

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
    SetCosts

    Examples
    --------
    >>> f_beta_costs(3).hit.round(3)
    array([0.   , 0.333, 0.5  ])
    """
    weight = as_number(beta, "beta")
    if not (np.isfinite(weight) and weight >= 0):
        raise ValueError(f"beta is {beta}; give a finite number that is not negative.")
    sizes = _set_sizes(n_classes)
    # Written so that the exact zero of a right single class stays exact.
    hit = (sizes - 1) / (weight**2 + sizes)
    return SizeCosts(hit, np.ones(n_classes), classes=resolve_classes(classes, n_classes))


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
    SetCosts

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


def abellan_masegosa(
    matrix: npt.ArrayLike | pd.DataFrame, *, classes: Classes = None
) -> AbellanMasegosaCosts:
    r"""Abellán and Masegosa's logarithmic costs.

    .. math::

        c_{\hat Y}(y) = \begin{cases} \log |\hat Y| & y \in \hat Y \\
        \log |\Omega| \Bigl(\frac{\max_{\hat y \in \hat Y} c_{\hat y}(y)}{|\Omega| - 1} + 1\Bigr)
        & y \notin \hat Y \end{cases}

    Yang, Destercke & Masson (2017), section V-c, after Abellán and Masegosa (2012). These costs
    also change those of single classes: compare them with :meth:`SetCosts.singletons`, not with
    `matrix`.

    Parameters
    ----------
    matrix : array-like or DataFrame of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    SetCosts

    Examples
    --------
    >>> abellan_masegosa([[0, 1], [1, 0]]).table().round(3)
    truth           0      1
    prediction
    {0}         0.000  1.386
    {1}         1.386  0.000
    {0, 1}      0.693  0.693
    """
    array, labels = resolve_matrix(matrix, classes)
    return AbellanMasegosaCosts(array, labels)


def _set_sizes(n_classes: int) -> Floats:
    return np.arange(1, check_count(n_classes, "n_classes") + 1, dtype=np.float64)


def _values(utility: Callable[[float], Any], accuracies: Floats) -> Floats:
    """Evaluate a utility point by point, so that scalar functions do as well as vectorised ones."""
    if not callable(utility):
        raise TypeError(
            f"utility is {shown(utility)}; pass a function of discounted accuracy, for example "
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
