"""Probabilities in a log are judged as those in an array are."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cautious._checks import check_probabilities
from cautious.curves import RiskCoverageCurve
from cautious.decision import optimal_sets, threshold_rule
from cautious.errors import InputError
from cautious.logs import summarise
from cautious.metrics import SetCounts
from cautious.predictions import read_predictions


def softmax(n, n_classes, dtype, seed=0):
    """A softmax in the precision given, with the error of one that adds up in that precision."""
    z = np.random.default_rng(seed).normal(0, 2, (n, n_classes)).astype(dtype)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True, dtype=dtype)
    error = 0 if dtype == np.float16 else n_classes * np.finfo(dtype).eps / 4
    return (p * dtype(1 + error)).astype(dtype)


def table_of(p, truth):
    columns = {f"p_{k}": pa.array(p[:, k]) for k in range(p.shape[1])}
    return pa.table({"y_true": truth, **columns})


@pytest.mark.parametrize(
    ("dtype", "n", "n_classes"),
    [(np.float64, 9000, 5), (np.float32, 3000, 10), (np.float32, 300, 1000), (np.float16, 3000, 3)],
)
def test_counts_are_those_of_arrays_of_any_precision(dtype, n, n_classes):
    p = softmax(n, n_classes, dtype)
    truth = np.random.default_rng(1).integers(n_classes, size=n)
    checked = read_predictions(table_of(p, truth)).y_proba
    divided = dtype == np.float16 or n_classes == 1000
    assert (np.abs(p.astype(float).sum(axis=1) - 1) > 1e-6).any() == divided
    summary = summarise(table_of(p, truth), rules=["u65", 0.4])
    labels = list(range(n_classes))
    for decision, sets in {
        "argmax": threshold_rule(p, 0.0),
        "confidence 0.4": threshold_rule(p, 0.4),
        "u65": optimal_sets(checked, utility="u65"),
    }.items():
        expected = SetCounts.from_predictions(
            truth, sets, classes=labels, y_pred=checked.argmax(axis=1)
        )
        assert summary.counts(decision) == expected.merge()[0], decision
    curve = RiskCoverageCurve.from_predictions(truth, checked, classes=labels).merge()[0]
    found = summary.risk_coverage()
    assert found == curve
    np.testing.assert_array_equal(found.confidence, curve.confidence)
    np.testing.assert_array_equal(found.weight, curve.weight)


def test_two_probabilities_of_low_precision_are_a_score_like_any():
    p = softmax(500, 2, np.float16)
    truth = np.random.default_rng(1).integers(2, size=500)
    found = summarise(table_of(p, truth)).staircase()
    np.testing.assert_array_equal(found.scores, np.unique(check_probabilities(p)[:, 1]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("by", [2e-7, 2e-6, 2e-4, 2e-2])
def test_a_log_is_refused_for_what_a_table_in_memory_is(dtype, by):
    p = np.full((20_000, 4), 0.25, dtype=dtype)
    p[12_345, 2] += dtype(by)
    table = table_of(p, np.zeros(len(p), dtype=int))
    try:
        expected = read_predictions(table)
    except InputError as error:
        with pytest.raises(InputError, match=re.escape(str(error))):
            summarise(table)
    else:
        found = summarise(table).risk_coverage()
        curve = RiskCoverageCurve.from_predictions(
            expected.y_true, expected.y_proba, classes=expected.classes
        )
        assert found == curve.merge()[0]


def test_integers_and_mixed_precision():
    frame = pd.DataFrame({"y": [0, 1, 2], "p_0": [1, 0, 0], "p_1": [0, 1, 0], "p_2": [0, 0, 1]})
    assert summarise(frame).measure("selective_accuracy") == 1
    mixed = frame.astype({"p_0": np.float32, "p_1": np.float64, "p_2": np.int8})
    assert summarise(mixed).measure("selective_accuracy") == 1
    # One column of double precision makes the whole an array of double precision.
    mixed["p_1"] += 5e-6
    with pytest.raises(ValueError, match=r"row 1: 1\.000005 is not a probability"):
        summarise(mixed)


def test_confidences_are_probabilities():
    frame = pd.DataFrame({"y": [0], "p_0": [0.5], "p_1": [0.3], "p_2": [0.2]})
    with pytest.raises(ValueError, match=r"1\.5"):
        summarise(frame, rules=[1.5])
    summary = summarise(frame, rules=[0.5, 0.75])
    assert summary.measure("coverage", decision="confidence 0.5") == 1
    assert summary.measure("coverage", decision="confidence 0.75") == 0
