"""Expected utility, certainty equivalents, the mean–variance reading, and the next m bets."""

import math
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cautious.utility import as_utility, exponential, f_beta, logarithmic, quadratic, u65, u80


def expected_utility(x, utility="u65", **weights):
    return as_utility(utility).bets(x, **weights).loc["set", "expected_utility"]


def as_written(function):
    return as_utility(function, scale=False)


accuracies = st.lists(st.sampled_from([0, 1 / 4, 1 / 3, 1 / 2, 1]), min_size=1, max_size=30)


@given(accuracies)
def test_certainty_equivalent_is_worth_the_classifier(x):
    for utility in (u65, logarithmic.normalised, exponential(2).normalised):
        sure = utility.certainty_equivalent(x)
        assert float(utility(sure)) == pytest.approx(expected_utility(x, utility), abs=1e-12)
        assert sure <= np.mean(x) + 1e-12  # risk aversion never pays more than the mean


@given(accuracies, st.floats(0.5, 1))
def test_second_order_is_exact_for_quadratics(x, v):
    """Zaffalon et al. (2012), eq. 1 and section 9."""
    bet = quadratic(v).bets(x).loc["set"]
    second_order = bet["utility_of_mean"] + bet["variance_term"]
    assert second_order == pytest.approx(bet["expected_utility"], abs=1e-12)
    assert bet["expected_utility"] == pytest.approx(np.mean(quadratic(v)(x)))
    assert bet["earnings"] == pytest.approx(np.mean(x))
    assert bet["variance"] == pytest.approx(np.var(x))
    assert bet["variance_term"] <= 0


def test_weights_repeat():
    x, weight = np.array([1, 0.5, 0]), [3, 1, 2]
    repeated = np.repeat(x, weight)
    assert expected_utility(x, sample_weight=weight) == pytest.approx(expected_utility(repeated))
    assert u65.bets(x, sample_weight=weight)["variance"]["set"] == pytest.approx(np.var(repeated))
    assert u80.certainty_equivalent(x, sample_weight=weight) == pytest.approx(
        u80.certainty_equivalent(repeated)
    )


def three_class_example(epsilon):
    """Zaffalon et al. (2012), section 7, Example 1: outcomes and two classifiers."""
    size = np.array([1, 1, 2, 2, 3])
    correct = np.array([True, False, True, False, True])
    f = np.array([0.3, 0.2, 0.2, 0.2, 0.1])
    # P(F1) = P(G1)+ε, P(G1c) = P(F1c)+2ε, P(G2) = P(F2)+2ε, P(F2c) = P(G2c)+3ε, P(F3) = P(G3)
    g = f + epsilon * np.array([-1, 2, 2, -3, 0])
    return size, np.where(correct, 1 / size, 0), f, g


def test_example_1_and_its_erratum():
    epsilon = 0.01
    size, x, f, g = three_class_example(epsilon)
    of_f, of_g = (u65.bets(x, sample_weight=w).loc["set"] for w in (f, g))
    assert of_f["earnings"] == pytest.approx(of_g["earnings"])
    assert f @ x**2 == pytest.approx(g @ x**2 + epsilon / 2)
    assert of_g["variance"] < of_f["variance"]
    assert of_g["expected_utility"] > of_f["expected_utility"]
    assert f[:2].sum() == pytest.approx(g[:2].sum() - epsilon)
    printed, ours = 4 * epsilon, f @ size - g @ size
    assert ours == pytest.approx(epsilon)
    assert ours != pytest.approx(printed)


@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 20), st.integers(2, 5))
def test_proposition_2_credal_beats_precise_at_equal_reward(right, wrong, sets, k):
    """A precise classifier of the same mean has at least the variance of the credal one."""
    credal = np.r_[np.ones(right), np.zeros(wrong), np.full(sets, 1 / k)]
    mean = credal.mean()
    precise = u65.bets([1, 0], sample_weight=[mean, 1 - mean]).loc["set"]
    reading = u65.bets(credal).loc["set"]
    assert reading["earnings"] == pytest.approx(precise["earnings"])
    assert reading["variance"] <= precise["variance"] + 1e-12
    assert reading["expected_utility"] >= precise["expected_utility"] - 1e-12


def test_nothing_to_average_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="no examples"):
        assert np.isnan(expected_utility([], "u65"))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(u65.certainty_equivalent([1.0], sample_weight=[0]))


def test_bad_accuracies():
    with pytest.raises(ValueError, match=r"x\[1\] is 1\.5;"):
        expected_utility([1, 1.5])
    with pytest.raises(ValueError, match=r"x\[0\] is nan;"):
        expected_utility([np.nan])
    with pytest.raises(ValueError, match=r"x has shape \(1, 1\)"):
        expected_utility([[1.0]])


def binomial_sum(m, n, u):
    chances = [comb(m, k) * (1 / n) ** k * (1 - 1 / n) ** (m - k) for k in range(m + 1)]
    return float(u(np.arange(m + 1)) @ chances)


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_exact_sum(m, n):
    for u in (logarithmic, exponential(1.5), f_beta(1)):
        assert float(u.random_expected_utility(m, n)) == pytest.approx(binomial_sum(m, n, u))


def test_exact_sum_against_the_exponentials_closed_form():
    """E[1 − e^(−aL)] = 1 − (1 − 1/n + e^(−a)/n)^m, also for many bets."""
    a, n, m = 0.01, 4, np.array([1, 100, 5_000, 200_000])
    closed = 1 - (1 - 1 / n + np.exp(-a) / n) ** m
    np.testing.assert_allclose(exponential(a).random_expected_utility(m, n), closed, rtol=1e-12)


