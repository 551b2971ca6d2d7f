"""Names and functions as utilities, and the warnings about those that are none."""

import math
import warnings

import numpy as np
import pytest

from cautious.utility import as_utility, exponential, f_beta, logarithmic, quadratic, u65, u80
from cautious.utility._forms import read_utility


def root(x):
    return x**0.5


def test_names():
    assert as_utility("u65") is not None
    assert as_utility("u65") == u65
    assert as_utility(" U80 ") == u80
    assert as_utility("u70") == quadratic(0.70)
    assert as_utility("f1") == as_utility("F_1") == f_beta(1)
    assert as_utility("F0.5") == f_beta(0.5)
    assert as_utility("log") == as_utility("logarithmic") == logarithmic.normalised
    assert read_utility("log") is logarithmic


def test_the_librarys_own_are_scaled_without_a_word():
    assert as_utility(logarithmic) == logarithmic.normalised
    assert as_utility(exponential(3)) == exponential(3).normalised
    assert as_utility(u80) is u80


def test_a_fitting_function_passes_in_silence():
    u = as_utility(root)
    assert repr(u) == "root"
    np.testing.assert_allclose(u([0, 0.25, 1]), [0, 0.5, 1])


def test_the_unit_of_a_function_does_not_matter():
    u = as_utility(lambda x: 3 * x**0.5)
    np.testing.assert_allclose(u([0, 0.25, 1]), [0, 0.5, 1])
    np.testing.assert_allclose(u.inverse([0.5, 1]), [0.25, 1])
    for function in (lambda x: -x, lambda x: 0 * x):
        with pytest.raises(ValueError, match=r"has u\(1\) = -?[01]; a right single class"):
            as_utility(function)


def test_functions_of_single_numbers_work():
    u = as_utility(math.sqrt)
    np.testing.assert_allclose(u(np.array([[0.25], [1.0]])), [[0.5], [1.0]])
    assert float(u(0.25)) == 0.5
    # A function that ignores its argument's shape is asked for one number at a time.
    step = as_utility(lambda x: float(np.min([2 * np.max(x), 1.0])))
    np.testing.assert_allclose(step([0.25, 0.75]), [0.5, 1.0])


def test_derivatives_and_inverse_of_a_function():
    u = read_utility(lambda x: np.log1p(x) / np.log(2))
    known = logarithmic.normalised
    x = np.linspace(0.1, 0.9, 9)
    np.testing.assert_allclose(u.second_derivative(x), known.second_derivative(x), rtol=1e-5)
    np.testing.assert_allclose(u.inverse(u(x)), x, atol=1e-12)
    np.testing.assert_array_equal(np.isnan(u.inverse([-0.1, 0.5, 1.1])), [True, False, True])
    # At the ends of the domain the differences step inwards instead of outside.
    assert float(u.second_derivative(1.0)) == pytest.approx(
        float(known.second_derivative(1.0)), rel=1e-3
    )


def test_inverse_of_a_function_that_stops_rising():
    u = read_utility(lambda x: -1.2 * x**2 + 2.2 * x)
    assert float(u.inverse(0.8)) == pytest.approx(0.5)


def test_inversion_of_a_function():
    u = read_utility(lambda x: 1 - np.exp(-3 * x))
    assert u.inversion == pytest.approx(1 / 3, abs=1e-3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: 0.1 + 0.9 * x, r"u\(0\) = 0.1 u\(1\) instead of 0"),
        (lambda x: 1 + 3 * x, r"u\(0\) = 0.25 u\(1\) instead of 0"),
        (lambda x: x**2, r"not concave: its slope rises .* at x = "),
        (lambda x: np.where(x < 0.3, 0.0, (x - 0.3) / 0.7), r"not concave.* at x = 0.3"),
    ],
)
def test_violations_warn_with_the_place(function, message):
    with pytest.warns(UserWarning, match=message):
        as_utility(function)


def test_a_risk_seeking_quadratic_warns():
    with pytest.warns(UserWarning, match="u40 is not concave"):
        as_utility(quadratic(0.4))


def test_rounding_is_no_violation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_utility(lambda x: x)
        as_utility(lambda x: np.sqrt(x))


def test_undefined_functions_are_errors():
    with pytest.raises(ValueError, match="not finite at x = 0;"), np.errstate(divide="ignore"):
        as_utility(lambda x: -1 / np.asarray(x))


def test_unknown_names_and_types():
    with pytest.raises(ValueError, match="utility is 'u6'; known names are 'u65'"):
        as_utility("u6")
    with pytest.raises(TypeError, match="utility is of type float"):
        as_utility(0.65)
