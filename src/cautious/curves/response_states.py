"""The states of a caution window: stretches of windows within which no answer changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, Ints
from cautious.curves.kept_auc import kept_amount
from cautious.curves.response_sweep import sweep_windows
from cautious.predictions import CheckedProbabilities

__all__ = ["WindowStates"]

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
        silence; the others follow with later changes of an example before its earlier ones.
    before, after : ndarray of shape (m,), int
        Its answer, K for silence.
    last_state : ndarray of shape (m,), int
        The state after which it changes. An example that is answered even at window 1 falls silent
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
        """Answer to each example in one state, K for silence."""
        answer = np.full(len(self.predictions.truth), len(self.bias))
        later = self.last_state >= state
        # Assignment keeps the last of several values, which is the earliest change still to come.
        answer[self.row[later]] = self.before[later]
        return answer

    def answered(self, table: npt.ArrayLike) -> Floats:
        """Add up a number for each answered case, in each state and (last) when all are silent.

        Parameters
        ----------
        table : array-like that broadcasts to shape (K, K)
            The number, by answer (rows) and truth (columns).

        Returns
        -------
        ndarray of shape (T + 1,)
            Summed from the silent end, so that nothing answered is exactly 0.
        """
        values = np.zeros((len(self.bias) + 1, len(self.bias)))
        values[:-1] = table
        truth = self.predictions.truth[self.row]
        gain = values[self.before, truth] - values[self.after, truth]
        return kept_amount(self.predictions.weight[self.row] * gain, self.last_state, len(self) + 1)
