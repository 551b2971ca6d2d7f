from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

from cautious.metrics import SetCounts, cautious_confusion_matrix

Y_TRUE = ["a", "a", "b", "c", "c", "c"]
Y_SET = [["a"], ["a", "b"], ["b"], ["b"], ["a", "b", "c"], ["a", "b"]]


def test_partial_sets_count_as_abstentions_unless_told_otherwise() -> None:
    table = cautious_confusion_matrix(Y_TRUE, Y_SET)
    assert table.to_numpy().tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 0, 2]]
    rows = cautious_confusion_matrix(Y_TRUE, Y_SET, partial="answer")
    assert list(rows.index) == ["a", "b", "c", "{a, b}", "⊥"]
    assert rows.loc["{a, b}"].tolist() == [1, 0, 1]
    assert rows.loc["⊥"].tolist() == [0, 0, 1]


def test_set_rows_come_smaller_first_then_in_class_order() -> None:
    sets = [["b", "d"], ["c", "d"], ["a", "b", "c"], ["a", "d"], ["a", "b", "c", "d"]]
    table = cautious_confusion_matrix(list("abcda"), sets, partial="answer")
    assert list(table.index[4:]) == ["{a, d}", "{b, d}", "{c, d}", "{a, b, c}", "⊥"]


def test_without_abstention_it_is_scikit_learns_transposed() -> None:
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(4, size=(2, 50))
    weight = rng.random(50)
    table = cautious_confusion_matrix(truth, answer, sample_weight=weight)
    assert np.allclose(table.iloc[:-1].T, confusion_matrix(truth, answer, sample_weight=weight))
    whole = cautious_confusion_matrix(truth, answer)
    assert (whole.dtypes == np.int64).all()
    for normalize in ("true", "pred", "all"):
        shares = cautious_confusion_matrix(truth, answer, normalize=normalize)
        expected = confusion_matrix(truth, answer, normalize=normalize)
        assert np.allclose(shares.iloc[:-1].T, expected)


def test_shares_of_what_does_not_occur_are_zero() -> None:
    shares = cautious_confusion_matrix(["a"], ["a"], classes=["a", "b"], normalize="true")
    assert shares.to_numpy().tolist() == [[1, 0], [0, 0], [0, 0]]
    with pytest.raises(ValueError, match="normalize is 'rows'; choose 'true', 'pred', 'all'"):
        cautious_confusion_matrix(["a"], ["a"], normalize="rows")


def test_the_last_row_can_be_renamed() -> None:
    assert cautious_confusion_matrix([0, 1], [0, None], abstain="don't know").index[-1] == (
        "don't know"
    )


def test_a_matrix_and_its_counts_are_the_same() -> None:
    frame = cautious_confusion_matrix(Y_TRUE, Y_SET)
    counts = SetCounts.from_confusion(frame)
    assert (cautious_confusion_matrix(counts, None) == frame).all(axis=None)
    assert counts == SetCounts.from_predictions(Y_TRUE, ["a", None, "b", "b", None, None],
                                                classes=list("abc"))  # fmt: skip
    assert SetCounts.from_confusion(frame.to_numpy()).classes.tolist() == [0, 1, 2]
    named = SetCounts.from_confusion(frame.to_numpy(), classes=["x", "y", "z"])
    assert named.classes.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0], [0, 1]], r"matrix has shape \(2, 2\); expected \(K \+ 1, K\)"),
        ([1, 2, 3], r"matrix has shape \(3,\)"),
        ([[1, 0], [0, -1], [0, 0]], r"matrix\[1, 1\] is -1; counts are finite"),
        (
            pd.DataFrame([[1, 0], [0, 1], [0, 0]], index=["b", "a", "⊥"], columns=["a", "b"]),
            "name the rows after the columns",
        ),
    ],
)
def test_bad_matrices(matrix, message) -> None:
    with pytest.raises(ValueError, match=message):
        SetCounts.from_confusion(matrix)


def test_forgotten_sets_have_no_rows() -> None:
    counts = SetCounts.from_predictions(Y_TRUE, Y_SET).without_sets()
    expected = cautious_confusion_matrix(Y_TRUE, Y_SET)
    assert (cautious_confusion_matrix(counts, None) == expected).all(axis=None)
    with pytest.raises(ValueError, match="partial='answer' needs to know the classes"):
        cautious_confusion_matrix(counts, None, partial="answer")


def test_no_two_rows_have_one_name() -> None:
    table = cautious_confusion_matrix(["⊥", "⊤", "⊤"], ["⊥", "⊤", None])
    assert table.index.tolist() == ["⊤", "⊥", "⊥′"]
    assert table.loc["⊥′"].tolist() == [1, 0]
    named = cautious_confusion_matrix(["a", "{a, b}", "b"], ["a", ["a", "b"], "b"],
                                      partial="answer")  # fmt: skip
    assert named.index[-1] == "⊥"
    with pytest.raises(ValueError, match="abstain is 'a', which names another row"):
        cautious_confusion_matrix(["a", "b"], ["a", "b"], abstain="a")
