"""Errors that say what the user may have meant, and guesses that help without a word."""

import numpy as np
import pandas as pd
import pytest

from cautious.errors import InputError
from cautious.logs import summarise
from cautious.predictions import read_predictions
from cautious.predictions._columns import guess_columns

LABELLED = "".join(f"{0.01 * k:.2f},{'ab'[k % 2]}\n" for k in range(40))


def test_truths_and_scores_may_be_swapped(refused):
    words = refused(f"y_true,score\n{LABELLED}")
    assert "'a' is not a number" in words
    assert words.endswith("Or are 'y_true' and 'score' swapped?")


def test_the_positive_class(refused):
    text = "y_true,score\nbenign,.4\nmalignant,.5\n"
    assert refused(text, pos_label="Benign").endswith("Did you mean 'benign'?")
    text = "y_true,p_benign,p_malignant\nbenign,.4,.6\n"
    assert refused(text, pos_label="malignent").endswith("Did you mean 'malignant'?")


@pytest.mark.parametrize("truth", ["y_true", "Label", " target ", "ACTUAL", "truth"])
@pytest.mark.parametrize("score", ["score", "p", "Probability", "y_score"])
def test_usual_names_of_columns(truth, score):
    columns = guess_columns(["id", score, truth])
    assert (columns.truth, columns.scores) == (truth, (score,))


@pytest.mark.parametrize("name", ["y_prob", "Y_Proba", "y_pred_proba", "prob", "confidence"])
def test_more_names_of_scores(read, name):
    found = read(f"y_true,{name}\n0,.2\n1,.8\n")
    taken = found.notes[0].words(place=False)
    assert taken == f"truth 'y_true', score '{name}', positive '1'"


def test_class_columns_win_over_a_score_and_columns_of_members_over_written_sets():
    columns = guess_columns(["y", "score", "proba_a", "proba_b", "in_a", "in_b", "set", "Group"])
    assert columns.scores == ()
    assert columns.proba == {"a": "proba_a", "b": "proba_b"}
    assert columns.members == {"a": "in_a", "b": "in_b"}
    assert columns.sets is None
    assert columns.names() == ["y", "Group", "proba_a", "proba_b", "in_a", "in_b"]


def test_columns_may_be_said_in_several_ways():
    names = ["y", "q_a", "q_b", "s", "weight", "group"]
    said = {"proba": {"A": "q_a", "B": "q_b"}, "weight": False, "groups": False}
    columns = guess_columns(names, **said)
    assert columns.proba == {"A": "q_a", "B": "q_b"}
    assert (columns.weight, columns.groups) == (None, None)
    assert guess_columns(names, proba=["q_a", "q_b"]).proba == {"q_a": "q_a", "q_b": "q_b"}
    assert guess_columns(names, proba="q_").proba == {"a": "q_a", "b": "q_b"}
    assert guess_columns(names, score=["q_a", "q_b"]).scores == ("q_a", "q_b")
    assert guess_columns(["y_true", "score_x", "score_y"]).scores == ("score_x", "score_y")
    assert guess_columns(["score"], truth=False).truth is None
    # What is named for one thing is not guessed to be another.
    both = ["y", "sample_weight", "weight", "group"]
    assert guess_columns(both, score="sample_weight").weight == "weight"
    assert guess_columns(both[::2], score="weight").weight is None
    assert not guess_columns(both[::2], score="weight").guessed_weight
    assert guess_columns(both, score="weight", case="group").groups is None
    assert guess_columns(both, proba={"a": "weight", "b": "y"}, truth="group").groups is None


def test_one_class_of_many_may_be_scored(read):
    labels = [f"c{k}" for k in range(30)]
    text = "y_true,score\n" + "".join(f"{label},{label == 'c3':d}\n" for label in labels)
    found = read(text, pos_label="c3")
    assert found.classes == ("not c3", "c3")
    assert found.y_score[found.codes == 1].tolist() == [1]


class TestWholeNumbersWithAPoint:
    TEXT = "y_true,score\n0.0,.2\n1.0,.8\n0.0,.1\n"

    @pytest.mark.parametrize("positive", [None, "1", "1.0", 1, 1.0])
    def test_they_are_classes_like_others(self, read, positive):
        assert read(self.TEXT, pos_label=positive).classes == ("0", "1")

    @pytest.mark.parametrize("heading", ["p_0,p_1", "p_0.0,p_1.0"])
    def test_they_match_the_columns_however_these_are_called(self, read, heading):
        found = read(f"y_true,{heading}\n0.0,.8,.2\n1.0,.2,.8\n")
        assert found.y_score.tolist() == [0.2, 0.8]

    def test_they_match_sets(self, read):
        found = read("y_true,y_set\n0.0,0.0\n1.0,0.0|1.0\n1.0,1\n")
        assert found.classes == ("0", "1")
        assert found.y_set.tolist() == [[True, False], [True, True], [False, True]]

    def test_other_numbers_stay_as_they_are(self, read):
        text = "y_true,p_1.5,p_2.0\n1.5,.8,.2\n2.0,.2,.8\n"
        assert read(text, pos_label="2.0").classes == ("1.5", "2.0")


@pytest.mark.parametrize(
    ("cell", "decimal", "hint"),
    [
        ("0,25", ".", "Write 0.25, with a decimal point. Or say that decimals follow commas: {}"),
        ("0.25", ",", "Write 0,25, with a decimal comma."),
        ("1.234,5", ",", "Write a comma before decimals, and nothing between thousands."),
        ("1,234,567", ",", "Write a comma before decimals, and nothing between thousands."),
        ("12,5%", ",", "Write 0,125 for 12,5%."),
        ("1.2.2020", ",", "This is a date or a time; is the column the right one?"),
    ],
)
def test_how_decimals_are_written(tmp_path, cell, decimal, hint):
    path = tmp_path / "given.csv"
    path.write_text(f'y_true;score\n0;1\n1;"{cell}"\n')
    for read in (read_predictions, summarise):
        with pytest.raises(InputError, match="line 3: ") as caught:
            read(path, decimal=decimal)
        assert str(caught.value).endswith(hint.format("decimal=','"))


def test_decimals_of_commas_between_commas(read):
    """Where nothing else separates cells, quotation marks tell the commas apart."""
    text = 'y_true,score\n0,"0,25"\n1,"1,5e-1"\n'
    assert read(text, decimal=",").y_score.tolist() == [0.25, 0.15]
    with pytest.raises(InputError, match=r"decimal is ';'; choose '\.' or ','"):
        read(text, decimal=";")


def test_parquet_of_percentages(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"y": [0, 1], "p_0": np.array([70.0, 20.5]), "p_1": [30.0, 79.5]})
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"per cent\? Then divide by 100"):
        read_predictions(tmp_path / "a.parquet")
