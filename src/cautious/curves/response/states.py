r"""The states of a caution window: stretches of windows within which no answer changes.

Every window at which some answer changes is found in closed form.

With class bias :math:`k` the thresholds are lines in the window,
:math:`\tau_i(w) = k_i + (1 - k_i) w`. The rule answers :math:`\arg\max_i p_i / \tau_i(w)` while
some :math:`p_i \ge \tau_i(w)`, that is

- it answers as long as :math:`w \le \max_i (p_i - k_i) / (1 - k_i)`, and abstains ever after;
- meanwhile it answers the class whose line :math:`\tau_i(w) / p_i` is lowest, so the answers follow
  the lower envelope of :math:`K` lines.

With equal biases the lines never cross; with two classes they cross only where the rule abstains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints
from cautious.predictions import CheckedProbabilities

__all__ = ["AnswerChanges", "WindowStates", "kept_amount", "sweep_windows"]

# Rows are swept this many cells at a time, so that memory stays near that of the input.
_CELLS_AT_ONCE = 1_000_000

# Windows closer than this are the same number reached by different roundings.
_SAME_WINDOW = 1e-14


@dataclass(frozen=True, eq=False)
class WindowStates:
    """What is answered at each window, as a list of changes.

    Attributes
    ----------
    predictions : CheckedProbabilities
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

    predictions: CheckedProbabilities
    bias: Floats
    low: Floats
    high: Floats
    row: Ints
    before: Ints
    after: Ints
    last_state: Ints

    @classmethod
    def of(cls, predictions: CheckedProbabilities, bias: Floats) -> WindowStates:
        """Sweep the window over predictions with a given class bias."""
        answers = sweep_windows(predictions.proba, bias)
        n = len(predictions.truth)
        windows = np.concatenate([answers.last_window, answers.window[::-1]])
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
            row=np.concatenate([np.arange(n), answers.row[::-1]]),
            before=np.concatenate([answers.last, answers.before[::-1]]),
            after=np.concatenate([np.full(n, len(bias)), answers.after[::-1]]),
            last_state=last_state,
        )

    def __len__(self) -> int:
        return len(self.low)

    def at(self, window: float) -> int:
        """State that holds a window."""
        if not 0 <= window <= 1:
            raise ValueError(f"window is {window}; a caution window lies between 0 and 1.")
        return int(np.searchsorted(self.high, window))

    def answers(self, state: int) -> Ints:
        """Answer to each example in one state, K for abstaining."""
        answer = np.full(len(self.predictions.truth), len(self.bias))
        later = self.last_state >= state
        # Assignment keeps the last of several values, which is the earliest change still to come.
        answer[self.row[later]] = self.before[later]
        return answer

    def answered(self, table: npt.ArrayLike) -> Floats:
        """Add up a number for each answered case, in each state and (last) when none is.

        Parameters
        ----------
        table : array-like that broadcasts to shape (K, K)
            The number, by answer (rows) and truth (columns).

        Returns
        -------
        ndarray of shape (T + 1,)
            Summed from the end where nothing is answered, so that nothing answered is exactly 0.
        """
        values = np.zeros((len(self.bias) + 1, len(self.bias)))
        values[:-1] = table
        truth = self.predictions.truth[self.row]
        gain = values[self.before, truth] - values[self.after, truth]
        return kept_amount(self.predictions.weight[self.row] * gain, self.last_state, len(self) + 1)


def kept_amount(amount: Floats, last_state: Ints, n_states: int) -> Floats:
    """Add up the cases kept in each state, from the end, so that none left is exactly 0."""
    return np.bincount(last_state, amount, minlength=n_states)[::-1].cumsum()[::-1]


@dataclass(frozen=True)
class AnswerChanges:
    """What each example answers at every window.

    Attributes
    ----------
    last_window : ndarray of shape (n,)
        Largest window at which the example is still answered.
    last : ndarray of shape (n,), int
        Class answered there.
    row, before, after : ndarray of shape (m,), int
    window : ndarray of shape (m,)
        Changes of the answer from one class to another just above a window, those of an example
        in order.
    """

    last_window: Floats
    last: Ints
    row: Ints
    window: Floats
    before: Ints
    after: Ints


def sweep_windows(proba: Floats, bias: Floats) -> AnswerChanges:
    r"""Find all windows at which an answer changes.

    Parameters
    ----------
    proba : ndarray of shape (n, K)
        Class probabilities; rows are rescaled to add up to one exactly, as the rule does.
    bias : ndarray of shape (K,)
        Class bias :math:`k`, not negative, adding up to one.

    Returns
    -------
    AnswerChanges

    Notes
    -----
    :math:`O(nK)` and one more pass over the rows concerned for every change of class, of which a
    row has at most :math:`K - 1`.

    Examples
    --------
    >>> import numpy as np
    >>> changes = sweep_windows(np.array([[0.4, 0.6], [0.55, 0.45]]), np.array([0.5, 0.5]))
    >>> changes.last, changes.last_window.round(3)
    (array([1, 0]), array([0.2, 0.1]))
    """
    at_once = max(1, _CELLS_AT_ONCE // proba.shape[1])
    parts = [
        _sweep_block(proba[start : start + at_once], bias, start)
        for start in range(0, len(proba), at_once)
    ]
    return AnswerChanges(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _sweep_block(proba: Floats, bias: Floats, offset: int) -> tuple[np.ndarray, ...]:
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
