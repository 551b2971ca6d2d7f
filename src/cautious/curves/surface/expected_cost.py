r"""Expected cost where class shares and costs are uncertain: Drummond and Holte's view.

With a share :math:`\pi` of positives, shares :math:`a_e` of all positives and :math:`b_e` of all
negatives in the bins of the hull, the least cost is

.. math:: k(\mu, \nu, \pi) = \sum_e \min\{\pi a_e,\ \mu (1-\pi) b_e,\ \nu(\pi a_e + (1-\pi) b_e)\},

because scaling the classes moves no corner of the hull. For known costs it is piecewise linear in
:math:`\pi`: bin e is called negative up to one share, positive from another one on, and abstained
on between. So its expectation under a beta distribution needs only the distribution's own function
and that of its first moment at these shares.

Who must choose one window before the share and the costs are known cannot have that. A fixed window
costs :math:`\pi P(n|P) + \mu(1-\pi)P(p|N) + \nu\pi P(\bot|P) + \nu(1-\pi)P(\bot|N)`, linear in four
products, so the best one is the optimal window for their means, whatever the distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from cautious._result import Shown
from cautious._typing import Floats, Mask
from cautious.curves._hull import CostHull
from cautious.curves._window import Costs, check_costs

__all__ = ["ExpectedCost", "expected_cost"]

_COLUMNS = ("mu", "nu", "prior", "weight")


@dataclass(frozen=True, repr=False)
class ExpectedCost(Shown):
    """Cost expected of a classifier over uncertain class shares and costs.

    Attributes
    ----------
    adapted : float
        If the best window is taken once share and costs are known; in units of a false negative.
    fixed : float
        If one window is chosen beforehand, the best there is.
    lower, upper : float
        Its thresholds.
    """

    adapted: float
    fixed: float
    lower: float
    upper: float
    _draw: Callable[[], pd.DataFrame] = field(repr=False, compare=False)

    @property
    def worth_of_knowing(self) -> float:
        """How much less a case costs if share and costs become known before the window is set."""
        return self.fixed - self.adapted

    def curve(self) -> pd.DataFrame:
        """Cost against the share of positives, costs averaged: Drummond & Holte's curve."""
        return self._draw()

    def _facts(self) -> dict[str, Any]:
        window = {"lower": self.lower, "upper": self.upper}
        return {"adapted": self.adapted, "fixed": self.fixed, **window}


