"""Discounted and p-discounted costs: power means of the members' costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Mask
from cautious.costs.cost_frames import resolve_matrix
from cautious.costs.matrices import Classes, check_cost_matrix, check_number, resolve_classes
from cautious.costs.members import greatest_over_members, least_over_members, mean_over_members
from cautious.costs.set_costs import SetCosts

__all__ = ["PowerMeanCosts", "discounted", "p_discounted"]

# Powers between e^-600 and e^600 neither underflow nor, summed, overflow.
_SAFE_LOG_RANGE = 600.0


@dataclass(frozen=True, eq=False)
class PowerMeanCosts(SetCosts):
    r"""Power mean of the members' costs, with one power for right sets and one for wrong ones.

    .. math::

        c_{\hat Y}(y) = \Bigl(\frac{1}{|\hat Y|}
        \sum_{\hat y \in \hat Y} c_{\hat y}(y)^p\Bigr)^{1/p},
        \qquad p = \begin{cases} p_{correct} & y \in \hat Y \\ p_{wrong} & y \notin \hat Y
        \end{cases}

    with the geometric mean at p = 0, the minimum at p = -∞ and the maximum at p = ∞
    (Yang, Destercke & Masson, 2017, eqs 12 and 13).

    Parameters
    ----------
    matrix : array-like of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    p_correct, p_wrong : float
        The powers; infinite ones are allowed.
    classes : sequence of length K, optional
        Class labels in column order.

    Examples
    --------
    >>> costs = PowerMeanCosts([[0, 2], [8, 0]], p_correct=0.5, p_wrong=1.5)
    >>> costs.of([[True, False], [True, True]])
    array([[0. , 2. ],
           [2. , 0.5]])
    """

    matrix: Floats
    p_correct: float
    p_wrong: float
    classes: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        matrix = check_cost_matrix(self.matrix)
        for name in ("p_correct", "p_wrong"):
            p = check_number(getattr(self, name), name)
            if np.isnan(p):
                raise ValueError(f"{name} is nan; give a power (infinite ones are allowed).")
            object.__setattr__(self, name, p)
        _refuse_negative_power_of_zero(matrix, min(self.p_correct, self.p_wrong))
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", resolve_classes(self.classes, len(matrix)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.matrix)

    def _in_order(self, order: list[int], classes: tuple[Any, ...]) -> PowerMeanCosts:
        return replace(self, matrix=self.matrix[order][:, order], classes=classes)

    def _costs(self, mask: Mask) -> Floats:
        costs = _power_mean(mask, self.matrix, self.p_correct)
        if self.p_wrong != self.p_correct:
            costs = np.where(mask, costs, _power_mean(mask, self.matrix, self.p_wrong))
        # One class costs what it costs, to the last bit.
        single = mask.sum(axis=1) == 1
        costs[single] = self.matrix[mask[single].argmax(axis=1)]
        return costs


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

    Returns
    -------
    PowerMeanCosts

    Examples
    --------
    Table V of the paper, in part:

    >>> costs = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=["h", "b", "n"])
    >>> costs.table().loc["{b, n}"].tolist()
    [2.5, 2.0, 1.0]
    """
    array, labels = resolve_matrix(matrix, classes)
    return PowerMeanCosts(array, 1.0, 1.0, labels)


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
    matrix : array-like or DataFrame of shape (K, K)
        Costs of single classes: rows are predictions, columns are truths.
    r : float in [0, 1]
        How much cautiousness is rewarded.
    attitude : {"cautious", "averse"}
        Cautiousness seeking, or mistake averse.
    p : float or (float, float), optional
        Give the power itself, in place of `r`, when it is to lie outside that range: one power,
        or one for right and one for wrong sets. Infinite powers are allowed.
    epsilon : float, default=0
        Added to every cost beforehand; negative powers need positive costs. Report it with the
        results, because they depend on it (see Notes).
    classes : sequence of length K, optional
        Class labels in column order.

    Returns
    -------
    PowerMeanCosts

    Notes
    -----
    Erratum: the paper says that a translation affects all classifiers alike and so does not change
    their comparison. That holds for the mean, p = 1, where every cost grows by :math:`\varepsilon`.
    Other power means do not translate: under ``ordinal(3)`` and p = -1 the vacuous set costs
    truth 0 .03 at :math:`\varepsilon = .01`, less than the mean .51 of one right and one wrong
    neighbouring class, but at :math:`\varepsilon = 1` it costs 1.64, more than their 1.5.

    Examples
    --------
    Table X of the paper, in part:

    >>> matrix = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    >>> costs = p_discounted(matrix, r=0.5, classes=["h", "b", "n"])
    >>> costs.table().loc["{b, n}"].round(6).tolist()
    [2.25, 1.0, 0.5]
    """
    array, labels = resolve_matrix(matrix, classes)
    if attitude not in ("cautious", "averse"):
        raise ValueError(f"attitude is {attitude!r}; choose 'cautious' or 'averse'.")
    shift = check_number(epsilon, "epsilon")
    if not (np.isfinite(shift) and shift >= 0):
        raise ValueError(f"epsilon is {epsilon}; give a finite translation that is not negative.")
    if (r is None) == (p is None):
        raise ValueError("give either r (within [0, 1]) or the power p, and not both.")
    if p is not None:
        pair = p if isinstance(p, tuple) else (p, p)
        if len(pair) != 2:
            raise ValueError(
                f"p is {p!r}; give one power, or one for right and one for wrong sets."
            )
        p_correct, p_wrong = (check_number(power, "p") for power in pair)
    else:
        strength = check_number(r, "r")
        if not 0 <= strength <= 1:
            raise ValueError(
                f"r is {r}; it must lie within [0, 1]. For a power outside [0, 2] give it "
                "explicitly, as p=1 - r or p=(1 - r, 1 + r)."
            )
        p_correct = 1 - strength
        p_wrong = 1 + strength if attitude == "averse" else 1 - strength
    return PowerMeanCosts(array + shift, p_correct, p_wrong, labels)


def _refuse_negative_power_of_zero(matrix: Floats, p: float) -> None:
    # The minimum (p = -inf) is defined with zeros, the negative powers before it divide by them.
    if -np.inf < p < 0 and not matrix.all():
        i, y = np.argwhere(matrix == 0)[0]
        raise ValueError(
            f"matrix[{i}, {y}] is 0 and the power is {p:g}; a negative power divides by it. "
            "Translate the costs: p_discounted(..., epsilon=0.01) adds a small constant to all of "
            "them. Keep it the same for all classifiers: their order may depend on it."
        )


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
        return _geometric_mean(mask, matrix, logs)
    positive = logs[matrix > 0]
    spread = positive.max() - positive.min()
    top = matrix.max()
    if abs(p) < 0.1 and abs(p) * spread < 1:
        # Near p = 0 powers are near 1 (or 0) and only their distance from 1 carries information.
        distance = mean_over_members(mask, np.expm1(p * (logs - np.log(top))))
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(np.log(top) + np.log1p(distance) / p))
    if max(1, abs(p)) * spread > _SAFE_LOG_RANGE:
        return _log_domain_mean(mask, logs, p)
    return np.asarray(top * mean_over_members(mask, (matrix / top) ** p) ** (1 / p))


def _geometric_mean(mask: Mask, matrix: Floats, logs: Floats) -> Floats:
    zero = matrix == 0
    mean = np.exp(mean_over_members(mask, np.where(zero, 0.0, logs)))
    mean[mask.astype(np.float64) @ zero > 0] = 0.0
    return mean


def _log_domain_mean(mask: Mask, logs: Floats, p: float) -> Floats:
    """Power mean scaled set by set, for powers or ranges at which common scaling underflows."""
    sign = np.sign(p)
    top = sign * greatest_over_members(mask, sign * logs)
    total = np.zeros_like(top)
    # Classes outside a set may overflow here, and -inf - -inf occurs where all members cost
    # nothing; neither reaches the result.
    with np.errstate(over="ignore", invalid="ignore"):
        for inside, log in zip(mask.T, logs, strict=True):
            np.add(total, np.exp(p * (log - top)), out=total, where=inside[:, None])
    mean: Floats = np.exp(top + np.log(total / mask.sum(axis=1, keepdims=True)) / p)
    return np.where(np.isneginf(top), 0.0, mean)
