"""Utilities of discounted accuracy: what one is, those of the papers, names and functions of yours.

Quadratic, logarithmic, exponential and F-measure, each with second derivative and inverse.
"""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from cautious._checks import check_shape, check_weight
from cautious._typing import FINITE, Floats, as_floats, as_number
from cautious.errors import InputError, shown, warn_undefined

_GRID = np.union1d(np.linspace(0, 1, 201), 1 / np.arange(1, 101))
_MOST_BETS = 10**12
# Times that the search for an exact peak doubles its range before the peak counts as infinite.
_DOUBLINGS = 6
_DEFINED = "m bets earn between 0 and m, and the utility must be defined on all of it."
_STEP = 1e-4  # of the differences that stand in for the second derivative


class Utility(ABC):
    """A utility of discounted accuracy, and what predictions are worth by it as bets.

    Call it on discounted accuracies, of any shape. Utilities are small values: they compare equal
    when they are the same function, can be hashed, copied and pickled, and print as their name.

    Over :math:`m` bets on :math:`n` classes the vacuous classifier earns :math:`m/n` for sure, and
    the random one earns as many units as it guesses right, a binomial number with chance
    :math:`1/n`. Both expect the same; a risk-averse judge prefers the sure one, by the
    :meth:`caution_premium` :math:`d(m)`. Earnings exceed 1 there, so a utility must be defined up
    to :math:`m`. Zaffalon, Corani & Mauá (2012), section 8.

    Examples
    --------
    >>> from cautious.utility import u65, u80
    >>> u65([0, 0.5, 1]), u80([0, 0.5, 1])
    (array([0.  , 0.65, 1.  ]), array([0. , 0.8, 1. ]))
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call it in tables and messages."""

    @property
    @abstractmethod
    def inversion(self) -> float:
        r"""Earnings :math:`z` at which :math:`-z\,u''(z)` is largest."""

    @abstractmethod
    def _utility(self, z: Floats) -> Floats:
        """Give the utility of finite discounted accuracies or earnings."""

    @abstractmethod
    def _second_derivative(self, z: Floats) -> Floats:
        """Give the second derivative there."""

    @abstractmethod
    def _inverse(self, y: Floats) -> Floats:
        """Give the smallest accuracies of these utilities."""

    def __call__(self, x: npt.ArrayLike) -> Floats:
        """Give the utility of each discounted accuracy in ``x``."""
        z = as_floats(x, "x", "accuracies")
        if np.isinf(z).any():
            raise ValueError(f"x holds {z[np.isinf(z)][0]}; accuracies and earnings are finite.")
        return self._utility(z)

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        """Second derivative at ``x``; negative where you are averse to risk.

        Examples
        --------
        >>> from cautious.utility import u65
        >>> u65.second_derivative([0.5, 1])
        array([-1.2, -1.2])
        """
        return self._second_derivative(as_floats(x, "x", "accuracies"))

    def inverse(self, value: npt.ArrayLike) -> Floats:
        """Smallest discounted accuracy whose utility is ``value``; nan if there is none.

        Examples
        --------
        >>> from cautious.utility import u65
        >>> u65.inverse([0.65, 1]).round(3)
        array([0.5, 1. ])
        """
        return self._inverse(as_floats(value, "value", "utilities"))

    @property
    def normalised(self) -> Utility:
        """The same preferences on a scale with u(1) = 1."""
        top = float(self(1.0))
        return self if top == 1 else Scaled(self, top)

    def __repr__(self) -> str:
        return self.name

    def certainty_equivalent(
        self, x: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """Sure discounted accuracy worth as much as the classifier: :math:`u^{-1}(E[u(h)])`.

        It brings any utility back to the scale of an accuracy. For utilities that stop rising
        before 1, such as u80, it is the smallest accuracy of that worth: a perfect classifier's
        certainty equivalent under u80 is 5/6. Zaffalon, Corani & Mauá (2012), section 5,
        footnote 4. The arguments are those of :meth:`bets`.

        Examples
        --------
        >>> from cautious.utility import u65
        >>> round(u65.certainty_equivalent([1, 0]), 4)  # a coin toss
        0.3615
        """
        accuracies, weight = check_accuracies(x, sample_weight)
        return float(self.inverse(weighted_means(weight, self(accuracies))[0]))

    def bets(self, x: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None) -> pd.DataFrame:
        r"""Compare sets with a random member of each, as bets for money.

        A house pays 1 for a right class. For a right set of k classes it pays :math:`1/k`, which
        is fair: naming a member of the set at random earns as much on average, and no other way to
        name one is sure of more. So the earnings :math:`x` of the sets and those of the random
        member have one mean, but the member earns all or nothing:

        .. math:: \operatorname{Var}[r] = E[x] (1 - E[x]) \ge \operatorname{Var}[x], \qquad
                  E[u(r)] = E[x] \le E[u(x)].

        The difference between the certainty equivalents is what caution is worth, in money. The
        last two columns split an expected utility into what its mean is worth and what variability
        costs,

        .. math:: E[u(x)] \approx u(E[x]) + ½\,u''(E[x])\,\mathrm{Var}[x],

        exact for quadratic utilities: of two classifiers with the same mean discounted accuracy,
        the one with the smaller variance is preferred under every strictly concave utility.
        Zaffalon, Corani & Mauá (2012), sections 4 to 6 and eq. 1.

        Parameters
        ----------
        x : array-like of shape (n,)
            Discounted accuracy of each set, ``per_sample(discounted_accuracy_score)``: one over its
            size if it holds the truth, else 0.
        sample_weight : array-like of shape (n,), optional
            Weights, read as repetitions.

        Returns
        -------
        DataFrame
            Rows "set" and "random member"; columns "earnings" and "variance" (divided by n) of a
            bet, "expected_utility", "certainty_equivalent", the sure sum that is worth as much, and
            "utility_of_mean" and "variance_term", which add up to the expected utility to second
            order.

        Examples
        --------
        Two classes, and a classifier that always answers with both:

        >>> from cautious.utility import u65
        >>> u65.bets([0.5, 0.5, 0.5, 0.5]).round(3).T
                              set  random member
        earnings             0.50          0.500
        variance             0.00          0.250
        expected_utility     0.65          0.500
        certainty_equivalent 0.50          0.362
        utility_of_mean      0.65          0.650
        variance_term       -0.00         -0.150
        """
        accuracies, weight = check_accuracies(x, sample_weight)
        mean, worth = weighted_means(weight, accuracies, self(accuracies))
        own = (accuracies - mean) ** 2 @ weight / (weight.sum() or np.nan)
        variance = np.array([own, mean * (1 - mean)])
        value = np.array([worth, mean * self(1.0) + (1 - mean) * self(0.0)])
        columns = {
            "earnings": mean,
            "variance": variance,
            "expected_utility": value,
            "certainty_equivalent": self.inverse(value),
            "utility_of_mean": float(self(mean)),
            "variance_term": 0.5 * float(self.second_derivative(mean)) * variance,
        }
        return pd.DataFrame(columns, index=["set", "random member"])

    def random_expected_utility(
        self, m: npt.ArrayLike, n_classes: int, *, exact: bool = True
    ) -> Floats:
        r"""Compute the expected utility of the random classifier over the next ``m`` bets.

        .. math:: E[u(r_m)] = \sum_{\ell=0}^{m} u(\ell) \binom{m}{\ell}
                  \left(\frac1n\right)^{\ell} \left(1 - \frac1n\right)^{m - \ell}
                  \approx u\!\left(\frac mn\right)
                  + \frac12 u''\!\left(\frac mn\right) \frac mn \left(1 - \frac1n\right).

        Zaffalon, Corani & Mauá (2012), eq. 3; the printed binomial lacks the exponent ℓ on 1/n.

        Parameters
        ----------
        m : array-like
            Numbers of bets; whole numbers for the exact sum.
        n_classes : int
            Number of classes, n.
        exact : bool, default=True
            The binomial sum, or the second-order approximation, which can be far off for few bets
            on many classes (25 % at m = 1, n = 50 for the logarithmic utility).

        Examples
        --------
        >>> from cautious.utility import logarithmic
        >>> logarithmic.random_expected_utility([1, 2, 4], 2).round(4)
        array([0.3466, 0.6212, 1.0324])
        """
        bets = _check_bets(m, n_classes)
        if not exact:
            return self(bets / n_classes) - self.caution_premium(bets, n_classes, exact=False)
        whole = np.rint(bets)
        if not np.array_equal(whole, bets):
            raise ValueError("m holds fractions; give whole bets for exact sums, or exact=False.")
        sums = [self._binomial_mean(int(each), n_classes) for each in whole.ravel()]
        return np.array(sums, dtype=np.float64).reshape(bets.shape)

    def caution_premium(self, m: npt.ArrayLike, n_classes: int, *, exact: bool = True) -> Floats:
        r"""Compute what caution is worth over ``m`` bets: :math:`d(m) = u(m/n) - E[u(r_m)]`.

        Not negative for a concave utility. To second order it is

        .. math:: d(m) \approx -\tfrac12 u''(\tfrac mn)\, \tfrac mn (1 - \tfrac1n),

        which rises to its :meth:`inversion_point` and then fades. Zaffalon, Corani & Mauá (2012),
        eq. 4; section 8.2 prints it with the wrong sign. The arguments are those of
        :meth:`random_expected_utility`.

        Examples
        --------
        >>> from cautious.utility import logarithmic
        >>> logarithmic.caution_premium([1, 2, 4], 2).round(4)
        array([0.0589, 0.0719, 0.0662])
        """
        bets = _check_bets(m, n_classes)
        mean = bets / n_classes
        if not exact:
            return -0.5 * self.second_derivative(mean) * mean * (1 - 1 / n_classes)
        return self._of_earnings(mean) - self.random_expected_utility(bets, n_classes)

    def inversion_point(self, n_classes: int, *, exact: bool = False) -> float:
        """Find the number of bets at which caution is worth most: where :math:`d(m)` peaks.

        To second order :math:`m = n` for the logarithmic utility, :math:`m = n/a` for the
        exponential and :math:`m = n / (2β^2)` for :math:`F_β`; the exact peak lies somewhat later.
        A quadratic utility never stops paying for caution: infinity. Zaffalon, Corani & Mauá
        (2012), sections 8.1 and 8.2.

        Parameters
        ----------
        n_classes : int
            Number of classes, n. For a function of your own, whose shape far beyond 1 is not
            known, the peak is looked for up to m = n: an answer of n may mean that the premium
            still rises there.
        exact : bool, default=False
            The whole number of bets at which the exact difference is largest, instead of the peak
            of the second-order one. The utility must be finite up to m, which m bets may earn.

        Returns
        -------
        float
            Infinity if the premium never stops rising, or still does at many times the bets at
            which its second-order form peaks.

        Examples
        --------
        >>> from cautious.utility import exponential, logarithmic
        >>> logarithmic.inversion_point(10), exponential(2).inversion_point(10)
        (10.0, 5.0)
        """
        _check_bets(1, n_classes)
        approximate = float(n_classes * self.inversion)
        if not exact or not np.isfinite(approximate):
            return approximate
        if isinstance(getattr(self, "base", self), Custom):
            return float(self._best_bets(n_classes, n_classes))
        last = 2 * int(np.ceil(approximate)) + 10
        for _ in range(_DOUBLINGS):
            best = self._best_bets(last, n_classes)
            if best < last:
                return float(best)
            last *= 2
        return np.inf

    def _best_bets(self, last: int, n_classes: int) -> int:
        """Find the number of bets up to `last` with the largest exact premium."""
        return int(np.argmax(self.caution_premium(np.arange(1, last + 1), n_classes))) + 1

    def _binomial_mean(self, m: int, n_classes: int) -> float:
        """Average the utility of a binomial number of correct guesses."""
        mean = m / n_classes
        # Beyond this many deviations the chances are below 1e-20 and add nothing.
        reach = 12 * np.sqrt(mean) + 24
        guesses = np.arange(max(0, int(mean - reach)), min(m, int(mean + reach)) + 1)
        chances = scipy.stats.binom.pmf(guesses, m, 1 / n_classes)
        return float(self._of_earnings(guesses.astype(np.float64)) @ chances)

    def _of_earnings(self, earnings: Floats) -> Floats:
        """Give the utility of earnings, which may exceed 1; a function may not be made for that."""
        try:
            with np.errstate(all="ignore"):
                values = self(earnings)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise ValueError(
                f"utility {self.name} fails on earnings of {np.min(earnings):.4g} to "
                f"{np.max(earnings):.4g} ({error}); {_DEFINED}"
            ) from error
        finite = np.isfinite(values)
        if not finite.all():
            at = earnings.ravel()[np.argmin(finite)]
            raise ValueError(
                f"utility {self.name} is not finite at earnings of {at:.4g}; {_DEFINED}"
            )
        return values


def _check_bets(m: npt.ArrayLike, n_classes: int) -> Floats:
    """Check numbers of bets and of classes."""
    if not (isinstance(n_classes, Real) and n_classes >= 2):
        raise ValueError(f"n_classes is {shown(n_classes)}; bets are on at least 2 classes.")
    words = f"give positive numbers of bets, at most {_MOST_BETS:,}"
    least = np.nextafter(0, 1)
    return as_floats(m, "m", "numbers of bets", least, _MOST_BETS, words=words)


def check_accuracies(
    x: npt.ArrayLike, sample_weight: npt.ArrayLike | None, *, name: str = "x"
) -> tuple[Floats, Floats]:
    """Check discounted accuracies, one per example between 0 and 1, and their weights."""
    values = as_floats(x, name, "accuracies")
    check_shape(values, (values.size,), name, "discounted accuracy per example")
    words = "discounted accuracies lie between 0 and 1"
    as_floats(values, name, "accuracies", high=1, words=words)
    return values, check_weight(sample_weight, len(values))


def weighted_means(weight: Floats, *columns: Floats) -> list[float]:
    """Average each column over weighted rows; nan with a warning if there are none."""
    total = weight.sum()
    if total == 0:
        warn_undefined(
            "there are no examples, or all weigh nothing: the mean is undefined and set to nan.",
            stacklevel=4,
        )
        return [np.nan] * len(columns)
    return [float(values @ weight / total) for values in columns]


@dataclass(frozen=True, repr=False)
class Scaled(Utility):
    """Another utility, measured in other units."""

    base: Utility
    unit: float

    @property
    def name(self) -> str:
        return f"normalised {self.base.name}"

    @property
    def inversion(self) -> float:
        return self.base.inversion

    def _utility(self, z: Floats) -> Floats:
        return self.base(z) / self.unit

    def _second_derivative(self, z: Floats) -> Floats:
        return self.base.second_derivative(z) / self.unit

    def _inverse(self, y: Floats) -> Floats:
        return self.base.inverse(y * self.unit)


@dataclass(frozen=True, repr=False)
class Quadratic(Utility):
    """The parabola through (0, 0), (½, half) and (1, 1)."""

    half: float

    @property
    def name(self) -> str:
        return f"u{100 * self.half:.10g}"

    @property
    def inversion(self) -> float:
        return np.inf if self.half > 0.5 else 0.0

    def _utility(self, z: Floats) -> Floats:
        # x + (4v − 2)·x(1 − x): the same parabola, exact at 0 and 1.
        return z + (4 * self.half - 2) * z * (1 - z)

    def _second_derivative(self, z: Floats) -> Floats:
        return np.full_like(z, 4 - 8 * self.half)

    def _inverse(self, y: Floats) -> Floats:
        a, b = 2 - 4 * self.half, 4 * self.half - 1
        with np.errstate(invalid="ignore"):
            # The smaller root, in the form that stays exact as the parabola becomes a line.
            return 2 * y / (b + np.sqrt(b * b + 4 * a * y))


@dataclass(frozen=True, repr=False)
class Logarithmic(Utility):
    """log(1 + x)."""

    name = "logarithmic"
    inversion = 1.0

    def _utility(self, z: Floats) -> Floats:
        return np.log1p(z)

    def _second_derivative(self, z: Floats) -> Floats:
        return -1 / (1 + z) ** 2

    def _inverse(self, y: Floats) -> Floats:
        return np.expm1(y)


@dataclass(frozen=True, repr=False)
class Exponential(Utility):
    """1 − exp(−a·x)."""

    a: float

    @property
    def name(self) -> str:
        return f"exponential({self.a:g})"

    @property
    def inversion(self) -> float:
        return 1 / self.a

    def _utility(self, z: Floats) -> Floats:
        return -np.expm1(-self.a * z)

    def _second_derivative(self, z: Floats) -> Floats:
        return -(self.a**2) * np.exp(-self.a * z)

    def _inverse(self, y: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.log1p(-y) / self.a


@dataclass(frozen=True, repr=False)
class FBeta(Utility):
    """(1 + β²)x / (β²x + 1)."""

    beta: float

    @property
    def name(self) -> str:
        return f"F{self.beta:g}"

    @property
    def inversion(self) -> float:
        return 1 / (2 * self.beta**2) if self.beta > 0 else 0.0  # a straight line has none

    def _utility(self, z: Floats) -> Floats:
        b = self.beta**2
        return (1 + b) * z / (b * z + 1)

    def _second_derivative(self, z: Floats) -> Floats:
        b = self.beta**2
        return -2 * b * (1 + b) / (b * z + 1) ** 3

    def _inverse(self, y: Floats) -> Floats:
        b = self.beta**2
        return y / (1 + b - b * y)


@dataclass(frozen=True, repr=False)
class Custom(Utility):
    """A user's function, with its curvature by differences and its inverse by bisection."""

    function: Callable[[Any], Any]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", None) or repr(self.function)

    @property
    def inversion(self) -> float:
        # Only [0, 1] is known to be the function's domain, so the peak is looked for there.
        inner = np.linspace(_STEP, 1 - _STEP, 2001)
        return float(inner[np.argmax(-inner * self.second_derivative(inner))])

    def _utility(self, z: Floats) -> Floats:
        try:
            values = np.asarray(self.function(z), dtype=np.float64)
        except (TypeError, ValueError):
            values = None  # written for single numbers, such as math.sqrt
        if values is None or values.shape != z.shape:
            each = [float(self.function(float(v))) for v in z.ravel()]
            values = np.array(each, dtype=np.float64).reshape(z.shape)
        return values

    def _second_derivative(self, z: Floats) -> Floats:
        z = np.clip(z, _STEP, 1 - _STEP)
        return (self(z + _STEP) - 2 * self(z) + self(z - _STEP)) / _STEP**2

    def _inverse(self, y: Floats) -> Floats:
        peak = _GRID[np.argmax(self(_GRID))]  # a concave function rises up to its peak
        # Bisection ends at the smallest accuracy also where the function is flat, unlike faster
        # searches for a root.
        low, high = np.zeros_like(y), np.full_like(y, peak)
        for _ in range(60):
            middle = (low + high) / 2
            below = self(middle) < y
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        reached = (y >= self(np.zeros_like(y))) & (y <= self(np.full_like(y, peak)))
        return np.where(reached, high, np.nan)


def quadratic(v: float) -> Utility:
    r"""Quadratic utility worth ``v`` at discounted accuracy ½, between 0 and 1.

    .. math:: u_v(x) = (2 - 4v) x^2 + (4v - 1) x = x + (4v - 2)\,x(1 - x).

    Linear in :math:`v`, and the mean–variance reading of its expectation is exact. Above ½ it is
    averse to risk; at :math:`v = ½` it is discounted accuracy itself. For :math:`v > ¾` it exceeds
    1 and falls again somewhere between ½ and 1, where no discounted accuracy lies; its inverse
    takes the rising branch, so that ``u80.inverse(1)`` is 5/6. Zaffalon, Corani & Mauá (2012),
    section 9, where the two formulas are printed under each other's names.

    Examples
    --------
    >>> quadratic(0.65)([0, 1 / 3, 0.5, 1]).round(3)
    array([0.   , 0.467, 0.65 , 1.   ])
    """
    words = "the utility of a half-right answer lies between 0 and 1"
    return Quadratic(as_number(v, "v", 0, 1, words=words))


u65: Utility = quadratic(0.65)
r"""Quadratic utility with u(½) = .65: :math:`-0.6x^2 + 1.6x`. Zaffalon et al. (2012), section 9."""

u80: Utility = quadratic(0.80)
r"""Quadratic utility with u(½) = .80: :math:`-1.2x^2 + 2.2x`. Zaffalon et al. (2012), section 9."""

logarithmic: Utility = Logarithmic()
r"""Logarithmic utility :math:`\log(1 + x)`; ``logarithmic.normalised`` divides it by log 2.
Zaffalon et al. (2012), section 8.1."""


def exponential(a: float) -> Utility:
    """Exponential utility :math:`1 - e^{-ax}`, of constant absolute risk aversion ``a > 0``.

    As in the paper, Zaffalon, Corani & Mauá (2012), section 8.2, it is not scaled;
    ``exponential(a).normalised`` divides it by :math:`1 - e^{-a}`.

    Examples
    --------
    >>> exponential(2.0)([0, 0.5, 1]).round(3)
    array([0.   , 0.632, 0.865])
    """
    words = "a coefficient of risk aversion is finite and positive"
    return Exponential(as_number(a, "a", np.nextafter(0, 1), FINITE, words=words))


def f_beta(b: float) -> Utility:
    r""":math:`F_β` of a set-valued prediction, read as a utility; β = b is not negative.

    Precision is the discounted accuracy :math:`x` and recall says whether the set holds the truth,
    so a correct set of :math:`k` classes scores :math:`(1 + β^2)/(β^2 + k)`:

    .. math:: u(x) = \frac{(1 + β^2)\,x}{β^2 x + 1}.

    Larger values reward correct large sets more, 0 is discounted accuracy. Zaffalon, Corani & Mauá
    (2012), section 9.3 and Table 7; Yang, Destercke & Masson (2017), eq. 9.

    Examples
    --------
    >>> f_beta(1)([0, 1 / 3, 0.5, 1]).round(2)
    array([0.  , 0.5 , 0.67, 1.  ])
    """
    return FBeta(as_number(b, "b", 0, FINITE, words="β must be finite and not negative"))


UtilityLike: TypeAlias = str | Utility | Callable[[Any], Any]
"""A utility, its name ("u65", "u80", "log", "F1", …), or any function of discounted accuracy."""

# The usual ones are fit for scoring, and need neither be read nor checked.
_USUAL: dict[str, Utility] = {"u65": u65, "u80": u80}


def read_utility(utility: UtilityLike) -> Utility:
    """Turn a name or a function into a utility, as it is: neither checked nor scaled."""
    if isinstance(utility, Utility):
        return utility
    if isinstance(utility, str):
        text = utility.strip().lower()
        if text in ("log", "logarithmic"):
            return logarithmic
        if found := re.fullmatch(r"u(\d\d(?:\.\d+)?)", text):
            return quadratic(float(found[1]) / 100)
        if found := re.fullmatch(r"exponential\((\d+(?:\.\d+)?)\)", text):
            return exponential(float(found[1]))
        if found := re.fullmatch(r"f_?(\d+(?:\.\d+)?)", text):
            return f_beta(float(found[1]))
        raise InputError(
            "{=utility} is {given}; known names are 'u65', 'u80' (or any other two digits), "
            "'logarithmic', 'exponential(2)' and 'F1', 'F2', …. In Python a function of discounted "
            "accuracy will do too.",
            given=shown(utility),
        )
    if callable(utility):
        return Custom(utility)
    raise TypeError(
        f"utility is of type {type(utility).__name__}; give a name such as 'u65', one of the "
        "utilities of cautious.utility, or a function of discounted accuracy."
    )


def as_utility(utility: UtilityLike, *, scale: bool = True) -> Utility:
    """Take a utility fit for scoring: :math:`u(0) = 0`, :math:`u(1) = 1`, concave.

    Utilities are scaled to :math:`u(1) = 1`, which changes no preference, so that scores with them
    are one less the costs of :func:`cautious.costs.utility_costs`. A function that is not finite on
    [0, 1], or not positive at 1, is refused; a warning says where it departs from the other two
    conditions. Zaffalon, Corani & Mauá (2012), section 5, assumption A6.

    Parameters
    ----------
    utility : Utility, str or callable
        One of this package's utilities; a name ("u65", "u80" or any two digits, "logarithmic" or
        "log", "F1", "F2", …); or a function of discounted accuracy on [0, 1].
    scale : bool, default=True
        Scale and check it. Otherwise it is taken as it is written, as for the worth of many bets.

    Examples
    --------
    >>> as_utility("u65")([0.5])
    array([0.65])
    >>> as_utility("log")([0.5, 1]).round(4)
    array([0.585, 1.   ])
    """
    if isinstance(utility, str) and utility in _USUAL:
        return _USUAL[utility]
    read = read_utility(utility)
    if not scale:
        return read
    # Of the library's own, only a quadratic can be amiss: it can bend the wrong way.
    if isinstance(read, Custom) or read(0.5) < 0.5 * read(1.0) - 1e-12:
        for problem in _problems(read):
            warnings.warn(problem, UserWarning, stacklevel=2)
    return read.normalised


def _problems(utility: Utility) -> list[str]:
    """Say what keeps a function from being a utility of discounted accuracy, and where."""
    values = utility(_GRID)
    if not np.isfinite(values).all():
        at = _GRID[np.argmin(np.isfinite(values))]
        raise ValueError(
            f"utility {utility.name} is not finite at x = {at:.4g}; it must be defined on [0, 1]."
        )
    if values[-1] <= 0:
        raise ValueError(
            f"utility {utility.name} has u(1) = {values[-1]:g}; a right single class must have a "
            "positive utility."
        )
    values = values / values[-1]
    problems = []
    if abs(values[0]) > 1e-9:
        problems.append(
            f"utility {utility.name} has u(0) = {values[0]:.6g} u(1) instead of 0; scores with it "
            "are not on the scale of an accuracy."
        )
    slopes = np.diff(values) / np.diff(_GRID)
    rises = np.diff(slopes)
    scale = np.abs(slopes).max()
    if (rises > 1e-7 * max(scale, 1)).any():
        at = int(np.argmax(rises))
        problems.append(
            f"utility {utility.name} is not concave: its slope rises from {slopes[at]:.4g} to "
            f"{slopes[at + 1]:.4g} at x = {_GRID[at + 1]:.4g}, so it seeks risk there."
        )
    return problems
