"""Whether nodes of a tree hold the truth as often as was promised."""

import numpy as np
import pytest
from tests.statistics.trials import runs, told

from cautious.decision import ClassTree, threshold_rule
from cautious.models import HierarchicalClassifier

TREE = ClassTree.from_names([f"{a}/{b}/{c}" for a in "xy" for b in "pq" for c in "12"])


def world(rng, n, boldness):
    """Right probabilities, and those told, which are bolder than they should be, or less bold."""
    p = rng.dirichlet(np.full(8, 0.35), n)
    shown = (p + 1e-9) ** boldness
    return p, shown / shown.sum(axis=1, keepdims=True)


@pytest.mark.filterwarnings("ignore:Nothing can be promised")
@pytest.mark.parametrize("boldness", [0.5, 2.0])
@pytest.mark.parametrize("trials", runs(40))
def test_nodes_hold_the_truth(trials, boldness, rng, ledger):
    by_place = ClassTree(tuple(range(8)), TREE.inner, TREE.parents)
    p, p_told = world(rng, 20_000, boldness)
    true_risk: dict[float, float] = {np.inf: 0.0}
    size: dict[float, float] = {np.inf: 8.0}
    broken, sizes = [], []
    model = HierarchicalClassifier(told(8), by_place, max_error=0.1, confidence_level=0.9)
    for _ in range(trials):
        own, shown = world(rng, 300, boldness)
        y = (rng.random((300, 1)) > own.cumsum(axis=1)).sum(axis=1).clip(max=7)
        t = model.fit(shown, y).threshold_
        if t not in true_risk:
            # The probabilities are right, so the misses of a large sample are known without labels.
            sets = threshold_rule(p_told, t, tree=by_place)
            true_risk[t] = 1 - (p * sets).sum(axis=1).mean()
            size[t] = sets.sum(axis=1).mean()
        broken.append(true_risk[t] > 0.1)
        sizes.append(size[t])
    where = f"8 classes, 300 cases, max_error=0.1, log odds times {boldness:g}"
    ledger.at_most("nodes miss the truth more often than promised", where, broken, 0.1)
    ledger.mean(
        "share of the classes in nodes with a promise", where, np.array(sizes) / 8, "–", (0.1, 0.85)
    )
