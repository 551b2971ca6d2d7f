"""Branch and bound: equal to trying all sets, compiled or not, and honest when cut short."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cautious.costs import abellan_masegosa, discounted, f_beta_costs, ordinal, owa, p_discounted
from cautious.costs._extensions import PowerMeanCosts
from cautious.costs._set_costs import all_sets
from cautious.decision.optimal import branch_and_bound as search
from cautious.decision.optimal.branch_and_bound import (
    branch_and_bound,
    problem_of,
    start,
)
from cautious.decision.optimal.families import Ranked, Smooth, Split

inf = np.inf
# Powers of right and of wrong sets, what they are solved as, and whether zero costs are allowed.
POWERS = [
    (0.5, 0.5, Smooth, True),
    (0.2, 0.2, Smooth, True),
    (0.37, 0.37, Smooth, True),
    (0.05, 0.05, Smooth, True),
    (1.0, 1.0, Smooth, True),
    (0.0, 0.0, Smooth, False),
    (-1.0, -1.0, Smooth, False),
    (-2.5, -2.5, Smooth, False),
    (0.5, 1.5, Split, True),
    (0.1, 1.9, Split, True),
    (0.0, 2.0, Split, True),
    (0.0, 0.5, Split, True),
    (0.3, inf, Split, True),
    (-inf, 0.7, Split, True),
    (1.5, 0.5, Split, True),
    (0.5, -inf, Split, True),
    (2.0, 1.2, Split, True),
    (-1.0, 3.0, Split, False),
    (-inf, -inf, Ranked, True),
]


def matrices(K, zeros):
    """Cost matrices with ties, with and without a zero diagonal, ordinal or not."""
    least = 0 if zeros else 1
    whole = st.lists(st.integers(least, 4), min_size=K * K, max_size=K * K)
    real = st.lists(st.floats(0.1, 9), min_size=K * K, max_size=K * K)
    free = st.one_of(whole, real).map(lambda c: np.array(c, dtype=float).reshape(K, K))
    right = free.map(lambda c: c * (1 - np.eye(K)) if zeros else c)
    return st.one_of(free, right, st.just(ordinal(K) + (not zeros)))


def distributions(K):
    """Probabilities with many ties and zeros, as well as none."""
    whole = st.lists(st.integers(0, 4), min_size=K, max_size=K).filter(any)
    real = st.lists(st.floats(0.01, 1), min_size=K, max_size=K)
    return st.one_of(whole, real).map(lambda w: np.array([w], dtype=float) / sum(w))


def by_trying_all(p, costs):
    """The cheapest of all sets, or None if sets differ by about as much as rounding errors."""
    sets = all_sets(costs.n_classes)
    expected = p @ costs.of(sets).T
    above = expected - expected.min()
    tie = 1e-12 * expected.min() + 1e-15 * costs.singletons().max()
    unclear = ((above > tie / 100) & (above < 100 * tie)).any()
    return None if unclear else sets[np.argmax(above <= tie)]


def compare(p, costs, kind):
    problem = problem_of(costs)
    assert isinstance(problem, kind)
    mask, gap = branch_and_bound(problem, p, max_nodes=100_000, accelerate=False)
    least = (p @ costs.of(all_sets(costs.n_classes)).T).min(axis=1)
    np.testing.assert_allclose((costs.of(mask) * p).sum(axis=1), least, rtol=1e-9, atol=1e-14)
    for row, chosen in zip(p, mask, strict=True):
        best = by_trying_all(row, costs)
        if best is not None:
            np.testing.assert_array_equal(chosen, best)
    np.testing.assert_array_equal(gap, 0)


@pytest.mark.parametrize(("right", "wrong", "kind", "zeros"), POWERS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_power_means(right, wrong, kind, zeros, data):
    K = data.draw(st.integers(2, 6))
    matrix = data.draw(matrices(K, zeros))
    assume(matrix.any())
    compare(data.draw(distributions(K)), PowerMeanCosts(matrix, right, wrong), kind)


def test_means_that_rounding_puts_below_zero():
    matrix = np.zeros((6, 6))
    matrix[[0, 0, 3, 4], [4, 5, 2, 2]] = 1
    matrix[[1, 2, 3], [5, 5, 1]] = 2
    matrix[5, 5] = 4
    compare(np.array([[0, 0, 1, 0, 1, 1]]) / 3, PowerMeanCosts(matrix, 0.3, inf), Split)


def test_a_geometric_mean_of_zeros_is_split():
    assert isinstance(problem_of(PowerMeanCosts(ordinal(4), 0, 0)), Split)
    p = np.array([[0.3, 0.3, 0.2, 0.2]])
    compare(
        p, PowerMeanCosts([[0, 1, 2, 0], [1, 0, 1, 3], [2, 0, 0, 1], [3, 2, 1, 0]], 0, 0), Split
    )


@pytest.mark.parametrize("tolerance", [0.5, 0.55, 0.8, 0.95, 1.0])
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_ordered_averages(tolerance, data):
    K = data.draw(st.integers(2, 6))
    matrix = data.draw(matrices(K, zeros=True))
    compare(data.draw(distributions(K)), owa(matrix, tolerance), Ranked)


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_logarithmic_costs(data):
    K = data.draw(st.integers(2, 6))
    matrix = data.draw(matrices(K, zeros=True))
    compare(data.draw(distributions(K)), abellan_masegosa(matrix), Split)


@pytest.mark.parametrize(
    "costs",
    [
        p_discounted(ordinal(11), r=0.5),
        p_discounted(ordinal(11), r=0.8),
        p_discounted(ordinal(11, power=2), r=0.8, attitude="averse"),
        owa(ordinal(11), 0.7),
        abellan_masegosa(ordinal(11)),
    ],
    ids=["cautious", "very cautious", "averse", "owa", "logarithmic"],
)
def test_eleven_classes_against_all_sets(costs):
    p = np.random.default_rng(0).dirichlet(np.full(11, 0.7), size=8)
    compare(p, costs, (Smooth, Split, Ranked))


# The compiler takes half a minute for the first family of costs, and seconds for the others.
COMPILED = [
    pytest.param(lambda K: p_discounted(ordinal(K), r=0.6), id="smooth"),
    pytest.param(lambda K: p_discounted(ordinal(K), r=0.6, attitude="averse"), id="split"),
    pytest.param(lambda K: owa(ordinal(K), 0.7), id="ranked"),
]


@pytest.mark.slow
@pytest.mark.parametrize("make", COMPILED)
@pytest.mark.parametrize("K", [6, 22])
def test_compiled_and_plain_agree(make, K):
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.dirichlet(np.full(K, a), size=5) for a in (0.1, 0.5)])
    p = np.vstack([p, np.eye(K)[:2], np.full(K, 1 / K), np.repeat([2.0, 0.0], K // 2) / K])
    problem = problem_of(make(K))
    plain, none = branch_and_bound(problem, p, max_nodes=3000, accelerate=False)
    fast, gap = branch_and_bound(problem, p, max_nodes=3000, accelerate=True)
    np.testing.assert_array_equal(fast, plain)
    np.testing.assert_allclose(gap, none, atol=1e-9)


@pytest.mark.parametrize("attitude", ["cautious", "averse"])
@pytest.mark.parametrize("max_nodes", [0, 1, 5, 40])
def test_a_search_cut_short_gives_a_true_bound(attitude, max_nodes):
    costs = p_discounted(ordinal(12), r=0.9, attitude=attitude)
    p = np.random.default_rng(2).dirichlet(np.ones(12), size=6)
    mask, gap = branch_and_bound(problem_of(costs), p, max_nodes=max_nodes, accelerate=False)
    excess = (costs.of(mask) * p).sum(axis=1) - (p @ costs.of(all_sets(12)).T).min(axis=1)
    assert (excess <= gap + 1e-12).all()
    assert (excess[gap == 0] < 1e-12).all()
    if max_nodes < 5:
        assert gap.any()


def test_among_very_many_ties_the_first_set_is_found():
    # Classes in groups of three alike: at equal probabilities very many sets cost the same.
    group = np.arange(12) // 3
    matrix = 1.0 + (group[:, None] != group) - np.eye(12)
    p = np.array([np.full(12, 1 / 12), np.repeat([1, 0, 0, 1], 3) / 6])
    for power in (0.5, 0.3):
        compare(p, PowerMeanCosts(matrix, power, power), Smooth)
        compare(p, PowerMeanCosts(matrix, power, 1.2), Split)


def test_a_tie_that_is_met_later_but_comes_first():
    pair = np.arange(6) // 2
    costs = PowerMeanCosts(1.0 + (pair[:, None] != pair) - np.eye(6), 0.5, 0.5)
    p = np.array([[1, 0, 1, 1, 2, 0]]) / 5
    tied = costs.of([[0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 0]]) @ p[0]
    assert tied[0] == pytest.approx(tied[1], rel=1e-14)
    mask, _ = branch_and_bound(problem_of(costs), p, max_nodes=100, accelerate=False)
    assert np.flatnonzero(mask).tolist() == [2, 4]


def test_what_cannot_be_searched_says_why():
    assert "nothing is known about SizeCosts" in problem_of(f_beta_costs(3))
    assert "nearer to 0 than 0.001" in problem_of(PowerMeanCosts(ordinal(3), 1e-5, 1e-5))
    assert "too far apart" in problem_of(PowerMeanCosts([[1, 1e-9], [1, 1]], -40, -40))
    assert "no set pays" in problem_of(owa(ordinal(3), 0.4))
    assert isinstance(problem_of(discounted(np.zeros((2, 2)))), Smooth)


def test_a_problem_is_described_once():
    costs = p_discounted(ordinal(5), r=0.5)
    assert problem_of(costs) is problem_of(costs)


def test_sets_do_not_depend_on_where_a_long_search_starts_again(monkeypatch):
    p = np.random.default_rng(4).dirichlet(np.ones(40), 3)
    problem = problem_of(p_discounted(ordinal(40), r=0.8))
    begun = []
    monkeypatch.setattr(search, "start", lambda *args: (begun.append(args[2]), start(*args)))
    found = []
    for patience in (0, 3):  # no node is the zeroth
        monkeypatch.setattr(search, "_PATIENCE", patience)
        mask, gap = branch_and_bound(problem, p, max_nodes=10_000, accelerate=False)
        assert not gap.any()
        found.append(mask)
        assert bool(begun) == bool(patience)
    np.testing.assert_array_equal(*found)
