from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.curves import Staircase

examples = st.lists(
    st.tuples(st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 3.0, np.inf]), st.integers(0, 1)),
    min_size=1,
    max_size=30,
)


@given(examples, st.data())
def test_any_split_in_any_order_adds_up_to_the_whole(rows, data):
    score, truth = (np.array(column) for column in zip(*rows, strict=True))
    weight = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    )
    part_of_row = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    )
    parts = data.draw(st.permutations(range(4)))
    whole = Staircase.from_predictions(truth, score, sample_weight=weight, classes=(0, 1))
    batches = [
        Staircase.from_predictions(
            truth[part_of_row == part],
            score[part_of_row == part],
            sample_weight=weight[part_of_row == part],
            classes=(0, 1),
        )
        for part in parts
    ]
    assert functools.reduce(lambda a, b: a + b, batches) == whole
    assert batches[0] + (batches[1] + (batches[2] + batches[3])) == whole


@given(examples)
def test_counts_are_those_of_a_dictionary(rows):
    score, truth = (np.array(column) for column in zip(*rows, strict=True))
    staircase = Staircase.from_predictions(truth, score, classes=(0, 1))
    assert staircase.scores.tolist() == sorted(set(score.tolist()))
    for s, positives, negatives in staircase.frame().itertuples(index=False):
        assert positives == sum(1 for a, y in rows if a == s and y == 1)
        assert negatives == sum(1 for a, y in rows if a == s and y == 0)
    assert (staircase.n_positives, staircase.n_negatives) == (truth.sum(), (1 - truth).sum())


def test_both_zeros_are_one_score():
    assert len(Staircase.from_predictions([0, 1], [0.0, -0.0])) == 1


def test_float32_and_integer_scores_are_taken_as_they_are():
    single = Staircase.from_predictions([0, 1], np.array([0.1, 0.2], dtype=np.float32))
    assert single.scores.tolist() == [float(np.float32(0.1)), float(np.float32(0.2))]
    assert Staircase.from_predictions([0, 1], [3, 1]).scores.tolist() == [1.0, 3.0]
    assert Staircase.from_predictions([0, 1], np.array([3, 1], dtype=object)).scores[0] == 1.0


@pytest.mark.parametrize(
    ("y", "pos_label", "classes"),
    [
        ([0, 1], None, (0, 1)),
        ([1, 0], 0, (1, 0)),
        ([-1, 1], None, (-1, 1)),
        ([True, False], None, (False, True)),
        ([1.0, 0.0], None, (0, 1)),
        (["a", "b"], "a", ("b", "a")),
        (pd.Series(["a", "b"], dtype="category"), "b", ("a", "b")),
        (["a", "b", "c"], "c", ("not c", "c")),
        ([1, 1], None, (0, 1)),
        ([-1, -1], None, (-1, 1)),
        (["a", "a"], "a", ("not a", "a")),
    ],
)
def test_the_positive_class_is_said_or_plain(y, pos_label, classes):
    staircase = Staircase.from_predictions(y, range(len(y)), pos_label=pos_label)
    assert staircase.classes == classes
    expected = sum(1 for label in y if label == classes[1])
    assert staircase.n_positives == expected


def test_declared_classes_may_be_missing():
    only = Staircase.from_predictions(["no"], [0.5], classes=("no", "yes"))
    assert (only.n_positives, only.n_negatives) == (0, 1)
    turned = Staircase.from_predictions(["no"], [0.5], classes=("no", "yes"), pos_label="no")
    assert turned.classes == ("yes", "no")
    empty = Staircase.from_predictions([], [], classes=("no", "yes"))
    assert len(empty) == 0
    assert empty + only == only == only + empty


def test_flipping_twice_changes_nothing():
    staircase = Staircase.from_predictions([0, 1, 1], [0.1, 0.4, -np.inf])
    assert staircase.flipped().flipped() == staircase
    assert staircase.flipped() != staircase
    assert staircase != "a staircase"


def test_adding_something_else_is_refused():
    with pytest.raises(TypeError):
        Staircase([0], [1], [1]) + 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(Staircase([0], [1], [1]))


of = Staircase.from_predictions
REFUSED = {
    "NaN in row 1": lambda: of([0, 1], [0.1, np.nan]),
    "column of the": lambda: of([0, 1], [[0.1, 0.9]] * 2),
    "2 rows and y_score has 1": lambda: of([0, 1], [0.1]),
    "there are no rows": lambda: of([], []),
    "one class against the rest": lambda: of([0, 1, 2], [1, 2, 3]),
    "which one a high score speaks for": lambda: of(["a", "b"], [1, 2]),
    "which one a high score speaks fo": lambda: of([3, 4], [1, 2]),
    "pos_label is .7., but the classes are": lambda: of([0, 1], [1, 2], pos_label=7),
    "pos_label is .7., but": lambda: of([0, 1], [1, 2], pos_label=7, classes=(0, 1)),
    "holds 5 in row 1": lambda: of([0, 5], [1, 2], classes=(0, 1)),
    "two different labels": lambda: of([0, 1], [1, 2], classes=(1, 1)),
    r"sample_weight\[1\] is -1": lambda: of([0, 1], [1, 2], sample_weight=[1, -1]),
    "must increase strictly": lambda: Staircase([1, 1], [1, 1], [0, 0]),
    r"positives\[1\] is -1": lambda: Staircase([1, 2], [1, -1], [0, 0]),
    "negatives has shape": lambda: Staircase([1, 2], [1, 1], [0]),
    "give two different labels": lambda: Staircase([1], [1], [1], (0, 0)),
    "different classes": lambda: Staircase([1], [1], [1]) + Staircase([1], [1], [1], (1, 0)),
}


@pytest.mark.parametrize(("message", "make"), REFUSED.items(), ids=REFUSED)
def test_bad_input_is_named(message, make):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(("score", "words"), [(["x", "y"], "are numbers"), ([1j, 2j], "complex")])
def test_scores_that_are_no_numbers(score, words):
    with pytest.raises(TypeError, match=words):
        of([0, 1], score)


def test_staircases_can_be_summed():
    one = Staircase([1, 2], [0, 4], [3, 1])
    two = Staircase([2, 3], [1, 1], [0, 2])
    assert sum([one, two]) == one + two
    with pytest.raises(TypeError):
        1 + one


def test_labels_that_end_in_nul_or_are_tuples():
    score = [0.1, 0.2, 0.3]
    for negative, positive in (("a", "a\0"), (("a", 1), ("a", 2))):
        truth = np.empty(3, dtype=object)
        truth[:] = [negative, positive, positive]
        staircase = Staircase.from_predictions(truth, score, pos_label=positive)
        assert staircase.positives.tolist() == [0, 1, 1]
        assert staircase.classes == (negative, positive)
