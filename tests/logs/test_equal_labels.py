"""Labels that are equal are one label, however often an Arrow column says them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cautious.logs import from_bytes, summarise, to_bytes
from cautious.logs.arrow_columns import encoded


def dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values))


def total(staircase):
    return staircase.n_positives + staircase.n_negatives


def test_two_zeros_are_one_truth():
    summary = summarise(pd.DataFrame({"y": [0.0, -0.0, 1.0, 1.0], "score": [0.1, 0.2, 0.3, 0.4]}))
    assert total(summary.staircase()) == 4
    assert summary.staircase().n_negatives == 2


@pytest.mark.parametrize(
    ("group", "groups"),
    [
        (pa.array([0.0, -0.0, 1.0, -0.0, 0.0, 1.0]), {0.0: 4, 1.0: 2}),
        (dictionary([0, 1, 2, 0, 1, 2], ["a", "b", "a"]), {"a": 4, "b": 2}),
        (dictionary([0, 1, None, 0, 1, 2], ["a", None, "b"]), {None: 3, "a": 2, "b": 1}),
        (dictionary([0, 1, 2, 0, 1, 2], [np.nan, 1.0, None]), {None: 4, 1.0: 2}),
    ],
    ids=["zeros", "repeated", "missing twice", "nan and none"],
)
def test_no_row_of_a_group_is_lost(group, groups):
    y = [0, 1, 0, 1, 0, 1]
    log = pa.table({"y": y, "score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "group": group})
    log = log.append_column("y_set", pa.array(["0", "1", "0|1", "0", "1", ""]))
    summary = summarise(log, score="score", sets="y_set", classes=[0, 1])
    assert total(summary.staircase()) == 6
    assert summary.counts().n == 6
    found = {name: summary.counts(group=name).n for name in summary.groups}
    assert found == groups
    assert {name: total(summary.staircase(group=name)) for name in groups} == groups
    assert summary.breakdown(["coverage"])["n"].sum() == 6
    assert from_bytes(to_bytes(summary)) == summary


def test_a_summary_does_not_depend_on_which_zero_came_first():
    parts = [pd.DataFrame({"y": [zero], "score": [0.5]}) for zero in (0.0, -0.0)]
    one, two = (summarise(part) for part in parts)
    assert to_bytes(one + two) == to_bytes(two + one)


@pytest.mark.parametrize("indices", [[0, 1], [0, None]])
def test_a_missing_truth_is_refused_wherever_it_is_missing(indices):
    batch = pa.record_batch({"y": dictionary(indices, ["a", None])})
    with pytest.raises(ValueError, match=r"column 'y' is missing in row 1 \(1 in all\)"):
        encoded(batch, "y")
    codes, labels = encoded(batch, "y", missing=True)
    assert [labels[code] for code in codes] == ["a", None]


def test_a_missing_value_that_does_not_occur_is_no_error():
    codes, _ = encoded(pa.record_batch({"y": dictionary([0, 0], ["a", None])}), "y")
    assert codes.tolist() == [0, 0]
