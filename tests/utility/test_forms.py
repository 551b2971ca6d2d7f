"""The papers' utilities, and utilities by name and by function."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest

from cautious.utility import as_utility, exponential, f_beta, logarithmic, quadratic, u65, u80
from cautious.utility._forms import read_utility

EVERY = [
    u65,
    u80,
    quadratic(0.5),
    quadratic(0.7),
    logarithmic,
    exponential(0.5),
    exponential(3.0),
    f_beta(1),
    f_beta(2),
    logarithmic.normalised,
    exponential(2.0).normalised,
]


def test_erratum_quadratic_formulas_are_swapped():
    """Section 9 prints −1.2x² + 2.2x as u65; that parabola is worth .80 at one half."""
    x = np.linspace(0, 1, 11)
    printed_as_u65, printed_as_u80 = -1.2 * x**2 + 2.2 * x, -0.6 * x**2 + 1.6 * x
    assert printed_as_u65[5] == pytest.approx(0.80)
    np.testing.assert_allclose(u80(x), printed_as_u65)
    np.testing.assert_allclose(u65(x), printed_as_u80)


@pytest.mark.parametrize("v", [0.5, 0.65, 0.75, 0.8, 1.0])
def test_quadratic_is_the_papers_formula(v):
    x = np.linspace(0, 1, 21)
    np.testing.assert_allclose(quadratic(v)(x), (2 - 4 * v) * x**2 + (4 * v - 1) * x, atol=1e-15)
    np.testing.assert_array_equal(quadratic(v)([0, 1]), [0, 1])


@pytest.mark.parametrize("utility", EVERY, ids=repr)
def test_second_derivative(utility):
    x, h = np.linspace(0.05, 0.95, 19), 1e-2
    steps = [utility(x + k * h) for k in (-2, -1, 0, 1, 2)]
    bend = np.tensordot([-1, 16, -30, 16, -1], steps, axes=1) / (12 * h**2)  # error of order h⁴
    np.testing.assert_allclose(utility.second_derivative(x), bend, rtol=1e-4, atol=1e-9)
    assert (utility.second_derivative(x) <= 0).all()


def test_u80_takes_its_rising_branch():
    assert float(u80.inverse(1.0)) == pytest.approx(5 / 6)
    assert float(u80(5 / 6)) == pytest.approx(1.0)
    assert np.isnan(u80.inverse(1.1))


@pytest.mark.parametrize("utility", EVERY, ids=repr)
def test_normalised(utility):
    scaled = utility.normalised
    assert float(scaled(1.0)) == 1.0
    assert float(scaled(0.0)) == 0.0
    x = np.linspace(0, 1, 9)
    np.testing.assert_allclose(scaled(x) * float(utility(1.0)), utility(x))
    assert scaled.inversion == utility.inversion
    assert scaled.normalised is scaled


def test_names_equality_and_copies():
    assert [repr(u) for u in (u65, u80, logarithmic, exponential(2), f_beta(1))] == [
        "u65",
        "u80",
        "logarithmic",
        "exponential(2)",
        "F1",
    ]
    assert repr(logarithmic.normalised) == "normalised logarithmic"
    assert quadratic(0.65) == u65 != u80
    for utility in EVERY:
        assert pickle.loads(pickle.dumps(utility)) == utility
        assert copy.deepcopy(utility) == utility
        assert hash(copy.copy(utility)) == hash(utility)


@pytest.mark.parametrize(
    ("make", "bad"),
    [(quadratic, 1.1), (quadratic, np.nan), (exponential, 0), (exponential, np.inf), (f_beta, -1)],
)
def test_bad_parameters(make, bad):
    with pytest.raises(ValueError, match=" is "):
        make(bad)


@pytest.mark.parametrize("utility", EVERY, ids=repr)
def test_what_is_no_finite_number_is_refused(utility):
    with pytest.raises(ValueError, match="x holds -inf; accuracies and earnings are finite"):
        utility([0.5, -np.inf])
    with pytest.raises(TypeError, match="value holds complex numbers; utilities are numbers"):
        utility.inverse(1j)
    assert np.isnan(utility(np.nan))


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
