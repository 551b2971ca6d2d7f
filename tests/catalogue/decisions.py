"""Laws of decisions: rules on probabilities, criteria on credal sets, sets of least cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.catalogue.agreement import same, within
from tests.catalogue.law import law
from tests.catalogue.strategies import Situation, around, probabilities, seeds, situations

import cautious.decision
from cautious.costs import SetCosts, discounted, p_discounted, utility_costs
from cautious.costs._extensions import SizeCosts
from cautious.credal import ProbabilityIntervals
from cautious.curves import AbstentionCostSurface
from cautious.decision import (
    ClassTree,
    bias_window_rule,
    chow_rule,
    class_threshold_rule,
    e_admissibility,
    gamma_maximax,
    gamma_maximin,
    hurwicz,
    interval_dominance,
    maximality,
    optimal_sets,
    ordinal_sets,
    ratio_rule,
    threshold_rule,
)
from cautious.utility import quadratic

_PARTS = {"ClassTree"}
PUBLIC = {
    name: getattr(cautious.decision, name)
    for name in cautious.decision.__all__
    if name not in _PARTS
}
"""The decisions on any number of classes; each must be a criterion or a rule below."""

Criterion = Callable[..., np.ndarray]

CRITERIA: dict[str, Criterion] = {
    "e_admissibility": e_admissibility,
    "gamma_maximax": gamma_maximax,
    "gamma_maximin": gamma_maximin,
    "hurwicz": lambda intervals, C: hurwicz(intervals, C, alpha=0.3),
    "interval_dominance": interval_dominance,
    "maximality": maximality,
}
SET_VALUED = {
    name: CRITERIA[name] for name in ("e_admissibility", "interval_dominance", "maximality")
}
ACROSS = "it compares expected costs under different distributions, where a constant weighs more"


@dataclass(frozen=True)
class Rule:
    """A rule on probabilities with one number that makes it abstain more."""

    decide: Callable[[Any, float], np.ndarray]


def per_class(level: float, k: int) -> np.ndarray:
    """Thresholds that differ by class and all grow with the level."""
    return np.clip(level + 0.05 * np.arange(k), 0, 1)


def skewed(k: int) -> np.ndarray:
    return np.arange(1, k + 1) / np.arange(1, k + 1).sum()


def by_rule(p: np.ndarray, level: float) -> np.ndarray:
    k = p.shape[1]
    rule = cautious.decision.Rule.confidence(level, classes=range(k))
    return cautious.decision.Rule.from_json(rule.to_json()).predict_set(p)


def pairs(k: int) -> ClassTree:
    """Classes two by two, and a last one alone."""
    return ClassTree.from_parents(
        [k + i // 2 for i in range(k)] + [k + (k + 1) // 2] * ((k + 1) // 2) + [-1]
    )


def costs_of_pairs(k: int, level: float) -> SizeCosts:
    """A wrong set costs 1, and a right pair the less, the higher the level."""
    return SizeCosts(np.array([0.0, 1 - level] + [1 - level / 2] * (k - 2)), np.ones(k))


RULES = {
    "Rule": Rule(by_rule),
    "bias_window_rule": Rule(lambda p, level: bias_window_rule(p, skewed(p.shape[1]), level)),
    "chow_rule": Rule(lambda p, level: chow_rule(p, 1 - level)),
    "class_threshold_rule": Rule(
        lambda p, level: class_threshold_rule(p, per_class(level, p.shape[1]))
    ),
    "threshold_rule, tree": Rule(lambda p, level: threshold_rule(p, level, tree=pairs(p.shape[1]))),
    "optimal_sets, tree": Rule(
        lambda p, level: optimal_sets(p, costs_of_pairs(p.shape[1], level), tree=pairs(p.shape[1]))
    ),
    "ordinal_sets": Rule(
        lambda p, level: ordinal_sets(p, SetCosts.from_positions(p.shape[1], 0.5 * (1 - level)))
    ),
    "gamma_maximin, utility": Rule(
        lambda p, level: gamma_maximin(
            (0.9 * p, np.minimum(0.9 * p + 0.1, 1.0)), utility=quadratic(0.5 + level / 2)
        )
    ),
    "optimal_sets": Rule(lambda p, level: optimal_sets(p, utility=quadratic(0.5 + level / 2))),
    "ratio_rule": Rule(lambda p, level: ratio_rule(p, per_class(level, p.shape[1]))),
    "threshold_rule, intervals": Rule(lambda p, level: threshold_rule((p, p), level)),
    "threshold_rule": Rule(lambda p, level: threshold_rule(p, level)),
}
levels = st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.9, 1.0])
BY_CLASS = ("bias_window_rule", "class_threshold_rule", "ratio_rule")
BY_TREE = ("threshold_rule, tree", "optimal_sets, tree")


@law("Invariance", "criteria", CRITERIA, case=situations(), by=st.sampled_from([1e-12, 0.125, 1e9]))
def scale_of_costs(decide: Criterion, case: Situation, by: float) -> None:
    """Multiplying all costs by a positive number changes no decision."""
    same(decide(case.intervals, case.costs), decide(case.intervals, by * case.costs))


@law(
    "Invariance",
    "criteria",
    CRITERIA,
    exempt=dict.fromkeys(
        ("gamma_maximax", "gamma_maximin", "hurwicz", "interval_dominance"), ACROSS
    ),
    case=situations(),
    seed=seeds,
)
def constants_per_truth(decide: Criterion, case: Situation, seed: int) -> None:
    """Adding a number to all costs under one truth changes no decision."""
    rng = np.random.default_rng(seed)
    more = case.costs + rng.integers(-9, 9, size=case.costs.shape[1]) * 10.0 ** rng.integers(0, 7)
    same(decide(case.intervals, case.costs), decide(case.intervals, more))


@law("Invariance", "criteria", CRITERIA, case=situations(), seed=seeds)
def order_of_classes(decide: Criterion, case: Situation, seed: int) -> None:
    """The order of the classes, and so of rows and columns, does not matter."""
    order = np.random.default_rng(seed).permutation(case.intervals.n_classes)
    turned = case.permuted(order)
    same(decide(case.intervals, case.costs)[:, order], decide(turned.intervals, turned.costs))


@law("Invariance", "criteria", CRITERIA, case=situations())
def rows_apart(decide: Criterion, case: Situation) -> None:
    """A credal set is decided the same whatever others come with it."""
    whole = decide(case.intervals, case.costs)
    for row in range(len(case.intervals)):
        same(whole[row : row + 1], decide(case.intervals[row : row + 1], case.costs))


@law("Monotonicity", "criteria", SET_VALUED, case=situations(), room=st.floats(0.05, 0.5))
def less_knowledge(decide: Criterion, case: Situation, room: float) -> None:
    """A larger credal set leaves all that a smaller one leaves."""
    lower, upper = case.intervals.lower, case.intervals.upper
    wider = ProbabilityIntervals(lower * (1 - room), upper + (1 - upper) * room)
    within(decide(case.intervals, case.costs), decide(wider, case.costs))


@law("Reduction", "criteria", CRITERIA, case=situations())
def precise_probabilities(decide: Criterion, case: Situation) -> None:
    """Where the credal set is one distribution, what is chosen is of least expected cost."""
    p = case.intervals.center
    expected = p @ case.costs.T
    rest = np.sort(expected, axis=1)
    clear = rest[:, 1] - rest[:, 0] > 1e-6
    best = np.eye(p.shape[1], dtype=bool)[expected.argmin(axis=1)]
    same(decide(around(p, np.zeros_like(p)), case.costs)[clear], best[clear])


def _of_operator(sets: Any, costs: Any) -> np.ndarray:
    return maximality(sets.lower_expectation, costs)


PAIRS = {
    "gamma_maximax ⊆ e_admissibility": (gamma_maximax, e_admissibility),
    "e_admissibility ⊆ maximality": (e_admissibility, maximality),
    "gamma_maximin ⊆ maximality": (gamma_maximin, maximality),
    "hurwicz ⊆ maximality": (CRITERIA["hurwicz"], maximality),
    "maximality ⊆ interval_dominance": (maximality, interval_dominance),
    "maximality ⊆ maximality of an operator": (maximality, _of_operator),
    "maximality of an operator ⊆ maximality": (_of_operator, maximality),
}


@law(
    "Duality",
    "pairs of criteria",
    PAIRS,
    case=situations(),
    n_examples=30,
)
def nested_criteria(pair: tuple[Criterion, Criterion], case: Situation) -> None:
    """What the sharper criterion leaves, the milder one leaves too."""
    sharper, milder = pair
    within(sharper(case.intervals, case.costs), milder(case.intervals, case.costs))


@law("Invariance", "rules", RULES, p=probabilities(), level=levels)
def rows_of_a_rule_apart(rule: Rule, p: np.ndarray, level: float) -> None:
    """A row is decided the same whatever rows come with it."""
    whole = rule.decide(p, level)
    for row in range(len(p)):
        same(whole[row : row + 1], rule.decide(p[row : row + 1], level))


@law(
    "Invariance",
    "rules",
    RULES,
    exempt=dict.fromkeys(BY_CLASS, "here the threshold grows with the position of the class")
    | dict.fromkeys(BY_TREE, "here the tree joins classes by their position")
    | {"ordinal_sets": "the classes are ordered"},
    p=probabilities(),
    level=levels,
    seed=seeds,
)
def order_of_columns(rule: Rule, p: np.ndarray, level: float, seed: int) -> None:
    """The order of the classes, and so of the columns, does not matter."""
    order = np.random.default_rng(seed).permutation(p.shape[1])
    same(rule.decide(p, level)[:, order], rule.decide(p[:, order], level))


@law(
    "Monotonicity",
    "rules",
    RULES,
    exempt={
        "bias_window_rule": "a wider window can also move the answer to another class",
        "optimal_sets, tree": "a larger node may lie in another branch of the tree",
        "ratio_rule": "thresholds closer to each other can move the answer to another class",
    },
    p=probabilities(),
    level=levels,
    more=st.floats(0, 1),
)
def higher_demands(rule: Rule, p: np.ndarray, level: float, more: float) -> None:
    """Asking for more certainty turns answers into larger sets, never into others."""
    within(rule.decide(p, level), rule.decide(p, level + more * (1 - level)))


@law(
    "Invariance",
    "rules",
    {"chow_rule": None},
    case=situations(),
    seed=seeds,
    silent=st.floats(0.1, 3),
    by=st.sampled_from([1e-12, 0.5, 1e9]),
)
def units_of_costs(_: None, case: Situation, seed: int, silent: float, by: float) -> None:
    """Scaling all costs, or adding a number to all under one truth, changes no decision."""
    p, rng = case.intervals.center, np.random.default_rng(seed)
    decided = chow_rule(p, silent, case.costs)
    same(chow_rule(p, by * silent, by * case.costs), decided)
    more = rng.integers(0, 9, size=p.shape[1]) * 10.0 ** rng.integers(0, 7)
    same(chow_rule(p, silent + more, case.costs + more), decided)


TWO = {"two classes": None}


@law("Reduction", "rules", TWO, p=probabilities(k=2, max_rows=30), mu=st.floats(0.05, 1),
     nu=st.floats(0.01, 0.6))  # fmt: skip
def three_ways_to_chow(_: None, p: np.ndarray, mu: float, nu: float) -> None:
    """Chow's rule with costs (1, μ, ν) is a window on the score, two class thresholds, and a bias
    with a window."""
    costs = np.array([[0.0, 1.0], [mu, 0.0]])  # row n misses positives, row p negatives
    chow = chow_rule(p, nu, costs)
    lower, upper = AbstentionCostSurface.chow_window(mu, nu)
    same(cautious.decision.Rule.window(lower, upper).predict_set(p[:, 1]), chow)
    if nu < mu / (1 + mu):
        same(ratio_rule(p, [1 - nu, 1 - nu / mu]), chow)
        same(bias_window_rule(p, [1 / (1 + mu), mu / (1 + mu)], 1 - nu - nu / mu), chow)
    else:
        same(bias_window_rule(p, [1 / (1 + mu), mu / (1 + mu)], 0.0), chow)


@law("Reduction", "rules", {"any": None}, p=probabilities(), t=st.floats(0, 1))
def plain_rules_agree(_: None, p: np.ndarray, t: float) -> None:
    """One threshold t for all classes, Chow's rule at 1 − t, rejection and equal biases agree."""
    k = p.shape[1]
    expected = threshold_rule(p, t)
    same(class_threshold_rule(p, np.full(k, t)), expected)
    same(threshold_rule((p, p), t, sets=threshold_rule(p, 0)), expected)
    if (np.abs(p.max(axis=1) - t) > 1e-9).all():
        same(chow_rule(p, 1 - t), expected)
        window = (t - 1 / k) / (1 - 1 / k)
        if window >= 0:
            same(bias_window_rule(p, np.full(k, 1 / k), window), expected)


@law("Reduction", "rules", {"optimal_sets": None}, p=probabilities(), v=st.floats(0.5, 1.0))
def utilities_are_costs(_: None, p: np.ndarray, v: float) -> None:
    """The set of greatest expected utility is that of least expected utility cost."""
    k, u = p.shape[1], quadratic(v)
    same(optimal_sets(p, utility=u), optimal_sets(p, costs=utility_costs(k, u)))
    same(optimal_sets(p, utility=quadratic(0.5)), threshold_rule(p, 0.0))


@law("Reduction", "rules", {"optimal_sets": None}, case=situations())
def discounted_costs_pay_for_no_caution(_: None, case: Situation) -> None:
    """Under discounted costs no set costs less than its best member; neither at r = 0."""
    p = case.intervals.center
    costs = discounted(case.costs)
    best = p @ case.costs.T
    chosen = (costs.of(optimal_sets(p, costs=costs)) * p).sum(axis=1)
    same(chosen, best.min(axis=1))
    same(optimal_sets(p, costs=costs), optimal_sets(p, costs=p_discounted(case.costs, 0)))
