"""Costs in every form are one object: the same table, in any order, or a refusal that helps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cautious.costs import (
    SetCosts,
    abellan_masegosa,
    as_costs,
    class_selective,
    discounted,
    ordinal,
    owa,
    p_discounted,
    utility_costs,
    zero_one,
)
from cautious.costs._forms import as_cost_matrix, costs_from_data, costs_to_data
from cautious.costs._tables import AnswerCosts
from cautious.decision import optimal_sets
from cautious.errors import InputError

NAMED = {"false_negative": 10, "false_positive": 2, "abstain": 1}
TABLE = [[0, 10], [2, 0], [1, 1]]
CSV = "answer,yes,no\nabstain,1,1\nno,10,0\nyes,0,2\n"


def test_every_form_is_the_same_table(tmp_path):
    frame = pd.DataFrame(TABLE, index=["no", "yes", "abstain"], columns=["no", "yes"])
    path = tmp_path / "costs.csv"
    path.write_text(CSV)
    forms = {
        "dict": NAMED,
        "array": TABLE,
        "frame": frame,
        "frame in another order": frame.loc[["abstain", "yes", "no"], ["yes", "no"]],
        "other name of abstaining": frame.rename(index={"abstain": "?"}),
        "own name of abstaining": frame.rename(index={"abstain": "ask a person"}),
        "full set": frame.rename(index={"abstain": "{yes, no}"}),
        "polars frame": pl.from_pandas(frame.reset_index(names="answer")),
        "path": path,
        "path as text": str(path),
        "set costs": AnswerCosts(TABLE, ("no", "yes")),
        "set costs in another order": as_costs(NAMED, ["yes", "no"], pos_label="yes"),
    }
    for name, form in forms.items():
        read = as_costs(form, ["no", "yes"])
        assert isinstance(read, AnswerCosts), name
        assert read.values.tolist() == TABLE, name
        assert read.classes == ("no", "yes"), name
        assert not read.per_case
    flipped = as_costs(NAMED, ["yes", "no"], pos_label="yes")
    assert flipped.answers.loc["no", "yes"] == 10
    assert flipped.values.tolist() == [[0, 2], [10, 0], [1, 1]]


def test_single_classes_are_extended_by_the_mean():
    matrix = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    frame = pd.DataFrame(matrix, list("hbn"), list("hbn")).loc[list("nhb"), list("bnh")]
    for form in (matrix, frame):
        read = as_costs(form, list("hbn"))
        pd.testing.assert_frame_equal(read.table(), discounted(matrix, classes=list("hbn")).table())
        with pytest.raises(ValueError, match="does not say what abstaining costs; add a last row"):
            as_costs(form, list("hbn"), needs_abstention=True)


def test_a_table_of_sets_with_a_row_abstain():
    frame = pd.DataFrame(
        [[0, 2, 4], [4, 0, 4], [2, 2, 0], [0.5, 0.5, 4], [1, 1, 1]],
        index=["a", "b", "c", "{a, b}", "abstain"],
        columns=list("abc"),
    )
    read = as_costs(frame, list("cab"))
    assert read.of([[False, True, True]]).tolist() == [[4, 0.5, 0.5]]
    assert read.of([[True, True, True]]).tolist() == [[1, 1, 1]]
    assert SetCosts.from_table(frame).of([[True] * 3]).tolist() == [[1, 1, 1]]
    assert as_costs(frame).answers.loc["⊥"].tolist() == [1, 1, 1]
    called = pd.DataFrame(
        TABLE, index=["no", "abstain", "{no, abstain}"], columns=["no", "abstain"]
    )
    assert SetCosts.from_table(called).of([[False, True]]).tolist() == [[2, 0]]


def test_several_classes_and_partial_sets():
    table = np.vstack([ordinal(3), [0.5, 0.25, 0.5]])
    costs = as_costs(table)
    assert costs.of([[True, True, False]], truth=[2]).tolist() == [0.5]
    assert costs.singletons().tolist() == ordinal(3).tolist()
    # A classifier that has not seen every class.
    frame = costs.answers.set_axis(list("abc"), axis=1).set_axis(["a", "b", "c", "abstain"], axis=0)
    assert as_costs(frame, ["c", "a"]).values.tolist() == [[0, 2], [2, 0], [0.5, 0.5]]


def test_labels_of_a_file_are_text_that_numbers_find(csv):
    path = csv("x,0,1,2\n0,0,1,2\n1,1,0,1\n2,2,1,0\nabstain,0.5,0.25,0.5\n")
    assert as_costs(path, [0, 1, 2]).values[:3].tolist() == ordinal(3).tolist()


def test_sets_of_a_file_are_written_in_any_way(csv):
    rows = ["h,0,1,2", "b,1,0,2", "n,4,4,0", "h|b,.2,.2,2", '"{b, n}",2,1,1']
    rows += ["\"['h', 'n']\",1,2,1", "?,1,1,1"]
    costs = as_costs(csv("\n".join(["x,h,b,n", *rows])))
    expected = {"hb": [0.2, 0.2, 2], "bn": [2, 1, 1], "hn": [1, 2, 1], "hbn": [1, 1, 1]}
    for sets, cost in expected.items():
        assert costs.of([[label in sets for label in "hbn"]]).tolist() == [cost]


def test_costs_per_case():
    costs = as_costs({**NAMED, "false_negative": [10, 20, 30]}, ["no", "yes"])
    assert costs.per_case
    assert costs.n_cases == 3
    no, both = [True, False], [True, True]
    assert costs.of([no, no, both], truth=[1, 0, 1]).tolist() == [10, 0, 1]
    assert costs.of([no, no, both]).tolist() == [[0, 10], [0, 20], [1, 1]]
    assert costs.take([2, 0]).of([no, no], truth=[1, 1]).tolist() == [30, 10]
    same = as_costs(costs.values, ["yes", "no"])
    assert same.in_order(["no", "yes"]).values[0].tolist() == [[0, 2], [10, 0], [1, 1]]
    # The dearer a miss, the more certain one has to be.
    p = np.tile([[0.92, 0.08]], (3, 1))
    assert optimal_sets(p, costs).tolist() == [no, both, both]
    for what in (lambda: costs.answers, costs.singletons):
        with pytest.raises(ValueError, match="differ per case"):
            what()
    with pytest.raises(ValueError, match="each of 3 cases and the mask has 1 rows"):
        costs.of([no])


@pytest.mark.parametrize(
    ("costs", "classes", "message"),
    [
        ({"fn": 1, "fp": 1, "abstain": 1}, None, "the key 'fn'; the keys are 'false_negative'"),
        ({"false_negative": 1}, None, "no 'false_positive' and no 'abstain'"),
        ({**NAMED, "abstain": -1}, None, r"costs\['abstain'\] is -1"),
        ({**NAMED, "abstain": [1, np.nan]}, None, r"costs\['abstain'\]\[1\] is nan"),
        ({**NAMED, "abstain": [1, 2], "false_negative": [1]}, None, "not in number"),
        ({**NAMED, "abstain": [[1]]}, None, "one number, or one per case"),
        (NAMED, list("abc"), "there are 3 classes.*shape .4, 3., abstaining last"),
        (TABLE, list("abc"), r"shape \(3, 2\) and there are 3 classes"),
        ([[0, np.inf], [1, 0], [1, 1]], None, r"costs\[0, 1\] is inf"),
        ([[0, 1]], None, "expected .K . 1, K."),
        ([1, 2], None, "expected .K . 1, K."),
        (np.ones((4, 3, 2)) + np.eye(3, 2), None, r"in case 0, less than the right answer \(2\)"),
        (discounted(zero_one(3)), list("ab"), "about 3 classes and there are 2"),
        (discounted(zero_one(2), classes=list("ab")), list("ac"), "no class 'c'"),
        (pd.DataFrame(TABLE, list("ab?"), list("ab")), list("ac"), "no class 'c'"),
        (pd.DataFrame(TABLE, list("axy"), list("ab")), None, "'x', which is no class"),
        ("no/such/file.csv", None, "costs are 'no/such/file.csv', and there is no such file"),
        (
            pd.DataFrame([[0, 1, 1], [1, 0, 1]], list("ab"), ["a", "b", "{a, b}"]),
            None,
            "Transpose the table",
        ),
    ],
)
def test_what_is_no_cost_is_refused(costs, classes, message):
    with pytest.raises(ValueError, match=message):
        as_costs(costs, classes)


def test_the_positive_class_is_one_of_two():
    for classes in (None, ["a", "b"]):
        with pytest.raises(InputError, match="pos_label is 'yes', but"):
            as_costs(NAMED, classes, pos_label="yes")
    with pytest.raises(InputError, match="say which one a high score speaks for"):
        as_costs(NAMED, ["bad", "good"])
    assert as_costs(NAMED, ["bad", "good"], pos_label="bad").answers.loc["good", "bad"] == 10
    assert as_costs(NAMED, ["yes", "no"]).answers.loc["no", "yes"] == 10
    with pytest.raises(ValueError, match="truth"):
        as_costs(TABLE).of([[True, False]], truth=[2])
    with pytest.raises(ValueError, match="truth"):
        as_costs(TABLE).of([[True, False]], truth=["yes"])


@pytest.mark.parametrize(
    "costs",
    [
        AnswerCosts(np.vstack([ordinal(3), [0.5, 0.25, 0.5]])),
        p_discounted([[0, 1, 2], [3, 0, 4], [5, 6, 0]], 0.5),
        owa([[0, 1, 2], [3, 0, 4], [5, 6, 0]], 0.75),
        abellan_masegosa([[0, 1, 2], [3, 0, 4], [5, 6, 0]]),
        class_selective([1, 2, 4], 0.25),
        utility_costs(3, np.sqrt),
        SetCosts.from_table(discounted(ordinal(3), classes=list("abc")).table()),
    ],
    ids=lambda costs: type(costs).__name__,
)
def test_costs_follow_their_classes_and_survive_plain_data(costs):
    costs = as_costs(costs, list("abc"))
    moved = costs.in_order(list("cab"))
    table = costs.table()
    for name, row in moved.table().iterrows():
        members = "".join(sorted(set(name) & set("abc")))
        mask = [[label in members for label in "abc"]]
        assert row["a"] == pytest.approx(costs.of(mask)[0, 0])
        assert row["c"] == pytest.approx(costs.of(mask)[0, 2])
    again = costs_from_data(costs_to_data(costs), list("abc"))
    pd.testing.assert_frame_equal(again.table(), table)


MATRIX_CSV = "cost,h,b,n\nn,4,4,0\nh,0,1,2\nb,1,0,2\n"
TABLE_I = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=["h", "b", "n"]).frame()


@pytest.fixture
def csv(tmp_path):
    """Write a file and give its path."""

    def write(text):
        path = tmp_path / "costs.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_rows_follow_the_columns(csv):
    marked = b"\xef\xbb\xbf" + MATRIX_CSV.replace(",", ";").encode()
    for text in (MATRIX_CSV, marked, TABLE_I.to_csv()):
        np.testing.assert_array_equal(as_cost_matrix(csv(text)), TABLE_I)
        assert as_costs(csv(text)).classes == ("h", "b", "n")


def test_order_and_type_of_the_classes_can_be_chosen(csv):
    matrix = as_cost_matrix(csv("c,0,1\n0,0,5\n1,2,0\n"), classes=[1, 0])
    assert matrix.tolist() == [[0, 2], [5, 0]]
    assert discounted(TABLE_I, classes=["n", "h", "b"]).matrix[0].tolist() == [0, 4, 4]


def test_labels_stay_text(csv):
    path = csv("c,NA,01\n01,1,0\nNA,0,2\n")
    assert as_costs(path).classes == ("NA", "01")
    assert as_cost_matrix(path).tolist() == [[0, 2], [1, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("c,a,b\na,0,1\nb,1,0,7,8\n", "line 3"),
        ("c,a,b\na,0\nb,1,0\n", "line 2"),
        ("c,a,b\na,0,dear\nb,1,0\n", "column 'b', line 2: 'dear' is not a number"),
        ('c,a,b\na,0,"0,5"\nb,1,0\n', "Write 0.5, with a decimal point"),
        ("c,a,b\na,0,1\n", r"shape \(1, 2\)"),
        ("c,a,a\na,0,1\nb,1,0\n", "two columns are called 'a'"),
        ("c,a,b\na,0,inf\nb,1,0\n", r"costs\[0, 1\] is inf"),
        ("c,a,b\na,1,0\nb,0,1\n", "less than the right answer"),
        ("c,é,b\né,0,1\nb,1,0\n".encode("latin-1"), "UTF-8"),
    ],
)
def test_bad_files_of_matrices(csv, text, message):
    with pytest.raises(ValueError, match=message):
        as_cost_matrix(csv(text))


def test_bad_arguments_of_matrices():
    assert as_cost_matrix(TABLE_I, classes=["n", "h"]).tolist() == [[0, 4], [2, 0]]
    with pytest.raises(ValueError, match="costs is for 2 classes but there are 3: 'a', 'b', 'c'"):
        as_cost_matrix(zero_one(2), ["a", "b", "c"])
    with pytest.raises(TypeError, match="costs is a PowerMeanCosts, which prices sets"):
        as_cost_matrix(discounted(zero_one(2)))
    with pytest.raises(ValueError, match="classes has 2 labels but there are 3"):
        discounted(zero_one(3), classes=["a", "b"]).frame()
    with pytest.raises(ValueError, match="as_costs reads tables"):
        discounted(pd.DataFrame(np.zeros((3, 2))))
