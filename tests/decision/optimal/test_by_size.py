"""Sets by size: sorting, lazy selection and trying all sets agree, to the last tie."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.decision.optimal.test_branch_and_bound import distributions

from cautious.costs import SetCosts, f_beta_costs, utility_costs
from cautious.costs._extensions import SizeCosts
from cautious.costs._set_costs import all_sets
from cautious.decision import optimal_sets
from cautious.decision.optimal import by_size
from cautious.decision.optimal._candidates import compiled, have_numba
from cautious.decision.optimal.by_size import sets_by_size
from cautious.utility import exponential, logarithmic, u65, u80

COSTS = {
    "u65": lambda K: utility_costs(K, u65),
    "u80": lambda K: utility_costs(K, u80),
    "log": lambda K: utility_costs(K, logarithmic),
    "exponential": lambda K: utility_costs(K, exponential(2.0)),
    "F1": lambda K: f_beta_costs(K, 1.0),
    "F0": lambda K: f_beta_costs(K, 0.0),
    "linear": lambda K: utility_costs(K, lambda x: x),
    "never worth it": lambda K: SizeCosts(np.append(0, np.full(K - 1, 2.0)), np.full(K, 2.0)),
    "misses by size": lambda K: SizeCosts(np.linspace(0, 1, K), np.linspace(1, 1.5, K)),
    "dear full set": lambda K: SizeCosts(np.append(np.linspace(0, 0.5, K - 1), 9), np.ones(K)),
    "free": lambda K: SizeCosts(np.zeros(K), np.ones(K)),
    "perverse": lambda K: SizeCosts(np.linspace(0.5, 1, K), np.full(K, 0.7)),
}


def lazily(p, hit, miss, monkeypatch):
    """Run the loops that numba would compile as plain Python."""
    with monkeypatch.context() as patch:
        patch.setattr(by_size, "compiled", lambda making, parts: making(""))
        return sets_by_size(p, hit, miss, accelerate=True)


def by_trying_all(p, costs):
    """The cheapest of all sets; None where sets differ by about as much as rounding errors."""
    sets = all_sets(costs.n_classes)
    expected = p @ costs.of(sets).T
    above = expected - expected.min()
    scale = max(costs.hit.max(), costs.miss.max())
    assume(not ((above > 1e-14 * scale) & (above < 1e-9 * scale)).any())
    return sets[np.argmax(above <= 1e-11 * scale)]


@pytest.mark.parametrize("name", COSTS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_no_set_is_cheaper(name, data):
    K = data.draw(st.integers(2, 6))
    costs = COSTS[name](K)
    # Numbers that differ by rounding errors only are neither tied nor apart: no rule can tell.
    p = data.draw(distributions(K)).round(6)
    p /= p.sum()
    best = by_trying_all(p[0], costs)
    np.testing.assert_array_equal(sets_by_size(p, costs.hit, costs.miss, accelerate=False)[0], best)
    with pytest.MonkeyPatch.context() as patch:
        np.testing.assert_array_equal(lazily(p, costs.hit, costs.miss, patch)[0], best)


def many_rows(K):
    """Flat and peaked rows, ties, certainties and zeros."""
    rng = np.random.default_rng(0)
    drawn = [rng.dirichlet(np.full(K, a), 40) for a in (0.02, 0.1, 1, 30)]
    coarse = np.round(drawn[1], 1) + 1e-3
    even = np.arange(1, K + 1)[:, None] > np.arange(K)
    certain = np.eye(K)
    rows = [*drawn, coarse, even[:, rng.permutation(K)], certain]
    return np.concatenate([r / r.sum(axis=1, keepdims=True) for r in rows])


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("K", [3, 25, 60])
def test_lazy_selection_and_sorting_agree(name, K, monkeypatch):
    costs, p = COSTS[name](K), many_rows(K)
    # Small blocks, so that there are several.
    monkeypatch.setattr(by_size, "_CELLS_AT_ONCE", 10 * K)
    sorted_ = sets_by_size(p, costs.hit, costs.miss, accelerate=False)
    np.testing.assert_array_equal(lazily(p, costs.hit, costs.miss, monkeypatch), sorted_)
    assert sorted_.any(axis=1).all()


@pytest.mark.parametrize("name", ["u65", "log", "misses by size", "free"])
def test_compiled_and_plain_agree(name):
    pytest.importorskip("numba")
    costs, p = COSTS[name](60), many_rows(60)
    np.testing.assert_array_equal(
        sets_by_size(p, costs.hit, costs.miss, accelerate=True),
        sets_by_size(p, costs.hit, costs.miss, accelerate=False),
    )


def test_ties_go_to_the_smaller_set_then_to_the_first_classes():
    # g_2 S_2 = g_1 S_1 exactly under u = 2x for x <= 1/2: two equal classes or one of them.
    tie = SizeCosts([0.0, 0.5, 0.75], [1.0, 1.0, 1.0])
    p = np.array([[0.2, 0.4, 0.4], [0.4, 0.2, 0.4]])
    assert sets_by_size(p, tie.hit, tie.miss).tolist() == [
        [False, True, False],
        [True, False, False],
    ]
    pair = SizeCosts([0.0, 0.1, 0.9], [1.0, 1.0, 1.0])
    nearly = np.array([[0.3, 0.1 + 0.2, 0.4]])  # 0.3 and the next number: equal up to rounding
    for accelerate in [False, True][: 1 + have_numba()]:
        mask = sets_by_size(nearly, pair.hit, pair.miss, accelerate=accelerate)
        assert mask.tolist() == [[True, False, True]]


@pytest.mark.parametrize("accelerate", [False, True])
def test_rows_are_checked_on_the_way(accelerate, monkeypatch):
    costs = COSTS["u65"](4)
    good = np.full((30, 4), 0.25)
    good[:, 0] += 5e-7  # as single precision leaves them
    good[3] = [-2e-7, 0.5, 0.5, -0.0]

    def answer(p):
        if accelerate:
            return lazily(p, costs.hit, costs.miss, monkeypatch)
        return sets_by_size(p, costs.hit, costs.miss, accelerate=False)

    assert answer(good)[3].tolist() == [False, True, True, False]
    good[3] = 0.25
    for value, message in [(np.nan, "row 17"), (0.5, "adds up to 1.25"), (-0.2, "no probability")]:
        bad = good.copy()
        bad[17, 2] = value
        with pytest.raises(ValueError, match=message):
            answer(bad)


def test_few_cells_do_not_import_numba(monkeypatch):
    monkeypatch.setattr(by_size, "compiled", None)
    assert sets_by_size(np.array([[0.6, 0.4]]), *np.array([[0, 0.35], [1, 1]])).all()
    monkeypatch.setattr(by_size, "_CELLS_WORTH_COMPILING", 1)
    used = []
    monkeypatch.setattr(by_size, "have_numba", lambda: True)
    monkeypatch.setattr(by_size, "compiled", lambda m, parts: used.append(1) or m(""))
    assert sets_by_size(np.array([[0.6, 0.4]]), *np.array([[0, 0.35], [1, 1]])).all()
    assert used == [1]


def test_machine_code_is_kept_apart_by_its_sources():
    pytest.importorskip("numba")
    lazy = compiled(by_size.selecting, by_size.LAZY_PARTS)
    (fingerprint,) = [cell.cell_contents for cell in lazy.py_func.__closure__]
    assert len(fingerprint) == 64


def test_no_place_for_machine_code(monkeypatch):
    numba = pytest.importorskip("numba")
    plain = numba.njit

    def refuse(*args, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function")
        return plain(*args, **options)

    def doubling(sources):
        def double(x):
            _ = sources
            return 2 * x

        return double

    monkeypatch.setattr(numba, "njit", refuse)
    monkeypatch.setattr(doubling, "__module__", "cautious.decision.optimal._candidates")
    assert compiled(doubling, ())(21) == 42


@pytest.mark.parametrize("accelerate", [False, True])
def test_where_right_and_wrong_sets_cost_the_same_the_first_classes_are_taken(accelerate):
    """All sets of such a size are ties, so the lowest classes win, as from a table of all sets."""
    if accelerate:
        pytest.importorskip("numba")
    rng = np.random.default_rng(5)
    p = np.vstack([[0.2, 0.3, 0.4, 0.1], rng.dirichlet(np.ones(4), size=40)])
    for hit, miss in (
        ([1, 2, 3, 4], [1, 2, 3, 4]),  # all sizes
        ([1, 0.5, 3, 4], [2, 0.5, 3, 4]),  # pairs are the best
        ([1, 0.5, 3, 4], [1, 0.5 + 1e-14, 3, 4]),  # up to rounding
        ([0, 0.4, 0.1, 0.4], [1, 1, 0.1, 1]),
        ([2, 0.5, 3, 4], [1, 0.5, 3, 4]),  # right single classes cost more than wrong ones
    ):
        costs = SizeCosts(hit, miss)
        chosen = sets_by_size(p, costs.hit, costs.miss, accelerate=accelerate)
        listed = optimal_sets(p, SetCosts.from_table(costs.table()))
        np.testing.assert_array_equal(chosen, listed)
    assert optimal_sets([[0.2, 0.8]], SizeCosts([1, 2], [1, 2])).tolist() == [[True, False]]
