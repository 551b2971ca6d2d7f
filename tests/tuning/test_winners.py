"""The cheapest model is told apart where cross-fitting at those very costs tells it apart."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tuning.fits import cross_fit_of

from cautious.tuning._cross_fitting import TooFewCases
from cautious.tuning._winners import distinct_winners


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"priors": (0.617, 0.383)}, marks=pytest.mark.slow),
        {"sample_weight": True},
    ],
)
def test_as_cross_fitting_says(options):
    """With priors or weights that make no two windows cost the same."""
    rng = np.random.default_rng(4)
    y = (rng.random(160) < 0.4).astype(int)
    scores = {q: q * y + rng.normal(size=160) for q in (0.3, 1.2, 3.0)}
    if "sample_weight" in options:
        options = options | {"sample_weight": 1 + rng.random(160)}
    mu, nu, winner = distinct_winners(y, scores, n=5, **options)
    assert winner.shape == (len(nu), len(mu)) == (3, 5)
    for (row, column), found in np.ndenumerate(winner):
        costs = {"false_negative": 1, "false_positive": mu[column], "abstain": nu[row]}
        if not costs["false_positive"]:
            continue  # what costs nothing is no mistake, and refused elsewhere
        fits = [cross_fit_of(y, y_score=score, costs=costs, **options) for score in scores.values()]
        means = [fit.expected(0.95).cost.estimate for fit in fits]
        best = int(np.argmin(means))
        gaps = [
            fits[best].difference(fit, "cost", 1 - 0.05 / 3)
            for at, fit in enumerate(fits)
            if at != best
        ]
        clear = all(gap.high < 0 for gap in gaps)
        assert found == (best if clear else -1), costs
    assert (winner >= 0).any()
    assert (winner < 0).any()


def test_too_few_cases():
    with pytest.raises(TooFewCases, match="too few cases of class '1': 2"):
        distinct_winners([0] * 40 + [1, 1], {"a": np.arange(42), "b": np.arange(42)[::-1]})
