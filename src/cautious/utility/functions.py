r"""Utilities of discounted accuracy: what one is, and those of the papers.

Quadratic, logarithmic, exponential and :math:`F_β`, each with second derivative and inverse.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cautious._typing import Floats, as_floats, as_number

__all__ = ["Utility", "exponential", "f_beta", "logarithmic", "quadratic", "u65", "u80"]


class Utility(ABC):
    r"""A utility of discounted accuracy.

    Call it on discounted accuracies, of any shape. Utilities are small values: they compare equal
    when they are the same function, can be hashed, copied and pickled, and print as their name.

    Attributes
    ----------
    name : str
        What to call it in tables and messages.
    normalised : Utility
        The same preferences on a scale with u(1) = 1.
    inversion : float
        The earnings :math:`z` at which :math:`-z\,u''(z)` is largest; see
        :func:`cautious.utility.inversion_point`.

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
        """Earnings at which aversion to risk matters most."""

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
        return self.base.inverse(as_floats(value, "value", "utilities") * self.unit)


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


def quadratic(v: float) -> Utility:
    r"""Quadratic utility worth ``v`` at discounted accuracy ½.

    .. math:: u_v(x) = (2 - 4v) x^2 + (4v - 1) x = x + (4v - 2)\,x(1 - x).

    Linear in :math:`v`, and the mean–variance reading of its expectation is exact. At
    :math:`v = ½` it is discounted accuracy itself. For :math:`v > ¾` it exceeds 1 and falls again
    somewhere between ½ and 1, where no discounted accuracy lies; its inverse takes the rising
    branch, so that ``u80.inverse(1)`` is 5/6.

    Parameters
    ----------
    v : float
        Utility of a correct set of two classes, between 0 and 1; above ½ means averse to risk.

    Returns
    -------
    Utility

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9, where the two formulas are printed under each other's
    names.

    Examples
    --------
    >>> quadratic(0.65)([0, 1 / 3, 0.5, 1]).round(3)
    array([0.   , 0.467, 0.65 , 1.   ])
    """
    v = as_number(v, "v")
    if not 0 <= v <= 1:
        raise ValueError(f"v is {v}; the utility of a half-right answer lies between 0 and 1.")
    return Quadratic(v)


u65: Utility = quadratic(0.65)
r"""Quadratic utility with u(½) = .65: :math:`-0.6x^2 + 1.6x`. Zaffalon et al. (2012), section 9."""

u80: Utility = quadratic(0.80)
r"""Quadratic utility with u(½) = .80: :math:`-1.2x^2 + 2.2x`. Zaffalon et al. (2012), section 9."""

logarithmic: Utility = Logarithmic()
r"""Logarithmic utility :math:`\log(1 + x)`; ``logarithmic.normalised`` divides it by log 2.
Zaffalon et al. (2012), section 8.1."""


def exponential(a: float) -> Utility:
    r"""Exponential utility :math:`1 - e^{-ax}`, of constant absolute risk aversion ``a``.

    As in the paper it is not scaled; ``exponential(a).normalised`` divides it by
    :math:`1 - e^{-a}`.

    Parameters
    ----------
    a : float
        Coefficient of risk aversion, positive.

    Returns
    -------
    Utility

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 8.2.

    Examples
    --------
    >>> exponential(2.0)([0, 0.5, 1]).round(3)
    array([0.   , 0.632, 0.865])
    >>> exponential(2.0).normalised([0, 0.5, 1]).round(3)
    array([0.   , 0.731, 1.   ])
    """
    a = as_number(a, "a")
    if not 0 < a < np.inf:
        raise ValueError(f"a is {a}; a coefficient of risk aversion is finite and positive.")
    return Exponential(a)


def f_beta(b: float) -> Utility:
    r""":math:`F_β` of a set-valued prediction, read as a utility.

    Precision is the discounted accuracy :math:`x` and recall says whether the set holds the truth,
    so a correct set of :math:`k` classes scores :math:`(1 + β^2)/(β^2 + k)`:

    .. math:: u(x) = \frac{(1 + β^2)\,x}{β^2 x + 1}.

    Parameters
    ----------
    b : float
        β, not negative; larger values reward correct large sets more, 0 is discounted accuracy.

    Returns
    -------
    Utility

    References
    ----------
    Zaffalon, Corani & Mauá (2012), section 9.3 and Table 7; Yang, Destercke & Masson (2017), eq. 9.

    Examples
    --------
    >>> f_beta(1)([0, 1 / 3, 0.5, 1]).round(2)
    array([0.  , 0.5 , 0.67, 1.  ])
    """
    b = as_number(b, "b")
    if not 0 <= b < np.inf:
        raise ValueError(f"b is {b}; β must be finite and not negative.")
    return FBeta(b)
