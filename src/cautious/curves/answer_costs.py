"""Costs of answers and of keeping quiet, checked against the classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from cautious._typing import Floats, Labels, as_floats
from cautious.sets.checks import few_labels

__all__ = ["check_answer_costs"]


def check_answer_costs(costs: npt.ArrayLike | pd.DataFrame, classes: Labels) -> Floats:
    """Check a cost table with a row for abstaining.

    Parameters
    ----------
    costs : array-like or DataFrame of shape (K + 1, K)
        Predictions as rows, truths as columns. The last row of an array abstains; of a frame, the
        one row whose label is not a class. Negative costs are rewards.
    classes : ndarray of shape (K,)
        Class labels.

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
    if isinstance(costs, pd.DataFrame):
        costs = _in_class_order(costs, classes)
    table = as_floats(costs, "costs", "costs")
    k = len(classes)
    if table.shape != (k + 1, k):
        raise ValueError(
            f"costs has shape {table.shape}; expected ({k + 1}, {k}): a row for each answer and a "
            "last one for abstaining, a column for each true class."
        )
    if not np.isfinite(table).all():
        i, j = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"costs[{i}, {j}] is {table[i, j]}; costs must be finite.")
    return table


def _in_class_order(costs: pd.DataFrame, classes: Labels) -> pd.DataFrame:
    labels = classes.tolist()
    silent = [row for row in costs.index.tolist() if row not in labels]
    if (
        len(silent) != 1
        or sorted(map(str, costs.columns)) != sorted(map(str, labels))
        or len(costs) != len(labels) + 1
        or not costs.index.is_unique
    ):
        raise ValueError(
            f"costs has rows {costs.index.tolist()} and columns {costs.columns.tolist()}; expected "
            f"the classes {few_labels(classes)} as columns, and as rows the classes and one more "
            "for abstaining, such as '⊥'."
        )
    ordered: pd.DataFrame = costs.loc[[*labels, silent[0]], labels]
    return ordered
