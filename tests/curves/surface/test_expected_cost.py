"""Uncertain class shares and costs: against quadrature, brute force over windows, and VACC."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from cautious.curves import AbstentionCostSurface, Staircase


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.4
    return y, np.round(y + rng.normal(size=60), 1)


@pytest.fixture(scope="module")
def surface(data):
    return AbstentionCostSurface.from_predictions(*data)


def at_share(data, prior):
    return AbstentionCostSurface.from_predictions(*data, priors=(1 - prior, prior))


@pytest.mark.parametrize(
    "prior", [stats.beta(2, 5), stats.beta(a=0.7, b=0.5), stats.uniform(0.1, 0.3)]
)
@pytest.mark.parametrize(("mu", "nu"), [(1.0, 0.2), (0.5, 0.9), (1.0, 0.0), (0.0, 0.2)])
def test_the_integral_is_the_quadrature(surface, data, prior, mu, nu):
    low, high = prior.support()
    found = surface.expected_cost({"mu": mu, "nu": nu, "prior": prior})
    x, cost = found.curve()[["prior", "cost"]].to_numpy().T
    nodes = np.linspace(low, high, 9)[1:-1]
    exact = [at_share(data, p).cost(mu, nu) for p in nodes]
    np.testing.assert_allclose(np.interp(nodes, x, cost), exact, atol=1e-12)
    # Linear between the rows, so quadrature on each piece has nothing to miss.
    stops = [low, *x[(x > low) & (x < high)], high]
    area = sum(
        integrate.quad(lambda p: np.interp(p, x, cost) * prior.pdf(p), a, b, epsabs=1e-10)[0]
        for a, b in pairwise(stops)
    )
    assert found.adapted == pytest.approx(area, abs=1e-7)


def test_scenarios_are_averaged(surface, data):
    rows = pd.DataFrame(
        {"mu": [1, 0.2, 0.7], "nu": [0.1, 0.1, 0.4], "prior": [0.1, 0.5, 0.9], "weight": [1, 2, 5]}
    )
    each = [at_share(data, r.prior).cost(r.mu, r.nu) for r in rows.itertuples()]
    found = surface.expected_cost(rows)
    assert found.adapted == pytest.approx(np.average(each, weights=rows["weight"]))
    assert found.adapted <= found.fixed
    assert found.worth_of_knowing == found.fixed - found.adapted


@pytest.mark.parametrize("seed", range(5))
def test_no_fixed_window_is_cheaper(data, surface, seed):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(rng.random((4, 4)), columns=["mu", "nu", "prior", "weight"])
    rows["nu"] *= 0.4
    found = surface.expected_cost(rows)
    y, score = data
    cuts = np.concatenate([[-np.inf], np.unique(score)[:-1] + 0.05, [np.inf]])
    share = rows["weight"] / rows["weight"].sum()

    def cost(lower, upper):
        missed, alarmed = np.mean(score[y] <= lower), np.mean(score[~y] >= upper)
        silent = [np.mean((lower < score[c]) & (score[c] < upper)) for c in (y, ~y)]
        p, q = rows["prior"], 1 - rows["prior"]
        per = p * missed + rows["mu"] * q * alarmed
        return float(share @ (per + rows["nu"] * (p * silent[0] + q * silent[1])))

    every = [cost(a, b) for i, a in enumerate(cuts) for b in cuts[i:]]
    assert found.fixed == pytest.approx(min(every))
    assert cost(found.lower, found.upper) == pytest.approx(found.fixed)
    # The curve of the fixed window passes through its cost at every share.
    curve = surface.expected_cost({"mu": 0.5, "nu": 0.2, "prior": stats.beta(2, 2)}).curve()
    assert (curve["fixed"] >= curve["cost"] - 1e-12).all()


def test_known_shares_and_even_costs_are_vacc(surface):
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x, w = (nodes + 1) / 2, weights / 2
    mu, nu = (part.ravel() for part in np.meshgrid(x, x))
    found = surface.expected_cost({"mu": mu, "nu": nu, "weight": np.outer(w, w).ravel()})
    assert found.adapted == pytest.approx(surface.vacc(), abs=2e-4)
    alone = surface.expected_cost({"mu": 0.4, "nu": 0.2})
    assert alone.adapted == pytest.approx(surface.cost(0.4, 0.2))
    assert alone.worth_of_knowing == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    (r"distribution", "message"),
    [
        ({"mu": 1}, "distribution has mu; give mu and nu"),
        ({"mu": 1, "nu": 1, "cost": 1}, "distribution has mu, nu, cost"),
        ({"mu": 1, "nu": 1, "prior": 2}, r"distribution\['prior'\]\[0\] is 2;"),
        ({"mu": 1, "nu": 1, "weight": [1, -1]}, r"distribution\['weight'\]\[1\] is -1;"),
        ({"mu": 1, "nu": 1, "weight": 0}, "add up to nothing"),
        ({"mu": [1, 1], "nu": [1, 1, 1]}, "have the lengths 2, 3, 1, 1"),
        ({"mu": 1, "nu": 1, "prior": stats.norm(0.5, 0.1)}, "prior of distribution is norm on"),
        ({"mu": 1, "nu": 1, "prior": stats.uniform(0, 2)}, r"uniform on \[0, 2\]"),
        ({"mu": -1, "nu": 1}, "mu"),
    ],
)
def test_what_is_no_distribution(surface, distribution, message):
    with pytest.raises(ValueError, match=message):
        surface.expected_cost(distribution)


def test_a_list_is_no_distribution(surface):
    with pytest.raises(TypeError, match="distribution is of type list; give a mapping"):
        surface.expected_cost([1, 2])


def test_a_class_without_examples():
    stairs = Staircase.from_counts([1.0], [0], [2], (0, 1))
    with pytest.warns(UserWarning, match="no example of class"):
        alone = AbstentionCostSurface(stairs)
    with pytest.raises(ValueError, match="a class has no example"):
        alone.expected_cost({"mu": 1, "nu": 1})
