"""Extensions: formulas that give costs to sets of classes.

Averages of the members' costs (discounted, p-discounted and ordered weighted costs, Abellán and
Masegosa's), costs by the size of a set (utilities, F-measure, class-selective costs), and by the
distance of ordered classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import as_count, check_choice
from cautious._typing import FINITE, Floats, Mask, as_floats, as_number
from cautious.costs._set_costs import SetCosts
from cautious.costs.matrices import Classes, check_cost_vector, resolve_matrix
from cautious.errors import shown

_NOT_NEGATIVE = "give a finite number that is not negative"
# Powers between e^-600 and e^600 neither underflow nor, summed, overflow.
_SAFE_LOG_RANGE = 600.0
# Costs of all members are sorted for as many sets at once as fit the processor's cache.
_CELLS_AT_ONCE = 1 << 18


def mean_over_members(mask: Mask, matrix: Floats) -> Floats:
    r"""Return :math:`\bar c_{\hat Y}(y)`, the mean of :math:`c_{\hat y}(y)` over the set."""
    mean: Floats = mask.astype(np.float64) @ matrix / mask.sum(axis=1, keepdims=True)
    return mean


def least_over_members(mask: Mask, matrix: Floats) -> Floats:
    r"""Return :math:`\min_{\hat y \in \hat Y} c_{\hat y}(y)` for every set and truth."""
    least = np.full((len(mask), matrix.shape[1]), np.inf)
    # One pass per class keeps the memory at one row per set; a (sets, K, K) array would not.
    for inside, costs in zip(mask.T, matrix, strict=True):
        np.minimum(least, costs, out=least, where=inside[:, None])
    return least


def greatest_over_members(mask: Mask, matrix: Floats) -> Floats:
    r"""Return :math:`\max_{\hat y \in \hat Y} c_{\hat y}(y)` for every set and truth."""
    return -least_over_members(mask, -matrix)


class MatrixCosts(SetCosts):
    """Costs of sets that are made from a matrix of the costs of single classes."""

    matrix: Floats

    def __post_init__(self) -> None:
        matrix, labels = resolve_matrix(self.matrix, self.classes)
        vars(self)["classes"] = labels
        self._freeze(len(matrix), matrix=matrix)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> SetCosts:
        moved = self.matrix[order][:, order]
        return replace(self, matrix=moved, classes=classes)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False)
class PowerMeanCosts(MatrixCosts):
    r"""Power mean of the members' costs, one power for right sets and one for wrong ones.

    .. math::

        c_{\hat Y}(y) = \Bigl(\frac{1}{|\hat Y|}
        \sum_{\hat y \in \hat Y} c_{\hat y}(y)^p\Bigr)^{1/p},
        \qquad p = \begin{cases} p_{correct} & y \in \hat Y \\ p_{wrong} & y \notin \hat Y
        \end{cases}

    with the geometric mean at p = 0, the minimum at p = -∞ and the maximum at p = ∞
    (Yang, Destercke & Masson, 2017, eqs 12 and 13).
    """

    matrix: Floats
    p_correct: float
    p_wrong: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("p_correct", "p_wrong"):
            words = "give a power (infinite ones are allowed)"
            vars(self)[name] = as_number(getattr(self, name), name, words=words)
        # The minimum (p = -inf) is defined with zeros, the powers above it divide by them.
        least = min(self.p_correct, self.p_wrong)
        if -np.inf < least < 0 and not self.matrix.all():
            i, y = np.argwhere(self.matrix == 0)[0]
            raise ValueError(
                f"matrix[{i}, {y}] is 0 and the power is {least:g}; a negative power divides by "
                "it. Translate the costs: p_discounted(..., epsilon=0.01) adds a small constant to "
                "all of them. Keep it the same for all classifiers: their order may depend on it."
            )

    def _costs(self, mask: Mask) -> Floats:
        costs = _power_mean(mask, self.matrix, self.p_correct)
        if self.p_wrong != self.p_correct:
            costs = np.where(mask, costs, _power_mean(mask, self.matrix, self.p_wrong))
        # One class costs what it costs, to the last bit.
        single = mask.sum(axis=1) == 1
        costs[single] = self.matrix[mask[single].argmax(axis=1)]
        return costs


@dataclass(frozen=True, eq=False)
class OWACosts(MatrixCosts):
    """Ordered weighted average of the members' costs, cheapest first; made by :func:`owa`."""

    matrix: Floats
    tolerance: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        owa_weights(2, self.tolerance)  # refuses a tolerance outside [0, 1] at once
        vars(self)["tolerance"] = float(self.tolerance)

    def _costs(self, mask: Mask) -> Floats:
        k = self.n_classes
        sizes = mask.sum(axis=1)
        costs = np.empty(mask.shape)
        for size in np.unique(sizes).tolist():
            weights = owa_weights(size, self.tolerance)
            rows = np.flatnonzero(sizes == size)
            step = max(1, _CELLS_AT_ONCE // (k * size))
            for at in (rows[start : start + step] for start in range(0, len(rows), step)):
                members = np.nonzero(mask[at])[1].reshape(-1, size)
                cheapest_first = np.sort(self.matrix.T[:, members], axis=-1)
                costs[at] = (cheapest_first @ weights).T
        return costs


@dataclass(frozen=True, eq=False)
class SizeCosts(SetCosts):
    """Costs of right (`hit`) and wrong (`miss`) sets of 1, 2, ..., K classes."""

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
        self._freeze(len(hit), hit=hit, miss=miss)

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
        self._freeze(len(eta), eta=eta, delta=delta)

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


@dataclass(frozen=True, eq=False)
class IntervalCosts(SetCosts):
    """Distance of the truth from a set, and a price of its width."""

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
        width = as_number(self.width, "width", 0, FINITE, words=_NOT_NEGATIVE)
        self._freeze(len(positions), positions=positions, width=width)

    def _costs(self, mask: Mask) -> Floats:
        x = self.positions
        # The nearest members below and above every class.
        below = np.maximum.accumulate(np.where(mask, x, -np.inf), axis=1)
        above = np.minimum.accumulate(np.where(mask, x, np.inf)[:, ::-1], axis=1)[:, ::-1]
        distance = np.minimum(x - below, above - x)
        return np.asarray(distance + self.width * (below[:, -1:] - above[:, :1]))


def discounted(matrix: npt.ArrayLike | pd.DataFrame, *, classes: Classes = None) -> PowerMeanCosts:
    r"""Discounted costs: the mean over the set, as if one of its classes were drawn at random.

    .. math::

        \bar c_{\hat Y}(y) = \frac{1}{|\hat Y|} \sum_{\hat y \in \hat Y} c_{\hat y}(y)

    Yang, Destercke & Masson (2017), eq. 10. They never make a set worth answering
    (Proposition 1) and serve as the baseline of the other extensions.

    Parameters
    ----------
    matrix : array-like or DataFrame of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    classes : sequence of length K, optional
        Class labels in column order.

    Examples
    --------
    >>> costs = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=["h", "b", "n"])
    >>> costs.table().loc["{b, n}"].tolist()  # Table V of the paper
    [2.5, 2.0, 1.0]
    """
    return PowerMeanCosts(matrix, 1.0, 1.0, classes)  # type: ignore[arg-type]  # checked there


def p_discounted(
    matrix: npt.ArrayLike | pd.DataFrame,
    r: float | None = None,
    attitude: Literal["cautious", "averse"] = "cautious",
    *,
    p: float | tuple[float, float] | None = None,
    epsilon: float = 0.0,
    classes: Classes = None,
) -> PowerMeanCosts:
    r"""p-discounted costs: the more cautiousness is worth, the lower the power of the mean.

    Cautiousness seeking uses :math:`p = 1 - r` for every truth; mistake averse uses
    :math:`1 - r` for sets that hold the truth and :math:`1 + r` for those that miss it
    (Yang, Destercke & Masson, 2017, eqs 14–16). :math:`r = 0` gives discounted costs.

    Parameters
    ----------
    matrix, classes
        As in :func:`discounted`.
    r : float in [0, 1]
        How much cautiousness is rewarded.
    attitude : {"cautious", "averse"}
        Cautiousness seeking, or mistake averse.
    p : float or (float, float), optional
        The power itself, in place of `r`, when it is to lie outside that range: one power,
        or one for right and one for wrong sets. Infinite powers are allowed.
    epsilon : float, default=0
        Added to every cost beforehand; negative powers need positive costs. Report it with the
        results, because they depend on it (see Notes).

    Notes
    -----
    Erratum: the paper says that a translation affects all classifiers alike and so does not change
    their comparison. That holds for the mean, the least and the greatest cost. Other power means do
    not translate: under ``ordinal(3)`` and p = -1 the vacuous set costs truth 0 .03 at
    :math:`\varepsilon = .01`, less than the mean .51 of one right and one wrong neighbouring class,
    but at :math:`\varepsilon = 1` it costs 1.64, more than their 1.5.

    Examples
    --------
    >>> matrix = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    >>> costs = p_discounted(matrix, r=0.5, classes=["h", "b", "n"])
    >>> costs.table().loc["{b, n}"].round(6).tolist()  # Table X of the paper
    [2.25, 1.0, 0.5]
    """
    array, labels = resolve_matrix(matrix, classes)
    check_choice(attitude, "attitude", ("cautious", "averse"))
    words = "give a finite translation that is not negative"
    shift = as_number(epsilon, "epsilon", 0, FINITE, words=words)
    if (r is None) == (p is None):
        given = "both r and p are" if p is not None else "neither r nor p is"
        raise ValueError(
            f"{given} given; give r, from 0 (discounted costs) to 1, or in its place the power p."
        )
    if p is not None:
        pair = p if isinstance(p, tuple) else (p, p)
        if len(pair) != 2:
            raise ValueError(
                f"p is {shown(p)}; give one power, or one for right and one for wrong sets."
            )
        p_correct, p_wrong = (as_number(power, "p") for power in pair)
    else:
        words = "give a number from 0 (discounted costs) to 1, or in its place the power p, which "
        strength = as_number(r, "r", 0, 1, words=words + "may be any number")
        p_correct = 1 - strength
        p_wrong = 1 + strength if attitude == "averse" else 1 - strength
    return PowerMeanCosts(array + shift, p_correct, p_wrong, labels)


def owa(
    matrix: npt.ArrayLike | pd.DataFrame, tolerance: float, *, classes: Classes = None
) -> OWACosts:
    r"""Ordered weighted average of the members' costs.

    .. math::

        c_{\hat Y}(y) = \sum_{k=1}^{|\hat Y|} w_k\, c_{(k)}(y),
        \qquad c_{(1)}(y) \le \dots \le c_{(|\hat Y|)}(y)

    with maximum-entropy weights of the given tolerance, as Ma & Denœux (2021) extend a matrix of
    utilities; costs are utilities with the sign turned, so the cheapest member comes first.

    Parameters
    ----------
    matrix, classes
        As in :func:`discounted`.
    tolerance : float in [0, 1]
        Tolerance of imprecision: ½ averages, 1 takes the cheapest member, 0 the most expensive one.

    Examples
    --------
    >>> costs = owa([[0, 1, 2], [1, 0, 2], [4, 4, 0]], tolerance=0.8, classes=["h", "b", "n"])
    >>> costs.table().loc["{b, n}"].round(3).tolist()
    [1.6, 0.8, 0.4]
    """
    return OWACosts(matrix, tolerance, classes)  # type: ignore[arg-type]  # checked there


def utility_costs(
    n_classes: int, utility: Callable[[float], Any], *, classes: Classes = None
) -> SizeCosts:
    r"""Utility-discounted accuracy read as a cost.

    .. math::

        c_{\hat Y}(y) = 1 - u\bigl([y \in \hat Y] / |\hat Y|\bigr) / u(1)

    Zaffalon, Corani & Mauá (2012), section 5; Yang, Destercke & Masson (2017), section III-A.
    Dividing by u(1) changes no preference and lets a right single class cost nothing.

    Parameters
    ----------
    n_classes : int
        The number of classes K, which `classes` may name.
    utility : callable
        The utility u of a discounted accuracy in [0, 1], such as ``cautious.utility.u65``; u(1)
        is positive and no value exceeds it.

    Examples
    --------
    >>> utility_costs(3, lambda x: -0.6 * x**2 + 1.6 * x).hit.round(4)
    array([0.    , 0.35  , 0.5333])
    """
    *hit, miss = 1 - _values(utility, np.append(1 / _set_sizes(n_classes), 0.0))
    wrong = np.full(n_classes, miss)
    return SizeCosts(np.array(hit), wrong, classes)  # type: ignore[arg-type]  # checked there


def f_beta_costs(n_classes: int, beta: float = 1.0, *, classes: Classes = None) -> SizeCosts:
    r"""One less the F-measure of the set against the truth; larger β weigh recall more.

    .. math::

        c_{\hat Y}(y) = 1 - [y \in \hat Y] \frac{1 + \beta^2}{\beta^2 + |\hat Y|}

    Yang, Destercke & Masson (2017), eq. 9, with precision :math:`[y \in \hat Y]/|\hat Y|` and
    recall :math:`[y \in \hat Y]`, after Del Coz and Bahamonde.

    Examples
    --------
    >>> f_beta_costs(3).hit.round(3)
    array([0.   , 0.333, 0.5  ])
    """
    weight = as_number(beta, "beta", 0, FINITE, words=_NOT_NEGATIVE)
    sizes = _set_sizes(n_classes)
    # Written so that the exact zero of a right single class stays exact.
    hit = (sizes - 1) / (weight**2 + sizes)
    return SizeCosts(hit, np.ones(n_classes), classes)  # type: ignore[arg-type]  # checked there


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

    Notes
    -----
    The paper says that :math:`\delta < \frac12 \min \eta` ensures Properties 2 and 3. It does for
    pairs; a set of k classes rewards rightful caution only if :math:`\delta < \min \eta / k`, so
    for K classes ask for :math:`\delta < \min \eta / K`. :func:`audit` shows the difference.

    Examples
    --------
    >>> costs = class_selective([1, 2, 4], delta=0.25, classes=list("abc"))
    >>> costs.of([[True, True, False], [True, True, True]])
    array([[0.25, 0.25, 4.25],
           [0.5 , 0.5 , 0.5 ]])
    """
    if isinstance(eta, pd.Series) and classes is None:
        classes = eta.index
    return ClassSelectiveCosts(eta, delta, classes)  # type: ignore[arg-type]  # checked there


def abellan_masegosa(
    matrix: npt.ArrayLike | pd.DataFrame, *, classes: Classes = None
) -> AbellanMasegosaCosts:
    r"""Abellán and Masegosa's logarithmic costs; the arguments are those of :func:`discounted`.

    .. math::

        c_{\hat Y}(y) = \begin{cases} \log |\hat Y| & y \in \hat Y \\
        \log |\Omega| \Bigl(\frac{\max_{\hat y \in \hat Y} c_{\hat y}(y)}{|\Omega| - 1} + 1\Bigr)
        & y \notin \hat Y \end{cases}

    Yang, Destercke & Masson (2017), section V-c, after Abellán and Masegosa (2012). These costs
    also change those of single classes: compare them with :meth:`SetCosts.singletons`, not with
    `matrix`.

    Examples
    --------
    >>> abellan_masegosa([[0, 1], [1, 0]]).of([[True, False], [True, True]]).round(3)
    array([[0.   , 1.386],
           [0.693, 0.693]])
    """
    return AbellanMasegosaCosts(matrix, classes)  # type: ignore[arg-type]  # checked there


def owa_weights(size: int, tolerance: float) -> Floats:
    """Maximum-entropy weights of an ordered weighted average."""
    words = "it must lie within [0, 1]: 0.5 averages, 1 takes the best"
    tolerance = as_number(tolerance, "tolerance", 0, 1, words=words)
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
    ratio = float(scipy.optimize.brentq(shortfall, 0.0, 1.0, xtol=1e-300, rtol=1e-15, maxiter=1000))
    weights = ratio**rank
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _power_mean(mask: Mask, matrix: Floats, p: float) -> Floats:
    """Power mean of the members' costs for every set and truth."""
    if p == 1 or not matrix.any():
        return mean_over_members(mask, matrix)
    if p == -np.inf:
        return least_over_members(mask, matrix)
    if p == np.inf:
        return greatest_over_members(mask, matrix)
    with np.errstate(divide="ignore"):
        logs = np.log(matrix)
    if p == 0:
        zero = matrix == 0
        mean = np.exp(mean_over_members(mask, np.where(zero, 0.0, logs)))
        return np.where(mask.astype(np.float64) @ zero > 0, 0.0, mean)
    positive = logs[matrix > 0]
    spread = positive.max() - positive.min()
    # Near p = 0 powers are near 1 (or 0) and only their distance from 1 carries information.
    is_flat = abs(p) < 0.1 and abs(p) * spread < 1
    if is_flat or max(1, abs(p)) * spread > _SAFE_LOG_RANGE:
        return _log_domain_mean(mask, logs, p)
    top = matrix.max()
    return np.asarray(top * mean_over_members(mask, (matrix / top) ** p) ** (1 / p))


def _log_domain_mean(mask: Mask, logs: Floats, p: float) -> Floats:
    """Power mean scaled set by set, for powers or ranges at which common scaling loses digits."""
    sign = np.sign(p)
    top = sign * greatest_over_members(mask, sign * logs)
    total = np.zeros_like(top)
    # Classes outside a set may overflow here, and -inf - -inf occurs where all members cost
    # nothing; neither reaches the result.
    with np.errstate(over="ignore", invalid="ignore"):
        for inside, log in zip(mask.T, logs, strict=True):
            np.add(total, np.expm1(p * (log - top)), out=total, where=inside[:, None])
    mean: Floats = np.exp(top + np.log1p(total / mask.sum(axis=1, keepdims=True)) / p)
    return np.where(np.isneginf(top), 0.0, mean)


def _set_sizes(n_classes: int) -> Floats:
    return np.arange(1, as_count(n_classes, "n_classes", least=2) + 1, dtype=np.float64)


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
