"""Labels that are equal are one label, however often an Arrow column says them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cautious.curves import Staircase
from cautious.logs import LogSummary, summarise
from cautious.predictions import read_predictions
from cautious.predictions._rows import labels_in


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
        (pa.array([0.0, -0.0, 1.0, -0.0, 0.0, 1.0]), {"0": 4, "1": 2}),
        (dictionary([0, 1, 2, 0, 1, 2], ["a", "b", "a"]), {"a": 4, "b": 2}),
        (dictionary([0, 1, None, 0, 1, 2], ["a", None, "b"]), {"": 3, "a": 2, "b": 1}),
        (dictionary([0, 1, 2, 0, 1, 2], [np.nan, 1.0, None]), {"": 4, "1": 2}),
    ],
    ids=["zeros", "repeated", "missing twice", "nan and none"],
)
def test_no_row_of_a_group_is_lost(group, groups):
    y = [0, 1, 0, 1, 0, 1]
    log = pa.table({"y": y, "score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "group": group})
    log = log.append_column("y_set", pa.array(["0", "1", "0|1", "0", "1", "?"]))
    summary = summarise(log, score="score", sets="y_set", classes=[0, 1])
    assert total(summary.staircase()) == 6
    assert summary.counts().n == 6
    found = {name: summary.counts(group=name).n for name in summary.groups}
    assert found == groups
    assert {name: total(summary.staircase(group=name)) for name in groups} == groups
    assert summary.breakdown(["coverage"])["n"].sum() == 6
    assert LogSummary.from_bytes(summary.to_bytes()) == summary


def test_a_summary_does_not_depend_on_which_zero_came_first():
    parts = [pd.DataFrame({"y": [zero], "score": [0.5]}) for zero in (0.0, -0.0)]
    one, two = (summarise(part) for part in parts)
    assert (one + two).to_bytes() == (two + one).to_bytes()


@pytest.mark.parametrize("indices", [[0, 1], [0, None], [0, 2]])
def test_a_missing_truth_is_refused_wherever_it_is_missing(indices):
    column = dictionary(indices, ["a", None, " "])
    with pytest.raises(ValueError, match=r"column 'y', row 1: the truth is missing \(1 such cell"):
        summarise(pa.table({"y": column, "score": [0.5, 0.5]}), pos_label="a")
    codes, labels = labels_in(pa.table({"y": column}), "y")
    assert (codes.tolist(), labels) == ([0, -1], ["a"])


@pytest.mark.parametrize("extra", [[None], ["b", "c"], [f"x{k}" for k in range(200_000)]])
def test_what_a_dictionary_holds_but_no_row_has_does_not_exist(extra):
    codes, labels = labels_in(pa.table({"y": dictionary([0, 0], ["a", *extra])}), "y")
    assert (codes.tolist(), labels) == ([0, 0], ["a"])


@pytest.mark.parametrize("second", [("0.0", "1.0"), ("0", "1"), ("0.0", "2")])
@pytest.mark.parametrize("first", [("0.0", "1.0"), ("0", "1")])
def test_whether_all_labels_have_a_point_is_known_at_the_end_only(first, second):
    """A batch of which all have one must not lose it where others have none."""
    parts = [
        pa.record_batch({"y_true": [*pair, *pair], "score": [0.2, 0.9, 0.6, 0.4]})
        for pair in (first, second)
    ]
    whole = pa.Table.from_batches(parts)

    def tried(call):
        try:
            return call()
        except ValueError as error:
            return str(error).removeprefix("batch 1: ")

    expected = tried(lambda: read_predictions(whole).classes)
    found = tried(lambda: tuple(summarise(iter(parts)).classes.tolist()))
    assert found == expected
    one = read_predictions(whole, pos_label=first[1])
    summary = summarise(iter(parts), pos_label=first[1])
    assert tuple(summary.classes.tolist()) == one.classes
    assert (
        summary.staircase().auc()
        == Staircase.from_predictions(one.y_true == one.pos_label, one.y_score).auc()
    )


@pytest.mark.parametrize("size", [1, 2, 5, 24])
@pytest.mark.parametrize("written", [["0", "1", "1.0"], ["0.0", "1.00", "1.0"]])
def test_a_class_that_is_written_in_two_ways_is_one_wherever_a_log_is_cut(written, size):
    whole = pa.table({"y_true": written * 8, "score": np.arange(24) / 24})
    one = read_predictions(whole, pos_label="1.0")
    summary = summarise(iter(whole.to_batches(max_chunksize=size)), pos_label="1.0")
    assert tuple(summary.classes) == one.classes
    assert summary.staircase().n_positives == one.codes.sum() == 16
