r"""Decisions with credal sets: which classes remain when probabilities are not known exactly.

With a single distribution the best prediction has the least expected cost. With a credal set each
prediction has a whole interval of expected costs, and the criteria differ in how they compare them:

- *interval dominance* drops what costs more at best than another costs at worst;
- *maximality* drops what costs more than one other whatever the distribution;
- *E-admissibility* keeps what is best for some distribution;
- *Γ-maximin*, *Γ-maximax* and *Hurwicz* judge each prediction by its worst cost, its best cost or a
  mixture, and choose one.

E-admissible predictions are maximal, and maximal ones are not interval-dominated. Every criterion
takes a cost matrix whose rows are predictions and whose columns are true classes. The rows are
usually the classes, but may be any alternatives: with an abstention row, or one row per set of
classes (``SetCosts.of``), the mask returned has one column for each of them. Differences of
expected costs below 1e-12 of the costs' span count as ties.

Troffaes (2007), *Decision making under uncertainty using imprecise probabilities*, compares the
criteria; Yang, Destercke & Masson (2017), section II.C, use maximality with costs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy
from scipy.sparse import block_diag, eye_array, kron

from cautious._checks import count_classes
from cautious._typing import FINITE, Floats, Ints, Mask, as_floats, as_number
from cautious.credal import ProbabilityIntervals
from cautious.credal._intervals import IntervalsLike, as_intervals, hand_out
from cautious.decision.optimal._candidates import first_in_order, largest_first, slack
from cautious.tensors import by_copy
from cautious.utility._forms import UtilityLike, as_utility

# Bounds are sums that no two models round alike; what differs by less is a tie.
_TIE = 1e-12
# Small independent programmes are solved as one: calling the solver costs more than they do.
_PROGRAMMES_AT_ONCE = 200
_SOLVER_ERROR = 1e-7  # HiGHS meets constraints to this much
# Choices that are not settled after so many turns are left to a programme.
_TURNS = 64

LowerExpectation: TypeAlias = Callable[[Floats], Floats]
"""A lower expectation operator: functions (m, K) in, their lower expectations (n, m) out."""

Model: TypeAlias = IntervalsLike | LowerExpectation
"""What a criterion judges by: intervals, the pair of their bounds, or an operator."""


@by_copy
def maximality(intervals: Model, costs: npt.ArrayLike | None = None) -> Mask:
    r"""Keep the predictions that no other one is sure to beat.

    Prediction :math:`i` is dropped when some :math:`j` has a smaller expected cost under every
    distribution of the credal set:

    .. math:: j \succ i \iff \underline{E}[c_i - c_j] > 0, \qquad
              \hat Y = \{i : \nexists j,\ j \succ i\}.

    Yang, Destercke & Masson (2017), Definition 2 and eq. 7.

    Parameters
    ----------
    intervals : ProbabilityIntervals, tuple (lower, upper), or callable
        The credal sets, or their lower expectation operator, which takes functions (m, K) and gives
        lower expectations (n, m).
    costs : array-like of shape (m, K), optional
        Costs: rows are predictions, columns truths. 0/1 costs if left out; an operator needs it.

    Returns
    -------
    ndarray of shape (n, m), bool
        Prediction sets, never empty.

    Examples
    --------
    Obstacles: a human, a bicycle or nothing (their Examples 1, 3 and 4).

    >>> costs = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    >>> maximality(([[0.0, 0.3, 0.4]], [[0.2, 0.4, 0.6]]), costs)
    array([[False,  True, False]])
    """
    if callable(intervals):
        table = beyond_the_best(checked_costs(costs))
        tie = rounding_error(table)
        alive = _evaluated(intervals, table - table[0]) <= tie
        for j in range(1, len(table)):
            # Dominance is transitive: what is dominated in every example rules out nothing more.
            if alive[:, j].any():
                rivals = np.flatnonzero(alive.any(axis=0))
                alive[:, rivals] &= _evaluated(intervals, table[rivals] - table[j]) <= tie
        return alive
    sets = as_intervals(intervals)
    if costs is None:
        # P(j) − P(i) has the lower expectation l_j − u_i: both bounds can be met together.
        return interval_dominance(sets)
    table = beyond_the_best(checked_costs(costs, sets.n_classes))
    tie = rounding_error(table)
    alive = np.ones((len(sets), len(table)), dtype=np.bool_)
    # Dominance is transitive, so a dominated prediction need not be tried as a dominator. Starting
    # with the one that is best inside each set leaves little to try.
    favourite = (sets.center @ table.T).argmin(axis=1)
    for favourites, j in product((True, False), range(len(table))):
        tried = favourite == j
        if not favourites:
            tried = ~tried & alive[:, j] & (count_classes(alive) > 1)
        rows = np.flatnonzero(tried)
        if len(rows):
            rivals = np.flatnonzero(alive[rows].any(axis=0))
            exchange = sets[rows].lower_expectation(table[rivals] - table[j])
            alive[np.ix_(rows, rivals)] &= exchange <= tie
    return alive


@by_copy
def e_admissibility(intervals: IntervalsLike, costs: npt.ArrayLike | None = None) -> Mask:
    r"""Keep the predictions with the least expected cost under some distribution of the set.

    .. math:: \hat Y = \bigcup_{p \in \mathcal{P}} \arg\min_i E_p[c_i].

    With 0/1 costs there is a closed form. Raise class :math:`i` to its upper probability
    :math:`u_i`; it is a likeliest class of some distribution if no lower bound exceeds it and the
    others can take the rest without exceeding it either, :math:`\sum_j \min(u_j, u_i) \ge 1`. With
    other costs, predictions that are not maximal, rows with at most two maximal ones and those that
    are best at some vertex are settled directly, nearly all others by a few turns of a game against
    their rivals; a linear programme settles the rest. Levi (1980), *The enterprise of knowledge*;
    Troffaes (2007), section 3.5.

    It takes what :func:`maximality` takes, but no operator, and its sets are never larger.

    Examples
    --------
    Even at its upper bound the third class leaves .68 to the other two, one of which is likelier;
    but which one is not known, so neither dominates it.

    >>> from cautious.decision import maximality
    >>> sets = ([[0.3, 0.3, 0.2]], [[0.5, 0.5, 0.32]])
    >>> e_admissibility(sets), maximality(sets)
    (array([[ True,  True, False]]), array([[ True,  True,  True]]))
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