def test_second_order_formulas():
    """Section 8.1 and 8.2, with the sign of 8.2 put right: d(m) must not be negative."""
    m, n, a = np.arange(1, 50), 5, 0.7
    z, spread = m / n, (m / n) * (1 - 1 / n)
    log = logarithmic.caution_premium(m, n, exact=False)
    np.testing.assert_allclose(log, spread / (2 * (z + 1) ** 2))
    ours = exponential(a).caution_premium(m, n, exact=False)
    printed = -0.5 * a**2 * np.exp(-a * z) * spread
    np.testing.assert_allclose(ours, -printed)
    assert (ours > 0).all()
    assert (exponential(a).caution_premium(m, n) > 0).all()  # and so is the exact difference


@pytest.mark.parametrize("n", [2, 5, 20])
@pytest.mark.parametrize("a", [0.5, 1.0, 4.0])
def test_inversion_points(n, a):
    """m = n (logarithmic), m = n/a (exponential), m = n/(2β²) (F_β): the peaks of d(m)."""
    m = np.linspace(0.01, 6 * n, 60_001)
    for u, peak in ((logarithmic, n), (exponential(a), n / a), (f_beta(a), n / (2 * a**2))):
        assert u.inversion_point(n) == pytest.approx(peak)
        found = m[np.argmax(u.caution_premium(m, n, exact=False))]
        assert found == pytest.approx(peak, abs=2e-3 * n)


def test_exact_peak_comes_later():
    for n in (3, 10, 30):
        m = np.arange(1, 8 * n)
        exact = logarithmic.inversion_point(n, exact=True)
        assert exact == m[np.argmax(logarithmic.caution_premium(m, n))]
        assert exact > logarithmic.inversion_point(n)


def test_exact_peak_is_searched_as_far_as_needed():
    late = exponential(0.05).inversion_point(3, exact=True)
    m = np.arange(1, 200)
    assert late == m[np.argmax(exponential(0.05).caution_premium(m, 3))] > 50


def test_exact_peak_of_ones_own_function_is_searched_up_to_n():
    early = as_written(lambda x: 1 - np.exp(-4 * x)).inversion_point(30, exact=True)
    assert early == exponential(4).inversion_point(30, exact=True) < 30
    # These rise still: the first peaks beyond n, the second never.
    assert as_written(lambda x: 1 - np.exp(-0.05 * x)).inversion_point(3, exact=True) == 3
    assert as_written(lambda x: -0.6 * x**2 + 1.6 * x).inversion_point(5, exact=True) == 5


def test_a_premium_that_keeps_rising_peaks_nowhere():
    class Late(type(exponential(1))):
        inversion = 1.0  # a wrong hint, so that the search must go on

    assert Late(1e-4).inversion_point(2, exact=True) == np.inf


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: 1 - np.sqrt(1 - x), "not finite at earnings of 2"),
        (
            lambda x: 1 - math.sqrt(1 - x),
            r"of 0 to 2 \((math domain error|expected a nonneg)",
        ),
        (np.log, "not finite at earnings of 0"),
    ],
)
def test_a_utility_must_be_defined_as_far_as_bets_earn(function, message):
    utility = as_written(function)
    for compute in (utility.caution_premium, utility.random_expected_utility):
        with pytest.raises(ValueError, match=message + ".*between 0 and m"):
            compute(2, 4)


def test_quadratics_never_stop_paying():
    assert u65.inversion_point(4) == np.inf
    assert u65.inversion_point(4, exact=True) == np.inf
    assert quadratic(0.5).inversion_point(4) == 0


def test_the_approximation_is_not_always_within_one_per_cent():
    """Section 8 claims a relative error consistently below 1 %; it can be 25 %."""
    few = float(logarithmic.random_expected_utility(1, 50))
    approximate = float(logarithmic.random_expected_utility(1, 50, exact=False))
    assert abs(approximate / few - 1) == pytest.approx(0.25, abs=0.01)
    many = float(logarithmic.random_expected_utility(500, 50))
    approximate = float(logarithmic.random_expected_utility(500, 50, exact=False))
    assert abs(approximate / many - 1) < 0.01


def test_higher_risk_aversion_hastens_the_convergence():
    """Section 8.2 says it delays it, but the peak n/a and the decay e^(−am/n) come earlier."""
    m, n = 40, 5
    premiums = [float(exponential(a).caution_premium(m, n)) for a in (0.25, 0.5, 1.0, 2.0)]
    assert premiums == sorted(premiums, reverse=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: logarithmic.caution_premium(0, 2), "positive"),
        (lambda: logarithmic.caution_premium(1, 1), "n_classes is 1"),
        (lambda: logarithmic.random_expected_utility(1.5, 2), "whole bets"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bets_of_the_vacuous_and_the_random_classifier():
    """Proposition 1, and the utilities of section 9 at one half."""
    for v in (0.5, 0.65, 0.8):
        found = quadratic(v).bets([0.5])
        assert found["expected_utility"].tolist() == pytest.approx([v, 0.5])
        assert found["earnings"].tolist() == [0.5, 0.5]
        assert found["variance"].tolist() == [0, 0.25]
    assert u80.bets([0.5]).loc["set", "certainty_equivalent"] == pytest.approx(0.5)
    even = quadratic(0.5).bets([0.5])["certainty_equivalent"]
    assert even.tolist() == pytest.approx([0.5, 0.5])


def test_bets_of_nothing_are_undefined():
    with pytest.warns(UndefinedMetricWarning):
        assert u65.bets([]).isna().all(axis=None)
