"""Thresholds per class, against every way of placing them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cautious.curves import ClassThresholdCurve


def all_states(choice, confidence, K):
    """Every way of placing the thresholds, as the mask of what is answered."""
    levels = [np.append(np.unique(confidence[choice == c]), np.inf) for c in range(K)]
    for thresholds in product(*levels):
        yield confidence >= np.array(thresholds)[choice]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    budget=st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]),
    per_answer=st.booleans(),
)
def test_class_thresholds_against_brute_force(seed, budget, per_answer):
    rng = np.random.default_rng(seed)
    n, K = 12, 3
    choice = rng.integers(K, size=n)
    confidence = rng.integers(1, 8, size=n) / 8
    weight = rng.integers(0, 4, size=n).astype(float)
    weight[0] = 1
    wrong = (rng.random(n) > confidence).astype(float)
    lost = np.where(wrong > 0, rng.integers(1, 9, size=n), -1.0)
    idle = rng.integers(0, 4, size=n).astype(float)
    every = list(all_states(choice, confidence, K))

    curve = ClassThresholdCurve.of(np.arange(K), choice, confidence, weight, lost, idle)
    share, loss = curve.at(curve.least_loss())
    costs = [np.average(np.where(kept, lost, idle), weights=weight) for kept in every]
    assert loss == pytest.approx(min(costs))
    thresholds = curve.thresholds(curve.least_loss())
    kept = confidence >= thresholds[choice]
    assert np.average(np.where(kept, lost, idle), weights=weight) == pytest.approx(loss)
    assert np.average(~kept, weights=weight) == pytest.approx(share)

    curve = ClassThresholdCurve.of(np.arange(K), choice, confidence, weight, wrong, 0 * wrong)

    def figures(kept):
        total = weight.sum() if not per_answer else max((weight * kept).sum(), 1e-300)
        return (weight * kept * wrong).sum() / total, np.average(~kept, weights=weight)

    def figures_at(places):
        return figures(confidence >= curve.thresholds(places)[choice])

    pairs = [figures(kept) for kept in every]
    error, abstention = figures_at(curve.within_abstention(budget, per_answer=per_answer))
    assert abstention <= budget + 1e-9
    best = min(e for e, a in pairs if a <= budget + 1e-9 and not (per_answer and a > 1 - 1e-9))
    assert error >= best - 1e-9
    hull = curve.frame()
    affordable = hull[hull["abstention"] <= budget + 1e-9]
    if not per_answer:
        assert error <= affordable["loss"].min() + 1e-9
    if budget in (0.0, 1.0) and not per_answer:
        assert error == pytest.approx(best)

    error, abstention = figures_at(curve.within_loss(budget / 2, per_answer=per_answer))
    assert error <= budget / 2 + 1e-9
    best = min(a for e, a in pairs if e <= budget / 2 + 1e-9)
    assert abstention >= best - 1e-9
    # The hull that the search starts from lies below everything that thresholds can reach.
    for kept in every:
        e, a = (weight * kept * wrong).sum() / weight.sum(), np.average(~kept, weights=weight)
        assert np.interp(a, hull["abstention"], hull["loss"]) <= e + 1e-9


def test_class_thresholds_are_rarely_off_the_optimum():
    off = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        choice, confidence = rng.integers(3, size=14), rng.random(14)
        wrong = (rng.random(14) > confidence).astype(float)
        curve = ClassThresholdCurve.of(
            np.arange(3), choice, confidence, np.ones(14), wrong, np.zeros(14)
        )
        _, error = curve.at(curve.within_abstention(0.3, per_answer=False))
        every = all_states(choice, confidence, 3)
        best = min((kept * wrong).mean() for kept in every if (~kept).mean() <= 0.3)
        off += error > best + 1e-9
    assert off <= 4
