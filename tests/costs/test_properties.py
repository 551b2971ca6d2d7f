import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from cautious.costs import (
    discounted,
    zero_one,
)
from cautious.costs._audit import AuditedSets, possibility_of_some_set
from cautious.costs._set_costs import all_sets
from cautious.costs._tables import TableCosts

MATRIX = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]


def greatest_gain(own, rivals):
    """The whole linear programme at once: p and t with (rivals - own) p >= t."""
    n, k = rivals.shape
    found = linprog(
        [*[0] * k, -1],
        A_ub=np.hstack([own - rivals, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[*[1] * k, 0]],
        b_eq=[1],
        bounds=[(0, None)] * k + [(None, None)],
    )
    return -found.fun


@given(st.integers(2, 5), st.integers(0, 10**6), st.sampled_from(["members", "sets"]))
def test_gain_probability_and_mixture(k, seed, against):
    rng = np.random.default_rng(seed)
    mask = all_sets(k)
    table = rng.integers(0, 9, mask.shape) / 4
    costs = TableCosts(mask, table, tuple(range(k)))
    row = rng.integers(k, len(mask))
    found = costs.possibility(mask[row], against=against)
    others = mask[row][:, None] & np.eye(k, dtype=bool) if against == "members" else mask
    others = others[others.any(axis=1) & (others != mask[row]).any(axis=1)]
    rivals = costs.of(others)
    expected = greatest_gain(table[row], rivals)
    assert found.gain == pytest.approx(expected, abs=1e-7)
    # The probability reaches it, and the mixture proves that nothing can exceed it.
    p = found.probability
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1)
    assert (rivals @ p).min() - table[row] @ p == pytest.approx(expected, abs=1e-7)
    assert found.mixture.sum() == pytest.approx(1)
    never_more = found.mixture @ costs.of(found.rivals) - table[row]
    assert never_more.max() <= expected + 1e-7
    if abs(expected) > 1e-6:
        assert found.possible == (expected > 0)


def test_members_may_have_other_costs():
    found = discounted(zero_one(3)).possibility([True, True, False], 2 * zero_one(3))
    assert found.gain == pytest.approx(1, abs=1e-9)  # where class 2 is sure: 2 against 1
    assert found.probability[2] == pytest.approx(1)


def test_bad_comparisons():
    with pytest.raises(ValueError, match="for 2 classes, costs are for 3"):
        discounted(MATRIX).possibility([True, True, False], zero_one(2))
    lonely = TableCosts(np.array([[True, True]]), np.array([[0.2, 0.2]]), ("a", "b"))
    with pytest.raises(ValueError, match="no other set"):
        lonely.possibility([True, True], against="sets")
    assert lonely.possibility([True, True], zero_one(2)).gain == pytest.approx(0.3)


def test_linear_programmes_are_the_last_resort():
    """Slanted mixtures of the members, a little dearer or cheaper: no cheap test decides them."""
    rng = np.random.default_rng(0)
    matrix = zero_one(4) * [1, 2, 3, 4]
    mask = all_sets(4)
    mixtures = np.array([rng.dirichlet(np.ones(row.sum())) @ matrix[row] for row in mask])
    single = mask.sum(axis=1) == 1
    dearer = np.where(single[:, None], mixtures, mixtures + 1e-4)
    found = possibility_of_some_set(AuditedSets(mask, dearer, matrix, 1e-9))
    assert not found.met
    assert "mixture" in found.detail
    one_cheaper = dearer.copy()
    one_cheaper[-1] -= 2e-4
    found = possibility_of_some_set(AuditedSets(mask, one_cheaper, matrix, 1e-9))
    assert found.met
    assert found.row == len(mask) - 1
    gains = matrix @ found.probability - one_cheaper[-1] @ found.probability
    assert gains.min() == pytest.approx(1e-4, rel=1e-3)


@pytest.mark.parametrize(
    ("prediction", "options", "message"),
    [
        ([True, False, False], {}, "single class"),
        ([False, False, False], {}, "empty"),
        ([[True, True, False]] * 2, {}, "2 rows"),
        ([True, True, False], {"against": "all"}, "against is 'all'"),
        ([True, True, False], {"against": "sets", "matrix": MATRIX}, "leave it out"),
        ([True, True], {}, "2 columns"),
    ],
)
def test_bad_arguments(prediction, options, message):
    with pytest.raises(ValueError, match=message):
        discounted(MATRIX).possibility(prediction, **options)
