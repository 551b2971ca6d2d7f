"""Ferri's measures along a sweep of the window, each with its value once all are silent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats
from cautious.curves.answer_costs import check_answer_costs
from cautious.curves.kept_auc import kept_auc
from cautious.curves.response_states import WindowStates
from cautious.metrics.capacity import guess_probabilities

__all__ = ["LOWER_IS_BETTER", "MEASURES", "WHEN_SILENT", "abstention"]

LOWER_IS_BETTER = ("error", "cost")

# Where a formula is silent once all answers are: Ferri & Hernández-Orallo (2004), section 4, take
# accuracy as 1 there, and the others follow suit.
WHEN_SILENT = {"accuracy": 1.0, "efficacy": 0.5, "f_score": 0.0, "auc": 1.0}


def abstention(states: WindowStates) -> Floats:
    """Share of cases that are silent."""
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
    silent = missed @ _class_totals(states) - states.answered(missed)
    error = _error(states)
    guessed_error = error + silent / states.predictions.weight.sum()
    return np.asarray(1 - (abstention(states) * guessed_error + error) / 2)


def _cost(states: WindowStates, costs: npt.ArrayLike | pd.DataFrame | None, **_: Any) -> Floats:
    if costs is None:
        raise ValueError(
            "costs is None; the measure 'cost' needs a table with a row for each answer and a last "
            "one for abstaining, and a column for each true class."
        )
    table = check_answer_costs(costs, states.predictions.classes)
    beyond_silence = states.answered(table[:-1] - table[-1])
    total = table[-1] @ _class_totals(states) + beyond_silence
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
