r"""Ferri's measures along a sweep of the window, each with its value once nothing is answered.

The area under the ROC curve of the cases that are kept is found at every level of abstention at
once. Cases only ever drop out as the window grows. Played backwards they come in one by one, and
each newcomer adds the pairs it wins against the cases already there: a count of earlier cases with
a lower score. Those counts are taken for all newcomers together, one bit of the score's rank at a
time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints, Labels, Mask
from cautious.costs import CostsLike, as_costs
from cautious.curves.response.states import WindowStates, kept_amount
from cautious.metrics import guess_probabilities

__all__ = [
    "LOWER_IS_BETTER",
    "MEASURES",
    "WITHOUT_ANSWERS",
    "abstention",
    "answer_table",
    "kept_auc",
]

Complexes: TypeAlias = npt.NDArray[np.complex128]

LOWER_IS_BETTER = ("error", "cost")

# Values where nothing is answered and a formula is undefined: Ferri & Hernández-Orallo (2004),
# section 4, take accuracy as 1 there, and the others follow.
WITHOUT_ANSWERS = {"accuracy": 1.0, "efficacy": 0.5, "f_score": 0.0, "auc": 1.0}


def abstention(states: WindowStates) -> Floats:
    """Share of cases that are abstained on."""
    kept = states.answered(1)
    return np.asarray((kept[0] - kept) / kept[0])


def _accuracy(states: WindowStates, **_: Any) -> Floats:
    kept = states.answered(1)
    right = states.answered(np.eye(len(states.bias)))
    return np.asarray(np.divide(right, kept, out=np.full(len(kept), np.nan), where=kept > 0))


def _error(states: WindowStates, **_: Any) -> Floats:
    wrong = states.answered(1 - np.eye(len(states.bias)))
    return np.asarray(wrong / states.predictions.weight.sum())


def _efficacy(states: WindowStates, **_: Any) -> Floats:
    return np.asarray((_accuracy(states) + 1 - abstention(states)) / 2)


def _f_score(states: WindowStates, **_: Any) -> Floats:
    accuracy, coverage = _accuracy(states), 1 - abstention(states)
    return np.asarray(2 * accuracy * coverage / (accuracy + coverage))


def _capacity(states: WindowStates, guess: str | npt.ArrayLike, **_: Any) -> Floats:
    missed = 1 - guess_probabilities(guess, _class_totals(states))
    guessed = missed @ _class_totals(states) - states.answered(missed)
    error = _error(states)
    guessed_error = error + guessed / states.predictions.weight.sum()
    return np.asarray(1 - (abstention(states) * guessed_error + error) / 2)


def answer_table(costs: CostsLike, classes: Labels) -> Floats:
    """Costs of answers and, in the last row, of abstaining, shape (K + 1, K)."""
    read = as_costs(costs, classes.tolist(), needs_abstention=True)
    return read.answers.to_numpy(dtype=np.float64)


def _cost(states: WindowStates, costs: CostsLike | None, **_: Any) -> Floats:
    if costs is None:
        raise ValueError(
            "costs is None; the measure 'cost' needs a table with a row for each answer and a last "
            "one for abstaining, and a column for each true class."
        )
    table = answer_table(costs, states.predictions.classes)
    beyond_abstaining = states.answered(table[:-1] - table[-1])
    total = table[-1] @ _class_totals(states) + beyond_abstaining
    return np.asarray(total / states.predictions.weight.sum())


def _auc(states: WindowStates, **_: Any) -> Floats:
    seen = states.predictions
    last_state = states.last_state[: len(seen.truth)]
    return kept_auc(seen.proba, seen.truth, seen.weight, last_state, len(states) + 1)


def _class_totals(states: WindowStates) -> Floats:
    seen = states.predictions
    totals = np.bincount(seen.truth, seen.weight, minlength=len(states.bias))
    return np.asarray(totals, dtype=np.float64)


MEASURES: dict[str, Callable[..., Floats]] = {
    "accuracy": _accuracy,
    "error": _error,
    "efficacy": _efficacy,
    "f_score": _f_score,
    "capacity": _capacity,
    "cost": _cost,
    "auc": _auc,
}


def kept_auc(proba: Floats, truth: Ints, weight: Floats, last_state: Ints, n_states: int) -> Floats:
    r"""AUC (two classes) or Hand and Till's M (more) of the cases kept in each state.

    .. math:: M = \frac{1}{C (C - 1)} \sum_{a \ne b} A(a \mid b), \qquad
        A(a \mid b) = P\bigl(p_a(x) > p_a(y)\bigr) + \tfrac12 P\bigl(p_a(x) = p_a(y)\bigr),

    for a kept case :math:`x` of class :math:`a` and :math:`y` of class :math:`b`, over the
    :math:`C` classes that still have kept cases. With two classes this is the AUC of the last
    column.

    Parameters
    ----------
    proba : ndarray of shape (n, K)
        Class probabilities.
    truth : ndarray of shape (n,), int
        True classes.
    weight : ndarray of shape (n,)
        How often each case counts.
    last_state : ndarray of shape (n,), int
        The last state in which each case is kept.
    n_states : int
        Number of states.

    Returns
    -------
    ndarray of shape (n_states,)
        nan where fewer than two classes have kept cases.

    Notes
    -----
    :math:`O(K n \log n + K^2 T)` time for :math:`T` states, :math:`O(n + T)` memory.

    References
    ----------
    Hand & Till (2001), "A simple generalisation of the area under the ROC curve for multiple class
    classification problems", Machine Learning 45.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.1, 0.6, 0.4, 0.9])
    >>> kept_auc(np.c_[1 - p, p], np.array([0, 0, 1, 1]), np.ones(4), np.array([2, 0, 1, 2]), 3)
    array([0.75, 1.  , 1.  ])
    """
    n_classes = proba.shape[1]
    order = np.argsort(last_state, kind="stable")[::-1]
    members = [order[truth[order] == c] for c in range(n_classes)]
    kept = [kept_amount(weight[rows], last_state[rows], n_states) for rows in members]
    total, pairs = np.zeros(n_states), np.zeros(n_states)
    for a in range(n_classes) if n_classes > 2 else (1,):
        for b in range(n_classes):
            if a == b or not len(members[a]) or not len(members[b]):
                continue
            rows = np.concatenate([members[a], members[b]])
            rows = rows[np.argsort(-last_state[rows], kind="stable")]
            is_a = truth[rows] == a
            wins = _wins(proba[rows, a], is_a, weight[rows])
            won = kept_amount(wins, last_state[rows], n_states)
            both = (kept[a] > 0) & (kept[b] > 0)
            total[both] += won[both] / (kept[a][both] * kept[b][both])
            pairs += both
    mean: Floats = np.divide(total, pairs, out=np.full(n_states, np.nan), where=pairs > 0)
    return mean


def _wins(score: Floats, is_a: Mask, weight: Floats) -> Floats:
    """Weight of the pairs that each newcomer adds in which the case of class a scores higher."""
    rank = np.unique(score, return_inverse=True)[1].reshape(-1)
    # The two classes ride as real and imaginary part: one running sum serves both.
    below = _weight_below(rank, np.where(is_a, weight, 1j * weight))
    earlier_a = np.cumsum(weight * is_a)
    wins: Floats = weight * np.where(is_a, below.imag, earlier_a - below.real)
    return wins


def _weight_below(rank: Ints, weight: Complexes) -> Complexes:
    """Add up, for each item, earlier items of lower rank and half of those of the same."""
    below = np.zeros_like(weight)
    n_bits = int(rank.max()).bit_length()
    # numpy sorts 16-bit integers by radix, in linear time.
    rank = rank.astype(np.uint16 if n_bits <= 16 else np.int64)
    order = np.arange(len(rank))
    for bit in range(n_bits - 1, -1, -1):
        # Here the items stand in groups that share the higher bits, each group in order of arrival.
        upper = (rank >> bit & 1).astype(np.bool_)
        lower = np.cumsum(np.where(upper, 0, weight))
        below[order[upper]] += (lower - _before_group(rank >> bit + 1, lower))[upper]
        settled = np.argsort(rank >> bit, kind="stable")
        order, rank, weight = order[settled], rank[settled], weight[settled]
    so_far = np.cumsum(weight)
    below[order] += (so_far - weight - _before_group(rank, so_far)) / 2
    return below


def _before_group(group: npt.NDArray[Any], so_far: Complexes) -> Complexes:
    """Value of a running sum just before the group of each item began."""
    starts = np.flatnonzero(group[1:] != group[:-1]) + 1
    before = np.concatenate([[0], so_far[starts - 1]])
    return np.repeat(before, np.diff(np.concatenate([[0], starts, [len(group)]])))
