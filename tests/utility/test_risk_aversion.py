"""The risk-aversion line and the crossover of two classifiers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cautious.utility import RiskAversionCurve, crossover, quadratic

VALUES = [0, 1 / 3, 1 / 2, 1]
accuracies = st.lists(st.sampled_from(VALUES), min_size=1, max_size=40)


@given(accuracies, st.floats(0.5, 1))
def test_the_line_is_the_mean_utility(x, k):
    curve = RiskAversionCurve.from_accuracies(x)
    assert float(curve(k)) == pytest.approx(np.mean(quadratic(k)(x)), abs=1e-12)


def test_frame_and_weights():
    curve = RiskAversionCurve.from_accuracies([1, 0.5, 0], sample_weight=[1, 2, 1])
    frame = curve.frame([0.5, 0.65])
    assert list(frame.columns) == ["risk_aversion", "utility"]
    np.testing.assert_allclose(frame["utility"], [0.5, 0.5 + 0.6 * 0.125])
    assert len(curve.frame()) == 2


@given(st.lists(st.tuples(*[st.sampled_from(VALUES)] * 2), min_size=2, max_size=40))
def test_at_the_crossover_both_are_worth_the_same(pairs):
    x, y = np.array(pairs, dtype=float).T
    hedging = (x * (1 - x)).mean() - (y * (1 - y)).mean()
    if abs(hedging) <= 1e-12:
        return
    result = crossover(x, y, n_resamples=5, random_state=0)
    one, two = RiskAversionCurve.from_accuracies(x), RiskAversionCurve.from_accuracies(y)
    k = result.k.estimate
    assert float(one(k)) == pytest.approx(float(two(k)), abs=1e-9)
    better = "first" if float(one(k + 1)) > float(two(k + 1)) else "second"
    assert result.better_above == better


def fixture(n=600, seed=0):
    """A bold classifier, right 70 % of the time, and one that hedges two times out of five."""
    rng = np.random.default_rng(seed)
    bold = (rng.random(n) < 0.7).astype(float)
    hedge = rng.random(n) < 0.4
    return bold, np.where(hedge, 0.5, (rng.random(n) < 0.75).astype(float))


def test_interval_holds_the_estimate_and_is_reproducible():
    bold, cautious = fixture()
    result = crossover(bold, cautious, random_state=1)
    again = crossover(bold, cautious, random_state=1)
    assert result == again
    assert result.k.low < result.k.estimate < result.k.high
    assert result.better_above == "second"
    assert result.agreement == 1.0
    assert str(result).startswith("the second is better above k = 0.")
    assert result.k.n_resamples == 1000


def test_bootstrap_is_paired():
    """Where the two agree but for the hedges, pairing makes the interval far narrower."""
    bold, _ = fixture(2000)
    hedged = bold.copy()
    hedged[:400] = 0.5
    paired = crossover(bold, hedged, random_state=0).k
    shuffled = np.random.default_rng(0).permutation(hedged)
    unpaired = crossover(bold, shuffled, random_state=0).k
    assert unpaired.estimate == pytest.approx(paired.estimate)
    assert paired.high - paired.low < 0.8 * (unpaired.high - unpaired.low)


def test_strata_keep_their_share():
    x, y = np.array([1.0, 0.0] * 20), np.array([0.5, 0.5] * 20)
    result = crossover(x, y, strata=x, n_resamples=50, random_state=0)
    # Within each stratum all examples are alike, so every replicate is the sample itself.
    assert result.k.low == pytest.approx(result.k.high) == pytest.approx(result.k.estimate)


@pytest.mark.parametrize(
    ("first", "second", "better"),
    [
        ([1, 0, 1, 0], [1, 0.5, 1, 0.5], "second"),  # they cross at 0
        ([1, 0.5, 1, 0.5], [1, 0, 1, 0], "first"),
        ([1, 1, 1, 0], [1, 1, 0.5, 0], "first"),  # at 1
        ([1, 1, 0.5, 0], [1, 1, 1, 0], "second"),
        ([1, 0], [0.5, 0.5], "second"),  # at one half
    ],
)
def test_lines_that_cross_where_nobody_is_averse_to_risk(first, second, better):
    said = str(crossover(first, second, random_state=0))
    assert said.startswith(f"the {better} is better at every k between 0.5 and 1; ")
    one, two = (RiskAversionCurve.from_accuracies(x)(0.75) for x in (first, second))
    assert (two > one) == (better == "second")
    assert one != two


def test_parallel_lines_never_cross():
    with pytest.warns(UndefinedMetricWarning, match="parallel"):
        result = crossover([1, 0, 1], [1, 1, 0])
    assert np.isnan(result.k.estimate)
    assert result.better_above == "neither"
    assert str(result) == "the two classifiers never change places"


def test_near_parallel_lines_show_in_the_agreement():
    x = np.array([1.0] * 50 + [0.5] * 5 + [0.0] * 50)
    y = np.array([0.5] * 6 + [1.0] * 44 + [0.0] * 55)
    assert crossover(x, y, random_state=0).agreement < 0.9


def test_both_must_score_the_same_examples():
    with pytest.raises(ValueError, match="first has 2 rows and second 3"):
        crossover([1, 0], [1, 0, 1])
    with pytest.raises(ValueError, match=r"second\[1\] is 2;"):
        crossover([1, 0], [1, 2])
