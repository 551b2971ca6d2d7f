from io import StringIO

import numpy as np
import pandas as pd
import pytest

from cautious.costs import cost_matrix_from_frame, discounted, labelled, read_cost_matrix, zero_one

TEXT = "cost,h,b,n\nn,4,4,0\nh,0,1,2\nb,1,0,2\n"
TABLE_I = labelled([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])


def test_rows_follow_the_columns(tmp_path):
    pd.testing.assert_frame_equal(read_cost_matrix(StringIO(TEXT)), TABLE_I)
    path = tmp_path / "costs.csv"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace(",", "; ").encode())
    pd.testing.assert_frame_equal(read_cost_matrix(path, separator=";"), TABLE_I)


def test_truths_as_rows_are_transposed():
    turned = TABLE_I.T
    pd.testing.assert_frame_equal(cost_matrix_from_frame(turned, truths="rows"), TABLE_I)


def test_order_and_type_of_the_classes_can_be_chosen():
    frame = read_cost_matrix(StringIO("c,0,1\n0,0,5\n1,2,0\n"), classes=[1, 0])
    assert frame.columns.tolist() == [1, 0]
    assert frame.to_numpy().tolist() == [[0, 2], [5, 0]]
    assert discounted(TABLE_I, classes=["n", "h", "b"]).matrix[0].tolist() == [0, 4, 4]


def test_labels_stay_text():
    frame = read_cost_matrix(StringIO("c,NA,01\n01,1,0\nNA,0,2\n"))
    assert frame.columns.tolist() == ["NA", "01"]
    assert frame.to_numpy().tolist() == [[0, 2], [1, 0]]


def test_written_frames_come_back(tmp_path):
    path = tmp_path / "costs.csv"
    TABLE_I.to_csv(path)
    pd.testing.assert_frame_equal(read_cost_matrix(path), TABLE_I)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no regular CSV"),
        ("c,a,b\na,0,1\nb,1,0,7,8\n", "no regular CSV"),
        ("c,a,b\na,0\nb,1,0\n", "'' in the row of 'a', column of 'b'"),
        ("c,a,b\na,0,dear\nb,1,0\n", "'dear' in the row of 'a', column of 'b'"),
        ("c,a,b\na,0,\nb,1,0\n", "'' in the row of 'a', column of 'b'"),
        ("c,a,b\na,0,1\n", r"shape \(1, 2\)"),
        ("c,a,b\na,0,1\nc,1,0\n", "file.index has no class 'b'"),
        ("c,a,a\na,0,1\nb,1,0\n", "file.columns.*repeats"),
        ("c,a,b\na,0,-1\nb,1,0\n", r"file\[0, 1\] is -1"),
        ("c,a,b\na,0,nan\nb,1,0\n", r"file\[0, 1\] is nan"),
        ("c,a,b\na,1,0\nb,0,1\n", "less than the right answer"),
    ],
)
def test_bad_files(text, message):
    with pytest.raises(ValueError, match=message):
        read_cost_matrix(StringIO(text))


def test_a_file_in_another_encoding(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_bytes("c,é,b\né,0,1\nb,1,0\n".encode("latin-1"))
    with pytest.raises(ValueError, match="UTF-8"):
        read_cost_matrix(path)


def test_bad_arguments():
    with pytest.raises(ValueError, match="truths is 'left'"):
        cost_matrix_from_frame(TABLE_I, truths="left")
    with pytest.raises(ValueError, match="classes has 2 labels"):
        cost_matrix_from_frame(TABLE_I, classes=["h", "b"])
    with pytest.raises(ValueError, match="classes has 2 labels but there are 3"):
        labelled(zero_one(3), ["a", "b"])
    with pytest.raises(ValueError, match="separator is '::'"):
        read_cost_matrix(StringIO(TEXT), separator="::")
    with pytest.raises(ValueError, match=r"SetCosts\.from_table"):
        discounted(pd.DataFrame(np.zeros((3, 2))))
