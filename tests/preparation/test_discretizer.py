from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.scikit_learn import parametrize_with_checks

from cautious.datasets import load_dataset
from cautious.preparation import MDLDiscretizer


@parametrize_with_checks([MDLDiscretizer(), MDLDiscretizer(encoding="values")])
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


@pytest.fixture
def mixed():
    """A frame with every kind of column, and classes that follow the numbers."""
    size = 20
    frame = pd.DataFrame(
        {
            "float": np.arange(size, dtype=float),
            "integer": np.arange(size) // 5,
            "category": pd.Categorical(["b", "a"] * 10, categories=["c", "b", "a"], ordered=True),
            "text": ["x", "y"] * 10,
            "truth": [True, False] * 10,
            "objects": np.arange(size).astype(object),
            "nullable": pd.array([*range(size - 1), None], dtype="Int64"),
            "constant": 7.0,
        }
    )
    frame.loc[3, "float"] = np.nan
    return frame, np.array(["low"] * 10 + ["high"] * 10)


NUMERIC = ["float", "integer", "objects", "nullable", "constant"]


def test_a_mixed_frame(mixed):
    X, y = mixed
    before = X.copy()
    discretizer = MDLDiscretizer().fit(X, y)
    cuts = dict(zip(X.columns, discretizer.cut_points_, strict=True))
    assert [name for name, c in cuts.items() if c is not None] == NUMERIC
    assert cuts["float"].tolist() == cuts["objects"].tolist() == [9.5]
    assert cuts["integer"].tolist() == [1.5]
    assert cuts["constant"].tolist() == []
    out = discretizer.transform(X)
    assert isinstance(out, pd.DataFrame)
    assert (
        out.columns.tolist() == X.columns.tolist() == discretizer.get_feature_names_out().tolist()
    )
    for name in NUMERIC:
        assert out[name].dtype == np.float64
    for name in X.columns.drop(NUMERIC):
        pd.testing.assert_series_equal(out[name], X[name])
    assert out["float"].tolist()[:3] == [0, 0, 0]
    assert np.isnan(out["float"][3])
    assert np.isnan(out["nullable"].iloc[-1])
    assert out["constant"].eq(0).all()
    pd.testing.assert_frame_equal(X, before)


def test_an_array_of_objects(mixed):
    X, y = mixed
    frame_out = MDLDiscretizer().fit_transform(X, y)
    array = X.to_numpy(dtype=object, na_value=np.nan)
    out = MDLDiscretizer().fit_transform(array, y)
    assert out.dtype == object
    for position, name in enumerate(X.columns):
        column = frame_out[name].to_numpy(dtype=object)
        np.testing.assert_array_equal(pd.isna(out[:, position]), pd.isna(column))
        known = ~pd.isna(column)
        assert out[known, position].tolist() == column[known].tolist()


def test_numbers_only_give_floats():
    X, y = load_dataset("diabetes", return_X_y=True, as_frame=False)
    out = MDLDiscretizer().fit_transform(X, y)
    assert out.dtype == np.float64
    assert MDLDiscretizer().fit_transform(X.astype(np.float32), y).dtype == np.float64
    as_objects = MDLDiscretizer().fit_transform(X.astype(object), y)
    np.testing.assert_array_equal(as_objects, out)


def test_strings_are_categories_even_if_they_look_like_numbers():
    X = np.array([["1", "2"], ["3", "4"], ["5", "6"], ["7", "8"]])
    discretizer = MDLDiscretizer().fit(X, [0, 0, 1, 1])
    assert discretizer.cut_points_ == [None, None]
    assert discretizer.transform(X).tolist() == X.tolist()


def test_a_mixed_list_is_read_column_by_column():
    X = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 4.0]]
    discretizer = MDLDiscretizer().fit(X, [0, 0, 1, 1])
    assert discretizer.cut_points_[0] is None
    assert discretizer.cut_points_[1].tolist() == [2.5]
    assert discretizer.transform(X).tolist() == [["a", 0], ["b", 0], ["a", 1], ["b", 1]]


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(mixed, output):
    pytest.importorskip(output)
    X, y = mixed
    for data in (X, X[["float", "integer"]].to_numpy()):
        out = MDLDiscretizer().set_output(transform=output).fit_transform(data, y)
        assert type(out).__module__.startswith(output)
        assert out.shape == data.shape


def test_bins_take_their_upper_cut():
    discretizer = MDLDiscretizer().fit(np.array([[1.0]] * 5 + [[2.0]] * 5), [0] * 5 + [1] * 5)
    (cuts,) = discretizer.cut_points_
    assert cuts.tolist() == [1.5]
    new = np.array([[-1e9], [1.5], [np.nextafter(1.5, 2)], [1e9], [np.nan]])
    np.testing.assert_array_equal(
        discretizer.transform(new), [[0.0], [0.0], [1.0], [1.0], [np.nan]]
    )


