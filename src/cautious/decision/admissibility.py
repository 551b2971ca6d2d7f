"""E-admissibility: the predictions that are best for some distribution of a credal set."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array

from cautious._checks import count_classes
from cautious._typing import Floats, Ints, Mask
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals
from cautious.decision.criteria import beyond_the_best, checked_costs, maximality, rounding_error
from cautious.tensors import by_copy

# Small independent programmes are solved as one: calling the solver costs more than they do.
_PROGRAMMES_AT_ONCE = 200
_SOLVER_ERROR = 1e-7  # HiGHS meets constraints to this much
# Choices that are not settled after so many turns are left to a programme.
_TURNS = 64


@by_copy
def e_admissibility(intervals: IntervalsLike, costs: npt.ArrayLike | None = None) -> Mask:
    r"""Keep the predictions with the least expected cost under some distribution of the set.

    .. math:: \hat Y = \bigcup_{p \in \mathcal{P}} \arg\min_i E_p[c_i].

    With 0/1 costs there is a closed form. Raise class :math:`i` to its upper probability
    :math:`u_i`; it is a likeliest class of some distribution if no lower bound exceeds it and the
    others can take the rest without exceeding it either, :math:`\sum_j \min(u_j, u_i) \ge 1`. With
    other costs, predictions that are not maximal, rows with at most two maximal ones and those that
    are best at some vertex are settled directly, nearly all others by a few turns of a game against
    their rivals; a linear programme settles the rest.

    Parameters
    ----------
    intervals : ProbabilityIntervals or tuple (lower, upper)
        The credal sets.
    costs : array-like of shape (m, K), optional
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

    >>> from cautious.decision import maximality
    >>> sets = ([[0.3, 0.3, 0.2]], [[0.5, 0.5, 0.32]])
    >>> e_admissibility(sets)
    array([[ True,  True, False]])
    >>> maximality(sets)
    array([[ True,  True,  True]])
    """
    sets = as_intervals(intervals)
    if costs is None:
        return _likeliest_somewhere(sets.reachable())
    table = beyond_the_best(checked_costs(costs, sets.n_classes))
    admissible = maximality(sets, table)
    rows = np.flatnonzero(count_classes(admissible) > 2)
    if len(rows):
        admissible[rows] = _best_somewhere(sets[rows], table, admissible[rows])
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
    expected = sets.center @ costs.T
    admissible: Mask = expected <= expected.min(axis=1, keepdims=True) + tie
    # Being best at one distribution is enough. A likely one: where a prediction beats the average.
    for at, beyond in enumerate(costs - costs.mean(axis=0)):
        rows = np.flatnonzero(maximal[:, at] & ~admissible[:, at])
        if len(rows):
            expected = sets[rows].minimiser(beyond) @ costs.T
            admissible[rows] |= expected <= expected.min(axis=1, keepdims=True) + tie
    admissible &= maximal
    rows, choice = np.nonzero(maximal & ~admissible)
    verdict = np.zeros(len(rows), dtype=np.intp)
    two = count_classes(maximal)[rows] == 3
    for some, settle in ((two, _against_two), (~two, _against_many)):
        at, chosen = rows[some], choice[some]
        rivals = maximal[at]
        rivals[np.arange(len(at)), chosen] = False
        verdict[some] = settle(sets.lower[at], sets.upper[at], costs, chosen, rivals)
    admissible[rows, choice] = verdict > 0
    rows, choice = rows[verdict == 0], choice[verdict == 0]
    for start in range(0, len(rows), _PROGRAMMES_AT_ONCE):
        some = slice(start, start + _PROGRAMMES_AT_ONCE)
        regret = _least_regret(sets[rows[some]], costs, choice[some])
        admissible[rows[some], choice[some]] = regret <= _SOLVER_ERROR
    return admissible


def _against_two(lower: Floats, upper: Floats, costs: Floats, choice: Ints, rivals: Mask) -> Ints:
    """Settle choices that have two rivals; see :func:`_against_many`."""
    verdict = np.zeros(len(choice), dtype=np.intp)
    tie, sure = rounding_error(costs), 2 * _SOLVER_ERROR * (np.ptp(costs) or 1.0)
    open_ = np.arange(len(choice))
    pair = np.argsort(~rivals, axis=1, kind="stable")[:, :2]  # first and second rival
    room = np.maximum(1 - lower.sum(axis=1, keepdims=True), 0)

    def line(share: Floats) -> Floats:
        mix = np.zeros((len(share), len(costs)))
        np.put_along_axis(mix, pair, np.column_stack([share, 1 - share]), axis=1)
        return np.take_along_axis(_lost(lower, upper, room, costs, choice, mix), pair, axis=1)

    left, right = line(np.zeros(len(choice))), line(np.ones(len(choice)))
    for _ in range(_TURNS):
        if not len(open_):
            break
        rise, fall = left[:, 0] - left[:, 1], right[:, 0] - right[:, 1]
        crossing = (rise > 0) & (fall < 0)
        share = (right[:, 1] - left[:, 1]) / np.where(crossing, rise - fall, 1.0)
        share = np.where(crossing, np.clip(share, 0, 1), (rise > 0).astype(np.float64))
        top = np.where(rise > 0, right[:, 1] + share * fall, left[:, 1])
        new = line(share)
        value = new[:, 1] + share * (new[:, 0] - new[:, 1])
        best, beaten = top <= tie, value > sure
        verdict[open_[best]], verdict[open_[beaten]] = 1, -1
        rising = (new[:, 0] > new[:, 1])[:, None]
        left, right = np.where(rising, new, left), np.where(rising, right, new)
        rest = ~(best | beaten | (top - value <= tie))
        open_, choice, pair, room = open_[rest], choice[rest], pair[rest], room[rest]
        lower, upper, left, right = lower[rest], upper[rest], left[rest], right[rest]
    return verdict


def _against_many(lower: Floats, upper: Floats, costs: Floats, choice: Ints, rivals: Mask) -> Ints:
    r"""Settle choices by playing :math:`\min_p \max_j E_p[c_i - c_j]` as a game for a while."""
    verdict = np.zeros(len(choice), dtype=np.intp)
    tie, sure = rounding_error(costs), 2 * _SOLVER_ERROR * (np.ptp(costs) or 1.0)
    open_ = np.arange(len(choice))
    regret, mean_mix, mean_loss = np.zeros((3, *rivals.shape))
    room = np.maximum(1 - lower.sum(axis=1, keepdims=True), 0)
    for turn in range(1, _TURNS + 1):
        if not len(open_):
            break
        total = np.einsum("ij->i", regret)[:, None]
        mix = np.where(total > 0, regret, rivals) / np.where(
            total > 0, total, rivals.sum(axis=1, keepdims=True)
        )
        mean_mix += turn * mix
        loss = _lost(lower, upper, room, costs, choice, mix)
        value = np.einsum("ij,ij->i", mix, loss)
        mean_loss += turn * loss
        beaten = value > sure
        if turn % 8 == 0:
            average = mean_mix / mean_mix.sum(axis=1, keepdims=True)
            against = _lost(lower, upper, room, costs, choice, average)
            beaten |= (average * against).sum(axis=1) > sure
        most = np.where(rivals, loss, -np.inf).max(axis=1)
        on_average = np.where(rivals, mean_loss, -np.inf).max(axis=1) * 2 / (turn * (turn + 1))
        best = np.minimum(most, on_average) <= tie
        verdict[open_[beaten]], verdict[open_[best]] = -1, 1
        regret = np.where(rivals, np.maximum(regret + loss - value[:, None], 0), 0.0)
        if (settled := beaten | best).any():
            rest = ~settled
            open_, choice, rivals, regret = open_[rest], choice[rest], rivals[rest], regret[rest]
            mean_mix, mean_loss = mean_mix[rest], mean_loss[rest]
            lower, upper, room = lower[rest], upper[rest], room[rest]
    return verdict


def _lost(
    lower: Floats, upper: Floats, room: Floats, costs: Floats, choice: Ints, mix: Floats
) -> Floats:
    """Losses of a choice to all rivals, where it loses least to a mixture of them."""
    order = np.argsort(costs[choice] - mix @ costs, axis=1)
    order += np.arange(0, lower.size, lower.shape[1])[:, None]  # places in the flat arrays
    low = lower.take(order)
    handed_out = np.minimum(np.cumsum(upper.take(order) - low, axis=1), room)
    handed_out[:, 1:] -= handed_out[:, :-1].copy()
    p = np.empty_like(low)
    p.reshape(-1)[order] = low + handed_out
    expected = p @ costs.T
    loss: Floats = expected[np.arange(len(choice)), choice, None] - expected
    return loss


def _least_regret(sets: ProbabilityIntervals, costs: Floats, chosen: Ints) -> Floats:
    r"""Least regret of one choice per row, :math:`\min_p \max_j E_p[c_i - c_j]`, by programming."""
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
