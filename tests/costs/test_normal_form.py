import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.costs import as_costs

cost = st.integers(0, 40).map(lambda n: n / 4)


@st.composite
def tables(draw):
    right = np.array([draw(st.integers(-8, 8)) / 2, draw(st.integers(-8, 8)) / 2])
    fp, fn = draw(cost), draw(cost.filter(bool))
    return right + np.array([[0, fn], [fp, 0], [draw(cost), draw(cost)]])


@given(tables())
def test_there_and_back(table):
    form = as_costs(table).normal_form()
    assert 0 <= form.mu <= 1
    np.testing.assert_allclose(form.table().to_numpy(), table, rtol=1e-13, atol=1e-13)


def test_one_cost_of_abstaining():
    """Friedel, Rückert & Kramer (2006), section 2: subtract C(P,p) and C(N,n), divide by C(P,n)."""
    form = as_costs([[1, 12], [5, 2], [3, 4]]).normal_form()
    assert (form.mu, form.nu, form.scale) == (0.4, 0.2, 10)
    assert not form.flipped


def test_flips_when_the_first_class_is_dearer_to_miss():
    frame = pd.DataFrame(
        [[2, 3], [0, 20], [100, 0]], index=["?", "spam", "ham"], columns=["spam", "ham"]
    )
    form = as_costs(frame).normal_form()
    assert form.flipped
    assert (form.positive, form.negative) == ("spam", "ham")
    assert (form.mu, form.nu_negative, form.nu_positive) == (0.2, 0.03, 0.02)
    assert form.table().loc["spam", "ham"] == 20
    assert form.table().columns.tolist() == ["spam", "ham"]
    assert form.table().to_numpy().tolist() == [[0, 20], [100, 0], [2, 3]]


def test_costs_of_abstaining_that_differ_have_no_common_nu():
    form = as_costs([[0, 100], [20, 0], [2, 3]]).normal_form()
    with pytest.raises(ValueError, match=r"0\.02 on negatives and 0\.03 on positives"):
        _ = form.nu


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ones((4, 3)), "costs of 3 classes"),
        (
            [[1, 0], [5, 3], [1, 1]],
            "wrong answer costs 0 when 1 is true, less than the right answer",
        ),
        ([[5, 3], [1, 0], [5, 1]], "wrong answer costs 1 when 0 is true"),
        ([[0, 0], [0, 0], [1, 1]], "no mistake costs more"),
        ([[1, 4], [3, 1], [2, 0]], "abstaining costs 0 when 1 is true"),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(ValueError, match=message):
        as_costs(table, needs_abstention=True).normal_form()
