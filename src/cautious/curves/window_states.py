r"""The states of a caution window, between which no answer changes.

Every window at which some answer changes is found in closed form.

With class bias :math:`k` the thresholds are lines in the window,
:math:`\tau_i(w) = k_i + (1 - k_i) w`. The rule answers :math:`\arg\max_i p_i / \tau_i(w)` while
some :math:`p_i \ge \tau_i(w)`, that is

- it answers as long as :math:`w \le \max_i (p_i - k_i) / (1 - k_i)`, and abstains ever after;
- meanwhile it answers the class whose line :math:`\tau_i(w) / p_i` is lowest, so the answers follow
  the lower envelope of :math:`K` lines.

With equal biases the lines never cross; with two classes they cross only where the rule abstains.

The area under the ROC curve of the cases that are kept is found at every level of abstention at
once. Cases only ever drop out as the window grows. Played backwards they come in one by one, and
each newcomer adds the pairs it wins against the cases already there: a count of earlier cases with
a lower score. Those counts are taken for all newcomers together, one bit of the score's rank at a
time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._cases import Cases
from cautious._typing import Floats, Ints, Mask, as_number

# Rows are swept this many cells at a time, so that memory stays near that of the input.
_CELLS_AT_ONCE = 1_000_000

# Windows closer than this are the same number reached by different roundings.
_SAME_WINDOW = 1e-14

Complexes: TypeAlias = npt.NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class WindowStates:
    """What is answered at each window, as a list of changes.

    Attributes
    ----------
    predictions : Cases
        The examples.
    bias : ndarray of shape (K,)
        Class bias.
    low, high : ndarray of shape (T,)
        The windows of each state, ``low < w <= high``; the first state begins at 0 itself.
    row : ndarray of shape (m,), int
        The example that changes. The first n changes take each example from its last answer to
        abstaining; the others follow with later changes of an example before its earlier ones.
    before, after : ndarray of shape (m,), int
        Its answer, K for abstaining.
    last_state : ndarray of shape (m,), int
        The state after which it changes. An example that is answered even at window 1 drops out
        after the last state.
    """

    predictions: Cases
    bias: Floats
    low: Floats
    high: Floats
    row: Ints
    before: Ints
    after: Ints
    last_state: Ints

    @classmethod
    def of(cls, predictions: Cases, bias: Floats) -> WindowStates:
        """Sweep the window over predictions with a given class bias."""
        proba = predictions.proba
        at_once = max(1, _CELLS_AT_ONCE // len(bias))
        parts = [
            _sweep(proba[start : start + at_once], bias, start)
            for start in range(0, len(proba), at_once)
        ]
        last_window, last, rows, *changes = map(np.concatenate, zip(*parts, strict=True))
        window, before, after = (change[::-1] for change in changes)
        n = len(last)
        windows = np.concatenate([last_window, window])
        happens = np.flatnonzero(windows < 1)
        order = happens[np.argsort(windows[happens])]
        ordered = windows[order]
        apart = np.diff(ordered) > _SAME_WINDOW
        begins = np.concatenate([[True], apart])[: len(order)]
        ends = np.concatenate([apart, [True]])[: len(order)]
        last_state = np.full(len(windows), begins.sum())
        last_state[order] = np.cumsum(begins) - 1
        return cls(
            predictions,
            bias,
            low=np.concatenate([[0.0], ordered[ends]]),
            high=np.concatenate([ordered[begins], [1.0]]),
            row=np.concatenate([np.arange(n), rows[::-1]]),
            before=np.concatenate([last, before]),
            after=np.concatenate([np.full(n, len(bias)), after]),
            last_state=last_state,
        )

    @cached_property
    def class_totals(self) -> Floats:
        """Weight of the examples of each class."""
        seen = self.predictions
        totals = np.bincount(seen.truth, seen.weight, minlength=len(self.bias))
        return np.asarray(totals, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.low)

    def at(self, window: float) -> int:
        """State that holds a window."""
        words = "a caution window lies between 0 and 1"
        return int(np.searchsorted(self.high, as_number(window, "window", 0, 1, words=words)))

    def answers(self, state: int) -> Ints:
        """Answer to each example in one state, K for abstaining."""
        answer = np.full(len(self.predictions.truth), len(self.bias))
        later = self.last_state >= state
        # Assignment keeps the last of several values, which is the earliest change still to come.
        answer[self.row[later]] = self.before[later]
        return answer

    def answered(self, table: npt.ArrayLike) -> Floats:
        """Add up a number for each answered case, in each state and (last) when none is."""
        values = np.zeros((len(self.bias) + 1, len(self.bias)))
        values[:-1] = table
        truth = self.predictions.truth[self.row]
        gain = values[self.before, truth] - values[self.after, truth]
        return kept_amount(self.predictions.weight[self.row] * gain, self.last_state, len(self) + 1)

    @cached_property
    def kept_auc(self) -> Floats:
        """AUC (two classes) or Hand and Till's M (more) of the cases kept in each state."""
        seen, n_states = self.predictions, len(self) + 1
        proba, truth, weight = seen.proba, seen.truth, seen.weight
        last_state, n_classes = self.last_state[: len(truth)], proba.shape[1]
        order = np.argsort(last_state, kind="stable")[::-1]
        members = [order[truth[order] == c] for c in range(n_classes)]
        kept = [kept_amount(weight[rows], last_state[rows], n_states) for rows in members]
        total, pairs = np.zeros(n_states), np.zeros(n_states)
        sides = range(n_classes) if n_classes > 2 else (1,)
        for a, b in ((a, b) for a in sides for b in range(n_classes) if a != b):
            if not len(members[a]) or not len(members[b]):
                continue
            rows = np.concatenate([members[a], members[b]])
            rows = rows[np.argsort(-last_state[rows], kind="stable")]
            is_a = truth[rows] == a
            wins = _wins(proba[rows, a], is_a, weight[rows])
            won = kept_amount(wins, last_state[rows], n_states)
            both = (kept[a] > 0) & (kept[b] > 0)
            total[both] += won[both] / (kept[a][both] * kept[b][both])
            pairs += both
        return share_of(total, pairs)


