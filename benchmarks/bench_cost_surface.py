"""The abstention cost surface beside one sort of its scores, and beside the paper's algorithm."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.timing import row, seconds
from cautious.curves import (
    AbstentionCostSurface,
    Staircase,
    bounded_abstention,
    bounded_cost,
    vacc_test,
)

N = 2_000_000
N_BOOTSTRAP = 100_000
N_PAPER, DELTA = 20_000, 50


def sample(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated random scores, all different."""
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return (rng.random(n) < score).astype(np.int64), score


def everything(y: np.ndarray, score: np.ndarray) -> AbstentionCostSurface:
    """Surface, volume and a 200 by 200 grid from raw scores."""
    surface = AbstentionCostSurface.from_predictions(y, score)
    surface.vacc()
    surface.grid(200)
    return surface


def paper_grid(y: np.ndarray, score: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Cost on a grid as Friedel (2005) does: linear in the examples at every grid point."""
    staircase = Staircase.from_predictions(y, score)
    p = np.append(0, np.cumsum(staircase.positives)) / len(y)
    n = np.append(0, np.cumsum(staircase.negatives)) / len(y)
    cost = np.empty((len(lines), len(lines)))
    for i, nu in enumerate(lines):
        below = np.minimum.accumulate(p - nu * (p + n))
        for j, mu in enumerate(lines):
            cost[i, j] = (below + mu * (n[-1] - n) + nu * (p + n)).min()
    return cost


def rows() -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    y, score = sample(N)
    sort = seconds(lambda: np.argsort(score))
    time = seconds(lambda: everything(y, score))
    tracemalloc.start()
    surface = everything(y, score)
    peak = tracemalloc.get_traced_memory()[1] / score.nbytes
    tracemalloc.stop()
    against = {"reference": sort, "against": "np.argsort of the scores"}
    note = f"asked: at most 2; peak memory {peak:.1f} × the scores"
    yield row(f"surface + VACC + 200×200 grid, n = {N:,}", time, **against, note=note)
    for name, work in (
        ("bounded abstention, per answer", lambda: bounded_abstention(surface, 0.1)),
        ("bounded cost, per answer", lambda: bounded_cost(surface, 0.1)),
        ("regions of constant window", surface.regions),
    ):
        yield row(f"{name}, n = {N:,}", seconds(work, repeats=1), **against)

    y, score = sample(N_BOOTSTRAP)
    small = AbstentionCostSurface.from_predictions(y, score)
    time = seconds(lambda: small.vacc_interval(n_resamples=1000, random_state=0), repeats=1)
    yield row(
        f"1000 bootstrap VACCs, n = {N_BOOTSTRAP:,}",
        time,
        reference=10.0,
        against="ten seconds",
        note="asked: at most 1",
    )
    other = sample(N_BOOTSTRAP, seed=1)[1] + score
    time = seconds(lambda: vacc_test(y, score, other, random_state=0), repeats=1)
    yield row(f"paired VACC test, 1000 replicates, n = {N_BOOTSTRAP:,}", time)

    y, score = sample(N_PAPER)
    lines = np.linspace(0, 1, DELTA)
    ours = AbstentionCostSurface.from_predictions(y, score).grid(DELTA).cost
    worst = np.abs(ours - paper_grid(y, score, lines)).max()
    yield row(
        f"{DELTA}×{DELTA} grid, n = {N_PAPER:,}",
        seconds(lambda: AbstentionCostSurface.from_predictions(y, score).grid(DELTA)),
        reference=seconds(lambda: paper_grid(y, score, lines), repeats=1),
        against="the paper's O(Δ²n) algorithm",
        note=f"largest difference {worst:.0e}",
    )
