"""Small random two-class data with ties and weights, and every window tried one by one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from cautious.curves import AbstentionCostSurface


class Case(NamedTuple):
    score: np.ndarray
    truth: np.ndarray
    weight: np.ndarray
    priors: tuple[float, float] | None

    def surface(self):
        weight = {"sample_weight": self.weight, "priors": self.priors}
        return AbstentionCostSurface.from_predictions(self.truth, self.score, **weight)

    def shares(self):
        """What each example stands for, as a share of all cases."""
        if self.priors is None:
            return self.weight / self.weight.sum()
        scale = [p / self.weight[self.truth == c].sum() for c, p in enumerate(self.priors)]
        return self.weight * np.asarray(scale)[self.truth]

    def windows(self):
        """Every window as counts: FN, FP, abstained positives, abstained negatives."""
        share, rows = self.shares(), []
        scores = np.unique(self.score[self.weight > 0])
        for i in range(len(scores) + 1):
            for j in range(i, len(scores) + 1):
                n = np.isin(self.score, scores[:i])
                p = np.isin(self.score, scores[j:])
                neither = ~n & ~p
                positive = self.truth == 1
                rows.append(
                    [
                        share[n & positive].sum(),
                        share[p & ~positive].sum(),
                        share[neither & positive].sum(),
                        share[neither & ~positive].sum(),
                    ]
                )
        return np.array(rows)


@st.composite
def two_class_cases(draw):
    n = draw(st.integers(2, 9))
    values = [-np.inf, -2.0, -0.5, 0.0, 0.1, 0.3, 4.0, np.inf]
    score = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
    truth = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    truth[:2] = [0, 1]
    weight = draw(st.lists(st.sampled_from([0, 1, 1, 2, 0.5]), min_size=n, max_size=n))
    weight[:2] = [1, 1]
    priors = draw(st.sampled_from([None, (0.5, 0.5), (0.9, 0.1)]))
    return Case(np.array(score), np.array(truth), np.array(weight, dtype=float), priors)


relative_costs = st.one_of(
    st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0, 2.0]), st.floats(0, 3, allow_subnormal=False)
)


@pytest.fixture(scope="session")
def cases():
    """Strategy for small data; a fixture, because test modules cannot import each other."""
    return two_class_cases()


@pytest.fixture(scope="session")
def costs():
    """Strategy for relative costs, often ones at which answers tie."""
    return relative_costs


@pytest.fixture(scope="session")
def weka():
    """Out-of-fold probabilities of malignancy by five WEKA learners on breast-w."""
    path = Path(__file__).parent.parent / "data" / "weka_breast_w.csv"
    # Python's own float: pandas has not always read to the last bit, and that decides ties.
    return pd.read_csv(path, converters=dict.fromkeys(["J48", "NB", "PART", "RF10", "SMOM"], float))
