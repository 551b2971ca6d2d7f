"""Scores divided between a model and experts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import row, seconds
from cautious.tuning import find_team

TITLE = "Teams of a model and experts"
READ = "The best thresholds between a model and three experts, beside a sort of the scores."
N = 1_000_000


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = N // 1000 if small else N
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    score = rng.normal(y, 1.0)
    said = {f"expert {i}": np.where(rng.random(n) < 0.05 * (i + 1), 1 - y, y) for i in range(3)}
    prices = {name: 0.1 / (i + 1) for i, name in enumerate(said)}
    sort = seconds(lambda: np.unique(score, return_inverse=True))
    for how, capacity in {"": None, ", with capacities": 0.2}.items():
        yield row(
            f"team of three experts, {n:,} cases{how}",
            seconds(partial(find_team, y, score, said, prices=prices, capacity=capacity)),
            reference=sort,
            against="np.unique of the scores",
        )
