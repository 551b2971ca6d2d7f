"""Thresholds per class, against every way of placing them."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cautious.tuning import class_thresholds, find_rule
from cautious.tuning.class_thresholds import SortedAnswers


def all_states(choice, confidence, K):
    """Every way of placing the thresholds, as the mask of what is answered."""
    levels = [np.append(np.unique(confidence[choice == c]), np.inf) for c in range(K)]
    for thresholds in product(*levels):
        yield confidence >= np.array(thresholds)[choice]


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

    curve = SortedAnswers(np.arange(K), choice, confidence, lost, idle).curve(weight)
    share, loss = curve.at(curve.least_loss())
    costs = [np.average(np.where(kept, lost, idle), weights=weight) for kept in every]
    assert loss == pytest.approx(min(costs))
    thresholds = curve.thresholds(curve.least_loss())
    kept = confidence >= thresholds[choice]
    assert np.average(np.where(kept, lost, idle), weights=weight) == pytest.approx(loss)
    assert np.average(~kept, weights=weight) == pytest.approx(share)

    curve = SortedAnswers(np.arange(K), choice, confidence, wrong, 0 * wrong).curve(weight)

    def figures(kept):
        total = weight.sum() if not per_answer else max((weight * kept).sum(), 1e-300)
        return (weight * kept * wrong).sum() / total, np.average(~kept, weights=weight)

    def figures_at(places):
        return figures(confidence >= curve.thresholds(places)[choice])

    pairs = [figures(kept) for kept in every]
    chosen = curve.within_abstention(budget, per_answer=per_answer)
    error, abstention = figures_at(chosen.options)
    assert chosen.gap == 0
    assert abstention <= budget + 1e-9
    best = min(e for e, a in pairs if a <= budget + 1e-9 and not (per_answer and a > 1 - 1e-9))
    assert error == pytest.approx(best)

    chosen = curve.within_loss(budget / 2, per_answer=per_answer)
    error, abstention = figures_at(chosen.options)
    assert chosen.gap == 0
    assert error <= budget / 2 + 1e-9
    best = min(a for e, a in pairs if e <= budget / 2 + 1e-9)
    assert abstention == pytest.approx(best)
    # The hull lies below everything that thresholds can reach.
    hull = curve.frame()
    for kept in every:
        e, a = (weight * kept * wrong).sum() / weight.sum(), np.average(~kept, weights=weight)
        assert np.interp(a, hull["abstention"], hull["loss"]) <= e + 1e-9


@pytest.mark.parametrize("n_problems", [75, pytest.param(295, marks=pytest.mark.slow)])
@pytest.mark.parametrize("per", ["answer", "case"])
def test_no_rule_of_several_classes_is_better_within_a_budget(per, n_problems):
    """Small problems, all thresholds: a search of single ones was beaten in up to 28 of 295."""
    rng = np.random.default_rng(12)
    for _ in range(n_problems):
        K, n = int(rng.integers(3, 5)), int(rng.integers(6, 13))
        y = rng.integers(K, size=n)
        p = np.round(rng.dirichlet(np.ones(K), size=n) + 0.6 * np.eye(K)[y], 1) + 0.05
        p /= p.sum(axis=1, keepdims=True)
        choice, confidence = p.argmax(axis=1), p.max(axis=1)
        kept = np.array(list(all_states(choice, confidence, K)))
        wrong = (kept & (choice != y)).sum(axis=1)
        silent = (~kept).sum(axis=1)
        answers = np.maximum(n - silent, 1) if per == "answer" else n
        share = float(rng.choice([0.1, 0.2, 0.3, 0.5]))
        asked = {"y_proba": p, "classes": np.arange(K), "per": per}
        found = find_rule(y, max_abstention=share, **asked)
        error = found.selective_error if per == "answer" else found.error
        affordable = (silent <= share * n + 1e-9) & (silent < n)
        assert error == pytest.approx((wrong / answers)[affordable].min())
        found = find_rule(y, max_error=share, **asked)
        affordable = wrong <= share * (n - silent if per == "answer" else n) + 1e-9
        assert found.abstention == pytest.approx((silent / n)[affordable].min())
        assert found.gap == 0


def test_a_search_cut_short_says_by_how_much_it_may_be_off(monkeypatch):
    rng = np.random.default_rng(1)
    for _ in range(30):
        choice, confidence = rng.integers(4, size=40), rng.random(40)
        wrong = (rng.random(40) > confidence).astype(float)
        weight = rng.uniform(0.5, 2.0, size=40)
        curve = SortedAnswers(np.arange(4), choice, confidence, wrong, 0 * wrong).curve(weight)
        for per_answer in (True, False):
            ways = [
                partial(curve.within_abstention, 0.3, per_answer=per_answer),
                partial(curve.within_loss, 0.15, per_answer=per_answer),
            ]
            whole = [way() for way in ways]
            with monkeypatch.context() as patch:
                patch.setattr(class_thresholds, "_PAIRS", 1)
                cut = [way() for way in ways]
            for one, short, at in zip(whole, cut, (1, 0), strict=True):
                best, found = (
                    curve.at(chosen.options)[at]
                    / (1 - curve.at(chosen.options)[0] if per_answer and at else 1)
                    for chosen in (one, short)
                )
                assert one.gap == 0
                assert best <= found + 1e-9
                assert found - short.gap <= best + 1e-9
