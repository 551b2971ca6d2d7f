from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils import Bunch

from cautious.datasets import list_datasets, load_dataset

FACTS = list_datasets()
NAMES = FACTS.index.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_every_set_is_what_its_facts_say(name):
    bunch = load_dataset(name)
    fact = FACTS.loc[name]
    nominal = [isinstance(dtype, pd.CategoricalDtype) for dtype in bunch.data.dtypes]
    assert bunch.data.shape == (fact.rows, fact.features)
    assert bunch.target.shape == (fact.rows,)
    assert sum(nominal) == fact.nominal_features == len(bunch.categories)
    assert bunch.data.isna().to_numpy().sum() == fact.missing_cells
    assert not bunch.target.isna().any()
    assert bunch.target.nunique() == fact.classes
    assert len(bunch.target_names) == fact.classes_declared
    assert bunch.target_names == bunch.target.cat.categories.tolist()
    assert len(bunch.unobserved_classes) == fact.classes_declared - fact.classes
    assert bunch.target.name == fact.class_attribute == bunch.frame.columns[-1]
    assert bunch.feature_names == bunch.data.columns.tolist() == bunch.frame.columns[:-1].tolist()
    for column, dtype in bunch.data.dtypes.items():
        if not isinstance(dtype, pd.CategoricalDtype):
            assert dtype == np.float64
            assert not np.isinf(bunch.data[column]).any()
        else:
            assert bunch.categories[column] == dtype.categories.tolist()
            assert not dtype.ordered
    assert bunch.ordinal is bunch.target.cat.ordered is (name in {"ERA", "ESL", "LEV", "SWD"})
    assert bunch.name == name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if FACTS.at[name, "rows"] > 500 else [])
        for name in NAMES
    ],
)
def test_arrays_hold_the_same_cells_as_frames(name):
    X, y = load_dataset(name, return_X_y=True)
    array, labels = load_dataset(name, return_X_y=True, as_frame=False)
    assert array.dtype == (object if FACTS.at[name, "nominal_features"] else np.float64)
    assert labels.dtype.kind == "U"
    assert labels.tolist() == y.tolist()
    for position, column in enumerate(X.columns):
        cells = X[column].tolist()
        missing = X[column].isna().to_numpy()
        assert [c for c, m in zip(array[:, position], missing, strict=True) if not m] == [
            c for c, m in zip(cells, missing, strict=True) if not m
        ]
        assert all(isinstance(c, float) and np.isnan(c) for c in array[missing, position])


def test_shapes_of_the_answer():
    bunch = load_dataset("vote", as_frame=False)
    assert isinstance(bunch, Bunch)
    assert bunch.frame is None
    assert isinstance(bunch.data, np.ndarray)
    X, y = load_dataset("vote", return_X_y=True)
    assert isinstance(X, pd.DataFrame)
    assert isinstance(y, pd.Series)
    pd.testing.assert_frame_equal(X, load_dataset("vote").data)


def test_two_loads_share_nothing():
    mine = load_dataset("iris").data
    mine.iloc[:] = -1.0
    assert (load_dataset("iris").data > 0).to_numpy().all()
    load_dataset("vote").target_names.clear()
    assert load_dataset("vote").target_names == ["democrat", "republican"]


def test_declared_order_is_kept():
    assert load_dataset("nursery").categories["parents"] == ["usual", "pretentious", "great_pret"]
    # Declared order, not the order of first appearance, nor the alphabet.
    assert load_dataset("eucalyptus").target_names == ["none", "low", "average", "good", "best"]
    era = load_dataset("ERA").target
    assert era.cat.categories.tolist() == list("123456789")
    assert era.min() == "1"


def test_classes_never_observed_stay_declared():
    names = FACTS.index[FACTS.classes != FACTS.classes_declared]
    found = {name: load_dataset(name) for name in names}
    assert {name: bunch.unobserved_classes for name, bunch in found.items()} == {
        "anneal": ["4"],
        "autos": ["-3"],
        "glass": ["vehic wind non-float"],
        "heart-c": [">50_2", ">50_3", ">50_4"],
        "heart-h": [">50_2", ">50_3", ">50_4"],
        "primary-tumor": ["anus"],
    }
    for bunch in found.values():
        assert not set(bunch.unobserved_classes) & set(bunch.target)
        words = f"never observed: {', '.join(bunch.unobserved_classes)}."
        assert words in " ".join(bunch.DESCR.split())


def test_a_question_mark_may_be_a_category():
    """anneal was recoded by WEKA: a quoted "?" is a value there, not a missing cell."""
    steel = load_dataset("anneal").data["steel"]
    assert (steel == "?").sum() == 86
    assert not steel.isna().any()
    # Nor is "none" missing, as a CSV reader might think.
    assert (load_dataset("credit-g").data["own_telephone"] == "none").sum() == 596


@pytest.mark.parametrize(
    ("name", "row", "cells", "label"),
    [
        ("iris", 0, [5.1, 3.5, 1.4, 0.2], "Iris-setosa"),
        ("iris", 149, [5.9, 3.0, 5.1, 1.8], "Iris-virginica"),
        ("contact-lenses", 3, ["young", "myope", "yes", "normal"], "hard"),
        ("haberman", 0, [30.0, 64.0, 1.0], "1"),
        ("glass", 0, [1.51793, 12.79, 3.5, 1.12, 73.03, 0.64, 8.77, 0.0, 0.0], "build wind float"),
        ("diabetes", 0, [6.0, 148.0, 72.0, 35.0, 0.0, 33.6, 0.627, 50.0], "tested_positive"),
    ],
)
def test_rows_known_from_the_sources(name, row, cells, label):
    X, y = load_dataset(name, return_X_y=True)
    assert X.iloc[row].tolist() == cells
    assert y[row] == label


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("breast-w", [458, 241]),
        ("bupa", [145, 200]),
        ("kr-vs-kp", [1669, 1527]),
        ("SWD", [32, 352, 399, 217]),
        ("hayes-roth", [65, 64, 31]),
        ("contact-lenses", [5, 4, 15]),
        ("mfeat-morphological", [200] * 10),
    ],
)
def test_class_counts_known_from_the_sources(name, counts):
    target = load_dataset(name).target
    assert target.value_counts(sort=False).tolist() == counts


def test_missing_cells_are_where_the_sources_say():
    assert load_dataset("breast-w").data["Bare_Nuclei"].isna().sum() == 16
    assert load_dataset("sick").data["TBG"].isna().all()
    assert load_dataset("credit-a").data.isna().any(axis=1).sum() == 37


def test_scikit_learn_takes_it_as_it_is():
    X, y = load_dataset("hepatitis", return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=30, categorical_features="from_dtype")
    assert model.fit(X, y).score(X, y) > 0.9
