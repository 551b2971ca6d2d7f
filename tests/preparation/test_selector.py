from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.scikit_learn import parametrize_with_checks

from cautious.datasets import load_dataset
from cautious.preparation import CorrelationFeatureSelector


@parametrize_with_checks(
    [
        CorrelationFeatureSelector(),
        CorrelationFeatureSelector(
            locally_predictive=False, missing="value", independent_as_redundant=True
        ),
    ]
)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


@pytest.fixture
def table():
    """Class 0 0 0 0 1 1 1 1; ``good`` gets it right but once, ``copy`` is good under another name.

    ``other`` is as good as ``good`` but wrong elsewhere; ``noise`` is independent of the class.
    """
    X = pd.DataFrame(
        {
            "noise": list("abababab"),
            "good": list("xxxyyyyy"),
            "copy": pd.Categorical(list("pppqqqqq")),
            "other": list("vuuuvvvv"),
            "constant": 1.0,
        }
    )
    return X, np.array(["no"] * 4 + ["yes"] * 4)


def test_worked_by_hand(table):
    """For good (and other), counts 3 1 / 0 4: H(F) = .9544, H(C) = 1, H(F,C) = 1.4056.

    U = 2(.9544 + 1 - 1.4056)/1.9544 = .5616. Between good and other the pairs xu 2, xv 1, yu 1,
    yv 4 give H = 1.75 and U = 2(1.9087 - 1.75)/1.9087 = .1663. Merits: one .5616; good and other
    1.1232/sqrt(2 + 2(.1663)) = .7354; with copy 1.6848/sqrt(3 + 2(1 + .1663 + .1663)) = .7079.
    """
    X, y = table
    selector = CorrelationFeatureSelector(locally_predictive=False).fit(X, y)
    np.testing.assert_allclose(selector.relevance_, [0, 0.5616, 0.5616, 0.5616, 0], atol=5e-5)
    assert selector.get_feature_names_out().tolist() == ["good", "other"]
    assert selector.merit_ == pytest.approx(0.7354, abs=5e-5)
    assert selector.support_.tolist() == selector.get_support().tolist()
    assert selector.get_support(indices=True).tolist() == [1, 3]


def test_locally_predictive_features_are_added():
    """A feature that is a little relevant and unlike the chosen ones enters only on request."""
    X, y = load_dataset("vowel", return_X_y=True)
    with_them = CorrelationFeatureSelector().fit(X, y).support_
    without = CorrelationFeatureSelector(locally_predictive=False).fit(X, y).support_
    assert (with_them >= without).all()
    X, y = load_dataset("car", return_X_y=True)
    assert CorrelationFeatureSelector(locally_predictive=False).fit(X, y).support_.sum() == 2
    assert CorrelationFeatureSelector().fit(X, y).support_.sum() == 6


def test_on_factorial_data_the_formula_and_weka_part():
    """car holds every combination of values: its features are exactly independent."""
    X, y = load_dataset("car", return_X_y=True)
    as_weka = CorrelationFeatureSelector(independent_as_redundant=True).fit(X, y)
    assert as_weka.get_feature_names_out().tolist() == ["safety"]
    plain = CorrelationFeatureSelector(locally_predictive=False).fit(X, y)
    assert plain.get_feature_names_out().tolist() == ["persons", "safety"]
    assert plain.merit_ > as_weka.merit_
    # Independent features: merit is the sum of relevances over the root of their number.
    persons, safety = plain.relevance_[[3, 5]]
    assert plain.merit_ == pytest.approx((persons + safety) / np.sqrt(2))


def test_frames_stay_frames_and_arrays_arrays(table):
    X, y = table
    selector = CorrelationFeatureSelector(locally_predictive=False).fit(X, y)
    pd.testing.assert_frame_equal(selector.transform(X), X[["good", "other"]])
    copied = CorrelationFeatureSelector().fit(X[["copy"]], y).transform(X[["copy"]])
    assert isinstance(copied["copy"].dtype, pd.CategoricalDtype)
    array = X.to_numpy(dtype=object)
    kept = CorrelationFeatureSelector(locally_predictive=False).fit(array, y).transform(array)
    assert kept.tolist() == X[["good", "other"]].to_numpy().tolist()
    numbers, classes = load_dataset("iris", return_X_y=True, as_frame=False)
    kept = CorrelationFeatureSelector().fit_transform(numbers, classes)
    np.testing.assert_array_equal(kept, numbers[:, [2, 3]])


def test_numbers_are_kept_as_they_are_and_missing_ones_accepted():
    X, y = load_dataset("hepatitis", return_X_y=True)
    out = CorrelationFeatureSelector().fit_transform(X, y)
    pd.testing.assert_frame_equal(out, X[out.columns])
    assert out.isna().to_numpy().any()


# --- poor input has a defined answer -------------------------------------------------------------


@pytest.mark.parametrize("locally_predictive", [True, False])
@pytest.mark.parametrize("as_weka", [True, False])
def test_if_nothing_is_worth_keeping_the_first_feature_is_kept(locally_predictive, as_weka):
    X = pd.DataFrame({"constant": [3.0] * 8, "noise": list("abababab"), "gone": [np.nan] * 8})
    selector = CorrelationFeatureSelector(
        locally_predictive=locally_predictive, independent_as_redundant=as_weka
    ).fit(X, [0, 0, 1, 1] * 2)
    assert selector.support_.tolist() == [True, False, False]
    assert selector.merit_ == 0
    assert selector.transform(X).columns.tolist() == ["constant"]


def test_one_class_one_example_one_row(table):
    X, y = table
    assert CorrelationFeatureSelector().fit(X, ["all"] * 8).support_.sum() == 1
    assert CorrelationFeatureSelector().fit(X, ["odd", *["even"] * 7]).support_.any()
    assert CorrelationFeatureSelector().fit(X.head(1), y[:1]).support_.sum() == 1


def test_rows_missing_throughout(table):
    X, y = table
    blank = pd.DataFrame(np.nan, index=range(3), columns=X.columns).astype(object)
    both = pd.concat([X.astype(object), blank])
    selector = CorrelationFeatureSelector(locally_predictive=False)
    selector.fit(both, [*y, "no", "yes", "no"])
    assert selector.get_feature_names_out().tolist() == ["good", "other"]
    assert selector.transform(both).tail(3).isna().to_numpy().all()


def test_an_identifier_is_no_worse_than_its_uncertainty(table):
    """Every row its own category: perfectly telling, but H(F) = 3 bits tempers it to .5."""
    X, y = table
    selector = CorrelationFeatureSelector().fit(X.assign(id=list("abcdefgh")), y)
    assert selector.relevance_[-1] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"missing": "drop"}, "missing is 'drop'; it must be one of 'spread', 'value'"),
        ({"max_stale": 0}, "max_stale is 0; it must be an int"),
        ({"max_stale": 2.5}, "max_stale is 2.5; it must be an int"),
    ],
)
def test_unusable_parameters(table, parameters, message):
    with pytest.raises(ValueError, match=message):
        CorrelationFeatureSelector(**parameters).fit(*table)
