"""What is to be counted, as the caller says it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cautious.decision import Rule
from cautious.errors import InputError
from cautious.logs import LogSummary, summarise
from cautious.metrics import SetCounts


def test_one_probability_speaks_for_a_class_that_must_occur():
    log = pd.DataFrame({"y": ["a", "b"], "p_c": [0.2, 0.7]})
    with pytest.raises(ValueError, match="'p_c' is of the class 'c', but the truths are 'a', 'b'"):
        summarise(log)


def test_rules_are_counted_by_their_names():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 500)
    classes = ["a", "b", "c"]
    truth = np.array(classes)[rng.integers(3, size=500)]
    log = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"]).assign(y=truth)
    costs = [[0, 2, 4], [3, 0, 1], [5, 1, 0], [0.7, 0.7, 0.7]]
    rules = {
        "u80": "u80",
        "careful": 0.7,
        "each": Rule.class_thresholds([0.9, 0.5, 0.4], classes=["c", "a", "b"]),
        "saving": Rule.class_thresholds([0.1, 0.2, 0.3], classes=classes, costs=costs),
        "cheap": Rule.set_costs(costs, classes=classes),
    }
    summary = summarise(log, rules=rules)
    assert summary.plan.decisions == ("argmax", *rules)
    for name, rule in summary.plan.rules.items():
        expected = SetCounts.from_predictions(
            truth,
            rule.predict_set(p, classes=classes),
            classes=classes,
            y_pred=np.array(classes)[p.argmax(axis=1)],
        )
        assert summary.counts(name) == expected.merge()[0], name
        assert 0 < summary.measure("coverage", decision=name) < 1
    assert LogSummary.from_bytes(summary.to_bytes()) == summary
    found = summarise(log, rules=["u65", 0.5, rules["each"]]).plan.decisions
    assert found == ("argmax", "u65", "confidence 0.5", "class_thresholds")
    assert summarise(log, rules=rules["each"]).plan.decisions == ("argmax", "class_thresholds")
    two = pd.DataFrame({"y": [0, 1, 1], "score": [0.2, 0.6, 0.9]})
    scores = summarise(two, rules={"careful": 0.7, "u80": "u80"})
    assert scores.counts("careful").size.tolist() == [1, 1, 2]
    assert scores.counts("careful") == scores.counts(Rule.confidence(0.7, classes=[0, 1]))
    assert LogSummary.from_bytes(scores.to_bytes()) == scores
    with pytest.raises(InputError, match="a rule about 'x', 'y', but the classes are 'a', 'b'"):
        summarise(log, rules=Rule.window(0.1, 0.2, classes=["x", "y"]))


def test_one_class_of_many_against_the_rest():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    log = pd.DataFrame(p, columns=["p_a", "p_b", "p_c"]).assign(y=["a", "b", "c", "a", "b"] * 10)
    found = summarise(log, pos_label="b").staircase()
    assert found == summarise(log, score="p_b", pos_label="b").staircase()
    assert found.classes == ("not b", "b")


def test_weights_are_exact_or_refused():
    log = pd.DataFrame({"y": [0, 1, 1], "score": [0.1, 0.2, 0.3], "weight": [1.0, 2.0**-60, 3.5]})
    assert summarise(log).staircase().positives.tolist() == [0, 2.0**-60, 3.5]


def test_labels_given_as_numpy_scalars():
    log = pd.DataFrame({"y": [0, 1, 2], "score": [0.1, 0.2, 0.3]})
    summary = summarise(log, pos_label=np.int64(1))
    assert LogSummary.from_bytes(summary.to_bytes()) == summary == summarise(log, pos_label=1)
    assert summary == summarise(log, pos_label="1")


def test_two_columns_of_one_name_are_refused(tmp_path):
    doubled = pd.DataFrame([[0, 0.1, 1], [1, 0.7, 2]], columns=["y", "score", "y"])
    doubled.to_csv(tmp_path / "log.csv", index=False)
    for source in (
        doubled,
        pa.Table.from_arrays([[0, 1], [0.1, 0.2], [1, 2]], ["y", "score", "y"]),
        tmp_path / "log.csv",
    ):
        with pytest.raises(InputError, match="two columns are called 'y'"):
            summarise(source)
