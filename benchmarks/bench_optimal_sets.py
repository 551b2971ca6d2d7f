"""Optimal sets: by utility beside a sort and a maximum, by branch and bound a row at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.timing import median_seconds, row, seconds
from cautious.costs import SetCosts, ordinal, p_discounted, utility_costs
from cautious.decision import optimal_sets, ordinal_sets
from cautious.decision.optimal._candidates import have_numba
from cautious.decision.optimal.branch_and_bound import branch_and_bound, problem_of
from cautious.decision.optimal.by_size import sets_by_size
from cautious.utility import u65

TITLE = "Optimal prediction sets"
READ = (
    "Sets that are optimal for a utility, beside a sort of the probabilities or, with numba, "
    "beside their maximum. Under general set costs, one row at a time."
)
N, K = 1_000_000, 100
ROWS = 200
# What a row may take with numba, in seconds.
LIMITS = {
    (20, 0.5, "cautious"): 0.5e-3,
    (100, 0.5, "cautious"): 5e-3,
    (100, 0.8, "cautious"): 5e-3,
    (100, 0.5, "averse"): 50e-3,
}
# Averse rows of many classes are either found soon or not in any time worth waiting for.
FEW_NODES = 200


def peaked(n_classes: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Noisy bells over ordinal classes, as models of ordinal data give them."""
    centre = rng.uniform(0, n_classes - 1, n)[:, None]
    width = rng.uniform(0.02, 0.15, n)[:, None] * n_classes
    logits = -0.5 * ((np.arange(n_classes) - centre) / width) ** 2
    weight = np.exp(logits + rng.normal(0, 0.5, (n, n_classes)))
    return weight / weight.sum(axis=1, keepdims=True)


def distributions(n_classes: int, n: int) -> dict[str, np.ndarray]:
    """From easy to hard."""
    rng = np.random.default_rng(0)
    return {
        "peaked": peaked(n_classes, n, rng),
        "Dirichlet(0.1)": rng.dirichlet(np.full(n_classes, 0.1), n),
        "Dirichlet(1)": rng.dirichlet(np.ones(n_classes), n),
    }


def by_utility(alpha: float, n: int) -> Iterator[dict[str, Any]]:
    """The best sets under u65 of many rows."""
    p = np.random.default_rng(0).dirichlet(np.full(K, alpha), n)
    costs = utility_costs(K, u65)
    name = f"optimal sets by u65, {n:,} × {K}, Dirichlet({alpha:g}), "
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


def a_row(
    n_classes: int, r: float, n: int, attitude: Any = "cautious", max_nodes: int = 10_000
) -> Iterator[dict[str, Any]]:
    """One row at a time under p-discounted costs."""
    costs = p_discounted(ordinal(n_classes), r=r, attitude=attitude)
    limit = LIMITS.get((n_classes, r, attitude))
    asked: Any = {"return_gap": True, "max_nodes": max_nodes}
    for kind, p in distributions(n_classes, n).items():
        gap = optimal_sets(p, costs, **asked)[1]
        note = f"{np.count_nonzero(gap)} of {n} rows not finished in {max_nodes:,} nodes"
        yield row(
            f"optimal set, p-discounted ({attitude}, r = {r}), K = {n_classes}, {kind}, median",
            median_seconds(lambda one: optimal_sets(one, costs, **asked), list(p[:, None, :])),
            reference=limit,
            against="limit per row, with numba" if limit else "",
            note=note if gap.any() else "",
        )


def without_numba(n_classes: int, n: int) -> dict[str, Any]:
    """The same search as plain Python."""
    problem = problem_of(p_discounted(ordinal(n_classes), r=0.5))
    assert not isinstance(problem, str)
    p = distributions(n_classes, n)["peaked"]
    return row(
        f"optimal set, p-discounted (cautious, r = 0.5), K = {n_classes}, peaked, no numba, median",
        median_seconds(
            lambda one: branch_and_bound(problem, one, max_nodes=10_000, accelerate=False),
            list(p[:, None, :]),
        ),
    )


def all_sets_listed(n: int) -> dict[str, Any]:
    """Few classes: the costs of all sets at once, a matrix product a batch."""
    n_classes = 10
    p = peaked(n_classes, n, np.random.default_rng(0))
    costs = p_discounted(ordinal(n_classes), r=0.5)
    return row(
        f"optimal sets, p-discounted (r = 0.5), K = {n_classes}, {n:,} rows by listing all sets",
        seconds(lambda: optimal_sets(p, costs)),
    )


def ordered(n_classes: int, n: int) -> Iterator[dict[str, Any]]:
    """Contiguous sets of ordered classes, from probabilities and from bounds of them."""
    p = peaked(n_classes, n, np.random.default_rng(0))
    costs = SetCosts.from_positions(n_classes, 0.1)
    yield row(
        f"contiguous sets by interval costs, K = {n_classes}, {n:,} rows",
        seconds(lambda: ordinal_sets(p, costs)),
        reference=seconds(lambda: np.cumsum(p, axis=1)),
        against="np.cumsum of the same matrix",
    )
    few = p[: max(1, n // 100)]
    bounds = (0.9 * few, 0.9 * few + 0.1)
    yield row(
        f"contiguous sets of least worst interval cost, K = {n_classes}, {len(few):,} rows",
        seconds(lambda: ordinal_sets(bounds, costs)),
    )


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n, a_few = (N // 1000, 3) if small else (N, ROWS)
    yield from by_utility(0.1, n)
    yield from by_utility(1.0, n)
    yield all_sets_listed(n // 10)
    for n_classes in (20, 100):
        yield from a_row(n_classes, 0.5, a_few)
        yield without_numba(n_classes, -(-a_few // 10))
    for n_classes in (20, 100):
        yield from a_row(n_classes, 0.8, a_few)
    yield from a_row(20, 0.5, a_few, "averse")
    yield from a_row(100, 0.5, -(-a_few // 4), "averse", FEW_NODES)
    yield from ordered(20, n // 10)