def share_of(part: Floats, whole: npt.ArrayLike) -> Floats:
    """Quotient, nan where there is nothing to share."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))


def kept_amount(amount: Floats, last_state: Ints, n_states: int) -> Floats:
    """Add up the cases kept in each state, from the end, so that none left is exactly 0."""
    return np.bincount(last_state, amount, minlength=n_states)[::-1].cumsum()[::-1]


def _sweep(proba: Floats, bias: Floats, offset: int) -> tuple[np.ndarray, ...]:
    """Find all windows at which an answer changes.

    Gives of each example the largest window at which it is still answered, and the class answered
    there; and of each change, just above a window, its example, window, answer before and after,
    those of one example in order.
    """
    proba = proba / proba.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # some are nearly 0
        reach = (proba - bias) / (1 - bias)
        intercept, slope = bias / proba, (1 - bias) / proba
    reach[:, bias == 1] = np.where(proba[:, bias == 1] >= 1, 1.0, -np.inf)
    # Sums are one only to rounding; at window 0 the rule answers all the same.
    last_window = np.clip(reach.max(axis=1), 0.0, 1.0)
    impossible = proba == 0
    intercept[impossible], slope[impossible] = np.inf, np.inf
    current = intercept.argmin(axis=1)
    # At window 0 itself, and only there, a bias of 0 is reached by a probability of 0. Ties there
    # are common, so the quotients are rounded the way the rule rounds them.
    ratio = np.divide(proba, bias, out=np.where(impossible, 1.0, np.inf), where=bias > 0)
    first = ratio.argmax(axis=1)
    rows = np.flatnonzero(first != current)
    changes = [(rows + offset, np.zeros(len(rows)), first[rows], current[rows])]
    rows = np.arange(len(proba))
    while len(rows):
        lines = np.arange(len(rows)), current[rows]
        a, b = intercept[rows], slope[rows]
        fall = b[lines][:, None] - b
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.where(fall > 0, (a - a[lines][:, None]) / fall, np.inf)
        window = crossing.min(axis=1)
        meets = window < last_window[rows]
        rows, window, crossing, b = rows[meets], window[meets], crossing[meets], b[meets]
        # Of several lines that meet here, the flattest is the lowest further on.
        after = np.where(crossing == window[:, None], b, np.inf).argmin(axis=1)
        changes.append((rows + offset, window, current[rows], after))
        current[rows] = after
    row, window, before, after = (np.concatenate(column) for column in zip(*changes, strict=True))
    return last_window, current, row, window, before, after


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
