"""Everything other libraries return becomes the same mask; what cannot be read says why."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from crepes import WrapClassifier
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from mapie.classification import SplitConformalClassifier
from scipy import sparse
from skfb.estimators import ThresholdFallbackClassifier
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from cautious._cases import cases_of_proba, cases_of_sets
from cautious.predictions._probabilities import class_scores
from cautious.sets import as_labels, as_mask, set_names

CLASSES = ["bicycle", "car", "human"]
EXPECTED = np.array([[True, False, False], [True, False, True], [True, True, True]])


@pytest.mark.parametrize(
    "y_set",
    [
        EXPECTED,
        EXPECTED.astype(int),
        EXPECTED.astype(np.uint8),
        EXPECTED.tolist(),
        EXPECTED.astype(int).tolist(),
        [tuple(row) for row in EXPECTED.astype(int).tolist()],
        list(EXPECTED.astype(int)),
        EXPECTED[:, :, None],
        (np.array(["car", "car", "car"]), EXPECTED[:, :, None]),
        sparse.csr_matrix(EXPECTED),
        np.asfortranarray(EXPECTED),
        pd.DataFrame(EXPECTED, columns=CLASSES)[["human", "car", "bicycle"]],
        pd.DataFrame(EXPECTED),
        pd.DataFrame(EXPECTED, columns=CLASSES).astype("boolean"),
        [["bicycle"], ("human", "bicycle"), {"car", "human", "bicycle"}],
        [["bicycle"], np.array(["human", "bicycle"]), None],
        ["bicycle", frozenset(["human", "bicycle"]), np.nan],
        pd.Series(["bicycle", ("human", "bicycle"), pd.NA], dtype=object),
        [["bicycle"], ["bicycle", "human"], -1],
    ],
)
def test_one_meaning_many_forms(y_set):
    mask = as_mask(y_set, CLASSES)
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, EXPECTED)


@pytest.mark.parametrize(
    ("y_set", "kwargs"),
    [
        (np.array([0, 1, -1]), {}),
        (np.array([0.0, 1.0, np.nan]), {}),
        (np.ma.masked_array([0, 1, 1], mask=[False, False, True]), {}),
        (pd.Series([0, 1, None], dtype="Int64"), {}),
        (np.array([0, 1, 9]), {"abstain": 9}),
        ([0, 1, None], {}),
    ],
)
def test_single_labels_with_abstention(y_set, kwargs):
    mask = as_mask(y_set, [0, 1], **kwargs)
    assert mask.tolist() == [[True, False], [False, True], [True, True]]


def test_text_labels_with_an_abstaining_word():
    mask = as_mask(np.array(["no", "?", "yes"]), ["no", "yes"], abstain="?")
    assert mask.tolist() == [[True, False], [True, True], [False, True]]


def test_minus_one_is_a_class_where_it_is_declared():
    assert as_mask(np.array([-1, 1]), [-1, 1]).tolist() == [[True, False], [False, True]]


def test_rows_of_equally_many_labels():
    assert as_mask(np.array([["a", "b"], ["a", "c"]]), ["a", "b", "c"]).sum() == 4


def test_boolean_classes():
    assert as_mask([[True], [False, True]], [False, True]).tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize(
    ("y_set", "classes", "expected"),
    [
        # Some row repeats a value: no label set does.
        ([[1, 1], [0, 1]], [0, 1], [[True, True], [False, True]]),
        ([[1, 0, 1], [0, 1, 1]], [0, 1, 2], [[True, False, True], [False, True, True]]),
        ([[True, True], [False, True]], [False, True], [[True, True], [False, True]]),
        # 0 and 1 are not both classes.
        ([[1, 0], [0, 1]], ["a", "b"], [[True, False], [False, True]]),
        ([[1, 0], [0, 1]], [1, 2], [[True, False], [False, True]]),
        # No classes: labels could not be read at all.
        ([[1, 0], [0, 1]], None, [[True, False], [False, True]]),
        ([[1, 0, 0]], None, [[True, False, False]]),
        # Label sets.
        ([[0], [0, 1]], [0, 1], [[True, False], [True, True]]),
        ([[0], [1]], [0, 1], [[True, False], [False, True]]),
        ([[0, 1], [1, 0]], [0, 1, 2], [[True, True, False], [True, True, False]]),
        ([[0, 2], [1, 0]], [0, 2, 1], [[True, True, False], [True, False, True]]),
        ([{0, 1}, {1, 0}], [0, 1], [[True, True], [True, True]]),
        ([(0, 1), (0, 1)], [0, 1], [[True, True], [True, True]]),
        ([[0, 1], {0, 1}], [0, 1], [[True, True], [True, True]]),
    ],
)
def test_nested_0_and_1(y_set, classes, expected):
    assert as_mask(y_set, classes).tolist() == expected


@pytest.mark.parametrize("classes", [[0, 1], [1, 0], [0.0, 1.0], [False, True]])
def test_nested_0_and_1_that_may_be_either(classes):
    for y_set in ([[1, 0], [0, 1]], [[0, 1], [0, 1]], [np.array([1, 0])]):
        with pytest.raises(ValueError, match=r"pass np.asarray\(y_set, dtype=bool\) if"):
            as_mask(y_set, classes)
        mask = as_mask(np.asarray(y_set, dtype=bool), classes)
        np.testing.assert_array_equal(mask, y_set)


def test_booleans_for_boolean_classes_may_be_either():
    with pytest.raises(ValueError, match="may be a row of a mask"):
        as_mask([[True, False], [False, True]], [False, True])


class TestFrames:
    def test_columns_of_equal_text(self):
        frame = pd.DataFrame([[True, False]], columns=pd.Index(["1", 1], dtype=object))
        assert as_mask(frame, [1, "1"]).tolist() == [[False, True]]
        frame["2"] = True
        assert as_mask(frame, [1, 2, "1"]).tolist() == [[False, True, True]]

    def test_text_columns_for_numbers(self):
        assert as_mask(pd.DataFrame({"20": [True], "10": [False]}), [10, 20]).tolist() == [
            [False, True]
        ]

    def test_numbered_columns_in_another_order_are_names(self):
        frame = pd.DataFrame(EXPECTED).iloc[:, ::-1]
        np.testing.assert_array_equal(as_mask(frame, [0, 1, 2]), EXPECTED)

    @pytest.mark.parametrize("columns", [["a", "a"], ["a", "c"], ["a", "b", "c"]])
    def test_columns_that_are_not_the_classes(self, columns):
        frame = pd.DataFrame(np.ones((1, len(columns)), dtype=bool), columns=columns)
        with pytest.raises(ValueError, match=r"y_set has columns .* but the classes are"):
            as_mask(frame, ["a", "b"])


class TestOtherLibraries:
    """The real libraries, not imitations of them."""

    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    classes = ("setosa", "versicolor", "virginica")

    def test_mapie(self):
        base = LogisticRegression(max_iter=1000).fit(self.X, self.names)
        conformal = SplitConformalClassifier(base, confidence_level=[0.8, 0.95], prefit=True)
        conformal.conformalize(self.X, self.names)
        returned = conformal.predict_set(self.X)
        for level in (0, 1):
            mask = as_mask(returned, self.classes, level=level, empty="abstain")
            given = returned[1][:, :, level]
            kept = given.any(axis=1)
            np.testing.assert_array_equal(mask[kept], given[kept])
            assert mask[~kept].all()
        with pytest.raises(ValueError, match=r"2 confidence levels; give .* sets\[:, :, 0\]"):
            as_mask(returned, self.classes)
        for level in (2, -1, 0.5, np.nan):
            with pytest.raises(ValueError, match=f"level is {level}; y_set has levels 0 to 1"):
                as_mask(returned, self.classes, level=level)
        with pytest.raises(TypeError, match="level is 'high'; give one number"):
            as_mask(returned, self.classes, level="high")

    @pytest.mark.parametrize("labels", [True, False])
    def test_crepes(self, labels):
        half = np.arange(len(self.y)) % 2 == 0
        model = WrapClassifier(LogisticRegression(max_iter=1000))
        model.fit(self.X[half], self.names[half])
        model.calibrate(self.X[~half], self.names[~half])
        returned = model.predict_set(self.X, labels=labels, confidence=0.99, smoothing=False)
        mask = as_mask(returned, self.classes)
        if labels:
            assert as_labels(mask, self.classes) == [tuple(row) for row in returned]
        else:
            np.testing.assert_array_equal(mask, np.asarray(returned) == 1)
        assert mask.sum(axis=1).max() > 1

    def test_crepes_empty_sets(self):
        model = WrapClassifier(LogisticRegression(max_iter=1000))
        model.fit(self.X, self.names)
        model.calibrate(self.X, self.names)
        returned = model.predict_set(self.X, confidence=0.2, smoothing=False)
        assert any(len(row) == 0 for row in returned)
        with pytest.raises(ValueError, match=r"empty='wrong' .* or empty='abstain'"):
            as_mask(returned, self.classes)
        assert as_mask(returned, self.classes, empty="abstain").any(axis=1).all()

    def test_scikit_fallback(self):
        model = ThresholdFallbackClassifier(LogisticRegression(max_iter=1000), threshold=0.9)
        stored = model.fit(self.X, self.names).predict(self.X)
        rejected = stored.get_dense_fallback_mask()
        assert 0 < rejected.sum() < len(rejected)
        np.testing.assert_array_equal(as_mask(stored, self.classes).sum(axis=1) == 3, rejected)
        model.set_params(fallback_mode="return")
        returned = model.fit(self.X, self.y).predict(self.X)
        np.testing.assert_array_equal(as_mask(returned, [0, 1, 2]).all(axis=1), rejected)


@pytest.mark.parametrize(
    ("y_set", "classes", "error", "message"),
    [
        ([["a"], ["z"]], ["a", "b"], ValueError, "y_set holds 'z' in row 1"),
        (["a", "b", "z"], ["a", "b"], ValueError, "y_set holds 'z' in row 2"),
        ([["a"], ["a", None]], ["a", "b"], ValueError, "y_set holds None in row 1"),
        ([["a"], []], ["a", "b"], ValueError, "empty prediction set in row 1"),
        (["a"], None, ValueError, "pass classes="),
        ("a", ["a"], TypeError, "one label or set of labels"),
        (7, ["a"], TypeError, "one label or set of labels"),
        (np.array([[0.2, 0.8]]), ["a", "b"], TypeError, "probabilities"),
        (np.ones((1, 3), dtype=bool), ["a", "b"], ValueError, "3 columns but there are 2"),
        (
            pd.DataFrame({"a": [True], "c": [True]}),
            ["a", "b"],
            ValueError,
            "columns \\['a', 'c'\\]",
        ),
        (["a"], ["a", "a"], ValueError, "repeats 'a'"),
    ],
)
def test_bad_input(y_set, classes, error, message):
    with pytest.raises(error, match=message):
        as_mask(y_set, classes)


@given(
    hnp.arrays(np.bool_, st.tuples(st.integers(0, 6), st.integers(1, 5))),
    st.sampled_from([list("abcde"), [0, 10, 20, 30, 40], [0, 1, 2, 3, 4]]),
)
def test_labels_and_back(mask, labels):
    mask = mask | ~mask.any(axis=1, keepdims=True)
    classes = labels[: mask.shape[1]]
    np.testing.assert_array_equal(as_mask(as_labels(mask, classes), classes), mask)


def test_names_for_people():
    assert set_names(EXPECTED, CLASSES) == [
        "{bicycle}",
        "{bicycle, human}",
        "{bicycle, car, human}",
    ]
    assert set_names(EXPECTED, CLASSES, abstain="⊥")[2] == "⊥"
    assert set_names([[True]], [1.5]) == ["{1.5}"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_any_library_are_read_by_their_names(frame):
    truth, p = ["a", "b", "a"], np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    backwards = {"b": p[:, 1], "a": p[:, 0]}
    named = frame({name: column > 0.3 for name, column in backwards.items()})
    wanted = (p > 0.3).tolist()
    assert as_mask(named, ["a", "b"]).tolist() == wanted
    assert cases_of_sets(truth, named).mask.tolist() == wanted
    assert cases_of_proba(truth, frame(backwards)).proba.tolist() == p.tolist()
    assert class_scores(frame(backwards), truth)[0].tolist() == p.tolist()


def test_names_that_polars_makes_up_are_none():
    mask = np.array([[True, False], [True, True]])
    assert as_mask(pl.DataFrame(mask), ["a", "b"]).tolist() == mask.tolist()
    with pytest.raises(ValueError, match="name the columns after the classes"):
        as_mask(pl.DataFrame(mask, schema=["x", "y"]), ["a", "b"])
