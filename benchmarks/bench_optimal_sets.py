"""Optimal sets: by utility beside a sort and a maximum, by branch and bound a row at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.timing import median_seconds, row, seconds
from cautious.costs import ordinal, p_discounted, utility_costs
from cautious.decision import optimal_sets
from cautious.decision.branch_and_bound import branch_and_bound, problem_of
from cautious.decision.optimal_by_size import sets_by_size
from cautious.decision.optimal_compiled import have_numba
from cautious.utility import u65

N, K = 1_000_000, 100
ROWS = 200
# What a row may take with numba at r = 0.5, in seconds.
LIMITS = {20: 0.5e-3, 100: 5e-3}


def peaked(n_classes: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Noisy bells over ordinal classes, as models of ordinal data give them."""
    centre = rng.uniform(0, n_classes - 1, n)[:, None]
    width = rng.uniform(0.02, 0.15, n)[:, None] * n_classes
    logits = -0.5 * ((np.arange(n_classes) - centre) / width) ** 2
    weight = np.exp(logits + rng.normal(0, 0.5, (n, n_classes)))
    return weight / weight.sum(axis=1, keepdims=True)


def distributions(n_classes: int) -> dict[str, np.ndarray]:
    """From easy to hard."""
    rng = np.random.default_rng(0)
    return {
        "peaked": peaked(n_classes, ROWS, rng),
        "Dirichlet(0.1)": rng.dirichlet(np.full(n_classes, 0.1), ROWS),
        "Dirichlet(1)": rng.dirichlet(np.ones(n_classes), ROWS),
    }


def by_utility(alpha: float) -> Iterator[dict[str, Any]]:
    """The best sets under u65 of many rows."""
    p = np.random.default_rng(0).dirichlet(np.full(K, alpha), N)
    costs = utility_costs(K, u65)
    name = f"optimal sets by u65, {N:.0e} x {K}, Dirichlet({alpha:g}), "
    yield row(
        name + "numpy",
        seconds(lambda: sets_by_size(p, costs.hit, costs.miss, accelerate=False)),
        reference=seconds(lambda: np.sort(p, axis=1)),
        against="np.sort of the same matrix",
        note="limit 1.5",
    )
    if have_numba():
        yield row(
            name + "numba",
            seconds(lambda: optimal_sets(p, "u65")),
            reference=seconds(lambda: p.max(axis=1)),
            against="p.max(axis=1)",
            note="limit 3",
        )


def a_row(n_classes: int, r: float, attitude: Any = "cautious") -> Iterator[dict[str, Any]]:
    """One row at a time under p-discounted costs."""
    costs = p_discounted(ordinal(n_classes), r=r, attitude=attitude)
    limited = r == 0.5 and attitude == "cautious"
    for kind, p in distributions(n_classes).items():
        yield row(
            f"optimal set, p-discounted ({attitude}, r = {r}), K = {n_classes}, {kind}, median",
            median_seconds(lambda one: optimal_sets(one, costs), list(p[:, None, :])),
            reference=LIMITS[n_classes] if limited else None,
            against="limit a row, with numba" if limited else "",
        )


def without_numba(n_classes: int) -> dict[str, Any]:
    """The same search as plain Python."""
    problem = problem_of(p_discounted(ordinal(n_classes), r=0.5))
    assert not isinstance(problem, str)
    p = distributions(n_classes)["peaked"][:20]
    return row(
        f"optimal set, p-discounted (cautious, r = 0.5), K = {n_classes}, peaked, no numba, median",
        median_seconds(
            lambda one: branch_and_bound(problem, one, max_nodes=10_000, accelerate=False),
            list(p[:, None, :]),
        ),
    )


def all_sets_listed() -> dict[str, Any]:
    """Few classes: the costs of all sets at once, a matrix product a batch."""
    n_classes, n = 10, 100_000
    p = peaked(n_classes, n, np.random.default_rng(0))
    costs = p_discounted(ordinal(n_classes), r=0.5)
    return row(
        f"optimal sets, p-discounted (r = 0.5), K = {n_classes}, {n} rows by listing all sets",
        seconds(lambda: optimal_sets(p, costs)),
    )


def rows() -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    yield from by_utility(0.1)
    yield from by_utility(1.0)
    yield all_sets_listed()
    for n_classes in LIMITS:
        yield from a_row(n_classes, 0.5)
        yield without_numba(n_classes)
    for n_classes in LIMITS:
        yield from a_row(n_classes, 0.8)
    yield from a_row(20, 0.5, "averse")
