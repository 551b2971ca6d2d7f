"""Written sets of a log."""

import numpy as np
import pandas as pd
import pytest

from cautious.logs import summarise
from cautious.logs.labels import members_of
from cautious.metrics import SetCounts


@pytest.mark.parametrize("name", ["⊥", "?"])
def test_a_class_may_be_called_what_abstaining_is(name):
    assert members_of(name) == []
    assert members_of(name, ["a", name]) == [name]
    log = pd.DataFrame({"y": ["a", name, "a"], "y_set": [name, name, ""]})
    counts = summarise(log).counts()
    expected = SetCounts.from_predictions(
        ["a", name, "a"], [[name], [name], ["a", name]], classes=counts.classes
    )
    assert counts == expected.merge()[0]


def counts_of(truth, sets, classes):
    return SetCounts.from_predictions(truth, sets, classes=classes).merge()[0]


def test_sets_of_booleans_in_csv(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("y_true,y_set\ntrue,true\nfalse,false|true\nfalse,False\n")
    counts = summarise(path).counts()
    assert counts.classes.tolist() == [False, True]
    truth, sets = [True, False, False], [[True], [False, True], [False]]
    assert counts == counts_of(truth, sets, [False, True])


def test_sets_of_numbers_in_csv(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('y_true,y_set\n01,01\n02,01|02\n01,02.0\n02,"{01, 03}"\n')
    counts = summarise(path).counts()
    assert counts.classes.tolist() == [1, 2, 3]
    assert counts == counts_of([1, 2, 1, 2], [[1], [1, 2], [2], [1, 3]], [1, 2, 3])


@pytest.mark.parametrize("truth", [[1, 2, 1, 2], [1.0, 2.0, 1.0, 2.0], ["1", "2", "1", "2"]])
def test_sets_in_a_frame_of_numbers_with_gaps(truth):
    log = pd.DataFrame({"y_true": truth, "y_set": [1, 2, np.nan, np.nan]})
    counts = summarise(log).counts()
    assert counts.classes.tolist() == sorted(set(truth))
    sets = [[truth[0]], [truth[1]], truth[:2], truth[:2]]
    assert counts == counts_of(truth, sets, sorted(set(truth)))
    assert summarise(log, classes=sorted(set(truth))).counts() == counts


def test_one_file_may_have_sets_of_one_class_and_the_next_of_more(tmp_path):
    (tmp_path / "a.csv").write_text("y_true,y_set\n1,1\n2,2\n")
    (tmp_path / "b.csv").write_text("y_true,y_set\n1,1|2\n2,\n")
    counts = summarise(tmp_path).counts()
    assert counts == counts_of([1, 2, 1, 2], [[1], [2], [1, 2], [1, 2]], [1, 2])


@pytest.mark.parametrize("member", ["ash", "2.5", "inf", "nan"])
def test_classes_that_the_truths_cannot_be_are_refused(member):
    log = pd.DataFrame({"y_true": [1, 2], "y_set": ["1", f"2|{member}"]})
    with pytest.raises(ValueError, match=rf"'{member}' cannot be read as int.*classes="):
        summarise(log)
    with pytest.raises(ValueError, match=f"'{member}' is no class"):
        summarise(log, classes=[1, 2])
    assert summarise(log.astype({"y_true": str})).classes.tolist() == sorted(["1", "2", member])


def test_a_number_that_is_none_is_no_class():
    log = pd.DataFrame({"y_true": [0.5, 1.5], "y_set": ["0.5", "nan|1.5"]})
    with pytest.raises(ValueError, match="'nan' cannot be read as float"):
        summarise(log)


@pytest.mark.parametrize("wishes", [{}, {"classes": ["a", "b"]}], ids=["found", "given"])
def test_an_empty_set_is_what_the_caller_says(wishes):
    log = pd.DataFrame({"y": ["a", "b", "a"], "y_set": ["a", "{ }", "a|b"]})
    with pytest.raises(ValueError, match=r"row 1.*empty"):
        summarise(log, **wishes)
    counts = summarise(log, empty="abstain", **wishes).counts()
    assert counts == counts_of(["a", "b", "a"], [["a"], ["a", "b"], ["a", "b"]], ["a", "b"])
