"""Costs of answers and of abstaining, checked against the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Labels, as_floats
from cautious.curves.window import Costs
from cautious.sets.checks import few_labels

__all__ = ["binary_costs", "check_answer_costs"]

_NAMES = ("false_negative", "false_positive", "abstain")


def check_answer_costs(
    costs: npt.ArrayLike | pd.DataFrame | Mapping[str, float], classes: Labels | Sequence[Any]
) -> Floats:
    """Check a cost table with a row for abstaining.

    Parameters
    ----------
    costs : array-like or DataFrame of shape (K + 1, K), or mapping
        Predictions as rows, truths as columns. The last row of an array abstains; of a frame, the
        one row whose label is not a class. Negative costs are rewards. For two classes also a
        mapping with ``false_negative``, ``false_positive`` and ``abstain`` (on a positive, if there
        is ``abstain_negative``, too).
    classes : sequence of length K
        Class labels; of two, the positive one last.

    Returns
    -------
    ndarray of shape (K + 1, K)
        Rows in the order of the classes, abstaining last; columns in the order of the classes.

    Examples
    --------
    >>> spam = pd.DataFrame([[2, 3], [0, 100], [20, 0]], ["⊥", "pos", "neg"], ["pos", "neg"])
    >>> check_answer_costs(spam, np.array(["neg", "pos"]))
    array([[  0.,  20.],
           [100.,   0.],
           [  3.,   2.]])
    """
    if isinstance(costs, Mapping):
        costs = _named(costs, classes)
    elif isinstance(costs, pd.DataFrame):
        costs = _in_class_order(costs, classes)
    table = as_floats(costs, "costs", "costs")
    k = len(classes)
    if table.shape != (k + 1, k):
        raise ValueError(
            f"costs has shape {table.shape}; expected ({k + 1}, {k}): {k + 1} rows, one for each "
            f"answer and a last one for abstaining, and {k} columns, one for each true class."
        )
    if not np.isfinite(table).all():
        i, j = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"costs[{i}, {j}] is {table[i, j]}; costs must be finite.")
    return table


def binary_costs(table: Floats, classes: Sequence[Any]) -> Costs:
    """Costs beyond those of right answers, from a checked table of two classes.

    Parameters
    ----------
    table : ndarray of shape (3, 2)
        Rows negative, positive, abstain; columns negative, positive.
    classes : (negative, positive)
        Class labels.

    Raises
    ------
    ValueError
        If a mistake or abstaining costs less than a right answer, or no mistake costs more.
    """
    right = np.diagonal(table)
    extra = table - right
    for truth in (0, 1):
        for answer, name in ((1 - truth, "a wrong answer"), (2, "abstaining")):
            if extra[answer, truth] < 0:
                raise ValueError(
                    f"costs: {name} costs {table[answer, truth]:g} when {classes[truth]!r} is "
                    f"true, less than the right answer ({right[truth]:g}). Rows are predictions, "
                    "the last of them abstaining, and columns are truths: transpose the table, or "
                    "turn rewards into costs."
                )
    if extra[0, 1] == extra[1, 0] == 0:
        raise ValueError("costs: no mistake costs more than a right answer; nothing to decide.")
    return Costs(extra[0, 1], extra[1, 0], extra[2, 1], extra[2, 0])


def _named(costs: Mapping[str, float], classes: Labels | Sequence[Any]) -> list[list[float]]:
    missing = [name for name in _NAMES if name not in costs]
    unknown = [name for name in costs if name not in (*_NAMES, "abstain_negative")]
    if missing or unknown or len(classes) != 2:
        raise ValueError(
            f"costs names {list(costs)!r}; for two classes give {', '.join(map(repr, _NAMES))}. "
            "More classes need a table: a row for each answer and a last one for abstaining, a "
            "column for each true class."
        )
    abstain = costs["abstain"]
    return [
        [0.0, costs["false_negative"]],
        [costs["false_positive"], 0.0],
        [costs.get("abstain_negative", abstain), abstain],
    ]


def _in_class_order(costs: pd.DataFrame, classes: Labels | Sequence[Any]) -> pd.DataFrame:
    labels = list(classes)
    silent = [row for row in costs.index.tolist() if row not in labels]
    if (
        len(silent) != 1
        or sorted(map(str, costs.columns)) != sorted(map(str, labels))
        or len(costs) != len(labels) + 1
        or not costs.index.is_unique
    ):
        raise ValueError(
            f"costs has rows {costs.index.tolist()} and columns {costs.columns.tolist()}; expected "
            f"the classes {few_labels(np.array(labels, dtype=object))} as columns, and as rows the "
            "classes and one more for abstaining, such as '⊥'."
        )
    ordered: pd.DataFrame = costs.loc[[*labels, silent[0]], labels]
    return ordered
