"""Answers with nodes of a tree of classes, per case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.timing import row, seconds
from cautious.costs import ordinal, p_discounted
from cautious.decision import ClassTree, optimal_sets, threshold_rule

TITLE = "Answers in a tree of classes"
READ = "Time per case of batches of 1,000 cases; three levels, ten nodes below each node."
N, K = 1000, 1000
LIMIT = 1e-3


def three_levels(n_classes: int) -> ClassTree:
    """Ten nodes below each node."""
    return ClassTree.from_names(["/".join(f"{i:03d}") for i in range(n_classes)])


def rows(*, small: bool = False) -> Iterator[dict[str, Any]]:
    """Measure, one row at a time."""
    n, k = (10, 100) if small else (N, K)
    tree = three_levels(k)
    p = np.random.default_rng(0).dirichlet(np.full(k, 0.05), n)
    costs = p_discounted(ordinal(k), r=0.5)
    decisions: dict[str, Callable[[], Any]] = {
        "best node by u65": lambda: optimal_sets(p, tree=tree, utility="u65"),
        "best node by p-discounted costs": lambda: optimal_sets(p, costs, tree=tree),
        "climbing rule": lambda: threshold_rule(p, 0.8, tree=tree),
    }
    for name, decide in decisions.items():
        yield row(
            f"{name}, K = {k:,}",
            seconds(decide) / n,
            reference=LIMIT,
            against="limit per case",
        )
    few = p[: max(1, n // 50)]
    yield row(
        f"best union of two nodes by u65, K = {k:,}",
        seconds(lambda: optimal_sets(few, tree=tree, utility="u65", n_nodes=2)) / len(few),
        note="grows with the square of K",
    )
