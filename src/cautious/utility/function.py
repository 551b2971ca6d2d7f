"""What a utility is: a function of discounted accuracy with its derivatives and its inverse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy.typing as npt

from cautious._typing import Floats, as_floats

__all__ = ["Utility"]


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
    def derivative(self, x: npt.ArrayLike) -> Floats:
        """First derivative at ``x``."""

    @abstractmethod
    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        """Second derivative at ``x``; negative where you are averse to risk."""

    @abstractmethod
    def inverse(self, value: npt.ArrayLike) -> Floats:
        """Smallest discounted accuracy whose utility is ``value``; nan if there is none."""

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

    def derivative(self, x: npt.ArrayLike) -> Floats:
        return self.base.derivative(x) / self.unit

    def second_derivative(self, x: npt.ArrayLike) -> Floats:
        return self.base.second_derivative(x) / self.unit

    def inverse(self, value: npt.ArrayLike) -> Floats:
        return self.base.inverse(as_floats(value, "value", "utilities") * self.unit)
