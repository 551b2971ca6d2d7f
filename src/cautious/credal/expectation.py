r"""The greedy formula: lower expectations under probability intervals, without a linear programme.

The distribution that makes :math:`E[f]` smallest gives every class its lower bound and hands the
rest of the mass out in the order of increasing :math:`f`, filling each class to its upper bound
before going on to the next. With :math:`f_{(1)} \le \dots \le f_{(K)}`, room
:math:`R = 1 - \sum l` and :math:`F_k = \min(R, \sum_{i \le k} (u_{(i)} - l_{(i)}))` the mass handed
out after :math:`k` classes, summation by parts gives

.. math:: \underline{E}[f] = \sum_i l_i f_i + R f_{(K)} - \sum_{k < K} F_k\,(f_{(k+1)} - f_{(k)}).

This is the Choquet integral of :math:`f` with respect to the lower probability of the intervals
(De Campos, Huete & Moral, 1994), and holds for intervals that are not reachable too. The order
depends on :math:`f` alone, so functions shared by all rows are sorted once.
"""

from __future__ import annotations

import numpy as np

from cautious._typing import Floats

# Rows are worked on in blocks of about this many cells, which fit a processor's cache, but not of
# so few rows that calling numpy would cost more than the sums.
_CELLS_AT_ONCE = 200_000
_ROWS_AT_ONCE = 2_000


def lower_expectations(lower: Floats, upper: Floats, functions: Floats) -> Floats:
    """Lower expectations of ``functions`` (m, K), the same for every row, as an array (n, m)."""
    n, n_classes = lower.shape
    orders = np.argsort(functions, axis=1, kind="stable")
    rising = np.take_along_axis(functions, orders, axis=1)
    steps = np.diff(rising, axis=1)
    expectations = functions @ lower.T
    at_once = max(_ROWS_AT_ONCE, _CELLS_AT_ONCE // n_classes)
    for start in range(0, n, at_once):
        block = slice(start, start + at_once)
        width = np.ascontiguousarray((upper[block] - lower[block]).T)
        room = np.maximum(1 - lower[block].sum(axis=1), 0)
        handed_out = np.empty_like(width[:-1])
        for i, order in enumerate(orders):
            # A running sum over whole rows: np.cumsum along the first axis is ten times slower.
            so_far = np.zeros_like(room)
            for k, row in zip(order, handed_out, strict=False):
                so_far = np.add(so_far, width[k], out=row)
            np.minimum(handed_out, room, out=handed_out)
            expectations[i, block] += room * rising[i, -1] - np.einsum(
                "k,kn->n", steps[i], handed_out
            )
    return np.ascontiguousarray(expectations.T)


def lower_expectations_by_row(lower: Floats, upper: Floats, functions: Floats) -> Floats:
    """Lower expectations of ``functions`` (n, m, K), each row with its own, as an array (n, m)."""
    order = np.argsort(functions, axis=2, kind="stable")
    rising = np.take_along_axis(functions, order, axis=2)
    width = np.broadcast_to((upper - lower)[:, None, :], functions.shape)
    room = np.maximum(1 - lower.sum(axis=1), 0)[:, None]
    handed_out = np.cumsum(np.take_along_axis(width, order, axis=2)[:, :, :-1], axis=2)
    np.minimum(handed_out, room[:, :, None], out=handed_out)
    expectations: Floats = (
        np.einsum("nk,nmk->nm", lower, functions)
        + room * rising[:, :, -1]
        - np.einsum("nmk,nmk->nm", handed_out, np.diff(rising, axis=2))
    )
    return expectations


def minimisers(lower: Floats, upper: Floats, function: Floats) -> Floats:
    """Distributions (n, K), one a row, that make the expectation of ``function`` (K,) smallest."""
    order = np.argsort(function, kind="stable")
    room = np.maximum(1 - lower.sum(axis=1, keepdims=True), 0)
    handed_out = np.minimum(np.cumsum((upper - lower)[:, order], axis=1), room)
    distributions = lower.copy()
    distributions[:, order] += np.diff(handed_out, axis=1, prepend=0)
    return distributions
