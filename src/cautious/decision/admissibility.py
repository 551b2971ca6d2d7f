r"""E-admissibility: what is best for at least one distribution of the credal set."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array

from cautious._typing import Floats, Ints, Mask
from cautious.credal import IntervalsLike, ProbabilityIntervals, as_intervals
from cautious.decision.criteria import beyond_the_best, checked_costs, maximality, rounding_error

__all__ = ["e_admissibility"]

# Small independent programmes are solved as one: calling the solver costs more than they do.
_PROGRAMMES_AT_ONCE = 200
_SOLVER_ERROR = 1e-7  # HiGHS meets constraints to this much


def e_admissibility(intervals: IntervalsLike, C: npt.ArrayLike | None = None) -> Mask:
    r"""Keep the predictions with the least expected cost under some distribution of the set.

    .. math:: \hat Y = \bigcup_{p \in \mathcal{P}} \arg\min_i E_p[c_i].

    With 0/1 costs there is a closed form. Raise class :math:`i` to its upper probability
    :math:`u_i`; it is a likeliest class of some distribution if no lower bound exceeds it and the
    others can take the rest without exceeding it either, :math:`\sum_j \min(u_j, u_i) \ge 1`. With
    other costs, predictions that are not maximal, rows with at most two maximal ones and those that
    are best at some vertex are settled directly; a linear programme settles the rest.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets.
    C : array-like of shape (m, K), optional
        Costs: rows are predictions, columns truths; 0/1 costs if left out.

    Returns
    -------
    ndarray of shape (n, m), bool
        Prediction sets, never empty. Never larger than those of :func:`maximality`.

    References
    ----------
    Levi (1980), *The enterprise of knowledge*; Troffaes (2007), section 3.5.

    Examples
    --------
    Even at its upper bound the third class leaves .68 to the other two, one of which is likelier;
    but which one is not known, so neither dominates it.

    >>> sets = ([[0.3, 0.3, 0.2]], [[0.5, 0.5, 0.32]])
    >>> e_admissibility(sets)
    array([[ True,  True, False]])
    >>> maximality(sets)
    array([[ True,  True,  True]])
    """
    sets = as_intervals(intervals)
    if C is None:
        return _likeliest_somewhere(sets.reachable())
    costs = beyond_the_best(checked_costs(C, sets.n_classes))
    admissible = maximality(sets, costs)
    rows = np.flatnonzero(admissible.sum(axis=1) > 2)
    if len(rows):
        admissible[rows] = _best_somewhere(sets[rows], costs, admissible[rows])
    return admissible


def _likeliest_somewhere(tight: ProbabilityIntervals) -> Mask:
    """Decide 0/1 costs in closed form, on reachable intervals."""
    upper, tie = tight.upper, rounding_error(np.eye(2))
    order = np.argsort(upper, axis=1)
    rising = np.take_along_axis(upper, order, axis=1)
    # In sorted order Σ_j min(u_j, u_i) is the sum up to i and u_i for each class after it.
    after = np.arange(upper.shape[1] - 1, -1, -1)
    room = np.empty_like(upper)
    np.put_along_axis(room, order, np.cumsum(rising, axis=1) + after * rising, axis=1)
    highest = tight.lower.max(axis=1, keepdims=True)
    likeliest: Mask = (upper >= highest - tie) & (room >= 1 - tie)
    return likeliest


def _best_somewhere(sets: ProbabilityIntervals, costs: Floats, maximal: Mask) -> Mask:
    """E-admissible predictions among the maximal ones, for any costs."""
    tie = rounding_error(costs)
    admissible = np.zeros_like(maximal)
    # Being best at one distribution is enough. Likely ones: where a prediction beats the average.
    witnesses = [sets.center, *(sets.minimiser(each - costs.mean(axis=0)) for each in costs)]
    for p in witnesses:
        expected = p @ costs.T
        admissible |= expected <= expected.min(axis=1, keepdims=True) + tie
    admissible &= maximal
    rows, alternatives = np.nonzero(maximal & ~admissible)
    for start in range(0, len(rows), _PROGRAMMES_AT_ONCE):
        some = slice(start, start + _PROGRAMMES_AT_ONCE)
        regret = _least_regret(sets[rows[some]], costs, alternatives[some])
        admissible[rows[some], alternatives[some]] = regret <= _SOLVER_ERROR
    return admissible


def _least_regret(sets: ProbabilityIntervals, costs: Floats, chosen: Ints) -> Floats:
    r"""Least regret of one choice per row, :math:`\min_p \max_j E_p[c_i - c_j]`, by programming.

    The variables of row b are its distribution and the regret t; each rival j gives a constraint
    :math:`E_p[c_i - c_j] \le t`. Costs are scaled to span 1.
    """
    n, n_classes = sets.lower.shape
    m = len(costs)
    unit = np.ptp(costs) or 1.0
    width = n_classes + 1
    exchange = np.full((n, m, width), -1.0)
    exchange[:, :, :-1] = (costs[chosen][:, None, :] - costs[None, :, :]) / unit
    columns = np.broadcast_to(np.arange(n * width).reshape(n, 1, width), exchange.shape)
    rivals = csr_array(
        (exchange.ravel(), columns.ravel(), np.arange(0, exchange.size + 1, width)),
        shape=(n * m, n * width),
    )
    adds_up = csr_array(
        (
            np.ones(n * n_classes),
            np.arange(n * width).reshape(n, width)[:, :-1].ravel(),
            np.arange(0, n * n_classes + 1, n_classes),
        ),
        shape=(n, n * width),
    )
    regret_only = np.zeros((n, width))
    regret_only[:, -1] = 1
    bounds = np.empty((n, width, 2))
    bounds[:, :-1, 0], bounds[:, :-1, 1] = sets.lower, sets.upper
    bounds[:, -1] = 0, np.inf
    solved = linprog(
        regret_only.ravel(),
        A_ub=rivals,
        b_ub=np.zeros(n * m),
        A_eq=adds_up,
        b_eq=np.ones(n),
        bounds=bounds.reshape(-1, 2),
        method="highs",
    )
    if solved.x is None:
        raise RuntimeError(f"the linear programme of E-admissibility failed: {solved.message}")
    regret: Floats = solved.x.reshape(n, width)[:, -1]
    return regret
