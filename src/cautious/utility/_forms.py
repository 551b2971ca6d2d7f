"""Utilities of discounted accuracy: what one is, those of the papers, names and functions of yours.

Quadratic, logarithmic, exponential and F-measure, each with second derivative and inverse.
"""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cautious._typing import FINITE, Floats, as_floats, as_number
from cautious.errors import InputError, shown

_GRID = np.union1d(np.linspace(0, 1, 201), 1 / np.arange(1, 101))
_STEP = 1e-4  # of the differences that stand in for the second derivative


class Utility(ABC):
    """A utility of discounted accuracy.

    Call it on discounted accuracies, of any shape. Utilities are small values: they compare equal
    when they are the same function, can be hashed, copied and pickled, and print as their name.

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
    def __call__(self, x: npt.ArrayLike) -> Floats:
        """Give the utility of each discounted accuracy in ``x``."""

    @abstractmethod
    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        """Second derivative at ``x``; negative where you are averse to risk.

        Examples
        --------
        >>> from cautious.utility import u65
        >>> u65.second_derivative([0.5, 1])
        array([-1.2, -1.2])
        """

    @abstractmethod
    def inverse(self, value: npt.ArrayLike) -> Floats:
        """Smallest discounted accuracy whose utility is ``value``; nan if there is none.

        Examples
        --------
        >>> from cautious.utility import u65
        >>> u65.inverse([0.65, 1]).round(3)
        array([0.5, 1. ])
        """

    @property
    def normalised(self) -> Utility:
        """The same preferences on a scale with u(1) = 1."""
        top = float(self(1.0))
        return self if top == 1 else Scaled(self, top)

    def __repr__(self) -> str:
        return self.name


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

    def __call__(self, x: npt.ArrayLike) -> Floats:
        return self.base(x) / self.unit

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        return self.base.second_derivative(x) / self.unit

    def inverse(self, value: npt.ArrayLike) -> Floats:
        return self.base.inverse(_utilities(value) * self.unit)


def _floats(x: npt.ArrayLike) -> Floats:
    return as_floats(x, "x", "accuracies")


def _accuracies(x: npt.ArrayLike) -> Floats:
    z = as_floats(x, "x", "accuracies")
    if np.isinf(z).any():
        raise ValueError(f"x holds {z[np.isinf(z)][0]}; accuracies and earnings are finite.")
    return z


def _utilities(value: npt.ArrayLike) -> Floats:
    return as_floats(value, "value", "utilities")


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

    def __call__(self, x: npt.ArrayLike) -> Floats:
        z = _accuracies(x)
        # x + (4v − 2)·x(1 − x): the same parabola, exact at 0 and 1.
        return z + (4 * self.half - 2) * z * (1 - z)

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        return np.full_like(_floats(x), 4 - 8 * self.half)

    def inverse(self, value: npt.ArrayLike) -> Floats:
        y, a, b = _utilities(value), 2 - 4 * self.half, 4 * self.half - 1
        with np.errstate(invalid="ignore"):
            # The smaller root, in the form that stays exact as the parabola becomes a line.
            return 2 * y / (b + np.sqrt(b * b + 4 * a * y))


@dataclass(frozen=True, repr=False)
class Logarithmic(Utility):
    """log(1 + x)."""

    @property
    def name(self) -> str:
        return "logarithmic"

    @property
    def inversion(self) -> float:
        return 1.0

    def __call__(self, x: npt.ArrayLike) -> Floats:
        return np.log1p(_accuracies(x))

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        return -1 / (1 + _floats(x)) ** 2

    def inverse(self, value: npt.ArrayLike) -> Floats:
        return np.expm1(_utilities(value))


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

    def __call__(self, x: npt.ArrayLike) -> Floats:
        return -np.expm1(-self.a * _accuracies(x))

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        return -(self.a**2) * np.exp(-self.a * _floats(x))

    def inverse(self, value: npt.ArrayLike) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.log1p(-_utilities(value)) / self.a


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

    def __call__(self, x: npt.ArrayLike) -> Floats:
        z, b = _accuracies(x), self.beta**2
        return (1 + b) * z / (b * z + 1)

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        b = self.beta**2
        return -2 * b * (1 + b) / (b * _floats(x) + 1) ** 3

    def inverse(self, value: npt.ArrayLike) -> Floats:
        y, b = _utilities(value), self.beta**2
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

    def __call__(self, x: npt.ArrayLike) -> Floats:
        z = _floats(x)
        try:
            values = np.asarray(self.function(z), dtype=np.float64)
        except (TypeError, ValueError):
            values = None  # written for single numbers, such as math.sqrt
        if values is None or values.shape != z.shape:
            each = [float(self.function(float(v))) for v in z.ravel()]
            values = np.array(each, dtype=np.float64).reshape(z.shape)
        return values

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        z = np.clip(_floats(x), _STEP, 1 - _STEP)
        return (self(z + _STEP) - 2 * self(z) + self(z - _STEP)) / _STEP**2

    def inverse(self, value: npt.ArrayLike) -> Floats:
        y = _utilities(value)
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
    a = as_number(a, "a")
    if not 0 < a < np.inf:
        raise ValueError(f"a is {a}; a coefficient of risk aversion is finite and positive.")
    return Exponential(a)


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


def as_utility(utility: UtilityLike) -> Utility:
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
