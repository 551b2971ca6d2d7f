"""Written sets of a log."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cautious.logs import summarise
from cautious.metrics import SetCounts


def counts_of(truth, sets, classes):
    return SetCounts.from_predictions(truth, sets, classes=classes).merge()[0]


def test_sets_of_booleans_in_csv_are_text(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("y_true,y_set\ntrue,true\nfalse,false|true\nfalse,False\n")
    counts = summarise(path).counts()
    assert counts.classes.tolist() == ["False", "false", "true"]
    typed = pa.table({"y_true": [True, False, False], "y_set": ["true", "0|1", "False"]})
    counts = summarise(typed).counts()
    truth, sets = [True, False, False], [[True], [False, True], [False]]
    assert counts == counts_of(truth, sets, [False, True])


@pytest.mark.parametrize("truth", [[1, 2, 1, 2], [1.0, 2.0, 1.0, 2.0], ["1", "2", "1", "2"]])
def test_sets_in_a_frame_of_numbers_with_gaps(truth):
    log = pd.DataFrame({"y_true": truth, "y_set": [1, 2, np.nan, np.nan]})
    with pytest.raises(ValueError, match=r"column 'y_set', row 2: the set is empty \(2 such cells"):
        summarise(log)
    counts = summarise(log, empty="abstain").counts()
    assert counts.classes.tolist() == sorted(set(truth))
    sets = [[truth[0]], [truth[1]], truth[:2], truth[:2]]
    assert counts == counts_of(truth, sets, sorted(set(truth)))
    assert summarise(log, empty="abstain", classes=sorted(set(truth))).counts() == counts


def test_one_file_may_have_sets_of_one_class_and_the_next_of_more(tmp_path):
    (tmp_path / "a.csv").write_text("y_true,y_set\n1,1\n2,2\n")
    (tmp_path / "b.csv").write_text("y_true,y_set\n1,1|2\n2,?\n")
    counts = summarise(tmp_path).counts()
    assert counts == counts_of(
        ["1", "2", "1", "2"], [["1"], ["2"], ["1", "2"], ["1", "2"]], ["1", "2"]
    )


@pytest.mark.parametrize("member", ["ash", "2.5", "inf", "nan"])
def test_classes_that_occur_in_sets_only(member):
    log = pd.DataFrame({"y_true": [1, 2], "y_set": ["1", f"2|{member}"]})
    assert sorted(map(str, summarise(log).classes)) == sorted(["1", "2", member])
    with pytest.raises(ValueError, match=f"row 1: the set names '{member}', which is not among"):
        summarise(log, classes=[1, 2])
