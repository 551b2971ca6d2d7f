"""Expected utility, certainty equivalents and the mean–variance reading."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from cautious.utility import (
    certainty_equivalent,
    exponential,
    logarithmic,
    mean_variance,
    quadratic,
    u65,
    u80,
)


def expected_utility(x, utility="u65", **weights):
    return mean_variance(x, utility, **weights).expected_utility


accuracies = st.lists(st.sampled_from([0, 1 / 4, 1 / 3, 1 / 2, 1]), min_size=1, max_size=30)


def test_expected_utility_by_hand():
    assert expected_utility([1, 0.5, 1 / 3, 0], u65) == pytest.approx((1 + 0.65 + 7 / 15) / 4)


def test_the_vacuous_physician_is_worth_more_than_the_random_one():
    """Zaffalon et al. (2012), Proposition 1: same expected reward, greater expected utility."""
    vacuous, guessing = [0.5, 0.5], [1, 0]
    assert np.mean(vacuous) == np.mean(guessing)
    for utility in ("u65", "u80", "log", exponential(1), "F1"):
        assert expected_utility(vacuous, utility) > expected_utility(guessing, utility)


@given(accuracies)
def test_certainty_equivalent_is_worth_the_classifier(x):
    for utility in (u65, logarithmic.normalised, exponential(2).normalised):
        sure = certainty_equivalent(x, utility)
        assert float(utility(sure)) == pytest.approx(expected_utility(x, utility), abs=1e-12)
        assert sure <= np.mean(x) + 1e-12  # risk aversion never pays more than the mean


def test_certainty_equivalent_under_risk_neutrality_is_the_mean():
    assert certainty_equivalent([1, 0.5, 0], "u50") == pytest.approx(0.5)


@given(accuracies, st.floats(0.5, 1))
def test_mean_variance_is_exact_for_quadratics(x, v):
    """Zaffalon et al. (2012), eq. 1 and section 9."""
    reading = mean_variance(x, quadratic(v))
    assert reading.second_order == pytest.approx(reading.expected_utility, abs=1e-12)
    assert reading.expected_utility == pytest.approx(np.mean(quadratic(v)(x)))
    assert reading.mean == pytest.approx(np.mean(x))
    assert reading.variance == pytest.approx(np.var(x))
    assert reading.variance_term <= 0


def test_mean_variance_is_close_for_others():
    reading = mean_variance([1, 0.5, 0.5, 1, 1, 0], "log")
    assert reading.second_order == pytest.approx(reading.expected_utility, abs=0.02)
    assert str(reading).startswith("u(E) - |½u″(E)·Var| = ")


def test_weights_repeat():
    x, weight = np.array([1, 0.5, 0]), [3, 1, 2]
    repeated = np.repeat(x, weight)
    assert expected_utility(x, sample_weight=weight) == pytest.approx(expected_utility(repeated))
    assert mean_variance(x, sample_weight=weight).variance == pytest.approx(np.var(repeated))
    assert certainty_equivalent(x, u80, sample_weight=weight) == pytest.approx(
        certainty_equivalent(repeated, u80)
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
    of_f, of_g = (mean_variance(x, u65, sample_weight=w) for w in (f, g))
    assert of_f.mean == pytest.approx(of_g.mean)
    assert f @ x**2 == pytest.approx(g @ x**2 + epsilon / 2)
    assert of_g.variance < of_f.variance
    assert of_g.expected_utility > of_f.expected_utility  # g wins though it is more determinate
    assert f[:2].sum() == pytest.approx(g[:2].sum() - epsilon)
    printed, ours = 4 * epsilon, f @ size - g @ size
    assert ours == pytest.approx(epsilon)
    assert ours != pytest.approx(printed)


@given(accuracies)
def test_determinate_part_equals_its_square(x):
    """Section 7 prints E[h_D] = E[h]; what holds and is used is E[h_D²] = E[h_D]."""
    determinate = np.where(np.isin(x, [0, 1]), x, 0)
    assert np.mean(determinate**2) == np.mean(determinate)


@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 20), st.integers(2, 5))
def test_proposition_2_credal_beats_precise_at_equal_reward(right, wrong, sets, k):
    """A precise classifier of the same mean has at least the variance of the credal one."""
    credal = np.r_[np.ones(right), np.zeros(wrong), np.full(sets, 1 / k)]
    mean = credal.mean()
    precise = mean_variance([1, 0], u65, sample_weight=[mean, 1 - mean])
    reading = mean_variance(credal, u65)
    assert reading.mean == pytest.approx(precise.mean)
    assert reading.variance <= precise.variance + 1e-12
    assert reading.expected_utility >= precise.expected_utility - 1e-12


def test_nothing_to_average_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="no examples"):
        assert np.isnan(expected_utility([], "u65"))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(certainty_equivalent([1.0], "u65", sample_weight=[0]))


def test_bad_accuracies():
    with pytest.raises(ValueError, match=r"x is 1.5 in row 1"):
        expected_utility([1, 1.5])
    with pytest.raises(ValueError, match="x is nan in row 0"):
        expected_utility([np.nan])
    with pytest.raises(ValueError, match=r"x has shape \(1, 1\)"):
        expected_utility([[1.0]])
