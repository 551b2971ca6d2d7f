"""A frame of probabilities is read by the names of its columns, not by their order."""

import numpy as np
import pandas as pd
import pytest

from cautious._cases import cases_of_proba
from cautious.curves import ResponseCurve

TRUTH = ["a", "b", "c", "a", "b"]
PROBA = np.array(
    [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.2, 0.5], [0.3, 0.4, 0.3], [0.1, 0.3, 0.6]]
)
FRAME = pd.DataFrame(PROBA, columns=["a", "b", "c"])
ORDERS = [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]]


@pytest.mark.parametrize("order", ORDERS)
def test_predictions(order):
    np.testing.assert_array_equal(cases_of_proba(TRUTH, FRAME[order]).proba, PROBA)
    other = cases_of_proba(TRUTH, FRAME[order], classes=["c", "b", "a"])
    np.testing.assert_array_equal(other.proba, PROBA[:, ::-1])


@pytest.mark.parametrize("order", ORDERS)
def test_response_curve(order):
    expected = ResponseCurve.from_predictions(TRUTH, PROBA).frame()
    pd.testing.assert_frame_equal(
        ResponseCurve.from_predictions(TRUTH, FRAME[order]).frame(), expected
    )


def test_columns_without_names_are_in_class_order():
    np.testing.assert_array_equal(cases_of_proba(TRUTH, pd.DataFrame(PROBA)).proba, PROBA)


def test_columns_that_are_not_the_classes():
    strange = FRAME.rename(columns={"a": "z"})
    with pytest.raises(ValueError, match=r"y_proba has columns \['z', 'b', 'c'\] but the classes"):
        ResponseCurve.from_predictions(TRUTH, strange)
    with pytest.raises(ValueError, match=r"3 columns but y_true holds 2 classes .* pass classes="):
        ResponseCurve.from_predictions(["a", "b"], FRAME[:2])
