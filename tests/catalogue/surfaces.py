"""Laws between curves, and along them: costs that grow, windows that shrink, sides that swap."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from tests.catalogue.agreement import at_most, same
from tests.catalogue.law import law
from tests.catalogue.strategies import (
    Batch,
    Scores,
    batches,
    binary_batches,
    relative_costs,
    scores,
)

from cautious.costs import zero_one
from cautious.curves import (
    AbstentionCostSurface,
    CapacityCurve,
    ResponseCurve,
    RiskCoverageCurve,
)
from cautious.metrics import capacity_score, efficacy_score, error_score, selective_accuracy_score

SURFACE = {"AbstentionCostSurface": None}
shares = st.floats(0, 1)


def surface_of(case: Scores) -> AbstentionCostSurface:
    return AbstentionCostSurface.from_predictions(case.truth, case.score, sample_weight=case.weight)


@law("Monotonicity", "curves", SURFACE, case=scores(), mu=relative_costs, nu=relative_costs,
     more=relative_costs)  # fmt: skip
def higher_costs_of_mistakes(_: None, case: Scores, mu: float, nu: float, more: float) -> None:
    """Larger μ or ν never lower the surface; larger ν never means more abstention."""
    surface = surface_of(case)
    at_most(surface.cost(mu, nu), surface.cost(mu + more, nu))
    at_most(surface.cost(mu, nu), surface.cost(mu, nu + more))
    at_most(surface.abstention(mu, nu + more), surface.abstention(mu, nu))


@law("Monotonicity", "curves", SURFACE, case=scores(), a=st.tuples(relative_costs, relative_costs),
     b=st.tuples(relative_costs, relative_costs))  # fmt: skip
def concave_surface(_: None, case: Scores, a: tuple[float, float], b: tuple[float, float]) -> None:
    """The surface is concave: it is the least of planes."""
    cost = surface_of(case).cost
    middle = cost((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    at_most((cost(*a) + cost(*b)) / 2, middle)


@law("Reduction", "curves", SURFACE, case=scores(), mu=relative_costs, far=st.floats(0, 5))
def ends_of_the_surface(_: None, case: Scores, mu: float, far: float) -> None:
    """At ν = 0 abstaining is free and so is all; from μ/(1+μ) on nothing is abstained on."""
    surface = surface_of(case)
    same(surface.cost(mu, 0.0), 0.0)
    edge = mu / (1 + mu)
    same(surface.cost(mu, edge + far), surface.cost(mu, edge))
    same(surface.abstention(mu, edge + far + 1e-9), 0.0)


@law("Duality", "curves", SURFACE, case=scores(), mu=st.floats(0.01, 3), nu=relative_costs)
def flipped_surface(_: None, case: Scores, mu: float, nu: float) -> None:
    """Swapping the classes is the same surface in units of the other mistake."""
    surface = surface_of(case)
    other = surface.flipped()
    same(surface.cost(mu, nu), mu * other.cost(1 / mu, nu / mu))
    same(other.flipped().vacc(), surface.vacc())


@law("Duality", "curves", SURFACE, case=scores(), other=scores(), mu=relative_costs,
     nu=relative_costs)  # fmt: skip
def differences_change_sign(_: None, case: Scores, other: Scores, mu: float, nu: float) -> None:
    """The difference of two surfaces is less that the other way round, and 0 with itself."""
    a = AbstentionCostSurface.from_predictions(case.truth, case.score, priors=(0.5, 0.5))
    b = AbstentionCostSurface.from_predictions(other.truth, other.score, priors=(0.5, 0.5))
    same(a.differential(b).cost(mu, nu), -b.differential(a).cost(mu, nu))
    same(a.differential(b).vacc(), -b.differential(a).vacc())
    same(a.differential(a).cost(mu, nu), 0.0)


@law("Invariance", "curves", SURFACE, case=scores(), mu=relative_costs, nu=relative_costs)
def only_the_order_of_scores(_: None, case: Scores, mu: float, nu: float) -> None:
    """Any rising function of the scores leaves surface, abstention and VACC as they are."""
    surface, bent = surface_of(case), surface_of(case._replace(score=np.arctan(case.score)))
    same(bent.cost(mu, nu), surface.cost(mu, nu))
    same(bent.abstention(mu, nu), surface.abstention(mu, nu))
    same(bent.vacc(), surface.vacc())


@law("Reduction", "curves", SURFACE, case=scores(), mu=relative_costs, nu=relative_costs)
def a_window_costs_what_the_surface_says(_: None, case: Scores, mu: float, nu: float) -> None:
    """The optimal window, used as a classifier, costs what the surface says."""
    surface = surface_of(case)
    plane = surface.window_at(*surface.window(mu, nu))
    same(plane.relative_cost(mu, nu), surface.cost(mu, nu))
    sets = plane.predict_set(case.score)
    missed = ~sets[np.arange(len(sets)), case.truth]
    each = np.where(sets.all(axis=1), nu, missed * np.where(case.truth == 1, 1.0, mu))
    same(np.average(each, weights=case.weight), surface.cost(mu, nu))


@law("Invariance", "curves", SURFACE, case=scores(), by=st.floats(0.01, 100), fn=st.floats(0.5, 9),
     fp=st.floats(0.5, 9), silent=st.floats(0, 5))  # fmt: skip
def units_of_costs(_: None, case: Scores, by: float, fn: float, fp: float, silent: float) -> None:
    """Costs in other units, or with a number added under a truth, have the same best window."""
    surface = surface_of(case)
    table = np.array([[0.0, fn], [fp, 0.0], [silent, silent]])
    best, scaled = surface.for_costs(table), surface.for_costs(by * table)
    same(scaled.cost, by * best.cost)
    moved = surface.for_costs(table + np.array([2.0, 3.0]))
    negative, positive = surface.priors
    same(moved.cost, best.cost + 2 * negative + 3 * positive)


@law("Monotonicity", "curves", SURFACE, case=scores(), budget=shares, more=shares)
def larger_budgets(_: None, case: Scores, budget: float, more: float) -> None:
    """A larger budget of abstention costs no more; a larger budget of cost needs no more of it."""
    surface = surface_of(case)
    little, much = sorted((budget, more))
    for per in ("answer", "case"):
        cheap = [surface.for_max_abstention(share, per=per) for share in (little, much)]
        costs = [p.selective_error if per == "answer" else p.error for p in cheap]
        at_most(costs[1], costs[0])
        kept = [surface.for_max_error(cost, per=per) for cost in (little, much)]
        at_most(kept[1].abstention, kept[0].abstention)


RISK = {"RiskCoverageCurve": None}


@law("Monotonicity", "curves", RISK, batch=batches(), risk=shares, more=shares)
def more_risk_more_coverage(_: None, batch: Batch, risk: float, more: float) -> None:
    """A larger risk allows no less coverage, and the risk asked for is kept."""
    curve = RiskCoverageCurve.from_predictions(
        batch.truth, batch.proba, classes=range(batch.n_classes), sample_weight=batch.weight
    )
    little, much = sorted((risk, more))
    at_most(curve.coverage_at_risk(little), curve.coverage_at_risk(much))
    reached = curve.coverage_at_risk(much)
    if reached > 1e-9:
        at_most(curve.risk_at_coverage(reached), much)
    at_most(curve.threshold_at_risk(much).coverage, reached)


@law("Reduction", "curves", RISK, batch=batches())
def constant_confidence(_: None, batch: Batch) -> None:
    """Where all answers are equally sure, AURC is the error and AUGRC half of it."""
    curve = RiskCoverageCurve.from_predictions(
        batch.truth,
        batch.proba,
        classes=range(batch.n_classes),
        sample_weight=batch.weight,
        confidence=np.zeros(len(batch.truth)),
    )
    error = np.average(batch.proba.argmax(axis=1) != batch.truth, weights=batch.weight)
    same([curve.aurc, curve.augrc], [error, error / 2])


@law("Monotonicity", "curves", {"ResponseCurve": None}, batch=batches(min_rows=4))
def wider_windows(_: None, batch: Batch) -> None:
    """A wider window abstains more and errs less."""
    curve = ResponseCurve.from_predictions(
        batch.truth, batch.proba, classes=range(batch.n_classes), sample_weight=batch.weight
    )
    assert (np.diff(curve.window) > 0).all()
    assert (np.diff(curve.abstention) >= -1e-12).all()
    assert (np.diff(curve.measure("error")) <= 1e-12).all()


@law("Reduction", "curves", {"ResponseCurve": None}, batch=batches(min_rows=4))
def zero_one_costs(_: None, batch: Batch) -> None:
    """With 0/1 costs and free abstention the cost response is the error response."""
    k = batch.n_classes
    curve = ResponseCurve.from_predictions(
        batch.truth, batch.proba, classes=range(k), sample_weight=batch.weight
    )
    table = np.vstack([zero_one(k), np.zeros(k)])
    same(curve.measure("cost", costs=table), curve.measure("error"))


CAPACITY = {"CapacityCurve": None}


@law("Reduction", "curves", CAPACITY, batch=batches())
def capacity_and_measures(_: None, batch: Batch) -> None:
    """The capacity graph is that of the measures; without abstention capacity is efficacy."""
    case = {"classes": range(batch.n_classes), "sample_weight": batch.weight}
    curve = CapacityCurve.from_predictions(batch.truth, batch.mask, **case)
    same(curve.capacity, capacity_score(batch.truth, batch.mask, **case))
    same(curve.own_error, error_score(batch.truth, batch.mask, **case))
    singles = np.eye(batch.n_classes, dtype=bool)[batch.forced]
    same(capacity_score(batch.truth, singles, **case), efficacy_score(batch.truth, singles, **case))
    same(
        1 - error_score(batch.truth, singles, **case),
        selective_accuracy_score(batch.truth, singles, **case),
    )


@law(
    "Monotonicity", "curves", CAPACITY, batch=binary_batches(), other=binary_batches(), alpha=shares
)
def mixtures_are_no_worse(_: None, batch: Batch, other: Batch, alpha: float) -> None:
    """The hull of several classifiers errs no more than any of them, at any abstention."""
    curves = {
        name: CapacityCurve.from_predictions(b.truth, b.mask, classes=[0, 1])
        for name, b in {"one": batch, "other": other}.items()
    }
    hull = CapacityCurve.hull(curves)
    for curve in curves.values():
        at_most(hull.error(alpha), curve.error(alpha))
        at_most(curve.capacity, hull.capacity)
