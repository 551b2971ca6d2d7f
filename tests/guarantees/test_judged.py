"""Promises with a judge: formulas beside loops, levels by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from cautious._cases import Cases
from cautious._labels import GRADES
from cautious.guarantees import certify
from cautious.guarantees._judged import JudgedCounts, betting_p_value, measured_p_value
from cautious.guarantees.bounds import risk_bound


def judged_cases(n_human, n_judge, rng, accuracy=0.98):
    """Calibrated confidences; the judge agrees with people so often."""
    score = rng.beta(5, 1, n_human + n_judge)
    codes = (rng.random(len(score)) < score).astype(np.intp)
    judge = np.where(rng.random(len(score)) < accuracy, codes, 1 - codes)
    about = {"pos_label": GRADES[1], "graded": True}
    alone = Cases("m", GRADES, y_score=score[n_human:], judge=judge[n_human:], **about)
    return Cases(
        "m", GRADES, codes[:n_human], y_score=score[:n_human], judge=judge[:n_human],
        ungraded=alone, **about,
    )  # fmt: skip


def test_the_wealth_is_the_mean_over_stakes_and_weights():
    counts = JudgedCounts(np.array([[[90, 1], [1, 4]]]), np.array([50]), np.array([1000]))
    theta, total, bets = risk_bound(50, 1000, 1 - 0.02), 0.0, 0
    for weight in (0.25, 0.5, 0.75, 1.0):
        gains = {(h, j): 0.1 - weight * theta - (h - weight * j) for h in (0, 1) for j in (0, 1)}
        for part in range(1, 20):
            stake = part / 20 / -min(gains.values())
            total += math.prod((1 + stake * g) ** counts.wrong[0][at] for at, g in gains.items())
            bets += 1
    expected = min(1, bets / total / 0.8)
    assert betting_p_value(counts, 0.1, 0.1)[0] == pytest.approx(expected)
    assert expected < 0.5


def test_the_measured_version_adds_mistakes_that_the_judge_shares():
    cells, z = np.array([[180.0, 2], [1, 7]]), stats.norm.ppf(0.9)
    found = measured_p_value(
        JudgedCounts(cells[None].astype(int), np.array([90]), np.array([2000])), 0.1, 0.1
    )
    rows = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 1, axis=0)
    weight = np.array([180, 2, 1 + z * z, 7])
    n = weight.sum()
    h, j = (weight @ rows[:, at] / n for at in (0, 1))
    cov = weight[3] / n - h * j
    lam = cov / (j * (1 - j) * (1 + n / 2000))
    se2 = (max(0.09, h * (1 - h)) - 2 * lam * cov + lam**2 * j * (1 - j)) / n
    se2 += lam**2 * j * (1 - j) / 2000
    assert found[0] == pytest.approx(stats.norm.cdf((h + lam * (0.045 - j) - 0.1) / se2**0.5))


def test_a_judge_that_is_always_wrong_promises_nothing():
    rng = np.random.default_rng(0)
    found = certify(judged_cases(100, 3000, rng, accuracy=0.0), max_error=0.02)
    assert found.rule is None
    assert "Nothing can be promised" in str(found.certificate)
