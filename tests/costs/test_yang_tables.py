"""Every table of costs in Yang, Destercke & Masson (2017), number by number."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from cautious.costs import (
    SetCosts,
    class_selective,
    discounted,
    f_beta_costs,
    p_discounted,
    utility_costs,
    zero_one,
)

CLASSES = ["h", "b", "n"]
TABLE_I = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=CLASSES).frame()


def u65(x):
    return -0.6 * x**2 + 1.6 * x  # eq. 8


def expect(costs, singles, rows):
    """Single classes cost what a matrix says, in its order, and the other sets what is printed."""
    table = costs.table()
    np.testing.assert_allclose(table[: len(singles)], singles, rtol=1e-14, atol=1e-15)
    assert sorted(table.index[len(singles) :]) == sorted(rows)
    printed = np.array([[float(Fraction(c)) for c in row.split()] for row in rows.values()])
    np.testing.assert_allclose(table.loc[list(rows)].to_numpy(), printed, rtol=1e-14, atol=1e-15)


def test_table_iii_utility_discounted_accuracy():
    costs = utility_costs(3, u65, classes=CLASSES)
    expect(
        costs,
        zero_one(3),
        {
            "{h, b}": "0.35 0.35 1",
            "{b, n}": "1 0.35 0.35",
            "{h, n}": "0.35 1 0.35",
            "{h, b, n}": "8/15 8/15 8/15",
        },
    )


def test_table_iii_misprints_the_full_set():
    """The last row is printed .54; 1 - g(1/3) = 8/15 = .5333 rounds to .53."""
    ours = utility_costs(3, u65).of([[True] * 3])[0, 0]
    printed = 0.54
    assert ours == pytest.approx(8 / 15, rel=1e-14)
    assert round(ours, 2) != printed


def test_table_iv_f1():
    expect(
        f_beta_costs(3, 1, classes=CLASSES),
        zero_one(3),
        {
            "{h, b}": "1/3 1/3 1",
            "{b, n}": "1 1/3 1/3",
            "{h, n}": "1/3 1 1/3",
            "{h, b, n}": "0.5 0.5 0.5",
        },
    )


def test_table_v_discounted():
    expect(
        discounted(TABLE_I),
        TABLE_I,
        {
            "{h, b}": "1/2 1/2 2",
            "{b, n}": "5/2 2 1",
            "{h, n}": "2 5/2 1",
            "{h, b, n}": "5/3 5/3 4/3",
        },
    )


def test_table_ix_class_selective():
    eta = {"a": 3, "b": 5, "c": 7}
    delta = Fraction(5, 4)
    a, b, c, d = eta["a"], eta["b"], eta["c"], delta
    expect(
        class_selective(pd.Series(eta), float(delta)),
        zero_one(3) * [a, b, c],
        {
            "{a, b}": f"{d} {d} {c + d}",
            "{a, c}": f"{d} {b + d} {d}",
            "{b, c}": f"{a + d} {d} {d}",
            "{a, b, c}": f"{2 * d} {2 * d} {2 * d}",
        },
    )


def test_table_x_p_discounted():
    """The full set at n is printed .89, which is ((2 sqrt 2) / 3)^2 = 8/9."""
    expect(
        p_discounted(TABLE_I, r=0.5),
        TABLE_I,
        {
            "{h, b}": "0.25 0.25 2",
            "{b, n}": "2.25 1 0.5",
            "{h, n}": "1 2.25 0.5",
            "{h, b, n}": "1 1 8/9",
        },
    )
    assert round(8 / 9, 2) == 0.89


@pytest.mark.parametrize(("at_n", "expected"), [(2, 5 / 6), (3, 7 / 6)], ids=["Ex. 5", "Ex. 6"])
def test_examples_5_and_6(at_n, expected):
    frame = pd.concat([TABLE_I, pd.DataFrame([[0.25, 0.25, at_n]], ["{h, b}"], CLASSES)])
    costs = SetCosts.from_table(frame)
    even = np.full(3, 1 / 3)
    h, b, hb = costs.of([[True, False, False], [False, True, False], [True, True, False]]) @ even
    assert h == pytest.approx(1, rel=1e-14)
    assert b == pytest.approx(1, rel=1e-14)
    assert hb == pytest.approx(expected, rel=1e-14)
