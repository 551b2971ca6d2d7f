import pytest

from cautious.logs import Columns, guess_columns


def test_names_are_guessed_whatever_their_case():
    found = guess_columns(["ID", "Target", "Margin", "Classifier", "Weight", "Group"])
    assert found == Columns("Target", "Margin", model="Classifier", weight="Weight", group="Group")


def test_probabilities_win_over_a_score_and_columns_of_members_over_written_sets():
    found = guess_columns(["y", "score", "proba_a", "proba_b", "in_a", "in_b", "set"])
    assert found.score is None
    assert found.proba == {"a": "proba_a", "b": "proba_b"}
    assert found.members == {"a": "in_a", "b": "in_b"}
    assert found.sets is None
    assert found.names() == ["y", "proba_a", "proba_b", "in_a", "in_b"]


def test_what_is_missing_is_said():
    with pytest.raises(ValueError, match=r"no column holds the truth.*'a', 'b'"):
        guess_columns(["a", "b"])
    with pytest.raises(ValueError, match="no column holds predictions"):
        guess_columns(["y_true", "b"])
    assert guess_columns(["b", "score"], truth="b").truth == "b"
