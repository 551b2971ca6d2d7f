r"""Symmetrical uncertainty: how much two discrete variables tell of each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from cautious._typing import Floats, Ints

__all__ = ["Discrete", "symmetrical_uncertainty"]

# Below this an uncertainty is rounding error.
_ZERO = 1e-12


@dataclass(frozen=True)
class Discrete:
    """A discrete variable.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Its values, from 0 to ``n_values - 1``; -1 if missing.
    n_values : int
        How many values it can take.
    """

    codes: Ints
    n_values: int


def symmetrical_uncertainty(a: Discrete, b: Discrete, *, missing: str = "spread") -> float:
    r"""Symmetrical uncertainty of two variables.

    .. math:: U(A, B) = 2\, \frac{H(A) + H(B) - H(A, B)}{H(A) + H(B)} \in [0, 1],

    0 if the two are independent, 1 if each tells the other. A variable without spread tells
    nothing: 0.

    Parameters
    ----------
    a, b : Discrete
        The variables, of equal length.
    missing : {"spread", "value"}, default="spread"
        What to make of missing values: spread their counts over the known values in proportion to
        what is known, or take "missing" as one more value.

    Returns
    -------
    float
        The symmetrical uncertainty.

    References
    ----------
    M. A. Hall (1999). Correlation-based feature selection for machine learning. PhD thesis,
    University of Waikato.

    Examples
    --------
    >>> import numpy as np
    >>> coin = Discrete(np.array([0, 0, 1, 1]), 2)
    >>> symmetrical_uncertainty(coin, coin)
    1.0
    >>> symmetrical_uncertainty(coin, Discrete(np.array([0, 1, 0, 1]), 2))
    0.0
    """
    rows = np.where(a.codes < 0, a.n_values, a.codes)  # missing is the last value
    columns = np.where(b.codes < 0, b.n_values, b.codes)
    shape = a.n_values + 1, b.n_values + 1
    cells = rows * shape[1] + columns
    if missing == "spread" and (a.codes.min() < 0 or b.codes.min() < 0):
        table = _spread(np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape))
        h_a, h_b, h_ab = map(_entropy, (table.sum(axis=1), table.sum(axis=0), table))
    else:
        h_a, h_b = _entropy(np.bincount(rows)), _entropy(np.bincount(columns))
        h_ab = _entropy(_occurrences(cells))
    if h_a < _ZERO or h_b < _ZERO:
        return 0.0
    shared = 1 - h_ab / (h_a + h_b)
    return 2 * shared if shared > _ZERO else 0.0


def _occurrences(cells: Ints) -> Ints:
    """Count how often each cell occurs, without a table of all pairs if that would be large."""
    if cells.max() < 8 * len(cells):
        return np.bincount(cells)
    return np.unique(cells, return_counts=True)[1]


def _spread(counts: Ints) -> Floats:
    """Spread the counts of missing values, in the last row and column, over the known ones.

    An example missing one value is shared out as that variable is known to be distributed, one
    missing both as the complete examples are. A variable that is never known keeps its one value.
    """
    table = counts.astype(np.float64)
    known_a, known_b = table[:-1].sum(axis=1), table[:, :-1].sum(axis=0)
    if not known_a.any() or not known_b.any():
        return table
    complete, neither = table[:-1, :-1], table[-1, -1]
    spread = np.zeros_like(table)
    spread[:-1, :-1] = complete
    spread[:-1, :-1] += np.outer(known_a / known_a.sum(), table[-1, :-1])
    spread[:-1, :-1] += np.outer(table[:-1, -1], known_b / known_b.sum())
    if complete.any():
        spread[:-1, :-1] += complete * (neither / complete.sum())
    else:
        spread[-1, -1] = neither
    return spread


def _entropy(counts: Floats | Ints) -> float:
    """Entropy of a distribution given by counts, in nats."""
    total = counts.sum()
    return float(np.log(total) - xlogy(counts, counts).sum() / total)
