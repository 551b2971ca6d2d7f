"""Scores whose truth is known: normal within each class, 35 % positives."""

from __future__ import annotations

import numpy as np
from scipy import stats

POSITIVES = 0.35
COSTS = (
    {"false_negative": 20.0, "false_positive": 4.0, "abstain": 1.0},
    {"false_negative": 10.0, "false_positive": 2.0, "abstain": 1.0},
)


def draw(rng, n, distance):
    """Draw classes and scores whose means lie so far apart."""
    y = (rng.random(n) < POSITIVES).astype(int)
    return y, rng.normal(size=n) + distance * y


def true_cost(rule, distance, costs):
    """Cost per case that a window has on new cases."""
    total = 0.0
    for label, share, mistake in ((1, POSITIVES, "negative"), (0, 1 - POSITIVES, "positive")):
        below, upto = stats.norm.cdf(np.array([rule.lower, rule.upper]) - distance * label)
        wrong = below if label else 1 - upto
        total += share * (costs[f"false_{mistake}"] * wrong + costs["abstain"] * (upto - below))
    return total