@by_copy
def interval_dominance(intervals: Model, costs: npt.ArrayLike | None = None) -> Mask:
    r"""Keep the predictions whose best expected cost is no worse than every other's worst.

    .. math:: \hat Y = \{i : \underline{E}[c_i] \le \min_j \overline{E}[c_j]\}.

    It takes what :func:`maximality` takes, and its sets are never smaller. Troffaes (2007),
    section 3.3.

    Examples
    --------
    >>> interval_dominance(([[0.5, 0.1, 0.1]], [[0.7, 0.4, 0.3]]))
    array([[ True, False, False]])
    """
    best, worst, tie = _expected_costs(intervals, costs)
    return np.asarray(best <= worst.min(axis=1, keepdims=True) + tie)


@by_copy
def gamma_maximin(
    intervals: Model, costs: npt.ArrayLike | None = None, *, utility: UtilityLike | None = None
) -> Mask:
    r"""Choose the smallest worst expected cost, :math:`\arg\min_i \overline{E}[c_i]`.

    The name is that of the gains: it maximises the minimum. It takes what :func:`maximality` takes,
    and keeps one prediction per row, the first of equals. Troffaes (2007), section 3.1.

    Under a `utility` it chooses among all sets of classes. A right set of k classes is worth
    :math:`u(1/k)`, a wrong one nothing, and of a credal set only the lower probability of a group
    of classes can be relied on:

    .. math::

        \hat Y = \arg\max_A\; u(1/|A|)\, \underline P(A), \qquad \underline P(A) =
        \max\Bigl(\sum_{c \in A} l_c,\; 1 - \sum_{c \notin A} u_c\Bigr).

    With bounds that coincide it is the nondeterministic classifier, :func:`optimal_sets` under a
    utility. Zaffalon, Corani & Mauá (2012), section 9.4; Del Coz & Bahamonde (2009).

    Parameters
    ----------
    intervals, costs
        As in :func:`maximality`; with a utility intervals only, and no costs.
    utility : Utility, str or callable, optional
        What a right set is worth; see :func:`cautious.utility.as_utility`.

    Returns
    -------
    ndarray of shape (n, m) or (n, K), bool
        One prediction per row; or the sets of classes, the smallest among ties, then the one of the
        first classes.

    Examples
    --------
    >>> gamma_maximin(([[0.3, 0.1, 0.2]], [[0.4, 0.6, 0.4]]))
    array([[ True, False, False]])

    The first two classes are sure to hold .8 together, neither of them much by itself.

    >>> gamma_maximin(([[0.2, 0.2, 0.0]], [[0.8, 0.8, 0.2]]), utility="f1")
    array([[ True,  True, False]])
    """
    if utility is not None:
        if costs is not None or callable(intervals):
            raise TypeError("give a utility with intervals, and without costs.")
        return _maximin_sets(as_intervals(intervals).reachable(), utility)
    _, worst, tie = _expected_costs(intervals, costs)
    return first_best(worst, tie)