@dataclass(frozen=True)
class _Scenarios:
    """Relative costs with their weights, which add up to one."""

    mu: Floats
    nu: Floats
    weight: Floats

    def costs(self, positives: Floats, negatives: Floats, prior: Floats) -> Floats:
        """Least cost by scenario (rows) at shares of positives (columns, or one per row)."""
        a, b = positives, negatives
        mu, nu = self.mu[:, None, None], self.nu[:, None, None]
        p = prior[..., None]
        choices = (p * a, mu * (1 - p) * b, nu * (p * a + (1 - p) * b))
        return np.asarray(np.minimum(np.minimum(choices[0], choices[1]), choices[2]).sum(axis=-1))

    def turns(self, positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
        """Shares up to which each bin is called negative, and from which on positive."""
        a, b = positives, negatives
        mu, nu = self.mu[:, None], self.nu[:, None]
        pays = nu < mu / (1 + mu)
        low = _ratio(nu * b, (1 - nu) * a)
        high = _ratio((mu - nu) * b, nu * a)
        alone = _ratio(mu * b, a)
        return np.where(pays, low, alone), np.where(pays, high, alone)


def _ratio(part: Floats, other: Floats) -> Floats:
    """Share x / (x + y), 0 where both are nothing."""
    part, total = np.maximum(part, 0), np.maximum(part, 0) + np.maximum(other, 0)
    shares: Floats = np.divide(part, total, out=np.zeros(total.shape), where=total > 0)
    return shares


def expected_cost(hull: CostHull, priors: tuple[float, float], distribution: Any) -> ExpectedCost:
    """Work out what :meth:`AbstentionCostSurface.expected_cost` gives."""
    if min(priors) <= 0:
        raise ValueError(
            "a class has no example, so nothing is known of other class shares; give cases of both "
            "classes."
        )
    scenarios, prior = _read(distribution, priors[1])
    a, b = hull.positives / priors[1], hull.negatives / priors[0]
    if isinstance(prior, _Beta):
        adapted = float(scenarios.weight @ _expected(scenarios, prior, a, b))
        mean = np.full(len(scenarios.mu), prior.mean)
    else:
        adapted = float(scenarios.weight @ scenarios.costs(a, b, prior[:, None])[:, 0])
        mean = prior
    w, mu, nu = scenarios.weight, scenarios.mu, scenarios.nu
    means = Costs(
        np.asarray(w @ mean / priors[1]),
        np.asarray(w @ (mu * (1 - mean)) / priors[0]),
        np.asarray(w @ (nu * mean) / priors[1]),
        np.asarray(w @ (nu * (1 - mean)) / priors[0]),
    )
    corners = hull.corners(means)
    lower, upper = hull.thresholds(*corners)
    fixed = float(hull.cost(means, *corners))
    draw = partial(_curve, scenarios, a, b, _rates(a, b, *corners))
    return ExpectedCost(adapted, fixed, float(lower), float(upper), draw)


def _curve(
    scenarios: _Scenarios, a: Floats, b: Floats, rates: tuple[float, float, float, float]
) -> pd.DataFrame:
    """Lay the cost at every share where some bin changes its answer beside that of one window."""
    mu, nu, w = scenarios.mu, scenarios.nu, scenarios.weight
    stops = np.unique(np.concatenate([[0.0, 1.0], *(t.ravel() for t in scenarios.turns(a, b))]))
    by_share = np.zeros(len(stops))
    for i, weight in enumerate(w):  # one by one: shares times bins fill memory enough
        one = _Scenarios(mu[[i]], nu[[i]], w[[i]])
        by_share += weight * one.costs(a, b, stops[None])[0]
    fixed = stops * rates[0] + (w @ mu) * (1 - stops) * rates[1]
    fixed = fixed + (w @ nu) * (stops * rates[2] + (1 - stops) * rates[3])
    return pd.DataFrame({"prior": stops, "cost": by_share, "fixed": fixed})


def _rates(a: Floats, b: Floats, lower: Any, upper: Any) -> tuple[float, float, float, float]:
    """Rates of a window: missed positives, alarmed negatives, abstained of either."""
    below, between = slice(0, int(lower)), slice(int(lower), int(upper))
    return (
        float(a[below].sum()),
        float(b[int(upper) :].sum()),
        float(a[between].sum()),
        float(b[between].sum()),
    )


@dataclass(frozen=True)
class _Beta:
    """A beta distribution on part of the unit interval; with 1 and 1 the uniform one."""

    first: float
    second: float
    low: float
    high: float

    @property
    def mean(self) -> float:
        share = self.first / (self.first + self.second)
        return self.low + (self.high - self.low) * share

    def parts(self, x: Floats) -> tuple[Floats, Floats]:
        """Give the chance of a share up to x, and that part of the mean."""
        z = np.clip((x - self.low) / (self.high - self.low), 0, 1)
        chance = stats.beta.cdf(z, self.first, self.second)
        share = self.first / (self.first + self.second)
        part = share * stats.beta.cdf(z, self.first + 1, self.second)
        return chance, self.low * chance + (self.high - self.low) * part


def _expected(scenarios: _Scenarios, prior: _Beta, a: Floats, b: Floats) -> Floats:
    low, high = scenarios.turns(a, b)
    mu, nu = scenarios.mu[:, None], scenarios.nu[:, None]
    (chance_low, part_low), (chance_high, part_high) = prior.parts(low), prior.parts(high)
    abstained = nu * (b * (chance_high - chance_low) + (a - b) * (part_high - part_low))
    alarmed = mu * b * ((1 - chance_high) - (prior.mean - part_high))
    return np.asarray((a * part_low + abstained + alarmed).sum(axis=1))


def _read(distribution: Any, own: float) -> tuple[_Scenarios, Floats | _Beta]:
    """Read scenarios of costs, and the class share: one each, or a distribution."""
    if not isinstance(distribution, Mapping | pd.DataFrame):
        raise TypeError(
            f"distribution is of type {type(distribution).__name__}; give a mapping or a frame "
            "with mu, nu and, if they are not the sample's or not alike, prior and weight."
        )
    given = {str(name): distribution[name] for name in distribution}
    unknown = [name for name in given if name not in _COLUMNS]
    missing = [name for name in ("mu", "nu") if name not in given]
    if unknown or missing:
        raise ValueError(
            f"distribution has {', '.join(given) or 'nothing'}; give mu and nu, and prior and "
            "weight if there are any."
        )
    share = given.get("prior", own)
    beta = _frozen(share) if hasattr(share, "cdf") else None
    columns = [given["mu"], given["nu"], given.get("weight", 1.0), own if beta else share]
    mu, nu, weight, prior = _together(columns)
    check_costs(mu, nu, None)
    _refuse("weight", weight, (weight >= 0) & np.isfinite(weight), "not negative")
    _refuse("prior", prior, (prior >= 0) & (prior <= 1), "between 0 and 1")
    if not weight.sum() > 0:
        raise ValueError("the weights of distribution add up to nothing; give one above 0.")
    scenarios = _Scenarios(mu, nu, weight / weight.sum())
    return scenarios, prior if beta is None else beta


def _together(columns: list[npt.ArrayLike]) -> list[Floats]:
    arrays = [np.atleast_1d(np.asarray(column, dtype=np.float64)) for column in columns]
    try:
        return [np.asarray(each).ravel() for each in np.broadcast_arrays(*arrays)]
    except ValueError as error:
        sizes = ", ".join(str(len(each)) for each in arrays)
        raise ValueError(
            f"mu, nu, weight and prior of distribution have the lengths {sizes}; give one number, "
            "or as many of each as there are scenarios."
        ) from error


def _refuse(name: str, values: Floats, fine: Mask, allowed: str) -> None:
    wrong = np.flatnonzero(~fine)
    if len(wrong):
        raise ValueError(
            f"{name} of distribution is {values[wrong[0]]} in scenario {wrong[0]}; it has to be "
            f"{allowed}."
        )


def _frozen(prior: Any) -> _Beta:
    name = getattr(getattr(prior, "dist", None), "name", type(prior).__name__)
    low, high = (float(end) for end in prior.support())
    if name not in ("beta", "uniform") or not 0 <= low < high <= 1:
        raise ValueError(
            f"prior of distribution is {name} on [{low:g}, {high:g}]; give scipy.stats.beta or "
            "scipy.stats.uniform within [0, 1], or a prior and a weight for each scenario."
        )
    if name == "uniform":
        return _Beta(1.0, 1.0, low, high)
    named = dict(zip(("a", "b"), prior.args, strict=False)) | prior.kwds
    return _Beta(float(named["a"]), float(named["b"]), low, high)
