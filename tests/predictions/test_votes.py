"""Votes beside counting by hand."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.predictions import majority_vote


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=7), min_size=1))
def test_the_largest_group_wins(rows):
    for row, found in zip(rows, majority_vote(rows).itertuples(), strict=True):
        counts = Counter(row).most_common()
        first, second = counts[0][1], counts[1][1] if len(counts) > 1 else 0
        assert Counter(row)[found.answer] == first
        assert found.share == first / len(row)
        assert found.margin == (first - second) / len(row)


def test_equality_is_what_it_is_said_to_be():
    row = [["A 1.", "a1", "b", None]]
    assert majority_vote(row)["share"].tolist() == [0.25]
    assert majority_vote(row, equal="normalised")["share"].tolist() == [0.5]
    near = majority_vote([[1.0, 1.04, 2.0]], equal=lambda one, other: abs(one - other) < 0.1)
    assert near.to_dict("records") == [{"answer": 1.0, "share": 2 / 3, "margin": 1 / 3, "asked": 3}]
    assert majority_vote([["?!", "...", "?!"]], equal="normalised")["answer"].tolist() == ["?!"]


def test_missing_answers_count_among_those_asked():
    frame = pd.DataFrame({"one": ["x", None], "two": [None, None]}, index=["q1", "q2"])
    found = majority_vote(frame)
    assert found["share"].to_dict() == {"q1": 0.5, "q2": 0.0}
    assert found["answer"].tolist() == ["x", None]


@pytest.mark.parametrize(
    ("rows", "equal"), [(["abc"], "exact"), ([[]], "exact"), ([["a"]], "near")]
)
def test_what_is_no_vote_is_refused(rows, equal):
    with pytest.raises(ValueError, match="give"):
        majority_vote(rows, equal=equal)
