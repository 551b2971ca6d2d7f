"""Tables over all values of all features, and sums over the values a row has.

Every naive model here adds up, for each row, one line of numbers per feature: the line that belongs
to the row's value of it. The lines of all features are stacked in one table; each feature has two
lines more than values, for a value never seen and for a missing cell.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cautious._typing import Floats, Ints, Mask
from cautious.models.base import row_chunks
from cautious.models.categories import MISSING

__all__ = ["ValueTables", "probabilities"]


class ValueTables:
    """Where each value of each feature stands in the stacked tables.

    Parameters
    ----------
    n_values : ndarray of shape (m,)
        Number of values of each feature.

    Examples
    --------
    >>> import numpy as np
    >>> tables = ValueTables(np.array([2, 1]))
    >>> tables.feature
    array([0, 0, 0, 0, 1, 1, 1])
    >>> tables.lines(np.array([[1, -1], [0, 1]]))  # two features, two rows
    array([[1, 3],
           [4, 5]])
    """

    def __init__(self, n_values: Ints) -> None:
        self.n_values = n_values
        self.first = np.concatenate([[0], np.cumsum(n_values + 2)]).astype(np.intp)[:-1]
        self.feature = np.repeat(np.arange(len(n_values)), n_values + 2)
        position = np.arange(len(self.feature)) - self.first[self.feature]
        self.unseen: Mask = position == n_values[self.feature]
        self.missing: Mask = position == n_values[self.feature] + 1

    def stack(self, tables: Sequence[Floats], n_columns: int) -> Floats:
        """Stack one table a feature; the lines for unseen values and missing cells are zero."""
        stacked = np.zeros((len(self.feature), n_columns))
        for start, table in zip(self.first, tables, strict=True):
            stacked[start : start + len(table)] = table
        return stacked

    def lines(self, codes: Ints) -> Ints:
        """Find the line of each code, shape (m, n)."""
        last = self.n_values[:, None] + 1
        return np.where(codes == MISSING, last, codes) + self.first[:, None]

    def sums(self, table: Floats, lines: Ints) -> Floats:
        """Add up, for each row, the lines of its values, shape (n, columns)."""
        m, n = lines.shape
        total = np.zeros((n, table.shape[1]))
        for rows in row_chunks(n):
            part = total[rows]
            line = np.empty_like(part)
            for i in range(m):
                np.take(table, lines[i, rows], axis=0, out=line, mode="clip")
                part += line
        return total


def probabilities(log_joint: Floats) -> Floats:
    """Normalise logarithms of joint probabilities over the classes, in place."""
    log_joint -= log_joint.max(axis=1, keepdims=True)
    np.exp(log_joint, out=log_joint)
    log_joint /= log_joint.sum(axis=1, keepdims=True)
    return log_joint
