"""Objects of another kind are refused by name, where they are given."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cautious import costs, curves, decision, displays, evaluation, logs, metrics, predictions, sets

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
        (lambda: predictions.Predictions([1]), "models is a int; give ModelPredictions"),
        (lambda: metrics.SetCounts.of_cases([0]), "checked is a list"),
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