@by_copy
def gamma_maximax(intervals: Model, costs: npt.ArrayLike | None = None) -> Mask:
    r"""Choose the smallest best expected cost, :math:`\arg\min_i \underline{E}[c_i]`.

    It takes what :func:`maximality` takes, and keeps one prediction per row, the first of equals.
    Troffaes (2007), section 3.2.

    Examples
    --------
    >>> gamma_maximax(([[0.3, 0.1, 0.2]], [[0.4, 0.6, 0.4]]))
    array([[False,  True, False]])
    """
    best, _, tie = _expected_costs(intervals, costs)
    return first_best(best, tie)


@by_copy
def hurwicz(intervals: Model, costs: npt.ArrayLike | None = None, alpha: float = 0.5) -> Mask:
    r"""Choose by a mixture of best and worst expected cost.

    .. math:: \arg\min_i \; α\,\underline{E}[c_i] + (1 - α)\,\overline{E}[c_i].

    It takes what :func:`maximality` takes and an optimism `alpha` between 0 (:func:`gamma_maximin`)
    and 1 (:func:`gamma_maximax`), and keeps one prediction per row, the first of equals. Hurwicz
    (1951), *Optimality criteria for decision making under ignorance*.

    Examples
    --------
    >>> hurwicz(([[0.3, 0.1, 0.2]], [[0.4, 0.6, 0.4]]), alpha=0.9)
    array([[False,  True, False]])
    """
    alpha = as_number(alpha, "alpha", 0, 1, words="optimism lies between 0 and 1")
    best, worst, tie = _expected_costs(intervals, costs)
    return first_best(alpha * best + (1 - alpha) * worst, tie)


def _maximin_sets(tight: ProbabilityIntervals, utility: UtilityLike) -> Mask:
    """Find the set of the largest expected utility at worst."""
    # Of all groups of one size either that of the largest lower bounds or that of the largest
    # upper bounds is best, and two sorts settle every number of classes.
    n_classes = tight.n_classes
    worth = np.asarray(as_utility(utility)(1 / np.arange(1, n_classes + 1)))
    by_lower, lower = largest_first(tight.lower)
    by_upper, upper = largest_first(tight.upper)
    # What the k largest upper bounds leave out is the sum of the others, from the smallest on.
    left_out = np.cumsum(upper[:, :0:-1], axis=1)[:, ::-1]
    at_least = np.cumsum(lower, axis=1)
    sure = np.append(1 - left_out, np.ones((len(lower), 1)), axis=1)
    value = np.maximum(at_least, sure) * worth
    best = value.max(axis=1, keepdims=True)
    size = (value >= best - slack(best, float(np.abs(worth).max()))).argmax(axis=1)
    rows = np.arange(len(size))
    gap = at_least[rows, size] - sure[rows, size]
    one, other = first_in_order(by_lower, size), first_in_order(by_upper, size)
    tie, at = np.abs(gap) <= _TIE, (one != other).argmax(axis=1)
    comes_first = one[rows, at] | (one == other).all(axis=1)  # by the first class that differs
    return np.where(np.where(tie, comes_first, gap > 0)[:, None], one, other)


def _expected_costs(intervals: Model, costs: npt.ArrayLike | None) -> tuple[Floats, Floats, float]:
    """Best and worst expected cost of each prediction, both (n, m), and what counts as a tie."""
    lowest: LowerExpectation
    if callable(intervals):
        table, lowest = checked_costs(costs), partial(_evaluated, intervals)
    else:
        sets = as_intervals(intervals)
        if costs is None:
            tight = sets.reachable()
            return 1 - tight.upper, 1 - tight.lower, rounding_error(np.eye(2))
        table, lowest = checked_costs(costs, sets.n_classes), sets.lower_expectation
    return lowest(table), -lowest(-table), rounding_error(table)


