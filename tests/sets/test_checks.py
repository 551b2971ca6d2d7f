"""The checks: each bad input gets an error that names the argument and the first offending row."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from cautious._cases import cases_of_sets
from cautious._checks import (
    as_codes,
    check_classes,
    check_mask,
    check_probabilities,
    check_truth,
    check_weight,
    count_classes,
    distinct,
)
from cautious.sets import as_labels, as_mask, parse_set, set_names


class TestClasses:
    def test_labels_keep_their_types(self):
        assert check_classes(["b", "a"]).tolist() == ["b", "a"]
        assert check_classes([3, 1]).dtype.kind == "i"
        assert check_classes(["a", 1]).tolist() == ["a", 1]
        assert check_classes(pd.Series(["x", "y"])).tolist() == ["x", "y"]
        assert check_classes(pd.Categorical(["x", "y"])).tolist() == ["x", "y"]

    @pytest.mark.parametrize(
        ("classes", "error", "message"),
        [
            ([], ValueError, "classes is empty"),
            (["a", "b", "a"], ValueError, r"classes\[2\] repeats 'a'"),
            (["a", None], ValueError, r"classes\[1\] is missing"),
            ([0.0, np.nan], ValueError, r"classes\[1\] is missing"),
            (np.zeros((2, 2)), ValueError, r"shape \(2, 2\)"),
            ("ab", TypeError, "sequence of labels"),
            (3, TypeError, "sequence of labels"),
        ],
    )
    def test_bad(self, classes, error, message):
        with pytest.raises(error, match=message):
            check_classes(classes)


class TestMask:
    @pytest.mark.parametrize(
        ("mask", "error", "message"),
        [
            ([[True, False], [False, False]], ValueError, "empty prediction set in row 1"),
            ([True, False], ValueError, r"shape \(2,\)"),
            ([[1, 0], [0, 2]], ValueError, "holds .*2.* in row 1; only 0 and 1"),
            ([[0.0, 1.0]], TypeError, "probabilities"),
            ([[True, None]], ValueError, "None in row 0; only True and False"),
            ([[True, False, False]], ValueError, "3 columns but there are 2 classes"),
        ],
    )
    def test_bad(self, mask, error, message):
        with pytest.raises(error, match=message):
            check_mask(mask, n_classes=2)

    def test_empty_sets_that_are_wrong_stay_empty(self):
        given = np.array([[True, False], [False, False]])
        assert check_mask(given, empty="wrong") is given
        assert count_classes(check_mask(given, empty="wrong")).tolist() == [1, 0]
        assert as_labels(given, ["a", "b"], empty="wrong") == [("a",), ()]
        assert set_names(given, ["a", "b"], empty="wrong") == ["{a}", "{}"]
        read = as_mask([["a"], [], None], ["a", "b"], empty="wrong")
        assert read.tolist() == [[True, False], [False, False], [True, True]]

    def test_a_clean_mask_is_not_copied(self):
        given = np.array([[True, False], [True, True]])
        assert check_mask(given) is given

    def test_many_classes_are_counted_beyond_a_byte(self):
        assert count_classes(np.ones((2, 300), dtype=bool)).tolist() == [300, 300]

    def test_unknown_meaning_of_empty(self):
        with pytest.raises(ValueError, match="empty is 'drop'"):
            check_mask([[True]], empty="drop")

    def test_objects_that_are_booleans(self):
        mask = check_mask(np.array([[True, np.True_]], dtype=object))
        assert mask.dtype == np.bool_

    def test_no_rows(self):
        assert check_mask(np.zeros((0, 3), dtype=bool)).shape == (0, 3)


class TestProbabilities:
    def test_single_precision_passes(self):
        p = np.full((1, 3), 1 / 3, dtype=np.float32)
        assert check_probabilities(p).dtype == np.float64

    def test_half_precision_and_text_numbers(self):
        assert check_probabilities(np.full((1, 3), 1 / 3, dtype=np.float16)).shape == (1, 3)
        assert check_probabilities([["0.5", "0.5"]]).tolist() == [[0.5, 0.5]]

    @pytest.mark.parametrize("n_classes", [5_000, 50_000])
    def test_single_precision_with_many_classes(self, n_classes):
        logits = np.random.default_rng(0).normal(size=(5, n_classes)).astype(np.float32)
        e = np.exp(logits)
        p = e / np.cumsum(e, axis=1, dtype=np.float32)[:, -1:]  # adds one class after another
        assert np.abs(p.sum(axis=1, dtype=np.float64) - 1).max() > 1e-6
        checked = check_probabilities(p)
        np.testing.assert_allclose(checked, p, rtol=1e-3)
        np.testing.assert_array_equal(check_probabilities(checked), checked)  # again, in double

    def test_rows_within_the_tolerance_are_left_alone(self):
        p = np.array([[0.5, 0.5 + 5e-7], [0.25, 0.75]])
        np.testing.assert_array_equal(check_probabilities(p), p)
        single = np.array([[0.5, 0.5 + 5e-7]], dtype=np.float32)
        np.testing.assert_array_equal(check_probabilities(single), single.astype(float))

    def test_many_classes_do_not_excuse_everything(self):
        p = np.full((1, 100_000), 1.01e-5, dtype=np.float32)
        with pytest.raises(ValueError, match=r"within 0\.001"):
            check_probabilities(p)

    def test_message_tells_a_small_difference(self):
        with pytest.raises(ValueError, match=r"\+5e-06 away from 1.*within 1e-06"):
            check_probabilities([[0.5, 0.500005]])

    @pytest.mark.parametrize(
        ("p", "error", "message"),
        [
            ([[0.5, 0.5], [0.5, 0.6]], ValueError, r"adds up to 1.1 in row 1, \+0.1 away from 1"),
            ([[0.5, 0.5], [np.nan, 1.0]], ValueError, "no probability in row 1"),
            ([[-0.5, 1.5]], ValueError, "no probability in row 0"),
            ([[np.inf, 0.0]], ValueError, "no probability in row 0"),
            ([0.5, 0.5], ValueError, r"shape \(2,\)"),
            ([["a", "b"]], TypeError, "probabilities are numbers"),
            ([[0.5, 0.25, 0.25]], ValueError, "3 columns but there are 2 classes"),
        ],
    )
    def test_bad(self, p, error, message):
        with pytest.raises(error, match=message):
            check_probabilities(p, n_classes=2)


class TestWeight:
    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            ([1.0], r"shape \(1,\); expected \(2,\)"),
            ([1.0, -1.0], r"sample_weight\[1\] is -1"),
            ([np.nan, 1.0], r"sample_weight\[0\] is nan"),
            ([1.0, np.inf], r"sample_weight\[1\] is inf"),
            ([1e308, 1e308], r"adds up to more than a float can hold; .* is 1e\+308\. Divide"),
        ],
    )
    def test_bad(self, weight, message):
        with pytest.raises(ValueError, match=message):
            check_weight(weight, 2)

    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            (["a", "b"], "sample_weight holds the text 'a'; weights are numbers"),
            ("balanced", "sample_weight holds the text 'balanced'; weights are numbers"),
            (
                [[1.0], [1.0, 2.0]],
                "sample_weight has rows of different lengths; weights are numbers",
            ),
        ],
    )
    def test_not_numbers(self, weight, message):
        with pytest.raises(TypeError, match=message):
            check_weight(weight, 2)


class TestBooleansAreNumbers:
    MASK = np.array([[True, False], [True, True]])

    @pytest.mark.parametrize(
        "y_true",
        [
            np.array([True, False]),
            [True, False],
            np.array([True, False], dtype=object),
            pd.Series([True, False], dtype="boolean"),
        ],
    )
    @pytest.mark.parametrize(
        "labels", [[0, 1], [0.0, 1.0], np.array([0, 1], dtype=np.uint8), [False, True]]
    )
    def test_boolean_truth(self, y_true, labels):
        assert cases_of_sets(y_true, self.MASK, classes=labels).truth.tolist() == [1, 0]

    @pytest.mark.parametrize("y_true", [[1, 0], [1.0, 0.0], pd.Series([1, 0], dtype="Int64")])
    def test_boolean_classes(self, y_true):
        assert cases_of_sets(y_true, self.MASK, classes=[False, True]).truth.tolist() == [1, 0]

    def test_boolean_sets(self):
        assert as_mask([[True], [False, True]], [0, 1]).tolist() == [[False, True], [True, True]]
        assert as_mask(np.array([True, False]), [0, 1]).tolist() == [[False, True], [True, False]]
        assert cases_of_sets([True, True], [0, 1]).truth.tolist() == [1, 1]

    def test_scikit_learn_keeps_them_as_numbers(self):
        y = pd.Series([True, False, True, False], dtype="boolean")
        model = LogisticRegression().fit(np.arange(4.0)[:, None], y)
        sets = model.predict_proba(np.arange(4.0)[:, None]) >= 0.5
        checked = cases_of_sets(y, sets, classes=model.classes_)
        assert checked.truth.tolist() == [1, 0, 1, 0]

    @pytest.mark.parametrize(
        ("y_true", "labels"), [([True, 2], [0, 1]), ([True, False], ["False", "True"])]
    )
    def test_other_labels_stay_unknown(self, y_true, labels):
        with pytest.raises(ValueError, match="not among the classes"):
            cases_of_sets(y_true, self.MASK, classes=labels)


class TestPairing:
    def test_labels_are_inferred_from_both_sides(self):
        checked = cases_of_sets(["a", "a"], [["b"], ["a", "c"]])
        assert checked.labels.tolist() == ["a", "b", "c"]
        assert checked.truth.tolist() == [0, 0]
        assert checked.mask.tolist() == [[False, True, False], [True, False, True]]

    def test_named_frame(self):
        frame = pd.DataFrame({"dog": [True, False], "cat": [False, True]})
        checked = cases_of_sets(["cat", "cat"], frame)
        assert checked.labels.tolist() == ["cat", "dog"]
        assert checked.mask.tolist() == [[False, True], [True, False]]

    def test_nested_lists_of_0_and_1_are_read_by_the_truths(self):
        """Without classes=, what y_true holds tells a mask from label sets."""
        checked = cases_of_sets(["a", "b"], [[1, 0], [0, 1]])
        assert checked.labels.tolist() == ["a", "b"]
        assert checked.mask.tolist() == [[True, False], [False, True]]
        sets = cases_of_sets([0, 1, 2], [[0, 1], [1, 0], [0, 1]])
        assert sets.labels.tolist() == [0, 1, 2]
        assert sets.mask.tolist() == [[True, True, False]] * 3
        assert cases_of_sets([2, 2], [[1], [1]]).labels.tolist() == [1, 2]
        with pytest.raises(ValueError, match="3 columns but y_true holds 2 different labels"):
            cases_of_sets(["a", "b"], [[1, 0, 0], [0, 1, 0]])
        with pytest.raises(ValueError, match=r"pass np.asarray\(y_set, dtype=bool\)"):
            cases_of_sets([0, 1], [[1, 0], [0, 1]])

    def test_labels_of_mixed_kinds_have_an_order(self):
        assert cases_of_sets(["a", 1], [["a"], [1]]).labels.tolist() == [1, "a"]

    @pytest.mark.parametrize(
        ("y_true", "y_set", "kwargs", "message"),
        [
            ([0, 1], np.ones((2, 3), dtype=bool), {}, "3 columns but y_true holds 2 different"),
            ([0, 1], np.ones((3, 2), dtype=bool), {}, "2 rows and y_set has 3"),
            ([0, 5], np.ones((2, 2), dtype=bool), {"classes": [0, 1]}, "y_true holds 5 in row 1"),
            ([0, None], np.ones((2, 2), dtype=bool), {}, "y_true is missing .* row 1"),
            ([], [], {}, "y_true is empty, .* pass classes="),
            ([], np.ones((0, 2), dtype=bool), {}, "y_true is empty, .* pass classes="),
            (list(range(20)), np.ones((20, 3), dtype=bool), {}, r"\[0, 1, .*, … 20 in all\]"),
        ],
    )
    def test_bad(self, y_true, y_set, kwargs, message):
        with pytest.raises(ValueError, match=message):
            cases_of_sets(y_true, y_set, **kwargs)

    def test_truth_must_be_flat(self):
        with pytest.raises(ValueError, match="y_true has shape"):
            check_truth(np.zeros((2, 1)))


class TestCodes:
    @pytest.mark.parametrize("classes", [[0, 1, 2], [-2, -1, 0], [5, 6], [4, 2, 9], [3]])
    @pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, float, object])
    def test_whole_numbers_are_found_like_other_labels(self, classes, dtype):
        if dtype is np.uint8 and min(classes) < 0:
            pytest.skip("no such numbers")
        known = np.array(classes)
        given = np.random.default_rng(0).choice(known, 50)
        found = as_codes(given.astype(dtype), known, name="y")
        assert found.tolist() == [classes.index(label) for label in given]
        assert as_codes(given[:0].astype(dtype), known, name="y").shape == (0,)

    @pytest.mark.parametrize("strange", [-1, 3, 127])
    def test_one_that_is_no_class_is_named(self, strange):
        with pytest.raises(ValueError, match=f"y holds {strange} in row 1, .* classes .0, 1, 2..$"):
            as_codes(np.array([0, strange], np.int8), np.arange(3), name="y")


@pytest.mark.parametrize(
    ("y_true", "y_set", "message"),
    [
        (["a", "b"], ["a|b", "b"], r"'a\|b'.* reads as the set \['a', 'b'\]"),
        (["a", "b"], pd.Series(["{a, b}", "b"]), "reads as the set"),
        (["a", "b"], [["a|b"], ["b"]], "reads as the set"),
        (["a", "a"], ["a|b", "b"], "reads as the set"),  # an answer tells of b
        (["a", "b"], ["?", "b"], "reads as an abstention"),
        ([0, 1], ["0|1", "1"], "reads as the set"),
        ([0, 1], ["0", "1"], "the text '0' and y_true 0"),
    ],
)
def test_the_text_of_a_set_is_no_label(y_true, y_set, message):
    with pytest.raises(ValueError, match=message):
        cases_of_sets(y_true, y_set)


def test_the_sets_that_a_text_means():
    written = ["a|b", "b", "?"]
    meant = cases_of_sets(["a", "b", "b"], [parse_set(one).labels for one in written])
    assert meant.mask.tolist() == [[True, True], [False, True], [True, True]]
    for y_true, y_set, classes in (
        (["a", "a|b"], ["a|b", "a"], None),  # a class of its own among the truths
        (["a", "b"], ["a|b", "b"], ["a", "b", "a|b"]),  # or one that is declared
        (["a", "b"], ["red|green", "b"], None),  # or a word of other parts
        (["a", "b"], ["a;b", "a/c"], None),
    ):
        assert cases_of_sets(y_true, y_set, classes=classes).mask.sum() == 2


@pytest.mark.parametrize(
    "given",
    [
        ["b", "a", "b", "ab", "", "ba", "a"],
        ["\U0010ffff", "\U0010fffe", "\U0010ffff"],
        ["a\0b", "a\0c", "a", "a\0b"],
        ["no", "".join(["n", "o"])],  # one text at two places in memory
        ["no", "".join(["n", "o"]), "yes", "no"],
        [f"{i % 7} of a long name {i % 3}" for i in range(40)],
        [],
        [3, -1, 3],
        [True, False, True],
    ],
)
@pytest.mark.parametrize("dtype", [None, object])
def test_labels_are_told_apart_in_the_order_they_occur(given, dtype):
    labels = np.array(given, dtype=dtype or (None if given else "U1"))
    for one in (labels, labels[::-1]):
        occurring, place = distinct(one)
        assert occurring.tolist() == list(dict.fromkeys(one.tolist()))
        assert occurring[place].tolist() == one.tolist()
