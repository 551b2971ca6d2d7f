"""Seeds that depend on what is seeded and on nothing else.

Each split and each model has a seed made from the study's and from names and numbers, so that a
study may be interrupted, reordered, run in parallel or extended and still gives the same numbers.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["seed_for", "seeded"]


def seed_for(seed: int, *parts: str | int) -> int:
    """Make a seed from the study's seed and the names and numbers of a piece of it.

    Examples
    --------
    >>> len({seed_for(0, "iris", 1), seed_for(0, "iris", 1), seed_for(0, "iris", 2)})
    2
    """
    entropy = [seed, *(crc32(p.encode()) if isinstance(p, str) else p for p in parts)]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0] >> 1)  # RandomState's range


def seeded(estimator: BaseEstimator, seed: int) -> BaseEstimator:
    """Fix every ``random_state`` that was left open, in the estimator and in those inside it."""
    open_states = {
        name: seed_for(seed, name)
        for name, value in estimator.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return estimator.set_params(**open_states)
