"""What is to be counted, as the caller says it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cautious.decision import optimal_sets, threshold_rule
from cautious.logs import from_bytes, summarise, to_bytes
from cautious.metrics import SetCounts


def test_one_probability_speaks_for_a_class_that_must_occur():
    log = pd.DataFrame({"y": ["a", "b"], "p_c": [0.2, 0.7]})
    with pytest.raises(
        ValueError, match="the positive class is 'c', but column 'y' holds 'a', 'b'"
    ):
        summarise(log)


def test_sets_of_two_probabilities_are_counted_beside_the_score(make_binary_log):
    log = make_binary_log(400, labels=("no", "yes"), decimals=2)
    p = np.column_stack([1 - log["score"], log["score"]])
    wide = pd.DataFrame({"y": log["y_true"], "p_no": p[:, 0], "p_yes": p[:, 1]})
    summary = summarise(wide, utilities=["u80"], confidences=[0.7])
    assert summary.staircase() == summarise(wide).staircase()
    chosen = {"u80": optimal_sets(p, utility="u80"), "confidence 0.7": threshold_rule(p, 0.7)}
    for decision, sets in chosen.items():
        expected = SetCounts.from_predictions(
            log["y_true"], sets, classes=["no", "yes"], y_pred=np.array(["no", "yes"])[p.argmax(1)]
        )
        assert summary.counts(decision) == expected.merge()[0]
        assert 0 < summary.measure("coverage", decision=decision) < 1
    assert from_bytes(to_bytes(summary)) == summary
    assert set(summary.predictions("m")) == {"m", "m, u80 sets", "m, confidence 0.7 sets"}
    with pytest.raises(ValueError, match="says nothing about"):
        summary.risk_coverage()


def test_weights_are_exact_or_refused():
    log = pd.DataFrame({"y": [0, 1, 1], "score": [0.1, 0.2, 0.3], "weight": [1.0, 2.0**-60, 3.5]})
    assert summarise(log).staircase().positives.tolist() == [0, 2.0**-60, 3.5]


def test_labels_given_as_numpy_scalars():
    log = pd.DataFrame({"y": [0, 1, 2], "score": [0.1, 0.2, 0.3]})
    summary = summarise(log, pos_label=np.int64(1))
    assert from_bytes(to_bytes(summary)) == summary == summarise(log, pos_label=1)
    mixed = np.array([np.int64(0), np.int64(1), np.int64(2)], dtype=object)
    given = summarise(log, pos_label=np.int32(1), classes=mixed)
    assert from_bytes(to_bytes(given)) == given


def test_two_columns_of_one_name_are_refused_if_used(tmp_path):
    doubled = pd.DataFrame([[0, 0.1, 1], [1, 0.7, 2]], columns=["y", "score", "y"])
    for source in (
        doubled,
        pa.Table.from_arrays([[0, 1], [0.1, 0.2], [1, 2]], ["y", "score", "y"]),
    ):
        with pytest.raises(ValueError, match="two columns are called 'y'"):
            summarise(source)
    doubled.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(ValueError, match=r"log\.csv: two columns are called 'y'"):
        summarise(tmp_path / "log.csv")
    spare = pd.DataFrame([[0, 0.1, 1, 1], [1, 0.7, 2, 2]], columns=["y", "score", "id", "id"])
    assert summarise(spare).n_rows == 2