def _evaluated(lower_expectation: LowerExpectation, functions: Floats) -> Floats:
    """Call the operator and check what comes back."""
    values = np.asarray(lower_expectation(functions), dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(functions):
        raise ValueError(
            f"the lower expectation of {len(functions)} functions came back with shape "
            f"{values.shape}; expected (n, {len(functions)}): one row per example."
        )
    return values


def checked_costs(costs: npt.ArrayLike | None, n_classes: int | None = None) -> Floats:
    """Check a matrix of costs, one row per alternative and one column per true class."""
    if costs is None:
        raise ValueError(
            "costs is left out while the model is a function; it does not tell the number of "
            "classes, so give the costs, for example 1 - np.eye(K)."
        )
    table = as_floats(costs, "costs", "costs", -FINITE, words="costs must be finite")
    if table.ndim != 2 or 0 in table.shape or n_classes not in (None, table.shape[1]):
        k = "K" if n_classes is None else n_classes
        raise ValueError(
            f"costs has shape {table.shape}; expected (m, {k}): rows are predictions, columns "
            "are true classes."
        )
    return table


def beyond_the_best(costs: Floats) -> Floats:
    """Costs beyond those of the cheapest prediction under each truth."""
    return np.asarray(costs - costs.min(axis=0))


def rounding_error(costs: Floats) -> float:
    """Return the difference of expected costs that counts as a tie: 1e-12 of the costs' span."""
    return 1e-12 * float(np.ptp(costs) or 1.0)


def first_best(expected: Floats, tie: float) -> Mask:
    """Singleton sets of the smallest value in each row; ties go to the first column."""
    best = (expected <= expected.min(axis=1, keepdims=True) + tie).argmax(axis=1)
    return np.asarray(np.eye(expected.shape[1], dtype=np.bool_)[best])


# E-admissibility.


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
    return np.asarray((upper >= highest - tie) & (room >= 1 - tie))


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
    rivals = maximal[rows]
    rivals[np.arange(len(rows)), choice] = False
    verdict = _play(sets.lower[rows], sets.upper[rows], costs, choice, rivals)
    admissible[rows, choice] = verdict > 0
    rows, choice = rows[verdict == 0], choice[verdict == 0]
    for start in range(0, len(rows), _PROGRAMMES_AT_ONCE):
        some = slice(start, start + _PROGRAMMES_AT_ONCE)
        regret = _least_regret(sets[rows[some]], costs, choice[some])
        admissible[rows[some], choice[some]] = regret <= _SOLVER_ERROR
    return admissible


def _play(lower: Floats, upper: Floats, costs: Floats, choice: Ints, rivals: Mask) -> Ints:
    r"""Settle choices by playing :math:`\min_p \max_j E_p[c_i - c_j]` as a game for a while."""
    verdict = np.zeros(len(choice), dtype=np.intp)
    tie, sure = rounding_error(costs), 2 * _SOLVER_ERROR * (np.ptp(costs) or 1.0)
    open_ = np.arange(len(choice))
    regret, mean_mix, mean_loss = np.zeros((3, *rivals.shape))
    for turn in range(1, _TURNS + 1):
        if not len(open_):
            break
        total = np.einsum("ij->i", regret)[:, None]
        mix = np.where(total > 0, regret, rivals) / np.where(
            total > 0, total, rivals.sum(axis=1, keepdims=True)
        )
        mean_mix += turn * mix
        loss = _lost(lower, upper, costs, choice, mix)
        value = np.einsum("ij,ij->i", mix, loss)
        mean_loss += turn * loss
        beaten = value > sure
        if turn % 8 == 0:
            average = mean_mix / mean_mix.sum(axis=1, keepdims=True)
            against = _lost(lower, upper, costs, choice, average)
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
            lower, upper = lower[rest], upper[rest]
    return verdict


def _lost(lower: Floats, upper: Floats, costs: Floats, choice: Ints, mix: Floats) -> Floats:
    """Losses of a choice to all rivals, where it loses least to a mixture of them."""
    order = np.argsort(costs[choice] - mix @ costs, axis=1)
    expected = hand_out(lower, upper, order) @ costs.T
    return np.asarray(expected[np.arange(len(choice)), choice, None] - expected)


def _least_regret(sets: ProbabilityIntervals, costs: Floats, chosen: Ints) -> Floats:
    r"""Least regret of one choice per row, :math:`\min_p \max_j E_p[c_i - c_j]`, by programming."""
    n, n_classes = sets.lower.shape
    unit = np.ptp(costs) or 1.0
    # The variables of each row: its probabilities and, last, its regret.
    exchange = (costs[chosen][:, None, :] - costs) / unit
    rivals = np.pad(exchange, ((0, 0), (0, 0), (0, 1)), constant_values=-1.0)
    regret = np.append(np.zeros(n_classes), 1.0)
    lower, upper = np.pad(sets.lower, ((0, 0), (0, 1))), np.pad(sets.upper, ((0, 0), (0, 1)))
    upper[:, -1] = np.inf
    solved = scipy.optimize.linprog(
        np.tile(regret, n),
        A_ub=block_diag([*rivals], format="csr"),
        b_ub=np.zeros(n * len(costs)),
        A_eq=kron(eye_array(n), 1 - regret[None], format="csr"),
        b_eq=np.ones(n),
        bounds=np.column_stack([lower.ravel(), upper.ravel()]),
        method="highs",
    )
    if solved.x is None:
        raise RuntimeError(f"the linear programme of E-admissibility failed: {solved.message}")
    return np.asarray(solved.x.reshape(n, -1)[:, -1])
