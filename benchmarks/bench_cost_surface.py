"""The abstention cost surface beside one sort of its scores, and beside the paper's algorithm."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.friedel import naive_grid, nested_grid
from benchmarks.timing import row, seconds
from cautious.curves import AbstentionCostSurface

TITLE = "Abstention cost surfaces"
READ = (
    "A surface, its volume and a grid, beside one sort of the scores. The paper's algorithm takes "
    "time for every example at every grid point; ours sorts once, and its lead grows with both."
)
N = 2_000_000
N_BOOTSTRAP = 100_000
# Examples and grid lines: first more of the one, then more of the other.
PAPER = ((2_000, 20), (20_000, 20), (200_000, 20), (20_000, 50), (20_000, 200))
NAIVE = (500, 20)


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


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n = N // 100 if small else N
    y, score = sample(n)
    sort = seconds(lambda: np.argsort(score))
    time = seconds(lambda: everything(y, score))
    tracemalloc.start()
    surface = everything(y, score)
    peak = tracemalloc.get_traced_memory()[1] / score.nbytes
    tracemalloc.stop()
    against = {"reference": sort, "against": "np.argsort of the scores"}
    note = f"asked: at most 2; peak memory {peak:.1f} × the scores"
    yield row(f"surface + VACC + 200×200 grid, n = {n:,}", time, **against, note=note)
    for name, work in (
        ("bounded abstention, per answer", lambda: surface.for_max_abstention(0.1)),
        ("bounded cost, per answer", lambda: surface.for_max_error(0.1)),
        ("regions of constant window", surface.regions),
    ):
        yield row(f"{name}, n = {n:,}", seconds(work, repeats=1), **against)
    yield from resampling(N_BOOTSTRAP // 100 if small else N_BOOTSTRAP)
    for examples, lines in PAPER:
        yield against_paper(examples // 10 if small else examples, lines, nested_grid, "O(Δ²n)")
    examples, lines = NAIVE
    yield against_paper(examples // 10 if small else examples, lines, naive_grid, "naive O(Δ²n²)")


def resampling(n: int) -> Iterator[dict[str, Any]]:
    """Interval of a volume, and test of a difference of two."""
    y, score = sample(n)
    surface = AbstentionCostSurface.from_predictions(y, score)
    found = surface.vacc_interval(random_state=0)
    time = seconds(lambda: surface.vacc_interval(random_state=0), repeats=1)
    note = f"{found.n_resamples} replicates, enough of so many cases; asked: at most 1 second"
    yield row(f"interval of a VACC, n = {n:,}", time, note=note)
    other = sample(n, seed=1)[1] + score
    time = seconds(
        lambda: AbstentionCostSurface.vacc_test(y, score, other, random_state=0), repeats=1
    )
    drawn = AbstentionCostSurface.vacc_test(y, score, other, random_state=0).difference.n_resamples
    yield row(
        f"paired VACC test, n = {n:,}", time, note=f"{drawn} replicates; asked: at most 3 seconds"
    )


def against_paper(n: int, delta: int, theirs: Any, order: str) -> dict[str, Any]:
    """A grid from raw scores, by us and by the paper."""
    y, score = sample(n)
    lines = np.linspace(0, 1, delta)

    def ours() -> np.ndarray:
        return AbstentionCostSurface.from_predictions(y, score).grid(delta).cost

    worst = np.abs(ours() - theirs(y, score, lines)).max()
    return row(
        f"{delta}×{delta} grid, n = {n:,}",
        seconds(ours),
        reference=seconds(lambda: theirs(y, score, lines), repeats=1),
        against=f"the paper's {order} algorithm",
        note=f"largest difference {worst:.0e}",
    )