# --- poor input has a defined answer -------------------------------------------------------------


def test_missing_values_do_not_move_the_cuts():
    X, y = load_dataset("iris", return_X_y=True, as_frame=False)
    gaps = np.vstack([X, np.full_like(X, np.nan)])
    both = MDLDiscretizer().fit(gaps, np.concatenate([y, y]))
    for ours, plain in zip(both.cut_points_, MDLDiscretizer().fit(X, y).cut_points_, strict=True):
        assert ours.tolist() == plain.tolist()
    out = both.transform(gaps)
    assert np.isnan(out[150:]).all()
    assert not np.isnan(out[:150]).any()


def test_a_feature_missing_throughout_has_one_bin():
    X, y = load_dataset("sick", return_X_y=True)
    discretizer = MDLDiscretizer().fit(X, y)
    cuts = discretizer.cut_points_[X.columns.get_loc("TBG")]
    assert cuts.tolist() == []
    assert discretizer.transform(X)["TBG"].isna().all()
    objects = X["TBG"].astype(object).to_frame()
    assert MDLDiscretizer().fit(objects, y).cut_points_[0].tolist() == []


def test_a_class_with_one_example_and_a_single_class():
    X = np.arange(12.0)[:, None]
    assert len(MDLDiscretizer().fit(X, ["odd", *["even"] * 11]).cut_points_[0]) <= 1
    assert MDLDiscretizer().fit(X, ["only"] * 12).cut_points_[0].tolist() == []
    assert MDLDiscretizer().fit(X[:1], ["only"]).transform(X).tolist() == [[0.0]] * 12


def test_categories_never_seen_pass(mixed):
    X, y = mixed
    discretizer = MDLDiscretizer().fit(X, y)
    new = X.head(2).assign(text=["new", None])
    pd.testing.assert_series_equal(discretizer.transform(new)["text"], new["text"])


# --- errors --------------------------------------------------------------------------------------


def test_an_unknown_encoding():
    with pytest.raises(ValueError, match="encoding is 'best'; it must be one of 'ex"):
        MDLDiscretizer(encoding="best").fit([[1.0], [2.0]], [0, 1])


def test_infinity_in_a_frame(mixed):
    X, y = mixed
    X.loc[4, "float"] = np.inf
    with pytest.raises(ValueError, match="column 'float' contains infinity, first in row 4"):
        MDLDiscretizer().fit(X, y)


def test_text_where_numbers_were(mixed):
    X, y = mixed
    discretizer = MDLDiscretizer().fit(X, y)
    with pytest.raises(ValueError, match=r"column 'float' should hold numbers, as in fit.*abc"):
        discretizer.transform(X.assign(float="abc"))


def test_numbers_too_large_for_a_float():
    X = np.array([[10**400], [1]], dtype=object)
    with pytest.raises(ValueError, match=r"column 0 .*cannot be read as such"):
        MDLDiscretizer().fit(X, [0, 1])


def test_complex_columns_of_a_frame():
    with pytest.raises(ValueError, match="Complex data not supported: column 'z'"):
        MDLDiscretizer().fit(pd.DataFrame({"z": [1j, 2j]}), [0, 1])


@pytest.mark.parametrize("cell", [{"a": 1}, [1, 2]])
def test_cells_that_are_no_category(cell):
    X = np.array([["a"], ["b"]], dtype=object)
    X[1, 0] = cell
    with pytest.raises(TypeError, match=r"row 1 of column 0 holds .* a string or a number"):
        MDLDiscretizer().fit(X, [0, 1])


def test_odd_but_hashable_cells_are_categories():
    X = np.array([["a"], [1], [("b", 2)], [None]], dtype=object)
    assert MDLDiscretizer().fit(X, [0, 1, 0, 1]).cut_points_ == [None]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (pd.DataFrame({"a": []}), [], "0 sample"),
        (pd.DataFrame(index=[0, 1]), [0, 1], "0 feature"),
        (pd.DataFrame({"a": [1.0, 2.0]}), [0, 1, 2], "inconsistent numbers of samples"),
        (pd.DataFrame({"a": [1.0, 2.0]}), [0.5, 1.7], "Unknown label type"),
        (pd.DataFrame({"a": [1.0, 2.0]}), ["x", np.nan], "NaN"),
        (pd.DataFrame({"a": [1.0, 2.0]}), None, "requires y to be passed"),
    ],
)
def test_unusable_training_data(X, y, message):
    if isinstance(y, list) and "x" in y:
        y = np.array(y, dtype=object)
    with pytest.raises(ValueError, match=message):
        MDLDiscretizer().fit(X, y)
