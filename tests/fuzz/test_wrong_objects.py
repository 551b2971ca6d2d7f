"""Objects of another kind are refused by name, where they are given."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cautious import (
    comparison,
    costs,
    credal,
    curves,
    decision,
    displays,
    evaluation,
    guarantees,
    logs,
    metrics,
    predictions,
    sets,
    utility,
)
from cautious.errors import shown

RECORDS = np.ma.masked_array(
    np.array([(1, 2.0), (2, 3.0)], dtype=[("a", int), ("b", float)]), mask=[(0, 1), (0, 0)]
)
FLAT = sparse.coo_array(np.array([0, 1, 1]))
MASK = np.eye(3, dtype=bool)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.coverage_score(RECORDS, MASK[:2]), "y_true holds records"),
        (lambda: sets.as_mask([0, 1], RECORDS), "classes holds records"),
        (lambda: decision.threshold_rule(RECORDS, 0.5), "p holds records"),
        (lambda: metrics.coverage_score([0, 1, 2], FLAT), r"y_set has shape \(3,\)"),
        (lambda: sets.set_sizes(FLAT), "mask is a sparse matrix"),
        (lambda: metrics.coverage_score(FLAT, MASK), "y_true has shape"),
        (lambda: curves.AbstentionCostSurface([0, 1]), "staircase is a list; give a Staircase"),
        (lambda: curves.CapacityCurve({}), "counts is a dict; give SetCounts"),
        (lambda: curves.capacity_hull([1]), "curves is a list"),
        (lambda: curves.DifferentialCostSurface(1, 2), "first is a int; give an Abstention"),
        (lambda: costs.possibility("u65", [True, True]), "costs is a str; give SetCosts"),
        (lambda: decision.rules_to_json([1]), "rules is a list"),
        (lambda: decision.rules_to_json({"a": 1}), "rules.'a'. is a int; give a Rule"),
        (lambda: predictions.Predictions([1]), "models is a int; give Cases"),
        (lambda: logs.LogSummary.of_nothing(3), "plan is a int; give a Plan"),
        (lambda: logs.Plan.of([]), "schema is a list; give an Arrow schema"),
        (lambda: logs.Plan.from_dict({}), "fields lack 'classes', 'columns'"),
        (lambda: logs.summarise_batch(3, None), "plan is a NoneType"),
        (lambda: displays.PriorStrengthDisplay([1]), "table is a list; give a frame"),
        (lambda: displays.DecisionStripDisplay(3), "costs is a int; give SetCosts"),
        (lambda: displays.CriticalDifferenceDisplay([1], 1), "mean_ranks is a list"),
        (lambda: displays.DifferentialDisplay(3), "difference is a int"),
        (lambda: evaluation.evaluate(([0, 1], [0.1, 0.9]), rule={"m": 3}), "rule is a int"),
        (
            lambda: curves.Staircase([1], [1], [1], pd.DataFrame({"a": [1], "b": [2]})),
            "give two different labels",
        ),
    ],
)
def test_what_is_of_another_kind_is_named(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


NO_NUMBER = Decimal("NaN")  # Python compares it with nothing


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: comparison.critical_difference(4, 14, alpha=NO_NUMBER), "alpha is NaN"),
        (lambda: credal.imprecise_dirichlet([[3, 1]], epsilon=NO_NUMBER), "epsilon is nan"),
        (lambda: curves.roc_slopes(1.0, 0.25, prior=NO_NUMBER), "prior is nan"),
        (lambda: decision.window_rule([0.1], NO_NUMBER, 0.5), "no window"),
        (lambda: metrics.q_matrix([0], [[1]], abstention=NO_NUMBER), "abstention is nan"),
        (lambda: utility.quadratic(NO_NUMBER), "v is nan"),
        (lambda: evaluation.compare({}, confidence_level=NO_NUMBER), "confidence_level is NaN"),
    ],
)
def test_decimals_that_are_no_numbers_are_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: costs.zero_one(list(range(3000))),
        lambda: guarantees.certify_sequence(np.arange(900.0) / 7, np.full(900, 9), max_error=0.1),
        lambda: guarantees.mean_bound([0, 1], [1, 1], "x" * 3000),
        lambda: metrics.coverage_score(["x" * 3000, "y"], MASK[:2, :2], classes=["a", "b"]),
        lambda: decision.ClassTree.flat("x" * 3000),
    ],
)
def test_messages_show_the_beginning_of_what_is_long(call):
    with pytest.raises((TypeError, ValueError), match="…") as caught:
        call()
    assert len(str(caught.value)) < 300


def test_what_cannot_be_shown_is_named_by_its_kind():
    class Odd:
        def __repr__(self):
            raise RuntimeError("no words")

    assert shown(Odd()) == "<Odd>"
    assert shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
