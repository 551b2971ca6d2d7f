import numpy as np
import pandas as pd
import pytest

from cautious.costs import SetCosts


def frame(index, columns=("a", "b", "c")):
    return pd.DataFrame(
        np.arange(len(index) * len(columns), dtype=float).reshape(-1, len(columns)),
        index=pd.Index(index, tupleize_cols=False),
        columns=list(columns),
    )


@pytest.mark.parametrize(
    "index",
    [
        ["{a}", "{b, c}", "{a,b , c}"],
        ["a", "b, c", "{c, b, a}"],
        [("a",), ("b", "c"), ("a", "b", "c")],
        [frozenset("a"), frozenset("bc"), frozenset("abc")],
        ["a", ("c", "b"), "{a, b, c}"],
    ],
)
def test_ways_to_write_a_set(index):
    costs = SetCosts.from_table(frame(index))
    mask = [[False, True, True], [True, False, False], [True, True, True], [False, True, True]]
    np.testing.assert_array_equal(costs.of(mask)[:, 0], [3, 0, 6, 3])
    assert costs.table().index.tolist() == ["{a}", "{b, c}", "{a, b, c}"]


def test_tuples_that_pandas_padded():
    padded = pd.MultiIndex.from_tuples([("a", np.nan), ("b", "c")])
    costs = SetCosts.from_table(pd.DataFrame([[1, 2, 3], [4, 5, 6]], padded, ["a", "b", "c"]))
    assert costs.of([[False, True, True]]).tolist() == [[4, 5, 6]]


def test_labels_that_are_numbers():
    costs = SetCosts.from_table(frame([1, "{1, 3}", (3,)], columns=[1, 2, 3]))
    assert costs.mask.astype(int).tolist() == [[1, 0, 0], [1, 0, 1], [0, 0, 1]]
    assert costs.classes == (1, 2, 3)


def test_many_classes():
    columns = [f"c{k}" for k in range(40)]
    costs = SetCosts.from_table(frame(["{c3, c39}", tuple(columns)], columns=columns))
    assert costs.of(np.ones((1, 40), dtype=bool))[0, 0] == 40


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ([[1, 2]], TypeError, "frame is a list"),
        (frame(["a"], columns=["a"]), ValueError, "two classes"),
        (frame([]), ValueError, "0 rows"),
        (frame(["a", "{a, d}"]), ValueError, r"row '\{a, d\}' names 'd'"),
        (frame([4]), ValueError, "names 4"),
        (frame(["a", "{}"]), ValueError, "empty set"),
        (frame(["a"], columns=["a", "a"]), ValueError, "repeats"),
        (-1 - frame(["a"]), ValueError, r"frame\[0, 0\] is -1"),
        (
            frame(["a"]).astype(object).replace(1.0, "dear"),
            TypeError,
            "frame holds the text 'dear'; costs are numbers",
        ),
    ],
)
def test_bad_tables(table, error, message):
    with pytest.raises(error, match=message):
        SetCosts.from_table(table)


def test_bad_order():
    with pytest.raises(ValueError, match="no class 'd'"):
        SetCosts.from_table(frame(["a"]), classes=["a", "b", "d"])
    with pytest.raises(ValueError, match="costs is about 3 classes and there are 2"):
        SetCosts.from_table(frame(["a"]), classes=["a", "b"])
