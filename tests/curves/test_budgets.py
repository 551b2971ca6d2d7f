"""Windows under a budget against every window tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.curves import AbstentionCostSurface
from cautious.curves import _budgets as budgets


def costs_of(table, mu, per):
    """Cost and abstention of every window; no cost where nothing is answered."""
    cost, abstention = table[:, 0] + mu * table[:, 1], table[:, 2:].sum(axis=1)
    if per == "case":
        return cost, abstention
    answered = 1 - abstention
    nothing = answered < 1e-12
    return np.where(nothing, 0.0, cost / np.where(nothing, 1, answered)), abstention


def test_looking_into_few_blocks_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    surfaces = []
    for decimals in (2, 9):
        score = rng.random(500).round(decimals)
        y = rng.random(500) < score
        surfaces.append(AbstentionCostSurface.from_predictions(y, score, pos_label=True))

    def windows():
        return [
            (found.lower, found.upper)
            for surface in surfaces
            for budget in (0.0, 0.02, 0.1, 0.2, 0.4)
            for mu in (0.5, 1.0)
            for found in (
                surface.for_max_abstention(budget, mu=mu),
                surface.for_max_error(budget, mu=mu),
            )
        ]

    together = windows()  # one block holds all
    monkeypatch.setattr(budgets, "_BLOCK", 8)
    assert windows() == together


@pytest.mark.parametrize("per", ["answer", "case"])
@given(data=st.data())
def test_bounded_abstention_is_the_best_of_all_windows(data, per, cases):
    case = data.draw(cases)
    mu = data.draw(st.sampled_from([0.0, 0.3, 1.0, 2.5]))
    budget = data.draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
    surface = case.surface()
    cost, abstention = costs_of(case.windows(), mu, per)
    feasible = abstention <= budget + 1e-12
    if per == "answer":
        feasible &= abstention < 1 - 1e-12  # a mean over no answers is none
    best = cost[feasible].min()
    found = surface.for_max_abstention(budget, mu=mu, per=per)
    assert found.abstention <= budget + 1e-9
    height = found.relative_cost(mu, 0)
    assert (height if per == "case" else height / found.coverage) == pytest.approx(best, abs=1e-9)
    least = abstention[feasible & (cost <= best + 1e-13)].min()
    assert found.abstention <= least + 1e-9


@pytest.mark.parametrize("per", ["answer", "case"])
@given(data=st.data())
def test_bounded_cost_abstains_least_of_all_windows(data, per, cases):
    case = data.draw(cases)
    mu = data.draw(st.sampled_from([0.0, 0.3, 1.0, 2.5]))
    budget = data.draw(st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 5.0]))
    surface = case.surface()
    cost, abstention = costs_of(case.windows(), mu, per)
    feasible = cost <= budget + 1e-13
    found = surface.for_max_error(budget, mu=mu, per=per)
    assert found.abstention == pytest.approx(abstention[feasible].min(), abs=1e-9)
    height = found.relative_cost(mu, 0)
    if per == "answer" and found.coverage > 1e-9:
        height /= found.coverage
    assert height <= budget + 1e-9
    equals = feasible & (abstention <= abstention[feasible].min() + 1e-12)
    assert height == pytest.approx(cost[equals].min(), abs=1e-9)


def test_budgets_on_real_scores(weka):
    surface = AbstentionCostSurface.from_predictions(weka.actual, weka.NB)
    free = surface.for_max_abstention(0.0)
    assert free.abstention == 0
    assert free.error == pytest.approx(surface.cost(1, 1))
    some = surface.for_max_abstention(0.05)
    assert 0 < some.abstention <= 0.05
    assert some.selective_error < free.error
    strict = surface.for_max_error(0.01)
    assert strict.selective_error <= 0.01
    half = surface.for_saving(0.5)
    assert half.selective_error <= free.error / 2
    assert surface.for_saving(0.0).abstention == 0
    per_case = surface.for_max_error(0.01, per="case")
    assert per_case.error <= 0.01
    assert per_case.abstention <= strict.abstention


def test_nothing_can_be_answered_within_a_hopeless_budget():
    surface = AbstentionCostSurface.from_predictions([0, 1, 0, 1], [1, 1, 2, 2])
    nothing = surface.for_max_error(0.1)
    assert nothing.abstention == 1
    assert (nothing.lower, nothing.upper) == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.for_max_abstention(-0.1), "max_abstention is -0.1"),
        (lambda s: s.for_max_abstention(1.1), "max_abstention is 1.1"),
        (lambda s: s.for_max_abstention(0.1, per="row"), "per is 'row'"),
        (lambda s: s.for_max_abstention(0.1, mu=-1), "mu is -1"),
        (lambda s: s.for_max_error(-1), "max_error is -1"),
        (lambda s: s.for_max_error(np.nan), "max_error is nan"),
        (lambda s: s.for_max_error(0.1, per="row"), "per is 'row'"),
        (lambda s: s.for_saving(1.5), "min_saving is 1.5"),
    ],
)
def test_bad_budgets_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(AbstentionCostSurface.from_predictions([0, 1], [1, 2]))
