"""Bounds on mean losses, by betting.

A gambler bets on every case that the mean loss is below m. If it is not, the game is unfair to the
gambler, who multiplies the stake by 1/δ with probability at most δ. So every m at which the gambler
would have got that rich is too high to be the mean, and the least such m is an upper bound
(Waudby-Smith & Ramdas 2024). The product of the gains does not depend on the order of the cases,
only on how often each value occurred: bounds come from batches, logs and clusters alike.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from cautious._typing import Floats, as_floats
from cautious.certification import check_share, risk_bound

__all__ = ["mean_bound"]

# Stakes double from one to the next; none may risk more than this share of the wealth.
_RATIO, _MOST = 2.0, 0.99


def mean_bound(
    values: npt.ArrayLike,
    counts: npt.ArrayLike,
    confidence_level: float = 0.95,
    *,
    low: float | None = None,
    high: float | None = None,
    side: str = "upper",
) -> float:
    r"""Bound the mean of a bounded loss from how often each value occurred.

    Parameters
    ----------
    values : array-like of shape (m,)
        Values that the loss can take. Name all of them, also those that did not occur: the range
        must be known before the data are.
    counts : array-like of shape (m,), int
        How often each occurred.
    confidence_level : float, default=0.95
        How often, at least, the bound holds over repeated samples.
    low, high : float, optional
        Least and greatest possible loss; by default the least and the greatest of `values`.
    side : {"upper", "lower"}, default="upper"
        Which bound: an upper one for costs, a lower one for utilities.

    Returns
    -------
    float

    Notes
    -----
    With x scaled to [0, 1] the wealth against "the mean is at least m" is

    .. math:: W(m) = \frac1L \sum_\lambda \prod_i \bigl(1 + \lambda (m - x_i)\bigr),

    a mixture over L stakes λ below 1/(1 − m) that depend on the number of cases and on the level
    only; the bound is the m at which it reaches 1/δ. A finite mixture is a bet like any other, so
    nothing here approximates an integral. A loss of two values has an exact bound, which is
    tighter, and is used instead (:func:`risk_bound`). Weights that are not whole numbers have no
    such bound. Bets that learn from the cases seen so far, as in the package confseq, are tighter
    by a third or so; but they need the cases in an order that has nothing to do with their counts,
    and a promise from counts alone has none.

    References
    ----------
    Waudby-Smith & Ramdas (2024), *Estimating means of bounded random variables by betting*.

    Examples
    --------
    >>> round(mean_bound([0, 0.1, 0.2, 1], [800, 150, 30, 20], 0.9), 4)
    0.0546
    >>> mean_bound([0, 1], [97, 3]) == risk_bound(3, 100)
    True
    """
    level = check_share(confidence_level, "confidence_level")
    x, n = _check(values, counts)
    if side not in ("upper", "lower"):
        raise ValueError(f"side is {side!r}; choose 'upper' or 'lower'.")
    least = float(x.min()) if low is None else float(low)
    most = float(x.max()) if high is None else float(high)
    if not np.isfinite([least, most]).all() or least > x.min() or most < x.max():
        raise ValueError(
            f"low is {least} and high is {most}, but values run from {x.min()} to {x.max()}; the "
            "range must hold every possible loss."
        )
    if least == most:
        return least
    scaled = (x - least) / (most - least)
    if side == "lower":
        return most - (most - least) * _bound(1 - scaled, n, 1 - level)
    return least + (most - least) * _bound(scaled, n, 1 - level)


def _bound(x: Floats, n: Floats, delta: float) -> float:
    """Upper bound on the mean of values within [0, 1]."""
    if set(x.tolist()) <= {0.0, 1.0}:
        return float(risk_bound(int(n[x == 1].sum()), int(n.sum()), 1 - delta))
    wanted, stakes = -np.log(delta), _stakes(float(n.sum()), delta)
    # The wealth grows with m, from less than the first stake up to infinity.
    low, high = float(n @ x / n.sum()) if n.sum() else 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if _log_wealth(x, n, middle, stakes) >= wanted else (middle, high)
    return high


def _stakes(n: float, delta: float) -> Floats:
    """Stakes from the best one for the largest variance there can be up to one that risks all."""
    least = min(np.sqrt(8 * -np.log(delta) / max(n, 1.0)), 0.5)
    return np.asarray(
        np.geomspace(least, 1.0, int(np.ceil(np.log(1 / least) / np.log(_RATIO))) + 1)
    )


def _log_wealth(x: Floats, n: Floats, mean: float, stakes: Floats) -> float:
    safe = np.minimum(stakes, _MOST / (1 - mean))
    gain = np.log1p(np.outer(safe, mean - x)) @ n
    return float(logsumexp(gain) - np.log(len(stakes)))


def _check(values: npt.ArrayLike, counts: npt.ArrayLike) -> tuple[Floats, Floats]:
    x, n = as_floats(values, "values", "losses"), as_floats(counts, "counts", "numbers of cases")
    if x.ndim != 1 or x.shape != n.shape or not len(x):
        raise ValueError(
            f"values has shape {x.shape} and counts has shape {n.shape}; give one count for each "
            "value, and at least one value."
        )
    if not np.isfinite(x).all():
        raise ValueError(
            "values holds a number that is not finite; a loss without a largest value has no bound."
        )
    if not np.all((n >= 0) & (n == np.rint(n)) & np.isfinite(n)):
        raise ValueError(
            "counts holds a number that is negative or not whole; weighted cases have no such "
            "bound."
        )
    return x, n
