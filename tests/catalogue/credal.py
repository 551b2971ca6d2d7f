"""Laws of credal sets: lower and upper expectations, and how they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.catalogue.agreement import at_most, same
from tests.catalogue.law import law
from tests.catalogue.strategies import Situation, probabilities, seeds, situations

import cautious.credal
from cautious.credal import ProbabilityIntervals, contaminate, imprecise_dirichlet

MAKERS: dict[str, Callable[[np.ndarray, float], ProbabilityIntervals]] = {
    "contaminate": contaminate,
    "imprecise_dirichlet": lambda p, doubt: imprecise_dirichlet(10 * p, 10 * doubt / (1 - doubt)),
    "imprecise_dirichlet, epsilon": lambda p, doubt: imprecise_dirichlet(
        10 * p, 4.0, epsilon=1 - doubt
    ),
}
"""What makes credal sets of distributions, and grows them with doubt between 0 and 1."""
PUBLIC_MAKERS = {
    name
    for name in cautious.credal.__all__
    if getattr(getattr(cautious.credal, name), "__annotations__", {}).get("return")
    == "ProbabilityIntervals"
} - {"as_intervals"}
"""The functions there are that make them."""
ANY = {"ProbabilityIntervals": None}
doubts = st.floats(0.01, 0.95)


@law("Duality", "credal sets", ANY, case=situations(), seed=seeds)
def conjugacy(_: None, case: Situation, seed: int) -> None:
    """The upper expectation of f is less the lower one of −f; of an event, 1 less the rest's."""
    sets, k = case.intervals, case.intervals.n_classes
    f = np.random.default_rng(seed).normal(size=(3, k))
    same(sets.upper_expectation(f), -sets.lower_expectation(-f))
    event = np.random.default_rng(seed).random((1, k)) < 0.5
    same(sets.lower_expectation(event), 1 - sets.upper_expectation(~event))
    tight = sets.reachable()
    same(sets.lower_expectation(np.eye(k)), tight.lower)
    same(sets.upper_expectation(np.eye(k)), tight.upper)


@law("Duality", "credal sets", ANY, case=situations(), seed=seeds, by=st.floats(0, 50))
def coherence(_: None, case: Situation, seed: int, by: float) -> None:
    """Lower expectations are bounded by f, superadditive, homogeneous, and move with constants."""
    low = case.intervals.lower_expectation
    f, g = np.random.default_rng(seed).normal(size=(2, 1, case.intervals.n_classes))
    at_most(f.min(), low(f))
    at_most(low(f), case.intervals.upper_expectation(f))
    at_most(low(f) + low(g), low(f + g))
    same(low(by * f), by * low(f))
    same(low(f + by), low(f) + by)
    at_most(low(f), low(f + np.abs(g)))


@law("Duality", "credal sets", ANY, case=situations(max_rows=2), seed=seeds)
def attained_at_a_vertex(_: None, case: Situation, seed: int) -> None:
    """The lower expectation is the least over the vertices, and that of its minimiser."""
    f = np.random.default_rng(seed).normal(size=case.intervals.n_classes)
    low = case.intervals.lower_expectation(f[None])[:, 0]
    same(low, [(vertices @ f).min() for vertices in case.intervals.vertices()])
    same(low, case.intervals.minimiser(f) @ f)


@law("Reduction", "credal sets", MAKERS, p=probabilities())
def no_doubt_is_precise(make: Any, p: np.ndarray) -> None:
    """Without doubt the credal set is one distribution."""
    sets = make(p, 0.0)
    same(sets.lower, sets.upper)


@law("Monotonicity", "credal sets", MAKERS, p=probabilities(), doubt=doubts, more=doubts)
def more_doubt(make: Any, p: np.ndarray, doubt: float, more: float) -> None:
    """More doubt lowers lower bounds, lifts upper ones, and lets the entropy grow."""
    small, large = make(p, min(doubt, more)), make(p, max(doubt, more))
    at_most(large.lower, small.lower)
    at_most(small.upper, large.upper)
    at_most(small.upper_entropy(), large.upper_entropy())


@law("Invariance", "credal sets", ANY, case=situations(), seed=seeds)
def order_of_classes(_: None, case: Situation, seed: int) -> None:
    """The order of the classes does not matter."""
    order = np.random.default_rng(seed).permutation(case.intervals.n_classes)
    turned = case.permuted(order).intervals
    f = np.random.default_rng(seed).normal(size=(2, len(order)))
    same(turned.lower_expectation(f[:, order]), case.intervals.lower_expectation(f))
    same(turned.upper_entropy(), case.intervals.upper_entropy())
    same(turned.center, case.intervals.center[:, order])
