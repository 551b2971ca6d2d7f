"""The algorithms that the paper describes, to measure ours against.

Friedel, Rückert & Kramer (2006), *Cost curves for abstaining classifiers*, section 3.
"""

from __future__ import annotations

import numpy as np

from cautious.curves import Staircase

__all__ = ["naive_grid", "nested_grid"]


def naive_grid(y: np.ndarray, score: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Try every window at every grid point: O(Δ²n²), "a naive algorithm"."""
    p, n = _prefixes(y, score)
    first, last = np.tril_indices(len(p))[::-1]  # pairs l <= u
    false_negative, false_positive = p[first], n[-1] - n[last]
    quiet = (p + n)[last] - (p + n)[first]
    cost = np.empty((len(lines), len(lines)))
    for i, nu in enumerate(lines):
        for j, mu in enumerate(lines):
            cost[i, j] = (false_negative + mu * false_positive + nu * quiet).min()
    return cost


def nested_grid(y: np.ndarray, score: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Follow the paper's two observations: O(Δ²n), "linear in the number of examples".

    First the best threshold without abstention for each μ. The best window lies around it, and
    the window for a smaller ν contains that for a larger one, so it is sought outside of it only.
    """
    p, n = _prefixes(y, score)
    both = p + n
    cost = np.empty((len(lines), len(lines)))
    for j, mu in enumerate(lines):
        plain = p + mu * (n[-1] - n)
        lower = upper = int(np.argmin(plain))
        for i in range(len(lines) - 1, -1, -1):
            nu = lines[i]
            left = p[: lower + 1] - nu * both[: lower + 1]
            right = mu * (n[-1] - n[upper:]) + nu * both[upper:]
            # Among equals the nearest: a window must not grow before it pays.
            lower = lower - int(np.argmin(left[::-1]))
            upper = upper + int(np.argmin(right))
            cost[i, j] = p[lower] + mu * (n[-1] - n[upper]) + nu * (both[upper] - both[lower])
    return cost


def _prefixes(y: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of positives and negatives below each threshold."""
    staircase = Staircase.from_predictions(y, score)
    p = np.append(0, np.cumsum(staircase.positives)) / len(y)
    n = np.append(0, np.cumsum(staircase.negatives)) / len(y)
    return p, n
